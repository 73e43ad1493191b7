"""Paths that come from a file or a message, and whether they stay where they may lead."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def contained_path(path: str | os.PathLike[str], *folders: str | os.PathLike[str]) -> Path | None:
    """The path with links followed, if it lies in one of the folders; otherwise None.

    A relative path starts from the first folder. Whatever a stranger may write is understood: absolute paths, "..",
    links that lead elsewhere, drive letters, and names that no disk takes.
    """
    try:
        whole = Path(os.path.realpath(os.path.join(folders[0], path)))
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):  # told when opened
            os.stat(whole)
        return whole if any(whole.is_relative_to(os.path.realpath(folder)) for folder in folders) else None
    except (OSError, ValueError):  # NUL in a name, or one that is too long
        return None
