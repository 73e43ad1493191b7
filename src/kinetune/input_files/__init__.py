"""How every input file is opened.

==============  ====================================================================================
open_input      a regular file of bounded size, as bytes; nothing else is opened, and nothing blocks
read_input      all bytes of such a file
reading         the border of a reader: any error inside becomes one ``FileError``
most_unpacked   how many bytes a compressed file of some size may unpack to
contained_path  a path that a stranger wrote, if it stays in the folders that it may lead to
confined_to     the only folders that files are opened in, inside a ``with``
plain_yaml      YAML as people write it, and nothing that runs code or grows without end
==============  ====================================================================================

A reader is one function that a stranger's bytes go into. It opens its file with :func:`open_input` or
:func:`read_input`, never with ``open``, ``Path.read_bytes`` or a library that takes a path, and checks every count and
size that the file declares against the bytes that stand behind it before it takes memory for them::

    def read(path: Path, options: ReadOptions) -> Clip:
        with open_input(path) as file:
            size = os.fstat(file.fileno()).st_size
            ...

``kinetune.formats.read`` puts :func:`reading` round all motion formats, so that a reader below ``formats`` does not
need it; drawings, recipes, curves and footsteps have their own.
"""

from __future__ import annotations

import csv
import errno
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import FileIO
from pathlib import Path

import numpy as np

from kinetune.errors import FileError, KinetuneError, MalformedFileError, did_you_mean, nearest
from kinetune.progress import Cancelled

LARGEST_INPUT = 4 << 30
"""Bytes of the largest file that is read."""

_UNPACKED = 128 << 20
_UNPACKED_PER_BYTE = 16
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
_log = logging.getLogger(__name__)
_folders: ContextVar[tuple[str, ...] | None] = ContextVar("folders", default=None)


def open_input(path: str | os.PathLike[str], *, largest: int = LARGEST_INPUT, what: str = "a file") -> FileIO:
    """Open a regular file to read its bytes, without a buffer.

    A folder, a pipe, a socket or a device is refused, even one that takes the place of the file at the last moment;
    none of them can block.

    Parameters
    ----------
    path : str or path
        The file. Links are followed.
    largest : int
        The most bytes that it may have.
    what : str
        What it should be, for the message when it has more: "a recipe".

    Raises
    ------
    FileError
        When there is no such file, it is no regular file, it is too large, or it may not be read.
    """
    handle = -1
    try:
        folders = _folders.get()
        if folders is not None and contained_path(os.path.abspath(path), *folders) is None:
            raise FileError(path, "it lies outside the folders that may be read here.", advice="Put it into one.")
        _check_kind(path, os.stat(path))
        handle = os.open(path, os.O_RDONLY | _FLAGS)
        status = os.fstat(handle)
        _check_kind(path, status)
        if status.st_size > largest:
            size, most = _in_units(status.st_size), _in_units(largest)
            raise FileError(path, f"it has {size}; {what} of up to {most} is read.", advice="Split it into parts.")
        return os.fdopen(handle, "rb", buffering=0)
    except BaseException as failure:
        if handle >= 0:
            os.close(handle)
        if isinstance(failure, FileNotFoundError | NotADirectoryError):
            raise FileError(path, "there is no such file.", advice=_advice(Path(path))) from None
        if isinstance(failure, OSError):
            raise FileError(path, _denied(failure)) from failure
        if isinstance(failure, ValueError) and not isinstance(failure, KinetuneError):  # NUL, or half a character
            raise FileError(path, "no file can have this name.", advice="Check the name.") from None
        raise


def read_input(path: str | os.PathLike[str], *, largest: int = LARGEST_INPUT, what: str = "a file") -> bytes:
    """The bytes of a regular file; see :func:`open_input`."""
    with open_input(path, largest=largest, what=what) as file:
        data = file.read(os.fstat(file.fileno()).st_size)
        while more := file.read(1 << 20):  # it has grown meanwhile
            data += more
            if len(data) > largest:
                raise FileError(path, "it grows while it is read.", advice="Wait until it is complete.")
        return data


def contained_path(path: str | os.PathLike[str], *folders: str | os.PathLike[str]) -> Path | None:
    """The path with links followed, if it lies in one of the folders; otherwise None.

    A relative path starts from the first folder. Whatever a stranger may write is understood: absolute paths, "..",
    links that lead elsewhere, drive letters, and names that no disk takes.
    """
    try:
        whole = Path(os.path.realpath(os.path.join(folders[0], path)))
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):  # reported when it is opened
            os.stat(whole)
        return whole if any(whole.is_relative_to(os.path.realpath(folder)) for folder in folders) else None
    except (OSError, ValueError):  # NUL in a name, or one that is too long
        return None


@contextmanager
def confined_to(*folders: str | os.PathLike[str]) -> Iterator[None]:
    """Inside, :func:`open_input` opens nothing outside these folders, whoever names it; threads have their own."""
    token = _folders.set(tuple(str(folder) for folder in folders))
    try:
        yield
    finally:
        _folders.reset(token)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """The border of a reader: inside, any exception that is not ours becomes a ``FileError`` with the file's name.

    What a reader did not foresee is logged with its traceback, because it is a defect of the reader, even if the file
    is damaged; ``tests/fuzz`` counts it as one.
    """
    try:
        with np.errstate(all="ignore"):  # numbers out of range are reported where they are checked
            yield
    except (KinetuneError, Cancelled):
        raise
    except OSError as failure:
        raise FileError(path, _denied(failure)) from failure
    except MemoryError as failure:
        raise FileError(path, "reading it takes more memory than there is.") from failure
    except Exception as failure:
        _log.warning("unforeseen while reading %r", os.fspath(path), exc_info=True)
        raise MalformedFileError(
            path,
            f"its content cannot be understood ({type(failure).__name__}).",
            advice="If another program opens it, please report it.",
        ) from failure


def table_rows(path: str | os.PathLike[str], *, largest: int, what: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a comma-separated table, each with its line; empty rows and comments (#) are left out."""
    try:
        text = read_input(path, largest=largest, what=what).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MalformedFileError(path, "it is not text in UTF-8.") from None
    rows = csv.reader(text.splitlines())
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if any(cells) and not cells[0].startswith("#"):
                yield rows.line_num, cells
    except csv.Error:
        raise MalformedFileError(path, "a cell is too long for a table.", line=rows.line_num) from None


def most_unpacked(size: int) -> int:
    """How many bytes a compressed file of ``size`` bytes may unpack to.

    Motion packs two to five times; only a still pose packs a thousand times, and 128 MB of it are a long rest.
    """
    return _UNPACKED + _UNPACKED_PER_BYTE * size


def _check_kind(path: str | os.PathLike[str], status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise FileError(path, "this is a folder.", advice="Name one of the files in it.")
    if not stat.S_ISREG(status.st_mode):
        raise FileError(path, "this is not a plain file.", advice="Copy its content to a file first.")


def _denied(failure: OSError) -> str:
    if failure.errno == errno.ENAMETOOLONG:
        return "its name is too long for a file."
    return f"it cannot be read ({failure.strerror or failure})."


def _in_units(size: int) -> str:
    for unit, text in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {text}"
    return f"{size} bytes"


def _advice(path: Path) -> str:
    """The names in the same folder that are much like this one."""
    try:
        with os.scandir(path.parent) as entries:
            near = nearest(path.name, [entry.name for entry in entries if entry.is_file()])
        near = [name for name in near if nearest(path.stem, [Path(name).stem])]  # a common suffix alone says nothing
    except (OSError, ValueError):
        return f"There is no folder {path.parent} either."
    return did_you_mean(near, mark="").lstrip() or "Check the name and the folder."
