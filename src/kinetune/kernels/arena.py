"""Working memory that is reused from call to call: mapping fresh pages takes longer than many a kernel.

An :class:`Arena` belongs to one module. A call opens a session and takes arrays from it, all of which are invalid when
the session ends; arrays taken inside a ``frame()`` are returned at its end. A call that needs a single array gets it
from a :class:`Spare`, with fewer lines of Python, which are slow after a kernel that fills the caches. Each thread has
its own memory.
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
_ARENA_BYTES = 8 << 20
_SPARE_BYTES = 16 << 20


class Arena(threading.local):
    """Memory that grows to what the last session took, up to 8 MB; beyond that, arrays are fresh."""

    def __init__(self) -> None:
        self._memory: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._used = 0
        self._most = 0

    @contextmanager
    def session(self) -> Iterator[None]:
        """Begin with empty memory. Sessions do not nest."""
        if self._memory.nbytes < self._most <= _ARENA_BYTES:
            self._memory = _aligned(self._most, np.uint8)
        self._used = self._most = 0
        yield

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Return at the end what is taken inside."""
        before = self._used
        try:
            yield
        finally:
            self._used = before

    def take(self, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> Floats:
        """An uninitialised array that begins at a cache line."""
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        begin = self._used
        self._used += -(-size // _LINE) * _LINE
        self._most = max(self._most, self._used)
        if self._used > self._memory.nbytes:
            return np.empty(shape, kind)
        return self._memory[begin : begin + size].view(kind).reshape(shape)

    def several(self, *sizes: int, dtype: DTypeLike = np.float64) -> list[Floats]:
        """Several uninitialised arrays at once, each beginning at a cache line."""
        kind = np.dtype(dtype)
        line = _LINE // kind.itemsize
        starts = [0, *itertools.accumulate(-(-size // line) * line for size in sizes)]
        if self._used + starts[-1] * kind.itemsize > self._memory.nbytes:
            return [self.take((size,), kind) for size in sizes]
        whole = self.take((starts[-1],), kind)
        return [whole[start : start + size] for start, size in zip(starts, sizes, strict=False)]

    def full(self, shape: tuple[int, ...], value: float) -> Floats:
        """An array of one value."""
        result = self.take(shape)
        result.fill(value)
        return result


class Spare(threading.local):
    """One array for each type of number, reused by the next call if it has at most 16 MB."""

    def __init__(self) -> None:
        self._arrays: dict[np.dtype[Any], Floats] = {}

    def array(self, size: int, dtype: np.dtype[Any]) -> Floats:
        """At least so many uninitialised numbers, beginning at a cache line."""
        array = self._arrays.get(dtype)
        if array is None or array.size < size:
            array = _aligned(size, dtype)
            if array.nbytes <= _SPARE_BYTES:
                self._arrays[dtype] = array
        return array


def _aligned(size: int, dtype: DTypeLike) -> NDArray[Any]:
    fresh = np.empty(size * np.dtype(dtype).itemsize + _LINE, np.uint8)
    begin = -fresh.ctypes.data % _LINE
    return fresh[begin : begin + fresh.size - _LINE].view(dtype)
