"""Sweeps over one or two levels of :mod:`kinetune.signals.bands.pyramid_kernels`, on a strip one cache line wide.

The rows of a strip are packed in scratch memory ``s``, a line each, and the running sums of the weighted rows lie some
way behind them. The five taps are four additions of neighbours, (1 + z)^4: a sweep over rows that are ``step`` apart
holds the last number of each addition in registers, and there are enough registers for two levels.

Positions in memory are counted in numbers from its beginning. ``step`` is how many rows the taps are apart; rows that
are equal modulo ``step`` are swept one after the other.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import LINE_BYTES, line_of, load_line, prefetch, spread_line, store

Index = int | np.int64

_AHEAD = np.int64(16)  # rows of the result between the one that is written and the one that is prefetched


class StripRows(NamedTuple):
    """Packed rows in scratch memory.

    begin, end : where they lie.
    sums : how far behind a row its sum lies.
    held : where the first and the last row of the signal lie, as they are held beyond its ends.
    """

    begin: Index
    end: Index
    sums: Index
    held: Index


class SweepTarget(NamedTuple):
    """Where swept rows go.

    Row ``r`` below ``step`` goes to ``to + r * apart``, the one ``step`` on ``hop`` further, and from both of them it
    is ``go`` to the row two steps on. Sums go ``sums`` further.
    """

    to: Index
    apart: Index
    hop: Index
    go: Index
    sums: Index


class SignalStrip(NamedTuple):
    """A strip of columns of the signal or of the result.

    at : the index of its first number. pitch : how far two rows are apart. columns : how wide it is.
    """

    values: Any
    at: Index
    pitch: Index
    columns: Index


class RowWeights(NamedTuple):
    """Weights of rows: their array, the index of the first row's weight, and how far those of two rows are apart."""

    values: Any
    first: Index
    pitch: Index


@njit(forceinline=True, **INNER)
def _begun(a, b, c, d):
    """The registers of a sweep after four rows side by side: the last of one, two and three additions, and the row."""
    two = (b + c) + (c + d)
    return c + d, two, ((a + b) + (b + c)) + two, d


@njit(forceinline=True, **INNER)
def _on(registers, row, sixteenth):
    """The registers with one row more, and the sum over the five taps."""
    one, two, three, last = registers
    next_one = last + row
    next_two = one + next_one
    next_three = two + next_two
    return (next_one, next_two, next_three, row), sixteenth * (three + next_three)


@njit(forceinline=True, **INNER)
def _row(s, at, end, held):
    """The row at a position, or the one that is held from ``end`` on."""
    return load_line(s, at) if at < end else held


@njit(**INNER)
def pack(strip, s, to, sums, rows, weights):
    """Copy rows of a strip to s, a line each, and the weighted rows ``sums`` further."""
    x, at, pitch, columns = strip
    line, w = np.int64(LINE_BYTES // s.itemsize), weights.first
    for _ in range(rows):
        if columns == line:
            row = load_line(x, at)
            store(s, to, row)
        else:
            for c in range(line):
                s[to + c] = x[at + c] if c < columns else 0.0
            row = load_line(s, to)
        store(s, to + sums, spread_line(weights.values, w) * row)
        at += pitch
        to += line
        w += weights.pitch


@njit(**INNER)
def sweep(s, rows, target, weights, step, since, until):
    """One level: low-pass rows ``since`` to ``until`` and add them, weighted, to their sums.

    ``since`` is an even multiple of ``step`` and counts as row 0 of the target.
    """
    begin, end, sums, held = rows
    to, apart, hop, go, to_sums = target
    values, w, w_pitch = weights
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    stop, reach, w_reach = begin + until * line, step * line, step * w_pitch
    first, last = load_line(s, held), load_line(s, held + line)
    for r in range(min(step, until - since)):
        at, put, weight = begin + (since + r) * line, to + r * apart, w + (since + r) * w_pitch
        other = put + hop
        second = load_line(s, at - 2 * reach) if since > 0 else first
        before = load_line(s, at - reach) if since > 0 else first
        registers = _begun(second, before, load_line(s, at), _row(s, at + reach, end, last))
        while at < stop:
            registers, low = _on(registers, _row(s, at + 2 * reach, end, last), sixteenth)
            total = load_line(s, at + sums) + spread_line(values, weight) * low
            store(s, put, low)
            store(s, put + to_sums, total)
            at += reach
            put, other = other, put + go
            weight += w_reach


@njit(forceinline=True, **INNER)
def _weigh(s, at, sums, move, to_sums, weights, weight, every, low, lower):
    """Store a row of the second level, and add both levels, weighted, to its sum."""
    total = load_line(s, at + sums) + spread_line(weights, weight) * low
    store(s, at + move, lower)
    store(s, at + move + to_sums, total + spread_line(weights, weight + every) * lower)


@njit(**INNER)
def sweep_two(s, rows, to, to_sums, weights, every, step):
    """Two levels at once, the second with its taps two ``step`` rows apart; the rows go to ``to``, a line each.

    The rows held at the second level lie behind those held at the first, and its weights ``every`` further. Every other
    row of the first level belongs to the same taps of the second: these have registers of their own, even and odd.
    """
    begin, end, sums, held = rows
    values, w, w_pitch = weights
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    reach, w_reach, move = step * line, step * w_pitch, to - begin
    first, last = load_line(s, held), load_line(s, held + line)
    low_first, low_last = load_line(s, held + 2 * line), load_line(s, held + 3 * line)
    for r in range(step):
        at, weight = begin + r * line, w + r * w_pitch
        registers = _begun(first, first, load_line(s, at), _row(s, at + reach, end, last))
        g0 = g1 = g2 = g3 = low_last
        for j in range(4):
            registers, low = _on(registers, _row(s, at + (j + 2) * reach, end, last), sixteenth)
            g0, g1, g2, g3 = g1, g2, g3, (low if at + j * reach < end else low_last)
        even, odd = _begun(low_first, low_first, g0, g2), _begun(low_first, low_first, g1, g3)
        while at + 7 * reach < end:
            registers, g4 = _on(registers, load_line(s, at + 6 * reach), sixteenth)
            even, lower = _on(even, g4, sixteenth)
            _weigh(s, at, sums, move, to_sums, values, weight, every, g0, lower)
            at += reach
            weight += w_reach
            registers, g5 = _on(registers, load_line(s, at + 6 * reach), sixteenth)
            odd, lower = _on(odd, g5, sixteenth)
            _weigh(s, at, sums, move, to_sums, values, weight, every, g1, lower)
            at += reach
            weight += w_reach
            g0, g1, g2, g3 = g2, g3, g4, g5
        while at < end:
            registers, low = _on(registers, _row(s, at + 6 * reach, end, last), sixteenth)
            even, lower = _on(even, low if at + 4 * reach < end else low_last, sixteenth)
            even, odd = odd, even
            _weigh(s, at, sums, move, to_sums, values, weight, every, g0, lower)
            g0, g1, g2, g3 = g1, g2, g3, low
            at += reach
            weight += w_reach


@njit(**INNER)
def finish(s, rows, result, weights, step):
    """The last level: only the sums are needed, and go to the result.

    Rows of the result may lie far apart in memory, so they are prefetched.
    """
    begin, end, sums, held = rows
    out, to, pitch, columns = result
    values, w, w_pitch = weights
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    reach = step * line
    first, last = load_line(s, held), load_line(s, held + line)
    for r in range(step):
        at, put, weight = begin + r * line, to + r * pitch, w + r * w_pitch
        registers = _begun(first, first, load_line(s, at), _row(s, at + reach, end, last))
        while at < end:
            registers, low = _on(registers, _row(s, at + 2 * reach, end, last), sixteenth)
            total = load_line(s, at + sums) + spread_line(values, weight) * low
            if columns == line:
                prefetch(out, put + _AHEAD * pitch)
                prefetch(out, put + _AHEAD * pitch + line - 1)
                store(out, put, total)
            else:
                store(s, at + sums, total)
                for c in range(columns):
                    out[put + c] = s[at + sums + c]
            at += reach
            put += step * pitch
            weight += step * w_pitch


@njit(**INNER)
def foresee(s, first, end, begin, last, step, held):
    """Store the rows that are held beyond the ends at a level, and those of the next level.

    first, end : the first row of the signal, and where the rows around it end.
    begin, last : its last row, and where the rows around that one begin.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth, reach = line_of(s.dtype.type(0.0625)), step * line
    a, z = load_line(s, first), load_line(s, last)
    b, c = _row(s, first + reach, end, z), _row(s, first + 2 * reach, end, z)
    y = load_line(s, last - reach) if last - reach >= begin else a
    x = load_line(s, last - 2 * reach) if last - 2 * reach >= begin else a
    store(s, held, a)
    store(s, held + line, z)
    store(s, held + 2 * line, _on(_begun(a, a, a, b), c, sixteenth)[1])
    store(s, held + 3 * line, _on(_begun(x, y, z, z), z, sixteenth)[1])
