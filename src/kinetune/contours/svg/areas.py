"""Layers as areas: clipped, masked, and faded as a group.

Strokes become areas with joins, miter limits, caps and dots as SVG paints them: GEOS grows lines into areas, but cuts
a corner beyond the miter limit where SVG bevels it, so corners are beveled first, and the tips of those within the
limit are added.
A group that is half transparent is one picture: what lies behind inside it does not shine through. So before its layers
are faded, each loses what a layer above it covers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetune.contours.colours import parse_colour
from kinetune.contours.drawing import Cap, Contour, Join, Layer
from kinetune.contours.outlines import MOST_CROSSINGS, estimate_crossings
from kinetune.extras import require
from kinetune.rotations import Floats

require("drawings")

_SLIGHT = np.cos(np.radians(1.0))  # a turn by less has no tip worth adding: flattened curves are full of them
_CAPS: dict[str, Any] = {"butt": "flat", "round": "round", "square": "square"}
_ARC = 24  # sides of a quarter of a round cap
_SPECK = 1e-9  # of the larger area: an overlap below it is a touch
_MOST_POINTS = 400_000  # of areas that are cut
_MOST_PAIRS = 5000  # of areas of a transparent group that are cut from each other
_FAR = 1e9
_LONG, _PIECE = 1000, 20  # points of a line that is grown in pieces, and of a piece
_DARK, _LIGHT = 0.004, 0.996


class TooLargeError(Exception):
    """Areas that cannot be cut in reasonable time, or whose numbers are too large."""


def even_odd_area(contours: Sequence[Contour]) -> Any:
    """What curves fill by the even-odd rule, as a shapely polygon or several."""
    import shapely

    _check(contours)
    if estimate_crossings(contours) > MOST_CROSSINGS:
        raise TooLargeError
    plates = np.array([_plate(c.points) for c in contours if len(c) > 2], dtype=object)
    if len(plates) == 0:
        return shapely.Polygon()
    while len(plates) > 1:  # pairs of pairs: small plates are cheap to combine
        odd = plates[len(plates) - len(plates) % 2 :]
        even = plates[: len(plates) // 2 * 2]
        plates = np.append(shapely.symmetric_difference(even[::2], even[1::2]), odd)
    return _plates(plates[0])


def _plate(points: Floats) -> Any:
    """What one curve fills: the faces into which it cuts the plane that it winds around an odd number of times."""
    import shapely

    plate = shapely.polygons(points)
    if shapely.is_valid(plate):
        return plate
    edges = shapely.unary_union(shapely.linestrings(np.concatenate([points, points[:1]])))
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(edges).tolist()))
    inner = shapely.get_coordinates(shapely.point_on_surface(faces))
    start, end = points, np.roll(points, -1, axis=0)
    level = start[:, 1] == end[:, 1]
    slope = (end[:, 0] - start[:, 0]) / np.where(level, 1.0, end[:, 1] - start[:, 1])
    odd = np.zeros(len(inner), dtype=bool)
    for face, (x, y) in enumerate(inner):
        passes = (start[:, 1] > y) != (end[:, 1] > y)
        odd[face] = np.count_nonzero(passes & (x < start[:, 0] + (y - start[:, 1]) * slope)) % 2 == 1
    return shapely.unary_union(faces[odd])


def _check(contours: Sequence[Contour]) -> None:
    if sum(map(len, contours)) > _MOST_POINTS or any(np.abs(c.points).max() > _FAR for c in contours):
        raise TooLargeError


def _plates(area: Any) -> Any:
    """The polygons of an area, without the lines and points that cutting leaves behind."""
    import shapely

    parts = shapely.get_parts(area)
    nested = [_plates(part) for part in parts if shapely.get_type_id(part) == 7]
    return shapely.unary_union([*(part for part in parts if shapely.get_type_id(part) == 3), *nested])


def area_contours(area: Any) -> tuple[Contour, ...]:
    """The outlines of an area, clockwise on the screen, and its holes, the other way round."""
    import shapely

    parts = shapely.get_parts(area)
    rings, polygon = shapely.get_rings(parts[~shapely.is_empty(parts)], return_index=True)
    if len(rings) == 0:
        return ()
    points, ring = shapely.get_coordinates(rings, return_index=True)
    starts = np.flatnonzero(np.diff(ring, prepend=-1))
    x, y = (points - points[starts[ring]]).T
    turns = np.add.reduceat(x * np.roll(y, -1) - np.roll(x, -1) * y, starts)  # a ring ends where it starts, at zero
    holes = np.diff(polygon, prepend=-1) == 0  # the outline of a polygon comes first
    contours = []
    for path, turn, hole in zip(np.split(points, starts[1:]), turns.tolist(), holes.tolist(), strict=True):
        if len(path) > 3 and turn != 0.0:
            contours.append(Contour(path[:-1] if (turn > 0.0) != hole else path[:0:-1]))
    return tuple(contours)


def stroke_area(
    contours: Sequence[Contour], width: float, cap: Cap = "butt", join: Join = "miter", miter_limit: float = 4.0
) -> Any:
    """The area under strokes along contours, a shapely polygon or several."""
    import shapely

    half = 0.5 * width
    grown: list[Any] = []
    lines: list[Any] = []
    ends: list[Any] = []
    style: Any = "round" if join == "round" else "bevel"
    for contour in contours:
        points = contour.points[np.concatenate([[True], np.any(np.diff(contour.points, axis=0) != 0, axis=1)])]
        if contour.closed and len(points) > 1 and np.array_equal(points[0], points[-1]):
            points = points[:-1]
        if len(points) < 2:
            grown.append(_dot(points[0], half, cap))
            continue
        closed = contour.closed and len(points) > 2
        turned = "round" if contour.closed and not closed and join == "round" else _CAPS[cap]
        for line, caps in _pieces(points, closed, half, turned):
            lines.append(line)
            ends.append(caps)
        if join == "miter" and len(points) > 2:
            grown.extend(shapely.polygons(_tips(points, closed, half, miter_limit)))
    for caps in dict.fromkeys(ends):  # many lines at once, such as the dashes of a path
        alike = [line for line, other in zip(lines, ends, strict=True) if other == caps]
        grown.extend(shapely.buffer(alike, half, quad_segs=_ARC, cap_style=caps, join_style=style))
    return shapely.unary_union(grown)


def _pieces(points: Floats, closed: bool, half: float, ends: Any) -> Iterator[tuple[Any, Any]]:
    """A line as one piece, or a long one as many with a corner in common, each with its caps.

    GEOS cuts both edges of a line with one another before it drops what they cover, which takes gigabytes for a
    scribble; pieces hide one another while they are united.
    """
    import shapely

    if len(points) <= _LONG:
        yield (shapely.linearrings(points) if closed else shapely.linestrings(points)), ends
        return
    path = np.concatenate([points, points[:2]]) if closed else points
    for start in range(0, len(path) - 2, _PIECE):
        yield shapely.linestrings(path[start : start + _PIECE + 2]), "flat"
    for corner, end in () if closed else (path[1::-1], path[-2:]):
        if ends == "round":
            yield shapely.Point(end), ends
        elif ends == "square":
            yield shapely.linestrings([corner, end + half * (end - corner) / np.linalg.norm(end - corner)]), "flat"


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


def line_area(layer: Layer) -> Any:
    """What the stroke of a layer covers."""
    _check(layer.contours)
    return stroke_area(
        layer.contours, layer.stroke_width, layer.stroke_cap, layer.stroke_join, layer.stroke_miter_limit
    )


def stroke_as_fill(layer: Layer, area: Any, name: str | None = None) -> Layer | None:
    """A layer that fills what the stroke of another covers, or a part of it; None where that is nothing."""
    contours = area_contours(area)
    if not contours:
        return None
    return Layer(
        contours,
        layer.name if name is None else name,
        fill=layer.stroke,
        fill_opacity=layer.stroke_opacity,
        fill_gradient=layer.stroke_gradient,
    )


def _split(layer: Layer) -> list[tuple[Layer, Any]]:
    """The fill and the stroke of a layer as layers, each with its area."""
    parts = []
    if layer.fill is not None:
        parts.append((replace(layer, stroke=None, stroke_gradient=None), even_odd_area(layer.contours)))
    if layer.stroke is not None and layer.stroke_width > 0:
        both = bool(parts)
        name = f"{layer.name} outline" if both and layer.name else layer.name
        parts.append((replace(layer, fill=None, fill_gradient=None, name=name), line_area(layer)))
    return parts


def _cut(layer: Layer, area: Any) -> list[Layer]:
    """A layer of one paint on another area."""
    if layer.fill is None:
        cut = stroke_as_fill(layer, area)
        return [] if cut is None else [cut]
    contours = area_contours(area)
    return [layer.replace_contours(contours)] if contours else []


def clip_layers(layers: Sequence[Layer], region: Any) -> list[Layer]:
    """What of the layers lies in a region; what lies in it wholly stays as it is."""
    import shapely

    shapely.prepare(region)
    clipped: list[Layer] = []
    for layer in layers:
        parts = _split(layer)
        if all(shapely.covers(region, area) for _, area in parts):
            clipped.append(layer)
            continue
        for part, area in parts:
            inside = area if shapely.covers(region, area) else _plates(shapely.intersection(area, region))
            clipped += [part] if inside is area else _cut(part, inside)
    return clipped


def fade_layers(layers: Sequence[Layer], opacity: float, note: Callable[[str], None]) -> list[Layer]:
    """The layers of a group that is transparent as one."""
    import shapely

    if len(layers) > 1 or any(layer.fill is not None and layer.stroke is not None for layer in layers):
        parts = [part for layer in layers for part in _split(layer)]
        areas = np.array([area for _, area in parts], dtype=object)
        overlapping = _overlaps(areas)
        if overlapping is None:
            note("a transparent group with very many shapes over each other is drawn shape by shape")
        elif overlapping:
            covered: list[list[Any]] = [[] for _ in parts]
            for below, above in overlapping:
                covered[below].append(areas[above])
                if _alpha(parts[above][0]) < _LIGHT:
                    note("a transparent group with transparent shapes over each other is only nearly right")
            visible = []
            for (part, area), over in zip(parts, covered, strict=True):
                if over:
                    visible += _cut(part, _plates(shapely.difference(area, shapely.unary_union(over))))
                else:
                    visible.append(part)
            layers = visible
    return [
        replace(layer, fill_opacity=opacity * layer.fill_opacity, stroke_opacity=opacity * layer.stroke_opacity)
        for layer in layers
    ]


def _overlaps(areas: np.ndarray) -> list[tuple[int, int]] | None:
    """Pairs (below, above) of areas that share more than an edge; None where they are too many."""
    import shapely

    below, above = shapely.STRtree(areas).query(areas, predicate="intersects")
    pairs = [(i, j) for i, j in zip(below.tolist(), above.tolist(), strict=True) if i < j]
    if len(pairs) > _MOST_PAIRS:
        return None
    return [
        (i, j)
        for i, j in pairs
        if shapely.area(shapely.intersection(areas[i], areas[j])) > _SPECK * max(areas[i].area, areas[j].area)
    ]


def _alpha(layer: Layer) -> float:
    """The opacity of a layer of one paint where it is thinnest."""
    filled = layer.fill is not None
    gradient = layer.fill_gradient if filled else layer.stroke_gradient
    opacity = layer.fill_opacity if filled else layer.stroke_opacity
    if gradient is not None:
        return opacity * min(alpha * parse_colour(colour)[3] for _, colour, alpha in gradient.stops)
    return opacity * parse_colour(layer.fill or layer.stroke or "black")[3]


def mask_region(layers: Sequence[Layer], luminance: bool) -> tuple[Any, float] | None:
    """The region that a mask shows, and how opaque it is there; None for a mask in several shades."""
    import shapely

    region, shade = shapely.Polygon(), None
    for layer in layers:
        for part, area in _split(layer):
            value = _shade(part, luminance)
            if value is None:
                return None
            if value <= _DARK:
                if not luminance:
                    continue
                if _alpha(part) < _LIGHT:
                    return None
                region = shapely.difference(region, area)
                continue
            if shade is not None and abs(shade - value) > _DARK:
                return None
            if value < _LIGHT and not shapely.is_empty(region) and shapely.intersects(region, area):
                return None
            shade, region = value, shapely.union(region, area)
    return _plates(region), 0.0 if shade is None else shade


def _shade(layer: Layer, luminance: bool) -> float | None:
    """How much a layer of a mask lets through, 0 to 1; None for a gradient that is not of one shade."""
    filled = layer.fill is not None
    gradient = layer.fill_gradient if filled else layer.stroke_gradient
    opacity = layer.fill_opacity if filled else layer.stroke_opacity
    colours = [(layer.fill if filled else layer.stroke, 1.0)]
    if gradient is not None:
        colours = [(colour, alpha) for _, colour, alpha in gradient.stops]
    shades = []
    for colour, alpha in colours:
        red, green, blue, fade = parse_colour(colour or "black")
        light = 0.2126 * red + 0.7152 * green + 0.0722 * blue if luminance else 1.0
        shades.append(light * alpha * fade * opacity)
    return shades[0] if max(shades) - min(shades) <= _DARK else None
