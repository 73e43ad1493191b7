"""Icons drawn in lines that become, or come from, drawings of areas.

A line cannot become an area gradually: its width and the fill of the area would fade into each other, with a halo round
both. So an icon of lines is taken as the area that its lines cover, which looks the same.
"""

from __future__ import annotations

from dataclasses import replace

from kinetune.contours.colours import parse_colour
from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.svg.areas import TooLargeError, area_contours, even_odd_area, line_area


def alike(a: Drawing, b: Drawing) -> tuple[Drawing, Drawing]:
    """Two drawings, an icon of lines among them as one area where the other has no lines and no layer of its names."""
    names = {layer.name for layer in a.layers} & {layer.name for layer in b.layers} - {""}
    if names:
        return a, b
    if _is_of_areas(a) and _is_of_lines(b):
        return a, _as_area(b)
    if _is_of_lines(a) and _is_of_areas(b):
        return _as_area(a), b
    return a, b


def _is_of_areas(drawing: Drawing) -> bool:
    return all(layer.stroke is None or not layer.stroke_width > 0 for layer in drawing.layers)


def _is_of_lines(drawing: Drawing) -> bool:
    """Whether everything is in one opaque colour, lines among it."""
    paints = [(layer.stroke, layer.stroke_opacity, layer.stroke_gradient) for layer in drawing.layers]
    lines = sum(colour is not None for colour, _, _ in paints)
    paints += [(layer.fill, layer.fill_opacity, layer.fill_gradient) for layer in drawing.layers]
    used = [(colour, opacity, gradient) for colour, opacity, gradient in paints if colour is not None]
    plain = all(opacity == 1.0 and gradient is None for _, opacity, gradient in used)
    return lines > 0 and plain and len({parse_colour(colour) for colour, _, _ in used}) == 1


def _as_area(drawing: Drawing) -> Drawing:
    """An icon of lines as one layer without a stroke; itself where that would take too long."""
    import shapely

    try:
        areas = [line_area(layer) for layer in drawing.layers if layer.stroke is not None and layer.stroke_width > 0]
        areas += [even_odd_area(layer.contours) for layer in drawing.layers if layer.fill is not None]
    except TooLargeError:
        return drawing
    contours = area_contours(shapely.union_all(areas))
    first = drawing.layers[0]
    glyph = Layer(contours, fill=first.stroke or first.fill)
    return replace(drawing, layers=(glyph,)) if contours else drawing
