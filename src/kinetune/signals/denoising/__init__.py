"""Noise taken out of curves, and samples that do not belong to them.

=================  ===============================================================================
adaptive_spline    Smoothing splines whose stiffness follows the motion and the noise of each track
excursions         Spikes, short flips and dropouts: samples that jump away and come back
noise_colours      Noise that is white, wanders or is smooth, as autoregressive models
excursion_kernels  Compiled: the search for excursions
spline_kernels     Compiled: banded smoothing splines of many channels, and how they are learnt
=================  ===============================================================================
"""
