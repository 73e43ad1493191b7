"""Curves of keys at given times: constant, linear and cubic segments, tangents given or automatic, and what is outside.

A curve is held as arrays over its keys. Curves that share their times, as those of a baked motion do, are evaluated
together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune.formats.fbx.records import FbxFile, Record
from kinetune.rotations import Floats

STEP, LINEAR, CUBIC = 0x2, 0x4, 0x8
NEXT = 0x100  # of a step: it takes the value of the key after it
AUTO, TCB, USER, BROKEN = 0x100, 0x200, 0x400, 0x800
CLAMP, TIME_INDEPENDENT, PROGRESSIVE = 0x1000, 0x2000, 0x4000
RIGHT_WEIGHTED, LEFT_WEIGHTED = 0x1000000, 0x2000000
_WEIGHT = 1.0 / 3.0
_OUTSIDE = {"C": "constant", "R": "repeat", "M": "mirror", "A": "relative", "K": "slope"}
_ON_KEY = 1e-3  # of a frame
_EQUAL = 0.01  # values closer than this are equal to a key that clamps


@dataclass(frozen=True, eq=False)
class KeyCurve:
    """One curve: times (keys,) in seconds and values (keys,); ``shapes`` is None where all segments are linear.

    before, after : what is outside of the keys, ("constant", "repeat", "mirror", "relative" or "slope", times or -1).
    """

    times: Floats
    values: Floats
    shapes: Shapes | None = None
    before: tuple[str, int] = ("constant", -1)
    after: tuple[str, int] = ("constant", -1)

    @property
    def is_plain(self) -> bool:
        """Whether it is linear and held outside."""
        return self.shapes is None and self.before[0] == self.after[0] == "constant"


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


def read_curve(file: FbxFile, record: Record, ticks: float, times: dict[int, Floats]) -> KeyCurve | None:
    """A curve of the file; None when it has no keys. ``times`` caches key times in seconds by the array they are in."""
    ticked, values = record.array("KeyTime"), record.array("KeyValueFloat")
    if ticked is None or values is None or len(ticked) == 0:
        return None
    place = f"{record.place}{record.name}"
    if len(values) != len(ticked):
        raise file.fail(f"a curve has {len(ticked)} times but {len(values)} values.", place=place)
    seconds = times.get(id(ticked))
    if seconds is None:
        seconds = ticked.astype(float) / ticks
        times[id(ticked)] = seconds
    if len(seconds) > 1 and (np.diff(seconds) < 0).any():
        raise file.fail("the keys of a curve are not in order.", place=place)
    values = values.astype(float)
    if not (np.isfinite(values).all() and np.isfinite(seconds).all()):
        raise file.fail("a key has a value that is not a number.", place=place)
    shapes = _read_shapes(file, record, seconds, values, place)
    return KeyCurve(seconds, values, shapes, _outside(record, "Pre"), _outside(record, "Post"))


def _outside(record: Record, side: str) -> tuple[str, int]:
    described = record.child(f"{side}-Extrapolation") or record.child(f"{side}_Extrapolation")
    if described is None:
        return "constant", -1
    kind = described.value("Type", "C")
    letter = chr(kind) if isinstance(kind, int) and 0 < kind < 128 else str(kind)[:1]
    count = described.value("Repetition", -1)
    return _OUTSIDE.get(letter, "constant"), int(count) if isinstance(count, int | float) else -1


def _read_shapes(file: FbxFile, record: Record, times: Floats, values: Floats, place: str) -> Shapes | None:
    runs, counts = record.array("KeyAttrFlags"), record.array("KeyAttrRefCount")
    if runs is None or counts is None or len(runs) == 0:
        return None
    if (runs & (STEP | CUBIC) == 0).all() if runs.dtype.kind == "i" else not (runs.astype(int) & (STEP | CUBIC)).any():
        return None
    data = record.array("KeyAttrDataFloat")
    keys = len(times)
    counts = counts.astype(np.int64)
    if len(counts) != len(runs) or (counts < 0).any() or counts.sum() < keys or data is None:
        raise file.fail("the shapes of the keys do not match the keys.", place=place)
    if len(data) < 4 * len(runs):
        raise file.fail("the tangents of the keys are incomplete.", place=place)
    run = np.repeat(np.arange(len(runs)), np.minimum(counts, keys))[:keys]
    if data.dtype != np.dtype(data.dtype.newbyteorder("=").str[:1] + "f4") and data.dtype.itemsize != 4:
        data = _floats_from_text(data)  # text: integers that hold the bits, or plain numbers in older files
    slots = data[: 4 * len(runs)].reshape(-1, 4)
    bits = slots[:, 2].astype("<f4").view("<u4") if len(slots) else np.zeros(0, "<u4")
    flags = runs.astype(np.int64)[run]
    slots64 = slots.astype(float)
    slots64[~np.isfinite(slots64)] = 0.0
    first, second = slots64[run, 0], slots64[run, 1]
    out_weight = np.where(flags & RIGHT_WEIGHTED, (bits[run] & 0xFFFF) / 10_000.0, _WEIGHT)
    next_in_weight = np.where(flags & LEFT_WEIGHTED, (bits[run] >> 16) / 10_000.0, _WEIGHT)
    in_weight = np.concatenate([[_WEIGHT], next_in_weight[:-1]])
    in_slope = np.concatenate([[0.0], second[:-1]])
    out_slope, in_slope = _automatic(times, values, flags, first, in_slope, slots64[run, :3], out_weight, in_weight)
    return Shapes(flags, out_slope, in_slope, out_weight, in_weight)


def _floats_from_text(data: NDArray[np.floating]) -> NDArray[np.float32]:
    if (data == np.round(data)).all() and np.abs(data).max(initial=0.0) >= 1 << 20:
        return (data.astype(np.int64) & 0xFFFFFFFF).astype("<u4").view("<f4")
    return data.astype("<f4")


def _automatic(
    times: Floats, values: Floats, flags: NDArray[np.int64], first: Floats, in_slope: Floats, slots: Floats,
    out_weight: Floats, in_weight: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """The slopes out of and into each key, those of automatic keys computed from their neighbours."""
    out = first.copy()
    into = in_slope.copy()
    cubic = (flags & CUBIC) != 0
    automatic = cubic & ((flags & AUTO) != 0)
    splines = cubic & ((flags & TCB) != 0) & ~automatic
    for key in np.flatnonzero(automatic | splines):
        if splines[key]:
            out[key], into[key] = _tcb_slopes(times, values, int(key), slots[key])
        else:
            out[key], into[key] = _auto_slopes(
                times, values, int(key), int(flags[key]), (first[key], in_slope[key]), (out_weight[key], in_weight[key])
            )
    return out, into


def _auto_slopes(
    times: Floats, values: Floats, key: int, flags: int, bias: tuple[float, float], weights: tuple[float, float]
) -> tuple[float, float]:
    """The slopes (out, in) of an automatic key, from its neighbours; ``weights`` are those of its handles."""
    before, fall = _neighbour(times, values, key, -1)
    after, rise = _neighbour(times, values, key, +1)
    if before <= 0 or after <= 0:
        ending = 0.0 if flags & PROGRESSIVE else fall / before if before > 0 else rise / after if after > 0 else 0.0
        return ending, ending
    slope = (fall + rise) / (before + after)
    if not flags & TIME_INDEPENDENT:
        share = before / (before + after)
        slope = 0.5 * slope + 0.5 * ((1.0 - share) * fall / before + share * rise / after)
    if flags & CLAMP and min(abs(fall), abs(rise)) <= _EQUAL:
        return 0.0, 0.0
    if flags & PROGRESSIVE:
        sign = 1.0 if slope >= 0 else -1.0
        limits = (sign * fall / (weights[1] * before), sign * rise / (weights[0] * after))
        slope = sign * min(abs(slope), *(max(limit, 0.0) for limit in limits))
    return slope, slope


def _neighbour(times: Floats, values: Floats, key: int, step: int) -> tuple[float, float]:
    """How long it is to the next key on one side, and how much the value changes over it forwards; 0 at an end."""
    other = key + step
    if not 0 <= other < len(times):
        return 0.0, 0.0
    return step * float(times[other] - times[key]), step * float(values[other] - values[key])


def _tcb_slopes(times: Floats, values: Floats, key: int, slots: Floats) -> tuple[float, float]:
    """The slopes (out, in) of a key with tension, continuity and bias, after Kochanek and Bartels (1984)."""
    before, fall = _neighbour(times, values, key, -1)
    after, rise = _neighbour(times, values, key, +1)
    tension, continuity, bias = slots.tolist()
    left = fall / before if before > 0 else rise / after if after > 0 else 0.0
    right = rise / after if after > 0 else left
    loose = 0.5 * (1.0 - tension)
    out = loose * ((1 + continuity) * (1 + bias) * left + (1 - continuity) * (1 - bias) * right)
    into = loose * ((1 - continuity) * (1 + bias) * left + (1 + continuity) * (1 - bias) * right)
    return out, into


# --- evaluation


def evaluate(curve: KeyCurve, at: Floats, frame: float) -> Floats:
    """The values (n,) of a curve at times (n,), which come ``frame`` seconds apart."""
    times, values = curve.times, curve.values
    if len(times) == 1:
        return np.full(len(at), values[0])
    if curve.before[0] == curve.after[0] == "constant":
        return _inside(curve, np.clip(at, times[0], times[-1]), frame)
    return _with_outside(curve, at, frame)


def _inside(curve: KeyCurve, at: Floats, frame: float) -> Floats:
    times, values = curve.times, curve.values
    key = np.searchsorted(times, at + _ON_KEY * frame, side="right") - 1
    key = np.clip(key, 0, len(times) - 2)
    span = times[key + 1] - times[key]
    u = np.clip((at - times[key]) / np.where(span > 0, span, 1.0), 0.0, 1.0)
    u = np.where(span > 0, u, 1.0)
    u = np.where((at - times[key]) <= _ON_KEY * frame, 0.0, np.where(times[key + 1] - at <= _ON_KEY * frame, 1.0, u))
    start, end = values[key], values[key + 1]
    shapes = curve.shapes
    if shapes is None:
        return start + u * (end - start)
    flags = shapes.flags[key]
    stepped = np.where((flags & NEXT != 0) & (u > 0) | (u >= 1.0), end, start)
    straight = start + u * (end - start)
    result = np.where(flags & STEP, stepped, straight)
    cubic = np.flatnonzero((flags & CUBIC != 0) & (u > 0) & (u < 1))
    if len(cubic):
        result[cubic] = _bezier(shapes, key[cubic], span[cubic], u[cubic], start[cubic], end[cubic])
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


def _with_outside(curve: KeyCurve, at: Floats, frame: float) -> Floats:
    times, values = curve.times, curve.values
    first, last = times[0], times[-1]
    length = last - first
    folded, shift = np.clip(at, first, last), np.zeros(len(at))
    for (kind, count), outside, edge in (
        (curve.before, at < first - _ON_KEY * frame, 0),
        (curve.after, at > last + _ON_KEY * frame, -1),
    ):
        if kind == "constant" or not outside.any():
            continue
        if kind == "slope":
            shift[outside] = _edge_slope(curve, edge) * (at[outside] - times[edge])
        elif length > 0:
            away = (first - at[outside]) if edge == 0 else (at[outside] - last)
            rounds = np.floor(away / length)
            rest = away - rounds * length
            if count >= 0:
                rest = np.where(rounds >= count, length if count else 0.0, rest)
                rounds = np.minimum(rounds, max(count - 1, 0))
                if count == 0:
                    continue
            back = (rounds % 2 == 0) if kind == "mirror" else np.zeros(len(rounds), bool)
            toward = (edge == 0) != back  # whether it is counted from the last key backwards
            folded[outside] = np.where(toward, last - rest, first + rest)
            if kind == "relative":
                shift[outside] = (rounds + 1) * (values[-1] - values[0]) * (-1 if edge == 0 else 1)
    return _inside(curve, folded, frame) + shift


def _edge_slope(curve: KeyCurve, edge: int) -> float:
    times, values, shapes = curve.times, curve.values, curve.shapes
    segment = 0 if edge == 0 else -2
    if shapes is not None and shapes.flags[segment] & CUBIC:
        return float(shapes.out_slope[0] if edge == 0 else shapes.in_slope[-1])
    if shapes is not None and shapes.flags[segment] & STEP:
        return 0.0
    span = times[segment + 1] - times[segment]
    return float((values[segment + 1] - values[segment]) / span) if span > 0 else 0.0
