"""SVG files in and out.

============  =======================================================================================================
basic_shapes  The basic shapes of SVG as sub-paths: rect, circle, ellipse, line, polyline, polygon, and path itself
css_colours   CSS colours as numbers and back
fill_rules    Which curves of a layer bound what is filled: holes found, and SVG's nonzero rule turned into the
flattening    Curves to polygons: Bezier curves sampled so finely that nobody sees the difference
path_data     Path data, the ``d`` of an SVG path: every command, absolute and relative, with compact numbers and arc
reader        SVG files to drawings: paths and shapes, groups and transforms, styles, use and symbol, holes, units
style         How an SVG element is painted: presentation attributes, style sheets and style attributes, inherited
values        The small languages inside SVG attributes: lengths with units, transforms, view boxes, and how a box
writer        Drawings to SVG text: one drawing as a still picture, several as a film that browsers play
xml_tree      The tree of an SVG file, read so that a hostile file can do nothing
============  =======================================================================================================
"""
