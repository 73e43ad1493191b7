"""Curves through keys with tension, continuity and bias (Kochanek-Bartels).

============  =======================================================================================================
key_checks    What may be given as the keys of a curve, and the sentences for what may not
key_fitting   Few keys for many samples: a TCB spline that follows a dense curve
keyed_curve   What every keyed curve shares: keys in time, three knobs at each key, and the edits that return another
rotation_tcb  Smooth turning through key rotations, with tension, continuity and bias at each key
tangents      The tangents of a keyed curve: what tension, continuity, bias, step sizes, ends and holds make of its
tcb           Smooth curves through keys, with tension, continuity and bias at each key (Kochanek-Bartels, "TCB")
tcb_kernels   The compiled bodies of :mod:`kinetune.signals.splines.tcb` and :mod:`kinetune.signals.splines.tangents`
tcb_presets   Named settings of tension, continuity and bias, and the numbers that other programs show for them
============  =======================================================================================================
"""
