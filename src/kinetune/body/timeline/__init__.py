"""Clips in time: align, blend, arrange, retime, loop, mirror, splice.

=============  =================================================================================
alignment      Corresponding moments of two clips, and clips played at the timing of another
arrangement    Clips on one timeline, one after another, with cross-fades where they overlap
clip_blending  Several motions as one: poses, timing and path are averaged separately
cycles         Find the part of a motion that repeats
loop_seam      Close a cycle without a jump and without sliding feet, and repeat it
mirroring      The mirror image of a motion: left and right swap
retiming       A clip at other times: resampling, slow motion, time warps
splicing       One motion that passes into another, such as a double kick out of two single ones
transitions    Where one motion can pass into another, and the kicks and punches that it must keep
_clip_cache    A weak-reference cache of results for sets of clips
=============  =================================================================================
"""
