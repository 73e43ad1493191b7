"""Time warps: which frames of two signals correspond, found by dynamic programming.

=====================  =============================================================================================
blocks                 A coarse look at two signals before the table of their time warp is filled
pose_corridor          A corridor of the table of a time warp in which the best path by poses is sure to lie
pose_corridor_kernels  Compiled bodies of the corridor of a time warp: the same operations in the same order as the
pose_cost              The plain cost of a time warp: the distance of the two poses at every step, all channels
pose_cost_kernels      Compiled bodies of the time warp by poses: the same operations in the same order as the NumPy
search                 The best path through the table of a time warp, without the table in memory
strips                 What the two costs of a time warp have in common: strips of the table, filled without keeping
time_warp              Time warps: which frames of two motions belong together, and what follows from it
warp_path              What can be done with the path of a time warp: apply it, smooth it, interpolate it; and the
work_band              A band of the table of a time warp in which the best path by stretching and bending work is
work_cost              Sederberg's cost of a time warp: the work it takes to bend and stretch one signal into the
work_cost_kernels      Compiled bodies of the time warp by stretching and bending: the same operations in the same
=====================  =============================================================================================
"""
