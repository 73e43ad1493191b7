"""A renderer for films: shaded bodies on a floor, without a screen.

===============  =====================================================================================
renderer         frames of a scene as pixels
camera           a camera that frames a motion and follows it
actors           what is seen of a clip: a mannequin, or the skin of its character
mannequin        the shapes of a body, read off its skeleton and its motion
render_kernels   the compiled loops
===============  =====================================================================================
"""
