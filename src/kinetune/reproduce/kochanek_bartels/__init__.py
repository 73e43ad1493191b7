"""Kochanek and Bartels 1984: splines with tension, continuity and bias.

==========  ==========================================================================================================
_controls   The spline paper, part 3: tension, continuity and bias (Figures 6 to 24)
_linear     The spline paper, part 2: what is wrong with linear interpolation (Figures 1 to 3), and the default
_own_files  The spline paper on the user's clips: a few keys fitted to one channel, and what the controls do there
paper       Kochanek and Bartels 1984, run again: Figures 1 to 3 and 5 to 24
paths       The spline paper, part 1: curves through a few keys, and how they are drawn
==========  ==========================================================================================================
"""
