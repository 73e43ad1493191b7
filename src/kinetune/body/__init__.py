"""Skeletons in motion.

===========  ==================================================================================
clip         The clip: a skeleton in motion, with its frame rate, contacts, markers and history
skeleton     The skeleton: joints, hierarchy, rest pose, roles
source       Where a clip came from, and what it takes to write it back faithfully
root_motion  Where the whole character is, which way it faces and where it travels
kinematics   Positions from rotations and back: forward and inverse kinematics, joint limits
roles        What joints mean: roles such as "left foot", from names, hierarchy and shape
feet         Feet on the floor: when they stand, where the floor is, and how to plant them
curves       Poses as curves: equalize, shape and displace them, set and reduce keys
timeline     Clips in time: align, blend, arrange, retime, loop, mirror, splice
quality      How good a clip is: measures, the check-up and glitches
previews     Cached work for the frames in view while a fader moves
===========  ==================================================================================
"""
