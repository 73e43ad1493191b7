"""Compiled loops of the corridor of a time warp: blocks, lower bounds, and the strips of the corridor."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.signals.warping._pose_corridor import CorridorEdges, CorridorStrips, SignalBlocks
from kinetune.signals.warping.pose_cost import PosePair, StripFill, TileBuffers
from kinetune.signals.warping.pose_cost_kernels import (
    four_sums,
    lay_distances,
    pose_diagonals,
    pose_walk,
    room_for,
    square_apart,
)

_u = np.uint64
_INF = np.inf


@njit(cache=True, nogil=True)
def blocks(x, size, means, squares, radii):
    """Mean and radius of each block of frames, and the square of the mean's length."""
    frames, width = x.shape
    flat, middles, room = x.reshape(x.size), means.reshape(means.size), room_for(width)
    space = len(room)
    for k in range(len(means)):
        start, stop = k * size, min((k + 1) * size, frames)
        p, q = _u(start * width), _u(k * width)
        for d in range(_u(width)):
            room[d] = flat[p + d]
        for i in range(start + 1, stop):
            p = _u(i * width)
            for d in range(_u(width)):
                room[d] = room[d] + flat[p + d]
        for d in range(_u(width)):
            mean = room[d] / (stop - start)
            middles[q + d] = mean
            room[d] = mean * mean
        squares[k] = four_sums(room, space)
        far = 0.0
        for i in range(start, stop):
            far = max(far, square_apart(flat, i * width, middles, k * width, width, room, space))
        radii[k] = math.sqrt(far)


@njit(cache=True, nogil=True)
def coarse_corridor(a, b, lower, high, margin, firsts, lasts):
    """Where the best path through the blocks' means runs, and how near the frames of two blocks can be.

    a, b : both signals in blocks.
    lower : (blocks of a, blocks of b) the products of the means; becomes the lower bounds.
    high : the number of blocks of a in a strip. firsts, lasts : the blocks of b around the path, strip by strip.

    Returns the mean distance along the path, and over the whole table.
    """
    n, m = lower.shape
    yy, radii_b, least_b, most_b = b.squares, b.radii, b.least, b.most
    cells, steps = np.empty(m + 1), np.empty((n, m), np.uint8)
    for j in range(m + 1):
        cells[j] = _INF
    cells[0] = 0.0
    total = 0.0
    apart = np.empty(m)
    for i in range(n):
        x, radius, short, long = a.squares[i], a.radii[i], a.least[i], a.most[i]
        for j in range(_u(m)):
            q = (x + yy[j]) - 2.0 * lower[i, j]
            q = math.sqrt(q if q > 0.0 else 0.0)
            apart[j] = q
            q = (q - radius) - radii_b[j]
            q = q if q > 0.0 else 0.0
            over, under = short - most_b[j], least_b[j] - long
            outer = over if over > under else under
            outer = outer if outer > 0.0 else 0.0
            lower[i, j] = math.sqrt(q * q + outer * outer)
        diagonal, left = cells[0], _INF
        cells[0] = _INF
        for j in range(m):
            up = cells[j + 1]
            best, step = (diagonal, 0) if diagonal <= up else (up, 1)
            if left < best:
                best, step = left, 2
            left = best + apart[j]
            cells[j + 1] = left
            steps[i, j] = step
            diagonal = up
            total += apart[j]
    for s in range(len(firsts)):
        firsts[s], lasts[s] = m, 0
    i, j, count = n - 1, m - 1, 0
    while i >= 0 and j >= 0:
        s = i // high
        firsts[s] = min(firsts[s], max(j - margin, 0))
        lasts[s] = max(lasts[s], min(j + margin + 1, m))
        step = steps[i, j]
        i -= step != 2
        j -= step != 1
        count += 1
    return cells[m] / count, total / (n * m)


@njit(**INNER)
def _nearest(xx, top, rows, y, products, start, least):
    top, start = _u(top), _u(start)
    for r in range(_u(rows)):
        q = (xx[top + r] + y) - 2.0 * products[start + r]
        least[r] = q if q < least[r] else least[r]


@njit(**INNER)
def _block_minima(pair, products, start, top, rows, lo, hi, least, edges):
    """edges.nearest <- the least distances in the blocks of a strip."""
    block = edges.block
    for j in range(lo, hi, block):
        for r in range(rows):
            least[r] = _INF
        for c in range(j, min(j + block, hi)):
            _nearest(pair.xx, top, rows, pair.yy[c], products, start + (c - lo) * rows, least)
        for i in range(0, rows, block):
            q = _INF
            for r in range(i, min(i + block, rows)):
                q = least[r] if least[r] < q else q
            q = math.sqrt(q if q > 0.0 else 0.0) - edges.slack
            edges.nearest[(top + i) // block, j // block] = q if q > 0.0 else 0.0


@njit(cache=True, nogil=True)
def pose_strips(pair, strips, begin, end, buffers, steps, row, edges):
    """Fill strips ``begin`` to ``end`` of the table, each between two columns of its own.

    buffers : with the products of these strips, one after the other.
    steps : the step that led to each cell.
    row : (frames of b + rows + 2,) from one column before the first on: the row above, then the last row filled.
    edges : filled unless it is empty.
    """
    rows, firsts, lasts, starts = strips
    costs, codes = buffers.costs, buffers.codes
    n = len(pair.a)
    last, left, least = np.empty(rows), np.empty(rows), np.empty(rows)
    for k in range(rows):
        left[k] = _INF
    start, zero = np.int64(0), np.int64(0)
    for s in range(begin, end):
        top, lo, hi = s * rows, firsts[s], lasts[s]
        height, columns = min(rows, n - top), hi - lo
        diagonals = columns + height - 1
        laid = costs[: diagonals * height].reshape((diagonals, height))
        cells = np.empty((3, height + 1))
        cells[0, 0], cells[1, 0], cells[1, 1] = row[lo], row[lo + 1], _INF
        lay_distances(pair, buffers.products, start, top, height, lo, columns, laid)
        above, bottom, mark = row[lo : lo + diagonals + 2], row[lo + 1 : hi + 1], last[:height].reshape((1, height))
        fill = StripFill(cells, above, left, bottom, mark, columns, steps[starts[s] : starts[s + 1]])
        pose_diagonals(laid, zero, diagonals, fill, codes)
        row[lo] = _INF
        if len(edges.nearest):
            for r in range(height):
                edges.right[top + r] = last[r]
            for c in range(lo, firsts[s + 1] if s + 1 < len(firsts) else lo):
                edges.below[c] = row[c + 1]
            _block_minima(pair, buffers.products, start, top, height, lo, hi, least, edges)
        start += columns * height


@njit(cache=True, nogil=True)
def pose_trace(steps, strips, n, m, path):
    """The path through strips whose steps are stored; returns where it begins in ``path``."""
    rows, firsts, _, starts = strips
    row, column, at = n - 1, m - 1, n + m - 1
    while row >= 0:
        s = row // rows
        top, lo = s * rows, firsts[s]
        height = min(rows, n - top)
        row, column, then = pose_walk(steps[starts[s] : starts[s + 1]], height, row - top, column - lo, path, at)
        for k in range(then + 1, at + 1):
            path[k, 0] += top
            path[k, 1] += lo
        row, column, at = row + top, column + lo, then
    return at + 1


@njit(**INNER)
def _down(lower, row, size, j):
    """The least that it takes to pass along the edge before block j of a row."""
    m = lower.shape[1]
    x, y = lower[row, max(j - 1, 0)], lower[row, min(j, m - 1)]
    return (x if x < y else y) * size


@njit(**INNER)
def _across(lower, i, sizes, j):
    """The least that it takes to pass along the edge above block j of row i."""
    n = lower.shape[0]
    x, y = lower[max(i - 1, 0), j], lower[min(i, n - 1), j]
    return (x if x < y else y) * sizes[j]


@njit(cache=True, nogil=True)
def least_ahead(lower, size_a, size_b, most, ahead):
    """ahead <- the least cost from each corner of the blocks to the end; see ``_pose_corridor``.

    ahead : infinite, and stays so where it is more than ``most``: those corners count as out of reach, so that few are
        looked at, low to top in each row.
    """
    n, m = lower.shape
    low, top = m, m
    for i in range(n, -1, -1):
        best, j, least, greatest = _INF, top, m + 1, -1
        while j >= 0 and (j >= low or best <= most):
            best = best + _across(lower, i, size_b, j) if j < m else _INF
            if i == n and j == m:
                best = 0.0
            elif i < n and j >= low:
                below = ahead[i + 1, j] + _down(lower, i, size_a[i], j)
                best = below if below < best else best
            if best <= most:
                ahead[i, j] = best
                least, greatest = j, max(greatest, j)
            j -= 1
        low, top = least, greatest


@njit(cache=True, nogil=True)
def corridor_holds(right, below, firsts, lasts, high, size, ahead, most):
    """Whether it costs more than ``most`` to leave a corridor, wherever it can be left: to the right, or down."""
    last = ahead.shape[1] - 1
    for i in range(len(right)):
        row = i // size
        corner = lasts[row // high]
        if corner < last and right[i] + min(ahead[row, corner], ahead[row + 1, corner]) <= most:
            return False
    for s in range(len(firsts) - 1):
        corner = (s + 1) * high
        for j in range(firsts[s] * size, firsts[s + 1] * size):
            column = j // size
            if below[j] + min(ahead[corner, column], ahead[corner, column + 1]) <= most:
                return False
    return True


@njit(cache=True, nogil=True)
def hopeful(lower, size_a, size_b, size, top, high, row, ahead, most, first, last):
    """The first block of b in a strip that paths of at most a cost can touch, and the one after the last.

    Corners that are dearer count as out of reach, so that few are looked at: up to ``reached`` in each row.
    """
    n, m = lower.shape
    stop, begin, end = min(top + high, n), m, first
    to, before = np.empty(m + 1), np.empty(m + 1)
    for j in range(m + 1):
        to[j] = before[j] = _INF
    for j in range(first, last + 1):
        at = j * size
        to[j] = min(to[j], row[at])
        for r in range(at + 1, at + size if j < last else at + 1):
            to[j], to[j + 1] = min(to[j], row[r]), min(to[j + 1], row[r])
    reached = last
    for i in range(top, stop + 1):
        below = min(i, stop - 1)
        best, j, greatest = _INF, first, first
        while j <= m and (j <= reached or best <= most):
            if j > first:
                x, y = lower[max(i - 1, top), j - 1], lower[below, j - 1]
                best = best + (x if x < y else y) * size_b[j - 1]
            at = to[j] if i == top else before[j] + _down(lower, i - 1, size_a[i - 1], j)
            best = at if at < best else best
            to[j] = best
            greatest = j if best <= most else greatest
            j += 1
        for k in range(j, m + 1):
            to[k] = _INF
        if i > top:
            for j in range(max(first - 1, 0), min(max(reached, greatest) + 1, m)):
                reach = min(min(before[j], before[j + 1]), to[j])
                leave = min(min(ahead[i, j], ahead[i, j + 1]), ahead[i - 1, j + 1])
                if reach + leave <= most:
                    begin, end = min(begin, j), max(end, j + 1)
        before, to = to, before
        reached = greatest
    return max(begin, first), end


def warm_up() -> None:
    """Compile or load every kernel."""
    poses, squares, pair = np.zeros((3, 2)), np.zeros(3), np.zeros(2)
    lower, firsts, lasts = np.zeros((2, 2)), np.zeros(2, np.int64), np.full(2, 3, np.int64)
    blocks(poses, 2, np.zeros((2, 2)), pair, pair)
    side = SignalBlocks(np.zeros((2, 2)), pair, pair, pair, pair, pair)
    coarse_corridor(side, side, lower, 1, 1, firsts.copy(), lasts.copy())
    buffers = TileBuffers(np.zeros(9), np.zeros(8), np.zeros(64, np.uint8))
    strips = CorridorStrips(2, firsts, lasts, np.array([0, 4, 8]))
    steps, path, row = np.zeros(64, np.uint8), np.zeros((6, 2), np.int64), np.zeros(7)
    edges = CorridorEdges(lower, 2, 0.0, squares.copy(), squares.copy())
    pose_strips(PosePair(poses, poses, squares, squares), strips, 0, 2, buffers, steps, row, edges)
    pose_trace(steps, strips, 3, 3, path)
    ahead = np.zeros((3, 3))
    least_ahead(lower, pair, pair, 1.0, ahead)
    corridor_holds(squares, squares, firsts, firsts, 1, 2, ahead, 1.0)
    hopeful(lower, pair, pair, 2, 0, 1, row, ahead, 1.0, 0, 2)
