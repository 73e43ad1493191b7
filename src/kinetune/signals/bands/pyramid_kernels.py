"""Compiled equalizer of :mod:`kinetune.signals.bands.pyramid`: no band is stored, and few levels go through memory.

A strip of columns as wide as a cache line passes all levels before the next strip begins. Its rows are packed one after
the other and replaced by their low-passed copies level by level, and their running weighted sums lie beside them.

Taps 2^j rows apart connect rows that are equal modulo 2^j. From a level ``split`` on the rows of such a phase are
therefore filtered on their own, few enough for the second-level cache. All they need to know is what is held beyond the
ends at each level: the phases of the first and of the last row go first, side by side, and store that.

The levels before are passed block by block. A block is filtered as if it were the whole signal, with extra rows on both
sides that its ends may spoil. The last of these levels distributes the rows to their phases.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import LINE_BYTES
from kinetune.signals.bands._sweep_kernels import (
    Index,
    RowWeights,
    SignalStrip,
    StripRows,
    SweepTarget,
    finish,
    foresee,
    pack,
    sweep,
    sweep_two,
)

_PHASE_ROWS = 4096  # rows and sums of a phase take 512 KB of the second-level cache
_BLOCK_ROWS = 2048


class PyramidShape(NamedTuple):
    """Rows of a signal, the level from which its phases are filtered on their own, and how many levels there are."""

    rows: Index
    split: Index
    levels: Index


@njit(**INNER)
def _rows_of(rows, phase, split):
    """How many of the rows are equal to ``phase`` modulo 2^split."""
    return (rows - phase + (1 << split) - 1) >> split


@njit(**INNER)
def _two(k, levels):
    """Whether level k of so many is swept together with the next one. The last of all goes alone."""
    return k < levels - 1 and (levels - 1 - k) % 2 == 0


def _halo_rows(split: int) -> int:
    """How many extra rows a block has on each side: at least as many as ``split`` levels spoil."""
    return 2 << split


def _lines_to_sums(rows: int) -> int:
    """How many lines behind so many rows their sums begin.

    51 more than a multiple of the 64 of a page: loads and stores that are equal but for the page wait for each other,
    and those of a sweep are a power of two apart.
    """
    return rows + (51 - rows) % 64


_halo = njit(**INNER)(_halo_rows)
_beside = njit(**INNER)(_lines_to_sums)


@njit(**INNER)
def _distribute(strip, s, to, held, rows, split, block, weights, changing):
    """Filter a strip through the levels before ``split``, and write its phases to ``to``, their sums behind them.

    s begins with the rows of a block and their sums.
    """
    line, zero = np.int64(LINE_BYTES // s.itemsize), np.int64(0)
    halo, room = _halo(split), _rows_of(rows, zero, split) * line
    every, sums = rows if changing else np.int64(1), _beside(block + 2 * halo) * line
    for start in range(0, rows, block):
        low, stop = max(start - halo, zero), min(start + block, rows)
        many = min(stop + halo, rows) - low
        end = many * line
        part = SignalStrip(strip.values, strip.at + low * strip.pitch, strip.pitch, strip.columns)
        pack(part, s, zero, sums, many, RowWeights(weights, low * changing, changing))
        k = zero
        while k < split:
            step, packed = np.int64(1) << k, StripRows(zero, end, sums, held)
            w = RowWeights(weights, (k + 1) * every + low * changing, changing)
            foresee(s, zero, end, zero, end - line, step, held)
            if _two(k, split):
                sweep_two(s, packed, zero, sums, w, every, step)
                k += 2
                continue
            target, since, until = SweepTarget(zero, line, step * line, 2 * step * line, sums), zero, many
            if k == split - 1:
                target = SweepTarget(to + (start >> split) * line, room, step * room, line, room << split)
                since, until = start - low, stop - low
            sweep(s, packed, target, w, step, since, until)
            k += 1


@njit(**INNER)
def _filter_phase(s, begin, sums, to, phase, since, until, shape, ends, weights, changing, result):
    """Filter a phase through the levels from ``since`` to ``until``: it moves to ``to``, with its sums behind it.

    The last level of all writes the sums to the result instead.
    """
    rows, split, levels = shape
    line, zero = np.int64(LINE_BYTES // s.itemsize), np.int64(0)
    many, beside = _rows_of(rows, phase, split), _beside(_rows_of(rows, zero, split)) * line
    every, w_pitch = rows if changing else np.int64(1), changing << split
    k = since
    while k < until:
        if k > split:
            begin, sums = to, beside
        step, packed = np.int64(1) << (k - split), StripRows(begin, begin + many * line, sums, ends + 2 * k * line)
        w = RowWeights(weights, (k + 1) * every + phase * changing, w_pitch)
        if k == levels - 1:
            first = result.at + phase * result.pitch
            finish(s, packed, SignalStrip(result.values, first, result.pitch << split, result.columns), w, step)
            k += 1
        elif _two(k, levels):
            sweep_two(s, packed, to, beside, w, every, step)
            k += 2
        else:
            target = SweepTarget(to, line, step * line, 2 * step * line, beside)
            sweep(s, packed, target, w, step, zero, many)
            k += 1


@njit(**INNER)
def _mix(strip, s, shape, block, weights, changing, result):
    """result <- weighted sum of a strip and its low-passed copies.

    s begins with a block; then come all phases, then two that are being filtered, and the ends.
    """
    rows, split, levels = shape
    line, zero, phases = np.int64(LINE_BYTES // s.itemsize), np.int64(0), 1 << split
    room, beside = _rows_of(rows, zero, split) * line, _beside(_rows_of(rows, zero, split)) * line
    phases_at, sums, one = zero, beside, zero
    if split > 0:
        phases_at, sums = 2 * _beside(block + 2 * _halo(split)) * line, phases * room
        one = phases_at + 2 * sums
    two = one + 2 * beside
    ends = two + 2 * beside
    if split > 0:
        _distribute(strip, s, phases_at, ends, rows, split, block, weights, changing)
    else:
        pack(strip, s, zero, sums, rows, RowWeights(weights, zero, changing))
    tail = (rows - 1) % phases
    head_at, tail_at = phases_at, phases_at + tail * room
    k = split
    while k < levels:
        until = k + (2 if _two(k, levels) else 1)
        step, held = np.int64(1) << (k - split), ends + 2 * k * line
        foresee(s, head_at, head_at + room, tail_at, tail_at + room - line, step, held)
        _filter_phase(s, phases_at, sums, one, zero, k, until, shape, ends, weights, changing, result)
        head_at = tail_at = one
        if tail > 0:
            begin, tail_at = phases_at + tail * room, two
            _filter_phase(s, begin, sums, two, tail, k, until, shape, ends, weights, changing, result)
        k = until
    for phase in range(1, phases):
        if phase != tail:
            begin = phases_at + phase * room
            _filter_phase(s, begin, sums, one, phase, split, levels, shape, ends, weights, changing, result)


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
    columns, shape = min(width, line), PyramidShape(rows, np.int64(split), levels)
    for clip in range(0, x.size, rows * width):
        for column in range(0, width, line):
            at = clip + min(column, width - columns)  # the last strip may repeat some columns
            strip, target = SignalStrip(flat, at, width, columns), SignalStrip(out, at, width, columns)
            _mix(strip, scratch, shape, block, w, changing, target)


def plan(rows: int, itemsize: int) -> tuple[int, int, int]:
    """The level from which the phases of a signal are filtered on their own, rows of a block, and size of the scratch.

    With level 0 the whole signal is one phase. The scratch should begin at a cache line.
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
