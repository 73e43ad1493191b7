"""Which curves of a layer bound what is filled: holes, and SVG's nonzero rule expressed by the even-odd one.

The even-odd rule fills where a ray to infinity crosses an odd number of curves, the nonzero rule where the curves wind
round a point at all. They differ where curves of the same direction lie in each other or cross. Then the curves are
cut where they meet, and those that bound nothing are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetune.contours.drawing import Contour
from kinetune.contours.outlines import MOST_CROSSINGS, estimate_crossings
from kinetune.errors import ParameterError
from kinetune.extras import require
from kinetune.rotations import Floats

require("drawings")


MOST_POINTS = 50_000  # for the search of crossings
MOST_PAIRS = 8_000_000  # of curves whose boxes overlap: 4,000 curves in each other
_AT_A_TIME = 64


def nesting_depths(contours: Sequence[Contour]) -> list[int]:
    """How deep each curve lies in the others: 0 for an outline, 1 for a hole, 2 for an island in it ..."""
    counts: list[int] = _sum_round(contours, np.ones(len(contours), dtype=int)).tolist()
    return counts


def _sum_round(contours: Sequence[Contour], values: np.ndarray) -> np.ndarray:
    """For each curve, the sum of the values of the larger curves that it lies in."""
    sums = np.zeros(len(contours), dtype=int)
    if len(contours) == 1:
        return sums
    import shapely

    areas = np.array([abs(contour.area) for contour in contours])
    shapes = np.array([shapely.polygons(contour.points) if len(contour) > 2 else None for contour in contours])
    shapely.prepare(shapes)
    points = np.array([_inner_point(contour) for contour in contours])
    inner = shapely.points(points)
    tree = shapely.STRtree(shapes)
    near = tried = 0
    for start in range(0, len(contours), _AT_A_TIME):
        curve, outer = tree.query(inner[start : start + _AT_A_TIME])
        near += len(curve)
        curve += start
        larger = areas[outer] > areas[curve]
        curve, outer = curve[larger], outer[larger]
        tried += len(curve)
        if tried > MOST_PAIRS or near > 4 * MOST_PAIRS:
            raise ParameterError(f"More than {MOST_PAIRS:,} pairs of its curves lie over each other.")
        holds = shapely.contains_xy(shapes[outer], points[curve])
        np.add.at(sums, curve[holds], values[outer[holds]])
    return sums


def _inner_point(contour: Contour) -> Floats:
    """A point just inside a curve, near the middle of its longest side; on it, where it encloses nothing."""
    points = contour.points
    sides = np.concatenate([points[1:], points[:1]]) - points
    k = int(np.argmax(np.sum(sides * sides, axis=1)))
    middle: Floats = points[k] + 0.5 * sides[k]
    across = np.array([-sides[k, 1], sides[k, 0]])
    for step in (1e-3, -1e-3, 1e-6, -1e-6):
        beside: Floats = middle + step * across
        if winding(points, beside)[0] % 2 == 1:
            return beside
    return middle


def winding(points: Floats, queries: Floats) -> np.ndarray:
    """How often a closed polygon (n, 2) winds round points (m, 2): signed counts, (m,)."""
    result = []
    x0, y0 = points.T
    x1, y1 = np.concatenate([points[1:], points[:1]]).T
    for x, y in np.atleast_2d(queries):
        left = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)
        up, down = (y0 <= y) & (y1 > y) & (left > 0), (y0 > y) & (y1 <= y) & (left < 0)
        result.append(int(np.count_nonzero(up)) - int(np.count_nonzero(down)))
    return np.array(result)


def orient(contours: Sequence[Contour]) -> tuple[Contour, ...]:
    """Run every outline clockwise on the screen and every hole counter-clockwise; first points stay."""
    depths = nesting_depths(contours)
    return tuple(
        contour if (contour.area >= 0) == (depth % 2 == 0) else contour.reversed()
        for contour, depth in zip(contours, depths, strict=True)
    )


def to_even_odd(contours: Sequence[Contour]) -> tuple[tuple[Contour, ...], str | None]:
    """Curves that fill by the even-odd rule what these fill by the nonzero rule.

    Curves that fill the same by both rules are returned unchanged. The second result is None, or says why the rule
    could not be applied to a drawing that is too tangled.
    """
    total = sum(len(contour) for contour in contours)
    if total > MOST_POINTS:
        return tuple(contours), f"has {total:,} points, too many to look for crossings; it is filled by even-odd"
    if _pairs(contours) > MOST_PAIRS:
        return tuple(contours), "has too many curves over each other to look for crossings; it is filled by even-odd"
    if not _cross(contours):
        return (_bounding(contours) if len(contours) > 1 else tuple(contours)), None
    if estimate_crossings([contour for contour, _ in _counted(contours)]) > MOST_CROSSINGS:
        return tuple(contours), "crosses itself too often to be untangled; it is filled by even-odd"
    return _rebuilt(contours), None


def _bounding(contours: Sequence[Contour]) -> tuple[Contour, ...]:
    """Of curves that do not cross, those with filled paper on one side only."""
    signs = np.array([1 if contour.area >= 0 else -1 for contour in contours])
    outside = _sum_round(contours, signs)
    bounds = (outside == 0) != (outside + signs == 0)
    return tuple(contour for contour, one_side in zip(contours, bounds.tolist(), strict=True) if one_side)


def _lines(contours: Sequence[Contour]) -> list[Any]:
    import shapely

    return [shapely.linestrings(np.concatenate([c.points, c.points[:1]])) for c in contours]


def _pairs(contours: Sequence[Contour]) -> int:
    """How many pairs of curves have overlapping boxes; stops counting where it is too many."""
    if len(contours) ** 2 < 2 * MOST_PAIRS:
        return 0  # too few to be too many
    import shapely

    boxes = shapely.box(*np.array([contour.bounds() for contour in contours]).T)
    tree = shapely.STRtree(boxes)
    count = 0
    for start in range(0, len(boxes), _AT_A_TIME):
        count += len(tree.query(boxes[start : start + _AT_A_TIME])[0])
        if count > 2 * MOST_PAIRS:
            break
    return count // 2


def _cross(contours: Sequence[Contour]) -> bool:
    """Whether a curve crosses or touches itself or another."""
    import shapely

    return not shapely.is_simple(shapely.multilinestrings(_lines(contours)))


def _counted(contours: Sequence[Contour]) -> list[tuple[Contour, int]]:
    """Each curve once, with how often it is there: it cuts the plane no further the second time."""
    counts: dict[bytes, tuple[Contour, int]] = {}
    for contour in contours:
        known, count = counts.get(contour.points.tobytes(), (contour, 0))
        counts[contour.points.tobytes()] = (known, count + 1)
    return list(counts.values())


def _rebuilt(contours: Sequence[Contour]) -> tuple[Contour, ...]:
    """The outlines of what the nonzero rule fills, from the faces into which the curves cut the plane."""
    import shapely

    counted = _counted(contours)
    cut = shapely.unary_union(_lines([contour for contour, _ in counted]))
    faces = [face for face in shapely.get_parts(shapely.polygonize(shapely.get_parts(cut).tolist())) if face.area > 0]
    inner_points = np.array([face.representative_point().coords[0] for face in faces]).reshape(-1, 2)
    windings = sum(
        (count * winding(contour.points, inner_points) for contour, count in counted),
        np.zeros(len(inner_points), dtype=int),
    )
    if np.array_equal(windings != 0, windings % 2 != 0):
        return tuple(contours)
    filled = shapely.unary_union([face for face, winding_number in zip(faces, windings, strict=True) if winding_number])
    rings = [ring for polygon in shapely.get_parts(filled) for ring in (polygon.exterior, *polygon.interiors)]
    return tuple(Contour(np.array(ring.coords)[:-1]) for ring in rings)
