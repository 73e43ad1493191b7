"""Bruderlin and Williams 1995, run again: Figures 1 to 11 on our samples.

Their clips are not to be had; ours show the same actions (walks in several moods, drumming, an arm that sways, a wave,
a knock, someone who sits and drinks), so that what the paper says in words can be checked in numbers.
"""

from __future__ import annotations

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.body.contacts import find_contacts
from kinetune.body.measures import measure
from kinetune.body.pose_curves import pose_curves
from kinetune.operations import find_operation
from kinetune.recipes import Recipe
from kinetune.reproduce.experiments import Context, Experiment, Paper, Result, Value
from kinetune.rotations import Floats
from kinetune.samples import sample
from kinetune.signals.bands import join_bands, split_bands
from kinetune.signals.shaping import ShapingCurve
from kinetune.signals.warping import time_warp

Blend, Displace, Equalize = (find_operation(tag) for tag in ("blend", "displace", "equalize"))
PlantFeet, Resample, Shape = (find_operation(tag) for tag in ("plant_feet", "resample", "shape"))


def _same(what: str, paper: str, ours: str, holds: bool) -> Value:
    return Value(what, paper, ours, "same" if holds else "failed")


def _size(clip: Clip) -> float:
    """How much the joints move about their means, degrees, over all of them."""
    curves = pose_curves(clip, range(len(clip.skeleton))).curves
    return float(np.degrees(np.sqrt(np.mean(np.sum((curves - curves.mean(axis=0)) ** 2, axis=-1)))))


def _pyramid(context: Context) -> Result:
    walk = sample("walk")
    knee = figures.channel(walk, "left lower leg")
    bands = split_bands(knee)
    rebuilt = float(abs(join_bands(bands) - knee).max())
    direct = _convolved(knee, bands.count)
    apart = max(float(abs(one - two).max()) for one, two in zip(bands.details, direct, strict=True))
    expected = int(np.floor(np.log2(len(knee))))
    return Result(
        (
            _same(
                "number of bands", f"n for 2^n <= m <= 2^(n+1): {expected}", str(bands.count), bands.count == expected
            ),
            _same("reconstruction", "G0 = Gfb + sum of bands", f"off by {rebuilt:.1e}°", rebuilt < 1e-12),
            _same("bands against a direct convolution", "section 2.1", f"off by {apart:.1e}°", apart < 1e-10),
        ),
        (context.save(figures.draw_bands(knee, walk.fps, title="left knee of a walk"), "pyramid"),),
    )


def _convolved(signal: Floats, count: int) -> list[Floats]:
    """The bands by the printed formula, one sample after the other, ends held."""
    low, found = signal, []
    for k in range(count):
        taps = [
            weight * low[np.clip(np.arange(len(low)) + 2**k * m, 0, len(low) - 1)]
            for m, weight in zip(range(-2, 3), (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16), strict=True)
        ]
        smoother = np.sum(taps, axis=0)
        found.append(low - smoother)
        low = smoother
    return found


def _faders(context: Context) -> Result:
    walk, knock = sample("walk-happy"), sample("knock")
    larger = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(walk)
    nervous, subdued = Equalize(preset="nervous")(walk), Equalize(preset="subdued")(walk)
    anticipating = Equalize(preset="anticipation")(knock)
    sizes = {name: _size(clip) for name, clip in (("walk", walk), ("larger", larger))}
    jerks = {name: measure(clip)["jerk"] for name, clip in (("walk", walk), ("larger", larger), ("nervous", nervous))}
    reach = [_backswing(clip) for clip in (knock, anticipating)]
    knee = figures.channel(walk, "left lower leg")
    values = (
        _same(
            "joint movement, bands 2 to 4 up",
            "smoothed but exaggerated",
            f"{sizes['walk']:.1f}° to {sizes['larger']:.1f}°",
            sizes["larger"] > 1.15 * sizes["walk"],
        ),
        _same(
            "jerk for its size, the same",
            "smoothed",
            f"{jerks['larger'] / jerks['walk'] / (sizes['larger'] / sizes['walk']):.2f} of the original",
            jerks["larger"] / jerks["walk"] < 1.5 * sizes["larger"] / sizes["walk"],
        ),
        _same(
            "jerk, band 0 up",
            "a nervous twitch",
            f"{jerks['nervous'] / jerks['walk']:.1f} times",
            jerks["nervous"] > 1.5 * jerks["walk"],
        ),
        *_subdued(walk),
        _same(
            "the hand draws back before a knock, band 5 negative",
            "exaggerated anticipation",
            f"{100 * reach[0]:.1f} cm to {100 * reach[1]:.1f} cm",
            reach[1] > reach[0] + 0.005,
        ),
    )
    pictures = (
        context.save(
            figures.draw_bands(knee, walk.fps, gains=[1, 1, 1.7, 1.7, 1.7], title="bands 2 to 4 up"), "faders"
        ),
        context.save(figures.draw_strip(larger, before=walk), "exaggerated", "A happy walk, bands 2 to 4 up."),
        context.save(figures.draw_strip(subdued, before=walk), "subdued", "The same walk, bands 5 and 6 up."),
        context.save(figures.draw_strip(anticipating, before=knock), "anticipation", "A knock, band 5 negative."),
    )
    return Result(values, pictures)


def _subdued(walk: Clip) -> tuple[Value, Value]:
    paper = "an attenuated, constrained walk with reduced joint movement"
    at_their_rate = Resample(fps=30.0)(walk)
    before = _size(at_their_rate)
    literal = _size(Equalize(gains=[1, 1, 1, 1, 1, 1.5, 1.5], root="none")(at_their_rate))
    preset = _size(Equalize(preset="subdued")(walk))
    note = (
        "A band that is turned up takes nothing away from the others: the movement cannot shrink. Our preset turns the "
        "faster bands down as well, as a walk that looks attenuated must have had them."
    )
    return (
        Value("joint movement, bands 5 and 6 up alone", paper, f"{before:.2f}° to {literal:.2f}°", "erratum", note),
        _same("joint movement, preset subdued", paper, f"{before:.1f}° to {preset:.1f}°", preset < 0.8 * before),
    )


def _backswing(knock: Clip) -> float:
    """How far the hand goes back from its first place ahead before it first goes forward most, metres."""
    hand = knock.positions()[:, knock.skeleton.index("right hand"), 2]
    first = int(np.argmax(hand))
    speed = np.gradient(hand)
    rising = int(np.argmax(speed[: first + 1] > 0.5 * speed[: first + 1].max()))
    return float(hand[: rising + 1].max() - hand[: rising + 1].min()) if rising else 0.0


def _blend(context: Context) -> Result:
    drum, sway = sample("drumming"), sample("arm-sway")
    mix = Blend(other="sway", weight=0.6, align="scale")(drum, sway=sway)
    ends = [Blend(other="sway", weight=weight, align="scale")(drum, sway=sway) for weight in (0.0, 1.0)]
    off = float(np.abs(ends[0].positions() - drum.positions()[: len(ends[0])]).max())
    parts = [_size(clip) for clip in (ends[0], mix, ends[1])]
    return Result(
        (
            _same("weight 0 is the drummer", "linear blend", f"off by {1000 * off:.1e} mm", off < 1e-9),
            _same(
                "joint movement of drum, mix, sway",
                "0.4 of the drum and 0.6 of the arm-sway",
                ", ".join(f"{part:.1f}°" for part in parts),
                parts[1] < max(parts[0], parts[2]),
            ),
        ),
        (
            context.save(figures.draw_strip(drum, poses=10), "drum", "Drumming."),
            context.save(figures.draw_strip(sway, poses=10), "sway", "Arm-sway."),
            context.save(figures.draw_strip(mix, poses=10), "mix", "0.4 of one and 0.6 of the other."),
        ),
    )


def _band_blend(context: Context) -> Result:
    drum, sway = sample("drumming"), sample("arm-sway")
    plain = Blend(other="sway", weight=0.5, align="scale")(drum, sway=sway)
    by_band = Blend(other="sway", weight=1.0, bands=[0.0, 0.0, 0.0, 0.0, 0.2], align="scale")(drum, sway=sway)
    beats = [_fast_part(clip) for clip in (drum, plain, by_band)]
    return Result(
        (
            _same(
                "speed of the hands kept, plain and by band",
                "more convincing: the beat stays, the sway comes in",
                f"{beats[1] / beats[0]:.0%} and {beats[2] / beats[0]:.0%} of the drummer's fast movement",
                beats[2] > 1.2 * beats[1],
            ),
        ),
        (
            context.save(figures.draw_strip(plain, poses=10), "plain", "Half and half."),
            context.save(
                figures.draw_strip(by_band, poses=10), "bands", "Fast bands from the drummer, slow from the sway."
            ),
        ),
    )


def _fast_part(clip: Clip) -> float:
    """Movement of the arms in bands 0 to 3, degrees."""
    arms = [clip.skeleton.index(f"{side} {part}") for side in ("left", "right") for part in ("upper arm", "lower arm")]
    bands = split_bands(pose_curves(clip, arms).curves.reshape(len(clip), -1))
    return float(np.degrees(np.sqrt(np.mean(sum(bands.details[k] for k in range(4)) ** 2))))


def _two_walks(context: Context) -> Result:
    sad, happy = sample("walk-sad"), sample("walk-happy")
    slides = {}
    pictures = []
    for way, words in (("none", "without correspondence in time"), ("warp", "with it")):
        mix = Blend(other="happy", weight=0.5, align=way)(sad, happy=happy)
        slides[way] = measure(mix)["foot_slide_mm"]
        pictures.append(
            context.save(figures.draw_strip(mix), f"walks-{way}", f"Sad and happy, half and half, {words}.")
        )
    return Result(
        (
            _same(
                "foot slide in a contact, without and with the warp",
                "a curious dance of uncoordinated motions; feet that strike the ground",
                f"{slides['none']:.0f} mm and {slides['warp']:.1f} mm",
                slides["warp"] < 0.5 * slides["none"],
            ),
        ),
        tuple(pictures),
    )


def _knees(context: Context) -> Result:
    from kinetune.body.aligning import align
    from kinetune.figures.warp_figure import draw_warped_curves

    sad, happy = sample("walk-sad"), sample("walk-happy")
    before, after = _likeness(sad, happy), _likeness(align(sad, happy), happy)
    own, half, others = (align(sad, happy, amount=amount).duration for amount in (0.0, 0.5, 1.0))
    return Result(
        (
            _same(
                "correlation of the knee angles, before and after the warp",
                "matched",
                f"{before:.2f} and {after:.2f}",
                after > 0.9 and after > before,
            ),
            _same(
                "length halfway between the two timings",
                "freely interpolate between the mappings",
                f"{half:.2f} s between {own:.2f} s and {others:.2f} s",
                min(own, others) < half < max(own, others),
            ),
        ),
        (context.save(draw_warped_curves(sad, happy, "left lower leg", names=("sad", "happy")), "knees"),),
    )


def _likeness(clip: Clip, other: Clip) -> float:
    frames = min(len(clip), len(other))
    one, two = (figures.channel(c, "left lower leg", like=other)[:frames] for c in (clip, other))
    return float(np.corrcoef(one, two)[0, 1])


def _matrix(context: Context) -> Result:
    from kinetune.figures.warp_figure import draw_warp

    dice = np.random.default_rng(3)
    worst = 0.0
    for _ in range(20):
        a, b = dice.standard_normal((10, 2)), dice.standard_normal((10, 2))
        worst = max(worst, time_warp(a, b).cost - _least(a, b))
    sad, happy = sample("walk-sad"), sample("walk-happy")
    work = time_warp(_signal(sad), _signal(happy), "sederberg")
    return Result(
        (
            _same(
                "cost above the best of all paths, 20 grids of 10 x 10",
                "globally optimal",
                f"{worst:.1e}",
                worst < 1e-9,
            ),
            _same(
                "path by stretching and bending work",
                "from (0, 0) to (n, n), monotone",
                f"{len(work.path)} pairs",
                bool(np.all(np.diff(work.path, axis=0) >= 0) and work.path[0].sum() == 0),
            ),
        ),
        (context.save(draw_warp(sad, happy, joint="left lower leg", names=("sad", "happy")), "matrix"),),
    )


def _signal(clip: Clip) -> Floats:
    return figures.channel(clip, "left lower leg")[:, None]


def _least(a: Floats, b: Floats) -> float:
    """The least sum of distances over all monotone paths, by trying every step."""
    apart = np.linalg.norm(a[:, None] - b[None], axis=-1)
    best = np.full(apart.shape, np.inf)
    best[0, 0] = apart[0, 0]
    for i in range(len(a)):
        for j in range(len(b)):
            steps = [best[i - di, j - dj] for di, dj in ((1, 0), (0, 1), (1, 1)) if i >= di and j >= dj]
            if steps:
                best[i, j] = apart[i, j] + min(steps)
    return float(best[-1, -1])


def _capped(context: Context) -> Result:
    wave = sample("wave")
    curve = ShapingCurve.cap(-0.5, 0.5)
    capped = Shape(curve=curve, joints="right arm")(wave)
    before, after = (figures.channel(clip, "right lower arm", like=wave) for clip in (wave, capped))
    same = float(np.abs(Shape(curve="identity")(wave).positions() - wave.positions()).max())
    return Result(
        (
            _same("identity leaves the signal", "passes unchanged", f"off by {1000 * same:.1e} mm", same < 1e-9),
            _same(
                "range of the elbow",
                "limited",
                f"{np.ptp(before):.0f}° to {np.ptp(after):.0f}°",
                bool(np.ptp(after) < 0.75 * np.ptp(before)),
            ),
        ),
        (
            context.save(figures.draw_shaping(curve, before, wave.fps), "cap"),
            context.save(figures.draw_strip(capped, before=wave), "capped"),
        ),
    )


def _undulating(context: Context) -> Result:
    drink = sample("sit-and-drink")
    curve = ShapingCurve.undulate()
    waving = Shape(curve=curve, joints="right arm")(drink)
    before, after = (figures.channel(clip, "right upper arm", like=drink) for clip in (drink, waving))
    turns = [_turns(signal) for signal in (before, after)]
    return Result(
        (
            _same(
                "turning points of the upper arm",
                "extra undulations",
                f"{turns[0]} before, {turns[1]} after",
                turns[1] > turns[0],
            ),
        ),
        (
            context.save(figures.draw_shaping(curve, before, drink.fps), "undulate"),
            context.save(figures.draw_strip(waving, before=drink), "undulating"),
        ),
    )


def _turns(signal: Floats) -> int:
    """Extremes that stand out by more than two hundredths of the range."""
    from scipy.signal import find_peaks

    least = 0.02 * float(np.ptp(signal))
    return len(find_peaks(signal, prominence=least)[0]) + len(find_peaks(-signal, prominence=least)[0])


def _steps(context: Context) -> Result:
    from kinetune.signals.displacing import displacement

    knock = sample("knock")
    arm = figures.channel(knock, "right upper arm")
    at, wanted = [40, 90, 150], [-12.0, 20.0, 8.0]
    change = displacement(len(arm), at, np.array(wanted))
    missed = float(abs(change[at] - wanted).max())
    pinned = float(max(abs(change[0]), abs(change[-1])))
    return Result(
        (
            _same("displacement points", "satisfied", f"missed by {missed:.1e}°", missed < 1e-12),
            _same("first and last point", "always displacement points", f"off by {pinned:.1e}°", pinned < 1e-12),
        ),
        (context.save(figures.draw_displacement(arm, knock.fps, at, wanted), "steps"),),
    )


def _displaced(context: Context) -> Result:
    knock, drink, walk = sample("knock"), sample("sit-and-drink"), sample("walk-happy")
    keys = [{"time_s": when, "joint": "right hand", "move": [0.0, 0.2, 0.0]} for when in (1.1, 1.9)]
    higher = Displace(keys=keys)(knock)
    hand = knock.skeleton.index("right hand")
    rise = higher.positions()[round(1.1 * knock.fps), hand, 1] - knock.positions()[round(1.1 * knock.fps), hand, 1]
    gestures = [
        {"frame": int(share * len(drink)), "joint": joint, "rotate": turn}
        for share, joint, turn in (
            (0.3, "left upper arm", (0, 0, 35)),
            (0.5, "head", (0, 20, 0)),
            (0.7, "left upper arm", (0, 0, 30)),
        )
    ]
    gesturing = Displace(keys=gestures)(drink)
    filtered = Equalize(preset="exaggerate")(walk)
    stands = find_contacts(walk)
    slid = measure(filtered, contacts=stands)["foot_slide_mm"]
    planted = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(walk)
    mended = measure(planted, contacts=stands)["foot_slide_mm"]
    return Result(
        (
            _same("the knock is higher", "a higher impact point", f"by {100 * rise:.2f} cm", abs(rise - 0.2) < 1e-6),
            _same(
                "frames changed by hand, sitting and drinking",
                "three out of 600",
                f"{len(gestures)} of {len(drink)}",
                len(gestures) == 3,
            ),
            Value(
                "foot slide of the filtered walk, before and after",
                "adjusted by hand at a few keys, twice",
                f"{slid:.0f} mm and {mended:.1f} mm",
                "better" if mended < 0.1 * slid else "failed",
                "PlantFeet finds the contacts and solves the legs; no key is set by hand.",
            ),
        ),
        (
            context.save(figures.draw_strip(planted, before=filtered), "walk", "Filtered (grey) and planted."),
            context.save(figures.draw_strip(gesturing, before=drink), "drink", "Three keys for arm and head."),
            context.save(figures.draw_strip(higher, before=knock), "knock", "A knock 20 cm higher."),
        ),
    )


PAPER = Paper(
    name="bruderlin",
    title="Motion signal processing",
    authors="A. Bruderlin and L. Williams",
    where="SIGGRAPH 1995",
    experiments=(
        Experiment("Figure 1", "low-pass and band-pass sequences", _pyramid),
        Experiment("Figure 2", "gains of frequency bands", _faders),
        Experiment("Figure 3", "drumming and swaying arms, blended", _blend),
        Experiment("Figure 4", "the same, blended band by band", _band_blend),
        Experiment("Figure 5", "two walks blended without and with correspondence in time", _two_walks),
        Experiment("Figure 6", "knee angles, warped both ways", _knees),
        Experiment("Figure 7", "the grid of correspondences and its best path", _matrix),
        Experiment("Figure 8", "joint angles capped by a shaping function", _capped),
        Experiment("Figure 9", "undulations added by a shaping function", _undulating),
        Experiment("Figure 10", "steps of displacement mapping", _steps),
        Experiment("Figure 11", "displacement curves at work", _displaced),
    ),
)
