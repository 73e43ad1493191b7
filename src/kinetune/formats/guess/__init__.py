"""What a file leaves open: its unit, its up axis, which way it stands.

===========  ========================================================================================================
guessing     Units and up axes that files do not name: guessed from the figure's size and pose, reported, overridable
unit_and_up  The unit and the up axis of a figure whose file names neither, from its bones and its poses
upright      Setting figures upright: which way they stand, and how a figure turns whose joints have frames of their
===========  ========================================================================================================
"""
