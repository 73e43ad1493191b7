"""Clips in time: align, blend, arrange, retime, loop, mirror, splice.

=============  =====================================================================================================
alignment      Which moment of one clip corresponds to which moment of another, and clips played at another's timing
arrangement    Clips on one timeline: one after another, faded into each other where they overlap
clip_blending  Several motions as one: poses, timing and way averaged, each properly
cycles         Finding the part of a motion that repeats
loop_seam      Closing a cycle: the last pose becomes the first again, without a jump and without sliding feet
mirroring      The mirror image of a motion: what the left hand did, the right hand does
retiming       A clip at other times: other rates, slow motion, warps of time
splicing       One motion that passes into another: a double kick out of two single ones
strikes        Kicks, punches and the like: moments at which a hand or foot is thrown and caught again
transitions    Where one motion can pass into another
=============  =====================================================================================================
"""
