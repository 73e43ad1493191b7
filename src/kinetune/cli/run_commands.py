"""Commands that make files: convert, apply; and warmup, which prepares the machine for them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import ForceOption, JsonOption, SourceArgument, TargetOption, reads_files

if TYPE_CHECKING:
    from kinetune.operations import Operation
    from kinetune.recipes import Recipe

MeasureOption = Annotated[bool, typer.Option("--measure", metavar="", help="Show the quality before and after.")]


@reads_files
def convert(
    source: SourceArgument,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its suffix chooses the format.")],
    force: ForceOption = False,
    as_json: JsonOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Turn a motion file of any format into any other."""
    run_and_tell((), source, {}, target, force=force, as_json=as_json, reading=reading)


@reads_files
def apply(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, as YAML or JSON.")],
    source: SourceArgument,
    target: TargetOption,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="NAME=FILE", help="Another clip that the recipe names; repeat for more."),
    ] = None,
    force: ForceOption = False,
    measure: MeasureOption = False,
    as_json: JsonOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Run a recipe on a motion file."""
    run_and_tell(
        recipe, source, _named(inputs or []), target, force=force, measure=measure, as_json=as_json, reading=reading
    )


def warmup() -> None:
    """Compile the fast kernels now, so that no later command waits for them."""
    from kinetune.cli.show import bar
    from kinetune.cli.warming import kernel_modules, warm_up

    modules = kernel_modules()
    with bar() as progress:
        for done, module in enumerate(warm_up(modules), 1):
            if progress is not None:
                progress(done, len(modules), module.__name__.removeprefix("kinetune."))
    print(f"{len(modules)} kernel modules are compiled and kept on disk.")


def run_and_tell(
    recipe: Recipe | Operation | Sequence[Operation] | os.PathLike[str],
    source: str,
    inputs: Mapping[str, str],
    target: Path,
    *,
    force: bool,
    as_json: bool,
    reading: Mapping[str, Any],
    measure: bool = False,
) -> None:
    """Run with a progress bar on a terminal, then say what was written."""
    from kinetune.cli.show import bar, print_measures
    from kinetune.runs import Stage, run

    with bar() as progress:

        def tell(stage: Stage) -> None:
            if progress is not None:
                progress(stage.number, stage.count, stage.words)

        result = run(recipe, source, inputs, target, progress=tell, overwrite_source=force, **reading)
    if as_json:
        print(json.dumps(result.report(measures=measure), indent=2))
        return
    clip = result.clip
    print(f"{result.target}: {len(clip)} frames at {clip.fps:g} fps, {len(clip.skeleton)} joints.")
    if measure:
        print_measures({"before": result.before, "after": result.after})


def _named(pairs: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise typer.BadParameter(f'"{pair}" is not NAME=FILE.', param_hint="--input")
        found[name.strip()] = path.strip()
    return found
