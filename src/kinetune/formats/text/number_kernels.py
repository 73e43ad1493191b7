"""Numbers out of text: the compiled body of :func:`kinetune.formats.text.number_text.parse_numbers`.

The text is taken in batches of a few thousand bytes. Each batch goes through three passes that the processor runs
without waiting for one number to end before it begins the next:

1. where blanks and numbers meet (64 bytes at a time);
2. the digits before and after each decimal point, loaded as two words;
3. the words turned into doubles, several at a time.

The passes assume that numbers look like ``-12.345678``, with as many decimals as most of their neighbours. A number
that does not (exponent, many digits, no point) is parsed by itself, exactly as well.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.words import (
    PAD,
    as_double,
    blank_mask,
    count_bits,
    leading_zeros,
    load_word,
    lowest_bit,
    multiply_high,
)

DECIMALS, GLUED, IRREGULAR, ROW, WAITING, UNDECIDED, USUAL, SLOTS = range(8)
"""What the slots of ``tally`` hold: most decimals seen, numbers that touch the one before, rows that do not end with a
line, numbers in the row so far, whether the line end of the last row is still to come, numbers left to ``float()``,
decimals that most numbers have; and how many slots there are."""

_BATCH = 4096
_TINY = 1e-12  # a smaller number with an exponent does not call for more decimals
_ZEROS = np.uint64(0x3030303030303030)
_SIXES = np.uint64(0x0606060606060606)
_UPPER = np.uint64(0xF0F0F0F0F0F0F0F0)
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_FOUR = np.uint64(0xFFFF)
_HUNDRED_AND_ONE = np.uint64(100 << 16 | 1)  # a pair times 100 plus the next pair, 16 bits up
_LOW = np.uint64(0xFFFFFFFF)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_NONE = np.uint64(0)
_LAST = np.array([(0xFFFFFFFFFFFFFFFF << (64 - 8 * min(n, 8))) & 0xFFFFFFFFFFFFFFFF for n in range(16)], np.uint64)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_TENS = np.array([10**n for n in range(9)], np.uint64)
_SCALE = np.array([float(f"1e{n}") for n in range(9)])
_LEAST, _MOST = -342, 308  # powers of ten beyond which a 19-digit number is 0 or infinite
_EXACT = np.array([float(f"1e{power}") for power in range(23)])  # the powers of ten that a double holds exactly
_LAST_WHOLE = np.uint64(1 << 53)
_HIDDEN = np.uint64(1 << 52)


def _powers_of_five() -> NDArray[np.uint64]:
    """The 128 leading bits of 5 ** q for q from -342 to 308, as rows (upper, lower); rounded up where -28 < q < 0."""
    rows = []
    for q in range(_LEAST, _MOST + 1):
        if q < 0:
            power = 5**-q
            width = power.bit_length()
            bits = (1 << (width + 127 if q >= -27 else 2 * width + 128)) // power + 1
        else:
            bits = 5**q << 128
        bits >>= max(0, bits.bit_length() - 128)
        rows.append((bits >> 64, bits & 0xFFFFFFFFFFFFFFFF))
    return np.array(rows, dtype=np.uint64)


_FIVES = _powers_of_five()


@njit(cache=True, nogil=True, error_model="numpy")
def nearest_double(mantissa, exponent):  # type: ignore[no-untyped-def]
    """(mantissa * 10 ** exponent as a double, whether it is certain); infinite beyond the range of doubles."""
    if mantissa == np.uint64(0) or exponent < _LEAST:
        return 0.0, True
    if mantissa <= _LAST_WHOLE and -22 <= exponent <= 22:
        whole = np.float64(np.int64(mantissa))
        return (whole / _EXACT[-exponent] if exponent < 0 else whole * _EXACT[exponent]), True
    if exponent > _MOST:
        return np.inf, True
    shift = leading_zeros(mantissa)
    scaled = mantissa << np.uint64(shift)
    upper_five = _FIVES[exponent - _LEAST, 0]
    lower = scaled * upper_five
    upper = multiply_high(scaled, upper_five)
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        more = multiply_high(scaled, _FIVES[exponent - _LEAST, 1])
        lower += more
        if more > lower:
            upper += _ONE
    if lower == _ALL and not -27 <= exponent <= 55:
        return 0.0, False
    top = upper >> np.uint64(63)
    drop = top + np.uint64(9)
    bits = upper >> drop
    binary = ((217706 * exponent) >> 16) + 63 + np.int64(top) - shift + 1023
    if binary <= 0:
        if 1 - binary >= 64:
            return 0.0, True
        bits >>= np.uint64(1 - binary)
        bits = (bits + (bits & _ONE)) >> _ONE
        return np.float64(np.int64(bits)) * 5e-324, True
    if lower <= _ONE and -4 <= exponent <= 23 and bits & np.uint64(3) == _ONE and bits << drop == upper:
        bits &= ~_ONE
    bits = (bits + (bits & _ONE)) >> _ONE
    if bits >= _HIDDEN << _ONE:
        bits = _HIDDEN
        binary += 1
    if binary >= 2047:
        return np.inf, True
    return as_double((bits & ~_HIDDEN) | (np.uint64(binary) << np.uint64(52))), True


@njit(inline="always")
def _eight_digits(word):  # type: ignore[no-untyped-def]
    """The number that eight bytes from 0 to 9 spell, the first byte the highest digit."""
    pairs = ((word << np.uint64(3)) + (word << _ONE) + (word >> np.uint64(8))) & _PAIRS
    upper = (((pairs & _LOW) * _HUNDRED_AND_ONE) >> np.uint64(16)) & _FOUR
    lower = (((pairs >> np.uint64(32)) * _HUNDRED_AND_ONE) >> np.uint64(16)) & _FOUR
    return upper * np.uint64(10000) + lower


@njit(inline="always")
def _not_digits(word):  # type: ignore[no-untyped-def]
    """Not 0 when one of eight bytes is beyond 9."""
    return ((word + _SIXES) | word) & _UPPER


@njit(cache=True, nogil=True, error_model="numpy")
def _one_number(text, at, stop):  # type: ignore[no-untyped-def]
    """Parse one number that begins at ``at``: (value, where it ends or -1, decimals, whether the value is certain)."""
    negative = text[at] == 45
    if negative or text[at] == 43:
        at += 1
    begun = at
    mantissa = _NONE
    digits = 0  # significant ones; 19 fit a word
    exponent = 0
    cut = False
    while at < stop and np.uint8(text[at] - np.uint8(48)) <= 9:
        if digits < 19:
            mantissa = mantissa * np.uint64(10) + np.uint64(text[at] - np.uint8(48))
            digits += mantissa != _NONE
        else:
            exponent += 1
            cut |= text[at] != 48
        at += 1
    seen = at - begun
    decimals = 0
    if at < stop and text[at] == 46:
        at += 1
        begun = at
        while digits <= 11 and at + 8 <= stop:
            word = load_word(text, np.int64(at)) ^ _ZEROS
            if _not_digits(word) != _NONE:
                break
            mantissa = mantissa * np.uint64(100000000) + _eight_digits(word)
            digits += 8 * (mantissa != _NONE)
            exponent -= 8
            at += 8
        while at < stop and np.uint8(text[at] - np.uint8(48)) <= 9:
            if digits < 19:
                mantissa = mantissa * np.uint64(10) + np.uint64(text[at] - np.uint8(48))
                digits += mantissa != _NONE
                exponent -= 1
            else:
                cut |= text[at] != 48
            at += 1
        decimals = at - begun
        seen += decimals
    if seen == 0:
        return 0.0, -1, 0, True
    written = 0
    if at < stop and (text[at] | np.uint8(32)) == 101:
        at += 1
        down = at < stop and text[at] == 45
        if at < stop and (text[at] == 45 or text[at] == 43):
            at += 1
        begun = at
        while at < stop and np.uint8(text[at] - np.uint8(48)) <= 9:
            if written < 100000:
                written = written * 10 + int(text[at]) - 48
            at += 1
        if at == begun:
            return 0.0, -1, 0, True
        written = -written if down else written
    value, certain = nearest_double(mantissa, exponent + written)
    if cut:
        above, sure = nearest_double(mantissa + _ONE, exponent + written)
        certain = certain and sure and above == value
    if certain and not np.isfinite(value):
        return 0.0, -1, 0, True
    if written != 0:
        decimals = max(0, decimals - written) if value >= _TINY else 0
    return (-value if negative else value), at, decimals, certain


@njit(inline="always")
def _last_digits(text, end, count):  # type: ignore[no-untyped-def]
    """The last ``count`` (0 to 8) bytes before ``end`` as digits: (their number, not 0 if one is no digit)."""
    word = (load_word(text, np.int64(end - 8)) ^ _ZEROS) & _LAST[count]
    return _eight_digits(word), _not_digits(word)


@njit(inline="always")
def _long_number(text, begin, end):  # type: ignore[no-untyped-def]
    """Parse a number of up to 7 digits, a point and 9 to 19 digits: (value, decimals, whether that went well)."""
    negative = text[begin] == 45
    at = begin + np.int64(negative)
    points = load_word(text, np.int64(at)) ^ _POINTS
    points = (points - _ONES) & ~points & _TOPS
    point = at + (lowest_bit(points) >> 3)  # 8 bytes on when there is none
    decimals = end - point - 1
    if not (9 <= decimals <= 19 and 1 <= point - at <= 7):
        return 0.0, 0, False
    whole, bad = _last_digits(text, point, point - at)
    first, bad_first = _last_digits(text, point + 9, 8)
    more = min(decimals - 8, 8)
    second, bad_second = _last_digits(text, point + 9 + more, more)
    third, bad_third = _last_digits(text, end, decimals - 8 - more)
    if (bad | bad_first | bad_second | bad_third) != _NONE or (whole != _NONE and point - at + decimals > 19):
        return 0.0, 0, False
    mantissa = ((whole * _TENS[8] + first) * _TENS[more] + second) * _TENS[decimals - 8 - more] + third
    value, certain = nearest_double(mantissa, -decimals)
    return (-value if negative else value), decimals, certain


@njit(cache=True, nogil=True, error_model="numpy")
def _find_edges(text, at, stop, end, was_blank, edges, count):  # type: ignore[no-untyped-def]
    """Pass 1: the places where numbers begin and end, one after the other."""
    while at < stop:
        blanks = blank_mask(text, np.int64(at))
        if at + 64 > end:
            blanks |= _ALL << np.uint64(end - at)
        change = blanks ^ ((blanks << _ONE) | was_blank)
        was_blank = blanks >> np.uint64(63)
        marks = count_bits(change)
        for k in range(8):
            edges[count + k] = at + lowest_bit(change)
            change &= change - _ONE
        if marks > 8:
            for k in range(8, 16):
                edges[count + k] = at + lowest_bit(change)
                change &= change - _ONE
            more = count + 16
            while change != _NONE:
                edges[more] = at + lowest_bit(change)
                change &= change - _ONE
                more += 1
        count += marks
        at += 64
    return at, was_blank, count


@njit(cache=True, nogil=True, error_model="numpy")
def _ends_line(text, at, end, tally):  # type: ignore[no-untyped-def]
    """Note whether a line ends between ``at`` and the next number; it may be beyond ``end``."""
    while at < end and text[at] <= 32 and text[at] != 10:
        at += 1
    tally[WAITING] = at == end
    tally[IRREGULAR] += at < end and text[at] != 10


@njit(cache=True, nogil=True, error_model="numpy")
def _count_rows(text, edges, numbers, end, width, tally):  # type: ignore[no-untyped-def]
    """Look at the end of every row of ``width`` numbers."""
    last = width - tally[ROW] - 1
    while last < numbers:
        _ends_line(text, np.int64(edges[2 * last + 1]), end, tally)
        last += width
    tally[ROW] = (tally[ROW] + numbers) % width


@njit(cache=True, nogil=True, error_model="numpy")
def _load_words(text, edges, count, decimals, whole, part):  # type: ignore[no-untyped-def]
    """Pass 2: for each number the word that ends with its point, and the word that ends with its last digit."""
    for k in range(count):
        end = np.int64(edges[2 * k + 1])
        whole[k] = load_word(text, end - 8 - decimals)
        part[k] = load_word(text, end - 8)


@njit(cache=True, nogil=True, error_model="numpy")
def _combine(edges, whole, part, count, decimals, out, odd):  # type: ignore[no-untyped-def]
    """Pass 3: words to doubles; ``odd`` and the answer are not 0 where a number has another shape.

    Whole numbers below 2 ** 53 and powers of ten up to 10 ** 22 are exact, so that the only rounding is the division's.
    """
    scale = _SCALE[decimals]
    last_digits = _LAST[decimals]
    tail = np.int32(1 + decimals)
    any_odd = _NONE
    for k in range(count):
        length = np.int32(edges[2 * k + 1] - edges[2 * k] - tail)  # bytes before the point, from 1 to 7
        point = (whole[k] >> np.uint64(56)) ^ np.uint64(46)
        gap = np.uint64(np.int64(np.int32(64) - (length << np.int32(3)))) & np.uint64(63)
        w = whole[k] << np.uint64(8)
        negative = (w >> gap) & np.uint64(0xFF) == np.uint64(45)
        w = (w ^ _ZEROS) & (_ALL << gap)
        w = w & ~(np.uint64(0xFF) << gap) if negative else w
        p = (part[k] ^ _ZEROS) & last_digits
        other = point | (np.uint64(np.int64(length - np.int32(1))) & ~np.uint64(7)) | _not_digits(w) | _not_digits(p)
        odd[k] = other
        any_odd |= other
        total = np.float64(np.int32(_eight_digits(w))) * scale + np.float64(np.int32(_eight_digits(p)))
        out[k] = (-total if negative else total) / scale
    return any_odd


@njit(cache=True, nogil=True, error_model="numpy")
def _one_by_one(text, edges, numbers, odd, out, filled, tally, undecided):  # type: ignore[no-untyped-def]
    """The numbers of a batch that has odd ones: (values in ``out``, where a word is no number or -1)."""
    values = out[filled : filled + numbers].copy()
    usual = tally[USUAL]
    strange = 0
    latest = 0
    for k in range(numbers):
        if odd[k] == _NONE:
            out[filled] = values[k]
            filled += 1
            tally[DECIMALS] = max(tally[DECIMALS], usual)
            continue
        strange += 1
        at = np.int64(edges[2 * k])
        end = np.int64(edges[2 * k + 1])
        value, decimals, good = _long_number(text, at, end)
        if good:
            out[filled] = value
            filled += 1
            latest = decimals
            tally[DECIMALS] = max(tally[DECIMALS], decimals)
            continue
        before = filled
        most = 0
        while at < end:
            if at > edges[2 * k] and text[at] != 45 and text[at] != 43:
                return before, np.int64(edges[2 * k])
            begin = at
            value, at, decimals, certain = _one_number(text, at, end)
            if at < 0:
                return before, np.int64(edges[2 * k])
            if not certain:
                undecided[tally[UNDECIDED], 0] = filled
                undecided[tally[UNDECIDED], 1] = begin
                undecided[tally[UNDECIDED], 2] = at
                tally[UNDECIDED] += 1
            out[filled] = value
            filled += 1
            most = max(most, decimals)
        latest = most
        tally[DECIMALS] = max(tally[DECIMALS], most)
        tally[GLUED] += filled - before - 1
    if 2 * strange > numbers:
        tally[USUAL] = latest
    return filled, np.int64(-1)


@njit(cache=True, nogil=True, error_model="numpy")
def parse(text, start, end, width, out, filled, tally, undecided):  # type: ignore[no-untyped-def]
    """Parse the numbers from ``start`` to ``end`` of a padded text into ``out`` from ``filled`` on.

    Returns (values in ``out``, place of the first word that is no number or -1). ``undecided`` receives the rows
    (index in ``out``, begin, end) of numbers that only ``float()`` can round.
    """
    edges = np.empty(2 * _BATCH + 64, np.int32)
    whole = np.empty(_BATCH, np.uint64)
    part = np.empty(_BATCH, np.uint64)
    odd = np.empty(_BATCH, np.uint64)
    count = 0
    was_blank = _ONE
    at = start
    if tally[WAITING] != 0:
        _ends_line(text, start, end, tally)
    while at < end:
        at, was_blank, count = _find_edges(text, at, min(at + _BATCH, end), end, was_blank, edges, count)
        if at >= end and count & 1:
            edges[count] = end
            count += 1
        numbers = count // 2
        _count_rows(text, edges, numbers, end, width, tally)
        decimals = tally[USUAL]
        if 1 <= decimals <= 8:
            _load_words(text, edges, numbers, decimals, whole, part)
            any_odd = _combine(edges, whole, part, numbers, decimals, out[filled:], odd)
        else:
            odd[:numbers] = _ONE
            any_odd = _ONE
        if any_odd == _NONE:
            filled += numbers
            tally[DECIMALS] = max(tally[DECIMALS], decimals)
        else:
            filled, wrong = _one_by_one(text, edges, numbers, odd, out, filled, tally, undecided)
            if wrong >= 0:
                return filled, wrong
        if count & 1:
            edges[0] = edges[count - 1]
        count &= 1
    return filled, np.int64(-1)


def warm_up() -> None:
    """Compile on a short text with plain and odd numbers."""
    text = np.full(PAD + 64 + PAD, 32, np.uint8)
    words = b"-1.25 3.50 1e-3 2.0-7.5 1.234567890123\n"
    text[PAD : PAD + len(words)] = np.frombuffer(words, np.uint8)
    tally = np.zeros(SLOTS, np.int64)
    tally[USUAL] = 2
    parse(text, PAD, PAD + len(words), 5, np.empty(64), 0, tally, np.empty((16, 3), np.int64))
