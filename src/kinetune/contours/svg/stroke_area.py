"""What a stroke covers, as a polygon: joins, miter limits, caps and dots as SVG paints them.

GEOS grows lines into areas, but clips a corner beyond the miter limit where SVG bevels it. So corners are beveled
first, and the tips of those within the limit are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetune.contours.drawing import Cap, Contour, Join
from kinetune.extras import require
from kinetune.rotations import Floats

require("drawings")

_SLIGHT = np.cos(np.radians(1.0))  # a turn by less has no tip worth adding: flattened curves are full of them
_CAPS: dict[str, Any] = {"butt": "flat", "round": "round", "square": "square"}
_ARC = 24  # sides of a quarter of a round cap


def stroke_area(
    contours: Sequence[Contour], width: float, cap: Cap = "butt", join: Join = "miter", miter_limit: float = 4.0
) -> Any:
    """The area under strokes along contours, a shapely polygon or several."""
    import shapely

    half = 0.5 * width
    grown = []
    for contour in contours:
        points = contour.points[np.concatenate([[True], np.any(np.diff(contour.points, axis=0) != 0, axis=1)])]
        if contour.closed and len(points) > 1 and np.array_equal(points[0], points[-1]):
            points = points[:-1]
        if len(points) < 2:
            grown.append(_dot(points[0], half, cap))
            continue
        closed = contour.closed and len(points) > 2
        line = shapely.linearrings(points) if closed else shapely.linestrings(points)
        style: Any = "round" if join == "round" else "bevel"
        ends = "round" if contour.closed and not closed and join == "round" else _CAPS[cap]
        grown.append(shapely.buffer(line, half, quad_segs=_ARC, cap_style=ends, join_style=style))
        if join == "miter":
            grown.extend(shapely.polygons(_tips(points, closed, half, miter_limit)))
    return shapely.unary_union(grown)


def _dot(point: Floats, half: float, cap: Cap) -> Any:
    """What a line of no length shows: nothing, a disc or a square."""
    import shapely

    if cap == "butt":
        return shapely.Polygon()
    return shapely.buffer(shapely.Point(point), half, quad_segs=_ARC, cap_style=_CAPS[cap])


def _tips(points: Floats, closed: bool, half: float, limit: float) -> Floats:
    """The tips (n, 4, 2) of the mitered corners: the corner, the ends of both sides, and where these meet."""
    if closed:
        points = np.concatenate([points[-1:], points, points[:1]])
    steps = np.diff(points, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    before, after, corner = steps[:-1], steps[1:], points[1:-1]
    straight = np.sum(before * after, axis=1)  # the cosine of the turn; the miter is 1 / cos(turn / 2) widths long
    sharp = (straight < _SLIGHT) & (straight > -1.0 + 1e-12)
    sharp &= np.sqrt(2.0 / np.maximum(1.0 + straight, 1e-12)) <= limit
    before, after, corner, straight = before[sharp], after[sharp], corner[sharp], straight[sharp]
    side = -np.sign(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])[:, None] * half
    one = corner + side * np.stack([-before[:, 1], before[:, 0]], axis=-1)
    other = corner + side * np.stack([-after[:, 1], after[:, 0]], axis=-1)
    tip = corner + (one - corner + other - corner) / (1.0 + straight)[:, None]
    return np.stack([corner, one, tip, other], axis=1)
