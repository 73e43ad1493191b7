"""A drawing to SVG text, point by point. Films are written by :mod:`kinetune.contours.svg.film_writer`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from kinetune.contours.colours import parse_colour, to_hex
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.errors import ParameterError


def drawing_to_svg(drawing: Drawing, decimals: int | None = None) -> str:
    """A drawing as SVG text.

    decimals : after the point of every coordinate; None for as many as 1/100,000 of the canvas needs.
    """
    digits = _decimals(drawing, decimals)
    rows = [svg_head(drawing.view_box, drawing.name)]
    rows += [f"  <path{_paint(layer)} d={quoteattr(_path_data(layer, digits))}/>" for layer in drawing.layers]
    return "\n".join([*rows, "</svg>", ""])


def check_film(frames: Sequence[Drawing], fps: float) -> None:
    """Refuse a film without frames or with a speed that is none."""
    if not frames:
        raise ParameterError("A film needs at least one drawing.")
    if not (math.isfinite(fps) and 0 < fps <= 1000):
        raise ParameterError(f"fps must lie between 0 and 1000 pictures a second, not be {fps}.")


def _path_data(layer: Layer, decimals: int) -> str:
    """The ``d`` of a layer's curves; an empty layer is a point that shows nothing."""
    return " ".join(_curve_data(contour, decimals) for contour in layer.contours) or "M0,0"


def _curve_data(contour: Contour, decimals: int) -> str:
    rounded = np.round(contour.points, decimals) + 0.0  # no "-0"
    pairs = [f"{short_number(x, decimals)},{short_number(y, decimals)}" for x, y in rounded.tolist()]
    return f"M{pairs[0]} L{' '.join(pairs[1:])}" + (" Z" if contour.closed else "")


def short_number(value: float, decimals: int) -> str:
    """A number with so many decimals at most, in as few characters."""
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if decimals else text
    return "0" if text == "-0" else text.replace("0.", ".", 1) if abs(value) < 1.0 else text


def svg_decimals(view_box: tuple[float, float, float, float]) -> int:
    """How many decimals of a coordinate are written by default: 1/100,000 of the canvas."""
    return min(12, max(0, math.ceil(5 - math.log10(max(view_box[2:])))))


def _decimals(drawing: Drawing, decimals: int | None) -> int:
    if decimals is None:
        return svg_decimals(drawing.view_box)
    if not 0 <= decimals <= 15:
        raise ParameterError(f"decimals must lie between 0 and 15, not be {decimals}.")
    return decimals


def svg_head(view_box: tuple[float, float, float, float], name: str) -> str:
    """How an SVG text begins: its canvas and its title."""
    left, top, width, height = (f"{number:.10g}" for number in view_box)
    title = f"\n  <title>{escape(name)}</title>" if name else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width} {height}" '
        f'width="{width}" height="{height}">{title}'
    )


def css_colour(colour: str | None) -> str:
    """A colour as it may stand in an attribute: "#rrggbb", or "none"."""
    return "none" if colour is None else to_hex(parse_colour(colour))


def _opacity(colour: str | None, opacity: float) -> float:
    return opacity if colour is None else opacity * parse_colour(colour)[3]


def _paint(layer: Layer, *, named: bool = True) -> str:
    text = f" id={quoteattr(layer.name)}" if layer.name and named else ""
    text += f' fill="{css_colour(layer.fill)}" fill-rule="evenodd"'
    if layer.fill is not None and (opacity := _opacity(layer.fill, layer.fill_opacity)) < 1:
        text += f' fill-opacity="{opacity:.6g}"'
    if layer.stroke is not None:
        text += f' stroke="{css_colour(layer.stroke)}" stroke-width="{layer.stroke_width:.6g}"'
        if (opacity := _opacity(layer.stroke, layer.stroke_opacity)) < 1:
            text += f' stroke-opacity="{opacity:.6g}"'
        if layer.stroke_cap != "butt":
            text += f' stroke-linecap="{layer.stroke_cap}"'
        if layer.stroke_join != "miter":
            text += f' stroke-linejoin="{layer.stroke_join}"'
    return text
