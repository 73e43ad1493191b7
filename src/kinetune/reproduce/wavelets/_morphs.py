"""The wavelet paper, part 3: morphs by coefficients (Figure 4) and by physics (Figure 5)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.elastic.materials import PRESETS
from kinetune.contours.elastic.relaxation import relax
from kinetune.contours.morphing.morph import morph
from kinetune.contours.outlines import count_self_crossing
from kinetune.reproduce.experiments import Context, Result, Value, canvas, erratum, same
from kinetune.reproduce.wavelets.motion import hoop, pushed, rms
from kinetune.rotations import Floats
from kinetune.samples.drawings import sample_drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def linear_morph(context: Context) -> Result:
    """Figure 4: a face becomes another by its coefficients; and how many outlines cross themselves on the way."""
    faces = sample_drawing("face-happy"), sample_drawing("face-sad")
    film = morph(*faces, frames=8, method="linear")
    shapes = _outlines()
    pairs = list(itertools.combinations(shapes, 2))[:: 2 if context.quick else 1]
    frames = 12
    counts = {
        "linear, all coefficients": sum(count_self_crossing(morph(a, b, frames, "linear")) > 0 for a, b in pairs),
        "linear, 16 coefficients": sum(
            count_self_crossing(morph(a, b, frames, "linear", coefficients=16)) > 0 for a, b in pairs
        ),
        "safe": sum(count_self_crossing(morph(a, b, frames, "safe")) > 0 for a, b in pairs),
    }
    crossed = count_self_crossing(film)
    a, b = shapes[2], shapes[0]
    rows = [*morph(a, b, 8, "linear"), *morph(a, b, 8, "linear", coefficients=16), *morph(a, b, 8, "safe")]
    return Result(
        (
            same("the face: frames with a curve that crosses itself", "smooth and natural", str(crossed), crossed == 0),
            erratum(
                f"outlines that cross themselves on the way, of {len(pairs)} pairs, all or 16 coefficients",
                "non-self-intersecting",
                f"{counts['linear, all coefficients']} and {counts['linear, 16 coefficients']}",
                counts["linear, all coefficients"] > 0 and counts["linear, 16 coefficients"] > 0,
                "The transform is linear, so that morphing all coefficients is morphing all samples; leaving details "
                "out helps some pairs and hurts others. Judged by GEOS on the frames as they are drawn.",
            ),
            Value(
                f'the same, method "safe", {len(pairs)} pairs',
                "non-self-intersecting",
                str(counts["safe"]),
                "better" if counts["safe"] == 0 else "failed",
                "Alignment, elastic correspondence, intrinsic interpolation, and a guard.",
            ),
        ),
        (
            context.strip(film, "face", "Linear in all coefficients.", columns=8),
            context.strip(rows, "outlines", "Linear, linear in 16 coefficients, safe.", columns=8),
        ),
        ("The paper's drawings are not available; these are our samples.",),
    )


def _outlines() -> list[Drawing]:
    """Outlines that are worth a morph, each alone on a page: a dog in two poses, a digit, a spiral, a comb, a bean."""
    import shapely

    outlines = [sample_drawing("digit-3").layers[0].contours[0].points, pushed(hoop()).points]
    for name in ("dog-1", "dog-2"):
        dog = sample_drawing(name)
        limbs = ("body", "near hind leg", "near front leg", "neck", "head", "tail")
        merged = shapely.unary_union([shapely.Polygon(dog.layer(limb).contours[0].points) for limb in limbs])
        outlines.append(np.array(merged.exterior.coords)[:-1])
    angle = np.linspace(0.3, 4 * np.pi, 200)
    line = (5 + 40 * angle / angle[-1]) * np.exp(1j * angle)
    across = 3j * np.gradient(line) / np.abs(np.gradient(line))
    spiral = np.concatenate([line + across, (line - across)[::-1]])
    outlines.append(np.stack([spiral.real, spiral.imag], axis=-1))
    teeth = [(x + dx, y) for x in range(0, 100, 20) for dx, y in ((0, 0), (10, 0), (10, 60), (20, 60))]
    outlines.append(np.array([(0, 80), *teeth, (100, 80)], dtype=float))
    drawings = []
    for points in outlines:
        centred = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
        drawings.append(Drawing((Layer((Contour(50.0 + centred * (80.0 / np.ptp(centred, axis=0).max())),)),)))
    return drawings


def timing(context: Context) -> Result:
    """Figure 5: a linear morph beside motion by physics with several constants."""
    rest = hoop()
    shape = pushed(rest)
    size = rms(shape.points - rest.points)
    times = np.linspace(0.0, 1.5, 76)
    left = {name: _left(shape, rest, times, name) for name in PRESETS}
    linear = np.maximum(0.0, 1.0 - times)
    first_ms = np.array([0.0, 0.002])
    start = {name: float(-np.diff(_left(shape, rest, first_ms, name))[0]) for name in PRESETS}
    settled = {name: float(curve[-1]) for name, curve in left.items()}
    swung = {name: max(0.0, -float(min(curve))) for name, curve in left.items()}
    expected = {name: material.bounciness for name, material in PRESETS.items()}
    within = max(abs(swung[name] - expected[name]) for name in PRESETS)
    held = max(start.values()) / 0.002
    return Result(
        (
            same(
                "speed over the first 2 ms, physics against linear",
                "positions and speeds are essential",
                f"{100 * held:.0f}%: it starts from rest",
                held < 0.2,
            ),
            same(
                "swing past the rest shape",
                "differs with constitutive, damping and mass parameters",
                ", ".join(f"{name} {100 * value:.0f}%" for name, value in swung.items()),
                swung["dead-beat"] < 0.01 < swung["jelly"] < swung["wobbly"],
            ),
            same(
                "the same against exp(-pi z / sqrt(1 - z^2)), z the damping ratio",
                "the solution of a damped mode",
                f"off by at most {100 * within:.1f} hundredths",
                within < 0.02,
            ),
            same(
                "displacement left after 1.5 s",
                "shown",
                ", ".join(f"{name} {100 * abs(value):.1f}%" for name, value in settled.items()),
                abs(settled["dead-beat"]) < 0.01 and abs(settled["jelly"]) < 0.02,
            ),
        ),
        (
            context.save(_timing_figure(times, left, linear), "timing", "How much of the first wobble is left."),
            context.strip(
                [_page(frame) for frame in _linear_and_physical(shape, rest)],
                "frames",
                "Linear above, jelly below, over one second.",
                columns=9,
            ),
        ),
        (
            f"The hoop is pushed by {size:.1f} of its radius of 34, by root mean square.",
            "The text gives no constants for its curves, so that they cannot be compared point by point; "
            "what can is the swing of a damped mode, which has a closed form.",
        ),
    )


def _left(shape: Contour, rest: Contour, times: Floats, preset: str) -> Floats:
    """What is left of the slowest wobble of a released hoop, as a share with a sign."""
    first = np.fft.fft(shape.complex - rest.complex)[[1, -1]]
    now = [np.fft.fft(frame.complex - rest.complex)[[1, -1]] for frame in relax(shape, rest, times, preset=preset)]
    return np.array([float((np.vdot(first, modes) / np.vdot(first, first)).real) for modes in now])


def _timing_figure(times: Floats, left: dict[str, Floats], linear: Floats) -> Figure:
    from kinetune.figures import palette

    with palette.style():
        figure = canvas(6.0, 2.6)
        ax = figure.subplots()
        ax.plot(times, linear, ":", color=palette.GHOST, label="linear, 1 s")
        for (name, curve), colour in zip(left.items(), (palette.INK, palette.EDITED, palette.LEFT), strict=True):
            material = PRESETS[name]
            label = f"{name}: e0 {material.e0:g}, s1 {material.s1:g}, s2 {material.s2:g}"
            ax.plot(times, curve, color=colour, label=label)
        ax.axhline(0, color=palette.GHOST, linewidth=0.6)
        ax.set(xlabel="seconds", ylabel="displacement left")
        ax.legend()
    return figure


def _linear_and_physical(shape: Contour, rest: Contour) -> list[Contour]:
    share = np.linspace(0.0, 1.0, 9)
    linear = [rest.moved((1 - t) * shape.points + t * rest.points) for t in share.tolist()]
    return linear + relax(shape, rest, share, preset="jelly")


def _page(contour: Contour) -> Drawing:
    return Drawing((Layer((contour,), "hoop", None, "#23262b", 1.5),))
