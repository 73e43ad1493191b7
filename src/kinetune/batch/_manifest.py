"""What was done in an output folder: a small SQLite file, so that a stopped run goes on where it was.

A run holds the folder: a second one is refused.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kinetune.batch.folder_lock import FOLDER, check_layout, hold
from kinetune.batch.work import BatchOutcome, Known
from kinetune.errors import FileError, excerpt

_COMMIT_S = 0.5
"""Results of at most this long are done again after a kill; committing each one costs more."""

_TABLE = """
create table if not exists clips (
    target text primary key, key text not null, sha text not null, outcome text not null, run integer not null
)
"""
_BROKEN = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises for a damaged record; the second where it quotes the damage."""


class Manifest:
    """The memory of an output folder; a context manager that holds the folder for one run.

    Parameters
    ----------
    folder : the output folder; it is made when it is not there.
    resume : whether earlier results matter. If not, a record that is damaged, or that another version of Kinetune
        wrote in another form, is set aside and a new one begun.
    """

    def __init__(self, folder: Path, *, resume: bool = False) -> None:
        self._folder = folder
        self._run = time.time_ns()
        self._committed = time.monotonic()
        inside = folder / FOLDER
        self._path = inside / "manifest.sqlite"
        try:
            inside.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(folder, f"it cannot be written to ({(error.strerror or str(error)).lower()}).") from None
        self._lock = hold(inside / "lock.sqlite", folder, "Wait for it, or name another folder with -o.")
        try:
            self._rows = self._open(resume)
        except BaseException:
            self._lock.close()
            raise

    def _open(self, resume: bool) -> sqlite3.Connection:
        """The record, checked as a whole."""
        try:
            return _checked(self._path)
        except _BROKEN as error:
            problem = error
        if not os.access(self._path, os.R_OK | os.W_OK):
            raise self._unusable(problem, "Change its permissions, or name another folder with -o.")
        if resume:
            raise self._unusable(problem, "Run again without --resume: every clip is done anew.") from None
        try:
            os.replace(self._path, self._path.with_name(f"manifest-damaged-{self._run}.sqlite"))
            return _checked(self._path)
        except (OSError, *_BROKEN) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception, advice: str | None = None) -> FileError:
        advice = advice or f"Delete the folder {self._path.parent} and run again without --resume."
        return FileError(self._path, f"the record of earlier runs cannot be used ({excerpt(error)}).", advice=advice)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.commit()
        except FileError:
            if error is None:  # otherwise that one is reported
                raise
        finally:
            self._rows.close()
            self._lock.close()

    def known(self, target: str) -> Known | None:
        """What earlier runs say of a result; None where they say nothing that this version understands."""
        row = next(self._execute("select key, sha, outcome from clips where target = ?", (self._place(target),)), None)
        try:
            return None if row is None else Known(str(row[0]), str(row[1]), BatchOutcome.from_json(row[2]))
        except (TypeError, ValueError, AttributeError):
            return None

    def note(self, outcome: BatchOutcome, place: str | None = None) -> None:
        """Remember what became of a clip."""
        self._execute(
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
        rows = self._execute("select outcome from clips where run = ? order by target", (self._run,))
        return (BatchOutcome.from_json(text) for (text,) in rows)

    def _execute(self, statement: str, values: tuple[object, ...]) -> Iterator[Any]:
        """The rows of a statement that is run at once, read one after the other."""
        try:
            cursor = self._rows.execute(statement, values)
        except _BROKEN as error:
            raise self._unusable(error) from None
        return self._each(cursor)

    def _each(self, cursor: sqlite3.Cursor) -> Iterator[Any]:
        try:
            yield from cursor
        except _BROKEN as error:
            raise self._unusable(error) from None

    def _place(self, target: str) -> str:
        return Path(target).relative_to(self._folder).as_posix()


def _checked(path: Path) -> sqlite3.Connection:
    """An open record that is whole and has our columns, or the error of SQLite."""
    rows = sqlite3.connect(path)
    rows.text_factory = lambda raw: raw.decode("utf-8", "replace")  # a row that is damaged is not understood
    try:
        rows.execute(_TABLE)
        check_layout(rows, _TABLE)
        (verdict,) = rows.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(str(verdict).splitlines()[-1])
    except BaseException:
        rows.close()
        raise
    return rows
