"""Films of one drawing becoming another.

================  ===================================================================================================
canvas            Two drawings on pages of different size, and the page between them
curve_shortening  The last resort against crossings: both shapes lose their detail on the way and get it back
holes             Curves that stay inside a changing outline: holes in a shape, islands in a hole
intrinsic         Shapes between two shapes, by their edges and bends instead of their points: limbs swing and do not
key_drawings      Several key drawings and the frames between them, by Kochanek-Bartels splines
layer_films       A layer that becomes another: its curves paired and filmed, its paint mixed
layer_order       The order in which the layers of a morph are painted
methods           The methods of a morph: how two curves become a film
morph             Drawings that become other drawings
physical_films    Films of a curve that springs into the shape of another, like rubber that is let go
safe_films        Films of one curve becoming another in which no frame crosses itself
wavelet_films     Films of one curve becoming another by their wavelet coefficients, as in the paper; nothing keeps
================  ===================================================================================================
"""
