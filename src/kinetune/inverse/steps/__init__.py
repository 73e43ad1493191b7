"""Single steps: cut out of walks, chosen, blended and set down exactly.

===================  ==================================================================
step_extraction      Find the steps of a walking clip and sample them at common phases
step_sets            StepSet: the example steps that a walk is blended from
step_pools           Steps of one foot, stacked as the solver and the kernels read them
step_weights         Which examples to blend so that a foot lands on its target
step_blend           Examples blended frame by frame, and the timing of the blend
foot_locks           Feet that stand do not move: lock, plant, follow
step_motion          One step as motion: blend, re-time, ease in, lock, plant
step_weight_kernels  Compiled: the blend weights of a step
step_motion_kernels  Compiled: what makes a step
===================  ==================================================================
"""
