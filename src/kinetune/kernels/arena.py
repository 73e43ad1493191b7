"""Working memory that is kept between calls: the pages of fresh memory cost more to map than many a kernel takes.

An :class:`Arena` belongs to one module. A call opens a session and takes arrays from it; all of them are void when the
session ends. What is taken inside a ``frame()`` is given back at its end. A call that wants a single array has it from
a :class:`Spare` with less ado: after a kernel that fills the caches, every line of Python is slow. Each thread has
memory of its own.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.floating]

_LINE = 64
_KEPT_BYTES = 8 << 20
_SPARE_BYTES = 16 << 20


class Arena(threading.local):
    """Memory that grows with what was asked for, up to 8 MB; beyond that, fresh arrays."""

    def __init__(self) -> None:
        self._memory: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._used = 0
        self._most = 0

    @contextmanager
    def session(self) -> Iterator[None]:
        """Begin with empty memory. Sessions do not nest."""
        if self._memory.nbytes < self._most <= _KEPT_BYTES:
            self._memory = _from_a_line_on(self._most, np.uint8)
        self._used = self._most = 0
        yield

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Give back at the end what is taken inside."""
        before = self._used
        try:
            yield
        finally:
            self._used = before

    def take(self, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> Floats:
        """An array with anything in it, from a cache line on."""
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        begin = self._used
        self._used += -(-size // _LINE) * _LINE
        self._most = max(self._most, self._used)
        if self._used > self._memory.nbytes:
            return np.empty(shape, kind)
        return self._memory[begin : begin + size].view(kind).reshape(shape)

    def several(self, *sizes: int, dtype: DTypeLike = np.float64) -> list[Floats]:
        """Arrays of these sizes at once, with anything in them, each from a cache line on."""
        kind = np.dtype(dtype)
        line = _LINE // kind.itemsize
        places = [0, *itertools.accumulate(-(-size // line) * line for size in sizes)]
        if self._used + places[-1] * kind.itemsize > self._memory.nbytes:
            return [self.take((size,), kind) for size in sizes]
        whole = self.take((places[-1],), kind)
        return [whole[place : place + size] for place, size in zip(places, sizes, strict=False)]

    def full(self, shape: tuple[int, ...], value: float) -> Floats:
        """An array of one value."""
        result = self.take(shape)
        result.fill(value)
        return result


class Spare(threading.local):
    """One array for each type of number, kept up to 16 MB for whoever comes next."""

    def __init__(self) -> None:
        self._arrays: dict[np.dtype[Any], Floats] = {}

    def array(self, size: int, dtype: np.dtype[Any]) -> Floats:
        """So many numbers or more, with anything in them, from a cache line on."""
        kept = self._arrays.get(dtype)
        if kept is None or kept.size < size:
            kept = _from_a_line_on(size, dtype)
            if kept.nbytes <= _SPARE_BYTES:
                self._arrays[dtype] = kept
        return kept


def _from_a_line_on(size: int, dtype: DTypeLike) -> NDArray[Any]:
    fresh = np.empty(size * np.dtype(dtype).itemsize + _LINE, np.uint8)
    begin = -fresh.ctypes.data % _LINE
    return fresh[begin : begin + fresh.size - _LINE].view(dtype)
