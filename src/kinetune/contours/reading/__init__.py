"""Drawings from files of any kind.

===============  ==========================================================
drawing_reader   one function for every kind of file
_lottie          a frame of a Lottie animation, or its key drawings
_tracing         pictures of line art and flat colours as layers
===============  ==========================================================
"""
