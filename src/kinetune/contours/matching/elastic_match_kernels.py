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
    step: tuple[int, int],
    passed: Integers,
    price: tuple[float, float],
    number: float,
    best: Array,
    rows: tuple[Array, Array],
    columns: tuple[int, int],
    tries: int,
) -> None:
    """Try one step to every cell of row i between two columns, for all tries at once.

    likeness, best : the tries of a cell lie beside each other in its row.
    rows : the number of the step that ends at each cell, as floats, and room for costs. Loops without a branch over
        floats alone take several cells at once.
    """
    n = likeness.shape[0]
    came, totals = rows
    di, dj = step
    first, last = max(columns[0] - dj, 0), min(columns[1] + 1, n + 1) - dj
    if last <= first:
        return
    fixed, factor = price[0] / n, price[1] / n
    low, high, size = (first + dj) * tries, (last + dj) * tries, (last - first) * tries
    row, taken, before = best[i, low:high], came[low:high], best[i - di, first * tries : last * tries]
    from_row, count = i - di, max(di, dj)
    at = (first + passed[0, 1]) * tries
    one = likeness[from_row + passed[0, 0], at : at + size]
    if count == 1:
        for j in range(size):
            totals[j] = before[j] + (fixed - factor * one[j])
    else:
        at = (first + passed[1, 1]) * tries
        two = likeness[from_row + passed[1, 0], at : at + size]
        if count == 2:
            for j in range(size):
                totals[j] = before[j] + (fixed - factor * (one[j] + two[j]))
        else:
            at = (first + passed[2, 1]) * tries
            three = likeness[from_row + passed[2, 0], at : at + size]
            if count == 3:
                for j in range(size):
                    totals[j] = before[j] + (fixed - factor * (one[j] + two[j] + three[j]))
            else:
                at = (first + passed[3, 1]) * tries
                four = likeness[from_row + passed[3, 0], at : at + size]
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
    """Costs (tries,) and the step that ends at each cell (n + 1, n + 1, tries).

    Cells that no path from the first to the last cell can pass are left out: the steepest step bounds them.

    Parameters
    ----------
    likeness : (n, n, tries).
    """
    n, _, tries = likeness.shape
    alike = likeness.reshape(n, n * tries)
    steepest = 1.0
    for k in range(len(steps)):
        steepest = max(steepest, steps[k, 0] / steps[k, 1], steps[k, 1] / steps[k, 0])
    back = np.zeros((n + 1, (n + 1) * tries), dtype=np.int8)
    came, totals = np.empty((n + 1) * tries), np.empty((n + 1) * tries)
    best = np.full((n + 1, (n + 1) * tries), _FAR)
    best[0, :tries] = 0.0
    for i in range(1, n + 1):
        came[:] = 0.0
        low = int(np.floor(max(i / steepest, n - steepest * (n - i))))
        high = int(np.ceil(min(i * steepest, n - (n - i) / steepest)))
        for k in range(len(steps)):
            if i >= steps[k, 0]:
                step, price = (steps[k, 0], steps[k, 1]), (fixed[k], factor[k])
                _advance(alike, i, step, passed[k], price, float(k), best, (came, totals), (low, high), tries)
        for j in range((n + 1) * tries):
            back[i, j] = np.int8(came[j])
    return best[n, n * tries :].copy(), back.reshape(n + 1, n + 1, tries)


@njit(cache=True, nogil=True)
def walk_back(back: NDArray[np.int8], number: int, steps: Integers, path: Integers) -> int:
    """Put the cells of a try's best path into the end of ``path`` (n + 1 cells or more, 2); where it begins there."""
    i = j = back.shape[0] - 1
    at = path.shape[0] - 1
    path[at, 0], path[at, 1] = i, j
    while i > 0 or j > 0:
        step = back[i, j, number]
        i, j = i - steps[step, 0], j - steps[step, 1]
        at -= 1
        path[at, 0], path[at, 1] = i, j
    return int(at)


@njit(cache=True, nogil=True)
def mean_rotation(along: Complexes, along_b: Complexes, number: int, path: Integers) -> float:
    """The mean rotation between directions that a path (k, 2) matches, at even steps half way between both curves.

    along_b : (n, tries), of which one counts.
    """
    n = along.size
    total, k = 0j, 0
    for step in range(n):
        u = step + 0.5
        while k < path.shape[0] - 2 and 0.5 * (path[k + 1, 0] + path[k + 1, 1]) < u:
            k += 1
        before, after = 0.5 * (path[k, 0] + path[k, 1]), 0.5 * (path[k + 1, 0] + path[k + 1, 1])
        share = (u - before) / (after - before)
        i = min(int(path[k, 0] + share * (path[k + 1, 0] - path[k, 0])), n - 1)
        j = min(int(path[k, 1] + share * (path[k + 1, 1] - path[k, 1])), n - 1)
        total += np.conj(along[i]) * along_b[j, number]
    return float(np.arctan2(total.imag, total.real))


@njit(cache=True, nogil=True)
def likenesses(along: Complexes, at: Complexes, along_b: Complexes, at_b: Complexes, weight: float) -> Array:
    """How alike steps are, (n, n, tries): the cosine between them, less ``weight`` times their distance squared.

    along_b, at_b : (n, tries).
    """
    n, tries = along_b.shape
    alike = np.empty((n, n, tries))
    for i in range(n):
        x, y, u, v = along[i].real, along[i].imag, at[i].real, at[i].imag
        for j in range(n):
            for t in range(tries):
                across, down = u - at_b[j, t].real, v - at_b[j, t].imag
                cosine = x * along_b[j, t].real + y * along_b[j, t].imag
                alike[i, j, t] = cosine - weight * (across * across + down * down)
    return alike


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    steps = np.array([(1, 1), (1, 2)])
    _, back = cheapest(np.zeros((4, 4, 2)), steps, np.zeros((2, 4, 2), dtype=np.int64), np.ones(2), np.ones(2))
    path = np.zeros((9, 2), dtype=np.int64)
    first = walk_back(back, 0, steps, path)
    line = np.arange(4).astype(np.complex128)
    mean_rotation(line, line.reshape(4, 1), 0, path[first:])
    likenesses(line, line, line.reshape(4, 1), line.reshape(4, 1), 0.5)
