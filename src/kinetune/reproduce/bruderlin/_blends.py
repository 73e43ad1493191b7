"""Figures 3 to 5 of Bruderlin's paper: motions mixed, by bands too, and in step."""

from __future__ import annotations

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.quality.measures import measure
from kinetune.operations import find_operation
from kinetune.reproduce.bruderlin.bands import movement
from kinetune.reproduce.experiments import Context, Result, off, same
from kinetune.samples import sample
from kinetune.signals.bands.pyramid import split_bands

Blend = find_operation("blend")


def blend(context: Context) -> Result:
    """A drummer and a swaying arm, all of the motion at once."""
    drum, sway = sample("drumming"), sample("arm-sway")
    mix = Blend(other="sway", weight=0.6, align="scale", keep_feet=False)(drum, sway=sway)
    ends = [
        Blend(other="sway", weight=weight, align="scale", keep_feet=False)(drum, sway=sway) for weight in (0.0, 1.0)
    ]
    missed = float(np.abs(ends[0].positions() - drum.positions()[: len(ends[0])]).max())
    parts = [movement(clip) for clip in (ends[0], mix, ends[1])]
    return Result(
        (
            same("weight 0 is the drummer", "linear blend", off(1000 * missed, " mm"), missed < 1e-9),
            same(
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
        ("The drummer sits and the other one stands, and a linear blend is between them in that too.",),
    )


def blend_by_band(context: Context) -> Result:
    """The same two, the fast bands of the one and the slow ones of the other."""
    drum, sway = sample("drumming"), sample("arm-sway")
    plain = Blend(other="sway", weight=0.5, align="scale", keep_feet=False)(drum, sway=sway)
    by_band = Blend(other="sway", weight=1.0, bands=[0.0, 0.0, 0.0, 0.0, 0.2], align="scale", keep_feet=False)(
        drum, sway=sway
    )
    beats = [_fast_part(clip) for clip in (drum, plain, by_band)]
    return Result(
        (
            same(
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


def two_walks(context: Context) -> Result:
    """A sad and a happy walk, half and half."""
    sad, happy = sample("walk-sad"), sample("walk-happy")
    slide, depth = {}, {}
    pictures = []
    for way, how in (("none", "without correspondence in time"), ("warp", "with it")):
        mix = Blend(other="happy", weight=0.5, align=way, keep_feet=False)(sad, happy=happy)
        measures = measure(mix)
        slide[way], depth[way] = measures["foot_slide_mm_per_s"], measures["penetration_mm"]
        pictures.append(context.save(figures.draw_strip(mix), f"walks-{way}", f"Sad and happy, half and half, {how}."))
    return Result(
        (
            same(
                "how fast standing feet slide, without and with the warp",
                "a curious dance of uncoordinated motions",
                f"{slide['none']:.0f} mm/s and {slide['warp']:.1f} mm/s",
                slide["warp"] < 0.5 * slide["none"],
            ),
            same(
                "how deep feet sink into the floor, without and with the warp",
                "feet that strike the ground",
                f"{depth['none']:.0f} mm and {depth['warp']:.1f} mm",
                depth["warp"] < 0.5 * depth["none"],
            ),
        ),
        tuple(pictures),
    )
