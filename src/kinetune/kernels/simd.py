"""Vector registers, streaming stores and prefetching for numba kernels.

numba turns loops over arrays into vector instructions by itself, but not where rows lie far apart in memory and have to
be transposed first. Here a value of the type :class:`Lanes` is several floats in one vector register::

    w, x, y, z = transpose(load(q, at), load(q, at + row), load(q, at + 2 * row), load(q, at + 3 * row))
    store(out, at, a * w - b * x)

It is plain LLVM vector code: every machine runs it, those with wide registers run it faster, and each lane computes
what the scalar operation computes, to the last bit. Arrays are contiguous, of float64 or float32; an index counts
elements in memory, for any shape.
:func:`load` and :func:`spread` make four lanes, and their ``line`` variants as many as fill a cache line: eight of
float64, sixteen of float32. :func:`store` takes any.

:func:`stream` bypasses the cache. A result of hundreds of megabytes is written twice as fast that way, because the
memory that it overwrites is not read first; a result that fits in the cache should be stored normally.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numba.extending
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import models, overload, register_model

LINE_BYTES = 64
STREAM_BYTES = 16  # what stream() writes at once; source and target must be aligned to it


def intrinsic(typing: Callable[..., Any]) -> Any:
    """Make a numba function from one that maps argument types to a signature and a generator of machine code."""
    return numba.extending.intrinsic(typing)


class Lanes(types.Type):
    """The numba type of several floats in one register."""

    def __init__(self, dtype: types.Float, count: int) -> None:
        self.dtype = dtype
        self.count = count
        super().__init__(name=f"Lanes({dtype}, {count})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Lanes) -> None:
        scalar = manager.lookup(lanes.dtype).get_value_type()
        model: Any = super()
        model.__init__(manager, lanes, ir.VectorType(scalar, lanes.count))


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any, vector: Any = None) -> Any:
    """The address of an element, as that of a vector if one is given."""
    create_proxy: Any = cgutils.create_struct_proxy
    data = create_proxy(kind)(context, builder, array).data
    element = builder.gep(data, [index])
    return element if vector is None else builder.bitcast(element, vector.as_pointer())


def _order(lanes: tuple[int, ...]) -> Any:
    return ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes))


def _per_line(dtype: Any) -> int:
    return LINE_BYTES * 8 // int(dtype.bitwidth)


def _loading(lanes: int | None) -> Any:
    @intrinsic
    def loaded(typing_context: Any, array: Any, index: Any) -> Any:
        size, count = array.dtype.bitwidth // 8, lanes or _per_line(array.dtype)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            source, at = arguments
            vector = ir.VectorType(context.get_data_type(array.dtype), count)
            return builder.load(_address(context, builder, array, source, at, vector), align=size)

        return Lanes(array.dtype, count)(array, types.intp), generate

    return loaded


def _everywhere(builder: Any, value: Any, count: int) -> Any:
    nothing = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, _order((0,) * count))


def _spreading(lanes: int | None) -> Any:
    @intrinsic
    def spread_out(typing_context: Any, array: Any, index: Any) -> Any:
        count = lanes or _per_line(array.dtype)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _everywhere(builder, builder.load(_address(context, builder, array, *arguments)), count)

        return Lanes(array.dtype, count)(array, types.intp), generate

    return spread_out


load, load_line = _loading(4), _loading(None)
"""``load(array, index)``: the elements from ``index`` on."""

spread, spread_line = _spreading(4), _spreading(None)
"""``spread(array, index)``: one element in all lanes."""


@intrinsic
def line_of(typing_context: Any, value: Any) -> Any:
    """A number in all the lanes of a cache line."""
    count = _per_line(value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _everywhere(builder, arguments[0], count)

    return Lanes(value, count)(value), generate


@intrinsic
def store(typing_context: Any, array: Any, index: Any, lanes: Any) -> Any:
    """Write all lanes from ``index`` on."""
    size = array.dtype.bitwidth // 8

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, at, value = arguments
        builder.store(value, _address(context, builder, array, target, at, value.type), align=size)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


def _pick(*order: int) -> Any:
    """A function that picks lanes of two registers: 0 to 3 of the first, 4 to 7 of the second."""

    @intrinsic
    def picked(typing_context: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.shuffle_vector(*arguments, _order(order))

        return first(first, second), generate

    return picked


_even, _odd = _pick(0, 4, 2, 6), _pick(1, 5, 3, 7)
_head, _tail = _pick(0, 1, 4, 5), _pick(2, 3, 6, 7)


@njit(cache=True, nogil=True, forceinline=True)
def transpose(a, b, c, d):  # type: ignore[no-untyped-def]
    """The columns of the 4 x 4 matrix whose rows are given."""
    ab_even, ab_odd, cd_even, cd_odd = _even(a, b), _odd(a, b), _even(c, d), _odd(c, d)
    return _head(ab_even, cd_even), _head(ab_odd, cd_odd), _tail(ab_even, cd_even), _tail(ab_odd, cd_odd)


def _arithmetic(instruction: str, symbol: Callable[[Any, Any], Any]) -> None:
    @intrinsic
    def applied(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return a(a, b), generate

    @overload(symbol)
    def overloaded(a: Any, b: Any) -> Any:
        def of_lanes(a: Any, b: Any) -> Any:
            return applied(a, b)

        return of_lanes if isinstance(a, Lanes) and isinstance(b, Lanes) else None


_arithmetic("fadd", operator.add)
_arithmetic("fsub", operator.sub)
_arithmetic("fmul", operator.mul)
_arithmetic("fdiv", operator.truediv)


@intrinsic
def less_product(typing_context: Any, c: Any, a: Any, b: Any) -> Any:
    """``c - a b`` of lanes, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        taken, first, second = arguments
        kind, name = taken.type, f"llvm.fma.v{c.count}f{c.dtype.bitwidth}"
        declare: Any = cgutils.get_or_insert_function
        function = declare(builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return builder.call(function, [builder.fneg(first), second, taken])

    return c(c, a, b), generate


@intrinsic
def stream(typing_context: Any, target: Any, index: Any, source: Any, start: Any) -> Any:
    """Copy ``STREAM_BYTES`` from ``source[start:]`` to ``target[index:]`` without leaving them in the cache."""
    size = target.dtype.bitwidth // 8

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, to_at, of, of_at = arguments
        vector = ir.VectorType(context.get_data_type(target.dtype), STREAM_BYTES // size)
        value = builder.load(_address(context, builder, source, of, of_at, vector), align=size)
        written = builder.store(value, _address(context, builder, target, to, to_at, vector), align=STREAM_BYTES)
        written.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), generate


@intrinsic
def finish_streams(typing_context: Any) -> Any:
    """Make what :func:`stream` wrote visible to other threads."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Load an element's cache line ahead of time; an index beyond the end does no harm."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        target = builder.bitcast(_address(context, builder, array, *arguments), pointer)
        builder.call(function, [target, ir.Constant(number, 0), ir.Constant(number, 3), ir.Constant(number, 1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
