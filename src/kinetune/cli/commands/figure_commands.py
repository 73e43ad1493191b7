"""Commands that show motion: films, strips of stick figures, curves, bands, warps, shaping curves, displacements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kinetune.cli.options import HELP_FLAGS, FileArgument, JsonOption, PlainCommand, PlainGroup, reads_files
from kinetune.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kinetune.figures.motion.stick_figures import View

draw = typer.Typer(
    name="draw",
    cls=PlainGroup,
    help="Draw motion: a strip of stick figures, curves, bands, the warp of two clips.",
    no_args_is_help=True,
    context_settings=HELP_FLAGS,
)

PictureOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="PNG", help="The picture to write: PNG, SVG or PDF.")
]
BeforeOption = Annotated[
    str | None, typer.Option("--before", metavar="FILE", help="The clip before an edit, drawn in grey.")
]
JointOption = Annotated[str, typer.Option("--joint", metavar="NAME", help="A joint, or its role such as left foot.")]


@reads_files
def film(
    file: FileArgument,
    target: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="The film: .mp4, .webm, .gif, or .png for a strip.")
    ],
    ghost: Annotated[
        str | None,
        typer.Option(
            "--ghost", metavar="FILE", help="Another clip in the same scene, faint, such as the one before an edit."
        ),
    ] = None,
    beside: Annotated[
        str | None, typer.Option("--beside", metavar="FILE", help="Another clip to its right, at the same scale.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size", metavar="WxH", help="In pixels, such as 1920x1080. (default: 1280x720; 640x360 for a .gif)"
        ),
    ] = None,
    fps: Annotated[
        float | None, typer.Option("--fps", metavar="NUMBER", help="Pictures per second. (default: 30; 25 for a .gif)")
    ] = None,
    view: Annotated[
        Literal["three-quarter", "front", "side", "back", "top"],
        typer.Option("--view", help="Where the camera stands."),
    ] = "three-quarter",
    follow: Annotated[
        bool, typer.Option("--follow/--stand", help="Let the camera follow the character, or stand still.")
    ] = True,
    labels: Annotated[bool, typer.Option("--labels/--no-labels", help="Show the names of clips side by side.")] = True,
    poses: Annotated[
        int, typer.Option("--poses", metavar="N", min=1, max=100, help="How many poses a strip shows.")
    ] = 8,
    as_json: JsonOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Render a film of a clip: a shaded body on a floor, followed by a camera."""
    from kinetune import figures
    from kinetune.cli.show import bar
    from kinetune.recipes import open_clip
    from kinetune.recipes.sources import SAMPLE

    clip = open_clip(file, **reading)
    others = {name: open_clip(other) for name, other in (("ghost", ghost), ("beside", beside)) if other is not None}
    named = [Path(name.removeprefix(SAMPLE)).stem for name in (file, beside) if name is not None]
    with bar():
        figures.film(
            clip,
            target,
            ghost=others.get("ghost"),
            beside=others.get("beside"),
            fps=fps,
            size=None if size is None else _size(size),
            view=view,
            follow=follow,
            labels=named if labels and beside is not None else (),
            poses=poses,
        )
    if as_json:
        print(json.dumps({"target": str(target), "seconds": max(each.duration for each in (clip, *others.values()))}))
    else:
        print(f"Filmed: {target}")


def _size(given: str) -> tuple[int, int]:
    width, _, height = given.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise ParameterError(f'--size "{given}" is not a width and a height in pixels, such as 1920x1080.') from None


@draw.command("strip", cls=PlainCommand)
@reads_files
def strip(
    file: FileArgument,
    picture: PictureOption,
    before: BeforeOption = None,
    poses: Annotated[int, typer.Option("--poses", metavar="N", min=1, max=100, help="How many figures.")] = 12,
    view: Annotated[
        Literal["side", "front", "top", "all"],
        typer.Option("--view", help="From which side; all draws three rows."),
    ] = "side",
    *,
    reading: dict[str, Any],
) -> None:
    """A clip as a row of stick figures: left limbs blue, right limbs yellow."""
    from kinetune import figures
    from kinetune.recipes import open_clip

    old = None if before is None else open_clip(before)
    views: tuple[View, ...] = ("side", "front", "top") if view == "all" else (view,)
    _save(figures.draw_strip(open_clip(file, **reading), before=old, poses=poses, views=views), picture)


@draw.command("curves", cls=PlainCommand)
@reads_files
def curves(
    file: FileArgument,
    picture: PictureOption,
    joints: Annotated[list[str], typer.Option("--joint", metavar="NAME", help="A joint or a role; repeat for more.")],
    before: BeforeOption = None,
    quantity: Annotated[
        Literal["rotation", "height", "speed"], typer.Option("--quantity", help="What of the joints.")
    ] = "rotation",
    *,
    reading: dict[str, Any],
) -> None:
    """Joints over time: how far they turn, how high they are, how fast."""
    from kinetune import figures
    from kinetune.recipes import open_clip

    old = None if before is None else open_clip(before)
    _save(figures.draw_curves(open_clip(file, **reading), tuple(joints), before=old, quantity=quantity), picture)


@draw.command("bands", cls=PlainCommand)
@reads_files
def bands(
    file: FileArgument,
    picture: PictureOption,
    joint: JointOption,
    gains: Annotated[
        str | None, typer.Option("--gains", metavar="A,B,...", help="The gain of each band from band 0 up.")
    ] = None,
    preset: Annotated[str | None, typer.Option("--preset", metavar="NAME", help="Gains of a preset.")] = None,
    *,
    reading: dict[str, Any],
) -> None:
    """The frequency bands of a joint, with their gains as faders."""
    from kinetune import figures
    from kinetune.recipes import open_clip
    from kinetune.signals.bands.band_presets import preset_gains
    from kinetune.signals.bands.pyramid import count_bands

    if gains is not None and preset is not None:
        raise ParameterError("Give gains or a preset, not both.")
    clip = open_clip(file, **reading)
    faders: Sequence[float] | None = None if gains is None else _numbers("--gains", gains)
    if preset is not None:
        faders = preset_gains(preset, count_bands(len(clip)), clip.fps).tolist()
    _save(figures.draw_bands(figures.channel(clip, joint), clip.fps, gains=faders, title=joint), picture)


@draw.command("warp", cls=PlainCommand)
def warp(
    file: FileArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The clip to compare with, or sample:NAME.")],
    picture: PictureOption,
    joint: Annotated[
        str | None, typer.Option("--joint", metavar="NAME", help="A joint to draw along both sides.")
    ] = None,
    cost: Annotated[
        Literal["pose", "sederberg"], typer.Option("--cost", help="Compare poses, or how curves stretch and bend.")
    ] = "pose",
    band_s: Annotated[
        float | None,
        typer.Option("--band-s", metavar="SECONDS", min=0.001, help="How far timings may differ from an even stretch."),
    ] = None,
) -> None:
    """How alike all moments of two clips are, and which of them belong together."""
    from kinetune import figures
    from kinetune.body.timeline.alignment import check_skeletons
    from kinetune.recipes import open_clip
    from kinetune.recipes.sources import SAMPLE

    clips = open_clip(file), open_clip(other)
    names = Path(file.removeprefix(SAMPLE)).stem, Path(other.removeprefix(SAMPLE)).stem
    check_skeletons(clips, names)
    _save(figures.draw_warp(*clips, joint=joint, cost=cost, band_s=band_s, names=names), picture)


@draw.command("shaping", cls=PlainCommand)
def shaping(
    file: FileArgument,
    picture: PictureOption,
    joint: JointOption,
    curve: Annotated[
        str, typer.Option("--curve", metavar="CURVE", help="A curve of the library, such as cap(-0.5, 0.8).")
    ],
) -> None:
    """A shaping curve, and what it makes of a joint."""
    from kinetune import figures
    from kinetune.recipes import open_clip
    from kinetune.signals.shaping.curve_library import make

    clip = open_clip(file)
    _save(figures.draw_shaping(make(curve), figures.channel(clip, joint), clip.fps, title=joint), picture)


@draw.command("displacement", cls=PlainCommand)
def displacement(
    file: FileArgument,
    picture: PictureOption,
    joint: JointOption,
    keys: Annotated[
        list[str], typer.Option("--key", metavar="FRAME=DEGREES", help="How far to turn it at a frame; repeat.")
    ],
) -> None:
    """A joint with displacements at a few frames, the spline through them, and what comes out."""
    from kinetune import figures
    from kinetune.recipes import open_clip

    clip = open_clip(file)
    values = dict(_key(key) for key in keys)
    beyond = [frame for frame in values if not 0 <= frame < len(clip)]
    if beyond:
        raise ParameterError(f"A key is at frame {beyond[0]}, but the clip has frames 0 to {len(clip) - 1}.")
    at = sorted(values)
    signal = figures.channel(clip, joint)
    _save(figures.draw_displacement(signal, clip.fps, at, [values[frame] for frame in at], title=joint), picture)


def _numbers(flag: str, given: str) -> list[float]:
    try:
        return [float(part) for part in given.split(",")]
    except ValueError:
        raise ParameterError(f'{flag} "{given}" is not a list of numbers such as 1,1,1.5.') from None


def _key(given: str) -> tuple[int, float]:
    frame, equals, degrees = given.partition("=")
    try:
        return int(frame), float(degrees if equals else "")
    except ValueError:
        raise ParameterError(f'--key "{given}" is not FRAME=DEGREES, such as 40=-12.') from None


def _save(figure: Figure, picture: Path) -> None:
    from kinetune import figures

    print(f"Drawn: {figures.save(figure, picture)}")
