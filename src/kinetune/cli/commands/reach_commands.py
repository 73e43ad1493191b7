"""The command that aims: a motion between examples that meets a target."""

from __future__ import annotations

import fnmatch
import glob
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import JsonOption, TargetOption, reads_files

if TYPE_CHECKING:
    from kinetune.body.clip import Clip
    from kinetune.inverse.blend.inverse_blend import BlendSolution, InverseBlend
    from kinetune.operations.aim import Aim

_EMBEDDED = "sample:reach-*"
_SHOWN_WEIGHTS = 5


@reads_files
def reach(
    *,
    target: TargetOption,
    examples: Annotated[
        list[str] | None,
        typer.Option(
            "--examples",
            metavar="PATTERN",
            help="Files with examples, such as 'reach/*.bvh' or 'sample:point-*'; the embedded reaches when left out.",
            show_default=False,
        ),
    ] = None,
    joint: Annotated[
        str, typer.Option("--joint", metavar="NAME", help="What is aimed: a joint, a role, or a tip.")
    ] = "right hand",
    at: Annotated[
        str | None, typer.Option("--at", metavar="X,Y,Z", help="The point where it shall be, in metres.")
    ] = None,
    line: Annotated[
        str | None,
        typer.Option("--line", metavar="X,Y,Z,DX,DY,DZ", help="A line on which it shall be: a point and a direction."),
    ] = None,
    facing: Annotated[
        str | None, typer.Option("--facing", metavar="DX,DY,DZ", help="The direction in which its axis shall point.")
    ] = None,
    angle_deg: Annotated[
        float | None, typer.Option("--angle-deg", metavar="DEGREES", help="The angle to that direction, in place of 0.")
    ] = None,
    axis: Annotated[
        str, typer.Option("--axis", metavar="AXIS", help="Which axis: along the bone, ahead, x, -y ... or X,Y,Z.")
    ] = "along",
    turned: Annotated[
        str | None, typer.Option("--turned", metavar="W,X,Y,Z", help="How it shall be turned, as a quaternion.")
    ] = None,
    look_at: Annotated[
        str | None, typer.Option("--look-at", metavar="X,Y,Z", help="A point at which its axis shall point.")
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(
            "--targets",
            metavar="YAML",
            help="Several targets, each with its joint, frame and priority: [{joint: left hand, at: [...]}, ...].",
        ),
    ] = None,
    frame: Annotated[
        int | None,
        typer.Option("--frame", metavar="N", help="When; -1 is the last frame; the moment of the grab when left out."),
    ] = None,
    relative_to: Annotated[
        str | None, typer.Option("--relative-to", metavar="JOINT", help="Give the target in this joint's frame.")
    ] = None,
    offset: Annotated[
        str | None, typer.Option("--offset", metavar="X,Y,Z", help="A point on the joint that is aimed: a tool's tip.")
    ] = None,
    k: Annotated[int, typer.Option("--k", metavar="N", help="How many of the nearest examples count most.")] = 8,
    mode: Annotated[str, typer.Option("--mode", metavar="soft|hard|rbf", help="How examples are chosen.")] = "soft",
    combine: Annotated[
        str, typer.Option("--combine", metavar="squares|norms", help="How errors of several targets add up.")
    ] = "squares",
    rotations: Annotated[
        str, typer.Option("--rotations", metavar="quaternion|expmap", help="How rotations are averaged.")
    ] = "quaternion",
    align: Annotated[
        bool | None,
        typer.Option(
            "--align/--no-align",
            help="Bring all examples to the timing of the first; done where lengths differ when left out.",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact/--no-exact", help="Meet targets just out of reach by inverse kinematics."),
    ] = True,
    place: Annotated[
        bool, typer.Option("--place", metavar="", help="Move all examples to begin where the first does.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", metavar="", help="Refuse a target out of reach.")] = False,
    reach_map: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help="Draw where these examples reach, as a PNG, SVG or PDF."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw the motion and its target.")
    ] = None,
    as_json: JsonOption = False,
    reading: dict[str, Any],
) -> None:
    """Blend examples into a motion whose hand meets a target exactly."""
    from kinetune.formats import check_target, write
    from kinetune.operations.aim import Aim
    from kinetune.recipes.plain_yaml import parse_yaml

    check_target(target)
    files = _files(examples or [_EMBEDDED])
    names = tuple(str(number) for number in range(1, len(files)))
    aim = Aim(
        others=names,
        targets=() if targets is None else parse_yaml(targets, "--targets"),
        joint=joint,
        at=_numbers(at, 3, "--at"),
        line=_numbers(line, 6, "--line"),
        facing=_numbers(facing, 3, "--facing"),
        angle_deg=angle_deg,
        axis=axis,
        turned=_numbers(turned, 4, "--turned"),
        look_at=_numbers(look_at, 3, "--look-at"),
        frame=frame,
        relative_to=relative_to,
        offset=_numbers(offset, 3, "--offset"),
        k=k,
        mode=mode,
        combine=combine,
        rotations=rotations,
        align=align,
        exact=exact,
        place=place,
        strict=strict,
    )
    if not aim.constraints():
        raise typer.BadParameter("say where to: --at X,Y,Z, --line, --facing, --turned, --look-at or --targets.")
    clips = _read(files, reading)
    others = dict(zip(names, clips[1:], strict=True))
    blend = aim.blend(clips[0], others)
    found = aim.solve(blend)
    written = write(found.clip.replace(history=(*clips[0].history, aim.as_step())), target)
    told = _draw(blend, aim, found, picture, reach_map)
    if as_json:
        print(json.dumps(_report(found, files, str(written), told), indent=2))
        return
    _tell(found, files, str(written), told)


def _files(patterns: list[str]) -> list[str]:
    from kinetune.errors import FileError
    from kinetune.recipes.sources import SAMPLE
    from kinetune.samples import samples

    found: list[str] = []
    for pattern in patterns:
        if pattern.startswith(SAMPLE):
            names = fnmatch.filter(samples(), pattern.removeprefix(SAMPLE))
            more = [SAMPLE + name for name in names] or [pattern]  # a wrong name is told when it is opened
        else:
            more = sorted(glob.glob(pattern, recursive=True))
        if not more:
            raise FileError(pattern, "there is no such file.", advice="Put a pattern in quotes: 'reach/*.bvh'.")
        found += [file for file in more if file not in found]
    return found


def _read(files: list[str], reading: dict[str, Any]) -> list[Clip]:
    from kinetune.cli.show import bar
    from kinetune.progress import report
    from kinetune.recipes import open_clip

    clips = []
    with bar():
        for number, file in enumerate(files):
            report(number / len(files), f"read {Path(file).name}")
            clips.append(open_clip(file, **reading))
    return clips


def _numbers(text: str | None, count: int, flag: str) -> Any:
    """Numbers with commas between them."""
    if text is None:
        return None
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if len(found) != count:
        raise typer.BadParameter(f'"{text}" is not {count} numbers with commas between them.', param_hint=flag)
    return found


def _draw(
    blend: InverseBlend, aim: Aim, found: BlendSolution, picture: Path | None, chart: Path | None
) -> dict[str, Any]:
    """The pictures that were asked for; what the map tells, if there is one."""
    from kinetune import figures

    first = aim.all_targets(aim.moment(blend))[0]
    point = next((t.at for t in aim.all_targets() if t.at is not None), None)
    line = next((t.line for t in aim.all_targets() if t.line is not None), None)
    frame = first.frame if isinstance(first.frame, int) else first.frame[-1]
    if picture is not None:
        figures.save(figures.draw_reach(found.clip, point, frame=frame, line=line, joint=first.joint), picture)
    if chart is None:
        return {}
    from kinetune.inverse.blend.inverse_blend import InverseBlend
    from kinetune.inverse.reachability import reach_map

    quick = InverseBlend(blend.examples, rotations=aim.rotations)  # thousands of points are for the compiled search
    chart_of = reach_map(quick, first.joint, frame=frame, offset=first.offset, k=aim.k)
    figures.save(figures.draw_reach_map(chart_of, blend.examples[0]), chart)
    return chart_of.report()


def _report(found: BlendSolution, files: list[str], target: str, told: dict[str, Any]) -> dict[str, Any]:
    report = {
        "target": target,
        "frames": len(found.clip),
        "reachable": found.reachable,
        "distance_mm": found.distance,
        "errors": [{"value": e, "unit": u} for e, u in zip(found.errors, found.units, strict=True)],
        "weights": dict(zip(files, found.weights.tolist(), strict=True)),
        "iterations": found.iterations,
        "residue": None if found.residue is None else asdict(found.residue),
    }
    return {**report, "map": told} if told else report


def _tell(found: BlendSolution, files: list[str], target: str, told: dict[str, Any]) -> None:
    clip = found.clip
    print(f"{target}: {len(clip)} frames at {clip.fps:g} fps, {len(clip.skeleton)} joints.")
    errors = " and ".join(f"{e:.2g} {u}".strip() for e, u in zip(found.errors, found.units, strict=True))
    if found.reachable:
        print(f"The target is met within {errors}.")
    else:
        print(f"The target is out of reach of these {len(files)} examples; the motion misses it by {errors}.")
    if found.residue is not None:
        print(found.residue.summary(found.units))
    order = sorted(range(len(files)), key=lambda number: -found.weights[number])
    shown = [
        f"{Path(files[n]).name} {found.weights[n]:.0%}" for n in order[:_SHOWN_WEIGHTS] if found.weights[n] > 0.005
    ]
    used = sum(weight > 0 for weight in found.weights.tolist())
    print(f"Blended from {used} of {len(files)} examples, most of all {', '.join(shown)}.")
    for sentence in told.get("advice", []):
        print(sentence)
