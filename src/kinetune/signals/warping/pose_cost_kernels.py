"""Compiled filling of the table of a time warp by poses, and the path back through it.

A part of the table is filled one anti-diagonal after the other, because the cells of one do not depend on each other:
all of them are computed at once. Three diagonals are held in ``cells``: diagonal t of the part is row (t + 2) % 3, its
cell in row r of the part at index r + 1, and index 0 is the row above the part.
The step that led to each cell is stored in ``steps``, if at all: two bits per cell, four cells to a byte.
Indices are unsigned, which leaves the compiler free to use vectors.
Rows are copied by loops and integers passed on are wrapped: assigning to a slice compiles the text of its error message
and a bare literal compiles a kernel of its own, and both take longer to compile than all the rest.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.signals.warping.pose_cost import PosePair, StripFill, Tile, TileBuffers
from kinetune.signals.warping.table import WarpWindow

_CLOSE = 1e-6
"""Squared distances below this part of the numbers that they are the difference of are computed again."""
_u = np.uint64
_ONE = np.uint64(1)
_INF = np.inf
_DIAGONAL, _UP, _LEFT = np.uint8(0), np.uint8(1), np.uint8(2)


@njit(**INNER)
def four_sums(room, count):
    """The sum of the numbers in a room, in four running sums; ``count`` is a multiple of four."""
    s0 = s1 = s2 = s3 = 0.0
    d, stop = _u(0), _u(count)
    while d < stop:
        s0 += room[d]
        s1 += room[d + _u(1)]
        s2 += room[d + _u(2)]
        s3 += room[d + _u(3)]
        d += _u(4)
    return (s0 + s1) + (s2 + s3)


@njit(**INNER)
def square_apart(x, p, y, q, width, room, size):
    """The square of the distance of ``width`` numbers from x[p] and from y[q] on.

    Squares go into the room first, all at once; it has zeros behind them, up to its size.
    """
    p, q = _u(p), _u(q)
    for d in range(_u(width)):
        t = x[p + d] - y[q + d]
        room[d] = t * t
    return four_sums(room, size)


@njit(**INNER)
def room_for(width):
    """Zeros for as many numbers, and up to three more."""
    return np.zeros((width + 3) // 4 * 4)


@njit(cache=True, nogil=True)
def survey(x, squares, total):
    """squares <- those of the lengths of the frames; total <- the sum of the frames.

    Returns the sum of the squares and the greatest of them.
    """
    frames, width = x.shape
    flat, room, whole = x.reshape(x.size), room_for(width), 0.0
    size, most = len(room), 0.0
    for d in range(width):
        total[d] = 0.0
    for i in range(frames):
        p = _u(i * width)
        for d in range(_u(width)):
            room[d] = flat[p + d] * flat[p + d]
            total[d] = total[d] + flat[p + d]
        square = four_sums(room, size)
        squares[i] = square
        whole += square
        most = square if square > most else most
    return whole, most


@njit(**INNER)
def lay_distances(pair, products, start, top, rows, here, count, costs):
    """costs[c + r, r] <- the distance of a[top + r] and b[here + c]; their product is products[start + c rows + r].

    The scattered stores hide behind the square roots.
    """
    a, b, xx, yy = pair
    laid = costs.reshape(costs.size)
    step, first = _u(rows + 1), _u(top)
    width, room = a.shape[1], room_for(a.shape[1])
    a_, b_, size = a.reshape(a.size), b.reshape(b.size), len(room)
    for c in range(count):
        y, doubtful = yy[here + c], 0
        given, to = _u(start + c * rows), _u(c * rows)
        for r in range(_u(rows)):
            both = xx[first + r] + y
            q = both - 2.0 * products[given + r]
            doubtful += q < _CLOSE * both
            laid[to + r * step] = math.sqrt(q if q > 0.0 else 0.0)
        if doubtful:
            for r in range(rows):
                both = xx[top + r] + y
                if both - 2.0 * products[start + c * rows + r] < _CLOSE * both:
                    i, j = (top + r) * width, (here + c) * width
                    costs[c + r, r] = math.sqrt(square_apart(a_, i, b_, j, width, room, size))


@njit(**INNER)
def _close_outside(window, costs, tile, rows):
    """costs[c + r, r] <- infinity for columns outside the window of row top + r."""
    top, here, count, _ = tile
    for r in range(rows):
        for c in range(min(window.first[top + r] - here, count)):
            costs[c + r, r] = _INF
        for c in range(max(window.last[top + r] + 1 - here, 0), count):
            costs[c + r, r] = _INF


@njit(**INNER)
def _pose_step(cells, here, before, two_before, costs, at, rows):
    here, before, two_before, at = _u(here), _u(before), _u(two_before), _u(at)
    for r in range(_u(rows)):
        diagonal, up, left = cells[two_before + r], cells[before + r], cells[before + r + _ONE]
        best = diagonal if diagonal < up else up
        best = best if best < left else left
        cells[here + r + _ONE] = costs[at + r] + best


@njit(**INNER)
def _pose_step_kept(cells, here, before, two_before, costs, at, rows, codes, to):
    here, before, two_before, at, to = _u(here), _u(before), _u(two_before), _u(at), _u(to)
    for r in range(_u(rows)):
        diagonal, up, left = cells[two_before + r], cells[before + r], cells[before + r + _ONE]
        best = diagonal if diagonal < up else up
        best = best if best < left else left
        cells[here + r + _ONE] = costs[at + r] + best
        codes[to + r] = _DIAGONAL if best == diagonal else (_UP if best == up else _LEFT)


@njit(**INNER)
def _pack(codes, steps, at):
    """Four codes to a byte."""
    four, at = codes.view(np.uint32), _u(at)
    for k in range(_u(len(four))):
        x = four[k]
        steps[at + k] = np.uint8((x | x >> np.uint32(6) | x >> np.uint32(12) | x >> np.uint32(18)) & np.uint32(255))


@njit(**INNER)
def _unpack(steps, wide, t, row):
    """The code of a row on diagonal t."""
    return steps[t * wide + row // 4] >> np.uint8(2 * (row % 4)) & np.uint8(3)


@njit(**INNER)
def mark_columns(cells, here, r, q, rows, marks, spacing):
    """Copy the cells of a diagonal that lie in the columns spacing - 1, 2 spacing - 1 and so on.

    r, q : rest and quotient of the diagonal's number plus one, divided by the spacing.
    """
    while q >= 1 and r < rows:
        if q <= marks.shape[0]:
            marks[q - 1, r] = cells[here + r + 1]
        r, q = r + spacing, q - 1


@njit(**INNER)
def pose_diagonals(costs, begin, count, fill, codes):
    """Fill ``count`` diagonals from number ``begin`` on; returns the least value on the last two of them."""
    cells, above, left, bottom, marks, spacing, steps = fill
    width = cells.shape[1]
    rows = width - 1
    wide = (rows + 3) // 4
    columns = len(bottom)
    flat, distances = cells.reshape(3 * width), costs.reshape(costs.size)
    here, before, two_before = (begin + 2) % 3 * width, (begin + 1) % 3 * width, begin % 3 * width
    rest, quotient = begin % spacing, begin // spacing
    for t in range(begin, begin + count):
        low, high = max(t - columns + 1, 0), min(t + 1, rows)
        at = (t - begin) * rows + low
        if len(steps):
            to = (t - begin) * 4 * wide + low
            _pose_step_kept(flat, here + low, before + low, two_before + low, distances, at, high - low, codes, to)
        else:
            _pose_step(flat, here + low, before + low, two_before + low, distances, at, high - low)
        flat[here] = above[t + 2]
        if t + 1 < rows:
            flat[here + t + 2] = left[t + 1]
        else:
            bottom[t + 1 - rows] = flat[here + rows]
        rest += 1
        if rest == spacing:
            rest, quotient = np.int64(0), quotient + 1
        mark_columns(flat, here, rest, quotient, rows, marks, spacing)
        here, before, two_before = two_before, here, before
    if len(steps):
        _pack(codes[: count * 4 * wide], steps, begin * wide)
    least = _INF
    for t in range(max(begin, begin + count - 2), begin + count):
        here = (t + 2) % 3 * width
        for r in range(here + max(t - columns + 1, 0), here + min(t + 1, rows)):
            least = flat[r + 1] if flat[r + 1] < least else least
    return least


@njit(cache=True, nogil=True)
def pose_tile(pair, tile, window, buffers, fill):
    """Fill the diagonals of a tile; returns the least value on the last two of them.

    The first tile of a part begins with diagonal 0, the last one ends in the part's last column.
    """
    top, here, count, begin = tile
    costs, codes = buffers.costs, buffers.codes
    cells, bottom, marks = fill.cells, fill.bottom, fill.marks
    rows = cells.shape[1] - 1
    flat, carried, behind = costs.reshape(costs.size), _u((rows - 1) * rows), _u(count * rows)
    if begin == 0:
        for r in range(rows + 1):
            cells[0, r] = cells[1, r] = _INF
        cells[0, 0], cells[1, 0], cells[1, 1] = fill.above[0], fill.above[1], fill.left[0]
        for k in range(len(bottom)):
            bottom[k] = _INF
        for k in range(marks.shape[0]):
            for r in range(rows):
                marks[k, r] = _INF
    lay_distances(pair, buffers.products, np.int64(0), top, rows, here, count, costs)
    if len(window.first):
        _close_outside(window, costs, tile, rows)
    least = pose_diagonals(costs, begin, count, fill, codes)
    for k in range(carried):
        flat[k] = flat[behind + k]
    if begin + count == len(bottom):
        pose_diagonals(costs, begin + count, rows - 1, fill, codes)
    return least


@njit(cache=True, nogil=True)
def pose_walk(steps, rows, row, column, path, at):
    """Walk back from (row, column) until the part's top or left edge is passed; the path is filled from its end.

    Returns the row and the column outside, and the index in the path that is to be filled next.
    """
    wide = (rows + 3) // 4
    while row >= 0 and column >= 0:
        path[at, 0], path[at, 1] = row, column
        at -= 1
        code = _unpack(steps, wide, row + column, row)
        if code != _LEFT:
            row -= 1
        if code != _UP:
            column -= 1
    return row, column, at


@njit(cache=True, nogil=True)
def pose_along(a, b, path):
    """The sum of the distances along a path."""
    width, room, total = a.shape[1], room_for(a.shape[1]), 0.0
    x, y, size = a.reshape(a.size), b.reshape(b.size), len(room)
    for k in range(len(path)):
        total += math.sqrt(square_apart(x, path[k, 0] * width, y, path[k, 1] * width, width, room, size))
    return total


def warm_up() -> None:
    """Compile or load every kernel."""
    rows, columns = 2, 3
    poses, squares, none = np.zeros((columns, 2)), np.zeros(columns), np.zeros(0, np.int64)
    steps, path = np.zeros(64, np.uint8), np.zeros((9, 2), np.int64)
    buffers = TileBuffers(np.zeros(9), np.zeros((columns + rows - 1, rows)), np.zeros(64, np.uint8))
    edge, marks = np.zeros(columns + rows + 2), np.zeros((1, rows))
    fill = StripFill(np.zeros((3, rows + 1)), edge, np.zeros(rows), squares.copy(), marks, 2, steps)
    pair = PosePair(poses, poses, squares, squares)
    pose_tile(pair, Tile(0, 0, columns, 0), WarpWindow(none, none), buffers, fill)
    pose_walk(steps, rows, rows - 1, columns - 1, path, 8)
    pose_along(poses, poses, path)
    survey(poses, squares.copy(), np.zeros(2))
