"""A weak-reference cache of results for sets of clips: parameters change more often than clips do."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from kinetune.body.clip import Clip

Result = TypeVar("Result")


class _Entry(NamedTuple, Generic[Result]):
    clips: tuple[weakref.ref[Clip], ...]
    options: Hashable
    result: Result

    def is_for(self, clips: Sequence[Clip]) -> bool:
        return len(self.clips) == len(clips) and all(r() is c for r, c in zip(self.clips, clips, strict=True))


class ClipCache(Generic[Result]):
    """Results for the last few sets of clips, which are compared by identity. An entry goes when a clip of it does.

    Parameters
    ----------
    size : int
        How many results are cached.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: list[_Entry[Result]] = []
        self._lock = threading.Lock()

    def get(self, clips: Sequence[Clip], options: Hashable) -> Result | None:
        """The result for exactly these clips and options, or None."""
        with self._lock:
            return next((e.result for e in self._entries if e.options == options and e.is_for(clips)), None)

    def put(self, clips: Sequence[Clip], options: Hashable, result: Result) -> Result:
        """Cache a result and return it; entries whose clips are gone are dropped."""
        entry = _Entry(tuple(weakref.ref(clip) for clip in clips), options, result)
        with self._lock:
            alive = [each for each in self._entries if all(ref() is not None for ref in each.clips)]
            self._entries = [*alive, entry][-self._size :]
        return result
