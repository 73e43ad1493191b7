"""Joint positions without rotations: tables and arrays.

===================  ===================================================================================
csv_positions        Tables of joint positions, read and written: one row a frame, three columns a joint
array_positions      NumPy arrays (frames, joints, 3), with names that the user gives
clip_from_positions  A clip from positions and names: tree, unit, up axis, bones, rotations
pose_fit             Bones and rotations from joint positions alone
_tree_from_names     The tree of a body, from the names of its joints
===================  ===================================================================================
"""
