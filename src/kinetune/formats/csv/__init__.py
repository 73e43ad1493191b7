"""Tables of joint positions (``.csv``).

=====================  ===============================================================================================
csv_positions          Tables of joint positions, read and written: one row a frame, three columns a joint
_poses_from_positions  A skeleton and rotations from joint names and positions alone
=====================  ===============================================================================================
"""
