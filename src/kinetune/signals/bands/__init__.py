"""Frequency bands: split a signal, multiply each band by a gain, join them again ([bruderlin] section 2.1).

===============  =================================================================================
pyramid          Splitting, joining and equalizing signals with time on axis 0
gains            Gains by band and time, solo and mute, and how a signal continues beyond its ends
band_presets     Named settings of the equalizer
pyramid_kernels  The compiled equalizer
_sweep_kernels   Its inner loops: one or two levels of bands over a strip of columns
===============  =================================================================================
"""
