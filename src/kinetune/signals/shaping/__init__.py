"""Waveshaping: curves that map values to values, independent of time.

=============  ===============================================================
shaping_curve  The curve with its control points, and a signal sent through it
curve_library  Named curves such as "cosine" or "cap(-0.5, 0.8)"
curve_files    Saving your own curves by name in a small JSON file
=============  ===============================================================
"""
