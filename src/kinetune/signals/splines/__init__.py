"""Curves through keys with tension, continuity and bias (Kochanek-Bartels).

============  ======================================================================================
tcb           Smooth curves through key values
rotation_tcb  Smooth curves through key rotations
keyed_curve   Their base class: keys, tension, continuity, bias, and edits that return another curve
tangents      The tangents at the keys
key_checks    Checks of keys, parameters and ends, and their error messages
tcb_presets   Named settings of tension, continuity and bias; the scale of 3ds Max
key_fitting   Few keys for many samples: a curve that follows a dense one
tcb_kernels   Compiled evaluation of curves
============  ======================================================================================
"""
