"""Films of one drawing becoming another.

=================  =====================================================================================
morph              the frames from one drawing to another
key_drawings       several key drawings, and the frames between them on Kochanek-Bartels splines
methods            how two curves become a film: safe, linear, schedule, physical
safe_films         films of two curves in which no frame crosses itself
part_films         films of parts: details on what they lie on, lines on edges, what splits off or fades
draw_order         the order in which layers are painted, and how one gets to another position in it
layer_films        a layer that becomes another: its curves paired and filmed, its paint mixed
canvas             drawings on canvases of different size, and the canvas between them
_curve_shortening  the last resort against crossings: both shapes lose detail on the way and get it back
_holes             curves that stay inside a changing outline: holes, and islands in them
=================  =====================================================================================
"""
