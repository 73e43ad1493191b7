"""Positions from rotations and back: forward and inverse kinematics, joint limits.

========================  =================================================================================
anatomy                   Anatomical frames of the segments, and the ranges of human joints
chain_ik                  Inverse kinematics for chains of any length, by damped least squares
forward                   Forward kinematics, end sites and Jacobians
forward_kernels           Compiled forward kinematics, with the same bits as the NumPy implementation
joint_limits              Limit how far joints rotate
limb_ik                   Inverse kinematics for arms and legs: find them, and move their ends along a path
toward_positions          Joints turned a little, so that all of them come near positions
toward_positions_kernels  Compiled: the turns of all joints, from the root down
========================  =================================================================================
"""
