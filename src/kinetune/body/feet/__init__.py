"""Feet on the floor: when they stand, where the floor is, and how to plant them.

===============  ==============================================================================
contacts         When each foot stands on the floor
flipped_feet     Feet that a solver has turned upside down, and how to right them
floor            Where the floor is, and which feet stand on it
floor_clearance  Lift everything that is below the floor, gently
leg_solver       Where pelvis and ankles go: one least-squares problem over the whole clip
planting         Plant the feet of a clip: feet roll, the pelvis gives way, legs follow
soles            The points of the sole that touch the floor
stance_states    How a foot stands in each frame: in the air, on its heel, flat, on ball and toes
standing_foot    What a standing foot does: it rolls as the source's did, and does not slide
===============  ==============================================================================
"""
