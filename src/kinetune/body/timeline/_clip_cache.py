"""What was found for clips, as long as they live: knobs change more often than clips do."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from kinetune.body.clip import Clip

Found = TypeVar("Found")


class _Entry(NamedTuple, Generic[Found]):
    clips: tuple[weakref.ref[Clip], ...]
    options: Hashable
    found: Found

    def is_for(self, clips: Sequence[Clip]) -> bool:
        return len(self.clips) == len(clips) and all(r() is c for r, c in zip(self.clips, clips, strict=True))


class Remembered(Generic[Found]):
    """Results for the last few sets of clips. Clips are told apart by what they are, not by what they hold.

    most : how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: list[_Entry[Found]] = []
        self._lock = threading.Lock()

    def find(self, clips: Sequence[Clip], options: Hashable) -> Found | None:
        """What was found for these very clips and options, or None."""
        with self._lock:
            return next((e.found for e in self._entries if e.options == options and e.is_for(clips)), None)

    def keep(self, clips: Sequence[Clip], options: Hashable, found: Found) -> Found:
        """Remember a result, in place of those whose clips have gone; gives it back."""
        entry = _Entry(tuple(weakref.ref(clip) for clip in clips), options, found)
        with self._lock:
            alive = [each for each in self._entries if all(ref() is not None for ref in each.clips)]
            self._entries = [*alive, entry][-self._most :]
        return found
