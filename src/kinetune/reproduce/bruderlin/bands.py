"""Figures 1 and 2 of Bruderlin's paper: frequency bands, and what their gains do."""

from __future__ import annotations

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.quality.measures import measure
from kinetune.operations import find_operation
from kinetune.recipes import Recipe
from kinetune.reproduce.experiments import Context, Result, Value, deviation, erratum, off, same
from kinetune.rotations import Floats
from kinetune.samples import sample
from kinetune.signals.bands.pyramid import join_bands, split_bands

Equalize, PlantFeet, Resample = (find_operation(tag) for tag in ("equalize", "plant_feet", "resample"))


def band_passes(context: Context) -> Result:
    """Bands of a knee: their number, their sum, and each against the printed formula."""
    walk = sample("walk")
    knee = figures.channel(walk, "left lower leg")
    bands = split_bands(knee)
    rebuilt = float(abs(join_bands(bands) - knee).max())
    direct = _convolved(knee, bands.count)
    apart = max(float(abs(one - two).max()) for one, two in zip(bands.details, direct, strict=True))
    expected = int(np.floor(np.log2(len(knee))))
    ramp = base_of_ramp(300)
    return Result(
        (
            same(
                "number of bands", f"n for 2^n <= m <= 2^(n+1): {expected}", str(bands.count), bands.count == expected
            ),
            same("reconstruction", "G0 = Gfb + sum of bands", off(rebuilt, "°"), rebuilt < 1e-12),
            same("bands against a direct convolution", "section 2.1", off(apart, "°"), apart < 1e-10),
            erratum(
                "the last low-pass of a ramp from 0 to 1 over 300 frames",
                "G_fb is the DC",
                f"from {ramp[0]:.2f} to {ramp[-1]:.2f}",
                float(np.ptp(ramp)) > 0.1,
                "The widest kernel spans about half of the clip, so that what is left still moves: travel through a "
                "room stays in the base. The sum is exact all the same.",
            ),
            erratum(
                "numbers n with 2^n <= m <= 2^(n+1) for m = 256",
                "one",
                f"{len(_counts(256))}: {_counts(256)}",
                len(_counts(256)) == 2,
                "Where m is a power of two both fit; the larger one is taken.",
            ),
        ),
        (
            context.save(
                figures.draw_bands(knee, walk.fps, title="left knee of a walk"),
                "pyramid",
                "Left: smoother and smoother. Right: what each step takes away.",
            ),
        ),
    )


def base_of_ramp(frames: int) -> Floats:
    """What is left in the base of a signal that goes evenly from 0 to 1."""
    return np.asarray(split_bands(np.linspace(0.0, 1.0, frames)).base)


def _counts(frames: int) -> list[int]:
    """Every number of bands that the paper's condition allows."""
    return [n for n in range(1, 20) if 2**n <= frames <= 2 ** (n + 1)]


def _convolved(signal: Floats, count: int) -> list[Floats]:
    """The bands by the printed formula, one sample after the other, ends held."""
    low, bands = signal, []
    for k in range(count):
        taps = [
            weight * low[np.clip(np.arange(len(low)) + 2**k * m, 0, len(low) - 1)]
            for m, weight in zip(range(-2, 3), (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16), strict=True)
        ]
        smoother = np.sum(taps, axis=0)
        bands.append(low - smoother)
        low = smoother
    return bands


def gains(context: Context) -> Result:
    """Bands turned up and down, on a walk and on a knock."""
    walk, knock = sample("walk-happy"), sample("knock")
    larger = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(walk)
    nervous, subdued = (
        Equalize(preset="nervous", keep_feet=False, limit_knees=False)(walk),
        Equalize(preset="subdued", keep_feet=False, limit_knees=False)(walk),
    )
    anticipating = Equalize(preset="anticipation", keep_feet=False, limit_knees=False)(knock)
    sizes = {name: movement(clip) for name, clip in (("walk", walk), ("larger", larger))}
    jerks = {name: measure(clip)["jerk"] for name, clip in (("walk", walk), ("larger", larger), ("nervous", nervous))}
    at_their_rate = Resample(fps=30.0)(knock)
    alone = Equalize(gains=[1, 1, 1, 1, 1, -0.5], root="none", keep_feet=False, limit_knees=False)(at_their_rate)
    reach = [_backswing(clip) for clip in (knock, anticipating)]
    lower = [_highest(knock) - _highest(clip) for clip in (alone, anticipating)]
    knee = figures.channel(walk, "left lower leg")
    values = (
        same(
            "joint movement, bands 2 to 4 up",
            "smoothed but exaggerated",
            f"{sizes['walk']:.1f}° to {sizes['larger']:.1f}°",
            sizes["larger"] > 1.15 * sizes["walk"],
        ),
        same(
            "jerk for its size, the same",
            "smoothed",
            f"{jerks['larger'] / jerks['walk'] / (sizes['larger'] / sizes['walk']):.2f} of the original",
            jerks["larger"] / jerks["walk"] < 1.5 * sizes["larger"] / sizes["walk"],
        ),
        same(
            "jerk, band 0 up",
            "a nervous twitch",
            f"{jerks['nervous'] / jerks['walk']:.1f} times",
            jerks["nervous"] > 1.5 * jerks["walk"],
        ),
        *_subdued(walk),
        same(
            "the hand draws back before a knock, band 5 negative",
            "exaggerated anticipation",
            f"{100 * reach[0]:.1f} cm to {100 * reach[1]:.1f} cm",
            reach[1] > reach[0] + 0.005,
        ),
        deviation(
            "how much lower the hand knocks then",
            "not stated",
            f"{100 * lower[0]:.0f} cm with band 5 alone, {100 * lower[1]:.0f} cm with our preset",
            abs(lower[1]) < 0.5 * abs(lower[0]),
            "Band 5 carries much of the reach itself. Our preset inverts it by less and raises the bands beside it, "
            "so the action keeps its reach.",
        ),
    )
    pictures = (
        context.save(
            figures.draw_bands(knee, walk.fps, gains=[1, 1, 1.7, 1.7, 1.7], title="bands 2 to 4 up"),
            "faders",
            "The left knee of a walk: each band with its gain, and the sum of all (above).",
        ),
        context.save(figures.draw_strip(larger, before=walk), "exaggerated", "A happy walk, bands 2 to 4 up."),
        context.save(
            figures.draw_strip(subdued, before=walk),
            "subdued",
            "The same walk, bands 5 and 6 up and the faster ones down: preset subdued.",
        ),
        context.save(
            figures.draw_strip(anticipating, before=knock),
            "anticipation",
            "A knock, band 5 negative: preset anticipation.",
        ),
    )
    return Result(values, pictures)


def _subdued(walk: Clip) -> tuple[Value, Value]:
    paper = "an attenuated, constrained walk with reduced joint movement"
    at_their_rate = Resample(fps=30.0)(walk)
    before = movement(at_their_rate)
    literal = movement(
        Equalize(gains=[1, 1, 1, 1, 1, 1.5, 1.5], root="none", keep_feet=False, limit_knees=False)(at_their_rate)
    )
    preset = movement(Equalize(preset="subdued", keep_feet=False, limit_knees=False)(walk))
    note = (
        "Raising a band takes nothing away from the others: the movement cannot shrink. Our preset turns the "
        "faster bands down as well, as a walk that looks attenuated must have had them."
    )
    return (
        erratum(
            "joint movement, bands 5 and 6 up alone",
            paper,
            f"{before:.2f}° to {literal:.2f}°",
            literal >= before,
            note,
        ),
        same("joint movement, preset subdued", paper, f"{before:.1f}° to {preset:.1f}°", preset < 0.8 * before),
    )


def _backswing(knock: Clip) -> float:
    """How far the hand goes back from its first place ahead before it first goes forward most, metres."""
    hand = knock.positions()[:, knock.skeleton.index("right hand"), 2]
    first = int(np.argmax(hand))
    speed = np.gradient(hand)
    rising = int(np.argmax(speed[: first + 1] > 0.5 * speed[: first + 1].max()))
    return float(hand[: rising + 1].max() - hand[: rising + 1].min()) if rising else 0.0


def _highest(knock: Clip) -> float:
    """How high the right hand gets, metres."""
    return float(knock.positions()[:, knock.skeleton.index("right hand"), 1].max())


def movement(clip: Clip) -> float:
    """How much the joints of a clip move about their means, degrees, over all of them."""
    curves = pose_curves(clip, range(len(clip.skeleton))).curves
    return float(np.degrees(np.sqrt(np.mean(np.sum((curves - curves.mean(axis=0)) ** 2, axis=-1)))))
