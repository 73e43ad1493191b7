"""Build the index of a folder, or bring it up to date: read what is new or changed, on all cores or on a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.batch.engine import run_work
from kinetune.batch.jobs import BatchJob, find_sources
from kinetune.batch.library import CLIP_TIMEOUT_S, since
from kinetune.batch.work import hash_files, within
from kinetune.errors import FileError, KinetuneError, ParameterError
from kinetune.formats import companions, read
from kinetune.library.body_rows import COLUMNS, NotComparable, body_rows
from kinetune.library.clip_facts import ClipFacts, clip_facts
from kinetune.library.index_file import IndexWriter, index_path
from kinetune.progress import report
from kinetune.rotations import Floats

_BODIES = (".asf",)  # a skeleton without motion, which the clips beside it name
_FEW = 8
"""So many clips are read in this process: starting others takes longer."""


@dataclass(frozen=True)
class IndexReport:
    """What became of an index.

    Parameters
    ----------
    path : Path
        The index file.
    clips : int
        How many clips it has now, those that cannot be read included.
    read, kept, removed : int
        Clips that were read now, that had not changed, and that are no longer in the folder.
    failed : tuple of (str, str)
        Clips that cannot be read, each with the reason.
    not_comparable : tuple of (str, str)
        Clips that can be found by text but not be compared, each with the reason.
    unreadable : tuple of (str, str)
        Folders that could not be searched, each with the reason.
    wall_s : float
        Seconds from beginning to end.

    Examples
    --------
    >>> build_index("clips").read  # doctest: +SKIP
    2000
    """

    path: Path
    clips: int
    read: int
    kept: int
    removed: int
    failed: tuple[tuple[str, str], ...]
    not_comparable: tuple[tuple[str, str], ...]
    unreadable: tuple[tuple[str, str], ...]
    wall_s: float


@dataclass(frozen=True)
class ReadClip:
    """What reading a clip gave: facts and rows, and the problem where one or both are missing."""

    sha: str
    stamp: str
    problem: str = ""
    facts: ClipFacts | None = None
    rows: Floats | None = None
    first_frame: int = 0


def build_index(
    folder: str | os.PathLike[str],
    *,
    index: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    scheduler: str | None = None,
    clip_timeout_s: float | None = CLIP_TIMEOUT_S,
    **reading: Any,
) -> IndexReport:
    """Index a folder of motion, or bring its index up to date; what has not changed is not read again.

    Parameters
    ----------
    folder : str or path
        Every motion file in it and below is indexed.
    index : str or path, optional
        The index file; ``.kinetune/index.sqlite`` inside the folder if omitted.
    fresh : bool
        Forget what is there and read everything.
    jobs : int, optional
        Processes on this machine; None is one for each core, 1 is this process alone.
    scheduler : str, optional
        The address of a Dask scheduler to use instead.
    clip_timeout_s : float, optional
        How long one clip may take before it counts as failed; None is as long as it likes.
    reading
        Options of :func:`kinetune.read`.

    Returns
    -------
    IndexReport
        What became of it. One bad file never stops the rest.

    Notes
    -----
    A clip is read again when its bytes, or those of the files that it names, have changed; files with the same size
    and time of change are taken to be the same. A run that was killed goes on where it was.
    Laws (``tests/library/test_indexing.py``): an index that was brought up to date, or finished after a kill, is the
    same as one made anew.

    Examples
    --------
    >>> report = build_index("clips", jobs=1)  # doctest: +SKIP
    >>> report.read, report.kept  # doctest: +SKIP
    (12, 0)
    """
    begun = time.perf_counter()
    root = Path(os.path.abspath(folder))
    if not root.is_dir():
        raise FileError(folder, "this is not a folder.", advice="Name the folder that holds the clips.")
    if jobs is not None and jobs < 1:
        raise ParameterError(f"The number of jobs is {jobs}; at least 1 is needed.")
    unreadable: list[tuple[str, str]] = []
    present = list_folder(root, unreadable)
    if not present:
        raise FileError(folder, "there are no motion files in this folder or below it.")
    path = index_path(root) if index is None else Path(os.path.abspath(index))
    options = tuple(sorted((name, str(value) if isinstance(value, Path) else value) for name, value in reading.items()))
    with IndexWriter(root, path, fresh=fresh) as writer:
        known = writer.entries()
        gone = [name for name in known if name not in present]
        writer.remove(gone)
        due = [
            (BatchJob(str(file), None, name), known.get(name, ("", ""))[0], options, clip_timeout_s)
            for name, file in present.items()
            if name not in known or known[name][1] != full_stamp(file, dict(options))
        ]
        count = 0
        with closing(_results(due, jobs, scheduler)) as results:
            for done, (job, result) in enumerate(results, 1):
                clip = ReadClip("", own_stamp(Path(job.source)), result) if isinstance(result, str) else result
                if clip.sha and clip.sha == known.get(job.name, ("", ""))[0]:
                    writer.touch(job.name, clip.stamp)
                else:
                    count += 1
                    stored = None if clip.facts is None or clip.rows is None else (clip.facts, clip.rows)
                    writer.put(job.name, clip.sha, clip.stamp, clip.problem, stored and (*stored, clip.first_frame))
                speed = done / max(since(begun), 1e-9)
                report(done / len(due), f"{done} of {len(due)}, {speed:.1f} a second: {job.name}")
        problems = writer.problems()
    failed = tuple((name, problem) for name, problem, was_read in problems if not was_read)
    others = tuple((name, problem) for name, problem, was_read in problems if was_read)
    unchanged = len(present) - count
    return IndexReport(path, len(present), count, unchanged, len(gone), failed, others, tuple(unreadable), since(begun))


def _results(
    due: list[tuple[Any, ...]], jobs: int | None, scheduler: str | None
) -> Generator[tuple[BatchJob, ReadClip | str], None, None]:
    if scheduler is None and (jobs == 1 or len(due) <= _FEW):
        for job, *rest in due:
            yield job, read_clip(job, *rest)
        return
    with closing(run_work(read_clip, due, workers=jobs, scheduler=scheduler, ready=_load)) as results:
        yield from results


def _load() -> None:
    """Load what every clip needs."""
    import kinetune.formats.bvh  # noqa: F401


def read_clip(job: BatchJob, known_sha: str, options: tuple[tuple[str, Any], ...], timeout_s: float | None) -> ReadClip:
    """Read and measure one clip; any problem is part of the result. A worker runs this."""
    return within(timeout_s, job.name, lambda: _read(Path(job.source), known_sha, dict(options)))


def _read(path: Path, known_sha: str, options: dict[str, Any]) -> ReadClip:
    stamp, sha = own_stamp(path), ""
    try:
        stamp = full_stamp(path, options)
        sha = hash_files([path, *companions(path, skeleton=options.get("skeleton"))]).hex()
        if sha == known_sha:
            return ReadClip(sha, stamp)
        clip = read(path, **options)
        facts = clip_facts(clip)
        try:
            rows, first = body_rows(clip)
        except NotComparable as error:
            return ReadClip(sha, stamp, str(error), facts, np.zeros((0, COLUMNS), np.float32))
        return ReadClip(sha, stamp, "", facts, rows, first)
    except KinetuneError as error:
        return ReadClip(sha, stamp, str(error))
    except OSError as error:
        return ReadClip(sha, stamp, f"{path}: {(error.strerror or str(error)).lower()}.")
    except MemoryError:
        return ReadClip(sha, stamp, f"{path}: there is not enough memory for this clip.")
    except Exception as error:  # a fault of ours in one clip must not cost the other thousand
        return ReadClip(
            sha, stamp, f"{path}: an error that should not happen ({type(error).__name__}: {error}). Please report it."
        )


def list_folder(folder: Path, unreadable: list[tuple[str, str]] | None = None) -> dict[str, Path]:
    """Every motion file of a folder by its path from there; nothing where there is none."""
    try:
        sources = find_sources([str(folder)])
    except FileError:
        return {}
    if unreadable is not None:
        unreadable += sources.unreadable
    motions = (each for each in sources.files if each[0].suffix.lower() not in _BODIES)
    return {file.relative_to(base).as_posix(): file for file, base in motions}


def own_stamp(path: Path) -> str:
    """The size of a file and when it was changed; "" where it has gone."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def full_stamp(path: Path, options: dict[str, Any]) -> str:
    """The stamps of a file and of those that it names."""
    try:
        others: Iterable[Path] = companions(path, skeleton=options.get("skeleton"))
    except (KinetuneError, OSError):
        others = ()
    return ";".join([own_stamp(path), *(own_stamp(Path(other)) for other in others)])
