"""Compiled bodies of :mod:`kinetune.signals.bands`: no band is stored, and a level reads and writes each number once.

A strip of columns as wide as a cache line passes all levels before the next one is begun. Its rows are packed one after
the other; their low-passed selves take their place, and the sum of what was weighed so far lies beside them. The five
taps are four additions of neighbours, (1 + z)^4, so a sweep down a column keeps the last of each in registers.

Taps 2^j rows apart connect rows that are equal modulo 2^j. From a level j on the rows of such a phase therefore go on
by themselves, few enough for the first-level cache. They only need to know what is held beyond the ends, at each level:
the phases of the first and of the last row go ahead, side by side, and write that down.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.compiled import INNER
from kinetune.lanes_kernels import LINE_BYTES, line_of, load_line, spread_line, store

_PHASE_ROWS = 320  # rows and sums of a phase share a first-level cache of 48 KB


@njit(**INNER)
def _sweep(x, begin, end, pitch, sums, first, last, s, to, to_sums, weights, w, w_pitch, own, step):
    """Rows of x through the five taps to s; what was summed of them, plus the weighted result, to where sums go.

    begin, end, pitch : the rows of x; from each of them the one ``pitch`` on, up to ``end``.
    sums : how far the sums lie from the rows; so do those in s, by ``to_sums``.
    first, last : where the rows lie, in x, that are held beyond the ends.
    to : the rows in s, a line each.
    w, w_pitch : the place of the first row's weight, and how far those of two rows are apart.
    own : 0, or how far before a weight lies that of the row itself, which has not been summed yet.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    held = load_line(x, first)
    for r in range(step):
        at, put, weight = begin + r * pitch, to + r * line, w + r * w_pitch
        ahead = at + step * pitch
        v0 = load_line(x, at)
        v = load_line(x, ahead if ahead < end else last)
        one, two = v0 + v, (held + v0) + (v0 + v)
        three = ((held + held) + (held + v0)) + two
        while at < end:
            ahead += step * pitch
            v0, v = v, load_line(x, ahead if ahead < end else last)
            next_one = v0 + v
            next_two = one + next_one
            next_three = two + next_two
            low = sixteenth * (three + next_three)
            one, two, three = next_one, next_two, next_three
            total = load_line(x, at + sums)
            if own > 0:
                total = spread_line(weights, weight - own) * total
            store(s, put, low)
            store(s, put + to_sums, total + spread_line(weights, weight) * low)
            at += step * pitch
            put += step * line
            weight += step * w_pitch


@njit(**INNER)
def _rows_of(rows, phase, split):
    """How many of the rows are equal to ``phase`` modulo 2^split."""
    return (rows - phase + (1 << split) - 1) >> split


@njit(**INNER)
def _level(s, rows, k, split, phase, place, room, ends, weights, changing):
    """A phase of the strip through level k; its first level packs it at ``place``, its sums ``room`` rows on.

    Returns where its last row lies.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    last = place + (_rows_of(rows, phase, split) - 1) * line
    begin, end, pitch, sums = place, last + line, line, room * line
    if k == split:
        begin, end, pitch, sums = phase * line, rows * line, line << split, rows * line
    held = ends + 2 * k * line
    w = (k + 1) * (rows if changing else np.int64(1)) + phase * changing
    step = np.int64(1) << (k - split)
    _sweep(
        s, begin, end, pitch, sums, held, held + line,
        s, place, room * line, weights, w, changing << split, np.int64(0), step,
    )  # fmt: skip
    return last


@njit(**INNER)
def _hold(s, ends, k, first, last):
    """Write down the rows that are held beyond the ends at level k."""
    line = np.int64(LINE_BYTES // s.itemsize)
    store(s, ends + 2 * k * line, load_line(s, first))
    store(s, ends + (2 * k + 1) * line, load_line(s, last))


@njit(**INNER)
def _give(s, place, last, out, at, pitch, columns):
    """Packed rows to where they lie in the result."""
    line = np.int64(LINE_BYTES // s.itemsize)
    while place <= last:
        if columns == line:
            store(out, at, load_line(s, place))
        else:
            for c in range(columns):
                out[at + c] = s[place + c]
        place += line
        at += pitch


@njit(**INNER)
def _mix(x, begin, pitch, columns, s, rows, split, weights, changing, levels, out, at, width):
    """out at ``at`` <- weighted sum of a strip, which lies in x from ``begin`` on, and its low-passed copies.

    s begins with the strip and its sums; if there are phases, two of them and their sums follow; then come the ends.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    zero, phases = np.int64(0), 1 << split
    room = _rows_of(rows, zero, split)
    one = 2 * rows * line if split > 0 else zero
    two = one + 2 * room * line
    ends = two + (2 * room * line if split > 0 else zero)
    w = rows if changing else np.int64(1)
    last = begin + (rows - 1) * pitch
    _sweep(
        x, begin, last + pitch, pitch, zero, begin, last,
        s, zero, rows * line, weights, w, changing, w, np.int64(1),
    )  # fmt: skip
    first, last = zero, (rows - 1) * line
    for k in range(1, split):
        _hold(s, ends, k, first, last)
        _level(s, rows, k, zero, zero, zero, rows, ends, weights, changing)
    tail = (rows - 1) % phases
    head_last = last
    for k in range(max(split, 1), levels):
        _hold(s, ends, k, first, last)
        first = one
        last = head_last = _level(s, rows, k, split, zero, one, room, ends, weights, changing)
        if tail > 0:
            last = _level(s, rows, k, split, tail, two, room, ends, weights, changing)
    sums = room * line
    _give(s, one + sums, head_last + sums, out, at, width * phases, columns)
    if tail > 0:
        _give(s, two + sums, last + sums, out, at + tail * width, width * phases, columns)
    for phase in range(1, phases):
        if phase != tail:
            for k in range(split, levels):
                last = _level(s, rows, k, split, phase, one, room, ends, weights, changing)
            _give(s, one + sums, last + sums, out, at + phase * width, width * phases, columns)


@njit(**INNER)
def _widen(x, at, s, rows, width, line):
    """Rows narrower than a line, packed a line each."""
    for i in range(rows):
        for c in range(line):
            s[i * line + c] = x[at + i * width + c] if c < width else 0.0


@njit(cache=True, nogil=True)
def equalize(x, weights, result, split, scratch):
    """result <- weighted sum of every x[n] and its low-passed copies.

    x and result have shape (clips, rows, width), weights (levels + 1, 1) or (levels + 1, rows); split and the size of
    scratch are those of :func:`plan`.
    """
    rows, width = x.shape[1:]
    line = np.int64(LINE_BYTES // x.itemsize)
    changing, levels = np.int64(weights.shape[1] > 1), weights.shape[0] - 1
    flat, out, w = x.reshape(x.size), result.reshape(x.size), weights.reshape(weights.size)
    narrow = width < line
    source, pitch, columns = (scratch, line, width) if narrow else (flat, width, line)
    for clip in range(0, x.size, rows * width):
        if narrow:
            _widen(flat, clip, scratch, rows, width, line)
        for column in range(0, width, line):
            at = clip + max(min(column, width - line), 0)  # the last strip may take some columns again
            _mix(source, 0 if narrow else at, pitch, columns, scratch, rows, split, w, changing, levels, out, at, width)


def plan(rows: int, itemsize: int) -> tuple[int, int]:
    """From which level on the phases of a signal go by themselves, and how many numbers of scratch that takes.

    Signals of level 0 are one phase. The scratch should begin at a cache line.
    """
    split = 0
    while rows >> split > _PHASE_ROWS:
        split += 1
    phases = 4 * -(-rows >> split) if split else 0
    return split, (2 * rows + phases + 2 * rows.bit_length()) * (LINE_BYTES // itemsize)


def warm_up() -> None:
    """Compile for both precisions."""
    for dtype in (np.float32, np.float64):
        x = np.zeros((1, 9, 3), dtype)
        split, size = plan(9, x.itemsize)
        equalize(x, np.ones((4, 1), dtype), np.empty_like(x), split, np.empty(size, dtype))
