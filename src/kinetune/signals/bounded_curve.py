"""The smoothest curve between two bounds: how much to lift a foot that must not sink, say.

==================  ======================================================================================
smoothest_between   stays near zero, bends as little as it can, and keeps inside a corridor
==================  ======================================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.banded_solve import solve_banded

_ROUNDS = 60
_DONE = 1e-15
_WIDEST = 2000.0  # frames; beyond it the systems have no digits left
_TOUCHING = 1e-7
_MOST_STEP = 0.99


def smoothest_between(lower: ArrayLike, upper: ArrayLike, fps: float, width_s: float) -> Floats:
    """A curve that stays near zero and bends little, between a lower and an upper bound.

    Parameters
    ----------
    lower, upper : (frames,) bounds, ``lower <= upper``; infinite where there is none, equal where the curve is fixed.
    fps : frames per second.
    width_s : how far ahead of a bound the curve begins to yield to it, in seconds, roughly.

    Notes
    -----
    The least of ``sum x^2 + width^4 (x'')^2`` within the bounds, by a primal-dual interior point method (Nocedal and
    Wright, Numerical Optimization, chapter 16.6): some fifteen banded systems for any number of frames.
    Laws (``tests/signals/test_bounded_curve.py``): the bounds hold to the bit; where nothing pushes the curve it is 0;
    no other curve between the bounds is smoother.
    """
    least, most = np.broadcast_arrays(np.asarray(lower, dtype=float), np.asarray(upper, dtype=float))
    if least.ndim != 1 or np.isnan(least).any() or np.isnan(most).any() or np.any(least > most):
        raise ParameterError("The bounds must be two rows of numbers that do not cross.")
    fixed = least == most
    size = float(np.maximum(np.maximum(least, -most), 0.0).max(initial=0.0))
    if size == 0.0:
        return np.zeros(len(least))
    low, high = least / size, most / size
    smooth = min(width_s * fps, _WIDEST) ** 4
    x = _inside(low, high)
    has_low, has_high = ~fixed & np.isfinite(low), ~fixed & np.isfinite(high)
    force_low, force_high = has_low.astype(float), has_high.astype(float)
    count = max(1, int(has_low.sum()) + int(has_high.sum()))
    room_low, room_high = np.where(has_low, x - low, 1.0), np.where(has_high, high - x, 1.0)
    for number in range(_ROUNDS):
        gap = float(np.sum(force_low * room_low * has_low + force_high * room_high * has_high)) / count
        if number > 0 and gap < _DONE:
            break
        aim = 0.1 * gap
        stiff = force_low / room_low + force_high / room_high
        pull = has_low * aim / room_low - has_high * aim / room_high - _bend(x, smooth)
        step = _solve(pull, stiff, fixed, smooth)
        step_low = has_low * (aim / room_low - force_low) - force_low / room_low * step
        step_high = has_high * (aim / room_high - force_high) + force_high / room_high * step
        length = min(
            _longest(room_low, step, has_low),
            _longest(room_high, -step, has_high),
            _longest(force_low, step_low, has_low),
            _longest(force_high, step_high, has_high),
        )
        x = x + length * step
        room_low, room_high = room_low + length * step * has_low, room_high - length * step * has_high
        force_low, force_high = force_low + length * step_low, force_high + length * step_high
    # A curve that rests on a bound is there exactly.
    x = np.where(has_low & (room_low < _TOUCHING), low, np.where(has_high & (room_high < _TOUCHING), high, x))
    return np.asarray(np.clip(x * size, least, most))


def _inside(low: Floats, high: Floats) -> Floats:
    """A first curve that touches no bound."""
    floor = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 1.0) - 2.0)
    ceiling = np.where(np.isfinite(high), high, floor + 2.0)
    return 0.5 * (floor + ceiling)


def _longest(values: Floats, step: Floats, counts: NDArray[np.bool_]) -> float:
    """How long a step may be so that positive values stay positive, at most 1."""
    falling = counts & (step < 0.0)
    return min(1.0, _MOST_STEP * float((values[falling] / -step[falling]).min(initial=np.inf)))


def _bend(x: Floats, smooth: float) -> Floats:
    """Half of the derivative of ``sum x^2 + smooth (second difference)^2``."""
    result = x.copy()
    if len(x) >= 3:
        second = smooth * (x[2:] - 2.0 * x[1:-1] + x[:-2])
        result[2:] += second
        result[1:-1] -= 2.0 * second
        result[:-2] += second
    return result


def _solve(right: Floats, stiff: Floats, fixed: NDArray[np.bool_], smooth: float) -> Floats:
    """Solve ``(stiff + I + smooth D'D) x = right``, D the second difference, with 0 at the fixed frames."""
    frames = len(right)
    band = np.zeros((min(3, frames), frames))
    band[0] = 1.0 + stiff
    if frames >= 3:
        inner = frames - 2
        for shift, weight in enumerate((1.0, 4.0, 1.0)):
            band[0, shift : inner + shift] += smooth * weight
        band[1, :inner] -= 2.0 * smooth
        band[1, 1 : inner + 1] -= 2.0 * smooth
        band[2, :inner] += smooth
    free = ~fixed
    band[0, fixed] = 1.0
    for apart in range(1, len(band)):
        band[apart, : frames - apart] *= free[:-apart] & free[apart:]
    return solve_banded(band, np.where(fixed, 0.0, right))
