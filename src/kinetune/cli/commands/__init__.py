"""Hand-written commands, imported when they are run.

==================  ==========================================================================================
clean_command       clean: one file, a list of what it would do, or a whole library with its clips ranked
contour_commands    The command that looks at a drawing: contour info
drawing_commands    Commands that make films of drawings: morph, inbetween, gait
evidence_commands   bench: how quick Kinetune is on this machine; reproduce: the experiments of the papers, run again
figure_commands     Commands that draw motion: strips of stick figures, curves, bands, warps, shaping curves
index_commands      Commands on a searchable library: index, find, duplicates, transitions
inspect_commands    Commands that look and change nothing: info, doctor, measure, samples, operations, version
library_commands    Commands over whole libraries: batch, and the many-file forms of convert and measure
physics_commands    Commands on physics: the report card of a clip
run_commands        Commands that make files: convert, apply; and warmup and completion, which prepare for them
studio_commands     The command that opens the studio
==================  ==========================================================================================
"""
