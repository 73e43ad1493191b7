"""The basic shapes of SVG as sub-paths: rect, circle, ellipse, line, polyline, polygon, and path itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from kinetune.contours.svg.path_data import Pen, SubPath, parse_path, unit_arc
from kinetune.contours.svg.values import length
from kinetune.contours.svg.xml_tree import Node

SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
_number = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

Size = tuple[float, float]


def shape_paths(node: Node, page: Size, note: Callable[[str], None]) -> list[SubPath]:
    """What a shape draws, in its own coordinates.

    page : width and height that percentages refer to.
    """
    if node.tag == "path":
        paths, problem = parse_path(node.attributes.get("d", ""))
        if problem is not None:
            note(f"the path on line {node.line} is drawn up to a mistake: {problem}")
        return paths
    if node.tag in ("polyline", "polygon"):
        return _polyline(node, note)
    return {"rect": _rect, "circle": _ellipse, "ellipse": _ellipse, "line": _line}[node.tag](node, page)


def _lengths(node: Node, page: Size, *names: str) -> list[float]:
    """Lengths by name; a percentage is one of the page's width, of its height, or for a radius of both."""
    wholes = dict.fromkeys(("y", "cy", "y1", "y2", "height"), page[1]) | {"r": float(np.hypot(*page)) / np.sqrt(2)}
    return [length(node.attributes.get(name), wholes.get(name, page[0]), 0.0) for name in names]


def _rect(node: Node, page: Size) -> list[SubPath]:
    x, y, width, height = _lengths(node, page, "x", "y", "width", "height")
    if width <= 0 or height <= 0:
        return []
    given = [node.attributes.get(name) for name in ("rx", "ry")]
    rx, ry = (length(text, whole, -1.0) for text, whole in zip(given, page, strict=True))
    rx, ry = (ry if rx < 0 else rx), (rx if ry < 0 else ry)
    rx, ry = min(max(rx, 0.0), width / 2), min(max(ry, 0.0), height / 2)
    pen = Pen()
    if rx == 0 or ry == 0:
        pen.move(x, y)
        for corner in ((x + width, y), (x + width, y + height), (x, y + height)):
            pen.line(*corner)
    else:
        right, bottom = x + width, y + height
        pen.move(x + rx, y)
        for side, corner in (
            ((right - rx, y), (right, y + ry)),
            ((right, bottom - ry), (right - rx, bottom)),
            ((x + rx, bottom), (x, bottom - ry)),
            ((x, y + ry), (x + rx, y)),
        ):
            pen.line(*side)
            pen.arc(rx, ry, 0.0, False, True, *corner)
    pen.close()
    return pen.finish()


def _ellipse(node: Node, page: Size) -> list[SubPath]:
    x, y = _lengths(node, page, "cx", "cy")
    if node.tag == "circle":
        (rx,) = _lengths(node, page, "r")
        ry = rx
    else:
        rx, ry = (length(node.attributes.get(n), whole, -1.0) for n, whole in zip(("rx", "ry"), page, strict=True))
        rx, ry = (ry if rx < 0 else rx), (rx if ry < 0 else ry)
    if rx <= 0 or ry <= 0:
        return []
    curves = np.array([x, y]) + unit_arc(0.0, 2 * np.pi) * np.array([rx, ry])
    curves[-1, 3] = curves[0, 0]
    return [SubPath(curves[0, 0], curves, True)]


def _line(node: Node, page: Size) -> list[SubPath]:
    x1, y1, x2, y2 = _lengths(node, page, "x1", "y1", "x2", "y2")
    pen = Pen()
    pen.move(x1, y1)
    pen.line(x2, y2)
    return pen.finish()


def _polyline(node: Node, note: Callable[[str], None]) -> list[SubPath]:
    text = node.attributes.get("points", "")
    if _number.sub("", text).strip(" \t\r\n\f,"):
        note(f"the {node.tag} on line {node.line} has points that are no numbers, and is not drawn")
        return []
    words = _number.findall(text)
    if len(words) < 2:
        return []
    paths, problem = parse_path("M" + " ".join(words[: len(words) // 2 * 2]) + ("Z" if node.tag == "polygon" else ""))
    if problem is not None:
        note(f"the {node.tag} on line {node.line} is drawn up to a mistake: {problem}")
    return paths
