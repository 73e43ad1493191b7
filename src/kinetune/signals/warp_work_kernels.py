"""Compiled bodies of the time warp by stretching and bending: the same operations in the same order as in NumPy.

The table is filled as in :mod:`kinetune.signals.warp_kernels`, with three values per cell.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.compiled import INNER
from kinetune.signals.warp_kernels import mark_columns

_u = np.uint64
_INF = np.inf


@njit(**INNER)
def _both_advance(cells, here, both, only_a, only_b, stretch_a, stretch_b, bend_a, bend_b, at, rows):
    here, both, only_a, only_b, at = _u(here), _u(both), _u(only_a), _u(only_b), _u(at)
    for r in range(_u(rows)):
        x = cells[both + r] + abs(bend_a[r] - bend_b[at + r])
        y = cells[only_a + r] + bend_a[r]
        z = cells[only_b + r] + bend_b[at + r]
        best = x if x < y else y
        best = best if best < z else z
        cells[here + r] = best + abs(stretch_a[r] - stretch_b[at + r])


@njit(**INNER)
def _one_advances(cells, here, both, same, other, stretch, bend, at, rows):
    """A signal that advances bends where it advanced before, and is straight where it rested (``other``)."""
    here, both, same, other, at = _u(here), _u(both), _u(same), _u(other), _u(at)
    for r in range(_u(rows)):
        x, y, z = cells[both + r], cells[same + r], cells[other + r]
        best = (x if x < y else y) + bend[at + r]
        best = best if best < z else z
        cells[here + r] = best + stretch[at + r]


@njit(cache=True, nogil=True)
def work_diagonals(stretch_a, bend_a, stretch_b, bend_b, first, last, cells, above, left, bottom, marks, spacing):
    """Fill a part of three states: both signals advanced last (0), only a (1), only b (2).

    ``stretch_b`` and ``bend_b`` run backwards in time, with rows - 1 columns beyond either end. ``cells`` holds three
    diagonals, or all of them: diagonal t is at (t + 2) % len(cells).
    """
    depth, _, width = cells.shape
    rows = width - 1
    flat = cells.reshape(depth * 3 * width)
    end = len(stretch_b) - rows
    for t in range(bottom.shape[1] + rows - 1):
        here, before, two_before = (t + 2) % depth * 3 * width, (t + 1) % depth * 3 * width, t % depth * 3 * width
        at, up, across = end - t, before, before + 1
        w, w2 = width, 2 * width
        _both_advance(
            flat, here + 1, two_before, two_before + w, two_before + w2, stretch_a, stretch_b, bend_a, bend_b, at, rows
        )
        _one_advances(flat, here + w + 1, up, up + w, up + w2, stretch_a, bend_a, np.int64(0), rows)
        _one_advances(flat, here + w2 + 1, across, across + w2, across + w, stretch_b, bend_b, at, rows)
        for s in range(3):
            flat[here + s * width] = above[s, t + 2]
            if t + 1 < rows:
                flat[here + s * width + t + 2] = left[s, t + 1]
            if len(first):
                for r in range(rows):
                    if t >= r and (t - r < first[r] or t - r > last[r]):
                        flat[here + s * width + r + 1] = _INF
            if t + 1 >= rows:
                bottom[s, t + 1 - rows] = flat[here + s * width + rows]
            if len(marks):
                mark_columns(flat, here + s * width, t, rows, marks[:, s], spacing)


@njit(cache=True, nogil=True)
def work_walk(cells, stretch_b, bend_a, bend_b, row, column, state, path, at):
    """Walk back from a state of (row, column); as :func:`pose_walk`, with the state as well."""
    end = len(stretch_b) - (cells.shape[2] - 1)
    while row >= 0 and column >= 0:
        path[at, 0], path[at, 1] = row, column
        at -= 1
        t = row + column
        x, y = bend_a[row], bend_b[end - column]
        if state == 0:
            both, only_a, only_b = cells[t, 0, row] + abs(x - y), cells[t, 1, row] + x, cells[t, 2, row] + y
            row, column = row - 1, column - 1
        elif state == 1:
            both, only_a, only_b = cells[t + 1, 0, row] + x, cells[t + 1, 1, row] + x, cells[t + 1, 2, row]
            row -= 1
        else:
            both, only_a, only_b = cells[t + 1, 0, row + 1] + y, cells[t + 1, 1, row + 1], cells[t + 1, 2, row + 1] + y
            column -= 1
        state = 0 if both <= only_a and both <= only_b else (1 if only_a <= only_b else 2)
    return row, column, state, at


def warm_up() -> None:
    """Compile or load every kernel."""
    rows, columns = 2, 3
    row, none, path = np.zeros(rows), np.zeros(0, np.int64), np.zeros((9, 2), np.int64)
    edge, marks = np.zeros((3, columns + rows + 2)), np.zeros((1, 3, rows))
    b, left, bottom = np.zeros(columns + 2 * (rows - 1)), np.zeros((3, rows)), np.zeros((3, columns))
    cells = np.zeros((3, 3, rows + 1))
    work_diagonals(row, row, b, b, none, none, cells, edge, left, bottom, marks, 2)
    work_walk(np.zeros((columns + rows + 1, 3, rows + 1)), b, row, b, rows - 1, columns - 1, 0, path, 8)
