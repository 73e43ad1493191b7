"""Bruderlin's experiments on the user's clips: bands, an exaggerated motion with planted feet, and a time warp."""

from __future__ import annotations

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.quality.measures import measure
from kinetune.body.timeline.alignment import align
from kinetune.errors import KinetuneError
from kinetune.operations import find_operation
from kinetune.recipes import Recipe
from kinetune.reproduce.bruderlin.bands import movement
from kinetune.reproduce.experiments import Context, Result, Value
from kinetune.reproduce.own_files import Gallery, OwnFile, own_result, tested, try_each
from kinetune.signals.bands.pyramid import join_bands, split_bands

Equalize, PlantFeet = (find_operation(tag) for tag in ("equalize", "plant_feet"))


def own_clips(context: Context) -> Result:
    """Figures 1, 2, 6 and 11 on each clip; Figure 6 with the clip that comes after it."""
    clips = [file.clip for file in context.files if file.clip is not None]
    following = {id(clip): clips[(number + 1) % len(clips)] for number, clip in enumerate(clips)}
    gallery = Gallery(context)

    def run(file: OwnFile) -> Value:
        clip = file.clip
        assert clip is not None
        curves = pose_curves(clip, range(len(clip.skeleton))).curves.reshape(len(clip), -1)
        rebuilt = float(np.degrees(np.abs(join_bands(split_bands(curves)) - curves).max()))
        larger = Equalize(preset="exaggerate", keep_feet=False, limit_knees=False)(clip)
        statements = [
            f"bands sum to it within {rebuilt:.0e}°",
            f"exaggerated it moves by {movement(clip):.1f}° to {movement(larger):.1f}°",
        ]
        planted, slides = _planted(clip, larger)
        if slides is not None:
            statements.append(f"feet then slide {slides[0]:.0f} mm, planted {slides[1]:.1f} mm")
        statements.append(_warped(clip, following[id(clip)]))
        if gallery.has_room:
            strip = figures.draw_strip(larger if planted is None else planted, before=clip)
            caption = f"{file.name}: exaggerated{'' if planted is None else ' and planted'}; grey: as it was."
            gallery.add(strip, "strip", caption)
        paper = "G0 = Gfb + sum of bands; exaggerated; matched in time"
        holds = rebuilt < 1e-9 and (slides is None or slides[1] <= slides[0] + 1.0)
        return tested(file, paper, "; ".join(statements), holds)

    return own_result(try_each(context, "clip", run, "a motion"), gallery)


def _planted(clip: Clip, larger: Clip) -> tuple[Clip | None, tuple[float, float] | None]:
    """An edited clip with its feet planted, and the slide before and after; None for a character without feet."""
    if "left foot" not in clip.skeleton.roles:
        return None, None
    planted = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))(clip)
    stands = clip.contacts or find_contacts(clip)
    before, after = (measure(one, contacts=stands)["foot_slide_mm"] for one in (larger, planted))
    return planted, None if before is None or after is None else (before, after)


def _warped(clip: Clip, other: Clip) -> str:
    """How far the poses are from those of another clip, as they are and after a time warp."""
    if other is clip:
        return "there is no other clip to align it to"
    try:
        aligned = align(clip, other)
    except KinetuneError as error:
        return f"not aligned to the next clip ({error})"
    return f"at the timing of the next clip it lasts {aligned.duration:.1f} s instead of {clip.duration:.1f} s"
