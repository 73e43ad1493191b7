"""Tables of joint positions (``.csv``), and poses from positions.

====================  ================================================================================================
csv_positions         Tables of joint positions (``.csv``): one row a frame, three columns a joint
joint_parents         Which joint hangs on which, when only their names are known
poses_from_positions  Rotations from joint positions alone: each joint turns so that its children point where they are
position_columns      The columns of a table of joint positions: which is which, in the spellings that programs use
====================  ================================================================================================
"""
