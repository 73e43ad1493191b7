"""The command clean: one file, a list of what it would do, or a whole library with its clips ranked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.generated.operation_commands import takes_parameters
from kinetune.cli.options import ForceOption, JsonOption, WrongUsage, edits_libraries, reads_files
from kinetune.errors import KinetuneError
from kinetune.operations.clean import Clean

if TYPE_CHECKING:
    from kinetune.batch.work import BatchOutcome

_SHOWN = 40


@reads_files
@edits_libraries
@takes_parameters(Clean)
def clean(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="IN", help="A motion file; or files and patterns such as 'clips/**/*.npz'."),
    ],
    *,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The file to write, or the folder for many.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", metavar="", help="List what would be done; write nothing.")
    ] = False,
    save_recipe: Annotated[
        Path | None,
        typer.Option("--save-recipe", metavar="FILE", help="Write the steps as a recipe to edit.", show_default=False),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    operation: Clean,
    library: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Make motion from elsewhere usable: units, T-poses, noise, floor, limits, feet, each only where it is needed."""
    from kinetune.cli.commands.library_commands import edit_and_report
    from kinetune.cli.commands.run_commands import run_and_report
    from kinetune.recipes import Recipe
    from kinetune.recipes.sources import is_pattern

    if dry_run:
        _list_steps(operation, sources, as_json=as_json, reading=reading)
        return
    if target is None:
        raise WrongUsage("name the file to write, or only look with --dry-run.", param_hint="-o")
    if len(sources) > 1 or is_pattern(sources[0]) or Path(sources[0]).is_dir():
        if save_recipe is not None:
            raise WrongUsage("it works with one motion at a time.", param_hint="--save-recipe")
        recipe = Recipe(steps=(operation,))
        cleaned = edit_and_report(recipe, sources, target, measures=True, as_json=as_json, reading=reading, **library)
        if not as_json:
            print_ranking(cleaned)
        return
    result = run_and_report(operation, sources[0], {}, target, force=force, as_json=as_json, reading=reading)
    if save_recipe is not None:
        _write_recipe(save_recipe, [taken["step"] for taken in result.reports[0].get("cleaning", ())])
        if not as_json:
            print(f"{save_recipe}: the steps as a recipe. Run it with: kinetune apply {save_recipe} IN -o OUT")


def _list_steps(step: Clean, sources: Sequence[str], *, as_json: bool, reading: dict[str, Any]) -> None:
    from kinetune.batch.jobs import find_sources
    from kinetune.cli.show import console
    from kinetune.recipes import open_clip
    from kinetune.recipes.sources import is_pattern

    files: list[str] = []
    for source in sources:
        if is_pattern(source) or Path(source).is_dir():
            files += [str(file) for file, _ in find_sources([source]).files]
        else:
            files.append(source)
    listed: dict[str, Any] = {}
    for file in files:
        try:
            listed[file] = [taken.as_dict() for taken in step.clean(open_clip(file, **reading)).steps]
        except KinetuneError as error:
            if len(files) == 1:
                raise
            listed[file] = {"error": str(error)}
    if as_json:
        print(json.dumps(listed, indent=2))
        return
    for file, steps in listed.items():
        console().print(f"{file}")
        for line in [steps["error"]] if "error" in steps else step.describe({"cleaning": steps}):
            console().print(f"  {line}")


def _write_recipe(file: Path, steps: Sequence[dict[str, Any]]) -> None:
    from kinetune.operations import find_operation
    from kinetune.recipes import Recipe

    recipe = Recipe(
        steps=tuple(find_operation(step["op"])(**{k: v for k, v in step.items() if k != "op"}) for step in steps)
    )
    recipe.write(file)


def print_ranking(outcomes: Sequence[BatchOutcome]) -> None:
    """The clips of a library by their quality, the worst last."""
    from kinetune.body.quality.score import quality_score
    from kinetune.cli.show import console, print_table

    scored = [
        (quality_score(outcome.after), quality_score(outcome.before or {}), outcome)
        for outcome in outcomes
        if outcome.after is not None
    ]
    scored.sort(key=lambda entry: -entry[0])
    left_out = max(0, len(scored) - _SHOWN)
    rows = [
        [
            outcome.name,
            f"{was:.0f}",
            f"{now:.0f}",
            _shown(outcome.after, "foot_slide_mm"),
            _shown(outcome.after, "penetration_mm"),
        ]
        for now, was, outcome in scored[left_out:]
    ]
    if rows:
        console().print(
            f"\nThe clips by quality, 100 is best{f'; the {left_out} best are left out' if left_out else ''}"
        )
        numbers = ["before", "after", "slide mm", "depth mm"]
        print_table(["clip", *numbers], rows, right=numbers)


def _shown(measured: Any, name: str) -> str:
    value = (measured or {}).get(name)
    return "-" if value is None else f"{value:.3g}"
