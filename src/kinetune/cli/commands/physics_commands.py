"""Commands on physics: the report card of a clip."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import FileArgument, JsonOption, WrongUsage, reads_files

if TYPE_CHECKING:
    from kinetune.physics.report_card import PhysicsReport

_SHOWN = 6


@reads_files
def physics(
    file: FileArgument,
    as_json: JsonOption = False,
    mu: Annotated[float, typer.Option("--mu", metavar="NUMBER", help="Friction between soles and ground.")] = 1.0,
    mass: Annotated[
        float | None,
        typer.Option(
            "--mass",
            metavar="KG",
            help="Mass of the character; estimated from height and build by default.",
            show_default=False,
        ),
    ] = None,
    props: Annotated[
        list[str] | None,
        typer.Option(
            "--prop",
            metavar="JOINT=KG",
            help="What it carries, such as 'right hand=2'; may be repeated.",
            show_default=False,
        ),
    ] = None,
    sex: Annotated[
        str | None,
        typer.Option(
            "--sex", metavar="male|female", help="Whose mass distribution to use; by default the mean of both."
        ),
    ] = None,
    tables: Annotated[
        str, typer.Option("--tables", metavar="NAME", help="Which table of body segments: de Leva or Dempster.")
    ] = "de Leva",
    ground: Annotated[
        float | None,
        typer.Option("--ground", metavar="METRES", help="Height of the ground; estimated from the feet by default."),
    ] = None,
    cutoff: Annotated[
        float,
        typer.Option(
            "--cutoff-hz", metavar="HZ", help="Smooth to this frequency before judging; 0 judges the clip as it is."
        ),
    ] = 8.0,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the report as a PNG, SVG or PDF.", show_default=False),
    ] = None,
    mjcf: Annotated[
        Path | None,
        typer.Option("--mjcf", metavar="FILE", help="Write the body as MJCF for MuJoCo's viewer.", show_default=False),
    ] = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Judge a motion by physics: could a body move like this, with which forces, friction and torques?"""
    from kinetune.cli.show import bar
    from kinetune.physics.model.body_model import Body
    from kinetune.physics.report_card import physics_report
    from kinetune.recipes import open_clip

    clip = open_clip(file, **reading)
    body = Body.fit(clip.skeleton, mass, sex, tables, clip=clip, props=_props(props or ()))
    with bar():
        report = physics_report(clip, body, mu=mu, ground=ground, cutoff_hz=None if cutoff == 0.0 else cutoff)
    if mjcf is not None:
        from kinetune.formats import write_files

        write_files({mjcf: body.mjcf.encode()})
    if picture is not None:
        from kinetune import figures
        from kinetune.figures.physics_figures import draw_report

        figures.save(draw_report(report, title=f"{file}: physics report"), picture)
    if as_json:
        print(json.dumps(report.as_dict(), indent=2))
    else:
        _tell(report, file)
        for path in filter(None, (picture, mjcf)):
            print(path)


def _props(given: Sequence[str]) -> dict[str, float]:
    """Joints and kilograms from texts such as "right hand=2"."""
    props = {}
    for text in given:
        joint, _, mass = text.rpartition("=")
        try:
            props[joint.strip()] = float(mass)
        except ValueError:
            raise WrongUsage(
                f'"{text}" should be a joint and kilograms, such as "right hand=2".', param_hint="--prop"
            ) from None
    return props


def _tell(report: PhysicsReport, file: str) -> None:
    from kinetune.cli.show import console, print_facts

    print_facts(dict(report.rows()))
    facts = report.as_dict()
    for reason in report.reasons:
        console().print(f"  - {str(reason).replace('FILE', file)}")
    if facts["ranges"]:
        console().print("\nwhere to look")
    for item in facts["ranges"][:_SHOWN]:
        frames = str(item["first"]) if item["first"] == item["last"] else f"{item['first']}-{item['last']}"
        worst, unit = item["worst"], item["unit"]
        size = f"mu {worst:.2f}" if unit == "mu" else f"{100 * worst:.0f} cm" if unit == "m" else f"{worst:.2f} {unit}"
        console().print(f"  frames {frames}: {item['why']} ({size})")
    if len(facts["ranges"]) > _SHOWN:
        console().print(f"  and {len(facts['ranges']) - _SHOWN} more; --json lists them all")
    for note in facts["notes"]:
        console().print(f"\n{note}")
