"""Where clips come from when they are named by a word: a file, or a sample that ships with Kinetune."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from kinetune.body.clip import Clip

SAMPLE = "sample:"
"""A name that begins with this is a sample: ``sample:walk``."""

SOURCE = "source"
"""The input that every recipe has: the clip that it is run on, as it was before the first step."""


def open_clip(source: Clip | str | os.PathLike[str], **reading: Any) -> Clip:
    """A clip as it is, a sample by its name (``sample:walk``), or a file.

    Parameters
    ----------
    reading : options of :func:`kinetune.formats.read` (``unit``, ``up``, ``fps``, ``partial`` ...), for a file.
    """
    if isinstance(source, Clip):
        return source
    if is_sample(source):
        from kinetune.samples import sample

        return sample(str(source).removeprefix(SAMPLE))
    from kinetune.formats import read

    return read(Path(source), **reading)


def is_sample(source: str | os.PathLike[str]) -> bool:
    """Whether a name stands for a sample and not for a file."""
    return str(source).startswith(SAMPLE)


def absolute(source: str, folder: Path) -> str:
    """A source that no longer depends on a folder."""
    return source if is_sample(source) else os.path.normpath(folder.absolute() / source)


def relative(source: str, folder: Path) -> str:
    """The same source as seen from a folder, with forward slashes; absolute where there is no way (another drive)."""
    if is_sample(source):
        return source
    try:
        return Path(os.path.relpath(source, folder.absolute())).as_posix()
    except ValueError:
        return source


def is_pattern(text: str) -> bool:
    """Whether a name stands for many files: it has wildcards, or is a folder."""
    return not os.path.isfile(text) and (glob.has_magic(text) or os.path.isdir(text))
