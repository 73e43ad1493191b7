"""Curves of keys at given times: constant, linear and cubic segments, tangents given or automatic, and what is outside.

A curve is held as arrays over its keys. Curves that share their times, as those of a baked motion do, are evaluated
together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.formats.fbx.encoding.records import FbxFile, Record
from kinetune.rotations import Floats

STEP, LINEAR, CUBIC = 0x2, 0x4, 0x8
NEXT = 0x100  # of a step: it takes the value of the key after it
AUTO, TCB, USER = 0x100, 0x200, 0x400
CLAMP, TIME_INDEPENDENT, PROGRESSIVE = 0x1000, 0x2000, 0x4000
RIGHT_WEIGHTED, LEFT_WEIGHTED = 0x1000000, 0x2000000
_WEIGHT = 1.0 / 3.0
_OUTSIDE = {"C": "constant", "R": "repeat", "M": "mirror", "A": "relative", "K": "slope"}
_ON_KEY = 1e-3  # of a frame
_EQUAL = 1e-4  # values closer than this are equal to a key that clamps


@dataclass(frozen=True, eq=False)
class Shapes:
    """What the segments after each key look like.

    flags : (keys,) as the file has them
    out_slope, in_slope : (keys,) the slopes by which the curve leaves a key and arrives at it, per second
    out_weight, in_weight : (keys,) how far the handles reach, as parts of the segment
    """

    flags: NDArray[np.int64]
    out_slope: Floats
    in_slope: Floats
    out_weight: Floats
    in_weight: Floats


class KeyCurve:
    """One curve: times (keys,) in seconds and values (keys,)."""

    def __init__(self, file: FbxFile, record: Record, times: Floats, values: Floats) -> None:
        self._file, self._record = file, record
        self.times, self.values = times, values

    @cached_property
    def shapes(self) -> Shapes | None:
        """What its segments look like; None where all are linear."""
        return _read_shapes(self._file, self._record, self.times, self.values)

    @cached_property
    def before(self) -> tuple[str, int]:
        """What comes before the first key ("constant", "repeat", "mirror", "relative" or "slope"), and how often."""
        return _outside(self._record, "Pre")

    @cached_property
    def after(self) -> tuple[str, int]:
        """The same for what comes after the last key."""
        return _outside(self._record, "Post")


KeyTimes = dict[int, tuple[NDArray[Any], Floats]]
"""Key times in ticks and in seconds, by the id of the array that holds the ticks; curves of one take share them."""


def read_curve(file: FbxFile, record: Record, ticks: float, times: KeyTimes) -> KeyCurve | None:
    """A curve of the file; None when it has no keys. ``times`` is filled."""
    ticked, values = record.arrays("KeyTime", "KeyValueFloat")
    if ticked is None or values is None or len(ticked) == 0:
        return None
    if len(values) != len(ticked):
        raise file.fail(f"a curve has {len(ticked)} times but {len(values)} values.", place=_place(record))
    known = times.get(id(ticked))
    if known is None:
        seconds = ticked.astype(float) / ticks
        if not np.isfinite(seconds).all() or (np.diff(seconds) < 0).any():
            raise file.fail("the keys of a curve are not in order.", place=_place(record))
        known = times[id(ticked)] = ticked, seconds
    if not math.isfinite(values @ values) and not np.isfinite(values).all():
        raise file.fail("a key has a value that is not a number.", place=_place(record))
    return KeyCurve(file, record, known[1], values)


def _place(record: Record) -> str:
    return f"{record.place}{record.name}"


def _outside(record: Record, side: str) -> tuple[str, int]:
    described = record.child(f"{side}-Extrapolation") or record.child(f"{side}_Extrapolation")
    if described is None:
        return "constant", -1
    kind = described.value("Type", "C")
    letter = chr(kind) if isinstance(kind, int) and 0 < kind < 128 else str(kind)[:1]
    count = described.value("Repetition", -1)
    return _OUTSIDE.get(letter, "constant"), int(count) if isinstance(count, int | float) else -1


def _read_shapes(file: FbxFile, record: Record, times: Floats, values: Floats) -> Shapes | None:
    runs, counts, data = record.arrays("KeyAttrFlags", "KeyAttrRefCount", "KeyAttrDataFloat")
    if runs is None or counts is None or len(runs) == 0 or not (runs.astype(np.int64) & (STEP | CUBIC)).any():
        return None
    keys = len(times)
    counts = np.clip(counts.astype(np.int64), 0, keys)
    if len(counts) != len(runs) or counts.sum() < keys or data is None or len(data) < 4 * len(runs):
        raise file.fail("the shapes of the keys do not match the keys.", place=_place(record))
    if data.dtype.itemsize != 4:
        data = _floats_from_text(data)
    run = np.repeat(np.arange(len(runs)), counts)[:keys]
    flags = runs.astype(np.int64)[run]
    slots = data[: 4 * len(runs)].astype("<f4").reshape(-1, 4)
    handles = np.ascontiguousarray(slots[:, 2]).view("<u4")[run]
    numbers = slots.astype(float)[run]
    numbers[~np.isfinite(numbers)] = 0.0
    out_weight = np.where(flags & RIGHT_WEIGHTED, (handles & 0xFFFF) / 10_000.0, _WEIGHT)
    next_weight = np.where(flags & LEFT_WEIGHTED, (handles >> 16) / 10_000.0, _WEIGHT)
    in_weight = np.concatenate([[_WEIGHT], next_weight[:-1]])
    cubic = (flags & CUBIC) != 0
    automatic = cubic & ((flags & AUTO) != 0)
    with_tension = cubic & ((flags & TCB) != 0) & ~automatic
    next_slope = np.where(with_tension, 0.0, numbers[:, 1])  # there it is the continuity
    out_slope, in_slope = numbers[:, 0].copy(), np.concatenate([[0.0], next_slope[:-1]])
    if automatic.any():
        floats = values.astype(float)
        for slopes, biases, leaving in ((out_slope, out_slope.copy(), True), (in_slope, in_slope.copy(), False)):
            slope = _automatic_slopes(times, floats, flags, (out_weight, in_weight), biases if leaving else -biases)
            slopes[automatic] = slope[automatic]
    if with_tension.any():
        out, into = _tension_slopes(times, values.astype(float), numbers[:, :3])
        out_slope[with_tension], in_slope[with_tension] = out[with_tension], into[with_tension]
    return Shapes(flags, out_slope, in_slope, out_weight, in_weight)


def _floats_from_text(data: NDArray[np.floating]) -> NDArray[np.float32]:
    """Numbers of a text file, which are the bits of floats as integers, or plain numbers in older files."""
    if (data == np.round(data)).all() and np.abs(data).max(initial=0.0) >= 1 << 20:
        return (data.astype(np.int64) & 0xFFFFFFFF).astype("<u4").view("<f4")
    return data.astype("<f4")


def _secants(times: Floats, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """For each key the time and the change since the key before, and the same until the key after; 0 at ends."""
    spans, changes = np.diff(times), np.diff(values)
    zero = np.zeros(1)
    ends = [np.concatenate([zero, part]) for part in (spans, changes)]
    begins = [np.concatenate([part, zero]) for part in (spans, changes)]
    return ends[0], ends[1], begins[0], begins[1]


def _ratio(over: Floats, under: Floats) -> Floats:
    return np.asarray(over / np.where(under > 0, under, 1.0) * (under > 0))


def _automatic_slopes(
    times: Floats, values: Floats, flags: NDArray[np.int64], weights: tuple[Floats, Floats], bias: Floats
) -> Floats:
    """The slope through each key that its neighbours suggest, kept from overshooting where the key asks for that.

    weights : of the handles out of the keys and into them
    bias : (keys,) per cent towards the line to the next key, or if negative to the one before; beyond 500 it steepens
    """
    before, fall, after, rise = _secants(times, values)
    left, right = _ratio(fall, before), _ratio(rise, after)
    at_end = (before <= 0) | (after <= 0)
    secant, share = _ratio(fall + rise, before + after), _ratio(before, before + after)
    slope = 0.5 * secant + 0.5 * ((1.0 - share) * left + share * right)
    slope = np.where(at_end, left + right, slope)
    aim = np.where(at_end, slope, np.where(bias > 0, right, left))
    steeper = 0.4 * np.maximum(np.abs(bias) - 500.0, 0.0) * np.where(at_end, np.sign(bias), np.sign(aim - slope))
    slope = slope + 0.01 * np.abs(bias) * (aim - slope) + steeper
    slope = np.where(flags & TIME_INDEPENDENT, np.where(at_end, left + right, secant), slope)
    flat = (flags & CLAMP != 0) & (np.minimum(np.abs(fall), np.abs(rise)) <= _EQUAL) & ~at_end
    slope = np.where(flat, 0.0, slope)
    sign = np.where(slope >= 0, 1.0, -1.0)
    limit = np.minimum(_ratio(sign * fall, weights[1] * before), _ratio(sign * rise, weights[0] * after))
    limit = np.where(at_end, 0.0, np.maximum(limit, 0.0))
    return np.where(flags & PROGRESSIVE, sign * np.minimum(np.abs(slope), limit), slope)


def _tension_slopes(times: Floats, values: Floats, slots: Floats) -> tuple[Floats, Floats]:
    """The slopes out of and into keys of a tension, continuity and bias (keys, 3), after Kochanek and Bartels 1984.

    At an end the one neighbour counts twice.
    """
    before, fall, after, rise = _secants(times, values)
    left, right = _ratio(fall, before), _ratio(rise, after)
    left, right = np.where(after > 0, left, 2.0 * left), np.where(before > 0, right, 2.0 * right)
    tension, continuity, bias = slots.T
    loose = 0.5 * (1.0 - tension)
    out = loose * ((1 + continuity) * (1 + bias) * left + (1 - continuity) * (1 - bias) * right)
    into = loose * ((1 - continuity) * (1 + bias) * left + (1 + continuity) * (1 - bias) * right)
    return out, into


# --- evaluation


class CurveSampler:
    """Values of curves at times (n,), ``frame`` seconds apart; curves that share their times share the search."""

    def __init__(self, at: Floats, frame: float) -> None:
        self.at, self.near = at, _ON_KEY * frame
        self._found: dict[int, _Segments] = {}

    def __call__(self, curve: KeyCurve) -> Floats:
        """The values (n,) of a curve."""
        times, values = curve.times, curve.values
        if len(times) == 1:
            return np.full(len(self.at), float(values[0]))
        segments = self._found.get(id(times))
        if segments is None:
            segments = self._found[id(times)] = _Segments(times, np.clip(self.at, times[0], times[-1]), self.near)
            segments.covers = bool(self.at[0] >= times[0] - self.near and self.at[-1] <= times[-1] + self.near)
        if segments.covers or curve.before[0] == curve.after[0] == "constant":
            return segments.values(curve)
        return self._with_outside(curve)

    def _with_outside(self, curve: KeyCurve) -> Floats:
        times, at = curve.times, self.at
        first, last = float(times[0]), float(times[-1])
        length, gain = last - first, float(curve.values[-1]) - float(curve.values[0])
        inside, shift = np.clip(at, first, last), np.zeros(len(at))
        for (kind, count), outside, edge in (
            (curve.before, at < first - self.near, 0),
            (curve.after, at > last + self.near, -1),
        ):
            if kind == "constant" or count == 0 or not outside.any() or length <= 0:
                continue
            if kind == "slope":
                shift[outside] = _edge_slope(curve, edge) * (at[outside] - times[edge])
                continue
            away = (first - at[outside]) if edge == 0 else (at[outside] - last)
            rounds = np.floor(away / length)
            rest = away - rounds * length
            if count > 0:
                rest = np.where(rounds >= count, length, rest)
                rounds = np.minimum(rounds, count - 1)
            mirrored = (rounds % 2 == 0) & (kind == "mirror")
            backwards = (edge == 0) != mirrored
            inside[outside] = np.where(backwards, last - rest, first + rest)
            if kind == "relative":
                shift[outside] = (rounds + 1) * gain * (-1 if edge == 0 else 1)
        return _Segments(times, inside, self.near).values(curve) + shift


class _Segments:
    """Between which keys (n,) times lie, and how far, ``u`` from 0 to 1."""

    covers = True

    def __init__(self, times: Floats, at: Floats, near: float) -> None:
        if len(at) == len(times) and np.abs(at - times).max() <= near:
            self.key: NDArray[np.intp] | None = None  # a key on every frame
            return
        key = np.clip(np.searchsorted(times, at + near, side="right") - 1, 0, len(times) - 2)
        start, end = times[key], times[key + 1]
        self.span = end - start
        u = np.where(self.span > 0, (at - start) / np.where(self.span > 0, self.span, 1.0), 1.0)
        u = np.where(at - start <= near, 0.0, np.where(end - at <= near, 1.0, np.clip(u, 0.0, 1.0)))
        self.key, self.u = key, u
        self.on_keys = bool(((u == 0.0) | (u == 1.0)).all())

    def values(self, curve: KeyCurve) -> Floats:
        if self.key is None:
            return np.asarray(curve.values)
        key, u = self.key, self.u
        if self.on_keys:
            return np.asarray(curve.values[key + (u == 1.0)])
        values = curve.values.astype(float)
        start, end = values[key], values[key + 1]
        straight = start + u * (end - start)
        shapes = curve.shapes
        if shapes is None:
            return np.asarray(straight)
        flags = shapes.flags[key]
        stepped = np.where((flags & NEXT != 0) & (u > 0) | (u >= 1.0), end, start)
        result = np.where(flags & STEP, stepped, straight)
        cubic = np.flatnonzero((flags & CUBIC != 0) & (u > 0) & (u < 1))
        if len(cubic):
            result[cubic] = _bezier(shapes, key[cubic], self.span[cubic], u[cubic], start[cubic], end[cubic])
        return result


def _bezier(shapes: Shapes, key: NDArray[np.intp], span: Floats, u: Floats, start: Floats, end: Floats) -> Floats:
    """A cubic segment: handles of a length in time and a slope."""
    reach_out, reach_in = shapes.out_weight[key], shapes.in_weight[key + 1]
    x1, x2 = reach_out, 1.0 - reach_in
    y1 = start + shapes.out_slope[key] * reach_out * span
    y2 = end - shapes.in_slope[key + 1] * reach_in * span
    s = u.copy()
    bent = (np.abs(x1 - _WEIGHT) > 1e-4) | (np.abs(reach_in - _WEIGHT) > 1e-4)
    if bent.any():
        s[bent] = _parameter(x1[bent], x2[bent], u[bent])
    r = 1.0 - s
    return np.asarray(r**3 * start + 3 * r * r * s * y1 + 3 * r * s * s * y2 + s**3 * end)


def _parameter(x1: Floats, x2: Floats, u: Floats) -> Floats:
    """Where a Bézier curve with the abscissas 0, x1, x2, 1 reaches u, by halving and then Newton's method."""
    low, high = np.zeros_like(u), np.ones_like(u)
    s = u.copy()
    for _ in range(60):
        r = 1.0 - s
        x = 3 * r * r * s * x1 + 3 * r * s * s * x2 + s**3 - u
        low, high = np.where(x <= 0, s, low), np.where(x > 0, s, high)
        slope = 3 * r * r * x1 + 6 * r * s * (x2 - x1) + 3 * s * s * (1 - x2)
        step = s - x / np.where(np.abs(slope) > 1e-12, slope, 1.0)
        s_next = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        if np.abs(s_next - s).max() < 1e-14:
            break
        s = s_next
    return s


def _edge_slope(curve: KeyCurve, edge: int) -> float:
    times, values, shapes = curve.times, curve.values, curve.shapes
    segment = 0 if edge == 0 else -2
    if shapes is not None and shapes.flags[segment] & CUBIC:
        return float(shapes.out_slope[0] if edge == 0 else shapes.in_slope[-1])
    if shapes is not None and shapes.flags[segment] & STEP:
        return 0.0
    span = times[segment + 1] - times[segment]
    return float((values[segment + 1] - values[segment]) / span) if span > 0 else 0.0
