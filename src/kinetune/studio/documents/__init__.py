"""Documents: their state, undo history, sources and saving.

==============  ==========================================================================
open_documents  the documents by id: name, state, history, view
stack           a motion document as a value: source, inputs, steps, markers
drawing_state   a drawing document as a value: key drawings and the morphs between them
_history        undo and redo; a drag becomes one step; named versions
autosave        documents on the disk, written soon after every change
origins         where clips and drawings come from: samples, the folder, uploads
uploads         files that the browser sends
==============  ==========================================================================
"""
