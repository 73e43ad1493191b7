"""Edit or measure a library: find the files, send them out, remember and report what became of each."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetune.batch._manifest import Manifest
from kinetune.batch._reports import Summary, write_reports
from kinetune.batch.engine import run_jobs
from kinetune.batch.jobs import BatchJob, FoundSources, find_sources, lay_out
from kinetune.batch.work import BatchOutcome, Known, Task, hash_files
from kinetune.errors import KinetuneError, ParameterError
from kinetune.formats import companions
from kinetune.formats.atomic_write import remove_leftovers
from kinetune.progress import Cancelled, report
from kinetune.recipes import Recipe
from kinetune.recipes.sources import absolute, is_sample

CLIP_TIMEOUT_S = 1800.0
"""How long one clip may take: far longer than any honest clip needs, so that one that never ends costs no night."""


@dataclass(frozen=True)
class LibraryResult:
    """What a run over a library gave.

    summary : counts, sums and medians.
    wall_s : seconds from beginning to end.
    folder, report, table : where the results, report.json and report.csv are; None when clips were only measured.
    outcomes : what became of each clip, when clips were only measured; otherwise it is in the report.
    """

    summary: Summary
    wall_s: float
    folder: Path | None = None
    report: Path | None = None
    table: Path | None = None
    outcomes: tuple[BatchOutcome, ...] = field(default=())


def edit_library(
    recipe: Recipe | str | os.PathLike[str],
    sources: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    inputs: Mapping[str, str | os.PathLike[str]] | None = None,
    to: str | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    measures: bool = True,
    clip_timeout_s: float | None = CLIP_TIMEOUT_S,
    on_outcome: Callable[[BatchOutcome], None] | None = None,
    **reading: Any,
) -> LibraryResult:
    """Run a recipe over many files; one bad file never stops the rest.

    Parameters
    ----------
    recipe : a recipe or the path of one; one without steps converts.
    sources : patterns such as ``clips/**/*.bvh``, files, or folders.
    folder : where the results go, in the tree that the sources have; made when it is not there.
    inputs : the other clips that the recipe names, as paths that every worker can reach.
    to : the format of the results, such as "glb"; None keeps that of each source.
    jobs : processes on this machine; None is one for each core.
    scheduler : the address of a Dask scheduler to use instead.
    resume : keep results of earlier runs that the same clip, recipe and version made.
    measures : whether the quality of each clip is measured before and after.
    clip_timeout_s : how long one clip may take before it counts as failed; None is as long as it likes.
    on_outcome : called after each clip with what became of it. Progress goes to :mod:`kinetune.progress`.
    reading : options of :func:`kinetune.read`, for the sources and the inputs given here.

    Examples
    --------
    >>> result = edit_library("calmer.yaml", ["clips/**/*.bvh"], "calm", jobs=8)  # doctest: +SKIP
    >>> result.summary.done, result.summary.failed  # doctest: +SKIP

    A script that calls this needs ``if __name__ == "__main__":`` round its work, as every program with processes does.
    """
    begun = time.perf_counter()
    chosen = recipe if isinstance(recipe, Recipe) else Recipe.read(recipe)
    label = chosen.name or (None if isinstance(recipe, Recipe) else os.fspath(recipe))
    out = Path(os.path.abspath(folder))
    task = make_task(chosen, inputs or {}, reading, label=label, measures=measures, timeout_s=clip_timeout_s)
    searched = find_sources(sources, outside=out)
    laid_out = lay_out(searched, out, to)
    summary = Summary()
    with Manifest(out, resume=resume) as manifest, _no_leftovers(laid_out):

        def known(job: BatchJob) -> Known | None:
            return manifest.known(job.target or "") if resume else None

        def write_both() -> tuple[Path, Path]:
            about = {"kinetune": _version(), "recipe": chosen.as_document(folder=out), "wall_s": since(begun)}
            return write_reports(out, manifest.outcomes, summary, about)

        for place, outcome in _unsearched(searched):
            summary.add(outcome)
            manifest.note(outcome, place)
        try:
            with closing(run_jobs(laid_out, task, workers=jobs, scheduler=scheduler, known=known)) as outcomes:
                for done, outcome in enumerate(outcomes, 1):
                    manifest.note(outcome)
                    summary.add(outcome)
                    _report_outcome(outcome, done, len(laid_out), begun, on_outcome)
        except (KeyboardInterrupt, KinetuneError, Cancelled):
            if summary.clips:
                write_both()
            raise
        as_json, as_csv = write_both()
    return LibraryResult(summary, since(begun), out, as_json, as_csv)


def measure_library(
    sources: Sequence[str],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    clip_timeout_s: float | None = CLIP_TIMEOUT_S,
    on_outcome: Callable[[BatchOutcome], None] | None = None,
    **reading: Any,
) -> LibraryResult:
    """Measure many files (:func:`kinetune.measure`); outcomes come in the order of the files."""
    begun = time.perf_counter()
    searched = find_sources(sources)
    laid_out = lay_out(searched, None)
    task = make_task(Recipe(), {}, reading, timeout_s=clip_timeout_s)
    summary = Summary()
    ready: dict[str, BatchOutcome] = {}
    for _, outcome in _unsearched(searched):
        summary.add(outcome)
        ready[outcome.source] = outcome
    for done, outcome in enumerate(run_jobs(laid_out, task, workers=jobs, scheduler=scheduler), 1):
        ready[outcome.source] = outcome
        summary.add(outcome)
        _report_outcome(outcome, done, len(laid_out), begun, on_outcome)
    order = [job.source for job in laid_out]
    order += [source for source in ready if source not in set(order)]
    return LibraryResult(summary, since(begun), outcomes=tuple(ready[source] for source in order))


def _report_outcome(
    outcome: BatchOutcome, done: int, count: int, begun: float, on_outcome: Callable[[BatchOutcome], None] | None
) -> None:
    if on_outcome is not None:
        on_outcome(outcome)
    report(done / count, f"{done} of {count}, {done / max(since(begun), 1e-9):.1f} a second: {outcome.name}")


def make_task(
    recipe: Recipe,
    inputs: Mapping[str, str | os.PathLike[str]],
    reading: Mapping[str, Any],
    *,
    label: str | None = None,
    measures: bool = True,
    timeout_s: float | None = None,
) -> Task:
    """What workers get, complete: the other clips are opened once here, so that a mistake shows before any work."""
    if timeout_s is not None and not timeout_s > 0.0:
        raise ParameterError(f"The time limit of a clip is {timeout_s:g} s; it must be above 0.")
    given = {name: absolute(os.fspath(path), Path()) for name, path in inputs.items()}
    recipe.open_inputs(given, label=label, **reading)
    document = recipe.as_document(folder="/")
    document["inputs"] = dict(recipe.inputs)
    text = json.dumps(document)
    options = {name: str(value) if isinstance(value, Path) else value for name, value in sorted(reading.items())}
    files = {name: path for name, path in {**recipe.inputs, **given}.items() if path is not None}
    decisive = {
        "kinetune": _version(),
        "steps": document["steps"],
        "reading": options,
        "measures": measures,
        "inputs": {
            name: _content(path, reading.get("skeleton") if name in given else None)
            for name, path in sorted(files.items())
        },
    }
    key = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return Task(text, label, tuple(given.items()), tuple(options.items()), measures, key, timeout_s)


def _content(source: str, skeleton: Any = None) -> str:
    return source if is_sample(source) else hash_files([source, *companions(source, skeleton=skeleton)]).hex()


@contextmanager
def _no_leftovers(jobs: Sequence[BatchJob]) -> Iterator[None]:
    """Remove what killed workers left half written, of an earlier run and of this one; nothing else is touched."""
    targets = [Path(job.target) for job in jobs if job.target is not None]
    remove_leftovers(targets)
    try:
        yield
    finally:
        remove_leftovers(targets)


def _unsearched(searched: FoundSources) -> Iterator[tuple[str, BatchOutcome]]:
    """Folders that could not be searched count as failed, so that the library does not look complete."""
    for place, reason in searched.unreadable:
        sentence = f"{place}: this folder cannot be read ({reason})."
        yield f"unreadable:{place}", BatchOutcome(place, place, None, "failed", sentence)


def since(begun: float) -> float:
    return time.perf_counter() - begun


def _version() -> str:
    from kinetune import __version__

    return __version__
