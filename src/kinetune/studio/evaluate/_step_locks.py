"""One lock for each step that is being computed, and steps that the user has cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kinetune.progress import Cancelled, Sink, reporting


@dataclass
class _StepLock:
    """The lock of a step.

    waiting : threads that hold it or wait for it.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


class StepLocks:
    """The steps of one document that are being computed, by key, and those that were halted.

    share : the progress of the current step, 0 to 1; None where it is unknown.
    era : how often the document was closed.
    """

    def __init__(self) -> None:
        self.share: float | None = None
        self._lock = threading.Lock()
        self._busy: dict[str, _StepLock] = {}
        self._halted: set[str] = set()
        self.era = 0

    @contextmanager
    def working(
        self, key: str, sink: Sink = lambda share, text: None, *, halts: bool = True
    ) -> Iterator[Callable[[], bool]]:
        """Work on a step alone; ``sink`` gets its progress. Gives a function that says whether to go on.

        Parameters
        ----------
        halts : whether :meth:`halt` ends it, by raising :class:`kinetune.progress.Cancelled`.
        """
        era = self.era

        def goes_on() -> bool:
            return not (halts and (self.is_halted(key) or era != self.era))

        def show(share: float | None, text: str) -> None:
            if not goes_on():
                raise Cancelled
            sink(share, text)
            self.share = share

        with self._lock:
            lock = self._busy.setdefault(key, _StepLock())
            lock.waiting += 1
        try:
            with lock.lock, reporting(show):
                yield goes_on
        finally:
            self.share = None
            with self._lock:
                lock.waiting -= 1
                if not lock.waiting:
                    del self._busy[key]

    @property
    def is_busy(self) -> bool:
        """Whether a step is being computed."""
        with self._lock:
            return bool(self._busy)

    def is_halted(self, key: str) -> bool:
        """Whether a step waits until the user runs it."""
        return key in self._halted

    def halt(self, next_key: str | None = None) -> None:
        """Stop the current steps, and one that is about to begin, until the user runs them; background jobs go on."""
        with self._lock:
            self._halted.update(self._busy)
            if next_key is not None:
                self._halted.add(next_key)

    def done(self, key: str) -> None:
        """A step has a result, so it no longer waits."""
        with self._lock:
            self._halted.discard(key)

    def clear(self) -> None:
        """The document was closed: current steps end, and none waits."""
        with self._lock:
            self._halted.clear()
            self.era += 1
