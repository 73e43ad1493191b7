"""Numbers into text, digit for digit as ``"%.6f"`` prints them: the compiled body of ``number_text.print_numbers``.

A double is a whole number times a power of two. Its whole part and its fraction are split exactly; the fraction times
a power of ten is a 128-bit product, whose upper part is the digits and whose remainder says how to round (half to even,
as C does). Nothing is rounded before.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.words import PAD, multiply_high, store_word

_TENS = np.array([10**n for n in range(20)], np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_ONE = np.uint64(1)
_NONE = np.uint64(0)
_HALF = np.uint64(1 << 63)
_BLANK = np.uint8(32)
_MINUS = np.uint8(45)


def _small_texts() -> NDArray[np.uint64]:
    """The text of 0 to 999 in the low bytes, its length in the highest one."""
    rows = []
    for number in range(1000):
        text = str(number).encode()
        rows.append(int.from_bytes(text, "little") | len(text) << 56)
    return np.array(rows, np.uint64)


_SMALL = _small_texts()


@njit(inline="always")
def _eight_texts(number):  # type: ignore[no-untyped-def]
    """The eight digits of a number below 10 ** 8 as text, the highest digit in the lowest byte."""
    upper = number // np.uint64(10000)
    fours = upper | (number - upper * np.uint64(10000)) << np.uint64(32)
    hundreds = ((fours * np.uint64(10486)) >> np.uint64(20)) & np.uint64(0x0000007F0000007F)
    pairs = hundreds | (fours - hundreds * np.uint64(100)) << np.uint64(16)
    tens = ((pairs * np.uint64(103)) >> np.uint64(10)) & np.uint64(0x000F000F000F000F)
    return (tens | (pairs - tens * np.uint64(10)) << np.uint64(8)) | _ZEROS


@njit(cache=True, nogil=True, error_model="numpy")
def _print_long_fraction(text, at, digits, decimals):  # type: ignore[no-untyped-def]
    """Put the digits of a fraction with 9 to 17 of them."""
    if decimals == 17:
        first = digits // _TENS[16]
        text[at] = np.uint8(48) + np.uint8(first)
        digits -= first * _TENS[16]
        at += 1
        decimals = 16
    digits *= _TENS[16 - decimals]
    upper = digits // _TENS[8]
    store_word(text, np.int64(at), _eight_texts(upper))
    store_word(text, np.int64(at + 8), _eight_texts(digits - upper * _TENS[8]))


@njit(cache=True, nogil=True, error_model="numpy")
def _print_large(text, at, whole):  # type: ignore[no-untyped-def]
    """Put a whole number of at least four digits; returns where it ends."""
    length = 4
    while length < 20 and whole >= _TENS[length]:
        length += 1
    for place in range(at + length - 1, at - 1, -1):
        rest = whole // np.uint64(10)
        text[place] = np.uint8(48) + np.uint8(whole - rest * np.uint64(10))
        whole = rest
    return at + length


@njit(cache=True, nogil=True, error_model="numpy")
def _small_fraction(mantissa, shift, scale, decimals):  # type: ignore[no-untyped-def]
    """The digits of mantissa / 2 ** shift for 64 <= shift, and 1 when they must be rounded up, else 0."""
    if shift >= 128 or mantissa == _NONE:
        return _NONE, _NONE
    upper = multiply_high(mantissa, scale)
    lower = mantissa * scale
    if shift == 64:
        digits, rest, more = upper, lower, False
    else:
        digits = upper >> np.uint64(shift - 64)
        rest = (upper << np.uint64(128 - shift)) | (lower >> np.uint64(shift - 64))
        more = (lower << np.uint64(128 - shift)) != _NONE
    odd = decimals > 0 and digits & _ONE == _ONE
    return digits, np.uint64(rest > _HALF or (rest == _HALF and (more or odd)))


@njit(cache=True, nogil=True, error_model="numpy")
def print_rows(bits, decimals, newline, text):  # type: ignore[no-untyped-def]
    """Put rows of numbers into ``text``; returns where they end.

    bits : (rows, columns) doubles, each below 2 ** 53 in size, seen as uint64; one column at least.
    newline : what ends a row, as bytes.
    text : bytes, with :data:`~kinetune.kernels.words.PAD` more of them than the longest text could take.
    """
    at = np.int64(0)
    scale = _TENS[decimals]
    spare = _TENS[max(0, 8 - decimals)]
    for row in range(bits.shape[0]):
        for column in range(bits.shape[1]):
            word = bits[row, column]
            text[np.uint64(at)] = _MINUS
            at += np.int64(word >> np.uint64(63))
            mantissa = word & np.uint64(0x000FFFFFFFFFFFFF)
            stored = np.int64((word >> np.uint64(52)) & np.uint64(0x7FF))
            mantissa |= np.uint64(stored > 0) << np.uint64(52)
            shift = 1075 - stored - np.int64(stored == 0)  # the number is mantissa / 2 ** shift
            if shift > 63:
                whole = _NONE
                digits, up = _small_fraction(mantissa, shift, scale, decimals)
            else:
                whole = mantissa >> np.uint64(shift)
                fraction = mantissa - (whole << np.uint64(shift))
                lower = fraction * scale
                left = np.uint64((64 - shift) & 63)
                digits = (multiply_high(fraction, scale) << left) | (lower >> np.uint64(shift))
                rest = lower << left
                odd = digits & _ONE if decimals > 0 else whole & _ONE
                up = np.uint64(rest > _HALF) | (np.uint64(rest == _HALF) & odd)
            digits += up
            if digits == scale:
                digits = _NONE
                whole += _ONE
            if whole < np.uint64(1000):
                small = _SMALL[whole]
                store_word(text, np.int64(at), small)
                at += np.int64(small >> np.uint64(56))
            else:
                at = _print_large(text, at, whole)
            if decimals > 0:
                text[np.uint64(at)] = np.uint8(46)
                if decimals <= 8:
                    store_word(text, np.int64(at + 1), _eight_texts(digits * spare))
                else:
                    _print_long_fraction(text, at + 1, digits, decimals)
                at += 1 + decimals
            text[np.uint64(at)] = _BLANK
            at += 1
        at -= 1
        for k in range(len(newline)):
            text[at] = newline[k]
            at += 1
    return at


def warm_up() -> None:
    """Compile on two numbers."""
    bits = np.array([[1.5, -2000.25]]).view(np.uint64)
    bits.setflags(write=False)
    print_rows(bits, 6, np.frombuffer(b"\n", np.uint8), np.empty(64 + PAD, np.uint8))
