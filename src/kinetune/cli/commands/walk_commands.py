"""The command that walks: footsteps or a path in, a walk out."""

from __future__ import annotations

import glob
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kinetune.cli.options import JsonOption, TargetOption

if TYPE_CHECKING:
    from kinetune.inverse.steps.step_sets import StepSet
    from kinetune.inverse.walk.footsteps import Footstep
    from kinetune.inverse.walk.walk_values import Walk

SAMPLE = "sample:"
PLAN = "Planning a path"


def walk(
    target: TargetOption,
    footsteps: Annotated[
        Path | None,
        typer.Option("--footsteps", metavar="CSV", help="Footsteps, one a line: side, x, z, heading_deg."),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(
            "--path", metavar="WAY", help="A way to plan footsteps on: straight:length=5, circle:r=2, slalom."
        ),
    ] = None,
    examples: Annotated[
        list[str] | None,
        typer.Option(
            "--examples",
            metavar="FILES",
            help="Clips to take steps from, such as 'clips/*.bvh'; repeat for more. (default: embedded steps)",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", metavar="", help="Refuse footsteps out of reach; do not insert or bend steps.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop/--go-on", metavar="", help="End standing, if the examples can, or in mid-stride.")
    ] = True,
    count: Annotated[
        int | None,
        typer.Option("--count", metavar="INTEGER", help="How many footsteps to plan.", rich_help_panel=PLAN),
    ] = None,
    length: Annotated[
        float | None,
        typer.Option("--length", metavar="METRES", help="Of a step; the natural one by default.", rich_help_panel=PLAN),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option("--width", metavar="METRES", help="Of a step; the natural one by default.", rich_help_panel=PLAN),
    ] = None,
    first: Annotated[
        Literal["left", "right"],
        typer.Option("--first", help="The foot that steps first.", rich_help_panel=PLAN),
    ] = "left",
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="PNG", help="Also draw footprints and stick figures, to PNG, SVG or PDF."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Walk over footsteps, each foot exactly where it shall be."""
    if (footsteps is None) == (path is None):
        raise typer.BadParameter("give --footsteps CSV or --path WAY, one of them.", param_hint="--footsteps")
    from kinetune.formats import check_target, write
    from kinetune.inverse.walk.footstep_planners import plan_footsteps
    from kinetune.inverse.walk.footsteps import read_footsteps
    from kinetune.inverse.walk.walker import walk_on

    check_target(target)
    steps = _steps(examples)
    if footsteps is not None:
        targets = read_footsteps(footsteps)
    else:
        targets = plan_footsteps(
            str(path), count=count, length=length, width=width, first=first, steps=steps, close=None if stop else False
        )
    result = walk_on(targets, steps, strict=strict, stop=stop)
    written = write(result.clip, target)
    if picture is not None:
        _draw(result, targets, picture)
    if as_json:
        report = {"target": str(written), "frames": len(result.clip), "fps": result.clip.fps}
        print(json.dumps({**report, **result.report.as_dict()}, indent=2))
    else:
        _tell(result, written, picture)


def _steps(examples: list[str] | None) -> StepSet:
    if not examples:
        from kinetune.samples.sample_walk import sample_steps

        return sample_steps()
    from kinetune.errors import FileError
    from kinetune.inverse.steps.step_sets import StepSet
    from kinetune.recipes import open_clip

    files: list[str] = []
    for pattern in examples:
        found = [pattern] if pattern.startswith(SAMPLE) else sorted(glob.glob(pattern, recursive=True))
        if not found:
            raise FileError(pattern, "there is no such file.")
        files += [file for file in found if file not in files]
    return StepSet.from_clips([open_clip(file) for file in files], names=[Path(file).name for file in files])


def _draw(result: Walk, targets: list[Footstep], picture: Path) -> None:
    from kinetune import figures
    from kinetune.figures.walk_figure import draw_walk

    inserted = [made for made in result.placements if made.inserted]
    figures.save(draw_walk(result.clip, targets, inserted=[made.footstep for made in inserted]), picture)


def _tell(result: Walk, written: Any, picture: Path | None) -> None:
    clip, report = result.clip, result.report
    worst = report.worst
    count = len(report.steps)
    print(f"{written}: {count} footsteps, {len(clip)} frames at {clip.fps:g} fps, {len(clip.skeleton)} joints.")
    print(
        f"Feet stand within {worst['error_mm']:.2g} mm and {worst['heading_error_deg']:.2g} degrees of their places; "
        f"standing feet move by {worst['drift_mm']:.2g} mm."
    )
    for note in report.notes:
        print(note)
    if picture is not None:
        print(f"Drawn: {picture}")
