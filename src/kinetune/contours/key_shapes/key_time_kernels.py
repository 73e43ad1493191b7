"""The fewest key shapes of a film, compiled.

``test_key_times.py`` holds the choice against an exhaustive search.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_RIDGE = 1e-6  # towards an even ease
_HOPELESS = 6.0  # times the bound: no longer span will do either
_AT_ENDS = 0.7  # of a deviation counts where no direction is better than another
_HOLD = 0.5  # what a held key costs beyond one that moves on


@njit(**INNER)
def _ease(gram: Array, i: int, j: int) -> tuple[float, float]:
    """The two heights of the cubic ease that carries all points best from frame i to frame j."""
    steps = j - i
    size = gram[j, j] - 2.0 * gram[i, j] + gram[i, i]
    third = 1.0 / 3.0
    if steps < 2 or size <= 1e-12 * (gram[j, j] + gram[i, i]):
        return third, 2.0 * third
    a11, a12, a22, r1, r2 = _RIDGE, 0.0, _RIDGE, _RIDGE * third, _RIDGE * 2.0 * third
    for f in range(1, steps):
        done = gram[j, i + f] - gram[j, i] - gram[i, i + f] + gram[i, i]
        s = f / steps
        b1, b2 = 3.0 * (1.0 - s) ** 2 * s, 3.0 * (1.0 - s) * s * s
        rest = done / size - s * s * s
        a11 += b1 * b1
        a12 += b1 * b2
        a22 += b2 * b2
        r1 += b1 * rest
        r2 += b2 * rest
    det = a11 * a22 - a12 * a12
    y1, y2 = (a22 * r1 - a12 * r2) / det, (a11 * r2 - a12 * r1) / det
    return min(max(np.round(y1, 3), 0.0), 1.0), min(max(np.round(y2, 3), 0.0), 1.0)


@njit(**INNER)
def _seen(off: complex, normal: complex) -> float:
    """What the eye sees of a deviation: what lies across the line; without a direction, most of it."""
    if normal == 0.0:
        return _AT_ENDS * abs(off)
    return abs(off.real * normal.real + off.imag * normal.imag)


@njit(**INNER)
def _worst(q: Complexes, normal: Complexes, i: int, j: int, y1: float, y2: float, enough: float) -> float:
    """The greatest visible deviation of an eased span; more than enough ends the search."""
    worst = 0.0
    for f in range(i + 1, j):
        s = (f - i) / (j - i)
        e = 3.0 * (1.0 - s) ** 2 * s * y1 + 3.0 * (1.0 - s) * s * s * y2 + s * s * s
        for p in range(q.shape[1]):
            off = _seen(q[i, p] + e * (q[j, p] - q[i, p]) - q[f, p], normal[f, p])
            if off > worst:
                worst = off
        if worst > enough:
            return worst
    return worst


@njit(cache=True, nogil=True)
def cheapest_keys(
    q: Complexes, normal: Complexes, gram: Array, still: NDArray[np.bool_], bound: float
) -> tuple[Array, Array]:
    """For every frame, the frame of the key before it, and the ease from there.

    Parameters
    ----------
    q, normal : (frames, points), points of the film and the direction across the curve there, 0 for none.
    gram : (frames, frames), the products of all points in two frames.
    still : (frames,) whether a frame looks like the one before.
    bound : the greatest visible deviation.

    Returns
    -------
    before : (frames,), the key before each frame, were it a key.
    eases : (frames, 2), the heights of the ease between both; not-a-number for a key that is held.
    """
    frames = len(q)
    cost = np.full(frames, np.inf)
    cost[0] = 0.0
    before = np.zeros(frames)
    eases = np.zeros((frames, 2))
    for j in range(1, frames):
        for i in range(j - 1, -1, -1):
            y1, y2 = _ease(gram, i, j)
            worst = _worst(q, normal, i, j, y1, y2, _HOPELESS * bound)
            if worst > _HOPELESS * bound:
                break
            price = cost[i] + 1.0 + 1e-3 * worst / bound
            if worst <= bound and price < cost[j]:
                cost[j], before[j] = price, i
                eases[j, 0], eases[j, 1] = y1, y2
        if not still[j]:
            i = j - 1
            while i > 0 and still[i]:
                i -= 1
            if i < j - 1 and cost[i] + 1.0 + _HOLD < cost[j]:
                cost[j], before[j] = cost[i] + 1.0 + _HOLD, i
                eases[j, 0], eases[j, 1] = np.nan, np.nan
    return before, eases


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    q = np.arange(12).reshape(4, 3).astype(np.complex128)
    cheapest_keys(q, np.zeros_like(q), np.eye(4), np.zeros(4, dtype=np.bool_), 0.1)
