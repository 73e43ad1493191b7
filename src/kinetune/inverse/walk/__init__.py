"""Walks on footsteps: plan them, walk them, report what became of each.

=================  ==================================================================================================
detours            Steps in between: how to walk to a footstep that is too far, or on the wrong side
dubins             The shortest way from one place and heading to another that never turns tighter than a radius
footstep_planners  Footsteps along a way: straight on, round a circle, in a slalom, or along any points
footsteps          Where feet shall stand: footsteps, and how one place on the floor is seen from another
pose_easing        From one motion into another without a jump
walk_messages      What a walk says about footsteps that it could not simply take
walk_report        What became of each footstep: where the foot stands, what moved that should not, and what had to
walk_values        What a walk is made of, and what comes out of it
walker             Walking on given footsteps ([huang], section 5): step after step, each foot exactly where it shall
=================  ==================================================================================================
"""
