"""Bruderlin and Williams 1995: motion signal processing.

=========  ======================================================================================================
bands      Figures 1 and 2 of Bruderlin's paper: frequency bands, and what their gains do
blends     Figures 3 to 5 of Bruderlin's paper: motions mixed, by bands too, and in step
edits      Figures 8 to 11 of Bruderlin's paper: shaping and displacement of joint angles
own_files  Bruderlin's experiments on the user's own clips: bands, an exaggerated motion with planted feet, and a
paper      Bruderlin, run again: Figures 1 to 11 on our samples
warps      Figures 6 and 7 of Bruderlin's paper: which moments of two walks belong together
=========  ======================================================================================================
"""
