"""Open documents: what messages do, questions of panels, jobs.

================  =============================================================================
commands          what each message about documents and stacks does
drawing_messages  what each message about drawings does
_questions        what panels ask for: bands, curves, splines, warps, outlines of clips, forces
room              an open document with its tabs, and when it is evaluated again
motion_room       an open motion: the window first, then the whole clip, then its quality
drawing_room      an open drawing: its keys at once, the film between them in the background
background_jobs   long work with progress and cancel: slow steps, exports, films
================  =============================================================================
"""
