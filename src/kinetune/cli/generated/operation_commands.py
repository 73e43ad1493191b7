"""One command for each operation, generated from its declaration: flags, types, bounds, defaults and words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Annotated, Any

import typer
from typer.main import get_command

from kinetune.cli.commands.run_commands import MeasureOption, run_and_tell
from kinetune.cli.generated.flags import Flag, flags_of
from kinetune.cli.generated.operation_list import command_name, escaped, unmarked
from kinetune.cli.options import HELP_FLAGS, ForceOption, JsonOption, SourceArgument, TargetOption, reads_files
from kinetune.operations import Operation, find_operation
from kinetune.recipes.sources import SAMPLE, SOURCE

PARAMETERS = "Parameters"
PlantOption = Annotated[
    bool, typer.Option("--plant-feet", metavar="", help="Plant the feet afterwards, so that none slides.")
]


def command_of(operation: type[Operation]) -> Any:
    """The command of an operation: ``kinetune smooth IN -o OUT --cutoff-hz 6``."""
    flags = flags_of(operation)

    def edit(
        source: SourceArgument,
        target: TargetOption,
        force: ForceOption = False,
        measure: MeasureOption = False,
        as_json: JsonOption = False,
        plant: PlantOption = False,
        *,
        reading: dict[str, Any],
        **given: Any,
    ) -> None:
        turned = [(flag, given[_parameter(flag)]) for flag in flags]
        parameters = {flag.name: flag.value(value) for flag, value in turned if value is not None}
        for old, new in operation.former_names.items():
            flag = next(flag for flag in flags if flag.name == new)
            if given.get(f"former_{old}") is not None:
                parameters[new] = flag.value(given[f"former_{old}"])
        inputs: dict[str, str] = {}
        for flag in flags:
            if flag.is_clip and flag.name in parameters:
                parameters[flag.name] = _name_clips(parameters[flag.name], inputs)
        steps = [operation(**parameters)]
        if plant:
            steps.append(find_operation("plant_feet")())
        run_and_tell(steps, source, inputs, target, force=force, measure=measure, as_json=as_json, reading=reading)

    one = typer.Typer(add_completion=False)
    name = command_name(operation.tag())
    example = f"For example: kinetune {name} walk.bvh -o out.bvh"
    declare = one.command(
        name, help=escaped(unmarked(operation.description())), epilog=example, context_settings=HELP_FLAGS
    )
    declare(
        reads_files(
            _with_flags(
                edit, flags, own=() if operation.tag() == "plant_feet" else ("plant",), former=operation.former_names
            )
        )
    )
    return get_command(one)


def _with_flags(
    edit: Callable[..., None], flags: Sequence[Flag], *, own: Sequence[str], former: Mapping[str, str]
) -> Callable[..., None]:
    """The same function with a parameter for each flag in its signature, which is what Typer reads.

    own : which of the parameters that not every command has this one has.
    former : parameters by names that they had before, which stay as hidden flags.
    """
    signature = inspect.signature(edit, eval_str=True)
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    parameters = [p for p in parameters if p.name != "plant" or p.name in own]
    for flag in flags:
        declared = f"{flag.option}/--no-{flag.option[2:]}" if flag.annotation in (bool, bool | None) else flag.option
        option = typer.Option(
            declared, help=escaped(flag.help), metavar=flag.metavar, rich_help_panel=PARAMETERS, show_default=False
        )
        default = inspect.Parameter.empty if flag.info.is_required() else None
        kind = inspect.Parameter.KEYWORD_ONLY
        annotation = Annotated[flag.annotation, option]  # type: ignore[name-defined]
        parameters.append(inspect.Parameter(_parameter(flag), kind, default=default, annotation=annotation))
    for old, new in former.items():
        value = next(flag.annotation for flag in flags if flag.name == new)
        hidden = Annotated[value, typer.Option(f"--{old.replace('_', '-')}", hidden=True)]  # type: ignore[valid-type]
        parameters.append(
            inspect.Parameter(f"former_{old}", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hidden)
        )
    named = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters]
    edit.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
    return edit


def _parameter(flag: Flag) -> str:
    """The name of a flag's parameter, apart from the command's own ones."""
    return f"parameter_{flag.name}"


def _name_clips(files: Any, inputs: dict[str, str]) -> Any:
    """Names for the files of a parameter that names clips; the names go into the history, the files into ``inputs``."""
    if not isinstance(files, str):
        return [_name_clips(file, inputs) for file in files]
    stem = re.sub(r"\W+", "_", PurePath(files.removeprefix(SAMPLE)).stem) or "clip"
    name = stem
    number = 2
    while name == SOURCE or inputs.get(name, files) != files:
        name, number = f"{stem}_{number}", number + 1
    inputs[name] = files
    return name
