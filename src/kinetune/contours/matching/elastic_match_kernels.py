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
    number: float,
    best: Array,
    rows: tuple[Array, Array],
    columns: tuple[int, int],
) -> None:
    """Try one step to every cell of row i between two columns.

    rows : the number of the step that ends at each cell, as floats, and room for costs. Loops without a branch over
        floats alone take several cells at once.
    """
    n = likeness.shape[0]
    came, totals = rows
    first, last = max(columns[0] - dj, 0), min(columns[1] + 1, n + 1) - dj
    if last <= first:
        return
    fixed, factor = price[0] / n, price[1] / n
    row, taken = best[i, first + dj : last + dj], came[first + dj : last + dj]
    before = best[i - di, first:last]
    from_row, count, size = i - di, max(di, dj), last - first
    one = likeness[from_row + passed[0, 0], first + passed[0, 1] : last + passed[0, 1]]
    two = likeness[from_row + passed[1, 0], first + passed[1, 1] : last + passed[1, 1]]
    three = likeness[from_row + passed[2, 0], first + passed[2, 1] : last + passed[2, 1]]
    four = likeness[from_row + passed[3, 0], first + passed[3, 1] : last + passed[3, 1]]
    if count == 1:
        for j in range(size):
            totals[j] = before[j] + (fixed - factor * one[j])
    elif count == 2:
        for j in range(size):
            totals[j] = before[j] + (fixed - factor * (one[j] + two[j]))
    elif count == 3:
        for j in range(size):
            totals[j] = before[j] + (fixed - factor * (one[j] + two[j] + three[j]))
    else:
        for j in range(size):
            totals[j] = before[j] + (fixed - factor * (one[j] + two[j] + three[j] + four[j]))
    for j in range(size):
        better = totals[j] < row[j]
        row[j] = totals[j] if better else row[j]
        taken[j] = number if better else taken[j]


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
    came, totals = np.empty(n + 1), np.empty(n + 1)
    for t in range(tries):
        best = np.full((n + 1, n + 1), _FAR)
        best[0, 0] = 0.0
        for i in range(1, n + 1):
            came[:] = 0.0
            low = int(np.floor(max(i / steepest, n - steepest * (n - i))))
            high = int(np.ceil(min(i * steepest, n - (n - i) / steepest)))
            for k in range(len(steps)):
                if i >= steps[k, 0]:
                    di, dj, price = steps[k, 0], steps[k, 1], (fixed[k], factor[k])
                    _advance(likeness[t], i, di, dj, passed[k], price, float(k), best, (came, totals), (low, high))
            for j in range(n + 1):
                back[t, i, j] = np.int8(came[j])
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
