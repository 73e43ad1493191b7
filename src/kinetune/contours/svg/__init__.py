"""SVG files in and out.

================  ==================================================================================
reader            SVG files to drawings: groups and transforms, ``use`` and ``symbol``, holes, units
writer            drawings to SVG text: a still picture, or a film that browsers play
xml_tree          the elements of an SVG file, read so that a hostile file can do nothing
attribute_values  lengths with units, transforms, view boxes
_paths            what path data and the basic shapes (rect, circle, polygon ...) draw
_style            how an element is painted: attributes, style sheets, gradients
_fill_rules       which curves bound what is filled: holes, and the nonzero rule as the even-odd one
================  ==================================================================================
"""
