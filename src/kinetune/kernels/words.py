"""Machine words for kernels that read and write text: operations that numba lacks, each a few machine instructions.

====================  ==============================================================================
load_word             eight bytes at any index of a byte array as one 64-bit number, first byte lowest
store_word            the inverse
blank_mask            which of 64 bytes are blanks (32 or less), one bit each, first byte lowest
lowest_bit            the index of the lowest set bit; 64 when there is none
count_bits            how many bits are set
leading_zeros         how many zeros there are above the highest set bit
multiply_high         the upper 64 bits of a 128-bit product
as_double             the double that has these bits
====================  ==============================================================================

None of them checks bounds: callers leave :data:`PAD` spare bytes on both sides of their text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types

from kinetune.kernels.simd import intrinsic

PAD = 64
"""Spare bytes that must surround a text, since words and masks are loaded without checking where it ends."""

_WORD = ir.IntType(64)
_BYTE = ir.IntType(8)
_BLOCK = ir.VectorType(_BYTE, 64)

Build = Callable[[Any, Any, Any, Any], Any]


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(builder.bitcast(data, _BYTE.as_pointer()), [index])


@intrinsic
def load_word(_typing: Any, text: Any, index: Any) -> tuple[Any, Build]:
    """Eight bytes at ``index``, an int64."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _address(context, builder, signature.args[0], values[0], values[1])
        word = builder.load(builder.bitcast(at, _WORD.as_pointer()))
        word.align = 1
        return word

    return types.uint64(text, types.int64), build


@intrinsic
def store_word(_typing: Any, text: Any, index: Any, word: Any) -> tuple[Any, Build]:
    """Write eight bytes at ``index``, an int64."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _address(context, builder, signature.args[0], values[0], values[1])
        builder.store(values[2], builder.bitcast(at, _WORD.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(text, types.int64, types.uint64), build


@intrinsic
def blank_mask(_typing: Any, text: Any, index: Any) -> tuple[Any, Build]:
    """One bit for each of 64 bytes: whether it is a blank, a control character or 0."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _address(context, builder, signature.args[0], values[0], values[1])
        block = builder.load(builder.bitcast(at, _BLOCK.as_pointer()))
        block.align = 1
        blanks = builder.icmp_unsigned("<=", block, ir.Constant(_BLOCK, [32] * 64))
        return builder.bitcast(blanks, _WORD)

    return types.uint64(text, types.int64), build


@intrinsic
def lowest_bit(_typing: Any, word: Any) -> tuple[Any, Build]:
    """The index of the lowest set bit; 64 when the word is 0."""

    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), build


@intrinsic
def count_bits(_typing: Any, word: Any) -> tuple[Any, Build]:
    """How many bits are set."""

    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.int64(types.uint64), build


@intrinsic
def leading_zeros(_typing: Any, word: Any) -> tuple[Any, Build]:
    """How many zeros there are above the highest set bit; 64 when the word is 0."""

    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctlz(values[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), build


@intrinsic
def multiply_high(_typing: Any, a: Any, b: Any) -> tuple[Any, Build]:
    """The upper 64 bits of the 128-bit product."""

    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(values[0], wide), builder.zext(values[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), _WORD)

    return types.uint64(types.uint64, types.uint64), build


@intrinsic
def as_double(_typing: Any, word: Any) -> tuple[Any, Build]:
    """The double that has these bits."""

    def build(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.DoubleType())

    return types.float64(types.uint64), build


@njit(cache=True, nogil=True)
def describe(text, index):  # type: ignore[no-untyped-def]
    """The results of all operations above at one index of a text, for tests and warm-up."""
    word = load_word(text, index)
    blanks = blank_mask(text, index)
    store_word(text, index + 8, word)
    numbers = lowest_bit(word), count_bits(word), leading_zeros(word)
    return word, blanks, *numbers, multiply_high(word, word), as_double(word)


def warm_up() -> None:
    """Compile on a tiny text."""
    describe(np.zeros(2 * PAD, np.uint8), np.int64(0))
