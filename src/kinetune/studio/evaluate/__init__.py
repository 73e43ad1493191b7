"""From a stack of steps to its motion.

==================  =============================================================================
evaluation          step by step, with a cache: what has not changed is not computed again
windows             previews: the frames in view first, and what they reuse while a control moves
_step_locks         one thread at a time for each step; cancelling it
gizmo_keys          a joint moved with a gizmo becomes a displacement key
force_view          forces before and after a physics step
remedies            the check-up of a clip, with what one click can do about each finding
quality             measures and contacts, before and after
thumbnails          a few poses of a clip, for the list of clips
==================  =============================================================================
"""
