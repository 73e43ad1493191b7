"""Commands that make films of drawings: morph, inbetween, gait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from kinetune.cli.film_files import (
    PICTURE,
    SHAPE,
    TIMING,
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
    open_keys,
    write_film,
)
from kinetune.cli.options import ForceOption, JsonOption, WrongUsage


def _shape(flag: str, text: str, metavar: str | None = None) -> Any:
    """An option that decides how the shapes change."""
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel=SHAPE)


def _timing(flag: str, text: str, metavar: str) -> Any:
    """An option that decides when things happen."""
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel=TIMING)


def _numbers(flag: str, text: str) -> Any:
    return typer.Option(flag, metavar="NUMBERS", help=text)


MethodOption = Annotated[
    Literal["safe", "linear", "schedule", "physical"] | None,
    _shape("--method", "safe: no curve crosses itself; linear, schedule, physical: as in the paper. (default safe)"),
]
ElasticOption = Annotated[bool, _shape("--elastic/--even", "Match like bends, or by arc length alone.", "")]
MatchOption = Annotated[Literal["auto", "name", "order", "shape"], _shape("--match", "How layers are matched.")]
ResolutionOption = Annotated[
    int | None, _shape("--resolution", "Draw each curve with this many control points: 4, 8, 16 ...", "INTEGER")
]


def morph(
    *,
    a: FirstArgument,
    b: SecondArgument,
    more: Annotated[list[str] | None, typer.Argument(metavar="MORE", help="Further key drawings.")] = None,
    target: FilmOption,
    frames: Annotated[
        int | None,
        typer.Option(
            "--frames",
            metavar="INTEGER",
            help="How many drawings. (default 24; with the physical method, until the shape comes to rest)",
        ),
    ] = None,
    method: MethodOption = None,
    preset: Annotated[
        str | None, _shape("--preset", "The material of the physical method: dead-beat, jelly or wobbly.", "NAME")
    ] = None,
    seconds: Annotated[float | None, _shape("--seconds", "How long it may swing.", "NUMBER")] = None,
    ease: Annotated[
        list[str] | None,
        _timing(
            "--ease",
            "How time runs: linear, smooth, in, out, ease-in-out, back, elastic, bounce (also -in, -in-out), "
            "cubic-bezier(x1,y1,x2,y2), steps(n), curve(0 0, 0.4 1.1, 1 1). Repeat for one per step. "
            "(default smooth; linear for the physical method)",
            "EASE",
        ),
    ] = None,
    times: Annotated[
        str | None, _timing("--times", "When each key is reached, such as 0,1,3. (default evenly)", "NUMBERS")
    ] = None,
    hold: Annotated[
        str | None,
        _timing("--hold", "For how many more frames a key stands still: one for all keys or one each.", "NUMBERS"),
    ] = None,
    on: Annotated[
        int, _timing("--on", "On ones, twos or threes: for how many frames each drawing is shown.", "INTEGER")
    ] = 1,
    offsets: Annotated[
        list[str] | None,
        _timing(
            "--offset", "Start a layer later, by that fraction of a step: tail=0.2. Repeat for more.", "LAYER=SHARE"
        ),
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
        int | None,
        _shape("--coefficients", "For the linear method: morph only this many coarse coefficients.", "INTEGER"),
    ] = None,
    wavelet: Annotated[str, _shape("--wavelet", "For the linear and schedule methods.", "NAME")] = "db4",
    resolution: ResolutionOption = None,
    back: Annotated[
        bool, typer.Option("--and-back", metavar="", help="Return to the first drawing.", rich_help_panel=PICTURE)
    ] = False,
    fps: FpsOption = 24.0,
    height: HeightOption = 360,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Turn one drawing into another, and on through any number of others, as a film."""
    if preset is not None or seconds is not None:
        if method not in (None, "physical"):
            raise WrongUsage(f"it belongs to the method physical, not to {method}.", param_hint="--preset")
        method = "physical"
    from kinetune.contours.timing.film_timing import morph_keys

    keys = (a, b, *(more or ()))
    check_target(target, keys, force, fps)
    film = morph_keys(
        [open_drawing(key) for key in keys],
        number_row(times, "--times"),
        _usual_frames(method, preset, seconds, fps) if frames is None else frames,
        ease=ease or ("linear" if method == "physical" else "smooth"),
        hold=[_whole(number) for number in number_row(hold, "--hold") or [0]],
        on=on,
        offsets=_offsets(offsets or ()),
        method=method or "safe",
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
        typer.Argument(
            metavar="KEY",
            help="Key drawings: SVG, PNG or Lottie files (film.json#12 is a frame), or sample:NAME; "
            "one Lottie file alone stands for all of its keys.",
        ),
    ],
    target: FilmOption,
    frames: FramesOption = 24,
    times: Annotated[
        str | None, _numbers("--times", "When each key is reached, such as 0,1,3. (default 0,1,2 ...)")
    ] = None,
    tension: Annotated[
        str | None, _numbers("--tension", "One for all keys or one each: 1 comes to rest, -1 swings wide.")
    ] = None,
    continuity: Annotated[
        str | None, _numbers("--continuity", "One for all keys or one each: -1 makes a corner.")
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
    drawings, key_times = open_keys(keys)
    film = draw_between(
        drawings,
        number_row(times, "--times") or key_times,
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


def _walking(flag: str, text: str, metavar: str) -> Any:
    """An option of a drawing that walks by itself."""
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel="How it walks")


def _keys(flag: str, text: str, metavar: str) -> Any:
    """An option of the walk that is morphed between two keys."""
    return typer.Option(flag, metavar=metavar, help=text, rich_help_panel="Morphed between two keys (--morph)")


def gait(
    *,
    a: FirstArgument,
    b: Annotated[
        str | None, typer.Argument(metavar="B", help="A second drawing, a quarter of the cycle later.")
    ] = None,
    target: FilmOption,
    frames: FramesOption = 24,
    cycles: Annotated[int, typer.Option("--cycles", metavar="INTEGER", min=1, help="How many gait cycles.")] = 1,
    name: Annotated[
        Literal["walk", "trot", "pace", "canter"], typer.Option("--gait", help="In which order the feet land.")
    ] = "walk",
    travel: Annotated[
        bool, _walking("--travel", "Move forward, so that standing feet stay put. (default on the spot)", "")
    ] = False,
    stride: Annotated[
        float | None, _walking("--stride", "How far it goes while a foot stands, in leg lengths.", "NUMBER")
    ] = None,
    lift: Annotated[float, _walking("--lift", "How high feet are lifted, in leg lengths.", "NUMBER")] = 0.14,
    bob: Annotated[float, _walking("--bob", "How far the body rises and sinks, in leg lengths.", "NUMBER")] = 0.035,
    facing: Annotated[
        Literal["left", "right"] | None,
        _walking("--facing", "Which side is the front. (default the side of the head)", "SIDE"),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option("--pair", metavar="NEAR=FAR", help="Opposite legs by layer, if they are not named so."),
    ] = None,
    limbs: Annotated[
        list[str] | None,
        _walking(
            "--limb",
            'A leg by role: "near hind=LAYER"; "near hind=LEFT,TOP,RIGHT,BOTTOM" cuts it out of the drawing; '
            '"far hind=near hind" copies one.',
            "ROLE=...",
        ),
    ] = None,
    morphed: Annotated[
        bool, _keys("--morph", "Morph between both drawings and their mirrored sides, as in the paper.", "")
    ] = False,
    gamma_a: Annotated[
        float | None,
        _keys("--gamma-a", "Speed from A to B: -1 starts from rest, 0 is even. (default -1/3)", "NUMBER"),
    ] = None,
    gamma_b: Annotated[
        float | None, _keys("--gamma-b", "Speed from B on: 1 comes to rest, 0 is even. (default 1/3)", "NUMBER")
    ] = None,
    like: Annotated[str | None, _keys("--like", "A motion clip to walk in step with, or sample:NAME.", "FILE")] = None,
    foot: Annotated[str, _keys("--foot", "The foot of that clip that lands at A.", "NAME")] = "left",
    method: MethodOption = None,
    resolution: ResolutionOption = None,
    fps: FpsOption = 24.0,
    height: HeightOption = 360,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a drawing walk, trot, pace or canter: standing feet stay on the ground, knees bend, the body bobs."""
    check_target(target, (a,) if b is None else (a, b), force, fps)
    opposite = named_pairs(pairs or (), "--pair", "NEAR=FAR") or None
    first, second = open_drawing(a), None if b is None else open_drawing(b)
    facts: dict[str, Any] = {"cycles": cycles}
    if not (morphed or gamma_a is not None or gamma_b is not None or like or method or resolution):
        from kinetune.contours.gaits import gait_film

        film = gait_film(
            first,
            frames,
            name,
            passing=second,
            pairs=opposite,
            limbs=_limbs(limbs or ()),
            stride=stride,
            lift=lift,
            bob=bob,
            travel=travel,
            cycles=cycles,
            facing=facing,
        )
        write_film(film, target, fps, height, as_json, {"gait": name, **facts})
        return
    if second is None:
        raise WrongUsage("a walk that is morphed takes two drawings.", param_hint="B")
    from kinetune.contours.gait_cycle import GaitTiming, walk_cycle, walk_in_time

    usual = GaitTiming()
    options: dict[str, Any] = {
        "timing": GaitTiming(
            usual.gamma_a if gamma_a is None else gamma_a, usual.gamma_b if gamma_b is None else gamma_b
        ),
        "pairs": opposite,
        "method": method or "safe",
        "resolution": resolution,
    }
    if like is None:
        film = walk_cycle(first, second, frames, **options)
    else:
        from kinetune.recipes import open_clip

        film = walk_in_time(first, second, open_clip(like), foot=foot, fps=fps, **options)
    film = film.take([*range(len(film))] * cycles)
    write_film(film, target, fps, height, as_json, {"method": method or "safe", **facts})


def _limbs(pairs: Sequence[str]) -> dict[str, Any]:
    """Legs by role: the name of a layer or of another role, or the four numbers of a box."""
    limbs: dict[str, Any] = {}
    for role, where in named_pairs(pairs, "--limb", "ROLE=LAYER or ROLE=LEFT,TOP,RIGHT,BOTTOM").items():
        try:
            box = tuple(float(number) for number in where.split(","))
        except ValueError:
            box = ()
        limbs[role] = box if len(box) == 4 else where
    return limbs


def _whole(number: float) -> int:
    if number != int(number):
        raise WrongUsage(f"{number:g} is not a whole number of frames.", param_hint="--hold")
    return int(number)


def _offsets(pairs: Sequence[str]) -> dict[str, float]:
    names = named_pairs(pairs, "--offset", "LAYER=SHARE")
    try:
        return {name: float(share) for name, share in names.items()}
    except ValueError as problem:
        raise WrongUsage(str(problem), param_hint="--offset") from None


def _layer_map(pairs: Sequence[str]) -> dict[str | int, str | int | None]:
    return {a: b or None for a, b in named_pairs(pairs, "--map", "A=B", empty=True).items()}


def _pin(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    try:
        a, b = (tuple(float(number) for number in point.split(",")) for point in text.split("="))
        if len(a) == len(b) == 2:
            return a, b
    except ValueError:
        pass
    raise WrongUsage(f'"{text}" is not X,Y=X,Y.', param_hint="--pin")
