"""Several key drawings and the frames between them, by Kochanek-Bartels splines.

Notes
-----
The spline is linear in its keys, and so is the wavelet transform. A spline through every control coefficient, as
[kochanek] would draw it, and a spline through every matched point are therefore the same curve
(``test_key_drawings.py::test_splines_of_points_are_splines_of_coefficients``); points keep corners exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.colours import mix_layers
from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.interpolation.intrinsic_interpolation import interpolate, rigid_rotation
from kinetune.contours.layer_shapes import LayerShapes, NestedOutline, split_layer
from kinetune.contours.matching.correspondence import correspondences
from kinetune.contours.matching.curve_pairing import Frame, Pairs, pair_up
from kinetune.contours.matching.layer_matching import Match, match_layers
from kinetune.contours.matching.outline_alignment import align
from kinetune.contours.morphing._curve_shortening import interpolate_smoothed
from kinetune.contours.morphing.canvas import CanvasChange, centre_of
from kinetune.contours.morphing.layer_films import alike
from kinetune.contours.morphing.morph import MOST_FRAMES, Morph
from kinetune.contours.moving_drawing import MovingCurve, MovingDrawing, MovingLayer
from kinetune.contours.outlines import Complex, Outline, all_simple, count_self_crossing
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

_EVEN = 128  # samples added at even steps


def inbetween(
    drawings: Sequence[Drawing],
    times: ArrayLike | None = None,
    frames: int | ArrayLike = 24,
    *,
    tension: ArrayLike = 0.0,
    continuity: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
    ends: Any = "natural",
    match: Match = "auto",
    elastic: bool = True,
    resolution: int | None = None,
) -> Morph:
    """Draw the frames between key drawings, as an inbetweener does.

    Parameters
    ----------
    drawings : sequence of Drawing
        Two or more key drawings. Each layer is followed from one to the next.
    times : array-like or None
        Of the key drawings, growing; 0, 1, 2 ... when left out.
    frames : int or array-like
        How many drawings, evenly from the first key to the last; or the times at which to draw.
    tension, continuity, bias : array-like
        One number, or one for each key; see :class:`kinetune.TCB`. Tension 1 comes to rest at a key, -1 swings wide;
        continuity -1 makes the motion jerk there; bias 1 overshoots it, -1 anticipates it.
    ends : object
        How the motion starts and stops, as in :class:`kinetune.TCB`: "natural", "zero" (at rest), ...
    match, elastic, resolution : str or bool
        As in :func:`kinetune.morph`.

    Returns
    -------
    Morph
        A list of drawings. A frame at the time of a key is that key drawing itself.

    Notes
    -----
    [kochanek] used on [chuang]'s control points. Where the splines let a curve cross itself between two keys, the shape
    is interpolated between these as in :func:`kinetune.morph`, no further along than the splines are
    (``test_key_drawings.py::test_inbetweens_do_not_cross``).

    Examples
    --------
    >>> from kinetune import sample_drawing
    >>> keys = [sample_drawing("face-happy"), sample_drawing("face-sad"), sample_drawing("face-happy")]
    >>> len(inbetween(keys, times=[0, 1, 2], frames=9, tension=0.5))
    9
    """
    keys = list(drawings)
    if len(keys) < 2:
        raise ParameterError(f"Frames are drawn between two or more key drawings; got {len(keys)}.")
    knots = np.arange(len(keys), dtype=float) if times is None else np.asarray(times, dtype=float)
    if knots.shape != (len(keys),) or not np.isfinite(knots).all() or np.any(np.diff(knots) <= 0):
        raise ParameterError(f"times must be {len(keys)} growing numbers, one for each key drawing.")
    moments = _moments(frames, knots)
    shape_parameters = {"tension": tension, "continuity": continuity, "bias": bias, "ends": ends}

    def spline(values: Floats) -> Floats:
        return np.asarray(TCB(knots, values, **shape_parameters)(moments))

    film = _KeyFilm(keys, knots, moments, match, elastic, spline)
    drawn, moving = film.frames()
    notes = list(film.notes)
    if crossed := count_self_crossing(drawn):
        notes.append(f"{crossed} of {len(drawn)} frames have a curve that crosses itself.")
    if resolution is not None:
        from kinetune.contours.descriptor.wavelet_descriptor import at_resolution

        return Morph([at_resolution(frame, resolution) for frame in drawn], notes)
    return Morph(drawn, notes, moving=moving)


def _moments(frames: int | ArrayLike, knots: Floats) -> Floats:
    if isinstance(frames, int | np.integer) and not isinstance(frames, bool):
        if not 2 <= frames <= MOST_FRAMES:
            raise ParameterError(f"frames must be a whole number from 2 to {MOST_FRAMES}, not {frames}.")
        moments = np.linspace(knots[0], knots[-1], int(frames))
        # A frame that is meant to fall on a key does, despite the rounding of its time.
        near = np.argmin(np.abs(moments[:, None] - knots), axis=1)
        return np.where(np.abs(moments - knots[near]) < 1e-9 * (knots[-1] - knots[0]), knots[near], moments)
    moments = np.asarray(frames, dtype=float)
    if moments.ndim != 1 or len(moments) > MOST_FRAMES or not np.all((moments >= knots[0]) & (moments <= knots[-1])):
        raise ParameterError(
            f"frames must be a number of frames, or one row of times from {knots[0]:g} to {knots[-1]:g}."
        )
    return moments


@dataclass(frozen=True, eq=False)
class CurveTrack:
    """One curve through all key drawings.

    points : (keys, n), sample i of one key becoming sample i of the next; at keys without the curve, a point.
    there : (keys,) whether the key has the curve.
    """

    points: Complex
    there: np.ndarray
    closed: bool

    @classmethod
    def through(cls, outlines: Sequence[Outline | None], elastic: bool = True) -> CurveTrack:
        """Follow a curve through keys, some of which may not have it."""
        there = np.array([outline is not None for outline in outlines])
        chain = _alike([outline for outline in outlines if outline is not None])
        maps = [next(correspondences(a, b, elastic=elastic)) for a, b in itertools.pairwise(chain)]
        closed = chain[0].closed
        share_sets: list[Floats] = [np.linspace(0.0, 1.0, _EVEN, endpoint=not closed)]
        for k, outline in enumerate(chain):
            shares: Floats = outline.shares[:-1] if closed else outline.shares
            for knots in reversed(maps[:k]):
                shares = _follow(shares, knots.b, knots.a, closed)
            share_sets.append(shares % 1.0 if closed else np.clip(shares, 0.0, 1.0))
        shares = np.unique(np.concatenate(share_sets))
        keep = np.concatenate([[True], np.diff(shares) > 1e-6])
        shares = shares[keep]
        rows = [chain[0].along(shares)]
        for outline, knots in zip(chain[1:], maps, strict=True):
            shares = _follow(shares, knots.a, knots.b, closed)
            rows.append(outline.along(shares))
        return cls(_with_missing(np.array(rows), there), there, closed)


def _alike(chain: Sequence[Outline]) -> list[Outline]:
    """The curves all closed or all open, open ones all run in the same direction."""
    line = next((outline for outline in chain if not outline.closed), None)
    if line is None:
        return list(chain)
    curves: list[Outline] = []
    for outline in chain:
        one = alike(outline, line)[0] if outline.closed else outline
        curves.append(one.reversed() if curves and align(curves[-1], one)[0].backwards else one)
    return curves


def _follow(shares: Floats, from_knots: Floats, to_knots: Floats, closed: bool) -> Floats:
    """Shares of one curve as shares of the next; round a closed curve they go on counting."""
    if not closed:
        return np.interp(shares, from_knots, to_knots)
    rounds = np.floor(shares - from_knots[0])
    followed: Floats = np.interp(shares - rounds, from_knots, to_knots) + rounds
    return followed


def _with_missing(rows: Complex, there: np.ndarray) -> Complex:
    """One row for each key: where the curve is missing, the middle of the nearest key that has it."""
    have = np.flatnonzero(there)
    points = np.empty((len(there), rows.shape[1]), dtype=complex)
    for key in range(len(there)):
        nearest = int(np.argmin(np.abs(have - key)))
        points[key] = rows[nearest] if there[key] else rows[nearest].mean()
    return points


class _KeyFilm:
    """All tracks of some key drawings, and the frames that they make."""

    def __init__(
        self,
        keys: list[Drawing],
        knots: Floats,
        moments: Floats,
        match: Match,
        elastic: bool,
        spline: Callable[[Floats], Floats],
    ) -> None:
        self.keys, self.knots, self.moments, self.spline = keys, knots, moments, spline
        self.canvases = [CanvasChange(keys[0].view_box, key.view_box) for key in keys]
        brought = [key.map_contours(canvas.bring) for key, canvas in zip(keys, self.canvases, strict=True)]
        layer_shapes = [[split_layer(layer) for layer in key.layers] for key in brought]
        self.notes = [
            f'Layer "{layer.name}" of key drawing {number} {note}.'
            for number, (key, parts) in enumerate(zip(keys, layer_shapes, strict=True))
            for layer, part in zip(key.layers, parts, strict=True)
            for note in part.notes
        ]
        steps = [
            match_layers(brought[k], brought[k + 1], layer_shapes[k], layer_shapes[k + 1], match=match)
            for k in range(len(keys) - 1)
        ]
        self.tracks = [
            _LayerTrack(
                [None if index is None else key.layers[index] for index, key in zip(row, keys, strict=True)],
                [
                    LayerShapes(()) if index is None else parts[index]
                    for index, parts in zip(row, layer_shapes, strict=True)
                ],
                elastic,
            )
            for row in _chains([len(key.layers) for key in keys], steps)
        ]

    def frames(self) -> tuple[list[Drawing], MovingDrawing]:
        """All frames, and the same by layers; frames at the time of a key are the key drawings themselves."""
        at = np.clip(np.searchsorted(self.knots, self.moments, side="right") - 1, 0, len(self.knots) - 2)
        spans = [
            (k, (moment - self.knots[k]) / (self.knots[k + 1] - self.knots[k]))
            for moment, k in zip(self.moments.tolist(), at.tolist(), strict=True)
        ]
        scales = [canvas.scale for canvas in self.canvases]
        layers, shown = [], []
        for track in self.tracks:
            curves = tuple(MovingCurve(self._laid(curve, spans), curve.closed) for curve in track.curves)
            paints = [track.painted(k, t, scales) for k, t in spans]
            seen = [paint for paint in paints if paint is not None]
            sized = (
                replace(paint or seen[0], stroke_width=self._size(k, t) * (paint or seen[0]).stroke_width)
                for paint, (k, t) in zip(paints, spans, strict=True)
            )
            layers.append(MovingLayer(curves, tuple(sized)))
            shown.append([paint is not None for paint in paints])
        orders = [tuple(n for n, row in enumerate(shown) if row[frame]) for frame in range(len(spans))]
        boxes = tuple(self._box(k, t) for k, t in spans)
        moving = MovingDrawing(tuple(layers), tuple(orders), boxes, self.keys[0].name)
        drawings = []
        for frame, (k, t) in enumerate(spans):
            exact = np.flatnonzero(self.knots == self.moments[frame])
            name = self.keys[k if t < 0.5 else k + 1].name
            drawings.append(self.keys[int(exact[0])] if len(exact) else replace(moving.drawing(frame), name=name))
        return drawings, moving

    def _places(self, track: CurveTrack) -> Complex:
        values = self.spline(np.stack([track.points.real, track.points.imag], axis=-1))
        places = values[..., 0] + 1j * values[..., 1]
        for k in range(len(self.knots) - 1):
            between = (self.moments > self.knots[k]) & (self.moments < self.knots[k + 1])
            if track.there[k] and track.there[k + 1] and between.any():
                places[between] = _uncrossed(places[between], track.points[k], track.points[k + 1], track.closed)
        return places

    def _laid(self, track: CurveTrack, spans: Sequence[tuple[int, float]]) -> Complex:
        """A curve on the canvases of the frames; not-a-number where neither key beside a frame has it."""
        places, first = self._places(track), self.keys[0].view_box
        for frame, (k, t) in enumerate(spans):
            there = track.there[[k, k + 1]] if 0.0 < t < 1.0 else track.there[[k if t <= 0.0 else k + 1]]
            box = self._box(k, t)
            if not there.any():
                places[frame] = np.nan
            elif box != first:
                places[frame] = centre_of(box) + self._size(k, t) * (places[frame] - centre_of(first))
        return places

    def _size(self, k: int, t: float) -> float:
        return (1.0 - t) / self.canvases[k].scale + t / self.canvases[k + 1].scale

    def _box(self, k: int, t: float) -> tuple[float, float, float, float]:
        return CanvasChange(self.keys[k].view_box, self.keys[k + 1].view_box).box(t)


def _uncrossed(places: Complex, a: Complex, b: Complex, closed: bool) -> Complex:
    """Frames of a curve between two keys without a crossing, if neither key crosses itself.

    The first of these that has none: the frames themselves, the shapes between both keys by edges and bends, and those
    with detail taken out on the way; otherwise frames that cross repeat the nearest that does not.
    """
    if all_simple(places, closed).all() or not all_simple(np.stack([a, b]), closed).all():
        return places
    way = b - a
    size = float(np.sum(np.abs(way) ** 2))
    times = np.clip(((places - a) @ np.conj(way)).real / size, 0.0, 1.0)  # how far along the splines are

    def sound(frames: Complex) -> bool:
        return bool(all_simple(frames, closed).all())

    frames = interpolate(a, b, times, closed=closed)
    if sound(frames):
        return frames
    if closed:
        rotation = rigid_rotation(a, b)
        smoothed = interpolate_smoothed(a, b, times, lambda x, y, t: interpolate(x, y, t, rotation=rotation), sound)
        if smoothed is not None:
            return smoothed[0]
    everything = np.concatenate([a[None], places, b[None]])
    fine = np.flatnonzero(np.concatenate([[True], all_simple(places, closed), [True]]))
    held: Complex = everything[fine[np.argmin(np.abs(np.arange(1, len(places) + 1)[:, None] - fine), axis=1)]]
    return held


def _chains(counts: Sequence[int], steps: Sequence[Pairs]) -> list[list[int | None]]:
    """Follow things from key to key: a row of numbers for each, None where it is missing; in the order of painting."""
    rows: list[list[int | None]] = [[index] for index in range(counts[0])]
    for key, pairs in enumerate(steps, start=1):
        partner = {i: j for i, j in pairs if i is not None}
        for row in rows:
            last = row[-1]
            row.append(None if last is None else partner.get(last))
        new = [j for i, j in pairs if i is None and j is not None]
        for index in new:
            below = [place for place, row in enumerate(rows) if row[-1] is not None and row[-1] < index]
            rows.insert(max(below, default=-1) + 1, [None] * key + [index])
    return rows


class _LayerTrack:
    """A layer through all key drawings, and the tracks of its curves."""

    def __init__(self, layers: Sequence[Layer | None], layer_shapes: Sequence[LayerShapes], elastic: bool) -> None:
        self.layers = layers
        levels = [_by_level(part) for part in layer_shapes]
        if any(set(key) != set(levels[0]) for key in levels if key and levels[0]):
            # A line may become a ring; where every key has both, they keep to their own kind.
            levels = [_by_level(part, kinds=False) for part in layer_shapes]
        self.curves: list[CurveTrack] = []
        for level in sorted({level for key in levels for level in key}):
            curves = [key.get(level, []) for key in levels]
            frames = [Frame.around([outline for group in key.values() for outline in group]) for key in levels]
            steps = [pair_up(curves[k], curves[k + 1], frames[k], frames[k + 1]) for k in range(len(curves) - 1)]
            for row in _chains([len(key) for key in curves], steps):
                chain = [None if index is None else key[index] for index, key in zip(row, curves, strict=True)]
                self.curves.append(CurveTrack.through(chain, elastic))

    def painted(self, k: int, t: float, scales: Sequence[float]) -> Layer | None:
        """The layer between key k and the next, without its curves, on the first canvas; None where it is missing."""
        a, b = self.layers[k], self.layers[k + 1]
        if a is None or b is None:
            only = a if a is not None else b
            scale = scales[k] if a is not None else scales[k + 1]
            return None if only is None else replace(only, contours=(), stroke_width=scale * only.stroke_width)
        return mix_layers(a, b, t, scales[k], scales[k + 1])


def _by_level(shapes: LayerShapes, *, kinds: bool = True) -> dict[tuple[int, bool], list[Outline]]:
    """The curves of a layer by how deep they lie in each other and, if asked, whether they are closed."""
    outlines: dict[tuple[int, bool], list[Outline]] = {}

    def add(shape: NestedOutline, depth: int) -> None:
        outlines.setdefault((depth, shape.outline.closed or not kinds), []).append(shape.outline)
        for inner in shape.inner:
            add(inner, depth + 1)

    for shape in shapes.shapes:
        add(shape, 0)
    return outlines
