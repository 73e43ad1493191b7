"""Options that many commands share, each declared once."""

from __future__ import annotations

import difflib
import fnmatch
import functools
import glob
import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kinetune.errors import did_you_mean, nearest

HELP_FLAGS = {"help_option_names": ["-h", "--help"]}
READING = "How the file is read"

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A motion file, or sample:NAME (list them with: kinetune samples).")
]
SourceArgument = Annotated[str, typer.Argument(metavar="IN", help="The motion file to edit, or sample:NAME.")]
TargetOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="OUT", help="The file to write; its suffix chooses the format.")
]
CharacterOption = Annotated[
    Path | None,
    typer.Option(
        "--character",
        metavar="FILE",
        help="A character (.glb, .gltf or .fbx, as OUT) with the same skeleton to put the motion on.",
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", metavar="", help="Let the result replace an input file; write it even if it is refused."),
]
JsonOption = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON for a program to read.")]

InputsOption = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=FILE", help="Another clip that the recipe names; repeat for more."),
]
ExamplesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--examples",
        metavar="PATTERN",
        help="Example clips, such as 'reach/*.bvh' or 'sample:pour-*'; repeat for more. (default: embedded examples)",
        show_default=False,
    ),
]
LIBRARY = "Whole libraries"
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", help="How many processes; all cores by default.", rich_help_panel=LIBRARY),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, tls://...", rich_help_panel=LIBRARY),
]
ClipTimeoutOption = Annotated[
    float | None,
    typer.Option(
        "--clip-timeout",
        metavar="SECONDS",
        min=1.0,
        help="Give up on a clip that takes longer; half an hour by default.",
        rich_help_panel=LIBRARY,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--to", metavar="FORMAT", help="The format of the results, such as glb.", rich_help_panel=LIBRARY),
]
ResumeOption = Annotated[
    bool,
    typer.Option("--resume", metavar="", help="Keep earlier results that are still valid.", rich_help_panel=LIBRARY),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", metavar="", help="Exit with 1 if any clip fails.", rich_help_panel=LIBRARY),
]

READ_OPTIONS: dict[str, tuple[type, str, str, str]] = {
    "unit": (str, "--unit", "UNIT", "Unit of the file: m, dm, cm, mm, in, ft, cmu, or metres per unit as a number."),
    "up": (str, "--up", "AXIS", "The axis that points up in the file: x, y or z."),
    "fps": (float, "--fps-in", "NUMBER", "Frames per second, overriding the files."),
    "partial": (bool, "--partial", "", "Keep the complete frames of a truncated file."),
    "skeleton": (Path, "--skeleton", "FILE", "The file that holds the body: an .asf, an SMPL body, a robot."),
    "animation": (str, "--animation", "NAME", "Which animation of a file that holds several, by name or number."),
    "take": (str, "--take", "NAME", "Which take of an FBX file, by name or number; the same as --animation."),
    "positions": (
        str,
        "--positions",
        "absolute|relative",
        "Whether position channels of a BVH replace a joint's offset or add to it.",
    ),
    "joints": (str, "--joints-in", "NAMES", "Joint names for an array or table without any: Hips,Spine,Head."),
}
"""Argument of :func:`kinetune.read` -> (type, flag, metavar, words)."""

_SHORT = {"joints": "--joints", "skeleton": "--model"}  # flags that commands without an option of that name take too


def flag_of(override: str) -> str:
    """The flag for a reading option as a finding names it: ``unit`` is ``--unit UNIT``, ``unit="cm"`` ``--unit cm``."""
    name, _, value = (part.strip() for part in override.partition("="))
    if name not in READ_OPTIONS:
        raise ValueError(f"a finding names the option {name!r}, which is no argument of kinetune.read")
    kind, flag, metavar, _ = READ_OPTIONS[name]
    return flag if kind is bool else f"{flag} {value.strip(chr(34) + chr(39)) or metavar}"


_IN_PYTHON = re.compile(rf"\b({'|'.join(READ_OPTIONS)})=[\w.]*(?: \((--[^)]*)\))?| \([^()]* in Python\)")


def in_flags(message: str) -> str:
    """A message of the library as the command line says it: ``partial=True (--partial)`` is ``--partial``."""
    return _IN_PYTHON.sub(lambda part: part[2] or (READ_OPTIONS[part[1]][1] if part[1] else ""), message)


class WrongUsage(typer.BadParameter):
    """A command that was called in a way that makes no sense: which flag, if it is one, and what to do instead."""

    def format_message(self) -> str:
        if self.param_hint:
            return f"{self.param_hint}: {self.message}"
        return f"{self.message[0].upper()}{self.message[1:]}"


Command = Callable[..., None]


class PlainHelp:
    """Help that names what to give, IN or FILE, and not the Python type that it becomes."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def get_params(self, ctx: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None
            elif getattr(parameter, "is_flag", False) and parameter.metavar is None:
                parameter.metavar = ""
        return parameters


_NO_CHOICE = re.compile(r"(?:Value error, )?'(?P<given>.*)' is not one of (?P<known>'.*')\.", re.DOTALL)
_NO_NUMBER = re.compile(r"(?:Input should be|'.*' is not) a valid (?P<kind>number|integer|float)\b", re.DOTALL)


class PlainCommand(PlainHelp, TyperCommand):
    """A command with plain help that says what to do about a wrong flag."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return _with_plain_errors(super().parse_args, ctx, args)


def _with_plain_errors(parse: Callable[[Any, list[str]], list[str]], ctx: Any, args: list[str]) -> list[str]:
    try:
        return parse(ctx, args)
    except Exception as error:
        text = _plain_usage(error, ctx)
        if text is not None:
            ctx.fail(text)
        raise


def _plain_usage(error: Exception, ctx: Any) -> str | None:
    """What is wrong with the flags of a command and what to do; None where Typer says it well enough."""
    if hasattr(error, "possibilities"):
        near = did_you_mean(error.possibilities or (), mark="")
        return f"There is no option {error.option_name}.{near or f' List them all with: {ctx.command_path} --help'}"  # type: ignore[attr-defined]
    option = getattr(error, "param", None)
    message = getattr(error, "message", "")
    if option is not None and option.param_type_name == "argument" and not message:
        return f"{option.metavar} is missing: {option.help[0].lower()}{option.help[1:]}"
    if option is None or option.param_type_name != "option":
        return None
    if "-o" in option.opts and not message:
        many = any(p.name == "sources" for p in ctx.command.params) and option.metavar != "DIR"
        what = f"-o {option.metavar} is missing: {option.help[0].lower()}{option.help[1:]}"
        return f"{what} For many clips, name a folder." if many else what
    number = _NO_NUMBER.match(message)
    if number is not None:
        whole = "whole " if number["kind"] == "integer" else ""
        return f"{option.opts[0]} must be a {whole}number, without a unit."
    choice = _NO_CHOICE.fullmatch(message)
    if choice is None:
        return None
    known = re.findall(r"'([^']*)'", choice["known"])
    near = did_you_mean(nearest(choice["given"], known, 1), mark="")
    return f'{option.opts[0]}: there is no "{choice["given"]}".{near} It takes {", ".join(known)}.'


class PlainGroup(PlainHelp, TyperGroup):
    """A group of commands with plain help, which names the nearest command where there is none of a name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return _with_plain_errors(super().parse_args, ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            if ctx.parent is None and Path(args[0]).is_file():
                ctx.fail(f"{args[0]} is a file. Say what to do with it, as in: kinetune info {args[0]}")
            hint = did_you_mean(self.near(ctx, args[0].lower()), mark="")
            ctx.fail(f'There is no command "{args[0]}".{hint or f" List them all with: {ctx.command_path} --help"}')
        return super().resolve_command(ctx, args)

    def near(self, ctx: Any, word: str) -> list[str]:
        """The commands that somebody may have meant."""
        return difflib.get_close_matches(word, self.list_commands(ctx), n=3, cutoff=0.6)


def reads_files(command: Command) -> Command:
    """Give a command the options that decide how a file is read; it receives those that were used as ``reading``."""
    return collecting(command, "reading", lambda declared: _reading_parameters(_flags(declared)), _given)


def edits_libraries(command: Command) -> Command:
    """Give a command the options of editing many files; it receives them as ``library``."""
    return collecting(command, "library", lambda declared: _LIBRARY_PARAMETERS, dict)


def collecting(
    command: Command,
    argument: str,
    added: Callable[[Sequence[inspect.Parameter]], Sequence[inspect.Parameter]],
    collect: Callable[[dict[str, Any]], Any],
) -> Command:
    """Give a command more options; it receives what ``collect`` makes of their values, by name, as one argument.

    added : the options, given those that the command declares itself.
    """
    signature = inspect.signature(command, eval_str=True)
    declared = [p for p in signature.parameters.values() if p.name != argument]
    more = added(declared)

    @functools.wraps(command)
    def extended(**values: Any) -> None:
        collected = collect({p.name: values.pop(p.name) for p in more})
        command(**values, **{argument: collected})

    parameters = [*(p.replace(kind=p.KEYWORD_ONLY) for p in declared), *more]
    extended.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return extended


def keyword(name: str, annotation: Any, *, default: Any = None, required: bool = False) -> inspect.Parameter:
    """A parameter of a command, which is what Typer reads."""
    default = inspect.Parameter.empty if required else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def named_files(pairs: Sequence[str]) -> dict[str, str]:
    """What ``--input NAME=FILE`` gave, by name."""
    files: dict[str, str] = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise WrongUsage(f'"{pair}" is not NAME=FILE.', param_hint="--input")
        files[name.strip()] = path.strip()
    return files


def example_files(patterns: Sequence[str]) -> list[str]:
    """The files and samples that match some patterns, each once."""
    from kinetune.errors import FileError
    from kinetune.recipes.sources import SAMPLE
    from kinetune.samples import samples

    files: list[str] = []
    for pattern in patterns:
        if pattern.startswith(SAMPLE):
            names = fnmatch.filter(samples(), pattern.removeprefix(SAMPLE))
            matching = [SAMPLE + name for name in names] or [pattern]  # an unknown name is reported when it is opened
        else:
            matching = sorted(glob.glob(pattern, recursive=True))
        if not matching:
            raise FileError(pattern, "there is no such file.", advice="Put a pattern in quotes: 'reach/*.bvh'.")
        files += [file for file in matching if file not in files]
    return files


def _flags(parameters: Sequence[inspect.Parameter]) -> set[str]:
    """The flags that parameters of a command declare."""
    extras = [extra for p in parameters for extra in getattr(p.annotation, "__metadata__", ())]
    first = (getattr(extra, "default", None) for extra in extras)  # where Typer keeps the first flag
    return {*(flag for extra in extras for flag in getattr(extra, "param_decls", None) or ()), *map(str, first)}


def _reading_parameters(declared: set[str]) -> list[inspect.Parameter]:
    parameters = []
    for name, (kind, flag, metavar, text) in READ_OPTIONS.items():
        flags = [flag, _SHORT[name]] if name in _SHORT and _SHORT[name] not in declared else [flag]
        option = typer.Option(*flags, help=text, metavar=metavar, rich_help_panel=READING, show_default=False)
        annotation = Annotated[kind if kind is bool else kind | None, option]  # type: ignore[valid-type]
        default = False if kind is bool else None
        parameters.append(keyword(f"read_{name}", annotation, default=default))
    return parameters


def _given(used: dict[str, Any]) -> dict[str, Any]:
    given = {
        name.removeprefix("read_"): value for name, value in used.items() if value is not None and value is not False
    }
    for name in ("animation", "take"):
        if str(given.get(name, "")).isdigit():
            given[name] = int(given[name])
    return given


_LIBRARY_PARAMETERS = (
    keyword("to", FormatOption),
    keyword("jobs", JobsOption),
    keyword("scheduler", SchedulerOption),
    keyword("resume", ResumeOption, default=False),
    keyword("strict", StrictOption, default=False),
    keyword("clip_timeout", ClipTimeoutOption),
)
