"""Positions from rotations and back: forward and inverse kinematics, joint limits.

===============  ==================================================================================================
anatomy          The human figure as an anatomist sees it: frames of its segments, and how far its joints turn
chain_ik         Inverse kinematics of chains of any length: the whole body leans into a reach
fast_exp         Quaternions of rotation vectors without a call to sine or cosine
forward          Where the joints are: forward kinematics, tips of chains, and how they answer to small turns
forward_kernels  Compiled forward kinematics: four frames at a time, with the bits of the NumPy body in
joint_limits     How far joints may turn, and bringing them back when they turn farther
limb_ik          Inverse kinematics of limbs: put a hand or a foot where it shall be, for all frames at once
limb_nudge       Small corrections of posed limbs: put a foot a few centimetres elsewhere and keep the leg as it is
limbs_by_role    The limbs of a figure by the roles of their joints, and bringing their ends somewhere
===============  ==================================================================================================
"""
