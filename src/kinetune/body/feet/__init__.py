"""Feet on the floor: contacts, soles, planting, slide and clearance.

===============  ====================================================================================================
contacts         When feet stand on the floor
flipped_feet     Feet that a solver has turned upside down
floor            Where the floor is, and the soles that stand on it
floor_clearance  Nothing below the floor: feet, hands and the rest of the body are lifted out of it, gently
foot_roll        Feet that stand roll over heel, ball and toes; they do not slide
pelvis_shift     Where the pelvis goes when feet are moved: it rides on the legs that stand
planting         Planted feet: what stands stays where it is, and the rest of the body hardly notices
slide            How far feet slide while they stand
sole_motion      The sole of a foot in motion: how steep it is, what it touches, and what becomes of it when the foot
soles            The soles of the feet: the points that touch the floor, which no file names
stride           How far a figure gets on legs that swing more or less than they did
===============  ====================================================================================================
"""
