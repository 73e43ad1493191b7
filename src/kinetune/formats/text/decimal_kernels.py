"""The double nearest to a decimal number, exactly as ``float()`` rounds it.

Small numbers take one division (Clinger, "How to read floating point numbers accurately", PLDI 1990); the others one or
two 64-bit multiplications with a table of powers of five (Eisel and Lemire: Lemire, "Number parsing at a gigabyte per
second", Software: Practice and Experience 2021, algorithm 1).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.words import as_double, leading_zeros, multiply_high

_LEAST, _MOST = -342, 308  # powers of ten beyond which a 19-digit number is 0 or infinite
_EXACT = np.array([float(f"1e{power}") for power in range(23)])  # the powers of ten that a double holds exactly
_LAST_WHOLE = np.uint64(1 << 53)
_ONE = np.uint64(1)
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
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
    if lower == _ONES and not -27 <= exponent <= 55:
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


def warm_up() -> None:
    """Compile on one number."""
    nearest_double(np.uint64(1), np.int64(-30))
