"""How good a clip is: measures, the check-up, glitches and outlier frames.

==============  ===================================================================================================
checkup         A check-up of a clip: what an animator would stumble over, in plain words, with what to do about it
glitches        Jumps in a clip: poses that no body passes through from one frame to the next
measure_tables  Measures as columns of a table: nested values are spread over names such as ``slide.left``
measures        How good a clip is, in numbers: foot slide, floor penetration, jerk, flips, and the seam of a loop
outlier_frames  Poses that do not belong to a motion: a first one that edits leave alone, and single ones between
==============  ===================================================================================================
"""
