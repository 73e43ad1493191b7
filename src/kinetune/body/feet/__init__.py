"""Feet on the floor: when they stand, where the floor is, and how to plant them.

===============  ==============================================================================
contacts         When each foot stands on the floor
flipped_feet     Feet that a solver has turned upside down, and how to right them
floor            Where the floor is, and which feet stand on it
floor_clearance  Lift everything that is below the floor, gently
foot_roll        How a standing foot must move to roll over heel, ball and toes without sliding
planting         Plant the feet of a clip: the feet roll, the pelvis gives way, the legs follow
soles            The points of the sole that touch the floor
===============  ==============================================================================
"""
