"""Where Kinetune runs: in this process, or in one of its own behind a pipe. Requests and answers are the same.

===============  ==========================================================================
connect          the engine that this Blender can have
Engine           asks Kinetune and waits for the answer
Job              a request that runs beside the interface, with progress and cancellation
EngineError      what went wrong, as a message for the user
===============  ==========================================================================

In this process needs NumPy 2 and the packages of the extension's wheels. A process of its own needs a Python with
Kinetune, which ``kinetune blender --install`` leaves in ``engine.json``. Nothing here needs Blender.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from . import messages

HERE = Path(__file__).resolve().parent
Show = Callable[[float | None, str], bool]
"""Called with the share that is done and what is being done; False cancels."""
Kind = Literal["AUTO", "INSIDE", "PROCESS"]
PATIENCE_S = 10.0
"""How long a process may take to end by itself."""


class EngineError(Exception):
    """What went wrong, as a message for the user."""


class Cancelled(Exception):
    """The user does not want the answer any more."""


class Engine(Protocol):
    """Asks Kinetune."""

    name: str

    def ask(self, request: dict[str, Any], show: Show | None = None) -> dict[str, Any]:
        """The answer to a request; raises :class:`EngineError` or :class:`Cancelled`."""

    def close(self) -> None:
        """End it."""


def connect(kind: Kind = "AUTO", python: str = "") -> Engine:
    """The engine of the kind that was asked for, or the one that this Blender can have."""
    reason = why_not_inside()
    if kind == "INSIDE" or (kind == "AUTO" and not reason):
        if reason:
            raise EngineError(reason)
        return Inside()
    return Outside(*find_python(python, reason))


def why_not_inside() -> str:
    """Why Kinetune cannot run in this process; empty where it can."""
    if int(np.__version__.partition(".")[0]) < 2:
        return f"Blender brings NumPy {np.__version__}; Kinetune needs NumPy 2."
    missing = [name for name in ("kinetune", "scipy", "numba", "pydantic", "yaml") if find_spec(name) is None]
    return f"This Blender has no {missing[0]}." if missing else ""


def find_python(python: str, reason: str) -> tuple[str, dict[str, str]]:
    """A Python with Kinetune and its environment: the one given, or that of ``kinetune blender --install``."""
    notes = HERE.parent / "engine.json"
    stated = json.loads(notes.read_text("utf-8")) if notes.is_file() else {}
    chosen = python or stated.get("python", "")
    if not chosen:
        raise EngineError(
            f"{reason} Install Kinetune in a Python of your own (pip install kinetune) and run: "
            "kinetune blender --install"
        )
    if not Path(chosen).is_file():
        raise EngineError(f"There is no Python at {chosen}. Name one that has Kinetune in the add-on's preferences.")
    return chosen, {} if python else dict(stated.get("environment", {}))


class Inside:
    """Kinetune in this process."""

    name = "in Blender"

    def __init__(self) -> None:
        from kinetune.blender import ClipService

        self._service = ClipService()
        self._lock = threading.Lock()

    def ask(self, request: dict[str, Any], show: Show | None = None) -> dict[str, Any]:
        """The answer to a request."""
        from kinetune.blender import Stopped

        def pass_on(share: float | None, text: str) -> None:
            if show is not None and not show(share, text):
                raise Stopped

        with self._lock:
            return _checked(self._service.safe_answer(request, pass_on))

    def close(self) -> None:
        """Nothing to end."""


class Outside:
    """Kinetune in a process of its own."""

    name = "in a process of its own"

    def __init__(self, python: str, environment: dict[str, str]) -> None:
        self._lock = threading.Lock()
        flags: dict[str, Any] = {"creationflags": 0x08000000} if sys.platform == "win32" else {}  # no console window
        inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}
        self._process = subprocess.Popen(
            [python, str(HERE / "worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**inherited, **environment},
            **flags,
        )
        try:
            self.ask({"do": "hello"})
        except EngineError as error:
            raise EngineError(f"{python} did not start Kinetune: {error}") from None

    def ask(self, request: dict[str, Any], show: Show | None = None) -> dict[str, Any]:
        """The answer to a request."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        stopped = False
        with self._lock:
            try:
                messages.send(to, request)
                while (message := messages.receive(back)) is not None:
                    if "answer" in message or "problem" in message or "stopped" in message:
                        return _checked(message)
                    if show is not None and not stopped and not show(message["share"], message["text"]):
                        stopped = True
                        messages.send(to, {"do": "stop"})
            except OSError:
                pass
        raise EngineError("The Kinetune process ended before it answered.")

    def close(self) -> None:
        """End the process, by force where it is too busy to notice that nobody asks it any more."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    if message.get("stopped"):
        raise Cancelled
    if "problem" in message:
        raise EngineError(message["problem"])
    answer: dict[str, Any] = message["answer"]
    return answer


class Job:
    """A request that runs beside the interface.

    share, text : how far it has come, and with what.
    """

    def __init__(self, engine: Engine, request: dict[str, Any]) -> None:
        self.share: float | None = None
        self.text = ""
        self._stop = threading.Event()
        self._answer: dict[str, Any] | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(engine, request), daemon=True)
        self._thread.start()

    def _run(self, engine: Engine, request: dict[str, Any]) -> None:
        try:
            self._answer = engine.ask(request, self._show)
        except Exception as error:  # handed to whoever asks for the result
            self._error = error

    def _show(self, share: float | None, text: str) -> bool:
        self.share, self.text = share, text
        return not self._stop.is_set()

    def cancel(self) -> None:
        """Ask it to end; :meth:`result` then raises :class:`Cancelled`."""
        self._stop.set()

    def done(self, wait_s: float = 0.0) -> bool:
        """Whether the answer, or an error, is there."""
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def result(self) -> dict[str, Any]:
        """The answer, once it is there."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        if self._stop.is_set():
            raise Cancelled
        assert self._answer is not None
        return self._answer
