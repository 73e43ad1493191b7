"""Open documents: messages, questions and jobs.

================  ====================================================================================================
background_jobs   Long work with progress and cancel: slow steps, exports, films
commands          What each message does. ``Commands.handle`` finds the method for a message by its type
drawing_messages  What messages about drawings do
drawing_room      A drawing document that somebody looks at: its keys at once, the film between them in the background
live              Generators under the hand: a target that is dragged, a footprint that is moved
motion_room       A motion that somebody looks at: windows under the hand, the whole after it, then its quality
questions         What panels ask for: bands, curves, splines, warps, outlines of clips, forces
room              A document that somebody looks at: who, at which frame, and when it is worked out again
step_locks        Steps that are worked on: one thread at a time for each, until it is done or nobody wants to wait
================  ====================================================================================================
"""
