"""Compiled bodies of :mod:`kinetune.signals.bands`: no band is stored, every loop is one long stream.

Signals are flat, rows * width. A level is a sum of five shifted copies of the one before. It is made in chunks of rows
that stay in the first-level cache, and two levels at a time join the result: while a chunk of the second is still in
the cache, so is its middle tap, which is the first. Where a tap would leave the signal, a tile of its first or last
row stands in.

The loops index whole arrays by unsigned places instead of taking slices: a slice counts references, and a signed
index is tested for being negative, which keeps a loop from being vectorised.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.compiled import INNER

_CHUNK_BYTES = 9600  # a chunk and the streams that make it share a first-level cache of 32 to 48 KB
_EVEN = 16  # rows of a chunk come in this many, so that few numbers are left over after the vectors
_WHOLE_BYTES = 2 << 20  # signals up to here are not turned into planes
_TOGETHER_BYTES = 3 << 18  # signals up to here share the second-level cache with their low-passed copies
_GROUP_BYTES = 3 << 17  # of larger ones so many columns at a time are filtered
_u = np.uint64
_NOT_YET = np.int64(-1)


@njit(**INNER)
def _five_taps(x, p0, p1, p2, p3, p4, low, to, n):
    number = x.dtype.type
    c, b, a = number(0.0625), number(0.25), number(0.375)
    p0, p1, p2, p3, p4, to = _u(p0), _u(p1), _u(p2), _u(p3), _u(p4), _u(to)
    for j in range(_u(n)):
        low[to + j] = c * (x[p0 + j] + x[p4 + j]) + b * (x[p1 + j] + x[p3 + j]) + a * x[p2 + j]


@njit(**INNER)
def _begin(out, at, g0, x, p0, g1, s, p1, n):
    at, p0, p1 = _u(at), _u(p0), _u(p1)
    for j in range(_u(n)):
        out[at + j] = g0 * x[p0 + j] + g1 * s[p1 + j]


@njit(**INNER)
def _begin_two(out, at, g0, x, p0, g1, s, p1, g2, p2, n):
    at, p0, p1, p2 = _u(at), _u(p0), _u(p1), _u(p2)
    for j in range(_u(n)):
        out[at + j] = (g0 * x[p0 + j] + g1 * s[p1 + j]) + g2 * s[p2 + j]


@njit(**INNER)
def _add(out, at, g1, s, p1, n):
    at, p1 = _u(at), _u(p1)
    for j in range(_u(n)):
        out[at + j] = out[at + j] + g1 * s[p1 + j]


@njit(**INNER)
def _add_two(out, at, g1, s, p1, g2, p2, n):
    at, p1, p2 = _u(at), _u(p1), _u(p2)
    for j in range(_u(n)):
        out[at + j] = (out[at + j] + g1 * s[p1 + j]) + g2 * s[p2 + j]


@njit(**INNER)
def _copy(to, at, source, p, n):
    at, p = _u(at), _u(p)
    for j in range(_u(n)):
        to[at + j] = source[p + j]


@njit(**INNER)
def _tile(s, to, row, rows, width):
    """Repeat a row: copy it once, then copy what is there, doubling."""
    _copy(s, to, s, row, width)
    filled = 1
    while filled < rows:
        more = min(filled, rows - filled)
        _copy(s, to + filled * width, s, to, more * width)
        filled += more


@njit(**INNER)
def _longest_chunk(width, itemsize):
    """Rows of a chunk."""
    rows = max(_CHUNK_BYTES // itemsize // width, 1)
    return rows // _EVEN * _EVEN if rows >= _EVEN else rows


@njit(**INNER)
def _chunk_end(r0, rows, step, longest):
    """How far a chunk that begins at row r0 may go: no tap begins or ceases to leave the signal on the way."""
    r1 = min(r0 + longest, rows)
    for edge in (step, 2 * step, rows - 2 * step, rows - step):
        if r0 < edge < r1:
            r1 = edge
    return r1


@njit(**INNER)
def _low_pass(x, p, first, last, s, low, rows, width, step, longest, out, at, signal, p0, weights, level):
    """s at low <- x at p through the five taps; from level 0 on, both join the result on the way.

    first, last : where tiles of the first and last row lie in x.
    longest : rows of a chunk; with weights that change, 1.
    """
    near, far = step * width, 2 * step * width
    r0 = 0
    while r0 < rows:
        r1 = _chunk_end(r0, rows, step, longest)
        i, n = r0 * width, (r1 - r0) * width
        v0 = first if r0 < 2 * step else p + i - far
        v1 = first if r0 < step else p + i - near
        v3 = last if r0 + step >= rows else p + i + near
        v4 = last if r0 + 2 * step >= rows else p + i + far
        _five_taps(x, v0, v1, p + i, v3, v4, s, low + i, n)
        w = r0 if weights.shape[1] > 1 else 0
        if level == 0:
            _begin_two(out, at + i, weights[0, w], signal, p0 + i, weights[1, w], s, p + i, weights[2, w], low + i, n)
        elif level > 0:
            _add_two(out, at + i, weights[level + 1, w], s, p + i, weights[level + 2, w], low + i, n)
        r0 = r1


@njit(**INNER)
def _aligned(size):
    """A size rounded up to whole cache lines: a store across two lines costs twice."""
    return (size + 15) // 16 * 16


@njit(**INNER)
def _mix(signal, p0, out, at, s, one, rows, width, weights):
    """out at ``at`` <- weighted sum of the signal at p0 and its low-passed copies, kept in s from ``one`` on.

    Whole numbers that are known here are wrapped, or the kernels below would be compiled for each of them.
    """
    levels = weights.shape[0] - 1
    size = rows * width
    other = one + _aligned(size)
    first = other + _aligned(size)
    longest = _longest_chunk(width, s.itemsize) if weights.shape[1] == 1 else np.int64(1)
    # With taps one row apart, a chunk in which a tap is held is a single row: the first and last row are the tiles.
    x, p, to, head, tail = signal, p0, one, p0, p0 + size - width
    for k in range(levels):
        if k > 0:
            x, p, to = s, to, one if to == other else other
            tile = min(longest, 2 << k, rows)
            head, tail = first, first + tile * width
            _tile(s, head, p, tile, width)
            _tile(s, tail, p + size - width, tile, width)
        level = k - 1 if k % 2 else _NOT_YET
        _low_pass(x, p, head, tail, s, to, rows, width, 1 << k, longest, out, at, signal, p0, weights, level)
    if levels % 2:
        n = size if weights.shape[1] == 1 else width
        for i in range(0, size, n):
            w = i // n
            if levels == 1:
                _begin(out, at + i, weights[0, w], signal, p0 + i, weights[1, w], s, to + i, n)
            else:
                _add(out, at + i, weights[levels, w], s, to + i, n)


@njit(**INNER)
def _takes_planes(rows, width, itemsize, changing):
    return rows * width * itemsize > _WHOLE_BYTES and width > 1 and not changing


@njit(**INNER)
def _columns_at_once(rows, width, itemsize, changing):
    """How many columns are filtered at a time: all, or some whole cache lines."""
    if rows * width * itemsize <= _TOGETHER_BYTES or changing:
        return width
    line = 64 // itemsize
    return min(max(_GROUP_BYTES // (rows * itemsize) // line, 1) * line, width)


@njit(cache=True, nogil=True)
def scratch_size(rows, width, itemsize, changing):
    """How many numbers of scratch :func:`equalize` wants; they should begin at a cache line."""
    if _takes_planes(rows, width, itemsize, changing):
        return (64 // itemsize + 3) * _aligned(rows) + 2 * (_CHUNK_BYTES // itemsize)
    columns = _columns_at_once(rows, width, itemsize, changing)
    return (2 if columns == width else 4) * _aligned(rows * columns) + 2 * max(_CHUNK_BYTES // itemsize, columns)


@njit(**INNER)
def _move(to, at, to_step, source, p, step, rows, n):
    """Copy a block of columns."""
    for i in range(rows):
        _copy(to, at + i * to_step, source, p + i * step, n)


@njit(cache=True, nogil=True)
def equalize(x, weights, result, scratch):
    """result <- weighted sum of every x[n] and its low-passed copies.

    x and result have shape (clips, rows, width), weights (levels + 1, 1) or (levels + 1, rows).
    Of signals too large for the second-level cache some columns at a time are brought together. Of long signals a cache
    line of columns at a time is turned into planes, with time running along memory.
    """
    clips, rows, width = x.shape
    size, planes = rows * width, _takes_planes(rows, width, x.itemsize, weights.shape[1] > 1)
    flat, out = x.reshape(x.size), result.reshape(x.size)
    line, plane = (64 // x.itemsize, _aligned(rows)) if planes else (np.int64(1), np.int64(0))
    columns = _columns_at_once(rows, width, x.itemsize, weights.shape[1] > 1)
    zero = np.int64(0)
    for at in range(0, clips * size, size):
        if not planes and columns == width:
            _mix(flat, at, out, at, scratch, zero, rows, width, weights)
        elif not planes:
            for c in range(at, at + width, columns):
                n = min(columns, at + width - c)
                group = _aligned(rows * n)
                _move(scratch, zero, n, flat, c, width, rows, n)
                _mix(scratch, zero, scratch, group, scratch, 2 * group, rows, n, weights)
                _move(out, c, width, scratch, group, n, rows, n)
        else:
            for c in range(at, at + width, line):
                n = min(line, at + width - c)
                for i in range(rows):
                    for p in range(n):
                        scratch[p * plane + i] = flat[c + i * width + p]
                for p in range(n):
                    _mix(
                        scratch, p * plane, scratch, line * plane, scratch, (line + 1) * plane,
                        rows, np.int64(1), weights,
                    )  # fmt: skip
                    _copy(scratch, p * plane, scratch, line * plane, rows)
                for i in range(rows):
                    for p in range(n):
                        out[c + i * width + p] = scratch[p * plane + i]


def warm_up() -> None:
    """Compile for both precisions."""
    for dtype in (np.float32, np.float64):
        x = np.zeros((1, 9, 3), dtype)
        equalize(x, np.ones((4, 1), dtype), np.empty_like(x), np.empty(scratch_size(9, 3, x.itemsize, False), dtype))
