"""A drawing as parts: shapes of its layers, with the lines on their edges, what they lie in, and their mirror twins.

============  ==========================================================================
DrawingPart   one shape of a layer, or a whole layer, and how it belongs to the others
find_parts    the parts of a drawing from back to front
MOST_PARTS    of one drawing; more than that are not compared with each other
============  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from kinetune.contours.colours import Paint
from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.layer_shapes import LayerShapes, NestedOutline
from kinetune.contours.outlines import Complex, Outline, is_scribble

MOST_PARTS = 250

_ON_EDGE = 0.018  # of the canvas: a line this near to the edge of a fill runs along it
_BOUND = 0.6  # the share of a line that must run along an edge
_BETTER = 0.05  # by which a larger fill must have more of a line along its edge than a smaller one
_INSIDE = 0.8  # the share of a part that must lie in its parent
_LARGER = 1.2  # by which a parent is larger than what lies in it
_OPAQUE = 0.9  # of 1: a fill that hides what lies below it
_MIRRORED = 0.5  # the least overlap, intersection over union, of a part with its mirrored twin
_MIRRORED_ASIDE = 0.7  # the same of parts that are twins by themselves, away from the middle of the drawing
_APART = 0.1  # the share of a part that its twin may cover
_THIN = 1e-3  # of the canvas: half the width of a line that has none
_SAMPLES = 64


@dataclass(frozen=True, eq=False)
class DrawingPart:
    """One shape of a layer with its holes, or all shapes of a layer that stays whole.

    Attributes
    ----------
    number : int
        Its position in the list of parts, from back to front.
    layer : int
        The layer that it belongs to.
    paint : Layer
        Fill and stroke, without curves.
    shapes : LayerShapes
        One shape, or several of a layer that stays whole.
    outline : Outline
        The largest curve, which stands for the part.
    region : shapely geometry
        What it covers; of a line, what its stroke covers.
    host : int or None
        The part along whose edge this line runs.
    parent : int or None
        The smallest filled part below it that holds it and is seen round it.
    depth : int
        How many parents it lies in.
    twin : int or None
        The part that is its mirror image.
    side : int
        Of twins: -1 for the left one, 1 for the right one; 0 for all others.
    silhouette : str or None
        Of what all other parts cover together, and is not drawn itself: whether they fill it, "full", or much of it
        is empty, "empty".
    """

    number: int
    layer: int
    paint: Layer
    shapes: LayerShapes
    outline: Outline
    region: Any
    host: int | None = None
    parent: int | None = None
    depth: int = 0
    twin: int | None = None
    side: int = 0
    silhouette: Literal["full", "empty"] | None = None

    @property
    def is_line(self) -> bool:
        """Whether it is a stroke and nothing else."""
        return self.paint.fill is None or not self.outline.closed

    @property
    def main_paint(self) -> Paint:
        """The paint that is seen most: the stroke of a line, the fill of everything else."""
        paint = self.paint
        return (paint.stroke, paint.stroke_opacity) if self.is_line else (paint.fill, paint.fill_opacity)


def find_parts(
    drawing: Drawing, layer_shapes: Sequence[LayerShapes], canvas: float, whole: Collection[int] = ()
) -> list[DrawingPart]:
    """The parts of a drawing from back to front, with their hosts, parents and twins.

    Parameters
    ----------
    canvas : the longer side of the canvas on which the shapes lie.
    whole : layers that are not taken apart.
    """
    parts: list[DrawingPart] = []
    for index, (layer, shapes) in enumerate(zip(drawing.layers, layer_shapes, strict=True)):
        paint = layer.replace_contours(())
        groups = [shapes] if index in whole else [LayerShapes((shape,)) for shape in _all_shapes(layer, shapes, canvas)]
        for group in groups:
            outlines = [*group.outlines(), *(_short_line(dot, canvas) for dot in group.dots)]
            if outlines:
                outline = max(outlines, key=lambda curve: curve.size)
                region = _covered(outlines, paint, canvas)
                parts.append(DrawingPart(len(parts), index, paint, group, outline, region))
    return relate_parts(parts, canvas) if len(parts) <= MOST_PARTS else parts


def _all_shapes(layer: Layer, shapes: LayerShapes, canvas: float) -> list[NestedOutline]:
    """The shapes of a layer, and its dots as very short lines."""
    dots = shapes.dots if layer.stroke is not None and layer.stroke_cap != "butt" else ()
    return [*shapes.shapes, *(NestedOutline(_short_line(dot, canvas)) for dot in dots)]


def _short_line(dot: complex, canvas: float) -> Outline:
    return Outline(np.array([dot, dot + 1e-4 * canvas]), closed=False)


def relate_parts(parts: Sequence[DrawingPart], canvas: float) -> list[DrawingPart]:
    """The parts with their hosts, parents and twins."""
    related = list(parts)
    fills = sorted((part for part in parts if not part.is_line), key=lambda part: part.region.area)
    for part in parts:
        host = _host(part, fills, _ON_EDGE * canvas) if part.is_line and part.shapes.shapes else None
        parent = None if host is not None else _parent(part, fills)
        depth = 0 if parent is None else related[parent].depth + 1
        related[part.number] = replace(part, host=host, parent=parent, depth=depth)
    for one, other in _twins(related):
        left, right = sorted((one, other), key=lambda part: part.region.centroid.x)
        parent = _common_parent(related, left, right)
        depth = 0 if parent is None else related[parent].depth + 1
        related[left.number] = replace(left, twin=right.number, side=-1, parent=parent, depth=depth)
        related[right.number] = replace(right, twin=left.number, side=1, parent=parent, depth=depth)
    return related


def _common_parent(parts: Sequence[DrawingPart], one: DrawingPart, other: DrawingPart) -> int | None:
    """The smallest part that holds both: twins lie on the same, even if one of them lies on a patch as well."""
    around, parent = set(), one.parent
    while parent is not None:
        around.add(parent)
        parent = parts[parent].parent
    parent = other.parent
    while parent is not None and parent not in around:
        parent = parts[parent].parent
    return parent


def polygon(z: Complex) -> Any:
    """The area inside a ring of points; of a scribble, which takes too long to cut, the hull."""
    import shapely

    ring = shapely.polygons(np.stack([z.real, z.imag], axis=-1))
    if ring.is_valid:
        return ring
    return ring.convex_hull if is_scribble(Outline(z, closed=True)) else shapely.make_valid(ring)


def filled_region(part: DrawingPart) -> Any:
    """What a part covers; of a frame, what it goes round."""
    return polygon(part.outline.points) if part.is_line and part.outline.closed else part.region


def stroke_region(z: Complex, width: float) -> Any:
    """What a stroke along points covers."""
    import shapely

    return shapely.linestrings(np.stack([z.real, z.imag], axis=-1)).buffer(0.5 * width, quad_segs=4)


def _covered(outlines: Sequence[Outline], paint: Layer, canvas: float) -> Any:
    import shapely

    regions = []
    for outline in outlines:
        if paint.fill is None or not outline.closed:
            width = paint.stroke_width if paint.stroke is not None else 0.0
            regions.append(stroke_region(outline.path, max(width, 2 * _THIN * canvas)))
        else:
            regions.append(polygon(outline.points))
    return regions[0] if len(regions) == 1 else shapely.union_all(regions)


def _host(part: DrawingPart, fills: Sequence[DrawingPart], reach: float) -> int | None:
    """The fill along whose edge a line runs; the smallest, unless a larger one has more of it."""
    import shapely

    z = np.concatenate([shape.outline.along(np.linspace(0.0, 1.0, _SAMPLES)) for shape in part.shapes.shapes])
    points = shapely.points(z.real, z.imag)
    best, host = _BOUND - _BETTER, None
    for fill in fills:
        if fill.region.distance(part.region) > reach:
            continue
        share = float((shapely.distance(points, fill.region.boundary) < reach).mean())
        if share > best + _BETTER:
            best, host = share, fill.number
    return host


def _parent(part: DrawingPart, fills: Sequence[DrawingPart]) -> int | None:
    """The smallest fill below a part that holds it and is not hidden there by another; fills are sorted by area."""
    area = part.region.area
    holding = [
        fill
        for fill in fills
        if fill.number < part.number
        and fill.region.area > _LARGER * area
        and fill.region.intersects(part.region)
        and fill.region.intersection(part.region).area > _INSIDE * area
    ]
    ground = max((fill.number for fill in holding if fill.main_paint[1] >= _OPAQUE), default=-1)
    return next((fill.number for fill in holding if fill.number >= ground), None)


def _twins(parts: Sequence[DrawingPart]) -> list[tuple[DrawingPart, DrawingPart]]:
    """Pairs of parts of one paint that are mirror images about the middle of the largest part, the best first.

    After them come pairs side by side at one height that are mirror images of each other, such as the eyes of a head
    that is not in the middle.
    """
    import shapely

    free = [part for part in parts if part.host is None]
    if len(free) < 3:
        return []
    largest = max(free, key=lambda part: part.region.area)
    left, _, right, _ = largest.region.bounds
    candidates = []
    for i, one in enumerate(free):
        for other in free[i + 1 :]:
            if one is largest or other is largest or not _same_paint(one.paint, other.paint):
                continue
            if one.region.intersection(other.region).area >= _APART * one.region.area:
                continue
            flipped = shapely.transform(other.region, lambda c: c * [-1, 1] + [left + right, 0])
            overlap = _overlap(one.region, flipped)
            if overlap <= _MIRRORED and _side_by_side(one.region.bounds, other.region.bounds):
                gap = np.subtract(one.region.centroid.coords[0], flipped.centroid.coords[0])
                moved = shapely.set_coordinates(flipped, shapely.get_coordinates(flipped) + gap)
                overlap = _overlap(one.region, moved) - 0.5
                if overlap <= _MIRRORED_ASIDE - 0.5:
                    continue
            elif overlap <= _MIRRORED:
                continue
            candidates.append((overlap, one, other))
    pairs, taken = [], set()
    for _, one, other in sorted(candidates, key=lambda row: -row[0]):
        if one.number not in taken and other.number not in taken:
            taken |= {one.number, other.number}
            pairs.append((one, other))
    return pairs


def _overlap(one: Any, other: Any) -> float:
    """Intersection over union of two regions."""
    if not one.intersects(other):
        return 0.0
    return float(one.intersection(other).area / max(one.union(other).area, 1e-300))


def _side_by_side(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two boxes are about as large, at about one height, and not far from each other."""
    (w, h), (u, v) = ((box[2] - box[0], box[3] - box[1]) for box in (one, other))
    if max(w, u) > 1.4 * min(w, u) or max(h, v) > 1.4 * min(h, v):
        return False
    across = abs(one[0] + one[2] - other[0] - other[2]) / 2
    along = abs(one[1] + one[3] - other[1] - other[3]) / 2
    return along < 0.35 * max(h, v) and max(w, u) < across < 8.0 * max(w, u)


def _same_paint(one: Layer, other: Layer) -> bool:
    return (one.fill, one.stroke) == (other.fill, other.stroke)
