"""A layer that becomes another: its curves paired and filmed, its paint mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinetune.contours.colours import mix_layers
from kinetune.contours.drawing import Layer
from kinetune.contours.layer_shapes import LayerShapes, NestedOutline
from kinetune.contours.matching.curve_pairing import (
    DrawingPins,
    Frame,
    PinnedCurves,
    pair_up,
    same_shapes,
    without_half_twins,
)
from kinetune.contours.matching.outline_alignment import cut_open
from kinetune.contours.morphing._holes import (
    Stay,
    carried,
    carried_curve,
    is_bent,
    is_steady,
    keep_inside,
    to_middle_line,
)
from kinetune.contours.morphing._splits import split_alike
from kinetune.contours.morphing.canvas import CanvasChange
from kinetune.contours.morphing.safe_films import CurveFilm, Finish, How
from kinetune.contours.outlines import Complex, Outline, all_simple, ring_centroid
from kinetune.rotations import Floats

FilmMaker = Callable[..., CurveFilm]
_NEAR_HOLE = 0.3  # of the frame: a hole does not become one that is further away or more unlike than this
_NUDGES = 1e-5 * np.exp(2j * np.pi * np.arange(1, 13) * 0.381966) * np.linspace(0.4, 2.0, 12)  # of the canvas
_THIN = 160  # points of a hole that gets thinner
_THREAD = 0.06  # a hole that is thinner than this share of itself is not drawn
_GONE = 0.02  # a curve smaller than this share of itself is not drawn
_LEAVES, _COMES = (0.0, 0.5), (0.5, 1.0)  # when curves without a partner shrink and grow: one after the other


@dataclass(frozen=True)
class Filming:
    """What all layers of a morph share.

    times : (times,), strictly between 0 and 1.
    make : a film of two outlines: ``make(a, b, times, finish, pins=..., guard=..., upright=...)``, both closed or both
        open.
    safe : whether curves are kept from crossing each other, too.
    clock : how far everything has got at given times, from 0 to 1; paint, places and details keep this time.
    """

    times: Floats
    canvas: CanvasChange
    make: FilmMaker
    safe: bool = True
    clock: Callable[[Floats], Floats] = lambda times: times

    @property
    def progress(self) -> Floats:
        """How far everything has got at the times of the film."""
        return self.clock(self.times)

    def finish(self, extent: float) -> Finish:
        """How frames of curves, the smallest of which has that extent, are put on paper."""

        def finished(frames: Complex) -> Complex:
            laid = self.canvas.lay(frames, self.times)
            return self.canvas.rounded(laid, extent) if self.safe else laid

        return finished

    def settle(self, film: CurveFilm, finish: Finish) -> CurveFilm:
        """A film that was moved or resized, finished again: where rounding makes it cross itself, nudged or left out.

        Of a film that crosses itself by nature ("free"), nothing is left out.
        """
        finished = finish(film.frames)
        shown = ~np.isnan(film.frames[:, 0])
        if not self.safe or not shown.any():
            return replace(film, frames=finished)
        wrong = shown.copy()
        wrong[shown] = ~all_simple(finished[shown], film.closed)
        for nudge in _NUDGES if wrong.any() else ():
            tried = finish(film.frames + nudge * self.canvas.a[2])
            finished[wrong] = tried[wrong]
            wrong[wrong] = ~all_simple(finished[wrong], film.closed)
            if not wrong.any():
                break
        if film.how != "free":
            finished[wrong] = np.nan
        return replace(film, frames=finished)

    def paints(self, a: Layer | None, b: Layer | None, times: Floats) -> tuple[Layer, ...]:
        """The paint at some times, see :meth:`paint`; one object where it never changes."""
        if a is not None and b is not None and self.canvas.a == self.canvas.b:
            one = a.replace_contours(())
            if one == b.replace_contours(()):
                return (one,) * len(times)
        return tuple(self.paint(a, b, t) for t in times.tolist())

    def paint(self, a: Layer | None, b: Layer | None, t: float) -> Layer:
        """The paint between that of two layers at a time, on the canvas of that time; None for no such layer."""
        size, scale = self.canvas.size(t), self.canvas.scale
        if a is not None and b is not None:
            return mix_layers(a, b, float(self.clock(np.array([t]))[0]), size, size * scale)
        only = a if a is not None else b
        assert only is not None
        return replace(only, contours=(), stroke_width=size * (1.0 if b is None else scale) * only.stroke_width)


@dataclass(eq=False)
class LayerFilm:
    """One layer of a morph over time.

    parts : groups of curves; each group is an outline with what lies in it. Their frames are on the canvases of their
        times, their keys on the first canvas; a frame or key that is not-a-number is not drawn.
    apart : whether the groups overlap on the way and must be painted one by one.
    films : all curves, on the first canvas.
    """

    a: Layer | None
    b: Layer | None
    parts: list[list[CurveFilm]] = field(default_factory=list)
    apart: bool = False
    films: list[CurveFilm] = field(default_factory=list)
    lost: int = 0

    @property
    def filled(self) -> bool:
        """Whether anything is filled, so that overlaps show."""
        return any(layer is not None and layer.fill is not None for layer in (self.a, self.b))


def film_layer(
    filming: Filming,
    a: tuple[Layer, LayerShapes] | None,
    b: tuple[Layer, LayerShapes] | None,
    pins: DrawingPins = (),
    around: CurveFilm | None = None,
    upright: float | None = None,
) -> LayerFilm:
    """A layer of the first drawing that becomes one of the second; None for one that appears or vanishes.

    around : the film of an outline on which the layer lies, and which carries it.
    upright : of a part of a drawing, by how much what it lies on rotates.
    """
    film = LayerFilm(None if a is None else a[0], None if b is None else b[0])
    nothing = LayerShapes(())
    _Work(filming, nothing if a is None else a[1], nothing if b is None else b[1], pins, film, around, upright).run()
    return film


class _Work:
    """The work on one pair of layers."""

    def __init__(
        self,
        filming: Filming,
        a: LayerShapes,
        b: LayerShapes,
        pins: DrawingPins,
        film: LayerFilm,
        around: CurveFilm | None,
        upright: float | None,
    ) -> None:
        if filming.safe and film.filled and not pins:
            a, b = split_alike(a, b)
        self.filming, self.a, self.b, self.film, self.around = filming, a, b, film, around
        self.upright = upright
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
        if self.filming.safe and not fixed:
            fixed = same_shapes(curves_a, curves_b)
        pairs = pair_up(curves_a, curves_b, self.frame_a, self.frame_b, fixed, most)
        if np.isfinite(most):
            pairs = without_half_twins(pairs, curves_a, curves_b)
        return [(None if i is None else a[i], None if j is None else b[j]) for i, j in pairs]

    def _add(self, a: NestedOutline | None, b: NestedOutline | None) -> None:
        """A new part: an outline, and what lies in it."""
        film = self._film(a, b, self.around)
        curves: list[CurveFilm] = []
        self._collect(film, a, b, curves)
        settled = [self.filming.settle(curve, self.finish) for curve in curves[1:]]
        if self.around is None and a is not None and b is not None:  # judged when it was made
            self.film.parts.append([replace(film, frames=self.finish(film.frames)), *settled])
        else:
            self.film.parts.append([self.filming.settle(film, self.finish), *settled])

    def _collect(
        self, film: CurveFilm, a: NestedOutline | None, b: NestedOutline | None, curves: list[CurveFilm]
    ) -> None:
        """Put the film of an outline, and those of everything in it, into the list."""
        self.film.films.append(film)
        curves.append(film)
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
        film = self.filming.make(one, other, self.times, self.finish, pins=pins, guard=guard, upright=self.upright)
        if around is None or not self.filming.safe:
            return film
        share = self.filming.progress
        path = (1.0 - share) * carried(one.centre, around.a, around.frames)
        path = path + share * carried(other.centre, around.b, around.frames)
        centres = (1.0 - share) * one.centre + share * other.centre
        middle = ring_centroid(film.frames) if one.closed else centres
        return replace(film, frames=film.frames + (path - middle)[:, None])

    def _lone(self, a: NestedOutline | None, b: NestedOutline | None, around: CurveFilm | None) -> CurveFilm:
        """A curve that shrinks to a point, or grows from one."""
        done = self.filming.progress
        leaves, comes = 1.0 - done, done
        if self.a.shapes and self.b.shapes:  # beside others, one after the other
            leaves, comes = 1.0 - smooth_step(done, _LEAVES), smooth_step(done, _COMES)
        outline, share = (a.outline, leaves) if a is not None else (b.outline, comes)  # type: ignore[union-attr]
        centre = outline.centre
        key = outline.points
        if around is not None and self.filming.safe and is_bent(outline):
            return self._closing(outline, share, around, vanishing=a is not None)
        if around is not None:
            path = carried(centre, around.a if a is not None else around.b, around.frames)
        else:
            path = np.asarray(centre + (1.0 - share) * (self._elsewhere(centre, vanishing=a is not None) - centre))
        frames = path[:, None] + share[:, None] * (key - centre)
        frames[share < _GONE] = np.nan
        nothing = np.full(len(key), complex(np.nan, np.nan))
        crossing = a.crossing if a is not None else b.crossing  # type: ignore[union-attr]
        how: How = "free" if crossing else "first"
        keys = (key, nothing) if a is not None else (nothing, key)
        return CurveFilm(frames, keys[0], keys[1], outline.closed, how)

    def _closing(self, outline: Outline, share: Floats, around: CurveFilm, *, vanishing: bool) -> CurveFilm:
        """A hole that is bent round itself: it gets thinner all along, down to its middle line, or comes from it."""
        parts = np.maximum(np.ceil(np.abs(np.diff(outline.path)) * _THIN / outline.length), 1).astype(int)
        edge_of = np.repeat(np.arange(len(parts)), parts)
        part_of = np.arange(len(edge_of)) - np.repeat(np.cumsum(parts) - parts, parts)
        key = outline.along(np.interp(edge_of + part_of / parts[edge_of], np.arange(len(parts) + 1), outline.shares))
        around_key = around.a if vanishing else around.b
        edge, middle = (carried_curve(z, around_key, around.frames) for z in (key, to_middle_line(key)))
        frames = middle + share[:, None] * (edge - middle)
        frames[share < _THREAD] = np.nan
        nothing = np.full(len(key), complex(np.nan, np.nan))
        one, other = (key, nothing) if vanishing else (nothing, key)
        return CurveFilm(frames, one, other, outline.closed, "first")

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
                ends = np.array([one, one]), np.array([other, other])
                self.film.parts.append([CurveFilm(self.finish(frames), *ends, closed=False, how="free")])

    def _overlap(self) -> bool:
        """Whether the outlines of two parts meet in any frame."""
        import shapely

        outer = [part[0].frames for part in self.film.parts if part[0].closed]
        if len(outer) < 2:
            return False
        for k in range(len(self.times)):
            shown = [ring[k] for ring in outer if not np.isnan(ring[k, 0])]
            rings = np.array([shapely.linearrings(np.stack([r.real, r.imag], axis=-1)) for r in shown])
            one, other = shapely.STRtree(rings).query(rings, predicate="intersects")
            if np.any(one != other):
                return True
        return False


def smooth_step(times: Floats, span: tuple[float, float]) -> Floats:
    """From 0 before a span of time to 1 after it."""
    x = np.clip((times - span[0]) / (span[1] - span[0]), 0.0, 1.0)
    rise: Floats = x * x * (3.0 - 2.0 * x)
    return rise


def alike(a: Outline, b: Outline) -> tuple[Outline, Outline]:
    """Both curves closed or both open: of a closed and an open one, the closed one is cut where that fits best."""
    if a.closed == b.closed:
        return a, b
    return (cut_open(a, b), b) if a.closed else (a, cut_open(b, a))
