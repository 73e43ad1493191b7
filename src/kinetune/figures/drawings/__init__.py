"""Pictures and films of drawings.

===============  =============================================================================
drawing_files    drawings in files: SVG, Lottie, pictures, strips, films
drawing_paint    a drawing as pixels
contour_figures  the wavelet descriptor and elastic contours: the figures of the cartoon paper
===============  =============================================================================
"""
