"""Pictures and films of clips and signals.

==============  ==============================================================================
strip           a motion as a row of stick figures
side_by_side    source and result of a retargeting, one above the other
film            animated GIFs and MP4s of one clip, or of an original behind its edit
stick_figures   how a pose becomes lines on paper
curve_plot      joints over time, before and after an edit
signal_figures  frequency bands, shaping curves and displacement maps of one signal
warp_figure     time warps: pose distances with the path through them, curves before and after
==============  ==============================================================================
"""
