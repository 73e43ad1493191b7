"""Kochanek and Bartels 1984, run again: Figures 1 to 3 and 5 to 24, and the erratum of Equation 10."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kinetune.reproduce.experiments import Context, Experiment, Paper, Result, Value, canvas
from kinetune.rotations import Floats
from kinetune.signals.rotation_splines import RotationTCB
from kinetune.signals.splines import TCB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEYS = np.array([(0.0, 0.0), (0.6, 1.0), (1.7, 0.9), (2.2, -0.1)])
"""Key positions such as the paper's drawings have; the knobs are turned at the second one."""
FRAMES = 12
"""Inbetweens shown as dots on a curve: their distance is the speed."""
EXACT = 1e-12


def _curve(knobs: Mapping[str, Any], keys: Floats = KEYS, at: int = 1) -> TCB:
    """The curve through the keys with knobs turned at one of them."""
    values: Any = {name: [knob if key == at else 0.0 for key in range(len(keys))] for name, knob in knobs.items()}
    return TCB(np.arange(len(keys), dtype=float), keys, ends="half chord", **values)


def _paths(curves: Mapping[str, TCB | Floats], *, tangents: int | None = 1, keys: Floats = KEYS) -> Figure:
    """Paths side by side, with the keys, the frames as dots, and the tangents at a key."""
    from kinetune.figures import palette

    with palette.style():
        figure = canvas(2.7 * len(curves), 2.5)
        axes = figure.subplots(1, len(curves), squeeze=False)
        for ax, (title, curve) in zip(axes[0], curves.items(), strict=True):
            if isinstance(curve, TCB):
                fine = curve(np.linspace(curve.start, curve.end, 400))
                dots = curve.inbetweens(FRAMES)
                ax.plot(*fine.T, color=palette.EDITED)
                if tangents is not None:
                    arriving, leaving = (velocity[tangents] for velocity in curve.velocities())
                    ax.annotate("", KEYS[tangents] + leaving / 3, KEYS[tangents], arrowprops=_arrow(palette.LEFT))
                    ax.annotate("", KEYS[tangents], KEYS[tangents] - arriving / 3, arrowprops=_arrow(palette.RIGHT))
            else:
                dots = curve
                ax.plot(*curve.T, color=palette.EDITED)
            ax.plot(*dots.T, ".", color=palette.GHOST, markersize=3)
            ax.plot(*keys.T, "D", color=palette.INK, markersize=5)
            ax.set(title=title, aspect="equal", xticks=[], yticks=[])
            ax.margins(0.12)
    return figure


def _arrow(colour: str) -> dict[str, Any]:
    return {"arrowstyle": "->", "color": colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.4}


def _agrees(what: str, paper: str, error: float, unit: str = "") -> Value:
    """A value that must be met to the last digits."""
    return Value(what, paper, f"off by {error:.1e}{unit}", "same" if error < EXACT else "failed")


def _linear(context: Context) -> Result:
    steps = [np.linspace(a, b, FRAMES + 2)[:-1] for a, b in itertools.pairwise(KEYS)]
    line = np.concatenate([*steps, KEYS[-1:]])
    chords = np.diff(KEYS, axis=0)
    turn = _angle(chords[0], chords[1])
    spline = _curve({})
    arriving, leaving = (velocity[1] for velocity in spline.velocities())
    return Result(
        (
            Value(
                "turn at the second key, linear", "a visible corner", f"{turn:.1f}°", "same" if turn > 5 else "failed"
            ),
            _agrees("turn at the same key, spline", "none", _angle(arriving, leaving), "°"),
        ),
        (context.save(_paths({"linear": line, "spline": spline}, tangents=None), "direction"),),
    )


def _angle(a: Floats, b: Floats) -> float:
    cross = a[0] * b[1] - a[1] * b[0]
    return float(np.degrees(abs(np.arctan2(cross, a @ b))))


def _speeds(context: Context) -> Result:
    """Uniform motion through keys with 10 and then 5 inbetweens: the paper's own example."""
    from kinetune.figures import palette

    uneven = {"linear, keys one unit apart": np.array([0.0, 11.0, 22.0]), "uniform motion": np.array([0.0, 11.0, 17.0])}
    times = np.array([0.0, 11.0, 17.0])
    jumps = {}
    with palette.style():
        figure = canvas(7.5, 2.3)
        axes = figure.subplots(1, 2)
        for ax, (title, places) in zip(axes, uneven.items(), strict=True):
            frames = np.interp(np.arange(18), times, places)
            ax.plot(np.arange(1, 18), np.diff(frames), "o-", color=palette.EDITED, markersize=3)
            ax.axvline(11.0, color=palette.GHOST, linewidth=0.8)
            ax.set(title=title, xlabel="frame", ylabel="units a frame", ylim=(0, 2.2))
            jumps[title] = np.diff(frames)
    linear = jumps["linear, keys one unit apart"]
    entering, leaving = linear[10], linear[11]
    values = [
        Value(
            "speed before and after the key, linear",
            "jumps where the number of inbetweens changes",
            f"{entering:.3f} and {leaving:.3f} units a frame",
            "same" if leaving > 1.5 * entering else "failed",
        )
    ]
    said: tuple[tuple[Literal["none", "printed", "corrected"], str], ...] = (
        ("none", "a discontinuity"),
        ("printed", "continuous"),
        ("corrected", "continuous"),
    )
    for step, paper in said:
        curve = TCB(times, uneven["uniform motion"], step=step, frame=1.0, ends="half chord")
        before, after = (float(velocity[1]) for velocity in curve.velocities())
        ours = f"enters at {before:.3f}, leaves at {after:.3f}"
        if step == "printed":
            note = "Equation 10 has its factors exchanged and counts inbetweens for steps; see the derivation."
            wrong = abs(before - 0.515) < 1e-3 and abs(after - 1.889) < 1e-3
            values.append(Value("Equation 10 as printed", paper, ours, "erratum" if wrong else "failed", note))
        elif step == "corrected":
            values.append(
                Value("Equation 10 corrected", paper, ours, "same" if abs(before - after) < EXACT else "failed")
            )
        else:
            values.append(Value("no adjustment", paper, ours, "same" if abs(before - after) > 0.1 else "failed"))
    return Result(tuple(values), (context.save(figure, "speed"),))


def _lengths(context: Context) -> Result:
    """A rod that turns by 120 degrees: its ends on straight lines, and as a rotation."""
    from kinetune import rotations as rot
    from kinetune.figures import palette

    start, end = np.array([1.0, 0.0]), np.array([np.cos(np.radians(120)), np.sin(np.radians(120))])
    share = np.linspace(0.0, 1.0, 9)
    straight = start + share[:, None] * (end - start)
    about_z = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, np.radians(120.0)]])
    curve = RotationTCB([0.0, 1.0], rot.exp(about_z))
    turned = rot.rotate(curve(share), np.array([1.0, 0.0, 0.0]))[:, :2]
    with palette.style():
        figure = canvas(6.0, 2.8)
        axes = figure.subplots(1, 2)
        for ax, title, tips in zip(axes, ("linear", "rotation spline"), (straight, turned), strict=True):
            for tip in tips:
                ax.plot([0, tip[0]], [0, tip[1]], color=palette.EDITED, linewidth=1)
            ax.set(title=title, aspect="equal", xticks=[], yticks=[])
    shortest = float(np.linalg.norm(straight, axis=1).min())
    return Result(
        (
            Value(
                "length halfway, linear", "distorted", f"{shortest:.3f} of 1", "same" if shortest < 0.9 else "failed"
            ),
            _agrees(
                "length, rotation spline", "not in the paper", float(abs(np.linalg.norm(turned, axis=1) - 1).max())
            ),
        ),
        (context.save(figure, "length"),),
    )


def _catmull_rom(context: Context) -> Result:
    curve = _curve({})
    arriving, leaving = curve.velocities()
    expected = 0.5 * (KEYS[2:] - KEYS[:-2])
    error = max(float(abs(arriving[1:-1] - expected).max()), float(abs(leaving[1:-1] - expected).max()))
    picture = context.save(_paths({"default": curve}), "catmull-rom")
    return Result((_agrees("tangent against (P[i+1] - P[i-1]) / 2", "Equation 3", error),), (picture,))


def _one_knob(name: str, setting: float, source: tuple[float, float], out: tuple[float, float], words: str) -> Any:
    """An experiment on one knob at one key: the tangents against what the paper's equation gives.

    source, out : how much of the source and of the destination chord the incoming and the outgoing tangent are.
    """

    def run(context: Context) -> Result:
        curve = _curve({name: setting})
        before, after = KEYS[1] - KEYS[0], KEYS[2] - KEYS[1]
        arriving, leaving = (velocity[1] for velocity in curve.velocities())
        errors = (
            float(abs(arriving - (source[0] * before + source[1] * after)).max()),
            float(abs(leaving - (out[0] * before + out[1] * after)).max()),
        )
        picture = context.save(_paths({"default": _curve({}), f"{name} {setting:g}": curve}), f"{name}{setting:g}")
        return Result(
            (
                _agrees("incoming tangent", words, errors[0]),
                _agrees("outgoing tangent", words, errors[1]),
            ),
            (picture,),
        )

    return run


def _sweep(name: str) -> Callable[[Context], Result]:
    """One knob at several settings on all keys."""

    def run(context: Context) -> Result:
        settings = (-1.0, -0.5, 0.0, 0.5, 1.0)
        curves = {
            f"{name} {setting:g}": TCB(range(len(KEYS)), KEYS, ends="half chord", **{name: setting})  # type: ignore[arg-type]
            for setting in settings
        }
        met = max(float(abs(curve(np.arange(4.0)) - KEYS).max()) for curve in curves.values())
        values = [_agrees("keys are met", "interpolating", met)]
        if name == "tension":
            a = [(1.0 - setting) / 2.0 for setting in settings]
            wanted = [share * (KEYS[2] - KEYS[0]) for share in a]
            off = max(float(abs(c.velocities()[0][1] - w).max()) for c, w in zip(curves.values(), wanted, strict=True))
            values.append(_agrees("cardinal splines with a = (1 - t) / 2", "the whole class", off))
        return Result(tuple(values), (context.save(_paths(curves), f"{name}-sweep"),))

    return run


def _dynamics(context: Context) -> Result:
    """Tension 1 and continuity -1 draw the same corner; only one of them stops there."""
    from kinetune.figures import palette

    curves = {
        "default": _curve({}),
        "tension 1": _curve({"tension": 1.0}),
        "continuity -1": _curve({"continuity": -1.0}),
    }
    with palette.style():
        figure = canvas(6.0, 2.4)
        ax = figure.subplots()
        for colour, (title, curve) in zip((palette.GHOST, palette.LEFT, palette.EDITED), curves.items(), strict=True):
            t = np.linspace(0.0, 3.0, 600)
            ax.plot(t, np.linalg.norm(curve.derivative(t), axis=1), color=colour, label=title)
        ax.axvline(1.0, color=palette.HAIRLINE)
        ax.set(xlabel="key", ylabel="speed")
        ax.legend()
    stopped = float(np.linalg.norm(curves["tension 1"].velocities()[0][1]))
    arriving, leaving = (velocity[1] for velocity in curves["continuity -1"].velocities())
    speeds = float(np.linalg.norm(arriving)), float(np.linalg.norm(leaving))
    turn = _angle(arriving, leaving)
    moving = min(speeds) > 0.5 and turn > 5.0
    return Result(
        (
            _agrees("speed at the key, tension 1", "reduced to zero", stopped),
            Value(
                "speed at the key, continuity -1",
                "stays, the direction changes abruptly",
                f"{speeds[0]:.2f} and {speeds[1]:.2f}, turned by {turn:.0f}°",
                "same" if moving else "failed",
            ),
        ),
        (context.save(_paths(curves), "corner"), context.save(figure, "corner-speed")),
    )


def _together(context: Context) -> Result:
    settings = (("tension", -0.3), ("bias", 1.0)), (("tension", 0.5), ("continuity", -0.5)), (("bias", -1.0),)
    curves = {", ".join(f"{name} {knob:g}" for name, knob in chosen): _curve(dict(chosen)) for chosen in settings}
    worst = 0.0
    before, after = KEYS[1] - KEYS[0], KEYS[2] - KEYS[1]
    for chosen, curve in zip(settings, curves.values(), strict=True):
        t, c, b = (dict(chosen).get(name, 0.0) for name in ("tension", "continuity", "bias"))
        source = (1 - t) / 2 * ((1 - c) * (1 + b) * before + (1 + c) * (1 - b) * after)
        out = (1 - t) / 2 * ((1 + c) * (1 + b) * before + (1 - c) * (1 - b) * after)
        arriving, leaving = (velocity[1] for velocity in curve.velocities())
        worst = max(worst, float(abs(arriving - source).max()), float(abs(leaving - out).max()))
    return Result(
        (_agrees("tangents", "Equations 8 and 9", worst),),
        (
            context.save(
                _paths(curves), "together", 'The first one is the preset "overshoot" that animators asked for.'
            ),
        ),
    )


_HALF = (0.5, 0.5)
_KNOBS = (
    ("Figure 6", "continuity", 0.0, _HALF, _HALF, "one tangent, in two parts"),
    ("Figure 8", "tension", 0.0, _HALF, _HALF, "average of the chords"),
    ("Figure 9", "tension", 1.0, (0.0, 0.0), (0.0, 0.0), "length zero"),
    ("Figure 10", "tension", -1.0, (1.0, 1.0), (1.0, 1.0), "twice the length"),
    ("Figure 13", "continuity", 0.0, _HALF, _HALF, "both the same"),
    ("Figure 14", "continuity", -1.0, (1.0, 0.0), (0.0, 1.0), "source chord, then destination chord"),
    ("Figure 15", "continuity", 1.0, (0.0, 1.0), (1.0, 0.0), "destination chord, then source chord"),
    ("Figure 21", "bias", 0.0, _HALF, _HALF, "weighted equally"),
    ("Figure 22", "bias", -1.0, (0.0, 1.0), (0.0, 1.0), "destination chord"),
    ("Figure 23", "bias", 1.0, (1.0, 0.0), (1.0, 0.0), "source chord"),
)

_OTHERS = (
    Experiment("Figure 1", "a corner in the direction with linear interpolation", _linear),
    Experiment("Figure 2", "a jump in the speed with linear interpolation, and Equation 10", _speeds),
    Experiment("Figure 3", "a length that is distorted when a rotation is linear", _lengths),
    Experiment("Figure 5", "the default is the Catmull-Rom spline", _catmull_rom),
    Experiment("Figure 7", "the effect of tension", _sweep("tension")),
    Experiment("Figure 11", "several tensions on all keys", _sweep("tension")),
    Experiment("Figure 12", "the effect of continuity", _sweep("continuity")),
    Experiment("Figure 16", "several continuities on all keys", _sweep("continuity")),
    Experiment("Figures 17 to 19", "tension against continuity: the same path, another motion", _dynamics),
    Experiment("Figure 20", "the effect of bias", _sweep("bias")),
    Experiment("Figure 24", "several knobs together", _together),
)


def _number(experiment: Experiment) -> int:
    return int(experiment.label.split()[1])


PAPER = Paper(
    name="kochanek-bartels",
    title="Interpolating splines with local tension, continuity, and bias control",
    authors="D. H. U. Kochanek and R. H. Bartels",
    where="SIGGRAPH 1984",
    experiments=tuple(
        sorted(
            (
                *_OTHERS,
                *(
                    Experiment(label, f"{name} {setting:g} at one key", _one_knob(name, setting, source, out, words))
                    for label, name, setting, source, out, words in _KNOBS
                ),
            ),
            key=_number,
        )
    ),
)
