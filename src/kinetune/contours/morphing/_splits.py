"""Shapes of a layer cut into pieces, so that several shapes and one become each other piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetune.contours.layer_shapes import LayerShapes, NestedOutline
from kinetune.contours.matching.curve_pairing import Frame, pair_up, same_shapes
from kinetune.contours.outlines import Complex, Outline, ring_area, simplify_outline
from kinetune.rotations import Floats

_WORTH = 0.08  # of what a layer fills: smaller shapes grow from a point
_MOST = 8  # pieces of one shape
_WHOLE = 0.97  # the share of a piece that hangs together
_OVERLAP = 0.003  # of the extent of a shape: by which its pieces overlap, so that no seam shows
_WIDE = 0.3  # the share of an outline that a hole takes up if the shape is a ring, which may be cut through its hole
_STEPS = 24  # of the search for the place of a cut


def split_alike(a: LayerShapes, b: LayerShapes) -> tuple[LayerShapes, LayerShapes]:
    """Two filled layers in which each large shape of one has a shape, or a piece of one, of the other as its partner.

    Where one layer has fewer shapes, what lies in its holes counts as well, and then its shapes are cut.
    """
    tops = [[shape for shape in side.shapes if shape.outline.closed and not shape.crossing] for side in (a, b)]
    if any(len(top) != len(side.shapes) for top, side in zip(tops, (a, b), strict=True)) or not all(tops):
        return a, b
    fewer = 0 if len(tops[0]) < len(tops[1]) else 1
    many = [shape for shape in tops[1 - fewer] if _area(shape) > _WORTH * sum(map(_area, tops[1 - fewer]))]
    few = tops[fewer]
    if len(few) >= len(many):
        return a, b
    islands = [island for shape in few for hole in shape.inner for island in hole.inner]
    if islands and len(few) + len(islands) <= len(many) + 1:
        few = [_without_islands(shape) for shape in few] + islands
    cut = few if len(few) >= len(many) else _cut_to_match(few, many)
    sides = [a, b]
    sides[fewer] = LayerShapes(tuple(cut), sides[fewer].dots, sides[fewer].notes)
    return sides[0], sides[1]


def _without_islands(shape: NestedOutline) -> NestedOutline:
    return NestedOutline(shape.outline, tuple(NestedOutline(hole.outline) for hole in shape.inner), shape.crossing)


def _area(shape: NestedOutline) -> float:
    return abs(float(ring_area(shape.outline.points))) - sum(map(_area, shape.inner))


def _cut_to_match(few: Sequence[NestedOutline], many: Sequence[NestedOutline]) -> list[NestedOutline]:
    """Shapes, each cut into as many pieces as there are partners for it."""
    frames = [Frame.around([shape.outline for shape in side]) for side in (few, many)]
    (at_few, _), (at_many, _) = (
        frame.seen([shape.outline for shape in side]) for frame, side in zip(frames, (few, many), strict=True)
    )
    outlines = [[shape.outline for shape in side] for side in (few, many)]
    groups: list[list[int]] = [[] for _ in few]
    same = same_shapes(outlines[0], outlines[1])
    for i, j in pair_up(outlines[0], outlines[1], frames[0], frames[1], same):
        if i is not None and j is not None:
            groups[i].append(j)
    extent = np.array([shape.outline.size for shape in few]) / frames[0].size
    extent[[i for i, _ in same]] = -np.inf  # what stays as it is is not cut
    for j in range(len(many)):
        if not any(j in group for group in groups) and np.isfinite(extent).any():
            groups[int(np.argmin(np.abs(at_few - at_many[j]) - extent))].append(j)
    pieces: list[NestedOutline] = []
    for shape, group in zip(few, groups, strict=True):
        weights = np.array([_area(many[j]) for j in group])
        cut = _pieces(shape, at_many[group], weights) if 1 < len(group) <= _MOST else None
        pieces += [shape] if cut is None else cut
    return pieces


def _pieces(shape: NestedOutline, sites: Complex, weights: Floats) -> list[NestedOutline] | None:
    """A shape in pieces that lie to each other as some sites do, in proportion to their weights."""
    import shapely

    if any(hole.inner for hole in shape.inner):
        return None
    region = shapely.Polygon(_corners(shape.outline), [_corners(hole.outline) for hole in shape.inner])
    parts = _bisected(region, sites, weights / weights.sum()) if region.is_valid else None
    if parts is None:
        return None
    details = [hole for hole in map(shapely.Polygon, region.interiors) if hole.area < _WIDE * (hole.area + region.area)]
    if any(hole.intersects(part) and not _holds(part, hole) for part in parts for hole in details):
        return None
    reach = _OVERLAP * shape.outline.size
    grown = [_largest(part.buffer(reach, join_style="mitre").intersection(region)) for part in parts]
    pieces = [_nested(part) for part in grown]
    return None if any(piece is None for piece in pieces) else [piece for piece in pieces if piece is not None]


def _bisected(region: Any, sites: Complex, weights: Floats) -> list[Any] | None:
    """A region cut in two again and again, across the direction in which the sites lie."""
    if len(sites) == 1:
        return [region] if _largest(region).area > _WHOLE * region.area else None
    off = sites - sites.mean()
    spread = np.sum(off**2)
    direction = np.exp(0.5j * np.angle(spread)) if abs(spread) > 1e-12 else 1.0 + 0j
    order = np.argsort((off * np.conj(direction)).real, kind="stable")
    shares = np.cumsum(weights[order])
    first = int(np.argmin(np.abs(shares[:-1] / shares[-1] - 0.5))) + 1
    near, far = _halves(region, direction, float(shares[first - 1] / shares[-1]))
    cut = [_bisected(part, sites[some], weights[some]) for part, some in ((near, order[:first]), (far, order[first:]))]
    if cut[0] is None or cut[1] is None:
        return None
    return [*cut[0], *cut[1]]


def _halves(region: Any, direction: complex, share: float) -> tuple[Any, Any]:
    """The two parts of a region on either side of a line across a direction, the first with a share of the area."""
    import shapely
    from shapely.affinity import rotate

    turned = rotate(region, -np.angle(direction), origin=(0, 0), use_radians=True)
    left, top, right, bottom = turned.bounds
    low, high = left, right
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if shapely.clip_by_rect(turned, left - 1, top - 1, middle, bottom + 1).area < share * turned.area:
            low = middle
        else:
            high = middle
    sides = shapely.box(left - 1, top - 1, low, bottom + 1), shapely.box(low, top - 1, right + 1, bottom + 1)
    near, far = (
        rotate(turned.intersection(side), np.angle(direction), origin=(0, 0), use_radians=True) for side in sides
    )
    return near, far


def _holds(part: Any, hole: Any) -> bool:
    """Whether a hole of a region lies in one piece of it; it touches no other then."""
    import shapely

    return bool(shapely.Polygon(_largest(part).exterior).buffer(1e-9 * part.length).contains(hole))


def _largest(region: Any) -> Any:
    import shapely

    return max(shapely.get_parts(region), key=lambda part: part.area, default=region)


def _corners(outline: Outline) -> Any:
    return np.stack([outline.points.real, outline.points.imag], axis=-1)


def _nested(plate: Any) -> NestedOutline | None:
    around = _outline(plate.exterior)
    holes = [hole for hole in map(_outline, plate.interiors) if hole is not None]
    return None if around is None else NestedOutline(around, tuple(NestedOutline(hole) for hole in holes))


def _outline(ring: Any) -> Outline | None:
    points = np.array(ring.coords)[:-1]
    return simplify_outline(points[:, 0] + 1j * points[:, 1], closed=True)
