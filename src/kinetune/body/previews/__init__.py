"""Cached work for the frames in view, while a fader moves.

=============  ==============================================================================================
band_preview   The equalizer for the frames in view: bands are split once and mixed as often as a fader moves
blend_preview  A blend for the frames in view: clips are aligned once and mixed as often as a weight moves
=============  ==============================================================================================
"""
