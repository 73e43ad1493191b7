"""The dynamic filter over a whole clip ([pollard]).

===============  ==============================================================================
filtering        filter_dynamics: a clip, filtered, with forces, torques, report and failures
streaming        the same for poses that come one after another
filter_settings  what is tracked and how firmly: modes, gains, presets
preprocessing    a clip made ready for the filter, and the result put back in its place
references       what is followed: a motion, its derivatives, its feet
com_plan         paths of centre of mass and angular momentum that keep a body on its feet
com_targets      targets of the whole body, frame by frame, from a path or a plan
rollout          a body that follows a motion from its first frame to its last
failures         where a filtered motion went wrong, and how closely it was followed
===============  ==============================================================================
"""
