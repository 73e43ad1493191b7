"""Poses as curves: equalize, shape and displace them, set and reduce keys.

=================  ==================================================================================
key_reduction      Dense motion as a few keys, within a tolerance in millimetres
keyframes          Clips from key poses, as an animator sets them
pose_curves        Joint rotations as curves of three numbers, to be edited like any signal, and back
pose_denoising     Noise taken out of a clip, joint by joint, after spikes are bridged
pose_displacement  Displacement mapping: change a pose at a few frames, and the rest follows smoothly
pose_equalizer     The equalizer for joints, the sway of the root, and the paths of hands and feet
pose_shaping       Waveshaping of joint rotations, axis by axis, and of the sway of the root
=================  ==================================================================================
"""
