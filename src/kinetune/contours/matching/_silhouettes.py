"""The silhouette of a drawing that has no body of its own, as a part behind all others.

==============  ======================================================================
add_silhouette  the parts of a drawing in front of what they cover together
covered_share   how much of a drawing some of its parts cover
==============  ======================================================================

Notes
-----
A face, a seat or a sign is one body with details on it; a person or a bunch of balloons is not. What such a drawing
covers as a whole can still become a body, with everything else fading on it, where no part of it resembles that body.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetune.contours.layer_shapes import LayerShapes, NestedOutline
from kinetune.contours.matching.drawing_parts import DrawingPart, filled_region
from kinetune.contours.outlines import Outline, simplify_outline
from kinetune.rotations import Floats

_CLOSED = 0.025  # of the canvas: gaps between parts up to twice as wide are closed
_OPENED = 0.02  # of the canvas: what is less than twice as thin is left out
_COARSE = 0.0003  # of the canvas: how exact the outline is, which nobody sees before it moves
_HOLE = 0.004  # of the area of the canvas: smaller holes are filled
_MOST = 0.3  # the share of a drawing that its largest connected piece covers, if it stands for it
_FILLED = 0.7  # the share of it that is filled; otherwise what shows through it is not covered by its parts


def add_silhouette(parts: Sequence[DrawingPart], shares: Floats, canvas: float) -> list[DrawingPart] | None:
    """The parts with the silhouette of the drawing behind them, on which they lie; None if it has none.

    Parameters
    ----------
    shares : how much of each part is seen.
    """
    import shapely

    everything = shapely.union_all([filled_region(part) for part in parts])
    grown = everything.buffer(_CLOSED * canvas).buffer(-(_CLOSED + _OPENED) * canvas).buffer(_OPENED * canvas)
    grown = grown.simplify(_COARSE * canvas)
    plate = max(shapely.get_parts(grown), key=lambda piece: piece.area, default=None)
    if plate is None or plate.area < _MOST * everything.area:
        return None
    fills = [part for part in parts if not part.is_line and plate.intersects(part.region)]
    filled = shapely.union_all([part.region for part in fills]).intersection(plate).area
    if not fills:
        return None
    outline = _ring(plate.exterior)
    holes = tuple(
        NestedOutline(hole)
        for hole in map(_ring, plate.interiors)
        if hole is not None and shapely.polygons(shapely.get_coordinates(_line(hole))).area > _HOLE * canvas**2
    )
    if outline is None:
        return None
    seen: dict[object, float] = defaultdict(float)
    for part in fills:
        seen[part.main_paint] += float(shares[part.number]) * part.region.area
    paint = max(fills, key=lambda part: (seen[part.main_paint], float(shares[part.number]) * part.region.area))
    behind = DrawingPart(
        0,
        paint.layer,
        replace(paint.paint, stroke=None, stroke_gradient=None),
        LayerShapes((NestedOutline(outline, holes),)),
        outline,
        plate,
        silhouette="full" if filled > _FILLED * plate.area else "empty",
    )
    return [behind, *(_in_front(part, plate) for part in parts)]


def _ring(ring: Any) -> Outline | None:
    import shapely

    points = shapely.get_coordinates(ring)[:-1]
    return simplify_outline(points[:, 0] + 1j * points[:, 1], closed=True)


def _line(outline: Outline) -> Any:
    import shapely

    return shapely.linearrings(np.stack([outline.points.real, outline.points.imag], axis=-1))


def _in_front(part: DrawingPart, plate: Any) -> DrawingPart:
    """A part, renumbered, and on the silhouette if it lies there and on nothing else."""

    def later(number: int | None) -> int | None:
        return None if number is None else number + 1

    parent = later(part.parent)
    if parent is None and part.host is None and plate.intersection(part.region).area > 0.5 * part.region.area:
        parent = 0
    return replace(
        part,
        number=part.number + 1,
        host=later(part.host),
        twin=later(part.twin),
        parent=parent,
        depth=part.depth + 1,
    )


def covered_share(parts: Sequence[DrawingPart], numbers: Collection[int]) -> float:
    """How much of what a drawing covers some of its parts cover."""
    import shapely

    whole = shapely.union_all([part.region for part in parts]).area
    return float(shapely.union_all([parts[number].region for number in numbers]).area / max(whole, 1e-300))
