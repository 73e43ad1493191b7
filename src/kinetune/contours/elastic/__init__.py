"""Elastic curves: stiffness, materials, and how a curve springs back.

====================  ================================================================================================
local_stiffness       Curves that are softer or heavier in places: implicit midpoint steps with a sparse factorization
materials             Materials: how stiff, how damped, and how that feels
outside_forces        Forces from outside on an elastic curve: gravity, attraction, or any function; solved by
paper_approximations  Two simplifications of the paper, kept to be seen beside the exact motion: decoupled
relaxation            Curves that spring back: a contour let go moves towards its rest shape by the Lagrangian
single_mode           One mode of a damped curve, solved exactly: rho q'' + (s1 rho + s2 lambda) q' + lambda q = 0
stiffness             How much a curve resists stretching: the stiffness matrix in wavelet coefficients, from the
====================  ================================================================================================
"""
