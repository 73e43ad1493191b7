"""Time warps: which frames of two signals correspond, found by dynamic programming.

=====================  ============================================================================
time_warp              :func:`time_warp` and its result: read one signal at the pace of the other
_warp_path             Applying, smoothing and interpolating a path; the window around the diagonal
table                  The best path through a table of costs that is filled strip by strip
pose_cost              The cost "pose": the distance of two poses, summed along the path
_pose_corridor         The part of the table that can hold the best path by poses
work_cost              The cost "sederberg": the work to stretch and bend one signal into the other
pose_cost_kernels      Compiled filling of the table by poses
pose_corridor_kernels  Compiled lower bounds and strips of the corridor
work_cost_kernels      Compiled filling of the table by work
=====================  ============================================================================
"""
