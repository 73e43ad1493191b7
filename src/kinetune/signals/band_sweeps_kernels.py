"""One or two levels of :mod:`kinetune.signals.bands_kernels` at a time, on a strip of columns as wide as a cache line.

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

from kinetune.compiled import INNER
from kinetune.lanes_kernels import LINE_BYTES, line_of, load_line, prefetch, spread_line, store

_AHEAD = np.int64(16)  # rows of the result between the one that is written and the one that is asked for


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
        v0 = load_line(s, at)
        v = load_line(s, at + reach) if at + reach < end else last
        before = load_line(s, at - reach) if since > 0 else first
        second = load_line(s, at - 2 * reach) if since > 0 else first
        one, two = v0 + v, (before + v0) + (v0 + v)
        three = ((second + before) + (before + v0)) + two
        while at < stop:
            v0, v = v, (load_line(s, at + 2 * reach) if at + 2 * reach < end else last)
            next_one = v0 + v
            next_two = one + next_one
            next_three = two + next_two
            low = sixteenth * (three + next_three)
            one, two, three = next_one, next_two, next_three
            total = load_line(s, at + sums) + spread_line(weights, weight) * low
            store(s, put, low)
            store(s, put + to_sums, total)
            at += reach
            put, other = other, put + go
            weight += w_reach


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
        v0 = load_line(s, at)
        v = load_line(s, at + reach) if at + reach < end else last
        one, two = v0 + v, (first + v0) + (v0 + v)
        three = ((first + first) + (first + v0)) + two
        g0 = g1 = g2 = g3 = low_last
        for j in range(4):
            v0, v = v, (load_line(s, at + (j + 2) * reach) if at + (j + 2) * reach < end else last)
            next_one = v0 + v
            next_two = one + next_one
            next_three = two + next_two
            g0, g1, g2 = g1, g2, g3
            g3 = sixteenth * (three + next_three) if at + j * reach < end else low_last
            one, two, three = next_one, next_two, next_three
        one_even, two_even = g0 + g2, (low_first + g0) + (g0 + g2)
        three_even = ((low_first + low_first) + (low_first + g0)) + two_even
        one_odd, two_odd = g1 + g3, (low_first + g1) + (g1 + g3)
        three_odd = ((low_first + low_first) + (low_first + g1)) + two_odd
        while at + 7 * reach < end:
            v0, v = v, load_line(s, at + 6 * reach)
            next_one = v0 + v
            next_two = one + next_one
            next_three = two + next_two
            g4 = sixteenth * (three + next_three)
            further_one = g2 + g4
            further_two = one_even + further_one
            further_three = two_even + further_two
            low = sixteenth * (three_even + further_three)
            one_even, two_even, three_even = further_one, further_two, further_three
            total = load_line(s, at + sums) + spread_line(weights, weight) * g0
            store(s, at + move, low)
            store(s, at + move + to_sums, total + spread_line(weights, weight + every) * low)
            at += reach
            weight += w_reach
            v0, v = v, load_line(s, at + 6 * reach)
            one = v0 + v
            two = next_one + one
            three = next_two + two
            g5 = sixteenth * (next_three + three)
            further_one = g3 + g5
            further_two = one_odd + further_one
            further_three = two_odd + further_two
            low = sixteenth * (three_odd + further_three)
            one_odd, two_odd, three_odd = further_one, further_two, further_three
            total = load_line(s, at + sums) + spread_line(weights, weight) * g1
            store(s, at + move, low)
            store(s, at + move + to_sums, total + spread_line(weights, weight + every) * low)
            at += reach
            weight += w_reach
            g0, g1, g2, g3 = g2, g3, g4, g5
        while at < end:
            v0, v = v, (load_line(s, at + 6 * reach) if at + 6 * reach < end else last)
            next_one = v0 + v
            next_two = one + next_one
            next_three = two + next_two
            g4 = sixteenth * (three + next_three) if at + 4 * reach < end else low_last
            one, two, three = next_one, next_two, next_three
            further_one = g2 + g4
            further_two = one_even + further_one
            further_three = two_even + further_two
            low = sixteenth * (three_even + further_three)
            one_even, two_even, three_even = one_odd, two_odd, three_odd
            one_odd, two_odd, three_odd = further_one, further_two, further_three
            total = load_line(s, at + sums) + spread_line(weights, weight) * g0
            store(s, at + move, low)
            store(s, at + move + to_sums, total + spread_line(weights, weight + every) * low)
            g0, g1, g2, g3 = g1, g2, g3, g4
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
        v0 = load_line(s, at)
        v = load_line(s, at + reach) if at + reach < end else last
        one, two = v0 + v, (first + v0) + (v0 + v)
        three = ((first + first) + (first + v0)) + two
        while at < end:
            v0, v = v, (load_line(s, at + 2 * reach) if at + 2 * reach < end else last)
            next_one = v0 + v
            next_two = one + next_one
            next_three = two + next_two
            low = sixteenth * (three + next_three)
            one, two, three = next_one, next_two, next_three
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
    b = load_line(s, first + reach) if first + reach < end else z
    c = load_line(s, first + 2 * reach) if first + 2 * reach < end else z
    y = load_line(s, last - reach) if last - reach >= begin else a
    x = load_line(s, last - 2 * reach) if last - 2 * reach >= begin else a
    store(s, held, a)
    store(s, held + line, z)
    store(s, held + 2 * line, sixteenth * _taps(a, a, a, b, c))
    store(s, held + 3 * line, sixteenth * _taps(x, y, z, z, z))


@njit(**INNER)
def _taps(a, b, c, d, e):
    """Sixteen times what the five taps make of rows that lie side by side."""
    ab, bc, cd, de = a + b, b + c, c + d, d + e
    return ((ab + bc) + (bc + cd)) + ((bc + cd) + (cd + de))
