"""Steps that are worked on: one thread at a time for each, until it is done or nobody wants to wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kinetune.progress import Cancelled, Sink, reporting


@dataclass
class _StepLock:
    """Who works on a step.

    wanted : threads that do, or wait for it.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted: int = 0


class StepLocks:
    """The steps of one document that are worked on, by key, and those that were halted.

    share : how far the step that is worked on has come, 0 to 1; None where it does not tell.
    """

    def __init__(self) -> None:
        self.share: float | None = None
        self._lock = threading.Lock()
        self._busy: dict[str, _StepLock] = {}
        self._halted: set[str] = set()
        self._era = 0

    @contextmanager
    def working(
        self, key: str, sink: Sink = lambda share, text: None, *, halts: bool = True
    ) -> Iterator[Callable[[], bool]]:
        """Work on a step alone; ``sink`` gets its progress. Gives a function that says whether to go on.

        Parameters
        ----------
        halts : whether :meth:`halt` ends it, by raising :class:`kinetune.progress.Cancelled`.
        """
        era = self._era

        def goes_on() -> bool:
            return not (halts and (self.is_halted(key) or era != self._era))

        def show(share: float | None, text: str) -> None:
            if not goes_on():
                raise Cancelled
            sink(share, text)
            self.share = share

        with self._lock:
            turn = self._busy.setdefault(key, _StepLock())
            turn.wanted += 1
        try:
            with turn.lock, reporting(show):
                yield goes_on
        finally:
            self.share = None
            with self._lock:
                turn.wanted -= 1
                if not turn.wanted:
                    del self._busy[key]

    @property
    def is_busy(self) -> bool:
        """Whether any step is worked on."""
        with self._lock:
            return bool(self._busy)

    def is_halted(self, key: str) -> bool:
        """Whether a step waits until somebody asks for it."""
        return key in self._halted

    def halt(self) -> None:
        """Let the steps that are worked on wait until somebody asks for them; a job that works on one goes on."""
        with self._lock:
            self._halted.update(self._busy)

    def done(self, key: str) -> None:
        """A step was worked out, so it waits no more."""
        with self._lock:
            self._halted.discard(key)

    def clear(self) -> None:
        """Nobody looks any more: whatever is worked on ends, and nothing waits."""
        with self._lock:
            self._halted.clear()
            self._era += 1
