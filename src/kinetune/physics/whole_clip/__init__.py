"""The whole-clip method: a motion made to obey mechanics over all its frames at once.

====================  ======================================================================================
correction            contacts, plan and poses in turn: :func:`~.correction.correct_motion`
contact_phases        which points carry the body, when and where, by Viterbi
other_contacts        seat, knees and hands, where feet alone cannot carry a motion
stance_prints         one print for each stance
force_plan            centre of mass, tilt and contact forces, by a banded interior point method
pose_solver           poses that meet the plan, by Gauss-Newton over all frames
pose_rows             the records of the compiled kinematics
====================  ======================================================================================
"""
