"""Commands over whole libraries: batch, and the many-file forms of convert and measure."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import (
    InputsOption,
    JsonOption,
    edits_libraries,
    named_files,
    reads_files,
)

if TYPE_CHECKING:
    from kinetune.batch import LibraryResult
    from kinetune.batch.work import BatchOutcome
    from kinetune.recipes import Recipe


@reads_files
@edits_libraries
def batch(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, as YAML or JSON.")],
    sources: Annotated[
        list[str], typer.Argument(metavar="IN", help="Files, folders, or patterns such as 'clips/**/*.bvh'.")
    ],
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the results.")],
    *,
    inputs: InputsOption = None,
    retarget_to: Annotated[
        str | None,
        typer.Option("--retarget-to", metavar="FILE", help="Put every result on this character, as a last step."),
    ] = None,
    measures: Annotated[bool, typer.Option(help="Measure every clip before and after.")] = True,
    as_json: JsonOption = False,
    library: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Run a recipe over a whole library, on all cores or on a Dask cluster."""
    edit_and_report(
        recipe if retarget_to is None else _retargeting(recipe, retarget_to),
        sources,
        folder,
        inputs=named_files(inputs or []),
        measures=measures,
        as_json=as_json,
        reading=reading,
        **library,
    )


def _retargeting(recipe: Path, character: str) -> Recipe:
    """A recipe that ends with its results on a character."""
    from kinetune.operations.retarget import Retarget
    from kinetune.recipes import Recipe

    read = Recipe.read(recipe)
    name = "character"
    while name in read.inputs or name in read.inputs_needed():
        name += "_"
    return Recipe(
        name=read.name,
        notes=read.notes,
        inputs={**read.inputs, name: character},
        steps=(*read.steps, Retarget(to=name)),
        off=read.off,
    )


def edit_and_report(
    recipe: Recipe | Path,
    sources: Sequence[str],
    folder: Path,
    *,
    to: str | None,
    jobs: int | None,
    scheduler: str | None,
    resume: bool,
    strict: bool,
    measures: bool,
    clip_timeout: float | None,
    as_json: bool,
    reading: Mapping[str, Any],
    inputs: Mapping[str, str] | None = None,
) -> list[BatchOutcome]:
    """Edit a library with a progress bar on a terminal, then say what became of it; returns that of each clip."""
    from kinetune.batch.library import CLIP_TIMEOUT_S, edit_library
    from kinetune.cli.show import bar, warnings_as_messages
    from kinetune.recipes import Recipe

    finished: list[BatchOutcome] = []
    try:
        with bar(), warnings_as_messages():
            result = edit_library(
                recipe,
                sources,
                folder,
                inputs=inputs,
                to=to,
                jobs=jobs,
                scheduler=scheduler,
                resume=resume,
                measures=measures,
                clip_timeout_s=clip_timeout or CLIP_TIMEOUT_S,
                on_outcome=finished.append,
                **reading,
            )
    except KeyboardInterrupt:
        print(
            f"kinetune: stopped after {len(finished)} clips. Go on with the same command and --resume.", file=sys.stderr
        )
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps({"folder": str(folder), "wall_s": result.wall_s, **result.summary.as_mapping()}, indent=2))
    else:
        if isinstance(recipe, Path) and (notice := Recipe.read(recipe).off_words()):
            print(notice)
        print_summary(result, folder)
    if strict and result.summary.failed:
        raise typer.Exit(1)
    return finished


def measure_many(
    files: Sequence[str],
    *,
    jobs: int | None,
    scheduler: str | None,
    clip_timeout: float | None,
    reading: Mapping[str, Any],
) -> tuple[dict[str, Any], int]:
    """The measures of many files by name, and how many failed; the failed ones are reported on standard error."""
    from kinetune.batch.library import CLIP_TIMEOUT_S, measure_library
    from kinetune.cli.show import bar, warnings_as_messages

    with bar(), warnings_as_messages():
        result = measure_library(
            files, jobs=jobs, scheduler=scheduler, clip_timeout_s=clip_timeout or CLIP_TIMEOUT_S, **reading
        )
    for outcome in result.outcomes:
        if outcome.status == "failed":
            print(f"kinetune: {outcome.error}", file=sys.stderr)
    measured = {outcome.name: dict(outcome.before) for outcome in result.outcomes if outcome.before is not None}
    return measured, result.summary.failed


def print_summary(result: LibraryResult, folder: Path) -> None:
    """What a producer wants to know: how many, how good, how long, and what went wrong."""
    from kinetune.cli.show import console, label, print_facts, print_table, shown

    summary = result.summary
    facts = {
        "clips": f"{summary.done} done, {summary.kept} kept from earlier, {summary.failed} failed",
        "motion": f"{summary.frames:,} frames, {_spell(summary.motion_s)}",
        "time": f"{_spell(result.wall_s)}, {_pace(summary.clips, result.wall_s)}",
    }
    total = summary.work_s.get("total", 0.0)
    if total > 0.0:
        parts = [(part, summary.work_s.get(part, 0.0) / total) for part in ("read", "steps", "write", "measure")]
        facts["work"] = ", ".join(f"{part} {share:.0%}" for part, share in parts if share >= 0.005)
    print_facts(facts)
    medians = summary.medians()
    if medians:
        rows = [[label(name), shown(was, name), shown(now, name)] for name, (was, now) in medians.items()]
        print_table(["median over the clips", "before", "after"], rows, right=["before", "after"])
    for name, sentence in summary.failures:
        console().print(f"failed: {sentence if name in sentence else f'{name}: {sentence}'}")
    if summary.failed > len(summary.failures):
        console().print(f"... and {summary.failed - len(summary.failures)} more; see the report.")
    if summary.last_bits is not None:
        console().print(summary.last_bits)
    console().print(f"{folder}: the results, with report.json and report.csv.")


def _pace(clips: int, seconds: float) -> str:
    """How fast it went, as a number that is not below one."""
    a_second = clips / max(seconds, 1e-9)
    return f"{a_second:.1f} clips a second" if a_second >= 1.0 or not clips else f"{seconds / clips:.1f} s a clip"


def _spell(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
