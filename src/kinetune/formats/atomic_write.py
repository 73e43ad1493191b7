"""Files put on the disk whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Mapping
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


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write several files, each under a temporary name in its own folder that is renamed when all are complete.

    A file that exists is replaced at once and keeps its permissions; what a link points to is replaced, not the link.
    If anything fails, no existing file is changed and nothing is left behind. Folders are not made: a missing folder is
    usually a typing error.
    """
    started: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            started.append((path, _write_beside(path, data)))
        for path, temporary in started:
            with _file_errors(path):
                os.replace(temporary, _target(path))
    finally:
        for _, temporary in started:
            with contextlib.suppress(FileNotFoundError):  # it has been renamed
                os.unlink(temporary)


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


def _write_beside(path: Path, data: bytes) -> Path:
    """Write a file under a temporary name next to its own; returns that name."""
    target = check_folder(path)
    with _file_errors(path):
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
        temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        try:
            with os.fdopen(handle, "wb", buffering=0) as file:
                left = memoryview(data)
                while len(left):
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            if target.exists():
                os.chmod(temporary, mode)
        except BaseException:
            os.unlink(temporary)
            raise
    return temporary


@contextlib.contextmanager
def _file_errors(path: Path):  # type: ignore[no-untyped-def]
    """Raise what the operating system reports as a FileError."""
    try:
        yield
    except OSError as failure:
        problem, advice = _REASONS.get(failure.errno or 0, (f"it cannot be written ({failure.strerror}).", None))
        raise FileError(path, problem, advice=advice) from failure
