"""Figures 8 to 11 of Bruderlin's paper: shaping and displacement of joint angles."""

from __future__ import annotations

import numpy as np

from kinetune import figures
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.quality.measures import measure
from kinetune.operations import find_operation
from kinetune.recipes import Recipe
from kinetune.reproduce.experiments import Context, Result, Value, off, same
from kinetune.rotations import Floats
from kinetune.samples import sample
from kinetune.signals.shaping.shaping_curve import ShapingCurve

Displace, Equalize, PlantFeet, Shape = (find_operation(tag) for tag in ("displace", "equalize", "plant_feet", "shape"))


def capped_angles(context: Context) -> Result:
    """A hard cap on the angles of an arm."""
    wave = sample("wave")
    curve = ShapingCurve.cap(-0.5, 0.5)
    capped = Shape(curve=curve, joints="right arm", rounding=0.0, keep_feet=False)(wave)
    before, after = (figures.channel(clip, "right lower arm", like=wave) for clip in (wave, capped))
    changed = float(np.abs(Shape(curve="identity", keep_feet=False)(wave).positions() - wave.positions()).max())
    return Result(
        (
            same("identity leaves the signal", "passes unchanged", off(1000 * changed, " mm"), changed < 1e-9),
            same(
                "range of the elbow",
                "limited",
                f"{np.ptp(before):.0f}° to {np.ptp(after):.0f}°",
                bool(np.ptp(after) < 0.75 * np.ptp(before)),
            ),
        ),
        (
            context.save(figures.draw_shaping(curve, before, wave.fps), "cap", "The elbow of someone who waves."),
            context.save(figures.draw_strip(capped, before=wave), "capped", "Grey: before."),
        ),
    )


def undulations(context: Context) -> Result:
    """A shaping curve that adds wiggles to an arm."""
    drink = sample("sit-and-drink")
    curve = ShapingCurve.undulate()
    waving = Shape(curve=curve, joints="right arm", keep_feet=False)(drink)
    before, after = (figures.channel(clip, "right upper arm", like=drink) for clip in (drink, waving))
    turns = [_turns(signal) for signal in (before, after)]
    return Result(
        (
            same(
                "turning points of the upper arm",
                "extra undulations",
                f"{turns[0]} before, {turns[1]} after",
                turns[1] > turns[0],
            ),
        ),
        (
            context.save(
                figures.draw_shaping(curve, before, drink.fps), "undulate", "The shoulder of someone who drinks."
            ),
            context.save(figures.draw_strip(waving, before=drink), "undulating", "Grey: before."),
        ),
    )


def _turns(signal: Floats) -> int:
    """Extremes that stand out by more than two hundredths of the range."""
    from scipy.signal import find_peaks

    least = 0.02 * float(np.ptp(signal))
    return len(find_peaks(signal, prominence=least)[0]) + len(find_peaks(-signal, prominence=least)[0])


def displacement_steps(context: Context) -> Result:
    """A spline through displacements of an arm."""
    from kinetune.signals.displacement import displacement

    knock = sample("knock")
    arm = figures.channel(knock, "right upper arm")
    at, offsets = [40, 90, 150], [-12.0, 20.0, 8.0]
    change = displacement(len(arm), at, np.array(offsets))
    missed = float(abs(change[at] - offsets).max())
    pinned = float(max(abs(change[0]), abs(change[-1])))
    return Result(
        (
            same("displacement points", "satisfied", off(missed, "°"), missed < 1e-12),
            same("first and last point", "always displacement points", off(pinned, "°"), pinned < 1e-12),
        ),
        (context.save(figures.draw_displacement(arm, knock.fps, at, offsets), "steps", "The shoulder of a knock."),),
    )


def displaced_clips(context: Context) -> Result:
    """A higher knock, gestures while drinking, and feet held to the floor after a filter."""
    knock, drink, walk = sample("knock"), sample("sit-and-drink"), sample("walk-happy")
    keys = [{"time_s": when, "joint": "right hand", "move": [0.0, 0.2, 0.0]} for when in (1.1, 1.9)]
    higher = Displace(keys=keys, keep_feet=False)(knock)
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
    gesturing = Displace(keys=gestures, keep_feet=False)(drink)
    filtered = Equalize(preset="exaggerate", keep_feet=False, limit_knees=False)(walk)
    stands = walk.contacts or find_contacts(walk)
    slid = measure(filtered, contacts=stands)["foot_slide_mm"]
    planted = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(walk)
    mended = measure(planted, contacts=stands)["foot_slide_mm"]
    return Result(
        (
            same("the knock is higher", "a higher impact point", f"by {100 * rise:.2f} cm", abs(rise - 0.2) < 1e-6),
            same(
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
