"""What becomes what: layers, curves and points of two drawings.

=====================  ======================================================================
line_icons             an icon of lines as the area that it covers, where the other drawing has no lines
layer_matching         which layer of one drawing becomes which layer of another
part_matching          which part of one drawing becomes which part of another
drawing_parts          a drawing as parts: shapes, the lines on their edges, what they lie in, mirror twins
edge_places            lines as places on the edge of a fill
curve_pairing          which curve of one layer becomes which curve of another, pins included
correspondence         which point of one outline becomes which point of the other
outline_alignment      where one outline begins on another, and how far it is rotated
_elastic_match         curves stretched along themselves so that similar bends meet
elastic_match_kernels  the cheapest path of an elastic match, compiled
=====================  ======================================================================
"""
