"""A contour as a sweep and detail at every scale.

==================  ==============================================================================================
level_of_detail     Drawings at several resolutions: every curve drawn with a few control points only
scale_editing       Editing at a scale: bend the sweep of a curve and its detail rides along, or change the detail
wavelet_descriptor  The wavelet descriptor of a contour: a few control points that carry its sweep, and detail at
==================  ==============================================================================================
"""
