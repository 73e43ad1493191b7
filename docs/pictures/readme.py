"""The film and the picture of the README: edits of the samples side by side, and two of the samples as strips."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import kinetune as kt
from kinetune import figures
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.timeline.alignment import align
from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.morph import morph_at
from kinetune.figures import palette
from kinetune.figures.drawings.drawing_paint import paint_drawing
from kinetune.figures.motion.film import film_frames
from kinetune.samples.drawings import sample_drawing

HERE = Path(__file__).parent
FPS, WIDTH, HEIGHT, CAPTION, GAP = 25.0, 190, 210, 26, 8
STRIDES, FROM_S = 2, 1.5


def stride_s(clip: kt.Clip) -> float:
    """How long two steps take."""
    contacts = find_contacts(clip)
    phases = contacts.phases[:, contacts.column("left")]
    lands = np.flatnonzero(np.diff(phases) < -0.5)
    return float(np.diff(lands).mean()) / clip.fps


def walking(clip: kt.Clip, before: kt.Clip, count: int) -> list[Image.Image]:
    """Pictures of some strides from the middle of a walk, its ghost behind it."""
    first = round(FROM_S * FPS)
    frames = film_frames(clip, FPS, (WIDTH, HEIGHT), ghost=before, view="side")
    return [Image.fromarray(frame) for frame in itertools.islice(frames, first, first + count)]


def drawn(film: Sequence[Drawing]) -> list[Image.Image]:
    return [paint_drawing(frame, HEIGHT, background=palette.PAPER).convert("RGB") for frame in film]


def panels() -> dict[str, list[Image.Image]]:
    """What stands side by side, each a loop of the same number of pictures."""
    walk, sad, happy = (kt.sample(name) for name in ("walk", "walk-sad", "walk-happy"))
    count = round(STRIDES * stride_s(walk) * FPS)
    larger = kt.Equalize(preset="exaggerate", keep_feet=False)(walk)
    larger = kt.PlantFeet(like="before")(larger, before=walk)
    mixed = kt.Blend(other="happy", weight=0.5)(sad, happy=happy)
    speed = stride_s(mixed) / stride_s(walk)
    there = round(count / 2)
    ways = 0.5 - 0.5 * np.cos(np.pi * np.clip(np.arange(there) / (0.8 * there), 0.0, 1.0))
    faces = morph_at(sample_drawing("face-happy"), sample_drawing("face-sad"), ways)
    back = [faces[-1 - k] for k in range(count - there)]
    dog = kt.contours.walk_cycle(sample_drawing("dog-1"), sample_drawing("dog-2"), count // STRIDES)
    return {
        "exaggerate, feet planted": walking(larger, walk, count),
        "half sad, half happy": walking(*(kt.Retime(speed=speed)(clip) for clip in (mixed, align(sad, mixed))), count),
        "morph": drawn([*faces, *back]),
        "a walk from two drawings": drawn([dog[k % len(dog)] for k in range(count)]),
    }


def write_readme_film(path: Path) -> None:
    found = panels()
    font = ImageFont.load_default(13)
    widths = [max(pictures[0].width, 150) for pictures in found.values()]
    size = (sum(widths) + GAP * (len(widths) - 1), HEIGHT + CAPTION)
    sheets = []
    for k in range(min(map(len, found.values()))):
        sheet = Image.new("RGB", size, palette.PAPER)
        draw, left = ImageDraw.Draw(sheet), 0
        for (words, pictures), width in zip(found.items(), widths, strict=True):
            sheet.paste(pictures[k], (left + (width - pictures[k].width) // 2, 0))
            draw.text((left + width / 2, HEIGHT + CAPTION / 2), words, palette.LABEL, font, anchor="mm")
            left += width + GAP
        sheets.append(sheet)
    # One set of colours for all frames: players then draw only what has moved.
    colours = Image.new("RGB", (size[0], 4 * size[1]))
    for row in range(4):
        colours.paste(sheets[row * len(sheets) // 4], (0, row * size[1]))
    few = colours.quantize(96, dither=Image.Dither.NONE)
    frames = [sheet.quantize(palette=few, dither=Image.Dither.NONE) for sheet in sheets]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=round(1000 / FPS), loop=0, optimize=True)


def write_strips(path: Path) -> None:
    strips = [kt.sample("walk-happy")[:150], kt.sample("kick-1")[40:200]]
    paths = [HERE / "readme-walk.png", HERE / "readme-kick.png"]
    for clip, part in zip(strips, paths, strict=True):
        figures.save(figures.draw_strip(clip, poses=11), part)
    pictures = [Image.open(part).convert("RGB") for part in paths]
    sheet = Image.new("RGB", (pictures[0].width, sum(p.height for p in pictures)), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (0, sum(p.height for p in pictures[:k])))
    sheet.quantize(64).save(path)
    for part in paths:
        part.unlink()


def main() -> None:
    write_strips(HERE / "readme.png")
    write_readme_film(HERE / "readme.gif")


if __name__ == "__main__":
    main()
