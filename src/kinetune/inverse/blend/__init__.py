"""Inverse blending: weights for which a blend of examples meets constraints.

==================  ================================================================================
inverse_blend       InverseBlend: the set of examples, and the blends between them that meet targets
constraints         What a blend must meet: positions, lines, directions, rotations, any function
_ik_residue         What a blend still misses, met by a little inverse kinematics
example_set         The examples as arrays that can be blended: same joints, same length
constraint_layout   Constraints and chains as the solver reads them
_custom_search      The search where a constraint is a function of the clip
weight_kernels      Compiled: the search for blend weights
simplex_kernels     Compiled: one step on the simplex
_residual_kernels   Compiled: residuals of constraints and their derivatives
chain_pose_kernels  Compiled: where an effector is, and how it moves with each weight
==================  ================================================================================
"""
