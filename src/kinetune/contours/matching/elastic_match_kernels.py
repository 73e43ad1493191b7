"""The cheapest path of an elastic match, compiled.

``test_elastic_match.py`` holds it against a recursion over single cells that follows the definition.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_FAR = 1e18


@njit(cache=True, nogil=True)
def _advance(
    likeness: Array,
    i: int,
    di: int,
    dj: int,
    passed: Integers,
    fixed: float,
    factor: float,
    number: int,
    best: Array,
    came: NDArray[np.int8],
) -> None:
    """Try one step to every cell of row i."""
    n = likeness.shape[0]
    count = max(di, dj)
    row, before = best[i], best[i - di]
    one = likeness[i - di + passed[0, 0]]
    two = likeness[i - di + passed[1, 0]]
    three = likeness[i - di + passed[2, 0]]
    four = likeness[i - di + passed[3, 0]]
    a, b, c, d = passed[0, 1], passed[1, 1], passed[2, 1], passed[3, 1]
    for j in range(n + 1 - dj):
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
    """Costs (tries,) and the step that ends at each cell (tries, n + 1, n + 1)."""
    tries, n, _ = likeness.shape
    costs = np.empty(tries)
    back = np.zeros((tries, n + 1, n + 1), dtype=np.int8)
    for t in range(tries):
        best = np.full((n + 1, n + 1), _FAR)
        best[0, 0] = 0.0
        for i in range(1, n + 1):
            for k in range(len(steps)):
                if i >= steps[k, 0]:
                    _advance(
                        likeness[t], i, steps[k, 0], steps[k, 1], passed[k], fixed[k], factor[k], k, best, back[t, i]
                    )
        costs[t] = best[n, n]
    return costs, back


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    steps = np.array([(1, 1), (1, 2)])
    cheapest(np.zeros((1, 4, 4)), steps, np.zeros((2, 4, 2), dtype=np.int64), np.ones(2), np.ones(2))
