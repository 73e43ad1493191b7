"""The film of the README, six edits side by side, and one small picture for each thing that Kinetune does.

python docs/pictures/readme.py [film|capabilities]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import kinetune as kt
from kinetune.body.feet.contacts import find_contacts
from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.morph import morph_at
from kinetune.figures import palette
from kinetune.figures.drawings.drawing_paint import paint_drawing
from kinetune.figures.motion.film import FilmView, film_frames
from kinetune.samples.drawings import sample_drawing

HERE = Path(__file__).parent
FPS, WIDTH, HEIGHT, CAPTION, COLUMNS = 50.0 / 3.0, 240, 190, 26, 3
STRIDES, FROM_S = 3, 1.5
BACKDROP = "#bec7d1"
LARGER_HZ = {2: 1.9, 1: 1.9, 0.5: 1.6}


def stride_s(clip: kt.Clip) -> float:
    """How long two steps take."""
    contacts = find_contacts(clip)
    phases = contacts.phases[:, contacts.column("left")]
    lands = np.flatnonzero(np.diff(phases) < -0.5)
    return float(np.diff(lands).mean()) / clip.fps


def filmed(
    clip: kt.Clip, count: int, *, ghost: kt.Clip | None = None, start_s: float = FROM_S, view: FilmView = "side"
) -> list[Image.Image]:
    """Some pictures of a clip as a shaded body."""
    frames = film_frames(clip, FPS, (WIDTH, HEIGHT), ghost=ghost, view=view)
    first = round(start_s * FPS)
    pictures = [Image.fromarray(frame) for frame in itertools.islice(frames, first, first + count)]
    return [pictures[min(k, len(pictures) - 1)] for k in range(count)]


def drawn(film: Sequence[Drawing]) -> list[Image.Image]:
    """The pictures of a film of drawings, on the grey of the scenes beside them."""
    sheets = []
    for frame in film:
        picture = paint_drawing(frame, HEIGHT - 30, background=BACKDROP).convert("RGB")
        sheet = Image.new("RGB", (WIDTH, HEIGHT), BACKDROP)
        sheet.paste(picture, ((WIDTH - picture.width) // 2, 15))
        sheets.append(sheet)
    return sheets


def panels() -> dict[str, list[Image.Image]]:
    """What stands side by side, each a loop of the same number of pictures."""
    walk, sad, happy = (kt.sample(name) for name in ("walk", "walk-sad", "walk-happy"))
    count = round(STRIDES * stride_s(walk) * FPS)
    larger = kt.Equalize(gains_hz=LARGER_HZ)(walk)
    mixed = kt.Blend(other="happy", weight=0.5)(sad, happy=happy)
    mixed = kt.Retime(speed=stride_s(mixed) / stride_s(walk))(mixed)
    child = kt.Retarget(to="child")(walk, child=kt.sample("walk-child"))
    child, adult = (kt.InPlace(travel="steady")(clip) for clip in (child, walk))
    double = kt.splice(kt.sample("kick-1"), kt.sample("kick-2"), seed=2)
    double = kt.Retime(duration_s=count / FPS)(double)
    around = kt.FollowFootsteps(path="circle:r=1.5", steps="samples")(walk)
    there = -(-count // 2)
    shares = 0.5 - 0.5 * np.cos(np.pi * np.clip(np.arange(there) / (0.8 * there), 0.0, 1.0))
    faces = morph_at(sample_drawing("face-happy"), sample_drawing("face-sad"), shares)
    back = [faces[-1 - k] for k in range(count - there)]
    return {
        "exaggerate a walk": filmed(larger, count, ghost=kt.Move(z=-1.1)(walk)),
        "blend sad and happy": filmed(mixed, count),
        "retarget to a child": filmed(child, count, ghost=kt.Move(z=-0.9)(adult)),
        "splice two kicks": filmed(double, count, start_s=0.0, view="three-quarter"),
        "walk on footsteps": filmed(around, count, view="three-quarter"),
        "morph a drawing": drawn([*faces, *back]),
    }


def write_film(path: Path) -> None:
    shown = panels()
    font = ImageFont.load_default(14)
    rows = -(-len(shown) // COLUMNS)
    size = (COLUMNS * WIDTH, rows * (HEIGHT + CAPTION))
    sheets = []
    for k in range(min(map(len, shown.values()))):
        sheet = Image.new("RGB", size, palette.PAPER)
        draw = ImageDraw.Draw(sheet)
        for number, (text, pictures) in enumerate(shown.items()):
            left, top = number % COLUMNS * WIDTH, number // COLUMNS * (HEIGHT + CAPTION)
            sheet.paste(pictures[k], (left, top))
            draw.text((left + WIDTH / 2, top + HEIGHT + CAPTION / 2), text, palette.LABEL, font, anchor="mm")
        sheets.append(sheet)
    film, rest = sheets[0], sheets[1:]
    film.save(path, save_all=True, append_images=rest, duration=round(1000 / FPS), loop=0, quality=75, method=4)


def write_capabilities() -> None:
    """A strip of shaded poses for each kind of edit."""
    walk, sad, happy = (kt.sample(name) for name in ("walk", "walk-sad", "walk-happy"))
    noisy = kt.Equalize(preset="nervous", keep_feet=False)(walk)
    reach = kt.Aim(joint="RightHand", at=(-0.25, 1.3, 0.42), others=[f"r{k}" for k in range(2, 7)])
    examples = {f"r{k}": kt.sample(f"reach-{k:02}") for k in range(2, 7)}
    part = slice(60, 260)
    strips = {
        "equalize": (kt.Equalize(gains_hz=LARGER_HZ)(walk)[part], walk[part]),
        "blend": (kt.Blend(other="happy", weight=0.5)(sad, happy=happy)[part], None),
        "retarget": (kt.Retarget(to="child")(walk, child=kt.sample("walk-child"))[part], walk[part]),
        "reach": (reach(kt.sample("reach-01"), **examples), None),
        "walk": (kt.FollowFootsteps(path="circle:r=1.5", steps="samples")(walk), None),
        "splice": (kt.splice(kt.sample("kick-1"), kt.sample("kick-2"), seed=2), None),
        "clean": (kt.Clean()(noisy)[part], noisy[part]),
    }
    for name, (clip, ghost) in strips.items():
        path = kt.film(clip, HERE / f"does_{name}.png", ghost=ghost, poses=6, size=(720, 240))
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(64, dither=Image.Dither.NONE)
        small.save(path, optimize=True)
    film = morph_at(sample_drawing("face-happy"), sample_drawing("face-sad"), np.linspace(0.0, 1.0, 5))
    pictures = [paint_drawing(frame, 200, background=BACKDROP).convert("RGB") for frame in film]
    sheet = Image.new("RGB", (720, 240), BACKDROP)
    for k, picture in enumerate(pictures):
        sheet.paste(picture.resize((round(picture.width * 140 / picture.height), 140)), (8 + 142 * k, 50))
    sheet.quantize(64, dither=Image.Dither.NONE).save(HERE / "does_morph.png", optimize=True)


def main(parts: Sequence[str]) -> None:
    if not parts or "film" in parts:
        write_film(HERE / "readme.webp")
    if not parts or "capabilities" in parts:
        write_capabilities()


if __name__ == "__main__":
    main(sys.argv[1:])
