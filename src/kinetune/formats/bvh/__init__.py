"""Biovision hierarchy files (``.bvh``).

=================  ================================================================================================
bvh_format         BVH (Biovision hierarchy) files, in every dialect that has been seen: what motion capture is
bvh_writer         BVH text from a clip: the file that was read wherever the clip still holds it, else a plain one
channels           Channels of a BVH file: which column turns or moves which joint about or along which axis
columns            The columns of motion that a clip is written in
euler_angles       Euler angles to write: the file's own where the motion is unchanged, elsewhere those that follow
euler_kernels      Euler channels to quaternions: the compiled body of
header             The words of a BVH file: its hierarchy and the head of its motion
hierarchy          The tree of joints in a BVH file, read one statement at a time, whatever exporter wrote it
layout             What a clip keeps of the BVH file it came from, so that it can be written back as it was
motion_rows        The numbers of a BVH file, row by row: how many frames there really are, and what is wrong with
position_channels  Position channels of joints other than the root: absolute or relative, geometry or motion
=================  ================================================================================================
"""
