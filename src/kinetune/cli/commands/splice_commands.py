"""The command that joins two motions: kinetune splice a.bvh b.bvh -o double.bvh."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from kinetune.cli.commands.run_commands import MeasureOption, run_and_tell
from kinetune.cli.options import ForceOption, JsonOption, SourceArgument, TargetOption, reads_files

PARAMETERS = "Parameters"


@reads_files
def splice(
    *,
    source: SourceArgument,
    target: TargetOption,
    second: Annotated[
        str | None, typer.Argument(metavar="SECOND", help="The motion that follows, or sample:NAME.")
    ] = None,
    named: Annotated[
        str | None,
        typer.Option(
            "--second", metavar="FILE", help="The same, by name.", rich_help_panel=PARAMETERS, show_default=False
        ),
    ] = None,
    event: Annotated[
        Literal["auto", "kick", "punch", "none"],
        typer.Option("--event", help="Which throw to keep whole in both clips.", rich_help_panel=PARAMETERS),
    ] = "auto",
    heading: Annotated[
        Literal["auto", "start", "seam", "keep"],
        typer.Option("--heading", help="How the second clip is turned.", rich_help_panel=PARAMETERS),
    ] = "auto",
    window_s: Annotated[
        float | None,
        typer.Option(
            "--blend-s",
            "--window-s",
            metavar="NUMBER",
            help="Seconds that the blend takes.",
            rich_help_panel=PARAMETERS,
        ),
    ] = None,
    choice: Annotated[
        int, typer.Option("--choice", metavar="INTEGER", help="0 is the best match.", rich_help_panel=PARAMETERS)
    ] = 0,
    tries: Annotated[
        int,
        typer.Option(
            "--tries", metavar="INTEGER", help="Filter so many seams and take the best.", rich_help_panel=PARAMETERS
        ),
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="INTEGER", help="Move the boundary by chance.", rich_help_panel=PARAMETERS),
    ] = None,
    shift_s: Annotated[
        float | None,
        typer.Option("--shift-s", metavar="NUMBER", help="How far at most, in seconds.", rich_help_panel=PARAMETERS),
    ] = None,
    physics: Annotated[
        bool, typer.Option("--filter-dynamics", metavar="", help="Filter the dynamics of the result as well.")
    ] = False,
    plant: Annotated[bool, typer.Option("--plant-feet", metavar="", help="Plant the feet afterwards.")] = False,
    force: ForceOption = False,
    measure: MeasureOption = False,
    as_json: JsonOption = False,
    reading: dict[str, Any],
) -> None:
    """Let one motion pass into another at the best moment: a double kick out of two kicks."""
    from kinetune.operations import find_operation

    parameters: dict[str, Any] = {"event": event, "heading": heading, "choice": choice, "tries": tries, "seed": seed}
    given = {"blend_s": window_s, "shift_s": shift_s}
    parameters |= {name: value for name, value in given.items() if value is not None}
    following = second if second is not None else named
    if following is None:
        raise typer.BadParameter("name the motion that follows, as in: kinetune splice a.bvh b.bvh -o double.bvh")
    steps = [find_operation("splice")(second="second", **parameters)]
    steps += [find_operation("filter_dynamics")(search=tries > 1)] if physics else []
    steps += [find_operation("plant_feet")()] if plant else []
    inputs = {"second": following}
    run_and_tell(steps, source, inputs, target, force=force, measure=measure, as_json=as_json, reading=reading)
