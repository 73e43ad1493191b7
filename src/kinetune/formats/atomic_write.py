"""Files put on the disk whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kinetune.errors import FileError

_REASONS = {
    errno.ENOSPC: ("the disk is full, so nothing was written.", "Free some space or write elsewhere."),
    errno.EDQUOT: ("your disk quota is used up, so nothing was written.", "Free some space or write elsewhere."),
    errno.EROFS: ("this disk cannot be written to.", "Write elsewhere."),
    errno.EACCES: ("you may not write here.", "Write elsewhere, or change the folder's permissions."),
    errno.EPERM: ("you may not write here.", "Write elsewhere, or change the folder's permissions."),
    errno.ENAMETOOLONG: ("this name is too long for the disk.", "Choose a shorter one."),
}
_PART = re.compile(r"\.(.+)\.[0-9a-f]{12}\.part")
_LONGEST_NAME = 100  # of a file's own name in the temporary one


@contextlib.contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Raise what the operating system reports as a FileError."""
    try:
        yield
    except OSError as failure:
        problem, advice = _REASONS.get(failure.errno or 0, (f"it cannot be written ({failure.strerror}).", None))
        raise FileError(path, problem, advice=advice) from failure


def write_files(files: Mapping[Path, bytes], *, private: bool = False, named: Path | None = None) -> None:
    """Write several files, each under a temporary name in its own folder that is renamed when all are complete.

    A file that exists is replaced at once and keeps its permissions; what a link points to is replaced, not the link.
    If anything fails, no existing file is changed and nothing is left behind: a file that was already renamed gets its
    former content back. Folders are not made: a missing folder is usually a typing error.

    Parameters
    ----------
    files : what each file should hold.
    private : whether only the user may read the files.
    named : the file after which all temporary names are made, so that :func:`remove_leftovers` knows those of a pair;
        each file's own when left out.
    """
    started: list[tuple[Path, Path]] = []
    formers: list[Path] = []
    replaced: list[tuple[Path, Path | None]] = []
    try:
        for path, data in files.items():
            started.append((path, _write_beside(path, data, private, named)))
        for path, temporary in started:
            with _file_errors(path):
                target, former = _target(path), None
                new = not target.exists()
                if len(started) > 1 and not new:
                    former = _second_name(target, named)
                    formers += [] if former is None else [former]
                os.replace(temporary, target)
                if new or former is not None:
                    replaced.append((target, former))
    except BaseException:
        for target, former in replaced:
            if former is None:
                target.unlink(missing_ok=True)
            else:
                os.replace(former, target)
        raise
    finally:
        for temporary in [*(each for _, each in started), *formers]:
            with contextlib.suppress(FileNotFoundError):  # it has been renamed
                os.unlink(temporary)
    for folder in {_target(path).parent for path, _ in started}:
        _sync_folder(folder)


def remove_leftovers(paths: Iterable[Path]) -> None:
    """Remove what a killed :func:`write_files` left under temporary names, for these files and for no others."""
    names: dict[Path, set[str]] = {}
    for path in paths:
        names.setdefault(path.parent, set()).add(path.name[:_LONGEST_NAME])
    for folder, ours in names.items():
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                part = _PART.fullmatch(entry.name)
                if part is not None and part[1] in ours:
                    os.unlink(entry.path)


def check_folder(path: Path) -> Path:
    """Where a file will be written, links followed; raises if that is a folder or its folder does not exist."""
    target = _target(path)
    if target.is_dir():
        raise FileError(path, "this is a folder.", advice="Name a file in it.")
    if not target.parent.is_dir():
        raise FileError(path, f'there is no folder "{target.parent}".', advice="Make it first, or write elsewhere.")
    return target


def _target(path: Path) -> Path:
    return path.resolve() if path.is_symlink() else path


def _write_beside(path: Path, data: bytes, private: bool, named: Path | None) -> Path:
    """Write a file under a temporary name in the folder of its own; returns that name."""
    target = check_folder(path)
    with _file_errors(path):
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
        temporary = _temporary_name(target, named)
        handle = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if private else mode
        )
        try:
            with os.fdopen(handle, "wb", buffering=0) as file:
                left = memoryview(data)
                while len(left):
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            if target.exists() and not private:
                os.chmod(temporary, mode)
        except BaseException:
            os.unlink(temporary)
            raise
    return temporary


def _temporary_name(target: Path, named: Path | None = None) -> Path:
    return target.with_name(f".{(named or target).name[:_LONGEST_NAME]}.{secrets.token_hex(6)}.part")


def _second_name(target: Path, named: Path | None) -> Path | None:
    """A second name for the file that is there now; None where the disk knows no second names."""
    second = _temporary_name(target, named)
    try:
        os.link(target, second)
    except OSError:
        return None
    return second


def _sync_folder(folder: Path) -> None:
    """Put a renaming on the disk, so that it outlives a power cut; where folders cannot be synced, nothing is lost."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
