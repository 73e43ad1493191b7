"""The spline paper, part 2: what is wrong with linear interpolation (Figures 1 to 3), and the default (Figure 5)."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np

from kinetune.reproduce.experiments import Context, Result, canvas, erratum, same
from kinetune.reproduce.kochanek_bartels.paths import (
    EXACT,
    FRAMES,
    KEYS,
    SHADES,
    agrees,
    curve,
    draw_side_by_side,
    turn,
)
from kinetune.rotations import Floats
from kinetune.signals.splines.rotation_tcb import RotationTCB
from kinetune.signals.splines.tcb import TCB


def linear(context: Context) -> Result:
    """Figure 1: a path of straight lines has corners."""
    steps = [np.linspace(a, b, FRAMES + 2)[:-1] for a, b in itertools.pairwise(KEYS)]
    line = np.concatenate([*steps, KEYS[-1:]])
    chords = np.diff(KEYS, axis=0)
    corner = abs(turn(chords[0], chords[1]))
    spline = curve({})
    arriving, leaving = (velocity[1] for velocity in spline.velocities())
    return Result(
        (
            same("turn at the second key, linear", "a visible corner", f"{corner:.1f}°", corner > 5),
            agrees("turn at the same key, spline", "none", abs(turn(arriving, leaving)), "°"),
        ),
        (context.save(draw_side_by_side({"linear": line, "spline": spline}, tangents=()), "direction"),),
    )


def speeds(context: Context) -> Result:
    """Figure 2: uniform motion through keys with 10 and then 5 inbetweens, the paper's own example."""
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
        same(
            "speed before and after the key, linear",
            "jumps where the number of inbetweens changes",
            f"{entering:.3f} and {leaving:.3f} units a frame",
            leaving > 1.5 * entering,
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
            values.append(erratum("Equation 10 as printed", paper, ours, wrong, note))
        elif step == "corrected":
            values.append(same("Equation 10 corrected", paper, ours, abs(before - after) < EXACT))
        else:
            values.append(same("no adjustment", paper, ours, abs(before - after) > 0.1))
    return Result(tuple(values), (context.save(figure, "speed", "10 inbetweens, then 5."),))


def lengths(context: Context) -> Result:
    """Figure 3: a rod that turns by 120 degrees, its end on a straight line, and as a rotation."""
    from kinetune import rotations as rot
    from kinetune.figures import palette

    start, end = np.array([1.0, 0.0]), np.array([np.cos(np.radians(120)), np.sin(np.radians(120))])
    share = np.linspace(0.0, 1.0, 9)
    straight = start + share[:, None] * (end - start)
    about_z = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, np.radians(120.0)]])
    curve = RotationTCB([0.0, 1.0], rot.exp(about_z))
    turned = rot.rotate(curve(share), np.array([1.0, 0.0, 0.0]))[:, :2]
    with palette.style():
        figure = canvas(6.0, 2.3)
        axes = figure.subplots(1, 2)
        for ax, title, tips in zip(axes, ("linear", "rotation spline"), (straight, turned), strict=True):
            for tip in tips:
                ax.plot([0, tip[0]], [0, tip[1]], color=palette.EDITED, linewidth=1)
            ax.plot(*tips.T, ".", color=palette.INK, markersize=4)
            ax.set(title=title, aspect="equal", xticks=[], yticks=[], xlim=(-0.6, 1.1), ylim=(-0.1, 1.1))
    shortest = float(np.linalg.norm(straight, axis=1).min())
    return Result(
        (
            same("length halfway, linear", "distorted", f"{shortest:.3f} of 1", shortest < 0.9),
            agrees("the same against cos(turn / 2)", "geometry", abs(shortest - np.cos(np.radians(60.0)))),
            agrees("length, rotation spline", "not in the paper", float(abs(np.linalg.norm(turned, axis=1) - 1).max())),
        ),
        (context.save(figure, "length"),),
        ("The text gives neither angle nor length: the distorted length is compared with what geometry gives.",),
    )


def hermite_basis(context: Context) -> Result:
    """Figure 4: the four polynomials that blend two positions and two tangents."""
    from kinetune.figures import palette

    s = np.linspace(0.0, 1.0, 201)
    basis = np.stack([2 * s**3 - 3 * s**2 + 1, -2 * s**3 + 3 * s**2, s**3 - 2 * s**2 + s, s**3 - s**2])
    path = curve({})
    arriving, leaving = path.velocities()
    blended = basis.T @ np.stack([KEYS[1], KEYS[2], leaving[1], arriving[2]])
    at = np.array([0.0, 1.0])
    slopes = np.stack([6 * at**2 - 6 * at, 6 * at - 6 * at**2, 3 * at**2 - 4 * at + 1, 3 * at**2 - 2 * at])
    ends = np.concatenate([basis[:, [0, -1]], slopes], axis=1)
    with palette.style():
        figure = canvas(4.2, 2.6)
        ax = figure.subplots()
        for number, (values, colour) in enumerate(zip(basis, SHADES, strict=False), start=1):
            ax.plot(s, values, color=colour, label=f"h{number}")
        ax.axhline(0.0, color=palette.GHOST, linewidth=0.6)
        ax.set(xlabel="s")
        figure.legend(loc="outside right center")
    return Result(
        (
            agrees(
                "h1 P[i] + h2 P[i+1] + h3 D[i] + h4 D[i+1] against the spline", "Equations 1, 2", _worst(path, blended)
            ),
            agrees(
                "values and slopes of h1, h2, h3, h4 at both ends",
                "each is 1 for one of them and 0 for the others",
                float(np.abs(ends - np.eye(4)).max()),
            ),
        ),
        (context.save(figure, "hermite"),),
    )


def _worst(path: TCB, blended: Floats) -> float:
    """How far points between the second and the third key are from those of the spline."""
    return float(np.abs(path(1.0 + np.linspace(0.0, 1.0, len(blended))) - blended).max())


def catmull_rom(context: Context) -> Result:
    """Figure 5: the default is the Catmull-Rom spline."""
    default = curve({})
    arriving, leaving = default.velocities()
    expected = 0.5 * (KEYS[2:] - KEYS[:-2])
    error = max(float(abs(arriving[1:-1] - expected).max()), float(abs(leaving[1:-1] - expected).max()))
    picture = context.save(
        draw_side_by_side({"default": default}, tangents=(1, 2)),
        "catmull-rom",
        "Yellow: the incoming tangent at a key; blue: the outgoing one.",
    )
    return Result((agrees("tangent against (P[i+1] - P[i-1]) / 2", "Equation 3", error),), (picture,))
