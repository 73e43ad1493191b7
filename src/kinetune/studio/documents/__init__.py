"""Documents: their state, undo history, sources, and saving.

==============  ====================================================================================================
autosave        Documents on the disk: written whole, soon after every change, and found again after a crash
drawing_state   A drawing document as a value: two key drawings, edits of their control points, and how one becomes
history         Undo and redo for any value, and drags that become one step
open_documents  The documents that are open, by their ids; each is what it says, its undo history, and what the page
origins         Where clips and drawings come from: samples, files of the folder, uploads; and nothing else on the
stack           The stack of a motion document as a value: source, inputs, steps, markers; every edit gives another
==============  ====================================================================================================
"""
