"""Where the whole character is and where it travels.

===========  =====================================================================================
placement    Where a motion takes place: turn and move the whole figure, without changing its pose
root_motion  The way a figure travels, apart from how it moves: what game engines call root motion
travel       Where a figure goes, apart from how it sways on the way
===========  =====================================================================================
"""
