"""A renderer for films: shaded bodies on a floor, without a screen.

===============  =====================================================================================
renderer         frames of a scene as pixels
camera           a camera that frames a motion and follows it
actors           what is seen of a clip, as triangles at every frame
render_kernels   the compiled loops
===============  =====================================================================================
"""
