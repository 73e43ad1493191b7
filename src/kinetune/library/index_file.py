"""The index of a folder on the disk: a small SQLite file, and two arrays beside it that are mapped into memory.

============  =========================================================================================
MotionIndex   an index opened for searching: its clips, what is known of each, and their rows
IndexedClip   one clip of it
IndexWriter   an index opened for changes, by one process at a time
index_path    where the index of a folder is
index_folder  the folder that an index was made of
============  =========================================================================================

Arrays only grow while an index is written: rows are on the disk before the entry that names them is, and what a killed
run left behind the last entry is overwritten. Rows that nothing names any more are dropped when they are a third of
all, into new files; the entry that names these files changes in the same transaction.
"""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path, PureWindowsPath
from types import TracebackType
from typing import Any, Self

import numpy as np

from kinetune.batch.folder_lock import FOLDER, check_layout, hold
from kinetune.errors import FileError, UnknownNameError, excerpt, printable
from kinetune.formats.file_limits import is_frame_rate
from kinetune.library.body_rows import COLUMNS, ROWS_PER_S, WINDOW_COLUMNS, window_means, with_velocity
from kinetune.library.clip_facts import ClipFacts
from kinetune.rotations import Floats

INDEX_VERSION = 1
"""Raised when what is stored or how it is measured changes: an index of another version is made anew."""

_COMMIT_S = 0.5
_MOST_DEAD = 1 / 3
_MOST_ROWS, _MOST_DIGITS, _LARGEST, _FARTHEST = 1 << 40, 9, 1e15, 1e12  # what is plainly not meant
_LISTED = 3
_HEADER = b"SQLite format 3\0"
_FACTS = tuple(each.name for each in fields(ClipFacts))
_TABLES = f"""
create table if not exists about (name text primary key, value text not null);
create table if not exists clips (
    name text primary key, sha text not null, stamp text not null, problem text not null,
    start integer not null, rows integer not null, window_start integer not null, windows integer not null,
    first_frame integer not null, {", ".join(_FACTS)}
);
"""
_ENTRY = ("name", "sha", "stamp", "problem", "start", "rows", "window_start", "windows", "first_frame")
_TEXTS = 4  # the first of them
_ARRAYS = {"rows": COLUMNS, "windows": WINDOW_COLUMNS}


@dataclass(frozen=True)
class IndexedClip:
    """One clip of an index.

    Parameters
    ----------
    name : str
        Its path from the folder, with slashes.
    sha : str
        The hash of its bytes, and of the files that it names.
    stamp : str
        Size and time of change of these files when they were read.
    problem : str
        Why it could not be read or not be compared; "" where all is well.
    rows, windows : (int, int)
        Its part of the arrays: first, and one after the last.
    first_frame : int
        The frame at which its rows begin.
    facts : ClipFacts or None
        What was measured; None where it could not be read.

    Examples
    --------
    >>> MotionIndex.open("clips").clip("walk.bvh").facts.label()  # doctest: +SKIP
    'walk 1.2 m/s'
    """

    name: str
    sha: str
    stamp: str
    problem: str
    rows: tuple[int, int]
    windows: tuple[int, int]
    first_frame: int
    facts: ClipFacts | None

    @property
    def comparable(self) -> bool:
        """Whether it has rows to compare."""
        return self.rows[1] > self.rows[0]


@dataclass(frozen=True)
class Changes:
    """How a folder differs from its index: the names of clips that are new, changed or gone."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.gone)

    def __str__(self) -> str:
        parts = [
            f"{len(names)} {state} ({', '.join(names[:_LISTED])}{', ...' if len(names) > _LISTED else ''})"
            for state, names in (("new", self.new), ("changed", self.changed), ("gone", self.gone))
            if names
        ]
        return ", ".join(parts)


def index_path(folder: str | os.PathLike[str]) -> Path:
    """Where the index of a folder is, unless another file is named."""
    return Path(folder) / FOLDER / "index.sqlite"


def index_folder(index: str | os.PathLike[str]) -> Path:
    """The folder that an index file was made of.

    Raises
    ------
    FileError
        Where the file is missing, damaged or of another version, or does not say.
    """
    path = Path(index)
    if not path.is_file():
        raise FileError(path, "there is no such index.", advice=f"Make one with: {index_command('DIR', path)}")
    with _usable(path, "DIR"):
        table = sqlite3.connect(path)
        try:
            _check(table, path, "DIR")
            folder = table.execute("select value from about where name = 'folder'").fetchone()
        finally:
            table.close()
    if folder is None:
        raise FileError(path, "this index does not say which folder it is of.", advice="Name the folder with --in DIR.")
    return Path(folder[0])


def index_command(folder: str | os.PathLike[str], path: Path, *options: str) -> str:
    """The command that brings an index up to date."""
    elsewhere = () if path == index_path(folder) else ("--index", str(path))
    return shlex.join(["kinetune", "index", str(folder), *elsewhere, *options])


@dataclass(frozen=True, eq=False, repr=False)
class MotionIndex:
    """An index opened for searching.

    Parameters
    ----------
    folder : Path
        The folder of motion.
    path : Path
        The index file.
    clips : tuple of IndexedClip
        Those that can be read, by name.
    unreadable : tuple of IndexedClip
        The others, each with its problem.
    rows : array, shape (n, COLUMNS)
        The rows of all clips (:mod:`kinetune.library.body_rows`), mapped from the disk.
    windows : array, shape (m, WINDOW_COLUMNS)
        Their windows.

    Examples
    --------
    >>> index = MotionIndex.open("clips")  # doctest: +SKIP
    >>> [clip.name for clip in index.clips if clip.facts.run > 0.5]  # doctest: +SKIP
    ['run.bvh']
    """

    folder: Path
    path: Path
    clips: tuple[IndexedClip, ...]
    unreadable: tuple[IndexedClip, ...]
    rows: Floats
    windows: Floats
    _by_name: dict[str, IndexedClip] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> MotionIndex:
        """The index of a folder, or of the file that is named.

        Raises
        ------
        FileError
            Where there is none, it is damaged, or another version of Kinetune wrote it.
        """
        path = index_path(folder) if index is None else Path(index)
        if not path.is_file():
            if not Path(folder).is_dir():
                raise FileError(folder, "there is no such folder.")
            raise FileError(folder, "this folder has no index.", advice=f"Make one with: {index_command(folder, path)}")
        with _usable(path, folder):
            table = sqlite3.connect(path)
            try:
                generation = _check(table, path, folder)
                entries = _entries(table)
            finally:
                table.close()
            arrays = {name: _mapped(path, generation, name) for name in _ARRAYS}
            for name, array in arrays.items():
                last = max((getattr(clip, name)[1] for clip in entries), default=0)
                if len(array) < last:
                    raise sqlite3.DatabaseError(f"{name} are missing")
        readable = tuple(clip for clip in entries if clip.facts is not None)
        others = tuple(clip for clip in entries if clip.facts is None)
        named = {clip.name: clip for clip in readable}
        return cls(Path(folder), path, readable, others, arrays["rows"], arrays["windows"], named)

    def __repr__(self) -> str:
        return f"MotionIndex({str(self.folder)!r}, {len(self.clips)} clips)"

    def __len__(self) -> int:
        return len(self.clips)

    @cached_property
    def comparable(self) -> list[IndexedClip]:
        """The clips that can be compared, in the order of their rows."""
        return sorted((clip for clip in self.clips if clip.comparable), key=lambda clip: clip.windows)

    @cached_property
    def row_counts(self) -> np.ndarray:
        """How many rows each of the comparable clips has, (clips,)."""
        return np.array([clip.rows[1] - clip.rows[0] for clip in self.comparable])

    @cached_property
    def window_spans(self) -> np.ndarray:
        """Where the windows of each of the comparable clips start and stop, (clips, 2)."""
        return np.array([clip.windows for clip in self.comparable])

    @cached_property
    def window_squares(self) -> Floats:
        """The squared length of every window, (m,)."""
        with np.errstate(all="ignore"), _usable(self.path, self.folder):
            squares = np.asarray(np.einsum("ik,ik->i", self.windows, self.windows))
            if not (squares < _FARTHEST**2).all():
                raise sqlite3.DatabaseError("its windows are none")
            return squares

    def clip(self, name: str) -> IndexedClip:
        """A clip by its path from the folder."""
        if name not in self._by_name:
            raise UnknownNameError("clip", name, self._by_name, advice=f"List them with: kinetune find {self.folder}")
        return self._by_name[name]

    def find(self, name: str) -> IndexedClip | None:
        """A clip by its path from the folder; None where the index has none of that name."""
        return self._by_name.get(name)

    def rows_of(self, clip: IndexedClip) -> Floats:
        """The rows of one clip."""
        rows = self.rows[slice(*clip.rows)]
        with _usable(self.path, self.folder):
            if not (np.abs(rows) < _FARTHEST).all():
                raise sqlite3.DatabaseError(f"the rows of {excerpt(clip.name)} are none")
        return rows

    def seconds(self, clip: IndexedClip, row: float) -> float:
        """The time of a row in the clip's file."""
        assert clip.facts is not None
        return min(clip.first_frame / clip.facts.fps + row / ROWS_PER_S, clip.facts.duration_s)

    def changes(self) -> Changes:
        """How the folder differs from this index now; only names, sizes and times are looked at."""
        from kinetune.library.indexing import list_folder, own_stamp

        known = {clip.name: clip for clip in (*self.clips, *self.unreadable)}
        present = list_folder(self.folder)
        changed = [
            name
            for name, path in present.items()
            if name in known and known[name].stamp.partition(";")[0] != own_stamp(path)
        ]
        return Changes(
            tuple(name for name in present if name not in known),
            tuple(changed),
            tuple(name for name in known if name not in present),
        )


class IndexWriter:
    """An index opened for changes; a context manager that holds it for one run.

    Parameters
    ----------
    folder : the folder of motion, for messages.
    path : the index file; its folder is made where it is missing.
    fresh : discard any existing index.
    """

    def __init__(self, folder: Path, path: Path, *, fresh: bool = False) -> None:
        self._folder, self._path = folder, path
        self._committed = time.monotonic()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                path.parent,
                f"it cannot be written to ({(error.strerror or str(error)).lower()}).",
                advice="Keep the index elsewhere with --index FILE.",
            ) from None
        self._lock = hold(path.with_name(f"{path.name}.lock"), folder, "Wait until it has finished.")
        try:
            if fresh:
                _delete(path)
            with _usable(path, folder):
                self._table = sqlite3.connect(path)
                _lay_out(self._table)
                self._generation = _check(self._table, path, folder)
                _entries(self._table)
                self._table.execute("insert or replace into about values ('folder', ?)", (str(folder),))
                self._ends = {"rows": self._end("start + rows"), "windows": self._end("window_start + windows")}
        except BaseException:
            self._lock.close()
            raise
        self._files = {name: self._open(name, self._generation) for name in _ARRAYS}

    def _open(self, name: str, generation: int) -> Any:
        path = _array_path(self._path, generation, name)
        return open(path, "r+b" if path.exists() else "w+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.commit()
            if kind is None:
                self._compact()
        finally:
            for file in self._files.values():
                file.close()
            self._table.close()
            self._lock.close()

    def entries(self) -> dict[str, tuple[str, str]]:
        """The hash and the stamp of every clip that the index has."""
        return {name: (sha, stamp) for name, sha, stamp in self._table.execute("select name, sha, stamp from clips")}

    def problems(self) -> list[tuple[str, str, bool]]:
        """The clips with a problem: name, problem, and whether they could be read all the same."""
        statement = "select name, problem, frames is not null from clips where problem != '' order by name"
        return [(name, problem, bool(was_read)) for name, problem, was_read in self._table.execute(statement)]

    def put(
        self, name: str, sha: str, stamp: str, problem: str, measured: tuple[ClipFacts, Floats, int] | None
    ) -> None:
        """Store what is known of a clip, in place of what was known."""
        self.remove([name])
        facts, rows, first = (None, np.zeros((0, COLUMNS), np.float32), 0) if measured is None else measured
        windows = window_means(with_velocity(rows)) if len(rows) else np.zeros((0, WINDOW_COLUMNS))
        parts = {"rows": rows, "windows": windows}
        starts = {array: self._append(array, part) for array, part in parts.items()}
        entry = (name, sha, stamp, problem, starts["rows"], len(rows), starts["windows"], len(parts["windows"]), first)
        values = (*entry, *(astuple(facts) if facts is not None else (None,) * len(_FACTS)))
        self._table.execute(f"insert into clips values ({', '.join('?' * len(values))})", values)
        if time.monotonic() - self._committed > _COMMIT_S:
            self.commit()

    def touch(self, name: str, stamp: str) -> None:
        """Note that a file was written again with the same content."""
        self._table.execute("update clips set stamp = ? where name = ?", (stamp, name))

    def remove(self, names: Sequence[str]) -> None:
        """Forget clips."""
        self._table.executemany("delete from clips where name = ?", [(name,) for name in names])

    def _append(self, array: str, part: Floats) -> int:
        start = self._ends[array]
        file = self._files[array]
        file.seek(start * _ARRAYS[array] * 4)
        file.write(np.ascontiguousarray(part, dtype="<f4").tobytes())
        self._ends[array] += len(part)
        return start

    def _end(self, columns: str) -> int:
        (end,) = self._table.execute(f"select coalesce(max({columns}), 0) from clips").fetchone()
        return int(end)

    def commit(self) -> None:
        """Put everything so far on the disk, arrays first."""
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
        self._table.commit()
        self._committed = time.monotonic()

    def _compact(self) -> None:
        """Drop rows that no clip has any more, when they are many."""
        (used,) = self._table.execute("select coalesce(sum(rows), 0) from clips").fetchone()
        if self._ends["rows"] - used <= _MOST_DEAD * self._ends["rows"]:
            return
        generation = self._generation + 1
        for array, (start, count) in {"rows": ("start", "rows"), "windows": ("window_start", "windows")}.items():
            old, at = self._files[array], 0
            size = _ARRAYS[array] * 4
            with open(_array_path(self._path, generation, array), "wb") as new:
                entries = self._table.execute(f"select name, {start}, {count} from clips order by {start}").fetchall()
                for name, begin, rows in entries:
                    old.seek(begin * size)
                    new.write(old.read(rows * size))
                    self._table.execute(f"update clips set {start} = ? where name = ?", (at, name))
                    at += rows
                new.flush()
                os.fsync(new.fileno())
        self._table.execute("update about set value = ? where name = 'generation'", (str(generation),))
        self._table.commit()
        for array, file in self._files.items():
            file.close()
            _array_path(self._path, self._generation, array).unlink(missing_ok=True)
        self._generation = generation
        self._files = {}


class _usable:
    """Tell in one message that SQLite cannot use an index."""

    def __init__(self, path: Path, folder: str | os.PathLike[str]) -> None:
        self._path, self._folder = path, folder

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error | ValueError):
            raise FileError(
                self._path,
                f"this index is damaged or cannot be used ({excerpt(printable(str(error)))}).",
                advice=f"Make it anew with: {index_command(self._folder, self._path, '--fresh')}",
            ) from None


def _delete(path: Path) -> None:
    """Delete an index, and nothing that is none."""
    if path.is_file() and path.parent.name != FOLDER:
        with open(path, "rb") as opened:
            start = opened.read(len(_HEADER))
        if start not in (b"", _HEADER):
            raise FileError(path, "this file is not an index.", advice="Name another file with --index.")
    ours = re.compile(re.escape(path.name) + r"(-journal|\.(rows|windows)-\d+\.f32)?")
    for file in path.parent.iterdir():
        if ours.fullmatch(file.name):
            file.unlink()


def _lay_out(table: sqlite3.Connection) -> None:
    """The tables of a new index; one that has some stays as it is."""
    if not table.execute("select count(*) from sqlite_master").fetchone()[0]:
        table.executescript(_TABLES)
        table.executemany("insert into about values (?, ?)", [("version", str(INDEX_VERSION)), ("generation", "0")])
        table.commit()


def _check(table: sqlite3.Connection, path: Path, folder: str | os.PathLike[str]) -> int:
    """The generation of the arrays of an index that is whole and of this version."""
    (verdict,) = table.execute("pragma quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(str(verdict).splitlines()[-1])
    about = dict(table.execute("select name, value from about where typeof(name) = 'text' limit 100"))
    if about.get("version") != str(INDEX_VERSION):
        raise FileError(
            path,
            f"another version of Kinetune made this index (form {about.get('version')}, this one reads "
            f"{INDEX_VERSION}).",
            advice=f"Make it anew with: {index_command(folder, path, '--fresh')}",
        )
    check_layout(table, _TABLES)
    generation = str(about.get("generation"))
    if not (generation.isdecimal() and len(generation) <= _MOST_DIGITS):
        raise sqlite3.DatabaseError("it does not name its arrays")
    return int(generation)


def _entries(table: sqlite3.Connection) -> list[IndexedClip]:
    """All clips by name, each with rows and windows of its own."""
    statement = f"select {', '.join(_ENTRY)}, {', '.join(_FACTS)} from clips order by name"
    entries = [_entry(row) for row in table.execute(statement)]
    for array in _ARRAYS:
        spans = sorted(getattr(clip, array) for clip in entries if clip.comparable)
        if any(start == stop for start, stop in spans) or any(one[1] > two[0] for one, two in pairwise(spans)):
            raise sqlite3.DatabaseError(f"clips share {array}")
    return entries


def _entry(row: Sequence[Any]) -> IndexedClip:
    """One clip, if it says what an index says: its folder may be a stranger's."""
    texts, numbers, values = row[:_TEXTS], row[_TEXTS : len(_ENTRY)], row[len(_ENTRY) :]
    facts = None if values[0] is None else ClipFacts(*values)
    right = all(isinstance(text, str) for text in texts) and _lies_inside(texts[0])
    right = right and all(isinstance(number, int) and 0 <= number < _MOST_ROWS for number in numbers)
    if not right or (facts is not None and not _fits(values)):
        raise sqlite3.DatabaseError("an entry is not one of a clip")
    name, sha, stamp, problem, start, rows, window_start, windows, first = (*texts, *numbers)
    spans = (start, start + rows), (window_start, window_start + windows)
    return IndexedClip(name, sha, stamp, problem, *spans, first, facts)


def _lies_inside(name: str) -> bool:
    """Whether a path leads into the folder that it starts from, whatever system wrote it."""
    return name not in ("", ".") and not {"..", "", "."} & set(name.split("/")) and not PureWindowsPath(name).drive


def _fits(values: Sequence[Any]) -> bool:
    """Whether facts are of the kinds that :class:`ClipFacts` has."""
    kinds = {"int": int, "float": int | float, "str": str, "float | None": int | float | None}
    return all(
        isinstance(value, kinds[str(each.type)]) and not (isinstance(value, int | float) and abs(value) > _LARGEST)
        for value, each in zip(values, fields(ClipFacts), strict=True)
    ) and is_frame_rate(values[_FACTS.index("fps")])


def _array_path(path: Path, generation: int, name: str) -> Path:
    return path.with_name(f"{path.name}.{name}-{generation}.f32")


def _mapped(path: Path, generation: int, name: str) -> Floats:
    """An array of an index, read-only."""
    file, columns = _array_path(path, generation, name), _ARRAYS[name]
    count = file.stat().st_size // (4 * columns) if file.is_file() else 0
    if not count:
        return np.zeros((0, columns), np.float32)
    return np.asarray(np.memmap(file, dtype="<f4", mode="r", shape=(count, columns)))
