"""Few keys for many samples: a TCB spline that follows a dense curve.

============  ====================================================================================
fit_keys      the TCB spline through some samples of a curve that follows the others best
choose_keys   which samples to take, so that an error of your own choice stays within a bound
============  ====================================================================================

Keys lie on the curve. What is left to choose is how the spline turns at each: its tangents are found by least squares
over all samples, and tension and bias are set so that the spline has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from scipy.linalg import solveh_banded

from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

_LEAST_SLACK = 0.05  # 1 - tension: below this the bias that goes with a tangent grows without bound
_MOST_BIAS = 20.0
_RIDGE = 1e-3
_ROUNDS = 200


def fit_keys(samples: Floats, keys: Sequence[int]) -> TCB:
    """A spline through samples number ``keys``, timed in samples, with the tension and bias that fit the rest best.

    Parameters
    ----------
    samples : (frames, channels)
    keys : increasing; the first and the last sample must be among them.

    Notes
    -----
    With h and D the intervals and chords before and after a key, the corrected step gives the velocity
    (1 - t) [(D- + D+) + b (D- - D+)] / (h- + h+). For one channel tension alone reaches any velocity but 0/0; for
    several, t and b are the least-squares answer, drawn a little towards 0.
    """
    at = np.asarray(keys)
    values = samples[at]
    if len(at) < 2:
        return TCB(at, values)
    velocity = _velocities(samples, at)
    tension, bias = _knobs(at.astype(float), values, velocity)
    return TCB(at, values, tension=tension, bias=bias, ends=(velocity[0], velocity[-1]))


def choose_keys(frames: int, error: Callable[[list[int]], Floats], bound: float, *, thin: bool = True) -> list[int]:
    """Keys, as few as greed finds, at which an error stays within a bound.

    Parameters
    ----------
    frames : how many samples there are; the first and the last are always keys.
    error : keys to the error (frames,) of every sample.
    bound : what the error may reach.
    thin : take keys out again at the end that the bound does not need; each try costs one call of ``error``.

    Returns
    -------
    The keys; all samples where even that does not help.

    Notes
    -----
    An interval that breaks the bound gets a key at its worst sample, unless a neighbour breaks it further: that one's
    key changes the tangents here too.
    """
    keys = [0] if frames == 1 else [0, frames - 1]
    for _ in range(_ROUNDS):
        wrong = error(keys)
        if wrong.max() <= bound:
            return _thinned(keys, error, bound) if thin else keys
        worst = [_worst(wrong, start, stop) for start, stop in pairwise(keys)]
        sizes = [wrong[at] if at is not None else -1.0 for at in worst]
        around = [-1.0, *sizes, -1.0]
        added = [
            at
            for k, at in enumerate(worst)
            if at is not None and sizes[k] > bound and sizes[k] >= max(around[k], around[k + 2])
        ]
        if not added:  # the bound is broken where every sample is a key
            break
        keys = sorted({*keys, *added})
    return list(range(frames))


def _worst(wrong: Floats, start: int, stop: int) -> int | None:
    """The sample inside an interval that is furthest off; None when there is none inside."""
    return None if stop - start < 2 else start + 1 + int(np.argmax(wrong[start + 1 : stop]))


def _thinned(keys: list[int], error: Callable[[list[int]], Floats], bound: float) -> list[int]:
    """Keys without those that can be spared: one pass, the most crowded first."""
    spare = sorted(range(1, len(keys) - 1), key=lambda k: keys[k + 1] - keys[k - 1])
    remaining = set(keys)
    for index in spare[: len(keys) // 2]:
        fewer = sorted(remaining - {keys[index]})
        if error(fewer).max() <= bound:
            remaining = set(fewer)
    return sorted(remaining)


def _velocities(samples: Floats, at: np.ndarray) -> Floats:
    """The velocity at each key, per sample, with which cubic pieces through the keys follow the samples best."""
    count = len(at)
    gaps = np.diff(at)
    frames = np.arange(at[0], at[-1] + 1)
    piece = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, count - 2)
    s = (frames - at[piece]) / gaps[piece]
    u = 1.0 - s
    rest = (
        samples[frames] - samples[at[piece]] - (s * s * (3.0 - 2.0 * s))[:, None] * np.diff(samples[at], axis=0)[piece]
    )
    leaving, arriving = gaps[piece] * s * u * u, -gaps[piece] * s * s * u
    # Where no sample lies between two keys, the slope from neighbour to neighbour determines the velocity.
    guess = np.gradient(samples, axis=0)[at] if len(samples) > 1 else np.zeros_like(samples[at])
    diagonal = np.bincount(piece, leaving**2, count) + np.bincount(piece + 1, arriving**2, count)
    beside = np.bincount(piece, leaving * arriving, count)
    weak = 1e-6 * diagonal.max() + 1e-9
    right = np.empty((count, samples.shape[1]))
    for channel in range(samples.shape[1]):
        r = rest[:, channel]
        right[:, channel] = np.bincount(piece, leaving * r, count) + np.bincount(piece + 1, arriving * r, count)
    band = np.zeros((2, count))
    band[1] = diagonal + weak
    band[0, 1:] = beside[:-1]
    return np.asarray(solveh_banded(band, right + weak * guess))


def _knobs(at: Floats, values: Floats, velocity: Floats) -> tuple[Floats, Floats]:
    """Tension and bias of every key; 0 at the ends, which take their velocity as it is."""
    count = len(at)
    tension, bias = np.zeros(count), np.zeros(count)
    if count < 3:
        return tension, bias
    gaps, chords = np.diff(at), np.diff(values, axis=0)
    span = (gaps[:-1] + gaps[1:])[:, None]
    both, apart = (chords[:-1] + chords[1:]) / span, (chords[:-1] - chords[1:]) / span
    inner = velocity[1:-1]
    pull = _RIDGE * (np.sum(both**2, axis=1) + np.sum(apart**2, axis=1)) + 1e-30
    a, b, c = np.sum(both**2, axis=1) + pull, np.sum(both * apart, axis=1), np.sum(apart**2, axis=1) + pull
    p, q = np.sum(both * inner, axis=1) + pull, np.sum(apart * inner, axis=1)
    determinant = a * c - b * b
    slack, lean = (p * c - q * b) / determinant, (a * q - b * p) / determinant
    slack = np.where(np.abs(slack) < _LEAST_SLACK, np.copysign(_LEAST_SLACK, slack), slack)
    tension[1:-1] = 1.0 - slack
    bias[1:-1] = np.clip(lean / slack, -_MOST_BIAS, _MOST_BIAS)
    return tension, bias
