"""The mathematics of the papers on plain arrays: arrays in, arrays out, time on axis 0.

===============  ====================================================================
bands            Frequency bands and the equalizer
splines          Keyed curves with tension, continuity and bias
warping          Time warps: which frames of two signals correspond
shaping          Waveshaping: curves that map values to values
denoising        Noise taken out of curves, and samples that do not belong to them
filters          Low-pass filters without delay
resampling       Other frame rates and other times, without aliasing
rotation_curves  Rotations as curves of three numbers that linear filters can process
displacement     Smooth changes given at a few frames
mixing           Weighted averages of signals, whole or band by band
wavelets         Curves split into scales by wavelets
bounded_curve    The smoothest curve between two bounds
banded_solve     Symmetric banded systems of equations
flag_ranges      Where flags are set, as ranges
===============  ====================================================================
"""
