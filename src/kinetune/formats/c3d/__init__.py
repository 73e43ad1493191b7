"""C3D recordings of markers (``.c3d``).

==============  ================================================================================
c3d_reader      The file as a clip: a body fitted to its markers, or the markers themselves
_c3d_file       Points of a file, from any of the three processors that wrote them
marker_sets     Which part of the body a marker sits on, from its label
_marker_fit     Bone lengths, marker offsets and joint angles by least squares
_joint_centres  Where the joints of a marked body are in one frame
==============  ================================================================================
"""

from kinetune.formats.c3d.c3d_reader import FORMAT

__all__ = ["FORMAT"]
