"""What a layer is made of: shapes with holes in them, open lines, dots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetune.contours.drawing import Layer
from kinetune.contours.outlines import Complex, Outline, all_simple, is_scribble, ring_area, simplify_outline

_JOIN = 2e-3  # of the size: by which shapes that touch in a point are grown together
_FLAT = 1e-7  # of the length squared: a closed curve with less area encloses nothing


@dataclass(frozen=True)
class NestedOutline:
    """An outline with the curves directly inside it; an open line has none.

    crossing : the outline crosses itself and is left so (a line without a fill).
    """

    outline: Outline
    inner: tuple[NestedOutline, ...] = ()
    crossing: bool = False

    def everything(self) -> Iterator[NestedOutline]:
        yield self
        for shape in self.inner:
            yield from shape.everything()


@dataclass(frozen=True)
class LayerShapes:
    """A layer taken apart.

    notes : what had to be changed, the ends of sentences that begin with the layer's name.
    """

    shapes: tuple[NestedOutline, ...]
    dots: tuple[complex, ...] = ()
    notes: tuple[str, ...] = ()

    def outlines(self) -> Iterator[Outline]:
        """Every curve, without the dots."""
        for shape in self.shapes:
            for each in shape.everything():
                yield each.outline


def split_layer(layer: Layer) -> LayerShapes:
    """Take a layer apart into shapes with holes, lines and dots.

    Open curves without a stroke are closed, as filling closes them. Where filled curves cross themselves or each
    other, they are replaced by the outlines of what they fill, grown together where they meet in a point.
    """
    filled, stroked = layer.fill is not None, layer.stroke is not None and layer.stroke_width > 0
    rings, lines, dots = [], [], []
    for contour in layer.contours:
        closed = contour.closed or not stroked
        outline = Outline.of(contour, closed=closed)
        if outline is None:
            dots.append(complex(contour.complex[0]))
        elif not closed:
            lines.append(outline)
        elif _encloses_nothing(outline):
            if stroked:
                lines.append(_flattened(outline))
        else:
            rings.append(outline)
    simple = [bool(all_simple(ring.points[None], closed=True)[0]) for ring in rings]
    notes = []
    scribbles = [k for k, fine in enumerate(simple) if filled and not fine and is_scribble(rings[k])]
    for k in scribbles:
        rings[k], simple[k] = _hull(rings[k]), True
    if scribbles:
        curves = (
            "crosses itself"
            if len(rings) == 1
            else f"has {len(scribbles)} of {len(rings)} curves that cross themselves"
        )
        notes.append(f"{curves} too often to be cut apart; its in-betweens start from the hull around it")
    if not all(simple):
        notes.append(_crossing_note(simple.count(False), len(rings), filled))
    tangled = [not all_simple(line.points[None], closed=False)[0] for line in lines]
    if any(tangled):
        notes.append("has a line that crosses itself; its in-betweens may do so too")
    if not filled:
        shapes = tuple(NestedOutline(ring, (), not fine) for ring, fine in zip(rings, simple, strict=True))
    elif all(simple) and not _meet(rings):
        shapes = _nested(rings)
    else:
        shapes = _regions(rings)
    shapes += tuple(NestedOutline(line, (), bool(crosses)) for line, crosses in zip(lines, tangled, strict=True))
    return LayerShapes(shapes, tuple(dots), tuple(notes))


def _encloses_nothing(outline: Outline) -> bool:
    import shapely

    least = _FLAT * outline.length**2
    if len(outline.points) < 3 or abs(ring_area(outline.points)) >= least:
        return len(outline.points) < 3
    if is_scribble(outline):
        return False
    return float(shapely.make_valid(shapely.polygons(_rings([outline])[0])).area) < least  # a figure of eight does


def _hull(outline: Outline) -> Outline:
    import shapely

    points = shapely.get_coordinates(shapely.polygons(_rings([outline])[0]).convex_hull)[:-1]
    hull = simplify_outline(points[:, 0] + 1j * points[:, 1], closed=True)
    assert hull is not None
    return hull


def _flattened(outline: Outline) -> Outline:
    """The stroke to which a closed curve has collapsed."""
    z = outline.points
    along = z[np.argmax(np.abs(z - z[0]))] - z[0]
    order = np.argsort((z * np.conj(along)).real, kind="stable")
    return Outline(z[order[[0, -1]]], closed=False)


def _crossing_note(count: int, total: int, filled: bool) -> str:
    curves = "crosses itself" if total == 1 else f"has {count} of {total} curves that cross themselves"
    return curves + (
        "; its in-betweens start from the outline of what it fills" if filled else "; its in-betweens may do so too"
    )


def _rings(outlines: Sequence[Outline]) -> Any:
    import shapely

    return np.array([shapely.linearrings(np.stack([o.points.real, o.points.imag], axis=-1)) for o in outlines])


def _meet(outlines: Sequence[Outline]) -> bool:
    """Whether any two of the curves touch or cross."""
    import shapely

    if len(outlines) < 2:
        return False
    rings = _rings(outlines)
    one, other = shapely.STRtree(rings).query(rings, predicate="intersects")
    return bool(np.any(one != other))


def _nested(outlines: Sequence[Outline]) -> tuple[NestedOutline, ...]:
    """Curves that do not meet, each put into the smallest one around it."""
    import shapely

    plates = shapely.polygons(_rings(outlines)) if outlines else np.array([])
    areas = np.array([abs(float(ring_area(o.points))) for o in outlines])
    parents: list[int | None] = [None] * len(outlines)
    if len(outlines) > 1:
        inside, around = shapely.STRtree(plates).query(plates, predicate="within")
        for child, parent in zip(inside.tolist(), around.tolist(), strict=True):
            held = parents[child]
            if child != parent and areas[parent] > areas[child] and (held is None or areas[parent] < areas[held]):
                parents[child] = parent

    def build(index: int) -> NestedOutline:
        return NestedOutline(outlines[index], tuple(build(k) for k, parent in enumerate(parents) if parent == index))

    return tuple(build(k) for k, parent in enumerate(parents) if parent is None)


def _regions(outlines: Sequence[Outline]) -> tuple[NestedOutline, ...]:
    """What curves that cross fill by the even-odd rule, as shapes with holes."""
    import shapely

    plates = shapely.make_valid(shapely.polygons(_rings(outlines)))
    while len(plates) > 1:  # by twos, twos of twos ...: small plates are cheap to combine
        odd = plates[len(plates) - len(plates) % 2 :]
        plates = np.append(shapely.symmetric_difference(plates[: len(plates) // 2 * 2 : 2], plates[1::2]), odd)
    region = plates[0]
    left, top, right, bottom = shapely.bounds(region)
    grown = shapely.buffer(region, _JOIN * max(right - left, bottom - top), join_style="mitre", mitre_limit=3.0)
    shapes = []
    for plate in shapely.get_parts(grown):
        holes = tuple(NestedOutline(hole) for hole in map(_outline, plate.interiors) if hole is not None)
        around = _outline(plate.exterior)
        if around is not None:
            shapes.append(NestedOutline(around, holes))
    return tuple(shapes)


def _outline(ring: Any) -> Outline | None:
    points = np.array(ring.coords)[:-1]
    z: Complex = points[:, 0] + 1j * points[:, 1]
    outline = simplify_outline(z, closed=True)
    return outline if outline is not None and abs(ring_area(outline.points)) > _FLAT * outline.length**2 else None
