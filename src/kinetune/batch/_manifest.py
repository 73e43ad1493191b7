"""What was done in an output folder: a small SQLite file, so that a stopped run goes on where it was.

A run holds the folder: a second one is refused. The hold is a lock that the system drops with the process, however
that ends.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from kinetune.batch.work import BatchOutcome, Known
from kinetune.errors import FileError

FOLDER = ".kinetune"
_COMMIT_S = 0.5
"""Results of at most this long are done again after a kill; committing each one costs more."""

_TABLE = """
create table if not exists clips (
    target text primary key, key text not null, sha text not null, outcome text not null, run integer not null
)
"""


class Manifest:
    """The memory of an output folder; a context manager that holds the folder for one run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._run = time.time_ns()
        self._committed = time.monotonic()
        inside = folder / FOLDER
        try:
            inside.mkdir(parents=True, exist_ok=True)
            self._lock = _held(inside / "lock.sqlite", folder)
            self._rows = sqlite3.connect(inside / "manifest.sqlite")
            self._rows.execute(_TABLE)
        except OSError as error:
            raise FileError(folder, f"it cannot be written to ({(error.strerror or str(error)).lower()}).") from None
        except sqlite3.Error as error:
            raise FileError(
                inside / "manifest.sqlite",
                f"the record of earlier runs cannot be used ({error}).",
                advice=f"Delete the folder {inside} and run again without --resume.",
            ) from None
        _clear_parts(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.commit()
        self._rows.close()
        self._lock.close()

    def known(self, target: str) -> Known | None:
        """What earlier runs say of a result."""
        row = self._rows.execute(
            "select key, sha, outcome from clips where target = ?", (self._place(target),)
        ).fetchone()
        return None if row is None else Known(row[0], row[1], BatchOutcome.from_json(row[2]))

    def note(self, outcome: BatchOutcome, place: str | None = None) -> None:
        """Remember what became of a clip."""
        self._rows.execute(
            "insert or replace into clips values (?, ?, ?, ?, ?)",
            (place or self._place(outcome.target or ""), outcome.key, outcome.sha, outcome.as_json(), self._run),
        )
        if time.monotonic() - self._committed > _COMMIT_S:
            self.commit()

    def commit(self) -> None:
        try:
            self._rows.commit()
        except sqlite3.Error as error:
            raise FileError(self._folder, f"the record of this run cannot be written ({error}).") from None
        self._committed = time.monotonic()

    def outcomes(self) -> Iterator[BatchOutcome]:
        """What became of each clip of this run, by name of the result, read one after the other."""
        self.commit()
        rows = self._rows.execute("select outcome from clips where run = ? order by target", (self._run,))
        return (BatchOutcome.from_json(text) for (text,) in rows)

    def _place(self, target: str) -> str:
        return Path(target).relative_to(self._folder).as_posix()


def _held(path: Path, folder: Path) -> sqlite3.Connection:
    """A lock on the folder that ends with the process."""
    lock = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        lock.execute("begin exclusive")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" not in str(error):
            raise
        raise FileError(
            folder, "another run is writing into this folder.", advice="Wait for it, or name another folder with -o."
        ) from None
    return lock


def _clear_parts(folder: Path) -> None:
    """Remove what a killed run left half written; nobody else writes here while the folder is held."""
    for part in folder.rglob(".*.part"):
        part.unlink(missing_ok=True)
