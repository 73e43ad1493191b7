"""One or two levels of :mod:`kinetune.signals.bands.pyramid_kernels` at a time, on a strip one cache line wide.

Its rows lie packed in scratch memory, a line each, and the sums of what was weighed so far some way behind them. The
five taps are four additions of neighbours, (1 + z)^4: a sweep over rows that lie ``step`` apart keeps the last number
of each in registers, and there is room for those of two levels.

Places in memory are counted in numbers from its beginning. These parameters are common to all sweeps:

begin, end : the rows.
sums : how far behind a row its sum lies; where both go it is ``to_sums``.
held : the place of the first and the last row of the signal, as they are held beyond its ends.
weights, w, w_pitch : the place of the first row's weight, and how far those of two rows are apart.
step : how many rows the taps are apart. Rows that are equal modulo ``step`` are swept one after the other.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import LINE_BYTES, line_of, load_line, prefetch, spread_line, store

_AHEAD = np.int64(16)  # rows of the result between the one that is written and the one that is asked for


@njit(forceinline=True, **INNER)
def _begun(a, b, c, d):
    """What a sweep keeps of four rows that lie side by side: the last of one, two and three additions, and the row."""
    two = (b + c) + (c + d)
    return c + d, two, ((a + b) + (b + c)) + two, d


@njit(forceinline=True, **INNER)
def _on(kept, row, sixteenth):
    """What it keeps with one row more, and what the five taps make of all."""
    one, two, three, last = kept
    next_one = last + row
    next_two = one + next_one
    next_three = two + next_two
    return (next_one, next_two, next_three, row), sixteenth * (three + next_three)


@njit(forceinline=True, **INNER)
def _row(s, at, end, held):
    """The row at a place, or the one that is held from ``end`` on."""
    return load_line(s, at) if at < end else held


@njit(**INNER)
def take(x, at, pitch, columns, s, to, sums, rows, weights, w, w_pitch):
    """Rows of x, ``pitch`` apart, to s, a line each, and what they weigh ``sums`` further."""
    line = np.int64(LINE_BYTES // s.itemsize)
    for _ in range(rows):
        if columns == line:
            row = load_line(x, at)
            store(s, to, row)
        else:
            for c in range(line):
                s[to + c] = x[at + c] if c < columns else 0.0
            row = load_line(s, to)
        store(s, to + sums, spread_line(weights, w) * row)
        at += pitch
        to += line
        w += w_pitch


@njit(**INNER)
def sweep(s, begin, end, sums, held, to, apart, hop, go, to_sums, weights, w, w_pitch, step, since, until):
    """One level: the low-passed rows and their sums go to a place of their own.

    to, apart, hop, go : row ``r`` below ``step`` goes to ``to + r * apart``, the one ``step`` on ``hop`` further, and
        from both of them it is ``go`` to the row two steps on.
    since, until : the rows that are swept; ``since`` is an even multiple of ``step`` and counts as row 0 above.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    stop, reach, w_reach = begin + until * line, step * line, step * w_pitch
    first, last = load_line(s, held), load_line(s, held + line)
    for r in range(min(step, until - since)):
        at, put, weight = begin + (since + r) * line, to + r * apart, w + (since + r) * w_pitch
        other = put + hop
        second = load_line(s, at - 2 * reach) if since > 0 else first
        before = load_line(s, at - reach) if since > 0 else first
        kept = _begun(second, before, load_line(s, at), _row(s, at + reach, end, last))
        while at < stop:
            kept, low = _on(kept, _row(s, at + 2 * reach, end, last), sixteenth)
            total = load_line(s, at + sums) + spread_line(weights, weight) * low
            store(s, put, low)
            store(s, put + to_sums, total)
            at += reach
            put, other = other, put + go
            weight += w_reach


@njit(forceinline=True, **INNER)
def _weigh(s, at, sums, move, to_sums, weights, weight, every, low, lower):
    """A row of two levels to its place, and what both weigh to its sum."""
    total = load_line(s, at + sums) + spread_line(weights, weight) * low
    store(s, at + move, lower)
    store(s, at + move + to_sums, total + spread_line(weights, weight + every) * lower)


@njit(**INNER)
def sweep_two(s, begin, end, sums, held, to, to_sums, weights, w, w_pitch, every, step):
    """Two levels at once, the second with its taps two ``step`` rows apart; the rows go to ``to``, a line each.

    What is held at the second level lies behind what is held at the first, and its weights ``every`` further. Every
    other row of the first level belongs to the same taps of the second: these are kept apart as even and odd.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    reach, w_reach, move = step * line, step * w_pitch, to - begin
    first, last = load_line(s, held), load_line(s, held + line)
    low_first, low_last = load_line(s, held + 2 * line), load_line(s, held + 3 * line)
    for r in range(step):
        at, weight = begin + r * line, w + r * w_pitch
        kept = _begun(first, first, load_line(s, at), _row(s, at + reach, end, last))
        g0 = g1 = g2 = g3 = low_last
        for j in range(4):
            kept, low = _on(kept, _row(s, at + (j + 2) * reach, end, last), sixteenth)
            g0, g1, g2, g3 = g1, g2, g3, (low if at + j * reach < end else low_last)
        even, odd = _begun(low_first, low_first, g0, g2), _begun(low_first, low_first, g1, g3)
        while at + 7 * reach < end:
            kept, g4 = _on(kept, load_line(s, at + 6 * reach), sixteenth)
            even, lower = _on(even, g4, sixteenth)
            _weigh(s, at, sums, move, to_sums, weights, weight, every, g0, lower)
            at += reach
            weight += w_reach
            kept, g5 = _on(kept, load_line(s, at + 6 * reach), sixteenth)
            odd, lower = _on(odd, g5, sixteenth)
            _weigh(s, at, sums, move, to_sums, weights, weight, every, g1, lower)
            at += reach
            weight += w_reach
            g0, g1, g2, g3 = g2, g3, g4, g5
        while at < end:
            kept, low = _on(kept, _row(s, at + 6 * reach, end, last), sixteenth)
            even, lower = _on(even, low if at + 4 * reach < end else low_last, sixteenth)
            even, odd = odd, even
            _weigh(s, at, sums, move, to_sums, weights, weight, every, g0, lower)
            g0, g1, g2, g3 = g1, g2, g3, low
            at += reach
            weight += w_reach


@njit(**INNER)
def finish(s, begin, end, sums, held, out, to, pitch, columns, weights, w, w_pitch, step):
    """The last level: only the sums are kept, and go to the result, from ``to`` on, ``pitch`` apart.

    Rows of the result may lie far apart in memory, so they are asked for ahead of time.
    """
    line = np.int64(LINE_BYTES // s.itemsize)
    sixteenth = line_of(s.dtype.type(0.0625))
    reach = step * line
    first, last = load_line(s, held), load_line(s, held + line)
    for r in range(step):
        at, put, weight = begin + r * line, to + r * pitch, w + r * w_pitch
        kept = _begun(first, first, load_line(s, at), _row(s, at + reach, end, last))
        while at < end:
            kept, low = _on(kept, _row(s, at + 2 * reach, end, last), sixteenth)
            total = load_line(s, at + sums) + spread_line(weights, weight) * low
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
    """Write down the rows that are held beyond the ends at a level, and those that will be at the next.

    first, end : the first row of the signal, and where the rows end that it lies among.
    begin, last : its last row, and where the rows begin that this one lies among.
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
