"""Commands that make files: convert, apply; and warmup and completion, which prepare the machine for them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import (
    CharacterOption,
    ForceOption,
    InputsOption,
    JsonOption,
    SourceArgument,
    TargetOption,
    WrongUsage,
    edits_libraries,
    named_files,
    reads_files,
)
from kinetune.findings import PARTIAL, REFUSED

if TYPE_CHECKING:
    from kinetune.operations import Operation
    from kinetune.recipes import Recipe
    from kinetune.runs import RunResult, Source

    Draw = Callable[[RunResult, Path], Mapping[str, Any]]

MISSED = 3
"""The exit code of a command whose result misses what was asked."""
MeasureOption = Annotated[bool, typer.Option("--measure", metavar="", help="Show the quality before and after.")]


@reads_files
@edits_libraries
def convert(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="IN OUT", help="The motion file and the file to write, whose suffix chooses the format."
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Convert many files (IN... may be patterns) into a folder."),
    ] = None,
    character: CharacterOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    *,
    library: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Turn a motion file of any format into any other, or a whole library with -o DIR --to FORMAT."""
    if folder is None:
        if len(sources) != 2:
            raise WrongUsage("give IN and OUT, or many files and a folder with -o DIR.")
        target = Path(sources[1])
        run_and_report((), sources[0], {}, target, force=force, as_json=as_json, reading=reading, character=character)
        return
    if character is not None:
        raise WrongUsage("it works with one motion at a time.", param_hint="--character")
    from kinetune.cli.commands.library_commands import edit_and_report
    from kinetune.recipes import Recipe

    if library["to"] is None:
        raise WrongUsage("name the format, such as --to glb.", param_hint="--to")
    edit_and_report(Recipe(), sources, folder, measures=False, as_json=as_json, reading=reading, **library)


@reads_files
def apply(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, as YAML or JSON.")],
    source: SourceArgument,
    target: TargetOption,
    inputs: InputsOption = None,
    character: CharacterOption = None,
    force: ForceOption = False,
    measure: MeasureOption = False,
    as_json: JsonOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Run a recipe on a motion file."""
    from kinetune.formats import library_suffixes

    if recipe.suffix.lower() in library_suffixes():
        raise WrongUsage(f"the recipe comes first, then the motion, and {recipe} is a motion file.")
    run_and_report(
        recipe,
        source,
        named_files(inputs or []),
        target,
        force=force,
        measure=measure,
        as_json=as_json,
        reading=reading,
        character=character,
    )


def warmup() -> None:
    """Compile the fast kernels now, so that no later command waits for them."""
    from kinetune.cli.show import bar
    from kinetune.cli.warm_up import kernel_modules, warm_up
    from kinetune.progress import report

    modules = kernel_modules()
    with bar():
        for done, name in enumerate(warm_up(modules), 1):
            report(done / len(modules), name.removeprefix("kinetune."))
    print(f"{len(modules)} kernel modules are compiled and kept on disk.")


def completion(
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish", help="Your shell.", show_default=False)],
) -> None:
    """Print a script that lets your shell complete commands, flags and samples."""
    from kinetune.cli.completion_script import SCRIPT_FILES, completion_script

    if shell not in SCRIPT_FILES:
        raise WrongUsage(f'there is no script for "{shell}"; choose from bash, zsh and fish.')
    print(completion_script(shell))


def run_and_report(
    recipe: Recipe | Operation | Sequence[Operation] | os.PathLike[str],
    source: str,
    inputs: Mapping[str, Source],
    target: Path,
    *,
    force: bool,
    as_json: bool,
    reading: Mapping[str, Any],
    measure: bool = False,
    pictures: Sequence[tuple[Path, Draw]] = (),
    character: Path | None = None,
) -> RunResult:
    """Run with a progress bar on a terminal, then say what came out; exit with 3 if a goal was missed.

    If no plausible motion was found, nothing is written, unless forced.

    pictures : files to draw from the result, each with the function that does it.
    character : a file with the character to put the motion on.
    """
    from kinetune.cli.show import bar, print_measures
    from kinetune.runs import run

    with bar():
        result = run(
            recipe, source, inputs, target, overwrite_source=force, write_refused=force, character=character, **reading
        )
        outlooks = [draw(result, file) for file, draw in pictures]
    if as_json:
        report = result.report(measures=measure)
        for outlook in outlooks:
            report |= outlook
        print(json.dumps(report, indent=2))
    else:
        clip = result.clip
        for finding in result.missed:
            print(finding)
        if result.recipe.off:
            print(result.recipe.off_words())
        if result.target is None:
            print(f"{target} is not written. Write the clip all the same with --force.")
        else:
            body = f"{len(clip.skeleton)} joints" if character is None else f"on {character.name}"
            print(f"{result.target}: {len(clip)} frames at {clip.fps:g} fps, {body}.")
        for text in (*result.describe(), *(f for f in result.findings if f not in result.missed)):
            print(text)
        for (file, _), outlook in zip(pictures, outlooks, strict=True):
            print(f"{'Written' if file.suffix.lower() in ('.yaml', '.yml') else 'Drawn'}: {file}")
            for advice in (text for part in outlook.values() for text in part.get("advice", ())):
                print(advice)
        if measure:
            print_measures({"before": result.before, "after": result.after})
    if result.missed or any(finding.kind in (REFUSED, PARTIAL) for finding in result.findings):
        raise typer.Exit(MISSED)
    return result
