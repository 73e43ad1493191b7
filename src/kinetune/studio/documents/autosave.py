"""Documents on the disk: written whole, soon after every change, and found again after a crash."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinetune.errors import KinetuneError
from kinetune.formats import write_files

DELAY_S = 0.25
"""From a change to the disk: what is lost when the server is killed is less than a second of work."""
AGAIN_S = 2.0
"""From a failure (a full disk) to the next try."""


def data_folder() -> Path:
    """Where the studio keeps its documents by default."""
    if "KINETUNE_STUDIO_DATA" in os.environ:
        return Path(os.environ["KINETUNE_STUDIO_DATA"])
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", home / ".local" / "share"))
    return base / "kinetune" / "studio"


class DataFolder:
    """The folder of one studio, locked while it is open.

    problems : messages about documents that could not be read; their files stay where they are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        try:
            for name in ("documents", "uploads", "exports"):
                (folder / name).mkdir(parents=True, exist_ok=True)
            self._lock = _lock(folder / "studio.lock")
        except OSError as failure:
            raise KinetuneError(
                f"{folder}: the studio cannot keep its documents here ({failure.strerror or failure}). "
                "Name another folder with --data DIR."
            ) from None

    def close(self) -> None:
        self._lock.close()

    def tidy(self) -> None:
        """Remove old exports, and uploads that no document uses any more."""
        shutil.rmtree(self.folder / "exports", ignore_errors=True)
        (self.folder / "exports").mkdir(exist_ok=True)
        saved = "".join(
            path.read_text(encoding="utf-8", errors="replace") for path in (self.folder / "documents").glob("*.json")
        )
        for batch in (self.folder / "uploads").iterdir():
            if batch.is_dir() and batch.name not in saved:
                shutil.rmtree(batch, ignore_errors=True)

    def read_all(self) -> list[dict[str, Any]]:
        """Every document that was saved, the one that was changed last at the end."""
        documents = []
        for path in sorted((self.folder / "documents").glob("*.json"), key=lambda path: path.stat().st_mtime):
            try:
                plain = json.loads(path.read_text(encoding="utf-8"))
                if not isinstance(plain, dict) or plain.get("doc") != path.stem:
                    raise ValueError("it is not a document of the studio")
                documents.append(plain)
            except (OSError, ValueError) as failure:
                self.problems.append(f"{path}: this document cannot be opened again ({failure}).")
        return documents

    def write(self, doc: str, plain: dict[str, Any]) -> None:
        data = json.dumps(plain, separators=(",", ":")).encode()
        write_files({self.folder / "documents" / f"{doc}.json": data})

    def remove(self, doc: str) -> None:
        (self.folder / "documents" / f"{doc}.json").unlink(missing_ok=True)


class Autosave:
    """Writes documents that have changed, each at most every quarter of a second, in a thread of its own.

    Parameters
    ----------
    write : called with the id of a document, in the thread; its error goes to ``problem``, and it is tried again
        after a while.
    tried : called after each try.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        tried: Callable[[str], None] = lambda doc: None,
        delay_s: float = DELAY_S,
        again_s: float = AGAIN_S,
    ) -> None:
        self._write, self._tried, self._delay_s, self._again_s = write, tried, delay_s, again_s
        self._waiting: dict[str, float] = {}
        self._wake = threading.Condition()
        self._open = True
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._work, name="autosave", daemon=True)
        self._thread.start()

    def changed(self, doc: str) -> None:
        """A document differs from what is on the disk."""
        with self._wake:
            self._waiting.setdefault(doc, time.monotonic() + self._delay_s)
            self._wake.notify()

    def close(self) -> None:
        """Write what is left, and stop."""
        with self._wake:
            self._open = False
            self._wake.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._wake:
                while self._open and (not self._waiting or min(self._waiting.values()) > time.monotonic()):
                    due = min(self._waiting.values(), default=None)
                    self._wake.wait(None if due is None else max(0.0, due - time.monotonic()))
                now = time.monotonic()
                ready = [doc for doc, due in self._waiting.items() if due <= now or not self._open]
                for doc in ready:
                    del self._waiting[doc]
                stopping = not self._open and not ready
            if stopping:
                return
            for doc in ready:
                try:
                    self._write(doc)
                    self.problem = None
                except (KinetuneError, OSError) as failure:
                    self.problem = str(failure)
                    with self._wake:
                        if self._open:
                            self._waiting.setdefault(doc, time.monotonic() + self._again_s)
                self._tried(doc)


def _lock(path: Path) -> Any:
    """A file that this process alone has open; the operating system lets go of it when the process ends."""
    file = open(path, "a+b")  # noqa: SIM115 (open as long as the studio is)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        with contextlib.suppress(OSError):
            file.close()
        raise KinetuneError(
            f"{path.parent}: another studio is open on this folder. Use its page, or name another folder with "
            "--data DIR."
        ) from None
    return file
