"""The compiled bodies of :mod:`kinetune.signals.splines.tcb` and :mod:`kinetune.signals.splines.tangents`.

They do the same operations in the same order as the NumPy bodies there.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, nogil=True)
def _interval(knots: Array, x: float, at: int) -> int:
    """The last interval that begins at or before x, looked for near ``at`` first: times mostly come in order."""
    last = len(knots) - 2
    if x >= knots[at]:
        if at == last or x < knots[at + 1]:
            return at
        if at + 1 == last or x < knots[at + 2]:
            return at + 1
    low, high = 0, last
    while low < high:
        middle = (low + high + 1) // 2
        if knots[middle] <= x:
            low = middle
        else:
            high = middle - 1
    return low


@njit(cache=True, nogil=True)
def blend(first: Array, second: Array, before: Array, after: Array, out: Array) -> None:
    """Row by row, first * before + second * after."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = first[i] * before[i, j] + second[i] * after[i, j]


@njit(cache=True, nogil=True)
def evaluate(
    knots: Array, values: Array, chords: Array, leaving: Array, arriving: Array, moments: Array, result: Array
) -> None:
    """Points (moments, channels) of the curve."""
    at = 0
    for i in range(len(moments)):
        at = _interval(knots, moments[i], at)
        s = (moments[i] - knots[at]) / (knots[at + 1] - knots[at])
        u = 1.0 - s
        if s < 0.5:
            base = values[at]
            w = s * s * (3.0 - 2.0 * s)
        else:
            base = values[at + 1]
            w = -(u * u * (3.0 - 2.0 * u))
        a = s * u * u
        b = -(s * s * u)
        chord, out, into, row = chords[at], leaving[at], arriving[at], result[i]
        for j in range(row.shape[0]):
            row[j] = base[j] + ((w * chord[j] + a * out[j]) + b * into[j])


@njit(cache=True, nogil=True)
def differentiate(knots: Array, chords: Array, leaving: Array, arriving: Array, moments: Array, result: Array) -> None:
    """Velocities (moments, channels) of the curve."""
    at = 0
    for i in range(len(moments)):
        at = _interval(knots, moments[i], at)
        span = knots[at + 1] - knots[at]
        s = (moments[i] - knots[at]) / span
        u = 1.0 - s
        w = 6.0 * s * u / span
        a = u * (u - 2.0 * s) / span
        b = s * (s - 2.0 * u) / span
        chord, out, into, row = chords[at], leaving[at], arriving[at], result[i]
        for j in range(row.shape[0]):
            row[j] = (w * chord[j] + a * out[j]) + b * into[j]


def warm_up() -> None:
    """Compile or load every kernel."""
    knots, rows = np.array([0.0, 1.0, 2.0]), np.zeros((2, 3))
    blend(knots[:2], knots[:2], rows, rows, np.empty((2, 3)))
    evaluate(knots, np.zeros((3, 3)), rows, rows, rows, knots, np.empty((3, 3)))
    differentiate(knots, rows, rows, rows, knots, np.empty((3, 3)))
