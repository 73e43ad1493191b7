"""Long work with progress and cancel: slow steps, exports, films."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from kinetune.errors import KinetuneError
from kinetune.progress import Cancelled
from kinetune.studio.documents.origins import one_line
from kinetune.studio.protocol.message_parts import MessageError

_PACE_S = 0.1


class Job:
    """One piece of work in a thread of its own.

    Parameters
    ----------
    work : called with the job; it calls :meth:`progress` often and returns what the last message should carry.
    send : called on the event loop with each message.
    about : goes into every message (``doc``, ``step``, ``id``).
    """

    def __init__(
        self,
        id: str,
        text: str,
        work: Callable[[Job], dict[str, Any] | None],
        send: Callable[[dict[str, Any]], None],
        about: dict[str, Any],
    ) -> None:
        self.id, self.text, self._work, self._send, self.about = id, text, work, send, about
        self._loop = asyncio.get_running_loop()
        self._cancelled = threading.Event()
        self._begun = time.monotonic()
        self._sent_at = 0.0
        self.finished = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"job {id}", daemon=True)

    def start(self) -> None:
        self._report("running", 0.0)
        self._thread.start()

    def cancel(self) -> None:
        """Ask the work to stop; it does at its next report of progress."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def progress(self, share: float | None, text: str | None = None) -> None:
        """Report how far the work is (0 to 1, None where unknown); raises :class:`Cancelled` when it should stop."""
        if self.cancelled:
            raise Cancelled
        self.text = text or self.text
        now = time.monotonic()
        if now - self._sent_at >= _PACE_S:
            self._sent_at = now
            self._report("running", share)

    def _run(self) -> None:
        try:
            more = self._work(self)
            if self.cancelled:
                raise Cancelled
            self._report("done", 1.0, **(more or {}))
        except Cancelled:
            self._report("cancelled", None)
        except KinetuneError as error:
            self._report("failed", None, message=one_line(error))
        except Exception:  # a bug in an operation or writer: without an end the page would wait for ever
            traceback.print_exc(file=sys.stderr)
            self._report("failed", None, message="Something went wrong inside the studio. The terminal shows what.")
        finally:
            self.finished.set()

    def _report(self, state: str, share: float | None, **more: Any) -> None:
        spent = time.monotonic() - self._begun
        left = None if not share or state != "running" else round(spent * (1.0 - share) / share, 1)
        message = {
            **{"type": "job", "job": self.id, "text": self.text, "share": share, "left_s": left, "state": state},
            **{"step": None, "url": None, "message": None},
            **self.about,
            **more,
        }
        with contextlib.suppress(RuntimeError):  # the loop has closed
            self._loop.call_soon_threadsafe(self._send, message)


class Jobs:
    """Jobs that are under way."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._count = itertools.count(1)

    def start(
        self,
        text: str,
        work: Callable[[Job], dict[str, Any] | None],
        send: Callable[[dict[str, Any]], None],
        **about: Any,
    ) -> Job:
        for id in [id for id, job in self._jobs.items() if job.finished.is_set()]:
            del self._jobs[id]
        job = Job(f"j{next(self._count)}-{secrets.token_hex(3)}", text, work, send, about)
        self._jobs[job.id] = job
        job.start()
        return job

    def cancel(self, id: str) -> None:
        if id not in self._jobs:
            raise MessageError("unknown_name", f'There is no job "{id[:60]}" any more.')
        self._jobs[id].cancel()

    def cancel_all(self) -> None:
        for job in self._jobs.values():
            job.cancel()
