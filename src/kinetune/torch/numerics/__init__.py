"""What edits, losses and warps of tensors are made of; it knows tensors alone, no clips.

================  ==============================================================
quaternions       rotations
rotation_charts   rotations as smooth curves of three numbers
tree_kinematics   where the joints are
band_filter       frequency bands
time_filters      low-pass filters, other times
tcb_curves        keyed curves and shaping curves
ragged            batches of signals of different lengths
================  ==============================================================
"""
