"""Poses as curves: equalize, shape and displace them, set and reduce keys.

=================  ==================================================================================================
key_reduction      Dense motion as few keys, within a bound of millimetres in the world, and back
keyframes          Clips from key poses, as an animator sets them
pose_curves        The rotations of a clip as curves of three numbers a joint, to be edited like any signal, and back
pose_displacement  Displacement mapping on a figure: change its pose at a few frames, and the rest follows smoothly
pose_equalizer     The equalizer on a figure: its joints, the sway of its root, the paths of its hands and feet
pose_shaping       Waveshaping on a figure: the rotations of chosen joints, axis by axis, and the sway of its root
=================  ==================================================================================================
"""
