"""Commands that make films of drawings: morph, inbetween, gait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from kinetune.cli.film_files import (
    PICTURE,
    SHAPE,
    FilmOption,
    FirstArgument,
    FpsOption,
    FramesOption,
    HeightOption,
    SecondArgument,
    check_target,
    named_pairs,
    number_row,
    open_drawing,
    write_film,
)
from kinetune.cli.options import ForceOption, JsonOption


def _shape(flag: str, text: str, metavar: str | None = None) -> Any:
    """An option that decides how the shapes change."""
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel=SHAPE)


def _numbers(flag: str, text: str) -> Any:
    return typer.Option(flag, metavar="NUMBERS", help=text)


MethodOption = Annotated[
    Literal["safe", "linear", "schedule", "physical"] | None,
    _shape("--method", "safe: no curve crosses itself; linear, schedule, physical: as in the paper. (default safe)"),
]
ElasticOption = Annotated[bool, _shape("--elastic/--even", "Match like bends, or by arc length alone.", "")]
MatchOption = Annotated[Literal["auto", "name", "order", "shape"], _shape("--match", "How layers find each other.")]
ResolutionOption = Annotated[
    int | None, _shape("--resolution", "Draw each curve with so many control points: 4, 8, 16 ...", "INTEGER")
]


def morph(
    *,
    a: FirstArgument,
    b: SecondArgument,
    target: FilmOption,
    frames: Annotated[
        int | None,
        typer.Option(
            "--frames",
            metavar="INTEGER",
            help="How many drawings. (default 24; of the physical method, until the shape has come to rest)",
        ),
    ] = None,
    method: MethodOption = None,
    preset: Annotated[
        str | None, _shape("--preset", "The material of the physical method: dead-beat, jelly or wobbly.", "NAME")
    ] = None,
    seconds: Annotated[float | None, _shape("--seconds", "How long it may swing.", "NUMBER")] = None,
    ease: Annotated[
        Literal["linear", "smooth", "in", "out"] | None,
        _shape("--ease", "How time runs. (default smooth: slow, fast, slow; linear for the physical method)"),
    ] = None,
    elastic: ElasticOption = True,
    match: MatchOption = "auto",
    layers: Annotated[
        list[str] | None,
        _shape("--map", "Layer A becomes layer B, by name or number; A= lets it vanish. Repeat for more.", "A=B"),
    ] = None,
    pins: Annotated[
        list[str] | None,
        _shape(
            "--pin",
            "A point of the first drawing, and the point of the second that it becomes. Repeat for more.",
            "X,Y=X,Y",
        ),
    ] = None,
    extras: Annotated[
        Literal["auto", "point", "partner"],
        _shape(
            "--extras",
            "Layers without a partner fade or split off (auto), come from a point, or from the nearest partner.",
        ),
    ] = "auto",
    coefficients: Annotated[
        int | None, _shape("--coefficients", "Of the linear method: morph only so many coarse coefficients.", "INTEGER")
    ] = None,
    wavelet: Annotated[str, _shape("--wavelet", "Of the linear and schedule methods.", "NAME")] = "db4",
    resolution: ResolutionOption = None,
    back: Annotated[
        bool, typer.Option("--and-back", metavar="", help="Return to the first drawing.", rich_help_panel=PICTURE)
    ] = False,
    fps: FpsOption = 24.0,
    height: HeightOption = 360,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Turn one drawing into another, as a film."""
    if preset is not None or seconds is not None:
        if method not in (None, "physical"):
            raise typer.BadParameter(f"it belongs to the method physical, not to {method}.", param_hint="--preset")
        method = "physical"
    from kinetune.contours.morphing.morph import morph as morph_drawings

    check_target(target, (a, b), force, fps)
    film = morph_drawings(
        open_drawing(a),
        open_drawing(b),
        _usual_frames(method, preset, seconds, fps) if frames is None else frames,
        method or "safe",
        ease=ease or ("linear" if method == "physical" else "smooth"),
        elastic=elastic,
        match=match,
        layers=_layer_map(layers or ()),
        pins=[_pin(text) for text in pins or ()],
        extras=extras,
        coefficients=coefficients,
        wavelet=wavelet,
        preset=preset or "jelly",
        seconds=seconds,
        resolution=resolution,
    )
    if back:
        film = film.take([*range(len(film)), *range(len(film) - 2, 0, -1)])
    write_film(film, target, fps, height, as_json, {"method": method or "safe"})


def _usual_frames(method: str | None, preset: str | None, seconds: float | None, fps: float) -> int:
    """How many drawings a film has: those of a physical one play as fast as it swings."""
    if method != "physical":
        return 24
    from kinetune.contours.morphing.methods import swing_s

    return max(2, round(swing_s(preset or "jelly", seconds) * fps) + 1)


def inbetween(
    *,
    keys: Annotated[
        list[str],
        typer.Argument(metavar="KEY...", help="Key drawings: SVG files, or sample:NAME such as sample:dog-1."),
    ],
    target: FilmOption,
    frames: FramesOption = 24,
    times: Annotated[
        str | None, _numbers("--times", "When each key is reached, such as 0,1,3. (default 0,1,2 ...)")
    ] = None,
    tension: Annotated[
        str | None, _numbers("--tension", "One for all keys or one each: 1 rests, -1 swings wide.")
    ] = None,
    continuity: Annotated[
        str | None, _numbers("--continuity", "One for all keys or one each: -1 makes a jerk.")
    ] = None,
    bias: Annotated[
        str | None, _numbers("--bias", "One for all keys or one each: 1 overshoots, -1 anticipates.")
    ] = None,
    ends: Annotated[
        Literal["natural", "zero"],
        typer.Option("--ends", help="How the film starts and stops: zero is from rest to rest."),
    ] = "natural",
    match: MatchOption = "auto",
    elastic: ElasticOption = True,
    resolution: ResolutionOption = None,
    fps: FpsOption = 24.0,
    height: HeightOption = 360,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw the frames between several key drawings, by Kochanek-Bartels splines."""
    from kinetune.contours.morphing.key_drawings import inbetween as draw_between

    check_target(target, keys, force, fps)
    parameters = {
        name: _one_or_each(given, f"--{name}")
        for name, given in (("tension", tension), ("continuity", continuity), ("bias", bias))
    }
    film = draw_between(
        [open_drawing(key) for key in keys],
        number_row(times, "--times"),
        frames,
        **parameters,
        ends=ends,
        match=match,
        elastic=elastic,
        resolution=resolution,
    )
    write_film(film, target, fps, height, as_json, {"keys": len(keys)})


def _one_or_each(text: str | None, flag: str) -> float | list[float]:
    numbers = number_row(text, flag) or [0.0]
    return numbers[0] if len(numbers) == 1 else numbers


def gait(
    *,
    a: FirstArgument,
    b: SecondArgument,
    target: FilmOption,
    frames: FramesOption = 24,
    cycles: Annotated[int, typer.Option("--cycles", metavar="INTEGER", min=1, help="How many gait cycles.")] = 1,
    gamma_a: Annotated[
        float | None,
        typer.Option(
            "--gamma-a", metavar="NUMBER", help="Speed from A to B: -1 starts from rest, 0 is even. (default -1/3)"
        ),
    ] = None,
    gamma_b: Annotated[
        float | None,
        typer.Option("--gamma-b", metavar="NUMBER", help="Speed from B on: 1 comes to rest, 0 is even. (default 1/3)"),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(
            "--pair", metavar="LEFT=RIGHT", help="Opposite layers, if they are not named left/right or near/far."
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="FILE", help="A motion clip to walk in step with, or sample:NAME."),
    ] = None,
    foot: Annotated[
        str, typer.Option("--foot", metavar="NAME", help="The foot of that clip that lands at A.")
    ] = "left",
    method: MethodOption = None,
    resolution: ResolutionOption = None,
    fps: FpsOption = 24.0,
    height: HeightOption = 360,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a drawing walk: a gait cycle from two key drawings, a quarter of the cycle apart."""
    from kinetune.contours.gait_cycle import GaitTiming, walk_cycle, walk_in_time

    check_target(target, (a, b), force, fps)
    usual = GaitTiming()
    options: dict[str, Any] = {
        "timing": GaitTiming(
            usual.gamma_a if gamma_a is None else gamma_a, usual.gamma_b if gamma_b is None else gamma_b
        ),
        "pairs": named_pairs(pairs or (), "--pair", "LEFT=RIGHT") or None,
        "method": method or "safe",
        "resolution": resolution,
    }
    if like is None:
        film = walk_cycle(open_drawing(a), open_drawing(b), frames, **options)
    else:
        from kinetune.recipes import open_clip

        film = walk_in_time(open_drawing(a), open_drawing(b), open_clip(like), foot=foot, fps=fps, **options)
    film = film.take([*range(len(film))] * cycles)
    write_film(film, target, fps, height, as_json, {"method": method or "safe", "cycles": cycles})


def _layer_map(pairs: Sequence[str]) -> dict[str | int, str | int | None]:
    return {a: b or None for a, b in named_pairs(pairs, "--map", "A=B", empty=True).items()}


def _pin(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    try:
        a, b = (tuple(float(number) for number in point.split(",")) for point in text.split("="))
        if len(a) == len(b) == 2:
            return a, b
    except ValueError:
        pass
    raise typer.BadParameter(f'"{text}" is not X,Y=X,Y.', param_hint="--pin")
