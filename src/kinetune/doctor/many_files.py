"""Examine many files in parallel, in processes of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

from kinetune.doctor.examine import Examination, examine_file

_FEW = 4  # files that are not worth starting processes for


def examine_files(
    files: Sequence[str],
    checks: Mapping[str, float] | None = None,
    *,
    physics: bool = True,
    jobs: int | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Iterator[Examination]:
    """The findings of each file, in order, by as many processes as there are cores (or ``jobs``)."""
    task = partial(examine_file, checks=dict(checks or {}), physics=physics, reading=dict(reading or {}))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(cores if jobs is None else jobs, len(files))
    if workers < 2 or len(files) < _FEW:
        yield from map(task, files)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(task, files, chunksize=max(1, min(8, len(files) // (4 * workers))))
