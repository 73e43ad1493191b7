"""Frequency bands: split a signal, weigh each band, join them again ([bruderlin] section 2.1).

===============  ===================================================================================================
band_presets     Named settings of the equalizer, at the same frequencies whatever the frame rate
gains            The mixing desk of the equalizer: gains by band and time, and what lies beyond the ends of a signal
pyramid          Frequency bands of motion curves: a graphic equalizer for signals with time on axis 0
pyramid_kernels  Compiled bodies of :mod:`kinetune.signals.bands.pyramid`: no band is stored, and few levels go
sweep_kernels    One or two levels of :mod:`kinetune.signals.bands.pyramid_kernels` at a time, on a strip one cache
===============  ===================================================================================================
"""
