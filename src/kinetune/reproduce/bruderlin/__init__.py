"""Bruderlin: using signal processing for animating human figures.

==========  ======================================================================================================
bands       Figures 1 and 2 of Bruderlin's paper: frequency bands, and what their gains do
_blends     Figures 3 to 5 of Bruderlin's paper: motions mixed, by bands too, and in step
_edits      Figures 8 to 11 of Bruderlin's paper: shaping and displacement of joint angles
_own_files  Bruderlin's experiments on the user's clips: bands, an exaggerated motion with planted feet, and a
paper       Bruderlin, run again: Figures 1 to 11 on our samples
_warps      Figures 6 and 7 of Bruderlin's paper: which moments of two walks belong together
==========  ======================================================================================================
"""
