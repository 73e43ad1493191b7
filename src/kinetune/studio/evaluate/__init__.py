"""From a stack of steps to motion, frames in view first.

=============  ====================================================================================================
evaluation     From a stack to its motion, step by step; what has not changed is not worked out again
force_view     The forces that a motion needs and gets, before and after a physics step, for arrows, cones and the
gizmo_keys     A joint that is moved with a gizmo becomes a key of a displace step
quality        The quality of a motion before and after, and where its feet stand
step_previews  What is kept of a clip while a hand moves one step: bands, curves and ways that do not depend on the
step_reports   What an operation has to tell beside its motion: how near a target was reached, where feet landed
windows        The frames in view first: a part of the motion, worked out from a part of the clip
=============  ====================================================================================================
"""
