"""A contour as a sweep and detail at every scale.

==================  ====================================================================================
wavelet_descriptor  a contour as a few control points that carry its sweep, and detail at every scale
scale_editing       bend the sweep while its detail rides along, or change the detail and keep the sweep
==================  ====================================================================================
"""
