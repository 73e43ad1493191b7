"""What a worker does: one clip through a recipe, told as an :class:`BatchOutcome` whatever happens."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from kinetune.batch.jobs import BatchJob
from kinetune.errors import KinetuneError
from kinetune.input_files import open_input

Status = Literal["done", "kept", "failed"]

_COMPANIONS = (".bin", ".asf")
"""Suffixes of files that a format writes beside the one that is named."""


@dataclass(frozen=True)
class Task:
    """What is done to every clip.

    recipe : the recipe as its document, input paths absolute; without steps the clip is converted.
    label : what its errors call it.
    inputs : other clips by name, each a path that the worker can reach, or a sample.
    reading : options of :func:`kinetune.read`.
    measures : whether the quality before and after is measured.
    key : hash of all that decides a result, but the clip itself.
    """

    recipe: str
    label: str | None = None
    inputs: tuple[tuple[str, str], ...] = ()
    reading: tuple[tuple[str, Any], ...] = ()
    measures: bool = True
    key: str = ""


@dataclass(frozen=True)
class Known:
    """What an earlier run says of a result: the key it was made with, the hash of its files, and the outcome."""

    key: str
    sha: str
    outcome: BatchOutcome


@dataclass(frozen=True)
class BatchOutcome:
    """What became of one clip.

    status : "done", "kept" (an earlier result still holds) or "failed".
    error : the sentence, when it failed.
    seconds : by part: read, steps, write, measure, and total.
    findings : what a user should know about the edit (:meth:`kinetune.findings.Finding.as_dict`).
    key, sha : hash of all that decides the result, and of the files written; for resuming.
    """

    name: str
    source: str
    target: str | None
    status: Status
    error: str = ""
    worker: str = ""
    frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    findings: tuple[Mapping[str, Any], ...] = ()
    key: str = ""
    sha: str = ""

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> BatchOutcome:
        return cls(**json.loads(text))


def process(job: BatchJob, task: Task, known: Known | None = None) -> BatchOutcome:
    """Do one job. Whatever goes wrong with the clip is told in the outcome: one bad file never stops the rest."""
    begun = time.perf_counter()
    worker = _worker_name()
    try:
        key = _key(job, task)
        if known is not None and known.key == key and known.sha and _sha_of_target(job) == known.sha:
            kept = asdict(known.outcome) | {"status": "kept", "name": job.name, "source": job.source}
            return BatchOutcome(**kept)
        outcome = _edit(job, task, key, worker)
    except KinetuneError as error:
        return BatchOutcome(job.name, job.source, job.target, "failed", str(error), worker)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sentence = f"{place}{(error.strerror or str(error)).lower()}."
        return BatchOutcome(job.name, job.source, job.target, "failed", sentence, worker)
    except MemoryError:
        sentence = f"{job.source}: there is not enough memory for this clip. Cut it into parts with: kinetune trim"
        return BatchOutcome(job.name, job.source, job.target, "failed", sentence, worker)
    except Exception as error:  # a fault of ours in one clip must not cost the other thousand
        sentence = f"{job.source}: an error that should not happen ({type(error).__name__}: {error}). Please report it."
        return BatchOutcome(job.name, job.source, job.target, "failed", sentence, worker)
    return _with_total(outcome, time.perf_counter() - begun)


def _edit(job: BatchJob, task: Task, key: str, worker: str) -> BatchOutcome:
    from kinetune.runs import run

    if job.target is not None:
        Path(job.target).parent.mkdir(parents=True, exist_ok=True)
    recipe, inputs = opened(task)
    result = run(recipe, job.source, inputs, job.target, **dict(task.reading))
    begun = time.perf_counter()
    before = after = None
    if task.measures:
        before = result.before
        after = result.after if job.target is not None else None
    measure_s = time.perf_counter() - begun
    clip = result.clip
    return BatchOutcome(
        job.name,
        job.source,
        job.target,
        "done",
        worker=worker,
        frames=len(clip),
        fps=clip.fps,
        duration_s=clip.duration,
        seconds={
            "read": result.read_s,
            "steps": sum(result.step_s),
            "write": result.write_s,
            "measure": measure_s,
        },
        before=before,
        after=after,
        findings=tuple(finding.as_dict() for finding in result.findings),
        key=key,
        sha=_sha_of_target(job),
    )


def _with_total(outcome: BatchOutcome, seconds: float) -> BatchOutcome:
    return BatchOutcome(**(asdict(outcome) | {"seconds": {**outcome.seconds, "total": seconds}}))


@functools.lru_cache(maxsize=4)
def opened(task: Task) -> tuple[Any, dict[str, Any]]:
    """The recipe and the other clips it names, read once in each worker."""
    from kinetune.recipes import Recipe

    recipe = Recipe.parse(task.recipe, where=task.label or "recipe", folder="/")
    return recipe, recipe.open_inputs(dict(task.inputs), label=task.label, **dict(task.reading))


def _key(job: BatchJob, task: Task) -> str:
    digest = hashlib.sha256(task.key.encode())
    with open_input(job.source) as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())
    digest.update(Path(job.target or "").suffix.encode())
    return digest.hexdigest()


def _sha_of_target(job: BatchJob) -> str:
    """The hash of the files that a result consists of, or "" where one is not there."""
    if job.target is None:
        return ""
    target = Path(job.target)
    if not target.is_file():
        return ""
    digest = hashlib.sha256()
    beside = [target.with_suffix(suffix) for suffix in _COMPANIONS if suffix != target.suffix]
    for path in [target, *(path for path in beside if path.is_file())]:
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _worker_name() -> str:
    from distributed import get_worker

    try:
        return str(get_worker().name)
    except ValueError:  # called outside a worker
        return f"process {os.getpid()}"
