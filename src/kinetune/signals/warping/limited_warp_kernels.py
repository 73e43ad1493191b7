"""The compiled search for the best path of a time warp with bounded tempo."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

_INF = np.inf


@njit(cache=True, nogil=True)
def limited_path(distances, most_a, most_b, price):
    """The path (steps, 2) of least cost whose steps advance both signals, by one or two frames, and its cost.

    distances : (frames of a, frames of b); infinite where no path may go.
    most_a, most_b, price : how many frames may be left out at either end, and what each costs.
    """
    n, m = distances.shape
    cells = np.full((n, m), _INF)
    moves = np.zeros((n, m), np.uint8)  # 0 begins here, 1 both by one, 2 a by two, 3 b by two
    for i in range(n):
        for j in range(m):
            here = distances[i, j]
            least, move = _INF, 0
            if (j == 0 and i <= most_a) or (i == 0 and j <= most_b):
                least = price * (i + j) + 2.0 * here
            if i > 0 and j > 0:
                cost = cells[i - 1, j - 1] + 2.0 * here
                if cost < least:
                    least, move = cost, 1
            if i > 1 and j > 0:
                cost = cells[i - 2, j - 1] + 2.0 * distances[i - 1, j] + here
                if cost < least:
                    least, move = cost, 2
            if i > 0 and j > 1:
                cost = cells[i - 1, j - 2] + 2.0 * distances[i, j - 1] + here
                if cost < least:
                    least, move = cost, 3
            cells[i, j] = least
            moves[i, j] = move
    row, column, best = n - 1, m - 1, cells[n - 1, m - 1]
    for i in range(max(n - 1 - most_a, 0), n):
        cost = cells[i, m - 1] + price * (n - 1 - i)
        if cost < best:
            row, column, best = i, m - 1, cost
    for j in range(max(m - 1 - most_b, 0), m):
        cost = cells[n - 1, j] + price * (m - 1 - j)
        if cost < best:
            row, column, best = n - 1, j, cost
    path = np.empty((n + m, 2), np.int64)
    at = n + m
    while True:
        at -= 1
        path[at, 0], path[at, 1] = row, column
        move = moves[row, column]
        if move == 0:
            break
        row -= 2 if move == 2 else 1
        column -= 2 if move == 3 else 1
    return path[at:].copy(), best


def warm_up():
    """Compile for the types in use."""
    limited_path(np.ones((3, 4)), 1, 1, 1.0)
