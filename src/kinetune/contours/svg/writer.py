"""A drawing to SVG text, point by point. Films are written by :mod:`kinetune.contours.svg.film_writer`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from kinetune.contours.colours import parse_colour, to_hex
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.gradients import Gradient
from kinetune.errors import ParameterError


def drawing_to_svg(drawing: Drawing, decimals: int | None = None) -> str:
    """A drawing as SVG text.

    decimals : after the point of every coordinate; None for as many as 1/100,000 of the canvas needs.
    """
    digits = _decimals(drawing, decimals)
    rows = [svg_head(drawing.view_box, drawing.name)]
    servers: dict[Gradient, str] = {}
    for layer in drawing.layers:
        for gradient in (layer.fill_gradient, layer.stroke_gradient):
            if gradient is not None and gradient not in servers:
                servers[gradient] = f"gradient-{len(servers) + 1}"
    rows += [f"  {gradient_element(gradient, name)}" for gradient, name in servers.items()]
    rows += [f"  <path{_paint(layer, servers)} d={quoteattr(_path_data(layer, digits))}/>" for layer in drawing.layers]
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


def gradient_element(gradient: Gradient, name: str) -> str:
    """A gradient as an SVG element that paints refer to by its name."""
    place = 'x1="0" y1="0" x2="1" y2="0"' if gradient.kind == "linear" else 'cx="0" cy="0" r="1"'
    if gradient.kind == "radial" and gradient.focus != (0.0, 0.0):
        place += ' fx="{:.6g}" fy="{:.6g}"'.format(*gradient.focus)
    matrix = " ".join(f"{number:.8g}" for number in gradient.matrix)
    spread = "" if gradient.spread == "pad" else f' spreadMethod="{gradient.spread}"'
    stops = ""
    for offset, colour, opacity in gradient.stops:
        seen = _opacity(colour, opacity)
        alpha = f' stop-opacity="{seen:.6g}"' if seen < 1 else ""
        stops += f'<stop offset="{offset:.6g}" stop-color="{css_colour(colour)}"{alpha}/>'
    return (
        f'<{gradient.kind}Gradient id={quoteattr(name)} gradientUnits="userSpaceOnUse" '
        f'{place} gradientTransform="matrix({matrix})"{spread}>{stops}'
        f"</{gradient.kind}Gradient>"
    )


def _paint(layer: Layer, servers: Mapping[Gradient, str]) -> str:
    """The attributes of a layer; servers: the names of gradients that are written beside it."""
    text = f" id={quoteattr(layer.name)}" if layer.name else ""
    text += f' {_colour("fill", layer.fill, layer.fill_opacity, layer.fill_gradient, servers)} fill-rule="evenodd"'
    if layer.stroke is not None:
        text += " " + _colour("stroke", layer.stroke, layer.stroke_opacity, layer.stroke_gradient, servers)
        text += f' stroke-width="{layer.stroke_width:.6g}"'
        if layer.stroke_cap != "butt":
            text += f' stroke-linecap="{layer.stroke_cap}"'
        if layer.stroke_join != "miter":
            text += f' stroke-linejoin="{layer.stroke_join}"'
        elif layer.stroke_miter_limit != 4:
            text += f' stroke-miterlimit="{layer.stroke_miter_limit:.6g}"'
    return text


def _colour(
    name: str, colour: str | None, opacity: float, gradient: Gradient | None, servers: Mapping[Gradient, str]
) -> str:
    if gradient is not None:
        text, seen = f'{name}="url(#{servers[gradient]})"', opacity
    else:
        text, seen = f'{name}="{css_colour(colour)}"', _opacity(colour, opacity)
    return text + (f' {name}-opacity="{seen:.6g}"' if colour is not None and seen < 1 else "")
