"""Shapes between two shapes, by their edges and bends.

=======================  ==================================================================
intrinsic_interpolation  limbs swing instead of shrinking; the rigid motion between shapes
intrinsic_kernels        the same, compiled
=======================  ==================================================================
"""
