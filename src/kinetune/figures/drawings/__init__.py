"""Pictures and films of drawings.

===============  =================================================================================================
contour_figures  Pictures of the wavelet descriptor and of elastic contours: the figures of the cartoon paper, for
drawing_files    Drawings in files: pictures, strips and films
drawing_paint    A drawing as pixels: every layer filled by the even-odd rule, then stroked, with smooth edges
===============  =================================================================================================
"""
