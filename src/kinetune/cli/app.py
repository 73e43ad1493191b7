"""The application: hand-written commands, one command for each operation, and one place where errors become messages.

A command is loaded when it is run or when its help is shown; the others are names in a table.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command, get_group

from kinetune.cli.generated.operation_list import command_name, escaped, operation_files, summary, tag_of, unmarked
from kinetune.cli.options import HELP_FLAGS, PlainCommand, PlainGroup, in_flags
from kinetune.errors import KinetuneError
from kinetune.progress import reporting

LOOK = "Look"
RUN = "Convert and run"
MAKE = "Make motion from examples"
LIBRARY = "Search a library"
DRAW = "Drawings"
EDIT = "Edit: one command for each operation"

_PANELS = {  # command to module
    LOOK: {
        "info": "inspect_commands",
        "doctor": "inspect_commands",
        "measure": "inspect_commands",
        "draw": "figure_commands",
        "film": "figure_commands",
        "samples": "inspect_commands",
        "operations": "inspect_commands",
        "physics": "physics_commands",
        "reproduce": "evidence_commands",
    },
    RUN: {
        "convert": "run_commands",
        "apply": "run_commands",
        "clean": "clean_command",
        "batch": "library_commands",
        "studio": "studio_commands",
        "blender": "studio_commands",
        "warmup": "run_commands",
        "bench": "evidence_commands",
        "version": "inspect_commands",
        "completion": "run_commands",
    },
    LIBRARY: {
        "index": "index_commands",
        "find": "index_commands",
        "duplicates": "index_commands",
        "transitions": "index_commands",
    },
    DRAW: {
        "morph": "drawing_commands",
        "inbetween": "drawing_commands",
        "gait": "drawing_commands",
        "contour": "contour_commands",
    },
}
_WRITTEN = {name: (panel, module) for panel, names in _PANELS.items() for name, module in names.items()}
_OTHER_NAMES = {  # what people type, by the commands that do it
    "film": "render video play mp4 gif",
    "studio": "open view edit gui show ui",
    "trim": "cut crop slice",
    "arrange": "concat append sequence",
    "splice": "join stitch transition",
    "blend": "mix interpolate",
    "smooth": "filter",
    "denoise": "dejitter",
    "convert": "export import",
    "equalize": "eq exaggerate",
    "doctor": "check validate lint diagnose",
    "measure": "stats compare quality",
    "samples": "list ls examples",
    "retime": "speed slow stretch",
    "mirror": "flip",
    "turn": "rotate",
    "move": "translate shift",
    "clean": "fix repair",
    "plant-feet": "footslide footskate feet",
    "reach": "ik",
    "filter-dynamics": "simulate dynamics",
    "find": "search query",
}
_GENERATORS = {"reach": "aim", "walk": "follow_footsteps"}  # the names by which people look for them
_ABOUT_GENERATORS = {
    "reach": "Make a hand, a fingertip or a tool meet a target exactly; the same as aim.",
    "walk": "Walk along a path or over footsteps; the same as follow-footsteps.",
}


@functools.cache
def _written(name: str) -> Any:
    """A hand-written command: the function, or the group of commands, of that name in its module."""
    panel, module = _WRITTEN[name]
    definition = getattr(importlib.import_module(f"kinetune.cli.commands.{module}"), name)
    if isinstance(definition, typer.Typer):
        command: Any = get_group(definition)
    else:
        one = typer.Typer(add_completion=False)
        one.command(name, cls=PlainCommand)(definition)
        command = get_command(one)
    command.rich_help_panel = panel
    return command


class OperationCommand(TyperCommand):
    """An operation that is listed but not loaded; parsing its arguments loads it."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return self.loaded().make_context(info_name, args, parent=parent, **extra)

    def loaded(self) -> Any:
        """The command with its flags."""
        if str(self.name) in _WRITTEN:
            return _written(str(self.name))
        from kinetune.cli.generated.operation_commands import command_of
        from kinetune.operations import find_operation

        name = str(self.name)
        return command_of(find_operation(_GENERATORS.get(name) or tag_of(name)), name)


class CommandGroup(PlainGroup):
    """Hand-written commands first, then one for each operation."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [
            *_WRITTEN,
            *_GENERATORS,
            *(name for name in map(command_name, operation_files()) if name not in _WRITTEN),
        ]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        tag = _GENERATORS.get(cmd_name) or tag_of(cmd_name)
        file = operation_files().get(tag)
        if file is None and cmd_name in _WRITTEN:
            return _written(cmd_name)
        if file is not None:
            name = cmd_name if cmd_name in _GENERATORS else command_name(tag)
            panel = MAKE if cmd_name in _GENERATORS else RUN if cmd_name in _WRITTEN else EDIT
            about = _ABOUT_GENERATORS.get(name) or unmarked(summary(file))
            return OperationCommand(name, help=escaped(about), rich_help_panel=panel)
        from kinetune.cli.generated.operation_commands import command_of
        from kinetune.operations import OPERATIONS

        return command_of(OPERATIONS[tag]) if tag in OPERATIONS else None  # registered by someone's own code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] == "help":
            args = [*args[1:2], "--help"]
            if len(args) == 1:
                print(ctx.get_help())
                ctx.exit()
        return super().resolve_command(ctx, args)

    def near(self, ctx: Any, word: str) -> list[str]:
        return [name for name, others in _OTHER_NAMES.items() if word in others.split()] or super().near(ctx, word)

    def invoke(self, ctx: Any) -> Any:
        try:
            with reporting(_print_wait):
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KinetuneError as error:
            _stop(in_flags(str(error)), 1)
        except KeyboardInterrupt:
            _stop("stopped.", 130)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone
            raise typer.Exit(141) from None
        except (typer.Exit, typer.Abort):
            raise
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            _stop(f"{place}{(error.strerror or str(error)).lower()}.", 1)
        except MemoryError:
            _stop("there is not enough memory for this. Cut the clip into parts with: kinetune trim", 1)


def _print_wait(share: float | None, text: str) -> None:
    """Say at a terminal what is waited for (kernels that are compiled) where no progress bar does."""
    if share is None and sys.stderr.isatty():
        print(f"kinetune: {text} ...", file=sys.stderr)


def _stop(sentence: str, code: int) -> None:
    """Tell the user in one sentence and leave; ``KINETUNE_DEBUG=1`` shows the traceback above it."""
    if os.environ.get("KINETUNE_DEBUG", "") not in ("", "0"):
        traceback.print_exc()
    print(f"kinetune: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None


app = typer.Typer(
    name="kinetune",
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=HELP_FLAGS,
    epilog="A FILE may be sample:NAME, a clip that ships with Kinetune. Help on a command: kinetune smooth --help. "
    "Terms: docs/glossary.md",
)


def _version(asked: bool) -> None:
    if asked:
        from kinetune.cli.commands.inspect_commands import version

        version()
        raise typer.Exit


@app.callback()
def about(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, metavar="", help="Print the version."
    ),
) -> None:
    """Edit motion the way a studio edits sound."""
