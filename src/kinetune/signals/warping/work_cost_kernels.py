"""Compiled filling of the table of a time warp by stretching and bending work, and the path back through it.

The table is filled as in :mod:`kinetune.signals.warping.pose_cost_kernels`, with three values per cell.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.signals.warping.pose_cost_kernels import four_sums, mark_columns, room_for
from kinetune.signals.warping.table import WarpWindow
from kinetune.signals.warping.work_cost import TableBand, Wire

_u = np.uint64
_INF = np.inf


@njit(cache=True, nogil=True)
def measure_steps(x, squares, products):
    """squares <- the squared lengths of the steps from frame to frame; products <- of each step with the next."""
    frames, width = x.shape
    flat, before, square, product = x.reshape(x.size), np.zeros(width), room_for(width), room_for(width)
    size = len(square)
    for i in range(frames - 1):
        p, q = _u(i * width), _u((i + 1) * width)
        for d in range(_u(width)):
            step = flat[q + d] - flat[p + d]
            square[d] = step * step
            product[d] = step * before[d]
            before[d] = step
        squares[i] = four_sums(square, size)
        if i > 0:
            products[i - 1] = four_sums(product, size)


@njit(cache=True, nogil=True)
def work_along(a, b, path):
    """The work along a path."""
    total = 0.0
    down_before = across_before = np.int64(0)
    for k in range(1, len(path)):
        i, j = path[k, 0], path[k, 1]
        down, across = i - path[k - 1, 0], j - path[k - 1, 1]
        stretch = abs(a.stretch[i] * down - b.stretch[j] * across)
        bend = abs(a.bend[i] * (down * down_before) - b.bend[j] * (across * across_before))
        total += stretch + bend
        down_before, across_before = down, across
    return total


@njit(**INNER)
def _least(x, y, z):
    best = x if x < y else y
    return best if best < z else z


@njit(**INNER)
def _costs_to_both(cells, both, only_a, only_b, bend_a, bend_b):
    """What it costs to reach a cell from each of three states when both signals advance, without the stretch."""
    return cells[both] + abs(bend_a - bend_b), cells[only_a] + bend_a, cells[only_b] + bend_b


@njit(**INNER)
def _both_advance(cells, here, both, only_a, only_b, a, b, low, at, n):
    here, both, only_a, only_b, low, at = _u(here), _u(both), _u(only_a), _u(only_b), _u(low), _u(at)
    for r in range(_u(n)):
        x, y, z = _costs_to_both(cells, both + r, only_a + r, only_b + r, a.bend[low + r], b.bend[at + r])
        cells[here + r] = _least(x, y, z) + abs(a.stretch[low + r] - b.stretch[at + r])


@njit(**INNER)
def _one_advances(cells, here, both, same, other, wire, at, n):
    """A signal that advances bends where it advanced before, and is straight where it rested (``other``)."""
    here, both, same, other, at = _u(here), _u(both), _u(same), _u(other), _u(at)
    for r in range(_u(n)):
        x, y, z = cells[both + r], cells[same + r], cells[other + r]
        best = (x if x < y else y) + wire.bend[at + r]
        best = best if best < z else z
        cells[here + r] = best + wire.stretch[at + r]


@njit(cache=True, nogil=True)
def work_diagonals(a, b, window, cells, above, left, bottom, marks, spacing):
    """Fill a part of three states: both signals advanced last (0), only a (1), only b (2).

    ``b`` runs backwards in time. ``cells`` holds three diagonals, or all of them: diagonal t is
    at (t + 2) % len(cells).
    """
    depth, _, width = cells.shape
    rows, columns = width - 1, len(b.stretch)
    flat = cells.reshape(depth * 3 * width)
    w, w2, two_before = width, 2 * width, np.int64(0)
    before, here = 3 * width, 6 * width
    rest, quotient = np.int64(0), np.int64(0)
    for t in range(columns + rows - 1):
        low, high = max(t - columns + 1, 0), min(t + 1, rows)
        n, at, to = high - low, columns - 1 - t + low, here + low + 1
        both, up, across = two_before + low, before + low, before + low + 1
        _both_advance(flat, to, both, both + w, both + w2, a, b, low, at, n)
        _one_advances(flat, to + w, up, up + w, up + w2, a, low, n)
        _one_advances(flat, to + w2, across, across + w2, across + w, b, at, n)
        rest += 1
        if rest == spacing:
            rest, quotient = np.int64(0), quotient + 1
        for s in range(3):
            state = here + s * width
            flat[state] = above[s, t + 2]
            if t + 1 < rows:
                flat[state + t + 2] = left[s, t + 1]
            if len(window.first):
                for r in range(low, high):
                    if t - r < window.first[r] or t - r > window.last[r]:
                        flat[state + r + 1] = _INF
            if t + 1 >= rows:
                bottom[s, t + 1 - rows] = flat[state + rows]
            if len(marks):
                mark_columns(flat, state, rest, quotient, rows, marks[:, s], spacing)
        two_before, before, here = before, here, here + 3 * width
        if here == len(flat):
            here = np.int64(0)


@njit(cache=True, nogil=True)
def work_walk(cells, bend_a, bend_b, row, column, state, path, at):
    """Walk back from a state of (row, column); as :func:`pose_walk`, with the state as well."""
    end = len(bend_b) - 1
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


@njit(**INNER)
def _both_advance_coded(cells, here, both, only_a, only_b, a, b, low, at, n, codes):
    here, both, only_a, only_b, low, at = _u(here), _u(both), _u(only_a), _u(only_b), _u(low), _u(at)
    for r in range(_u(n)):
        x, y, z = _costs_to_both(cells, both + r, only_a + r, only_b + r, a.bend[low + r], b.bend[at + r])
        best = _least(x, y, z)
        cells[here + r] = best + abs(a.stretch[low + r] - b.stretch[at + r])
        codes[r] = np.uint8(0) if best == x else (np.uint8(1) if best == y else np.uint8(2))


@njit(**INNER)
def _one_advances_coded(cells, here, both, same, other, wire, at, n, codes, if_same, if_other):
    here, both, same, other, at = _u(here), _u(both), _u(same), _u(other), _u(at)
    for r in range(_u(n)):
        x, y, z = cells[both + r] + wire.bend[at + r], cells[same + r] + wire.bend[at + r], cells[other + r]
        best = _least(x, y, z)
        cells[here + r] = best + wire.stretch[at + r]
        codes[r] = np.uint8(0) if best == x else (if_same if best == y else if_other)


@njit(**INNER)
def _band_rows(t, n, m, band):
    """The first row of a band on anti-diagonal t, and the one after its last."""
    return max(0, max(t - m + 1, (t - band.b + 1) // 2)), min(t, min(n - 1, (t + band.a) // 2)) + 1


@njit(cache=True, nogil=True)
def work_band(a, b, band, cells, codes, steps):
    """Fill the cells of a band along the diagonal, and store the step to each of their three states.

    ``b`` runs backwards in time. ``cells`` holds three diagonals of all rows. A step is two bits
    for each state: the state before it. Returns the state in which the path ends.
    """
    n, m, width = len(a.stretch), len(b.stretch), cells.shape[2]
    flat, joined, across = cells.reshape(9 * width), steps.reshape(steps.size), steps.shape[1]
    for k in range(len(flat)):
        flat[k] = _INF
    two_before, before, here = np.int64(0), 3 * width, 6 * width
    flat[before + 1] = 0.0
    w, w2 = width, 2 * width
    for t in range(1, n + m - 1):
        low, high = _band_rows(t, n, m, band)
        count, at, to = high - low, m - 1 - t + low, here + low + 1
        both, up, left = two_before + low, before + low, before + low + 1
        _both_advance_coded(flat, to, both, both + w, both + w2, a, b, low, at, count, codes[0])
        _one_advances_coded(flat, to + w, up, up + w, up + w2, a, low, count, codes[1], np.uint8(4), np.uint8(8))
        _one_advances_coded(
            flat, to + w2, left, left + w2, left + w, b, at, count, codes[2], np.uint8(32), np.uint8(16)
        )
        for s in range(3):
            flat[here + s * w + low] = flat[here + s * w + high + 1] = _INF
        _join_codes(codes, count, joined, t * across)
        two_before, before, here = before, here, two_before
    state = np.int64(0)
    for s in range(1, 3):
        if flat[before + s * w + n] < flat[before + state * w + n]:
            state = np.int64(s)
    return state


@njit(**INNER)
def _join_codes(codes, count, joined, to):
    one, two, three, to = codes[0], codes[1], codes[2], _u(to)
    for r in range(_u(count)):
        joined[to + r] = one[r] | two[r] | three[r]


@njit(cache=True, nogil=True)
def work_band_walk(steps, n, m, band, state, path):
    """The path through a band that was filled, from its end; returns where it begins in ``path``."""
    row, column, at = n - 1, m - 1, n + m - 1
    while row > 0 or column > 0:
        path[at, 0], path[at, 1] = row, column
        at -= 1
        low, _ = _band_rows(row + column, n, m, band)
        code = np.int64(steps[row + column, row - low])
        row -= state != 2
        column -= state != 1
        state = code >> 2 * state & 3
    path[at, 0], path[at, 1] = 0, 0
    return at


def warm_up() -> None:
    """Compile or load every kernel."""
    rows, columns = 2, 3
    row, none, path = np.zeros(rows), np.zeros(0, np.int64), np.zeros((9, 2), np.int64)
    edge, marks = np.zeros((3, columns + rows + 2)), np.zeros((1, 3, rows))
    a, b = Wire(row, row), Wire(np.zeros(columns), np.zeros(columns))
    left, bottom = np.zeros((3, rows)), np.zeros((3, columns))
    work_diagonals(a, b, WarpWindow(none, none), np.zeros((3, 3, rows + 1)), edge, left, bottom, marks, 2)
    work_walk(np.zeros((columns + rows + 1, 3, rows + 1)), row, b.bend, rows - 1, columns - 1, 0, path, 8)
    codes, steps, band = np.zeros((3, 2), np.uint8), np.zeros((rows + columns - 1, 2), np.uint8), TableBand(1, 2)
    state = work_band(a, b, band, np.zeros((3, 3, rows + 2)), codes, steps)
    work_band_walk(steps, rows, columns, band, state, path)
    work_along(a, b, np.zeros((1, 2), np.int64))
    measure_steps(np.zeros((2, 2)), row.copy(), row.copy())
