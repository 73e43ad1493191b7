"""What joints mean: roles such as "left foot", from names, hierarchy and shape.

===========  =======================================================================================================
from_names   What a joint's name says: its side and the part of the body, for the naming habits of many rigs
from_shape   Roles from the figure's shape, for skeletons whose names say nothing ("joint_12")
from_tree    Roles from names and the tree: what :mod:`kinetune.body.roles.from_names` leaves open is settled by the
joint_roles  What joints mean: roles such as "hips" or "left foot", and groups such as "left arm"
===========  =======================================================================================================
"""
