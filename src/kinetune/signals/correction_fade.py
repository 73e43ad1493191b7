"""Corrections that are known for some stretches of time, led to zero between them without a jolt.

=============  =======================================================================
bridge_gaps    fill the gaps of a correction: out to nothing, and back in time for the next
=============  =======================================================================

Each end of a stretch goes on with its own value and velocity, and comes to rest at zero after a settable time along a
quintic, the curve of least jerk. A gap too short to come to rest is crossed in one go.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

_SLOPE_S = 0.06


def bridge_gaps(values: Floats, known: NDArray[np.bool_], fps: float, blend_s: float) -> Floats:
    """A correction that is kept where it is known and leads to zero and back elsewhere.

    Parameters
    ----------
    values : array, shape (frames, ...)
        The correction; only its known frames are read.
    known : (frames,) where it is known.
    blend_s : how long it takes to come to zero, in seconds.

    Notes
    -----
    Laws (``tests/signals/test_correction_fade.py``): known frames keep their bits; farther than ``blend_s`` from them
    the result is 0; it is linear in the values; nothing jumps, neither in value nor in velocity.
    """
    if not (np.isfinite(blend_s) and blend_s >= 0.0):
        raise ParameterError(f"blend_s must be a time in seconds, 0 or more; got {blend_s}.")
    flat = np.asarray(values, dtype=float).reshape(len(values), -1)
    result = np.where(known[:, None], flat, 0.0)
    ranges = true_ranges(known)
    if not ranges:
        return result.reshape(values.shape)
    blend = blend_s * fps
    slopes = [_edge_slopes(flat, start, stop, fps) for start, stop in ranges]
    (first, _), (_, end) = ranges[0], ranges[-1]
    _lead_in(result, flat[first], slopes[0][0], 0, first, blend)
    _lead_out(result, flat[end - 1], slopes[-1][1], end, len(flat), blend)
    for k, ((_, stop), (first, _)) in enumerate(itertools.pairwise(ranges)):
        last = stop - 1
        if first - last > 2.0 * blend:
            _lead_out(result, flat[last], slopes[k][1], last + 1, first, blend)
            _lead_in(result, flat[first], slopes[k + 1][0], last + 1, first, blend)
        else:
            at = np.arange(last + 1, first)
            ends = (flat[last], slopes[k][1], flat[first], slopes[k + 1][0])
            result[last + 1 : first] = _quintic((at - last) / (first - last), first - last, *ends)
    return result.reshape(values.shape)


def _edge_slopes(values: Floats, start: int, stop: int, fps: float) -> tuple[Floats, Floats]:
    """The velocity per frame at the first and at the last frame of a stretch, by parabolas through those frames."""
    count = min(stop - start, max(3, round(_SLOPE_S * fps) + 1))
    if count < 2:
        still = np.zeros(values.shape[1])
        return still, still
    at = np.arange(1, count)
    take = np.linalg.pinv(at[:, None] ** np.arange(1.0, min(3, count)))[0]
    begins = values[start : start + count]
    ends = values[stop - count : stop][::-1]
    return take @ (begins[1:] - begins[0]), -(take @ (ends[1:] - ends[0]))


def _lead_in(result: Floats, value: Floats, slope: Floats, lowest: int, first: int, blend: float) -> None:
    begin = max(lowest, int(np.ceil(first - blend)))
    if begin < first:
        at = np.arange(begin, first)
        still = np.zeros_like(value)
        result[begin:first] += _quintic((at - (first - blend)) / blend, blend, still, still, value, slope)


def _lead_out(result: Floats, value: Floats, slope: Floats, first: int, highest: int, blend: float) -> None:
    stop = min(highest, int(np.floor(first - 1 + blend)) + 1)
    if stop > first:
        at = np.arange(first, stop)
        still = np.zeros_like(value)
        result[first:stop] += _quintic((at - (first - 1)) / blend, blend, value, slope, still, still)


def _quintic(u: Floats, length: float, start: Floats, start_slope: Floats, end: Floats, end_slope: Floats) -> Floats:
    """The quintic between two values with their slopes (per frame) and no acceleration at either end."""
    u = u[:, None]
    ease = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    leave = u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2)
    arrive = u**3 * (-4.0 + 7.0 * u - 3.0 * u**2)
    return np.asarray(start + (end - start) * ease + length * (leave * start_slope + arrive * end_slope))
