"""Where SVG repeats a small drawing: the tiles of a pattern, the markers along a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from kinetune.contours.svg._paths import SubPath
from kinetune.contours.svg.attribute_values import IDENTITY, Box, compose, fit, length, shifted, transform, view_box
from kinetune.rotations import Floats

MOST_TILES = 2_000


def tiles(
    asked: Mapping[str, str], matrix: Floats, box: Floats, canvas: tuple[float, float]
) -> list[tuple[Floats, Floats]] | None:
    """For each tile of a pattern over a box: its corners (4, 2) on the drawing, and the matrix of what it holds.

    None where there are too many tiles, or where the pattern cannot be read.
    """
    moved = transform(asked.get("patternTransform", ""))
    if moved is None or abs(np.linalg.det(moved[:, :2])) < 1e-12 or box[2] <= 0 or box[3] <= 0:
        return None
    in_box = asked.get("patternUnits") != "userSpaceOnUse"
    wide, high = (1.0, 1.0) if in_box else canvas
    names = (("x", wide), ("y", high), ("width", wide), ("height", high))
    x, y, width, height = (length(asked.get(name), whole, 0.0) for name, whole in names)
    if in_box:
        x, y, width, height = box[0] + x * box[2], box[1] + y * box[3], width * box[2], height * box[3]
    if width <= 0 or height <= 0:
        return None
    corners = box[:2] + box[2:] * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    there = np.linalg.solve(moved[:, :2], (corners - moved[:, 2]).T).T
    low = np.floor((there.min(axis=0) - (x, y)) / (width, height) + 1e-9).astype(int)
    high_tile = np.ceil((there.max(axis=0) - (x, y)) / (width, height) - 1e-9).astype(int)
    if np.prod(np.maximum(high_tile - low, 1).astype(float)) > MOST_TILES:
        return None
    inner = IDENTITY
    view = view_box(asked.get("viewBox"))
    if view is not None:
        inner = fit(view, (0.0, 0.0, width, height), asked.get("preserveAspectRatio", "xMidYMid"))
    elif asked.get("patternContentUnits") == "objectBoundingBox":
        inner = np.array([[box[2], 0.0, 0.0], [0.0, box[3], 0.0]])
    outer = compose(matrix, moved)
    square = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    laid: list[tuple[Floats, Floats]] = []
    for row in range(low[1], high_tile[1]):
        for column in range(low[0], high_tile[0]):
            place = compose(outer, shifted(x + column * width, y + row * height))
            laid.append((square @ place[:, :2].T + place[:, 2], compose(place, inner)))
    return laid


def vertices(paths: Sequence[SubPath]) -> list[tuple[str, Floats, float]]:
    """Where markers stand on paths: which marker, the point, and the direction of the line there in radians."""
    marks: list[tuple[str, Floats, float]] = []
    for path in paths:
        if len(path.controls) == 0:
            continue
        curves = list(path.controls)
        if path.closed and not np.allclose(curves[-1][3], path.start):
            last = curves[-1][3]
            curves.append(np.array([last, last, path.start, path.start]))
        ways = [_directions(curve) for curve in curves]
        closed_turn = _between(ways[-1][1], ways[0][0]) if path.closed else None
        marks.append(("marker-mid", path.start, ways[0][0] if closed_turn is None else closed_turn))
        for (curve, before), (_, after) in pairwise(zip(curves, ways, strict=True)):
            marks.append(("marker-mid", curve[3], _between(before[1], after[0])))
        marks.append(("marker-mid", curves[-1][3], ways[-1][1] if closed_turn is None else closed_turn))
    if marks:
        marks = [("marker-start", *marks[0][1:]), *marks[1:-1], ("marker-end", *marks[-1][1:])]
    return marks


def _directions(curve: Floats) -> tuple[float, float]:
    """The direction in which a curve (4, 2) sets out, and that in which it arrives."""
    out = next((p - curve[0] for p in curve[1:] if np.any(p != curve[0])), np.array([1.0, 0.0]))
    arrive = next((curve[3] - p for p in curve[2::-1] if np.any(p != curve[3])), out)
    return float(np.arctan2(out[1], out[0])), float(np.arctan2(arrive[1], arrive[0]))


def _between(one: float, other: float) -> float:
    return float(one + 0.5 * ((other - one + np.pi) % (2.0 * np.pi) - np.pi))


def marker_matrix(
    asked: Mapping[str, str], which: str, point: Floats, angle: float, width: float
) -> tuple[Floats, Floats]:
    """From the inside of a marker to the line that it stands on, and the corners (4, 2) beyond which it is cut off.

    width : of the stroke.
    """
    orient = asked.get("orient", "0").strip()
    if orient == "auto-start-reverse" and which == "marker-start":
        angle += np.pi
    elif orient not in ("auto", "auto-start-reverse"):
        turned = transform(f"rotate({orient})")
        angle = 0.0 if turned is None else float(np.arctan2(turned[1, 0], turned[0, 0]))
    scale = 1.0 if asked.get("markerUnits") == "userSpaceOnUse" else width
    size: Box = (0.0, 0.0, length(asked.get("markerWidth"), 100.0, 3.0), length(asked.get("markerHeight"), 100.0, 3.0))
    view = view_box(asked.get("viewBox"))
    inner = IDENTITY if view is None else fit(view, size, asked.get("preserveAspectRatio", "xMidYMid"))
    reference = np.array([length(asked.get("refX"), 100.0, 0.0), length(asked.get("refY"), 100.0, 0.0)])
    shift = inner[:, :2] @ reference + inner[:, 2]
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    place = compose(np.array([[c, -s, point[0]], [s, c, point[1]]]), shifted(-shift[0], -shift[1]))
    square = np.array([[0.0, 0.0], [size[2], 0.0], [size[2], size[3]], [0.0, size[3]]])
    return compose(place, inner), square @ place[:, :2].T + place[:, 2]
