"""What joints mean: roles such as "left foot", from names, hierarchy and shape.

===========  ====================================================================================
from_names   Roles from joint names and the hierarchy, for the naming conventions of many rigs
joint_roles  The roles and groups of a skeleton ("hips", "left foot", "left arm"): start here
_from_shape  Roles from the shape of the body, for skeletons whose names say nothing ("joint_12")
===========  ====================================================================================
"""
