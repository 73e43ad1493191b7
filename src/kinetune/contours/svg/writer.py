"""Drawings to SVG text: one drawing as a still picture, several as a film that browsers play.

The frames of a film are shown one after the other exactly as they are (SMIL ``discrete``): between two frames nothing
is interpolated, so that what was checked is what is seen. Where all frames have the same layers, a layer is one path
whose data changes; otherwise each frame is a group of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
    rows = [_head(drawing)]
    servers: dict[Gradient, str] = {}
    for layer in drawing.layers:
        for gradient in (layer.fill_gradient, layer.stroke_gradient):
            if gradient is not None and gradient not in servers:
                servers[gradient] = f"gradient-{len(servers) + 1}"
    rows += [f"  {gradient_element(gradient, name)}" for gradient, name in servers.items()]
    rows += [f"  <path{_paint(layer, servers)} d={quoteattr(path_data(layer, digits))}/>" for layer in drawing.layers]
    return "\n".join([*rows, "</svg>", ""])


def film_to_svg(frames: Sequence[Drawing], fps: float = 24.0, *, loop: bool = True, decimals: int | None = None) -> str:
    """Drawings as one SVG text that plays them.

    Parameters
    ----------
    frames : one drawing after the other, each shown for 1/fps seconds.
    loop : begin again after the last one; otherwise the last one stays.
    """
    check_film(frames, fps)
    first = frames[0]
    if len(frames) == 1:
        return drawing_to_svg(first, decimals)
    digits = _decimals(first, decimals)
    timing = f'dur="{len(frames) / fps:.6g}s" calcMode="discrete"'
    timing += ' repeatCount="indefinite"' if loop else ' fill="freeze"'
    rows = [_head(first)]
    if same_layers(frames):
        for layers in zip(*(frame.layers for frame in frames), strict=True):
            rows.append(f"  <path{_paint(layers[0])} d={quoteattr(path_data(layers[0], digits))}>")
            for attribute, value in _animated(digits).items():
                values = [value(layer) for layer in layers]
                if len(set(values)) > 1:
                    rows.append(f'    <animate attributeName="{attribute}" {timing} values="{";".join(values)}"/>')
            rows.append("  </path>")
    else:
        for number, frame in enumerate(frames):
            shown = ["none"] * len(frames)
            shown[number] = "inline"
            rows.append(f'  <g display="{shown[0]}">')
            rows.append(f'    <animate attributeName="display" {timing} values="{";".join(shown)}"/>')
            for layer in frame.layers:
                paint = _paint(layer, named=False)
                rows.append(f"    <path{paint} d={quoteattr(path_data(layer, digits))}/>")
            rows.append("  </g>")
    return "\n".join([*rows, "</svg>", ""])


def check_film(frames: Sequence[Drawing], fps: float) -> None:
    """Refuse a film without frames or with a speed that is none."""
    if not frames:
        raise ParameterError("A film needs at least one drawing.")
    if not (math.isfinite(fps) and 0 < fps <= 1000):
        raise ParameterError(f"fps must lie between 0 and 1000 pictures a second, not be {fps}.")


def same_layers(frames: Sequence[Drawing]) -> bool:
    """Whether all drawings have as many layers, of the same names in the same order, on one canvas."""
    first = frames[0]
    names = [layer.name for layer in first.layers]
    return all(
        frame.view_box == first.view_box and [layer.name for layer in frame.layers] == names for frame in frames[1:]
    )


def path_data(layer: Layer, decimals: int) -> str:
    """The ``d`` of a layer's curves; an empty layer is a point that shows nothing."""
    return " ".join(_curve_data(contour, decimals) for contour in layer.contours) or "M0,0"


def _curve_data(contour: Contour, decimals: int) -> str:
    rounded = np.round(contour.points, decimals) + 0.0  # no "-0"
    pairs = [f"{_short(x, decimals)},{_short(y, decimals)}" for x, y in rounded.tolist()]
    return f"M{pairs[0]} L{' '.join(pairs[1:])}" + (" Z" if contour.closed else "")


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def svg_decimals(view_box: tuple[float, float, float, float]) -> int:
    """How many decimals of a coordinate are written by default: 1/100,000 of the canvas."""
    return min(12, max(0, math.ceil(5 - math.log10(max(view_box[2:])))))


def _decimals(drawing: Drawing, decimals: int | None) -> int:
    if decimals is None:
        return svg_decimals(drawing.view_box)
    if not 0 <= decimals <= 15:
        raise ParameterError(f"decimals must lie between 0 and 15, not be {decimals}.")
    return decimals


def _head(drawing: Drawing) -> str:
    left, top, width, height = (f"{number:.10g}" for number in drawing.view_box)
    title = f"\n  <title>{escape(drawing.name)}</title>" if drawing.name else ""
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


def _paint(layer: Layer, servers: Mapping[Gradient, str] | None = None, *, named: bool = True) -> str:
    """The attributes of a layer; servers: the names of gradients that are written beside it."""
    text = f" id={quoteattr(layer.name)}" if layer.name and named else ""
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
    name: str, colour: str | None, opacity: float, gradient: Gradient | None, servers: Mapping[Gradient, str] | None
) -> str:
    if gradient is not None and servers is not None and gradient in servers:
        text, seen = f'{name}="url(#{servers[gradient]})"', opacity
    else:
        text, seen = f'{name}="{css_colour(colour)}"', _opacity(colour, opacity)
    return text + (f' {name}-opacity="{seen:.6g}"' if colour is not None and seen < 1 else "")


def _animated(digits: int) -> dict[str, Callable[[Layer], str]]:
    """What may change from frame to frame, and how it is written."""
    return {
        "d": lambda layer: path_data(layer, digits),
        "fill": lambda layer: css_colour(layer.fill),
        "fill-opacity": lambda layer: f"{_opacity(layer.fill, layer.fill_opacity):.6g}",
        "stroke": lambda layer: css_colour(layer.stroke),
        "stroke-opacity": lambda layer: f"{_opacity(layer.stroke, layer.stroke_opacity):.6g}",
        "stroke-width": lambda layer: f"{layer.stroke_width:.6g}",
    }
