"""Single steps: cut out of walks, chosen, blended and set down exactly.

===================  ===============================================================================================
step_blend           Examples blended frame by frame, with weights that change on the way
step_extraction      Single steps out of walking clips: one foot swings, the other one stands
step_motion          One step as motion: blend, re-time, ease in, lock, plant ([huang], phases 3 and 4, and the
step_motion_kernels  Compiled bodies of what makes a step: blend, ease in, lock, plant
step_pools           Steps of one foot, stacked as the solver and the kernels read them
step_sets            Sets of example steps: what a walk is blended from
stepping             Which examples to blend, and how much of each, so that a foot stands where it shall ([huang]
stepping_kernels     Compiled: the blend weights that bring the swinging foot to its place ([huang], phases 1 and 2)
support_lock         The foot that carries does not move: the whole figure is placed so that it stands still
swing_foot           The foot that swings stands too, before it leaves and after it lands: it rolls off and lands
velocity_profile     Speed that varies within a step as it did in an example ([huang], phase 4)
===================  ===============================================================================================
"""
