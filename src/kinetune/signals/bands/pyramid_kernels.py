"""Compiled bodies of :mod:`kinetune.signals.bands.pyramid`: no band is stored, and few levels go through memory.

A strip of columns as wide as a cache line passes all levels before the next one is begun. Its rows are packed one after
the other; their low-passed selves take their place, and the sum of what was weighed so far lies beside them.

Taps 2^j rows apart connect rows that are equal modulo 2^j. From a level ``split`` on the rows of such a phase therefore
go on by themselves, few enough for the second-level cache. They only need to know what is held beyond the ends, at each
level: the phases of the first and of the last row go ahead, side by side, and write that down.

The levels before are passed block by block. A block is filtered as if it were the whole signal, with some rows more on
both sides: those that its ends spoil are left out. The last of these levels deals the rows out to their phases.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import LINE_BYTES
from kinetune.signals.bands.sweep_kernels import finish, foresee, sweep, sweep_two, take

_PHASE_ROWS = 4096  # rows and sums of a phase take 512 KB of the second-level cache
_BLOCK_ROWS = 2048


@njit(**INNER)
def _rows_of(rows, phase, split):
    """How many of the rows are equal to ``phase`` modulo 2^split."""
    return (rows - phase + (1 << split) - 1) >> split


@njit(**INNER)
def _two(k, levels):
    """Whether level k of so many is passed together with the next one. The last of all goes alone."""
    return k < levels - 1 and (levels - 1 - k) % 2 == 0


def _halo_rows(split):
    """How many rows more a block is given on each side: at least as many as ``split`` levels spoil."""
    return 2 << split


def _lines_to_sums(rows):
    """How many lines behind so many rows their sums begin.

    51 more than a multiple of the 64 of a page: loads and stores that are equal but for the page wait for each other,
    and those of a sweep are a power of two apart.
    """
    return rows + (51 - rows) % 64


_halo = njit(**INNER)(_halo_rows)
_beside = njit(**INNER)(_lines_to_sums)


@njit(**INNER)
def _deal(x, at, pitch, columns, s, to, held, rows, split, block, weights, changing):
    """A strip of x through the levels before ``split``, and its phases to ``to``; their sums follow all of them.

    s begins with the rows of a block and their sums.
    """
    line, zero = np.int64(LINE_BYTES // s.itemsize), np.int64(0)
    halo, room = _halo(split), _rows_of(rows, zero, split) * line
    every, sums = rows if changing else np.int64(1), _beside(block + 2 * halo) * line
    for start in range(0, rows, block):
        low, stop = max(start - halo, zero), min(start + block, rows)
        many = min(stop + halo, rows) - low
        end = many * line
        take(x, at + low * pitch, pitch, columns, s, zero, sums, many, weights, low * changing, changing)
        k = zero
        while k < split:
            step, w = np.int64(1) << k, (k + 1) * every + low * changing
            foresee(s, zero, end, zero, end - line, step, held)
            if _two(k, split):
                sweep_two(s, zero, end, sums, held, zero, sums, weights, w, changing, every, step)
                k += 2
                continue
            put, apart, hop, go, to_sums, since, until = zero, line, step * line, 2 * step * line, sums, zero, many
            if k == split - 1:
                put, apart, hop, go, to_sums = to + (start >> split) * line, room, step * room, line, room << split
                since, until = start - low, stop - low
            sweep(s, zero, end, sums, held, put, apart, hop, go, to_sums, weights, w, changing, step, since, until)
            k += 1


@njit(**INNER)
def _pass(s, begin, sums, place, phase, since, until, shape, ends, weights, changing, out, at, width, columns):
    """A phase through the levels from ``since`` to ``until``: it is moved to ``place``, with its sums behind it.

    The last level of all puts the sums to the result instead.
    """
    rows, split, levels = shape
    line, zero = np.int64(LINE_BYTES // s.itemsize), np.int64(0)
    many, beside = _rows_of(rows, phase, split), _beside(_rows_of(rows, zero, split)) * line
    every, w_pitch = rows if changing else np.int64(1), changing << split
    k = since
    while k < until:
        if k > split:
            begin, sums = place, beside
        end, held, step = begin + many * line, ends + 2 * k * line, np.int64(1) << (k - split)
        w = (k + 1) * every + phase * changing
        if k == levels - 1:
            to = at + phase * width
            finish(s, begin, end, sums, held, out, to, width << split, columns, weights, w, w_pitch, step)
            k += 1
        elif _two(k, levels):
            sweep_two(s, begin, end, sums, held, place, beside, weights, w, w_pitch, every, step)
            k += 2
        else:
            hop, go = step * line, 2 * step * line
            sweep(s, begin, end, sums, held, place, line, hop, go, beside, weights, w, w_pitch, step, zero, many)
            k += 1


@njit(**INNER)
def _mix(x, at, columns, s, shape, block, weights, changing, out, width):
    """out from ``at`` on <- weighted sum of the strip at the same place in x and its low-passed copies.

    s begins with a block; then come the phases, all of them, then two that are being worked on, and the ends.
    """
    rows, split, levels = shape
    line, zero, phases = np.int64(LINE_BYTES // s.itemsize), np.int64(0), 1 << split
    room, beside = _rows_of(rows, zero, split) * line, _beside(_rows_of(rows, zero, split)) * line
    dealt, sums, one = zero, beside, zero
    if split > 0:
        dealt, sums = 2 * _beside(block + 2 * _halo(split)) * line, phases * room
        one = dealt + 2 * sums
    two = one + 2 * beside
    ends = two + 2 * beside
    if split > 0:
        _deal(x, at, width, columns, s, dealt, ends, rows, split, block, weights, changing)
    else:
        take(x, at, width, columns, s, zero, sums, rows, weights, zero, changing)
    tail = (rows - 1) % phases
    head_at, tail_at = dealt, dealt + tail * room
    k = split
    while k < levels:
        until = k + (2 if _two(k, levels) else 1)
        step, held = np.int64(1) << (k - split), ends + 2 * k * line
        foresee(s, head_at, head_at + room, tail_at, tail_at + room - line, step, held)
        _pass(s, dealt, sums, one, zero, k, until, shape, ends, weights, changing, out, at, width, columns)
        head_at = tail_at = one
        if tail > 0:
            begin, tail_at = dealt + tail * room, two
            _pass(s, begin, sums, two, tail, k, until, shape, ends, weights, changing, out, at, width, columns)
        k = until
    for phase in range(1, phases):
        if phase != tail:
            begin = dealt + phase * room
            _pass(s, begin, sums, one, phase, split, levels, shape, ends, weights, changing, out, at, width, columns)


@njit(cache=True, nogil=True)
def equalize(x, weights, result, split, block, scratch):
    """result <- weighted sum of every x[n] and its low-passed copies.

    x and result have shape (clips, rows, width), weights (levels + 1, 1) or (levels + 1, rows); split, block and the
    size of scratch are those of :func:`plan`.
    """
    rows, width = x.shape[1:]
    line = np.int64(LINE_BYTES // x.itemsize)
    changing, levels = np.int64(weights.shape[1] > 1), weights.shape[0] - 1
    flat, out, w = x.reshape(x.size), result.reshape(x.size), weights.reshape(weights.size)
    columns, shape = min(width, line), (rows, split, levels)
    for clip in range(0, x.size, rows * width):
        for column in range(0, width, line):
            at = clip + min(column, width - columns)  # the last strip may take some columns again
            _mix(flat, at, columns, scratch, shape, block, w, changing, out, width)


def plan(rows: int, itemsize: int) -> tuple[int, int, int]:
    """From which level on the phases of a signal go by themselves, the rows of a block, and the numbers of scratch.

    Signals of level 0 are one phase. The scratch should begin at a cache line.
    """
    split = 0
    while rows >> split > _PHASE_ROWS:
        split += 1
    room, halo = -(-rows >> split), _halo_rows(split)
    block = min(max(_BLOCK_ROWS, 8 * halo), rows)
    lines = 4 * _lines_to_sums(room) + 2 * rows.bit_length() + 4
    if split:
        lines += 2 * _lines_to_sums(block + 2 * halo) + 2 * (room << split)
    return split, block, lines * (LINE_BYTES // itemsize)


def warm_up() -> None:
    """Compile for both precisions."""
    for dtype in (np.float32, np.float64):
        x = np.zeros((1, 9, 3), dtype)
        split, block, size = plan(9, x.itemsize)
        equalize(x, np.ones((4, 1), dtype), np.empty_like(x), split, block, np.empty(size, dtype))
