"""The timing of films: any number of keys, eases that overshoot, holds, drawings on twos, layers that start later.

===========  ================================================================
morph_keys   the film through any number of key drawings
overshoot    drawings also before the first key and beyond the last
on_twos      every drawing shown for two frames, or for more
===========  ================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.morphing.methods import Method
from kinetune.contours.morphing.morph import MOST_FRAMES, LayerReport, Morph, morph_at
from kinetune.contours.moving_drawing import MovingCurve, MovingDrawing, MovingLayer, join_films, link_frames
from kinetune.contours.outlines import Complex, all_simple
from kinetune.contours.timing.eases import Ease, eased
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats

_EDGE = 1e-7  # the time next to a key at which its curves have the points of the film
_MOST_SWING = 0.5  # of the way from key to key: how far an ease may overshoot


def morph_keys(
    drawings: Sequence[Drawing],
    times: ArrayLike | None = None,
    frames: int = 24,
    *,
    ease: Ease | Sequence[Ease] = "linear",
    hold: int | Sequence[int] = 0,
    on: int = 1,
    offsets: Mapping[str, float] | None = None,
    method: Method = "safe",
    **options: Any,
) -> Morph:
    """Turn one drawing into the next, through any number of keys.

    Parameters
    ----------
    drawings : sequence of Drawing
        Two or more.
    times : array-like or None
        When each key is reached, growing, in any unit; evenly when left out.
    frames : int
        How many drawings from the first key to the last, held ones not counted.
    ease : str, function, or a sequence of them
        How time runs from key to key, see :mod:`kinetune.contours.timing.eases`; one for all or one for each step.
        Eases that overshoot carry the motion on beyond the key, as far as no curve crosses itself.
    hold : int or sequence of int
        For how many more frames a key stands still; one number for all keys or one for each.
    on : int
        Draw on ones, twos or threes: for how many frames each drawing is shown.
    offsets : mapping or None
        How much later a layer starts than the others, as a share of each step, by its name: {"tail": 0.2}. Negative
        for earlier. All layers arrive by the end of the step.
    method, options
        As in :func:`kinetune.morph`.

    Returns
    -------
    Morph
        A list of drawings, ``frames`` and the held ones.

    Examples
    --------
    >>> from kinetune import sample_drawing
    >>> keys = [sample_drawing(name) for name in ("face-happy", "face-sad", "face-happy")]
    >>> len(morph_keys(keys, [0, 1, 3], frames=9, ease="back", hold=[0, 2, 0]))
    11
    """
    keys = list(drawings)
    if len(keys) < 2:
        raise ParameterError(f"A film takes two or more key drawings; got {len(keys)}.")
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer) or not 2 <= frames <= MOST_FRAMES:
        raise ParameterError(f"frames must be a whole number from 2 (both drawings) to {MOST_FRAMES}, not {frames}.")
    knots = np.arange(len(keys), dtype=float) if times is None else np.asarray(times, dtype=float)
    if knots.shape != (len(keys),) or not np.isfinite(knots).all() or np.any(np.diff(knots) <= 0):
        raise ParameterError(f"times must be {len(keys)} growing numbers, one for each key drawing.")
    eases = _one_each(ease, len(keys) - 1, "eases", "one for each step")
    holds = _one_each(hold, len(keys), "holds", "one for each key")
    if any(isinstance(h, bool) or int(h) != h or not 0 <= h <= MOST_FRAMES for h in holds):
        raise ParameterError(f"A hold is a whole number of frames from 0 to {MOST_FRAMES}.")
    step, share = _timeline(knots, int(frames), [int(h) for h in holds], _checked_on(on))
    if len(step) > MOST_FRAMES:
        raise ParameterError(f"The film would have {len(step)} frames; {MOST_FRAMES} is the most.")
    drawn: list[Drawing] = [keys[0]] * len(step)
    notes: dict[str, None] = {}
    reports: list[LayerReport] = []
    used: set[str] = set()
    moving = []
    for number, one_ease in enumerate(eases):
        here = np.flatnonzero(step == number)
        if len(here) == 0:
            continue
        part = _step_film(keys[number], keys[number + 1], share[here], one_ease, offsets or {}, method, options)
        for index, drawing in zip(here.tolist(), part, strict=True):
            drawn[index] = drawing
        notes |= dict.fromkeys(part.notes)
        reports += part.layers
        moving.append(part.moving)
        used |= {name for report in part.layers for name in (report.a, report.b) if name}
    if (unknown := next((name for name in offsets or {} if name not in used), None)) is not None:
        raise UnknownNameError("layer", unknown, sorted(used))
    known = [part for part in moving if part is not None]
    whole = None if len(known) < len(moving) else known[0] if len(known) == 1 else join_films(known)
    return Morph(drawn, tuple(notes), reports, whole)


def _one_each(value: Any, count: int, what: str, each: str) -> list[Any]:
    """One value for all, or one for each."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return [value] * count
    values = list(value)
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise ParameterError(f"Give one of the {what} for all, or {count}, {each}; got {len(values)}.")
    return values


def _checked_on(on: int) -> int:
    if isinstance(on, bool) or not isinstance(on, int | np.integer) or not 1 <= on <= 24:
        raise ParameterError(f"Drawings are on ones, twos, threes ... up to 24 frames, not on {on}.")
    return int(on)


def _timeline(knots: Floats, frames: int, holds: Sequence[int], on: int) -> tuple[np.ndarray, Floats]:
    """For every frame the step it belongs to, and the share of it that is over."""
    count = -(-frames // on)  # drawings; the first and the last are keys
    moments = np.repeat(np.linspace(knots[0], knots[-1], max(count, 2))[:count], on)[:frames]
    near = np.argmin(np.abs(moments[:, None] - knots), axis=1)
    on_key = np.abs(moments - knots[near]) < 1e-9 * (knots[-1] - knots[0])
    moments = np.where(on_key, knots[near], moments)
    held = np.repeat(knots, holds)
    moments = np.sort(np.concatenate([moments, held]), kind="stable")
    step = np.clip(np.searchsorted(knots, moments, side="right") - 1, 0, len(knots) - 2)
    return step, (moments - knots[step]) / np.diff(knots)[step]


def on_twos(film: Sequence[Drawing], on: int = 2) -> list[Drawing]:
    """A film with every drawing shown for two frames, or for ``on``; it lasts as long as before."""
    on = _checked_on(on)
    return [film[k - k % on] for k in range(len(film))]


def _step_film(
    a: Drawing,
    b: Drawing,
    shares: Floats,
    ease: Ease,
    offsets: Mapping[str, float],
    method: Method,
    options: Mapping[str, Any],
) -> Morph:
    """The film from one key to the next, its layers at times of their own."""

    def film(moments: Floats) -> Morph:
        return overshoot(lambda times: morph_at(a, b, times, method, **options), eased(moments, ease))

    late = {float(value) for value in offsets.values()} | {0.0}
    first, last = min(late), max(late)
    if not all(np.isfinite(value) and abs(value) < 1.0 for value in late) or last - first >= 1.0:
        raise ParameterError("Offsets of layers are shares of a step, less than 1 apart.")
    films = {value: film(np.clip((shares - (value - first)) / (1.0 - (last - first)), 0.0, 1.0)) for value in late}
    usual = films[0.0]
    pairs = {name: report for report in usual.layers for name in (report.a, report.b) if name}
    for value, other in films.items():
        names = {
            name
            for given, late_by in offsets.items()
            if float(late_by) == value and value != 0.0 and given in pairs
            for name in (pairs[given].a, pairs[given].b)
            if name
        }
        if names:
            usual[:] = [_with_layers_of(one, layers, names) for one, layers in zip(usual, other, strict=True)]
            usual.moving = None
    return usual


def _with_layers_of(drawing: Drawing, other: Drawing, names: set[str]) -> Drawing:
    """A drawing whose layers of these names are as in another drawing."""
    taken = [layer for layer in other.layers if _base(layer) in names]
    others = [(k, layer) for k, layer in enumerate(drawing.layers) if _base(layer) not in names]
    gone = [k for k, layer in enumerate(drawing.layers) if _base(layer) in names]
    order = [_base(layer) for layer in other.layers]
    if gone:
        at = sum(k < gone[0] for k, _ in others)
    else:  # it is not in this drawing: above what lies below it in the other
        below = set(order[: order.index(_base(taken[0]))]) if taken else set()
        at = max((number + 1 for number, (_, layer) in enumerate(others) if _base(layer) in below), default=0)
    layers = [layer for _, layer in others]
    return drawing.replace_layers((*layers[:at], *taken, *layers[at:]))


def _base(layer: Layer) -> str:
    """The name of a layer without the number of its part."""
    name, _, number = layer.name.rpartition(" (")
    return name if name and number.rstrip(")").isdigit() else layer.name


def overshoot(film: Callable[[Floats], Morph], times: Floats) -> Morph:
    """A film at any times: before 0 and beyond 1, curves go on past the key as they came, mirrored at it.

    Parameters
    ----------
    film : function
        The film at times from 0 to 1.
    times : array
        At most half a step outside. A curve goes on only as far as it does not cross itself.
    """
    times = np.clip(times, -_MOST_SWING, 1.0 + _MOST_SWING)
    outside = (times < 0.0) | (times > 1.0)
    if not outside.any():
        return film(times)
    mirrored = np.where(times < 0.0, -times, np.where(times > 1.0, 2.0 - times, times))
    both = film(np.concatenate([mirrored, [_EDGE, 1.0 - _EDGE]]))
    moving = _carried_on(both.moving or link_frames(both), times)
    frames = [
        replace(moving.drawing(k), name=both[-2 if times[k] < 0.0 else -1].name) if outside[k] else both[k]
        for k in range(len(times))
    ]
    return Morph(frames, both.notes, both.layers, moving)


def _carried_on(film: MovingDrawing, times: Floats) -> MovingDrawing:
    """A film whose last two frames are its keys: what lies outside of them goes on past the key as it came."""
    numbers = np.arange(len(times))
    key = np.where(times < 0.0, len(times), np.where(times > 1.0, len(times) + 1, numbers)).tolist()
    curves: dict[int, tuple[MovingCurve, ...]] = {}  # what shares its curves goes on sharing them
    layers = []
    for layer in film.layers:
        if id(layer.curves) not in curves:
            points = [curve.points[: len(times)].copy() for curve in layer.curves]
            for k in np.flatnonzero(numbers != key).tolist():
                for row, past in zip(points, _past_key(layer.curves, k, key[k]), strict=True):
                    row[k] = past
            curves[id(layer.curves)] = tuple(
                MovingCurve(row, curve.closed) for row, curve in zip(points, layer.curves, strict=True)
            )
        layers.append(MovingLayer(curves[id(layer.curves)], tuple(layer.paints[k] for k in key)))
    return MovingDrawing(
        tuple(layers), tuple(film.orders[k] for k in key), tuple(film.boxes[k] for k in key), film.name
    )


def _past_key(curves: Sequence[MovingCurve], frame: int, key: int) -> list[Complex]:
    """The curves of a layer as far past a key as a frame is before it, or as far as none of them crosses itself."""
    ends = [curve.points[key] for curve in curves]
    ways = [np.nan_to_num(end - curve.points[frame]) for end, curve in zip(ends, curves, strict=True)]
    for share in (1.0, 0.5, 0.25, 0.125):
        past = [end + share * way for end, way in zip(ends, ways, strict=True)]
        pairs = zip(past, ends, curves, strict=True)
        if all(_simple(one, curve.closed) or not _simple(end, curve.closed) for one, end, curve in pairs):
            return past
    return ends


def _simple(points: Complex, closed: bool) -> bool:
    return len(points) < 3 or bool(np.isnan(points[0])) or bool(all_simple(points[None], closed)[0])
