"""Paint of an SVG element: a colour, or a gradient placed on the drawing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np

from kinetune.contours.colours import parse_colour, to_hex
from kinetune.contours.gradients import Gradient, Stop
from kinetune.contours.svg._style import Style, StyleSheet, declared_on, share
from kinetune.contours.svg.attribute_values import IDENTITY, compose, length, transform
from kinetune.contours.svg.xml_tree import SvgNode
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_server = re.compile(r"url\(\s*['\"]?\s*#([^'\")]+?)\s*['\"]?\s*\)\s*(.*)", re.DOTALL)
_BORROWED = 16  # gradients may borrow from others, so deep


@dataclass(frozen=True)
class Paint:
    """A paint that is ready to use.

    colour : "#rrggbb" or None; of a gradient, its mean.
    pattern : the element whose tiles paint, in place of a colour.
    """

    colour: str | None
    opacity: float = 1.0
    gradient: Gradient | None = None
    pattern: SvgNode | None = None


@dataclass(frozen=True)
class Place:
    """Where a paint lies.

    matrix : from the element's coordinates to the drawing.
    box : of the element in its coordinates: left, top, width, height.
    canvas : width and height that percentages refer to.
    """

    matrix: Floats
    box: Floats
    canvas: tuple[float, float]


class PaintServers:
    """The colours and gradients of a file."""

    def __init__(self, by_id: Mapping[str, SvgNode], sheet: StyleSheet, note: Callable[[str], None]) -> None:
        self.by_id, self.sheet, self.note = by_id, sheet, note

    def paint(self, style: Style, which: str, place: Place) -> Paint:
        """The paint of "fill" or "stroke"."""
        text = style.values[which]
        text = style.values.get(text, "none") if text in ("context-fill", "context-stroke") else text
        opacity = share(style.values[f"{which}-opacity"], 1.0)
        server = _server.match(text)
        if server is not None:
            node = self.by_id.get(server[1]) or self.by_id.get(unquote(server[1]))
            if node is not None and node.tag in ("linearGradient", "radialGradient"):
                paint = self._gradient(node, style, place)
                if paint is not None:
                    return Paint(paint.colour, opacity * paint.opacity, paint.gradient)
            elif node is not None and node.tag == "pattern":
                return Paint(None, opacity, pattern=node)
            elif node is not None:
                self.note(f"paint by {node.tag or 'another language'} is not drawn")
            text = server[2].strip() or "none"
        elif text.startswith("url("):
            self.note("paint from other files is not fetched")
            text = "none"
        if text == "none":
            return Paint(None)
        colour, alpha = self._colour(style.values["color"] if text.lower() == "currentcolor" else text)
        return Paint(colour, opacity * alpha) if opacity * alpha > 0 else Paint(None)

    def _colour(self, text: str) -> tuple[str, float]:
        try:
            colour = parse_colour(text)
        except ParameterError:
            self.note(f'the colour "{text[:40]}" is not known and is drawn black')
            colour = (0.0, 0.0, 0.0, 1.0)
        return to_hex(colour), colour[3]

    def _gradient(self, node: SvgNode, style: Style, place: Place) -> Paint | None:
        """A gradient, or the one colour it shows; None where it paints nothing."""
        asked, stops = self._borrowed(node)
        if self._nearest("color-interpolation", node) == "linearRGB":
            self.note("a gradient that mixes colours as light is mixed in sRGB")
        if not stops:
            return None
        plain = Paint(stops[-1][1], stops[-1][2])
        if len(stops) == 1:
            return plain
        in_box = asked.get("gradientUnits") != "userSpaceOnUse"
        matrix = place.matrix
        if in_box:
            left, top, width, height = place.box
            if width <= 0 or height <= 0:
                return None
            matrix = compose(matrix, np.array([[width, 0.0, left], [0.0, height, top]]))
        moved = transform(asked.get("gradientTransform", ""))
        if moved is None:
            self.note(f'the transform "{asked["gradientTransform"][:40]}" of a gradient cannot be read')
            moved = IDENTITY
        matrix = compose(matrix, moved)
        wide, high = (1.0, 1.0) if in_box else place.canvas
        if node.tag == "linearGradient":
            x1, y1 = length(asked.get("x1"), wide, 0.0), length(asked.get("y1"), high, 0.0)
            x2, y2 = length(asked.get("x2"), wide, wide), length(asked.get("y2"), high, 0.0)
            along, focus, kind = np.array([x2 - x1, y2 - y1]), (0.0, 0.0), "linear"
            unit = np.array([[along[0], -along[1], x1], [along[1], along[0], y1]])
        else:
            radius = length(asked.get("r"), float(np.hypot(wide, high) / np.sqrt(2)), 0.5 * wide)
            cx, cy = length(asked.get("cx"), wide, 0.5 * wide), length(asked.get("cy"), high, 0.5 * high)
            fx, fy = length(asked.get("fx"), wide, cx), length(asked.get("fy"), high, cy)
            inner = length(asked.get("fr"), wide, 0.0) / radius if radius > 0 else 0.0
            if 0.0 < inner < 1.0:
                stops = [(inner + (1.0 - inner) * offset, colour, alpha) for offset, colour, alpha in stops]
            along, kind = np.array([radius, 0.0]), "radial"
            focus = ((fx - cx) / radius, (fy - cy) / radius) if radius > 0 else (0.0, 0.0)
            if np.hypot(*focus) > 1.0:
                self.note("a gradient with its focus outside of its circle is drawn with the focus on it")
            unit = np.array([[radius, 0.0, cx], [0.0, radius, cy]])
        if not np.any(along) or not np.isfinite(matrix).all():
            return plain
        spread = asked.get("spreadMethod", "pad")
        gradient = Gradient(
            kind,  # type: ignore[arg-type]
            tuple(stops),
            tuple(unit.T.ravel().tolist()),
            focus,
            spread if spread in ("reflect", "repeat") else "pad",  # type: ignore[arg-type]
        ).transformed(matrix)
        return Paint(gradient.mean_colour, 1.0, gradient)

    def _nearest(self, name: str, node: SvgNode | None) -> str | None:
        """What an element, or the nearest one around it, says about an inherited property."""
        while node is not None:
            text = declared_on(node, self.sheet).get(name, "inherit")
            if text != "inherit":
                return text
            node = node.parent
        return None

    def _borrowed(self, node: SvgNode) -> tuple[dict[str, str], list[Stop]]:
        """The attributes and stops of a gradient, taken from those it refers to where it has none."""
        asked: dict[str, str] = {}
        stops: list[Stop] = []
        current: SvgNode | None = node
        for _ in range(_BORROWED):
            if current is None or current.tag not in ("linearGradient", "radialGradient"):
                break
            same = current.tag == node.tag
            shared = ("gradientUnits", "gradientTransform", "spreadMethod")
            asked = {k: v for k, v in current.attributes.items() if same or k in shared} | asked
            stops = stops or self._stops(current)
            current = self.by_id.get(current.attributes.get("href", "").strip().removeprefix("#"))
        return asked, stops

    def _stops(self, node: SvgNode) -> list[Stop]:
        stops: list[Stop] = []
        for child in node.children:
            if child.tag != "stop":
                continue
            declared = declared_on(child, self.sheet)
            offset = share(child.attributes.get("offset"), 0.0)
            text = declared.get("stop-color", "black")
            if text.lower() == "currentcolor":
                text = self._nearest("color", child) or "black"
            colour, alpha = self._colour(text)
            stops.append(
                (max(offset, stops[-1][0] if stops else 0.0), colour, alpha * share(declared.get("stop-opacity"), 1.0))
            )
        return stops
