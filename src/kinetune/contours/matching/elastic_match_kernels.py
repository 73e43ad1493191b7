"""The cheapest path of an elastic match, compiled.

``test_elastic_match.py`` holds it against a recursion over single cells that follows the definition.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Integers = NDArray[np.int64]

_FAR = 1e18


@njit(cache=True, nogil=True)
def _advance(
    likeness: Array,
    i: int,
    di: int,
    dj: int,
    passed: Integers,
    price: tuple[float, float],
    number: int,
    best: Array,
    came: NDArray[np.int8],
    low: int,
    high: int,
) -> None:
    """Try one step to every cell of row i from column ``low`` to column ``high``."""
    n = likeness.shape[0]
    count = max(di, dj)
    fixed, factor = price
    row, before = best[i], best[i - di]
    one = likeness[i - di + passed[0, 0]]
    two = likeness[i - di + passed[1, 0]]
    three = likeness[i - di + passed[2, 0]]
    four = likeness[i - di + passed[3, 0]]
    a, b, c, d = passed[0, 1], passed[1, 1], passed[2, 1], passed[3, 1]
    for j in range(max(low - dj, 0), min(high + 1, n + 1) - dj):
        summed = one[j + a]
        if count > 1:
            summed += two[j + b]
        if count > 2:
            summed += three[j + c]
        if count > 3:
            summed += four[j + d]
        total = before[j] + (fixed - factor * summed) / n
        if total < row[j + dj]:
            row[j + dj] = total
            came[j + dj] = number


@njit(cache=True, nogil=True)
def cheapest(
    likeness: Array, steps: Integers, passed: Integers, fixed: Array, factor: Array
) -> tuple[Array, NDArray[np.int8]]:
    """Costs (tries,) and the step that ends at each cell (tries, n + 1, n + 1).

    Cells that no path from the first to the last cell can pass are left out: the steepest step bounds them.
    """
    tries, n, _ = likeness.shape
    steepest = 1.0
    for k in range(len(steps)):
        steepest = max(steepest, steps[k, 0] / steps[k, 1], steps[k, 1] / steps[k, 0])
    costs = np.empty(tries)
    back = np.zeros((tries, n + 1, n + 1), dtype=np.int8)
    for t in range(tries):
        best = np.full((n + 1, n + 1), _FAR)
        best[0, 0] = 0.0
        for i in range(1, n + 1):
            low = int(np.floor(max(i / steepest, n - steepest * (n - i))))
            high = int(np.ceil(min(i * steepest, n - (n - i) / steepest)))
            for k in range(len(steps)):
                if i >= steps[k, 0]:
                    di, dj = steps[k, 0], steps[k, 1]
                    price = fixed[k], factor[k]
                    _advance(likeness[t], i, di, dj, passed[k], price, k, best, back[t, i], low, high)
        costs[t] = best[n, n]
    return costs, back


@njit(cache=True, nogil=True)
def likenesses(along: Complexes, at: Complexes, along_b: Complexes, at_b: Complexes, weight: float) -> Array:
    """How alike steps are, (tries, n, n): the cosine between them, less ``weight`` times their distance squared."""
    tries, n = along_b.shape
    alike = np.empty((tries, n, n))
    for t in range(tries):
        for i in range(n):
            x, y, u, v = along[i].real, along[i].imag, at[i].real, at[i].imag
            for j in range(n):
                across, down = u - at_b[t, j].real, v - at_b[t, j].imag
                cosine = x * along_b[t, j].real + y * along_b[t, j].imag
                alike[t, i, j] = cosine - weight * (across * across + down * down)
    return alike


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    steps = np.array([(1, 1), (1, 2)])
    cheapest(np.zeros((1, 4, 4)), steps, np.zeros((2, 4, 2), dtype=np.int64), np.ones(2), np.ones(2))
    line = np.arange(4).astype(np.complex128)
    likenesses(line, line, np.stack([line]), np.stack([line]), 0.5)
