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

from kinetune.errors import KinetuneError, excerpt, printable
from kinetune.formats import write_files
from kinetune.input_files import read_input

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

    problems : messages about documents that could not be opened again; a damaged one is set aside under another name.

    Only the user may read its folders, even if an earlier version of Kinetune allowed more.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in ("documents", "uploads", "exports"):
                (folder / name).mkdir(mode=0o700, exist_ok=True)
                _make_private(folder / name)
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
        (self.folder / "exports").mkdir(mode=0o700, exist_ok=True)
        saved = b""
        for path in (self.folder / "documents").iterdir():
            with contextlib.suppress(KinetuneError):
                saved += read_input(path)
        for batch in (self.folder / "uploads").iterdir():
            if batch.is_dir() and batch.name.encode() not in saved:
                shutil.rmtree(batch, ignore_errors=True)

    def read_all(self) -> list[dict[str, Any]]:
        """Every document that was saved, the one that was changed last at the end."""
        documents = []
        paths = [path for path in (self.folder / "documents").glob("*.json") if not path.is_dir()]
        for path in sorted(paths, key=lambda path: path.lstat().st_mtime):
            try:
                plain = json.loads(read_input(path))
                if not isinstance(plain, dict) or plain.get("doc") != path.stem:
                    raise ValueError("it is not a document of the studio")
                documents.append(plain)
            except (KinetuneError, ValueError, RecursionError) as failure:
                self.set_aside(path.stem, failure)
        return documents

    def set_aside(self, doc: str, failure: Exception) -> None:
        """Give the file of a damaged document another name, and report it."""
        path = self.folder / "documents" / f"{doc}.json"
        reason = printable(excerpt(" ".join(str(failure).split()))) or type(failure).__name__
        aside = path.with_name(f"{path.name}.damaged")
        try:
            os.replace(path, aside)
        except OSError:  # it stays where it is, and is reported again next time
            aside = path
        self.problems.append(f"{aside}: this document is damaged and was set aside ({reason}).")

    def write(self, doc: str, plain: dict[str, Any]) -> None:
        data = json.dumps(plain, separators=(",", ":")).encode()
        write_files({self.folder / "documents" / f"{doc}.json": data}, private=True)

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


def _make_private(folder: Path) -> None:
    """Take a folder and all that lies in it from everybody but the user."""
    for here, _, names in os.walk(folder):
        with contextlib.suppress(OSError):  # somebody else's file in our folder
            os.chmod(here, 0o700)
            for name in names:
                os.chmod(os.path.join(here, name), 0o600)


def _lock(path: Path) -> Any:
    """A file that this process alone has open; the operating system lets go of it when the process ends."""
    opener = lambda name, flags: os.open(name, flags, 0o600)  # noqa: E731
    file = open(path, "a+b", opener=opener)  # noqa: SIM115 (open as long as the studio is)
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
