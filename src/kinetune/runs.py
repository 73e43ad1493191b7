"""Where files meet recipes: read a clip, apply the steps, write the result. Every surface calls :func:`run`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from kinetune.body.clip import Clip
from kinetune.errors import FileError
from kinetune.findings import NOT_WRITTEN, Finding
from kinetune.formats import check_target, write
from kinetune.operations import Operation
from kinetune.operations.base import collecting_results
from kinetune.progress import report, reporting
from kinetune.recipes import Recipe, open_clip
from kinetune.recipes.sources import is_sample

Source = Clip | str | os.PathLike[str]
"""A clip, a file, or a sample by its name (``sample:walk``)."""


@dataclass(frozen=True)
class Stage:
    """What a run is about to do, as a progress bar shows it.

    number : which stage this is, from 0 to count; the stage ``count`` says that all is done.
    text : "read walk.bvh", "smooth", "write calm.glb", "done"; within a long step "filter_dynamics: filtering".
    share : how much of the stage is done, 0 to 1.
    """

    number: int
    count: int
    text: str
    share: float = 0.0

    @property
    def words(self) -> str:
        """The former name of ``text``."""
        return self.text


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run gave.

    Parameters
    ----------
    clip : the edited clip, whose history holds the steps.
    source : the clip as it was read.
    recipe : what was applied.
    target : the file that was written, or None.
    read_s, step_s, write_s : seconds for reading (inputs included), for each step that is on, and for writing.
    results : what the steps know besides the clip: forces, weights, where feet landed, findings.
    reports : for each step that is on, what it reports about its result, JSON-ready.

    Examples
    --------
    >>> from kinetune import Mirror, run
    >>> result = run(Mirror(), "sample:walk")
    >>> len(result.clip) == len(result.source), len(result.step_s)
    (True, 1)
    """

    clip: Clip
    source: Clip
    recipe: Recipe
    target: Path | None = None
    read_s: float = 0.0
    step_s: tuple[float, ...] = field(default=())
    write_s: float = 0.0
    results: tuple[Any, ...] = field(default=())
    reports: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a user should know about the edit: a fall, a target out of reach ..."""
        return tuple(result for result in self.results if isinstance(result, Finding))

    @property
    def missed(self) -> tuple[Finding, ...]:
        """The findings that say that a goal was missed; a command that has any exits with 3."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def refused(self) -> tuple[Finding, ...]:
        """The findings that say that a result would mislead; nothing is written then, unless forced.

        A step found no plausible motion, or a walk lands far beside a footstep.
        """
        return tuple(finding for finding in self.findings if finding.kind in NOT_WRITTEN)

    def describe(self) -> list[str]:
        """The outcome of each step in sentences, where the operation has something to say."""
        outcomes = zip(self.recipe.active, self.reports, strict=True)
        return [text for step, report in outcomes if report for text in step.describe(report)]

    @cached_property
    def before(self) -> dict[str, Any]:
        """The measures of the clip as it was read (see :func:`kinetune.measure`)."""
        return _measured(self.source)

    @cached_property
    def after(self) -> dict[str, Any]:
        """The measures of the edited clip.

        They are taken on the floor and soles of the clip as it was read, where no step has moved them: an edit may
        leave too little of a stance to find them anew.
        """
        stays = all(step.keeps_stance and getattr(step, "floor_m", None) is None for step in self.recipe.active)
        return _measured(self.clip, self.source if stays else self.clip)

    def report(self, *, measures: bool = False) -> dict[str, Any]:
        """What happened as a JSON-ready mapping; with ``measures``, the quality before and after too.

        What a step reports about its result (``reports``) stands beside the rest, and comes first where names agree.
        """
        report: dict[str, Any] = {
            "target": None if self.target is None else str(self.target),
            "frames": len(self.clip),
            "fps": self.clip.fps,
            "joints": len(self.clip.skeleton),
            "steps": [step.as_step() for step in self.recipe.active],
            "off": [self.recipe.steps[number].as_step() for number in sorted(self.recipe.off)],
            "seconds": {"read": self.read_s, "steps": list(self.step_s), "write": self.write_s},
            "findings": [finding.as_dict() for finding in self.findings],
        }
        for outcome in self.reports:
            report |= outcome
        return {**report, "before": self.before, "after": self.after} if measures else report


def run(
    recipe: Recipe | Operation | Sequence[Operation] | str | os.PathLike[str],
    source: Source,
    inputs: Mapping[str, Source] | None = None,
    target: str | os.PathLike[str] | None = None,
    *,
    progress: Callable[[Stage], None] | None = None,
    overwrite_source: bool = False,
    write_refused: bool = False,
    character: str | os.PathLike[str] | None = None,
    **reading: Any,
) -> RunResult:
    """Apply a recipe to a clip or file, and write the result if a target is named.

    Parameters
    ----------
    recipe : a recipe, the path of one, an operation, or several.
    source : what to edit: a file, a clip, or ``sample:NAME``.
    inputs : the other clips that the recipe names; those with a path in the recipe may be left out.
    target : the file to write; its suffix chooses the format. It is complete or not there, never half written.
    progress : called before each stage, now and then within steps that take long, and once at the end. It may raise
        :class:`kinetune.progress.Cancelled` to stop the run. Surfaces may listen through :mod:`kinetune.progress`.
    overwrite_source : allow the target to be a file that was read; otherwise that is refused before any work.
    write_refused : write the target even if a step found no plausible motion and left the clip as it was; otherwise
        nothing is written then, and ``target`` of the result is None.
    character : a character file of the target's format to put the motion on; of another skeleton, the motion is
        retargeted (see :func:`kinetune.write`).
    reading : options of :func:`kinetune.read` for the source and the inputs given here (``unit``, ``up``, ``fps``,
        ``partial`` ...); files that the recipe itself names are read as they are.

    Returns
    -------
    RunResult
        The edited clip, the clip as it was read, the file that was written, and how long each part took.

    Examples
    --------
    >>> from kinetune import Smooth
    >>> result = run(Smooth(cutoff_hz=6), "walk.bvh", target="calm.glb")
    >>> result.target.name
    'calm.glb'
    >>> result.after["jerk"] < result.before["jerk"]
    True
    """
    chosen, label = _as_recipe(recipe)
    given = dict(inputs or {})
    if target is not None:
        check_target(target)
        if not overwrite_source:
            _refuse_to_overwrite(Path(target), [source, *chosen.inputs.values(), *given.values()])
    stages = [f"read {_name(source)}", *(step.tag() for step in chosen.active)]
    stages += [] if target is None else [f"write {_name(target)}"]

    def announce(number: int, share: float | None = 0.0, text: str = "") -> None:
        name = stages[number] if number < len(stages) else "done"
        label = f"{name}: {text}" if text else name
        report(None if share is None else (number + share) / len(stages), label)
        if progress is not None:
            progress(Stage(number, len(stages), label, share or 0.0))

    @contextmanager
    def stage(number: int) -> Iterator[None]:
        announce(number)
        with reporting(partial(announce, number)):
            yield

    clock = time.perf_counter
    with stage(0):
        begun = clock()
        clip = original = open_clip(source, **reading)
        others = chosen.open_inputs(given, label=label, **reading)
        read_s = clock() - begun
    step_s = []
    reports: list[Mapping[str, Any]] = []
    steps = chosen.stepwise(clip, others, label=label)
    with collecting_results() as results:
        for number, step in enumerate(chosen.active):
            with stage(1 + number):
                begun = clock()
                before, known = clip, len(results)
                clip = next(steps)
                step_s.append(clock() - begun)
                reports.append(step.report(before, clip, results[known:]) or {})
    written = None
    begun = clock()
    refused = any(isinstance(one, Finding) and one.kind in NOT_WRITTEN for one in results)
    if target is not None and (write_refused or not refused):
        with stage(len(stages) - 1):
            begun = clock()
            with collecting_results() as remarks:
                written = write(clip, Path(target), character=character)
            results += remarks
    write_s = clock() - begun
    announce(len(stages))
    return RunResult(clip, original, chosen, written, read_s, tuple(step_s), write_s, tuple(results), tuple(reports))


def _as_recipe(recipe: Recipe | Operation | Sequence[Operation] | str | os.PathLike[str]) -> tuple[Recipe, str | None]:
    """The recipe, and what its errors call it."""
    if isinstance(recipe, Recipe):
        return recipe, None
    if isinstance(recipe, str | os.PathLike):
        return Recipe.read(recipe), os.fspath(recipe)
    steps = (recipe,) if isinstance(recipe, Operation) else tuple(recipe)
    return Recipe(steps=steps), None


def _refuse_to_overwrite(target: Path, sources: Sequence[Source | None]) -> None:
    for source in sources:
        if source is None or isinstance(source, Clip) or is_sample(source):
            continue
        if target.exists() and Path(source).exists() and os.path.samefile(target, source):
            raise FileError(target, "the result would replace the file that is read.", advice=_OVERWRITE)


_OVERWRITE = "Give another name, or allow it with --force (overwrite_source in Python)."


def _name(source: Source) -> str:
    return repr(source) if isinstance(source, Clip) else os.path.basename(os.fspath(source))


def _measured(clip: Clip, standing: Clip | None = None) -> dict[str, Any]:
    """The measures of a clip, judged by the floor and soles of another one."""
    from kinetune.body.feet.floor import find_ground
    from kinetune.body.quality.glitches import stray_frames
    from kinetune.body.quality.measures import measure

    if standing is None or standing is clip:
        return measure(clip)
    return measure(clip, ground=find_ground(standing[stray_frames(standing) :]))
