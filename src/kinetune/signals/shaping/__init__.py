"""Waveshaping: curves that map values to values.

=============  ======================================================================================
curve_files    Shaping curves of your own, saved by name in a small JSON file
curve_library  A library of shaping curves, each by one word and a few numbers
shaping_curve  Waveshaping: bend the values of a signal through a curve, whatever their order in time
=============  ======================================================================================
"""
