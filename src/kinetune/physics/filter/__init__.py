"""The dynamic filter over a whole clip ([pollard]).

================  ===================================================================================================
com_plan          A plan for the body as a whole: where its centre of mass can go, and how much it must turn, to stay
com_targets       What the filter aims at for the body as a whole, frame by frame
failures          Where a filtered motion went wrong, and how close it stays to the one it follows
filtering         The dynamic filter for whole clips: motion that obeys the laws of mechanics and friction
preprocessing     A clip made ready for the dynamic filter, and the way back
references        What the dynamic filter is asked to follow: a motion, its derivatives, its feet and its whole
rollout           A body that follows a motion from its first frame to its last, and how well it does
streaming         The dynamic filter for poses that come one after another, as in a game or on a stage
tracking_presets  How firmly the filter holds on to each part of a motion
yaw_limit         A figure that turns about the vertical no faster than its feet can make it
================  ===================================================================================================
"""
