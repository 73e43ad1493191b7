"""The wavelet paper, part 4: legs traced over a swing (Figure 10) and what fits them (Figure 11).

The paper traces the legs of a dog in a film, which is not available. Here the legs of our walk, seen from the side, are
outlined in every frame instead, and what is found on them moves our dog.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.root_motion import facing
from kinetune.contours.descriptor.wavelet_descriptor import describe
from kinetune.contours.drawing import Contour
from kinetune.contours.gait_cycle import GaitTiming, fit_gait, fit_gamma, progress
from kinetune.contours.tapered_stroke import tapered_stroke
from kinetune.errors import KinetuneError
from kinetune.reproduce.experiments import Context, Result, canvas, deviation, same
from kinetune.rotations import Floats
from kinetune.samples import sample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTHS = [16.0, 12.0, 8.0, 5.0]  # of the outlined leg at hip, knee, ankle and toes, cm
POINTS = 16  # control points of a leg
LEG = ("upper leg", "lower leg", "foot", "toes")
LEAST_FRAMES, LEAST_SWING_M = 8, 0.05


@dataclass(frozen=True)
class Traced:
    """The legs of a walk over one swing of the right leg, from far behind to far ahead.

    outlines : of each frame, the left and the right leg, relative to the hips.
    middle : the frame of key 2, half of the swing's time after key 1.
    """

    outlines: tuple[tuple[Contour, Contour], ...]
    middle: int

    def part(self, number: int) -> tuple[Floats, Floats]:
        """Subcycle A (0) or B (1): times (frames,) and the control points of the swinging leg (frames, 16, 2)."""
        rows = self.outlines[: self.middle + 1] if number == 0 else self.outlines[self.middle :]
        points = [describe(right, "db4", control_points=POINTS).control_points for _, right in rows]
        return np.linspace(0.0, 1.0, len(rows)), np.array(points)


@lru_cache(maxsize=1)
def traced() -> Traced:
    """The legs of the sample walk."""
    return trace(sample("walk"), after_s=1.0)


def trace(walk: Clip, after_s: float = 0.1) -> Traced:
    """Outline the legs of a walk over the first swing of the right leg after some seconds, seen from its left."""
    from scipy.signal import find_peaks

    roles = walk.skeleton.roles
    if not all(f"{side} {part}" in roles for side in ("left", "right") for part in LEG):
        raise KinetuneError("A leg of it has no thigh, shin, foot or toes that are known.")
    places, hips = walk.positions(), roles["hips"]
    turned = facing(walk)[:, None]
    flat = places - places[:, hips : hips + 1]
    forward = np.sin(turned) * flat[..., 0] + np.cos(turned) * flat[..., 2]
    ahead = forward[:, roles["right foot"]]
    least = 0.25 * float(np.ptp(ahead))
    troughs, peaks = (find_peaks(sign * ahead, prominence=least)[0] for sign in (-1.0, 1.0))
    behind = next((int(t) for t in troughs if ahead[t] < 0 and t > after_s * walk.fps), None)
    front = next((int(t) for t in peaks if behind is not None and ahead[t] > 0 and t > behind), None)
    if behind is None or front is None or front - behind < LEAST_FRAMES or least < LEAST_SWING_M:
        raise KinetuneError("There is no whole swing of the right leg in it.")
    frames = []
    for frame in range(behind, front + 1):
        legs = []
        for side in ("left", "right"):
            joints = [roles[f"{side} {part}"] for part in LEG]
            spots = zip(100.0 * forward[frame, joints], -100.0 * flat[frame, joints, 1], strict=True)
            legs.append(tapered_stroke([(float(x), float(y)) for x, y in spots], WIDTHS))
        frames.append((legs[0], legs[1]))
    return Traced(tuple(frames), (front - behind) // 2)


def fitted(traced_legs: Traced | None = None) -> GaitTiming:
    """The timing that fits the traced leg, with one speed where the subcycles meet."""
    (tau_a, a), (tau_b, b) = ((traced_legs or traced()).part(number) for number in (0, 1))
    return fit_gait(tau_a, a, tau_b, b)


def limb_positions(context: Context) -> Result:
    """Figure 10: the legs in all frames of subcycle A."""
    legs = traced()
    height = max(np.ptp(leg.points[:, 1]) for pair in legs.outlines for leg in pair)
    off = []
    for pair in legs.outlines:
        for leg in pair:
            split = describe(leg, "db4", control_points=POINTS)
            off.append((float(np.abs(split.contour().points - leg.points).max()), _rms(split.sweep(), leg)))
    whole, coarse = np.max(off, axis=0) / height
    frames = legs.middle + 1
    return Result(
        (
            deviation(
                "frames traced in subcycle A",
                "from a film of a dog, by hand",
                f"{frames} of a walking figure",
                frames >= 8,
                "The film is not available. The legs of our walk, seen from the side and outlined, move as legs do: "
                "slowest where they turn back.",
            ),
            same(
                "outlines out of all their coefficients",
                "wavelet transforms on all contours",
                f"off by {whole:.0g} of the height",
                whole < 1e-12,
            ),
            same(
                f"outlines out of {POINTS} control points",
                "control points of the contours",
                f"off by {100 * coarse:.1f}% of the height",
                coarse < 0.03,
            ),
        ),
        (context.save(draw_limbs(legs), "limbs", "Dashed: key 1; solid: key 2; dotted: between them."),),
    )


def _rms(a: Contour, b: Contour) -> float:
    return float(np.sqrt(np.mean(np.sum((a.points - b.points) ** 2, axis=1))))


def draw_limbs(legs: Traced) -> Figure:
    from kinetune.figures import palette

    with palette.style():
        figure = canvas(6.4, 3.2)
        for ax, side, title in zip(figure.subplots(1, 2), (0, 1), ("left leg, standing", "right leg"), strict=True):
            for frame in range(legs.middle + 1):
                key = {0: ("--", palette.INK), legs.middle: ("-", palette.EDITED)}
                line, colour = key.get(frame, (":", palette.GHOST))
                path = legs.outlines[frame][side].path
                ax.plot(*path.T, line, color=colour, linewidth=1.4 if frame in key else 0.7)
            ax.set(title=title, aspect="equal", xticks=[], yticks=[])
            ax.invert_yaxis()
            ax.grid(False)
    return figure


def timing_fit(context: Context) -> Result:
    """Figure 11: the parameter of each subcycle by least squares."""
    parts = [traced().part(number) for number in (0, 1)]
    free = [fit_gamma(*part) for part in parts]
    apart = max(abs(gamma - _least_squares(*part)) for gamma, part in zip(free, parts, strict=True))
    golden = fit_gamma([0, 0.25, 0.5, 0.75, 1], [1, 0.9, 0.6, 0.2, 0])
    timing = fitted()
    matched = (timing.gamma_a, timing.gamma_b)
    misfits = [misfit(*part, gamma) for part, gamma in zip(parts, matched, strict=True)]
    even = [misfit(*part, 0.0) for part in parts]
    ways = [float(np.sqrt(np.mean((points[0] - points[-1]) ** 2))) for _, points in parts]
    start, before = ways[0] * (1 + matched[0]), ways[0] * (1 - matched[0])
    after, end = ways[1] * (1 + matched[1]), ways[1] * (1 - matched[1])
    jump = ways[1] * (1 + free[1]) / (ways[0] * (1 - free[0])) - 1
    swing = np.concatenate([parts[0][1], parts[1][1][1:]])
    tau = np.linspace(0.0, 1.0, len(swing))
    one = float(np.sqrt(np.mean(_residuals_cm(tau, swing, fit_gamma(tau, swing)) ** 2)))
    each = [_residuals_cm(*part, gamma) for part, gamma in zip(parts, matched, strict=True)]
    two = float(np.sqrt(np.mean(np.concatenate(each) ** 2)))
    return Result(
        (
            same(
                "gamma, closed form against a numerical least-squares solver",
                "minimizes the error squares",
                f"{free[0]:.3f} in A, {free[1]:.3f} in B; off by {apart:.0g}",
                apart < 1e-10,
            ),
            same(
                "a case by hand: tau = 0, 1/4 ... 1, y = 1, .9, .6, .2, 0",
                "the same formula: -28/85",
                f"{golden:.12f}",
                abs(golden + 28 / 85) < 1e-14,
            ),
            same(
                "misfit in A and B, of the way between the keys",
                "best parameters",
                f"{100 * misfits[0]:.1f}% and {100 * misfits[1]:.1f}%; at even speed {100 * even[0]:.1f}% and "
                f"{100 * even[1]:.1f}%",
                sum(misfits) < sum(even) and max(misfits) < 0.1,
            ),
            same(
                "speed of the leg behind, in the middle and ahead, against the middle",
                "most rapidly near the middle of their swing",
                f"{start / before:.2f}, 1, {end / after:.2f}",
                start < before and end < after,
            ),
            deviation(
                "jump of speed at key 2 when A and B are fitted alone",
                "each its own parameter",
                f"{100 * abs(jump):.0f}% alone, {100 * abs(after / before - 1):.0g}% together",
                abs(after / before - 1) < 1e-9 < abs(jump),
                f"We fit both at once with one speed where they meet: gamma {matched[0]:.3f} and {matched[1]:.3f}.",
            ),
            deviation(
                "control points off the model: one parameter for the whole swing, or two",
                "1 - (1 + gamma) tau + gamma tau^2",
                f"{one:.1f} cm with one, {two:.1f} cm with two",
                one > 1.5 * two,
                "One quadratic has a speed that only grows or only falls, so that a limb cannot be slow at both ends "
                "of its swing; two that meet can.",
            ),
        ),
        (context.save(_fit_figure(parts, matched), "fit", "o: subcycle A, x: subcycle B; lines: the fit."),),
    )


def _shares(points: Floats) -> Floats:
    """How much of the way from the first to the last frame is left, for each frame."""
    flat = points.reshape(len(points), -1)
    way = flat[0] - flat[-1]
    shares: Floats = (flat - flat[-1]) @ way / (way @ way)
    return shares


def _least_squares(tau: Floats, points: Floats) -> float:
    """gamma by a general linear solver on all control points."""
    way = points[0] - points[-1]
    column = ((tau * tau - tau)[:, None, None] * way).reshape(-1, 1)
    rest = (points - points[-1] - (1.0 - tau)[:, None, None] * way).ravel()
    return float(np.linalg.lstsq(column, rest, rcond=None)[0][0])


def misfit(tau: Floats, points: Floats, gamma: float) -> float:
    """The root mean square of what the model is off along the way, as a share of it."""
    return float(np.sqrt(np.mean((_shares(points) - 1.0 + progress(tau, gamma)) ** 2)))


def _residuals_cm(tau: Floats, points: Floats, gamma: float) -> Floats:
    """How far every control point is from the model, along the way and across it."""
    left = 1.0 - progress(tau, gamma)
    away: Floats = np.linalg.norm(points - points[-1] - left[:, None, None] * (points[0] - points[-1]), axis=-1)
    return away


def _fit_figure(parts: list[tuple[Floats, Floats]], gammas: tuple[float, float]) -> Figure:
    from kinetune.figures import palette

    fine = np.linspace(0.0, 1.0, 100)
    with palette.style():
        figure = canvas(6.0, 2.7)
        ax = figure.subplots()
        for (tau, points), gamma, mark, name, colour in zip(
            parts, gammas, "ox", "AB", (palette.EDITED, palette.LEFT), strict=True
        ):
            ax.plot(tau, _shares(points), mark, color=colour, markersize=5, fillstyle="none")
            ax.plot(fine, 1.0 - progress(fine, gamma), color=colour, label=f"{name}: gamma {gamma:.2f}")
        ax.plot([0, 1], [1, 0], ":", color=palette.GHOST, label="linear")
        ax.set(xlabel="tau", ylabel="share of the way left")
        ax.legend()
    return figure
