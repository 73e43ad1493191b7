"""The spline paper, part 3: tension, continuity and bias (Figures 6 to 24)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from kinetune.reproduce.experiments import Context, Result, Value, canvas, same
from kinetune.reproduce.kochanek_bartels.paths import (
    KEYS,
    agrees,
    curve,
    draw_side_by_side,
    draw_together,
    turn,
)
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS = (-1.0, -0.5, 0.0, 0.5, 1.0)
TANGENTS = "Yellow: the incoming tangent at a key; blue: the outgoing one."
Run = Callable[[Context], Result]


def _tangents(path: TCB, key: int = 1) -> tuple[Floats, Floats]:
    arriving, leaving = path.velocities()
    return arriving[key], leaving[key]


def two_tangents(context: Context) -> Result:
    """Figure 6: a tangent has an incoming and an outgoing part, at two keys with other controls."""
    controls = {"continuity": [0.0, -0.5, 0.5, 0.0]}
    path = TCB(np.arange(4.0), KEYS, ends="half chord", **controls)  # type: ignore[arg-type]
    worst = 0.0
    for key, c in ((1, -0.5), (2, 0.5)):
        before, after = KEYS[key] - KEYS[key - 1], KEYS[key + 1] - KEYS[key]
        arriving, leaving = _tangents(path, key)
        worst = max(worst, float(abs(arriving - 0.5 * ((1 - c) * before + (1 + c) * after)).max()))
        worst = max(worst, float(abs(leaving - 0.5 * ((1 + c) * before + (1 - c) * after)).max()))
    apart = [abs(turn(*_tangents(path, key))) for key in (1, 2)]
    figure = draw_side_by_side({"continuity -0.5 and 0.5": path}, tangents=(1, 2))
    return Result(
        (
            agrees("source and destination derivative of both keys", "Equations 5 and 6", worst),
            same("angle between the two parts", "separate", f"{apart[0]:.0f}° and {apart[1]:.0f}°", min(apart) > 5.0),
        ),
        (context.save(figure, "tangents", TANGENTS),),
    )


def one_control(name: str, setting: float, source: tuple[float, float], out: tuple[float, float], expected: str) -> Run:
    """An experiment on one control at one key: the tangents against what the paper's equation gives.

    source, out : how much of the source and of the destination chord the incoming and the outgoing tangent are.
    """

    def run(context: Context) -> Result:
        path = curve({name: setting})
        before, after = KEYS[1] - KEYS[0], KEYS[2] - KEYS[1]
        arriving, leaving = _tangents(path)
        errors = (
            float(abs(arriving - (source[0] * before + source[1] * after)).max()),
            float(abs(leaving - (out[0] * before + out[1] * after)).max()),
        )
        panels = {f"{name} {setting:g}": path} if setting == 0 else {"default": curve({}), f"{name} {setting:g}": path}
        return Result(
            (agrees("incoming tangent", expected, errors[0]), agrees("outgoing tangent", expected, errors[1])),
            (context.save(draw_side_by_side(panels), f"{name}{setting:g}", TANGENTS),),
        )

    return run


def _settings(name: str, at: int | None) -> dict[str, TCB]:
    return {f"{name} {setting:g}": curve({name: setting}, at) for setting in SETTINGS}


def _rises(numbers: list[float]) -> bool:
    return bool(np.all(np.diff(numbers) > 0.0))


def tension_at_a_key(context: Context) -> Result:
    """Figure 7: how sharply the curve bends at a key."""
    paths = _settings("tension", 1)
    window = 0.15
    bends = [abs(turn(path.derivative(1.0 - window), path.derivative(1.0 + window))) for path in paths.values()]
    shown = ", ".join(f"{bend:.0f}°" for bend in bends)
    what = f"turn within {window:g} of an interval round the key, tension -1 to 1"
    return Result(
        (same(what, "controls how sharply the curve bends", shown, _rises(bends)),),
        (context.save(draw_together(paths), "tension", "Dots are inbetweens."),),
    )


def continuity_at_a_key(context: Context) -> Result:
    """Figure 12: a corner one way, none, and a corner the other way."""
    paths = _settings("continuity", 1)
    corners = [turn(*_tangents(path)) for path in paths.values()]
    shown = ", ".join(f"{corner:.0f}°" for corner in corners)
    smooth = abs(corners[2]) < 1e-9
    return Result(
        (
            same(
                "corner at the key, continuity -1 to 1; positive to the left",
                "the tangents become increasingly distinct as |c| increases",
                shown,
                _rises(corners) and smooth,
            ),
        ),
        (context.save(draw_together(paths), "continuity", "Dots are inbetweens."),),
    )


def bias_at_a_key(context: Context) -> Result:
    """Figure 20: the direction in which a curve passes a key."""
    paths = _settings("bias", 1)
    chords = KEYS[1] - KEYS[0], KEYS[2] - KEYS[1]
    ways = [turn(chords[1], _tangents(path)[0]) for path in paths.values()]
    whole = turn(chords[1], chords[0])
    shown = ", ".join(f"{way:.0f}°" for way in ways)
    meets = abs(ways[0]) < 1e-9 and abs(ways[-1] - whole) < 1e-9
    return Result(
        (
            same(
                f"direction at the key, bias -1 to 1; 0° is the destination chord, {whole:.0f}° the source chord",
                "controls the direction of the path as it passes through a key",
                shown,
                _rises(ways) and meets,
            ),
        ),
        (context.save(draw_together(paths), "bias", "Dots are inbetweens."),),
    )


def tension_at_all(context: Context) -> Result:
    """Figure 11: one tension at all keys gives the cardinal splines."""
    paths = _settings("tension", None)
    lengths = [(1.0 - setting) / 2.0 * (KEYS[2] - KEYS[0]) for setting in SETTINGS]
    worst = max(float(abs(_tangents(p)[0] - w).max()) for p, w in zip(paths.values(), lengths, strict=True))
    return Result(
        (
            _keys_met(paths),
            agrees("cardinal splines with a = (1 - t) / 2", "the whole class", worst),
        ),
        (context.save(draw_side_by_side(paths), "tensions", TANGENTS),),
    )


def continuity_at_all(context: Context) -> Result:
    """Figure 16: one continuity at all keys."""
    paths = _settings("continuity", None)
    corners = [[turn(*_tangents(path, key)) for path in paths.values()] for key in (1, 2)]
    shown = "; ".join(", ".join(f"{corner:.0f}°" for corner in of_key) for of_key in corners)
    worst = 0.0
    for c, path in zip(SETTINGS, paths.values(), strict=True):
        for key in (1, 2):
            before, after = KEYS[key] - KEYS[key - 1], KEYS[key + 1] - KEYS[key]
            arriving, leaving = _tangents(path, key)
            worst = max(worst, float(abs(arriving - 0.5 * ((1 - c) * before + (1 + c) * after)).max()))
            worst = max(worst, float(abs(leaving - 0.5 * ((1 + c) * before + (1 - c) * after)).max()))
    return Result(
        (
            _keys_met(paths),
            agrees("tangents at both inner keys, continuity -1 to 1", "Equations 5 and 6", worst),
            same(
                "corners at the second and at the third key, continuity -1 to 1",
                "some results are depicted",
                shown,
                all(_rises(of_key) for of_key in corners),
            ),
        ),
        (context.save(draw_side_by_side(paths, tangents=(1, 2)), "continuities", TANGENTS),),
        ("The text gives no numbers for these curves: they are compared by the equations that they were drawn with.",),
    )


def _keys_met(paths: Mapping[str, TCB]) -> Value:
    met = max(float(abs(path(np.arange(4.0)) - KEYS).max()) for path in paths.values())
    return agrees("keys are met", "interpolating", met)


def default_corner(context: Context) -> Result:
    """Figure 17: default tension and continuity: neither a corner nor a halt."""
    path = curve({})
    arriving, leaving = _tangents(path)
    speed = float(np.linalg.norm(arriving))
    return Result(
        (
            agrees("corner at the key", "none", abs(turn(arriving, leaving)), "°"),
            same("speed at the key", "not zero", f"{speed:.2f} a key interval", speed > 0.1),
        ),
        (context.save(draw_side_by_side({"default": path}), "default", TANGENTS),),
    )


def _corners() -> dict[str, TCB]:
    return {
        "default": curve({}),
        "tension 1": curve({"tension": 1.0}),
        "continuity -1": curve({"continuity": -1.0}),
    }


def similar_corners(context: Context) -> Result:
    """Figure 18: the paths of more tension and of less continuity are alike."""
    paths = _corners()
    default, tense, cornered = (path(np.linspace(0.0, 3.0, 1_200)) for path in paths.values())
    apart, from_default = _hausdorff(tense, cornered), min(_hausdorff(tense, default), _hausdorff(cornered, default))
    del paths["default"]
    return Result(
        (
            same(
                "distance of the two paths, and of both from the default at least",
                "the effects seem to be rather similar",
                f"{apart:.3f} and {from_default:.3f}",
                apart < 0.6 * from_default,
            ),
        ),
        (context.save(draw_side_by_side(paths), "corner", TANGENTS),),
    )


def _hausdorff(a: Floats, b: Floats) -> float:
    """The largest distance of a point of one path from the other path."""
    apart = np.linalg.norm(a[:, None] - b[None], axis=-1)
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))


def other_motion(context: Context) -> Result:
    """Figure 19: more tension halts at the corner, less continuity does not."""
    paths = _corners()
    stopped = float(np.linalg.norm(_tangents(paths["tension 1"])[0]))
    arriving, leaving = _tangents(paths["continuity -1"])
    speeds = float(np.linalg.norm(arriving)), float(np.linalg.norm(leaving))
    corner = abs(turn(arriving, leaving))
    speed = float(np.linalg.norm(_tangents(paths["default"])[0]))
    return Result(
        (
            agrees("speed at the key, tension 1", "reduced to zero", stopped),
            same(
                "speed before and after the key, continuity -1, and by default",
                "remains, while the direction changes abruptly",
                f"{speeds[0]:.2f} and {speeds[1]:.2f}, turned by {corner:.0f}°; {speed:.2f}",
                min(speeds) >= speed and corner > 5.0,
            ),
        ),
        (context.save(_speed_figure(paths), "speeds", "The key with the corner is at 1."),),
    )


def _speed_figure(paths: Mapping[str, TCB]) -> Figure:
    from kinetune.figures import palette

    with palette.style():
        figure = canvas(6.0, 2.4)
        ax = figure.subplots()
        for colour, (title, path) in zip((palette.GHOST, palette.LEFT, palette.EDITED), paths.items(), strict=True):
            t = np.linspace(0.0, 3.0, 600)
            ax.plot(t, np.linalg.norm(path.derivative(t), axis=1), color=colour, label=title)
        ax.axvline(1.0, color=palette.HAIRLINE)
        ax.set(xlabel="key", ylabel="speed", xticks=range(4), ylim=(0.0, None))
        figure.legend(loc="outside right center")
    return figure


def together(context: Context) -> Result:
    """Figure 24: several controls together."""
    settings = (
        (("tension", -0.3), ("bias", 1.0)),
        (("tension", 0.5), ("continuity", -0.5)),
        (("continuity", 0.5), ("bias", -1.0)),
    )
    paths = {", ".join(f"{name} {control:g}" for name, control in chosen): curve(dict(chosen)) for chosen in settings}
    worst = 0.0
    before, after = KEYS[1] - KEYS[0], KEYS[2] - KEYS[1]
    for chosen, path in zip(settings, paths.values(), strict=True):
        t, c, b = (dict(chosen).get(name, 0.0) for name in ("tension", "continuity", "bias"))
        source = (1 - t) / 2 * ((1 - c) * (1 + b) * before + (1 + c) * (1 - b) * after)
        out = (1 - t) / 2 * ((1 + c) * (1 + b) * before + (1 - c) * (1 - b) * after)
        arriving, leaving = _tangents(path)
        worst = max(worst, float(abs(arriving - source).max()), float(abs(leaving - out).max()))
    caption = f'{TANGENTS} The first one is the preset "overshoot".'
    return Result(
        (agrees("tangents", "Equations 8 and 9", worst),),
        (context.save(draw_side_by_side(paths), "together", caption),),
    )
