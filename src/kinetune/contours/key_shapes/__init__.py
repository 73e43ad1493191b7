"""Films as key shapes, for files that a player interpolates and a designer edits.

===============  ==========================================================================
keyed_film       a moving drawing as layers of key shapes, checked as a file will hold them
bezier_films     moving curves as Bezier paths of one topology
keyed_gradients  gradients over time, with keys for placement and colours
key_times        the fewest key shapes, and the eases between them
_layer_slots     one fixed order for layers that change places
_film_checks     how far what is shown lies from the film, and whether it crosses itself
===============  ==========================================================================
"""
