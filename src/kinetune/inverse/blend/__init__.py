"""Inverse blending: weights for which a blend of examples meets constraints.

==================  ================================================================================================
chain_pose_kernels  Compiled blends of chains: where an effector is for given weights, and how it moves with each of
chain_poses         Blended chains: where an effector is for given weights, and how it moves with each weight
constraint_layout   Constraints as the solver takes them: joints and frames resolved, chains packed, ready to be
constraints         What an aimed motion shall meet: places, lines, directions, turns, or anything that can be
example_set         A set of examples as arrays that can be blended: same joints, same length, signs of quaternions
inverse_blend       Inverse blending: weights, found so that a blend of examples meets targets exactly
residual_kernels    Compiled residuals of constraints and their rows of the Jacobian; formulas and names in
residuals           Residuals of constraints and their derivatives by the weights
simplex             Steps on the simplex: weights that stay in [0, 1] and sum to 1 while a residual is driven down
simplex_kernels     Compiled steps on the simplex: the inner problem of every weight solver, callable from other
weight_kernels      Compiled search for blend weights: the solver of :mod:`kinetune.inverse.blend.weights`, one
weights             The search for blend weights: active-set Gauss-Newton on the simplex, with a soft choice of
==================  ================================================================================================
"""
