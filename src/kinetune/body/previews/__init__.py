"""Cached work for the frames in view while a fader moves.

=============  ==========================================================================
band_preview   The equalizer: bands are split once and mixed again whenever a fader moves
blend_preview  A blend: clips are aligned once and mixed again whenever a weight changes
=============  ==========================================================================
"""
