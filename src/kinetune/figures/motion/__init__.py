"""Pictures and films of clips and signals.

===================  ==============================================================================================
bands_figure         Frequency bands drawn like the faders of a mixing desk ([bruderlin] Figures 1 and 2)
curve_plot           Curves over time: channels of a clip before and after an edit
displacement_figure  Displacement mapping step by step ([bruderlin] Figure 10)
film                 Films of stick figures: animated GIFs and MP4s of one clip, or of an original beside its edit
joint_channel        One number of a joint over time, for pictures of signals
shaping_figure       A shaping curve and what it makes of a signal ([bruderlin] Figures 8 and 9)
stick_figures        Stick figures: how a pose becomes lines on paper
strip                Strips of stick figures: a motion at a glance
warp_figure          Time warps: the matrix of pose distances with the path through it, and curves before and after
===================  ==============================================================================================
"""
