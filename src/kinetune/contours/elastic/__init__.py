"""Elastic curves: stiffness, materials, and how a curve springs back.

====================  =================================================================================
relaxation            a deformed contour let go moves towards its rest shape
materials             how stiff, how damped, and how that feels
outside_forces        gravity, attraction or any function, solved by adaptive Runge-Kutta steps
stiffness             how much a curve resists stretching: the stiffness matrix in wavelet coefficients
single_mode           one damped mode, solved exactly
paper_approximations  the paper's two simplifications, for comparison: decoupled coefficients, no mass
_local_stiffness      curves that are softer or heavier in places
====================  =================================================================================
"""
