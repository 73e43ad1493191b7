"""The application: hand-written commands, one command for each operation, and one place where errors become words."""

from __future__ import annotations

import difflib
import functools
import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from kinetune.cli import (
    bench_commands,
    contour_commands,
    drawing_commands,
    inspect_commands,
    library_commands,
    physics_commands,
    reach_commands,
    reproduce_commands,
    run_commands,
    splice_commands,
    studio_commands,
    walk_commands,
)
from kinetune.cli.operation_list import command_name, escaped, list_operations, tag_of, unmarked
from kinetune.cli.options import HELP_FLAGS
from kinetune.errors import KinetuneError

LOOK = "Look"
RUN = "Convert and run"
DRAW = "Drawings"
EDIT = "Edit: one command for each operation"


class OperationCommand(TyperCommand):
    """An operation that is listed but not loaded; parsing its arguments loads it."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        from kinetune.cli.operation_commands import command_of
        from kinetune.operations import find_operation

        loaded = command_of(find_operation(tag_of(str(self.name))))
        return loaded.make_context(info_name, args, parent=parent, **extra)


class Commands(TyperGroup):
    """Hand-written commands first, then one for each operation."""

    def list_commands(self, ctx: Any) -> list[str]:
        written = super().list_commands(ctx)
        return [*written, *(name for name in map(command_name, _operations()) if name not in written)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        written = super().get_command(ctx, cmd_name)
        if written is not None:
            return written
        tag = tag_of(cmd_name)
        summary = _operations().get(tag)
        if summary is not None:
            return OperationCommand(command_name(tag), help=escaped(unmarked(summary)), rich_help_panel=EDIT)
        from kinetune.cli.operation_commands import command_of
        from kinetune.operations import OPERATIONS

        return command_of(OPERATIONS[tag]) if tag in OPERATIONS else None  # registered by someone's own code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f'There is no command "{args[0]}".{hint}')
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KinetuneError as error:
            _stop(str(error), 1)
        except KeyboardInterrupt:
            _stop("stopped.", 130)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone; nobody to tell
            raise typer.Exit(141) from None
        except (typer.Exit, typer.Abort):
            raise
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            _stop(f"{place}{(error.strerror or str(error)).lower()}.", 1)
        except MemoryError:
            _stop("there is not enough memory for this. Cut the clip into parts with: kinetune trim", 1)


@functools.cache
def _operations() -> dict[str, str]:
    return list_operations()


def _stop(sentence: str, code: int) -> None:
    """Tell the user in one sentence and leave; ``KINETUNE_DEBUG=1`` shows the traceback above it."""
    if os.environ.get("KINETUNE_DEBUG", "") not in ("", "0"):
        traceback.print_exc()
    print(f"kinetune: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None


app = typer.Typer(
    name="kinetune",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=HELP_FLAGS,
    epilog="A FILE may be sample:NAME, a clip that ships with Kinetune. Help on a command: kinetune smooth --help",
)


def _version(asked: bool) -> None:
    if asked:
        inspect_commands.version()
        raise typer.Exit


@app.callback()
def about(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, metavar="", help="Print the version."
    ),
) -> None:
    """Edit motion the way a studio edits sound."""


for _command in (inspect_commands.info, inspect_commands.doctor, inspect_commands.measure, inspect_commands.samples):
    app.command(rich_help_panel=LOOK)(_command)
app.command(rich_help_panel=LOOK)(inspect_commands.operations)
app.command(rich_help_panel=LOOK)(physics_commands.physics)
app.command(rich_help_panel=LOOK)(reproduce_commands.reproduce)
app.command(rich_help_panel=RUN)(run_commands.convert)
app.command(rich_help_panel=RUN)(run_commands.apply)
app.command(rich_help_panel=RUN)(reach_commands.reach)
app.command(rich_help_panel=RUN)(walk_commands.walk)
app.command(rich_help_panel=RUN)(splice_commands.splice)
app.command(rich_help_panel=RUN)(library_commands.batch)
app.command(rich_help_panel=RUN)(studio_commands.studio)
app.command(rich_help_panel=RUN)(run_commands.warmup)
app.command(rich_help_panel=RUN)(bench_commands.bench)
app.command(rich_help_panel=RUN)(inspect_commands.version)
app.command(rich_help_panel=DRAW)(drawing_commands.morph)
app.command(rich_help_panel=DRAW)(drawing_commands.inbetween)
app.command(rich_help_panel=DRAW)(drawing_commands.gait)
app.add_typer(contour_commands.contour, rich_help_panel=DRAW)
