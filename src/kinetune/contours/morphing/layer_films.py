"""A layer that becomes another: its curves paired and filmed, its paint mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinetune.contours.colours import mix_layers
from kinetune.contours.drawing import Layer
from kinetune.contours.layer_shapes import LayerShapes, NestedOutline
from kinetune.contours.matching.curve_pairing import DrawingPins, Frame, PinnedCurves, pair_up
from kinetune.contours.matching.outline_alignment import cut_open
from kinetune.contours.morphing._holes import Stay, carried, is_steady, keep_inside
from kinetune.contours.morphing.canvas import CanvasChange
from kinetune.contours.morphing.safe_films import CurveFilm, Finish
from kinetune.contours.moving_drawing import MovingCurve, MovingLayer
from kinetune.contours.outlines import Complex, Outline, ring_centroid
from kinetune.rotations import Floats

FilmMaker = Callable[..., CurveFilm]
_NEAR_HOLE = 0.3  # of the frame: a hole does not become one that is further away or more unlike than this
_GONE = 0.004  # a curve smaller than this share of itself is not drawn


@dataclass(frozen=True)
class Filming:
    """What all layers of a morph share.

    times : (times,), strictly between 0 and 1.
    make : a film of two outlines: ``make(a, b, times, finish, pins=..., guard=...)``, both closed or both open.
    safe : whether curves are kept from crossing each other, too.
    """

    times: Floats
    canvas: CanvasChange
    make: FilmMaker
    safe: bool = True

    def finish(self, extent: float) -> Finish:
        """How frames of curves, the smallest of which has that extent, are put on paper."""

        def finished(frames: Complex) -> Complex:
            laid = self.canvas.lay(frames, self.times)
            return self.canvas.rounded(laid, extent) if self.safe else laid

        return finished


@dataclass(eq=False)
class LayerFilm:
    """One layer of a morph over time.

    parts : groups of curves; each group is an outline with what lies in it. Curves are (times, n) and whether they
        are closed, on the canvases of their times; a frame that is not-a-number is not drawn.
    ends : of all curves in that order, how they lie in the first and in the last drawing, (n,) each; not-a-number for a
        drawing that does not have the curve.
    apart : whether the groups overlap on the way and must be painted one by one.
    """

    a: Layer | None
    b: Layer | None
    parts: list[list[tuple[Complex, bool]]] = field(default_factory=list)
    ends: list[tuple[Complex, Complex]] = field(default_factory=list)
    apart: bool = False
    films: list[CurveFilm] = field(default_factory=list)
    lost: int = 0

    def moving(self, times: Floats, inside: np.ndarray, canvas: CanvasChange) -> list[MovingLayer]:
        """The layer over the times of a film; several where its parts overlap.

        times : of all frames; inside : which of them were filmed, the others show a drawing itself.
        """
        paints = [self.painted(t, canvas.size(t), canvas.scale) for t in times.tolist()]
        ends = iter(self.ends)
        groups = []
        for part in self.parts:
            curves = []
            for frames, closed in part:
                a, b = next(ends)
                points = np.where((times < 0.5)[:, None], a, b)
                points[inside] = frames
                curves.append(MovingCurve(points, closed))
            groups.append(tuple(curves))
        if not self.apart:
            groups = [tuple(curve for group in groups for curve in group)]
        layers = []
        for number, group in enumerate(groups, start=1):
            named = paints if number == 1 else [replace(p, name=f"{p.name or 'part'} ({number})") for p in paints]
            layers.append(MovingLayer(group, tuple(named)))
        return layers

    @property
    def filled(self) -> bool:
        """Whether anything is filled, so that overlaps show."""
        return any(layer is not None and layer.fill is not None for layer in (self.a, self.b))

    def painted(self, t: float, size: float, scale: float) -> Layer:
        a, b = self.a, self.b
        if a is None or b is None:
            only = a if a is not None else b
            assert only is not None
            width = only.stroke_width * (1.0 if b is None else scale)
            return replace(only, contours=(), stroke_width=size * width)
        return mix_layers(a, b, t, size, size * scale)


def film_layer(
    filming: Filming, a: tuple[Layer, LayerShapes] | None, b: tuple[Layer, LayerShapes] | None, pins: DrawingPins = ()
) -> LayerFilm:
    """A layer of the first drawing that becomes one of the second; None for one that appears or vanishes."""
    film = LayerFilm(None if a is None else a[0], None if b is None else b[0])
    nothing = LayerShapes(())
    _Work(filming, nothing if a is None else a[1], nothing if b is None else b[1], pins, film).run()
    return film


class _Work:
    """The work on one pair of layers."""

    def __init__(self, filming: Filming, a: LayerShapes, b: LayerShapes, pins: DrawingPins, film: LayerFilm) -> None:
        self.filming, self.a, self.b, self.film = filming, a, b, film
        self.times = filming.times
        curves_a, curves_b = list(a.outlines()), list(b.outlines())
        self.pinned = PinnedCurves(curves_a, curves_b, pins)
        self.frame_a, self.frame_b = Frame.around(curves_a or curves_b), Frame.around(curves_b or curves_a)
        extents = [float(np.abs(o.points - o.points[0]).max()) for o in (*curves_a, *curves_b)]
        self.finish = filming.finish(min(extents, default=1.0))

    def run(self) -> None:
        found_a: set[NestedOutline | None] = {None}
        found_b: set[NestedOutline | None] = {None}
        pairs: list[tuple[NestedOutline | None, NestedOutline | None]] = []
        # Closed curves become closed ones and lines lines; only what is left over changes its kind.
        for kind in (True, False, None):
            some_a = [s for s in self.a.shapes if s not in found_a and kind in (None, s.outline.closed)]
            some_b = [s for s in self.b.shapes if s not in found_b and kind in (None, s.outline.closed)]
            for one, other in self._paired(some_a, some_b):
                if kind is None or (one is not None and other is not None):
                    pairs.append((one, other))
                    found_a.add(one)
                    found_b.add(other)
        for one, other in pairs:
            self._add(one, other)
        self._add_dots()
        self.pinned.check_used()
        self.film.apart = self.film.filled and self._overlap()

    def _paired(
        self, a: Sequence[NestedOutline], b: Sequence[NestedOutline], most: float = np.inf
    ) -> list[tuple[NestedOutline | None, NestedOutline | None]]:
        curves_a, curves_b = [s.outline for s in a], [s.outline for s in b]
        fixed = self.pinned.pairs(curves_a, curves_b)
        pairs = pair_up(curves_a, curves_b, self.frame_a, self.frame_b, fixed, most)
        return [(None if i is None else a[i], None if j is None else b[j]) for i, j in pairs]

    def _add(self, a: NestedOutline | None, b: NestedOutline | None) -> None:
        """A new part: an outline, and what lies in it."""
        film = self._film(a, b, None)
        curves: list[tuple[Complex, bool]] = []
        self._collect(film, a, b, curves)
        self.film.parts.append([(self.finish(frames), closed) for frames, closed in curves])

    def _collect(
        self, film: CurveFilm, a: NestedOutline | None, b: NestedOutline | None, curves: list[tuple[Complex, bool]]
    ) -> None:
        """Put the film of an outline, and those of everything in it, into the list."""
        self.film.films.append(film)
        curves.append((film.frames, film.closed))
        self._end(*(np.full_like(key, np.nan) if shape is None else key for key, shape in ((film.a, a), (film.b, b))))
        inner_a, inner_b = (() if shape is None else shape.inner for shape in (a, b))
        if not (inner_a or inner_b):
            return
        pairs = self._paired(inner_a, inner_b, _NEAR_HOLE)
        films = [self._film(one, other, film) for one, other in pairs]
        if self.filming.safe:
            inside = self._kept_inside(film, pairs, films)
            lost = [k for k, (one, other) in enumerate(pairs) if one and other and not self._steady(inside[k], film)]
            if lost and not any(self.pinned.hold(pairs[k][0].outline) for k in lost):  # type: ignore[union-attr]
                # A hole that finds no steady path to its partner closes, and the partner opens.
                pairs = [pair for k, pair in enumerate(pairs) if k not in lost] + [
                    lone for k in lost for lone in ((pairs[k][0], None), (None, pairs[k][1]))
                ]
                films = [self._film(one, other, film) for one, other in pairs]
                inside = self._kept_inside(film, pairs, films)
            films = [replace(each, frames=frames) for each, frames in zip(films, inside, strict=True)]
            for frames, (one, other) in zip(inside, pairs, strict=True):
                # What appears or vanishes may well do so a little later or earlier.
                self.film.lost += int(np.isnan(frames[:, 0]).sum()) if one is not None and other is not None else 0
        for each, (one, other) in zip(films, pairs, strict=True):
            self._collect(each, one, other, curves)

    def _kept_inside(
        self,
        around: CurveFilm,
        pairs: Sequence[tuple[NestedOutline | None, NestedOutline | None]],
        films: Sequence[CurveFilm],
    ) -> list[Complex]:
        inner: list[tuple[Complex, Stay]] = [
            (each.frames, "comes" if one is None else "leaves" if other is None else "stays")
            for each, (one, other) in zip(films, pairs, strict=True)
        ]
        return keep_inside(around.frames, inner, self.times, self.finish)

    def _steady(self, frames: Complex, around: CurveFilm) -> bool:
        return is_steady(frames, around.frames, self.times)

    def _film(self, a: NestedOutline | None, b: NestedOutline | None, around: CurveFilm | None) -> CurveFilm:
        """The film of one outline; inside another, it goes where that carries it."""
        if a is None or b is None:
            return self._lone(a, b, around)
        guard = not (a.crossing or b.crossing)
        one, other = alike(a.outline, b.outline)
        pins = self.pinned.shares((a.outline, b.outline), (one, other))
        film = self.filming.make(one, other, self.times, self.finish, pins=pins, guard=guard)
        if around is None or not self.filming.safe:
            return film
        path = (1.0 - self.times) * carried(one.centre, around.a, around.frames)
        path = path + self.times * carried(other.centre, around.b, around.frames)
        return replace(film, frames=film.frames + (path - ring_centroid(film.frames))[:, None])

    def _lone(self, a: NestedOutline | None, b: NestedOutline | None, around: CurveFilm | None) -> CurveFilm:
        """A curve that shrinks to a point, or grows from one."""
        outline, share = (a.outline, 1.0 - self.times) if a is not None else (b.outline, self.times)  # type: ignore[union-attr]
        centre = outline.centre
        if around is not None:
            path = carried(centre, around.a if a is not None else around.b, around.frames)
        else:
            path = np.asarray(centre + (1.0 - share) * (self._elsewhere(centre, vanishing=a is not None) - centre))
        frames = path[:, None] + share[:, None] * (outline.points - centre)
        frames[share < _GONE] = np.nan
        return CurveFilm(frames, outline.points, outline.points, outline.closed, "free")

    def _elsewhere(self, centre: complex, *, vanishing: bool) -> complex:
        """Where a point lies in the other drawing: at the nearest dot there, or at the same position in its frame."""
        here, there = (self.frame_a, self.frame_b) if vanishing else (self.frame_b, self.frame_a)
        target = there.centre + (centre - here.centre) * there.size / here.size
        dots = np.array(self.b.dots if vanishing else self.a.dots)
        return complex(dots[np.argmin(np.abs(dots - target))]) if len(dots) else target

    def _add_dots(self) -> None:
        """Dots that both layers have move; they show where a stroke has round ends."""
        if self.a.dots and self.b.dots:
            t = self.times[:, None]
            for one, other in zip(self.a.dots, self.b.dots, strict=False):
                frames = np.repeat((1.0 - t) * one + t * other, 2, axis=1)
                self.film.parts.append([(self.finish(frames), False)])
                self._end(np.array([one, one]), np.array([other, other]))

    def _end(self, a: Complex, b: Complex) -> None:
        """Note how the curve that was filmed last lies in both drawings, each on its canvas."""
        lay = self.filming.canvas.lay
        self.film.ends.append((lay(a[None], np.zeros(1))[0], lay(b[None], np.ones(1))[0]))

    def _overlap(self) -> bool:
        """Whether the outlines of two parts meet in any frame."""
        import shapely

        outer = [part[0][0] for part in self.film.parts if part[0][1]]
        if len(outer) < 2:
            return False
        for k in range(len(self.times)):
            shown = [ring[k] for ring in outer if not np.isnan(ring[k, 0])]
            rings = np.array([shapely.linearrings(np.stack([r.real, r.imag], axis=-1)) for r in shown])
            one, other = shapely.STRtree(rings).query(rings, predicate="intersects")
            if np.any(one != other):
                return True
        return False


def alike(a: Outline, b: Outline) -> tuple[Outline, Outline]:
    """Both curves closed or both open: of a closed and an open one, the closed one is cut where that fits best."""
    if a.closed == b.closed:
        return a, b
    return (cut_open(a, b), b) if a.closed else (a, cut_open(b, a))
