"""Which files are edited, and where each result goes."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinetune.errors import FileError, ParameterError
from kinetune.formats import check_target, library_suffixes


@dataclass(frozen=True)
class BatchJob:
    """One clip to do.

    source : the file that is read, absolute.
    target : the file that is written, absolute; None when the clip is only measured.
    name : what the clip is called in reports: its path from the folder that was searched.
    """

    source: str
    target: str | None
    name: str


@dataclass(frozen=True)
class FoundSources:
    """What a search gave.

    files : each file with the folder that it was found from.
    unreadable : folders that could not be searched, each with the reason.
    """

    files: tuple[tuple[Path, Path], ...]
    unreadable: tuple[tuple[str, str], ...] = ()


def find_sources(patterns: Sequence[str], *, outside: Path | None = None) -> FoundSources:
    """The files that patterns stand for, sorted within each, none twice.

    Parameters
    ----------
    patterns : ``clips/**/*.bvh``, a file, or a folder (every motion file in it and below).
    outside : a folder whose files are left out: results of an earlier run are not sources.
    """
    files: dict[Path, Path] = {}
    unreadable: dict[str, str] = {}
    for pattern in patterns:
        base = _base(pattern)
        matches = list(_matches(pattern, base, unreadable))
        if outside is not None:
            matches = [file for file in matches if not file.is_relative_to(outside)]
        if not matches:
            raise FileError(pattern, "no file matches.", advice=_advice(pattern, base, unreadable))
        for file in matches:
            files.setdefault(file, base)
    return FoundSources(tuple(files.items()), tuple(unreadable.items()))


def lay_out(sources: FoundSources, folder: Path | None, suffix: str | None = None) -> list[BatchJob]:
    """A job for each file; results keep the tree that the files had, below ``folder``.

    Parameters
    ----------
    folder : where results go; None when nothing is written.
    suffix : the format of the results, such as ".glb"; None keeps that of each source.
    """
    jobs: list[BatchJob] = []
    taken: dict[Path, Path] = {}
    if suffix is not None:
        suffix = "." + suffix.lstrip(".").lower()
        check_target(Path(f"clip{suffix}"))
    for file, base in sources.files:
        place = file.relative_to(base)
        if folder is None:
            jobs.append(BatchJob(str(file), None, place.as_posix()))
            continue
        target = folder / (place if suffix is None else place.with_suffix(suffix))
        if target in taken:
            raise ParameterError(
                f"{taken[target]} and {file} would both become {target}. "
                "Run them into different folders, or name a narrower pattern."
            )
        if target == file:
            raise FileError(file, "the result would replace the file that is read.", advice="Give another folder.")
        taken[target] = file
        jobs.append(BatchJob(str(file), str(target), place.as_posix()))
    return jobs


def _base(pattern: str) -> Path:
    """The folder from which a pattern searches, absolute."""
    path = Path(os.path.abspath(pattern))
    if path.is_file():
        return path.parent
    parts = path.parts
    magic = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return Path(*parts[:magic])


def _matches(pattern: str, base: Path, unreadable: dict[str, str]) -> Iterator[Path]:
    path = Path(os.path.abspath(pattern))
    if path.is_file():
        yield path
        return
    if not base.is_dir():
        return
    known = set(library_suffixes())
    whole = path.is_dir()
    accepted = None if whole else {Path(name) for name in glob.iglob(str(path), recursive=True, include_hidden=False)}
    # The folders are walked by hand as well: glob passes over those that it may not read without a word.
    for folder, inner, names in os.walk(base, onerror=lambda error: _note(error, unreadable)):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if (accepted is None and file.suffix.lower() in known) or (accepted is not None and file in accepted):
                yield file


def _note(error: OSError, unreadable: dict[str, str]) -> None:
    unreadable[str(error.filename)] = (error.strerror or str(error)).lower()


def _advice(pattern: str, base: Path, unreadable: dict[str, str]) -> str:
    if unreadable:
        place, reason = next(iter(unreadable.items()))
        return f"The folder {place} cannot be read ({reason})."
    if not base.is_dir():
        return f"There is no folder {base}."
    if "**" not in pattern and glob.has_magic(pattern):
        return 'Folders below are searched with two stars: "clips/**/*.bvh".'
    return "Look at the spelling and the suffix."
