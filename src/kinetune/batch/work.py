"""What a worker does: one clip through a recipe, always reported as a :class:`BatchOutcome`."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

from kinetune.batch.jobs import BatchJob
from kinetune.errors import KinetuneError
from kinetune.formats import companions
from kinetune.input_files import open_input

Result = TypeVar("Result")
Status = Literal["done", "kept", "failed"]

_LIBRARIES = ("numpy", "scipy", "numba")


@dataclass(frozen=True)
class Task:
    """What is done to every clip.

    recipe : the recipe as its document, input paths absolute; without steps the clip is converted.
    label : what its errors call it.
    inputs : other clips by name, each a path that the worker can reach, or a sample.
    reading : options of :func:`kinetune.read`.
    measures : whether the quality before and after is measured.
    key : hash of all that decides a result, but the clip itself and the libraries of the worker.
    timeout_s : how long one clip may take; None is as long as it likes.
    """

    recipe: str
    label: str | None = None
    inputs: tuple[tuple[str, str], ...] = ()
    reading: tuple[tuple[str, Any], ...] = ()
    measures: bool = True
    key: str = ""
    timeout_s: float | None = None


class ClipTimeout(Exception):
    """A clip that takes too long, with the address of the worker that is still busy with it."""

    def __init__(self, timeout_s: float, worker: str) -> None:
        super().__init__(timeout_s, worker)
        self.timeout_s, self.worker = timeout_s, worker


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
    made_with : the libraries and the processor, on which the last bits of a result depend.
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
    made_with: str = ""
    key: str = ""
    sha: str = ""

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> BatchOutcome:
        """The outcome of a JSON text; fields that another version of Kinetune wrote are left out."""
        plain = json.loads(text)
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in plain.items() if name in known})


def process(job: BatchJob, task: Task, known: Known | None = None) -> BatchOutcome:
    """Do one job, and raise :class:`ClipTimeout` if it takes too long."""
    worker, _ = _worker()
    return within(task.timeout_s, job.name, lambda: attempt(job, task, known, worker))


def within(timeout_s: float | None, name: str, call: Callable[[], Result]) -> Result:
    """The result of a call that does not raise, or :class:`ClipTimeout` if it takes too long."""
    if timeout_s is None:
        return call()
    done: list[Result] = []
    # Compiled code cannot be interrupted, so the work goes on until this process is restarted.
    work = threading.Thread(target=lambda: done.append(call()), daemon=True, name=name)
    work.start()
    work.join(timeout_s)
    if not done:
        raise ClipTimeout(timeout_s, _worker()[1])
    return done[0]


def attempt(job: BatchJob, task: Task, known: Known | None, worker: str) -> BatchOutcome:
    """Do one job. Anything that goes wrong with the clip is part of the outcome: one bad file never stops the rest."""
    begun = time.perf_counter()
    try:
        key = _key(job, task)
        if known is not None and known.key == key and known.sha and _sha_of_target(job) == known.sha:
            unchanged = {"status": "kept", "name": job.name, "source": job.source, "target": job.target}
            return replace(known.outcome, **unchanged)  # type: ignore[arg-type]
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
    return replace(outcome, seconds={**outcome.seconds, "total": time.perf_counter() - begun})


def _edit(job: BatchJob, task: Task, key: str, worker: str) -> BatchOutcome:
    from kinetune.runs import run

    if job.target is not None:
        Path(job.target).parent.mkdir(parents=True, exist_ok=True)
    recipe, inputs = opened(task)
    result = run(recipe, job.source, inputs, job.target, **dict(task.reading))
    if result.refused and job.target is not None:
        return BatchOutcome(job.name, job.source, job.target, "failed", str(result.refused[0]), worker)
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
        made_with=made_with(),
        key=key,
        sha=_sha_of_target(job),
    )


@functools.lru_cache(maxsize=4)
def opened(task: Task) -> tuple[Any, dict[str, Any]]:
    """The recipe and the other clips it names, read once in each worker."""
    from kinetune.recipes import Recipe

    recipe = Recipe.parse(task.recipe, where=task.label or "recipe", folder="/")
    return recipe, recipe.open_inputs(dict(task.inputs), label=task.label, **dict(task.reading))


@functools.cache
def library_versions() -> dict[str, str]:
    """The libraries of this process that compute results."""
    return {name: version(name) for name in _LIBRARIES}


@functools.cache
def made_with() -> str:
    """The libraries and the processor of this process, on which the last bits of a result depend."""
    import numpy as np

    extensions: Any = np.show_config(mode="dicts")
    simd = extensions.get("SIMD Extensions", {}).get("found", [])
    names = [f"{name} {number}" for name, number in library_versions().items()]
    return ", ".join([*names, " ".join([platform.machine(), *simd[-1:]])])


def _key(job: BatchJob, task: Task) -> str:
    """The hash of all that decides a result: task, libraries, clip, and the files that the clip's file names."""
    digest = hashlib.sha256(task.key.encode())
    digest.update(json.dumps(library_versions(), sort_keys=True).encode())
    skeleton = dict(task.reading).get("skeleton")
    digest.update(hash_files([job.source, *companions(job.source, skeleton=skeleton)]))
    digest.update(Path(job.target or "").suffix.encode())
    return digest.hexdigest()


def hash_files(paths: Iterable[str | Path]) -> bytes:
    """The hash of the content of files."""
    digest = hashlib.sha256()
    for path in paths:
        with open_input(path) as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.digest()


def _sha_of_target(job: BatchJob) -> str:
    """The hash of the files that a result consists of, or "" where one is not there."""
    if job.target is None or not Path(job.target).is_file():
        return ""
    try:
        return hash_files([job.target, *companions(job.target)]).hex()
    except (KinetuneError, OSError):  # one of them has gone or was overwritten
        return ""


def _worker() -> tuple[str, str]:
    """The name and the address of this worker."""
    from distributed import get_worker

    try:
        worker = get_worker()
        return str(worker.name), str(worker.address)
    except ValueError:  # called outside a worker
        return f"process {os.getpid()}", ""
