"""The code that authors the samples: motion from gait statistics, keys and inverse kinematics, drawings from formulas.

``python -m tools.samples`` writes ``src/kinetune/samples/data``; ``--check`` only compares. The numbers that make the
motion look human come from published gait data (see the docstrings of ``gait`` and ``gait_series``).

=================================  ==========================================================
catalogue                          every sample by name, with its description and its maker
curves, acting, figure             what everything is built from: eases, poses, the skeleton
gait, gait_series, walks, run      walking and running
feet, standing, balance            feet that stand, roll and swing; weight over the feet
steps, standing_steps              single steps
actions, seated, kicks, reaches    gestures and examples for aiming
hands, rich_figures, rich_actions  fingers, a child, a studio rig
drawings                           the drawings
=================================  ==========================================================
"""
