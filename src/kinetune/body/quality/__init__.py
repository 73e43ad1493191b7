"""How good a clip is: measures, the check-up and glitches.

========  ==============================================================================================
checkup   What an animator would stumble over in a clip, and what to do about it
glitches  Jumps, stray first frames and single wrong frames: find them, edit around them, mend them
measures  How good a clip is, in numbers: foot slide, floor penetration, jerk, flips, the seam of a loop
score     How good a clip is as one number, to rank a library
spikes    Joints that are elsewhere for a few frames: find them, bridge them where that helps
========  ==============================================================================================
"""
