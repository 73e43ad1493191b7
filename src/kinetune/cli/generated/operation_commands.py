"""One command for each operation, generated from its declaration: flags, types, bounds, defaults and texts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from kinetune.cli.commands.run_commands import MeasureOption, run_and_report
from kinetune.cli.generated.flags import Flag, flags_of
from kinetune.cli.generated.operation_list import command_name, escaped, unmarked
from kinetune.cli.options import (
    HELP_FLAGS,
    CharacterOption,
    Command,
    ExamplesOption,
    ForceOption,
    JsonOption,
    PlainCommand,
    TargetOption,
    WrongUsage,
    collecting,
    example_files,
    keyword,
    reads_files,
)
from kinetune.errors import FileError, ParameterError
from kinetune.operations import Operation, find_operation
from kinetune.operations.base import MovesFeet
from kinetune.recipes.sources import SAMPLE, SOURCE, is_pattern, is_sample

if TYPE_CHECKING:
    from kinetune.cli.generated._pictures import ResultPicture

PARAMETERS = "Parameters"
PICTURES_PANEL = "Pictures"
AFTERWARDS = {
    "filter_dynamics": "Filter the dynamics afterwards, so that a body could perform the motion.",
    "plant_feet": "Plant the feet afterwards, so that they do not slide.",
}
"""Operations that may follow any other on the command line, in this order."""
EXAMPLES = {
    "aim": '--joint "right hand" --at 0.2,1.3,0.5',
    "align": "walk.bvh run.bvh",
    "arrange": "walk.bvh run.bvh",
    "blend": "walk.bvh run.bvh --weight 0.5",
    "displace": "walk.bvh --keys '[{time_s: 1, joint: right hand, move: [0, 0.2, 0]}]'",
    "equalize": "walk.bvh --preset exaggerate",
    "follow_footsteps": "--path circle:r=2",
    "hold": 'wave.bvh --joint "right hand" --start-s 0.8 --end-s 1.6',
    "move": "walk.bvh --floor zero",
    "reinterpret": "walk.bvh --fps 60",
    "resample": "walk.bvh --fps 30",
    "retarget": "walk.bvh --to hero.bvh",
    "retime": "walk.bvh --speed 0.5",
    "shape": 'walk.bvh --curve "cap(-0.5, 0.5)" --joints "right arm"',
    "splice": "walk.bvh run.bvh",
    "trim": "walk.bvh --start-s 1 --end-s 3",
    "turn": "walk.bvh --angle-deg 90",
}
"""What the help of a command ends with, by operation; the others need a clip and nothing more."""
OptionalSource = Annotated[
    str | None,
    typer.Argument(metavar="IN", help="A clip to start from, or sample:NAME; embedded examples when left out."),
]
SourcesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="IN", help="The motion to edit: a file, sample:NAME, or many files and patterns with -o DIR."
    ),
]
OtherSourcesArgument = Annotated[
    list[str],
    typer.Argument(metavar="IN", help="The motion to edit and the other clips: files, or sample:NAME."),
]
RegionOption = Annotated[
    str | None,
    typer.Option(
        "--region",
        metavar="START,STOP",
        help="The seconds to change, such as 1.5,3; the whole clip by default. A third number is how long the change "
        "takes to ease in and out (0.3 s).",
    ),
]


def command_of(operation: type[Operation], name: str | None = None) -> Any:
    """The command of an operation: ``kinetune smooth IN -o OUT --cutoff-hz 6``.

    A generator needs no clip: ``kinetune aim --at 0.1,1.3,0.4 -o OUT`` takes the embedded examples, or those of
    ``--examples``. An operation that needs a pair takes the other clip as a second argument.

    name : the name of the command, where it is not that of the operation.
    """
    flags = flags_of(operation)
    name = name or command_name(operation.tag())
    pictures = _pictures_of(operation)

    def edit(**values: Any) -> None:
        parameters = _given_parameters(operation, flags, values)
        if values.get("region") is not None:
            parameters["region"] = _region(values["region"])
        many = _is_library(values)
        source, inputs = _name_inputs(operation, name, parameters, values, many=many)
        steps = [_made(operation, parameters), *_following(parameters, values)]
        picture_files = [(flag, values[f"picture_{flag}"]) for flag in pictures]
        if many:
            _edit_many(steps, inputs, values, pictures=any(file is not None for _, file in picture_files))
            return
        run_and_report(
            steps,
            source,
            inputs,
            values["target"],
            force=values["force"],
            measure=values["measure"],
            as_json=values["as_json"],
            reading=values["reading"],
            character=values["character"],
            pictures=[(file, pictures[flag].draw) for flag, file in picture_files if file is not None],
        )
        if not parameters and steps == [operation.neutral()] and not values["as_json"]:
            advice = f"List them with: kinetune {name} --help"
            if operation.tag() in EXAMPLES:
                advice = _example(operation, name)
            print(f"Nothing is changed: no parameter was given. {advice}")

    edit.__signature__ = inspect.Signature(list(_declared(operation, flags)))  # type: ignore[attr-defined]
    one = typer.Typer(add_completion=False)
    one.command(
        name,
        cls=PlainCommand,
        help=escaped(unmarked(operation.description())),
        epilog=escaped(_example(operation, name)),
        context_settings=HELP_FLAGS,
    )(reads_files(edit))
    return get_command(one)


def _example(operation: type[Operation], name: str) -> str:
    return f"For example: kinetune {name} {EXAMPLES.get(operation.tag(), 'walk.bvh')} -o out.bvh"


def _declared(operation: type[Operation], flags: Sequence[Flag]) -> Iterator[inspect.Parameter]:
    """The parameters of a command, which is what Typer reads: those that all have, and one for each flag."""
    if operation.embedded:
        yield keyword("source", OptionalSource)
    else:
        many = OtherSourcesArgument if _takes_others(operation) else SourcesArgument
        yield keyword("sources", many, required=True)
    yield keyword("target", TargetOption, required=True)
    if operation.embedded:
        yield keyword("examples", ExamplesOption)
    yield keyword("character", CharacterOption)
    for shared, option in (("force", ForceOption), ("measure", MeasureOption), ("as_json", JsonOption)):
        yield keyword(shared, option, default=False)
    for tag, text in AFTERWARDS.items():
        if tag != operation.tag():
            option = typer.Option(f"--{command_name(tag)}", metavar="", help=text)
            yield keyword(f"then_{tag}", Annotated[bool, option], default=False)
    for name, picture in _pictures_of(operation).items():
        option = typer.Option(
            f"--{command_name(name)}", metavar="FILE", help=picture.text, rich_help_panel=PICTURES_PANEL
        )
        yield keyword(f"picture_{name}", Annotated[Path | None, option])
    if operation.takes_region:
        yield keyword("region", RegionOption)
    yield from _parameters(flags)
    for old, new in operation.former_names.items():
        kind = next(flag.annotation for flag in flags if flag.name == new)
        yield keyword(f"former_{old}", Annotated[kind, typer.Option(f"--{command_name(old)}", hidden=True)])
    yield keyword("reading", dict[str, Any], required=True)


def _parameters(flags: Sequence[Flag]) -> Iterator[inspect.Parameter]:
    for flag in flags:
        option = typer.Option(
            *flag.names, help=escaped(flag.help), metavar=flag.metavar, rich_help_panel=PARAMETERS, show_default=False
        )
        annotation = Annotated[flag.annotation, option]  # type: ignore[name-defined]
        yield keyword(f"parameter_{flag.name}", annotation, required=flag.info.is_required())


def takes_parameters(operation: type[Operation]) -> Callable[[Command], Command]:
    """Give a hand-written command the flags of an operation; it receives the operation as ``operation``."""
    flags = flags_of(operation)

    def made(values: dict[str, Any]) -> Operation:
        return _made(operation, _given_parameters(operation, flags, values))

    return lambda command: collecting(command, "operation", lambda declared: list(_parameters(flags)), made)


def _pictures_of(operation: type[Operation]) -> Mapping[str, ResultPicture]:
    """The pictures of its result that a command can draw, by flag."""
    from kinetune.cli.generated._pictures import PICTURES

    return PICTURES.get(operation.tag(), {})


def _given_parameters(operation: type[Operation], flags: Sequence[Flag], values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given, as the operation takes them."""
    by_name = {flag.name: flag for flag in flags}
    given = [(flag, values[f"parameter_{flag.name}"]) for flag in flags]
    given += [(by_name[new], values[f"former_{old}"]) for old, new in operation.former_names.items()]
    parameters = {flag.name: flag.value(value) for flag, value in given if value not in (None, [])}
    if issubclass(operation, MovesFeet) and any(values.get(f"then_{tag}") for tag in operation.leaves_feet_to):
        parameters.setdefault("keep_feet", False)  # the next step does that
    if operation.goals and not any(goal in parameters for goal in operation.goals):
        *first, last = (by_name[goal].option for goal in operation.goals)
        raise WrongUsage(f"give a target: {', '.join(first)} or {last}.")
    return parameters


def _made(operation: type[Operation], parameters: Mapping[str, Any]) -> Operation:
    """The operation, or an error that names the flags that do not fit."""
    try:
        return operation(**parameters)
    except ParameterError as error:
        names = re.compile(rf"\b({'|'.join(operation.parameters())})\b(?= is )")
        raise ParameterError(names.sub(lambda name: "--" + command_name(name[1]), str(error))) from None


def _region(text: str) -> dict[str, float]:
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3):
        raise WrongUsage(
            "give two or three times in seconds, separated by commas, such as 1.5,3.", param_hint="--region"
        )
    return dict(zip(("start_s", "stop_s", "ease_s"), numbers, strict=False))


def _is_library(values: Mapping[str, Any]) -> bool:
    """Whether many clips are edited, into a folder: a pattern or a folder is named, or OUT is no file."""
    sources, target = values.get("sources") or (), Path(values["target"])
    if not sources:
        return False
    folder = target.is_dir() or not target.suffix
    if not folder and any(map(is_pattern, sources)):
        raise WrongUsage(
            f"{target} is one file, and these are many clips; name a folder, such as -o {target.stem}.",
            param_hint="--output",
        )
    return folder and (target.is_dir() or len(sources) > 1 or any(map(is_pattern, sources)))


def _edit_many(
    steps: Sequence[Operation], inputs: Mapping[str, str], values: Mapping[str, Any], *, pictures: bool
) -> None:
    """Edit every clip of a library as ``kinetune batch`` does with a recipe."""
    from kinetune.cli.commands.library_commands import edit_and_report
    from kinetune.recipes import Recipe

    if pictures or values["character"] is not None:
        raise WrongUsage("pictures and --character work with one motion at a time.")
    edit_and_report(
        Recipe(steps=tuple(steps)),
        values["sources"],
        values["target"],
        to=None,
        jobs=None,
        scheduler=None,
        resume=False,
        strict=True,
        measures=values["measure"],
        clip_timeout=None,
        as_json=values["as_json"],
        reading=values["reading"],
        inputs=inputs,
    )


def _name_inputs(
    operation: type[Operation], name: str, parameters: dict[str, Any], values: Mapping[str, Any], *, many: bool
) -> tuple[str, dict[str, str]]:
    """The file to edit, and the other files by the names that the parameters now hold."""
    sources = values.get("sources")
    source, *others = (values["source"],) if sources is None else sources
    others = [] if many else others
    files = example_files(values.get("examples") or ())
    if source is None and operation.embedded is not None:
        if not files:
            files = example_files([operation.embedded.clips])
            parameters |= {key: value for key, value in operation.embedded.parameters.items() if key not in parameters}
        source, *files = files
    if others:
        _add_others(operation, others, parameters)
    if operation.input_parameters:
        first = operation.input_parameters[0]
        named = any(parameters.get(clips) for clips in operation.input_parameters)
        if (
            not named
            and operation.embedded is None
            and (operation.needs == "pair" or operation.neutral().inputs_needed())
        ):
            raise WrongUsage(f"name the other clip, as in: kinetune {name} a.bvh b.bvh -o out.bvh")
        if files:
            parameters[first] = [*parameters.get(first, ()), *files]
    inputs: dict[str, str] = {}
    for clips in operation.input_parameters:
        if parameters.get(clips) is not None:
            parameters[clips] = _name_clips(parameters[clips], inputs)
    return str(source), inputs


def _takes_others(operation: type[Operation]) -> bool:
    """Whether files after the first are other clips, combined with it, and not more clips to edit."""
    return bool(operation.input_parameters) and operation.combines_bodies


def _add_others(operation: type[Operation], others: Sequence[str], parameters: dict[str, Any]) -> None:
    """Take the files after the first as the other clips of an operation: ``kinetune blend sad.bvh happy.bvh``."""
    lists = {flag.name: flag.is_list for flag in flags_of(operation) if flag.is_clip}
    names = operation.input_parameters if _takes_others(operation) else ()
    free = [name for name in names if parameters.get(name) is None]
    fitting = next((name for name in free if lists[name] or len(others) == 1), None)
    if fitting is None:
        count = len(others) + 1
        if _takes_others(operation):
            raise WrongUsage(f"{count} files were given; {command_name(operation.tag())} takes two.")
        absent = next((other for other in others if not is_sample(other) and not Path(other).exists()), None)
        if absent is not None:
            raise FileError(absent, "there is no such file.", advice="Is it the value of an option?")
        raise WrongUsage(f"{count} files were given; to edit each of them, name a folder with -o DIR.")
    parameters[fitting] = list(others) if lists[fitting] else others[0]


def _following(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> list[Operation]:
    """The operations that were asked for after this one; who tries several seams lets the filter try settings too."""
    more = {"filter_dynamics": {"search": parameters.get("tries", 1) > 1}}
    return [find_operation(tag)(**more.get(tag, {})) for tag in AFTERWARDS if values.get(f"then_{tag}")]


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
