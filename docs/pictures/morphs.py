"""Draw the films of the page on morphing as strips, and the walking dog.

    python docs/pictures/morphs.py [FILE FILE ...] [-o FOLDER]

With SVG files it draws a strip of each pair of neighbours instead, to look at films of your own drawings.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np

from kinetune.contours.descriptor.wavelet_descriptor import at_resolution
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.gait_cycle import GaitTiming, progress, swap_sides, walk_cycle
from kinetune.contours.gaits import gait_film
from kinetune.contours.morphing.canvas import enlarge_canvas
from kinetune.contours.morphing.key_drawings import inbetween
from kinetune.contours.morphing.methods import Method
from kinetune.contours.morphing.morph import morph
from kinetune.contours.reading.drawing_reader import read_drawing
from kinetune.figures import palette, save
from kinetune.figures.drawings.drawing_files import write_drawing
from kinetune.figures.drawings.drawing_paint import strip_picture
from kinetune.samples.drawings import sample_drawing

SHOWN = 9


def pick(film: Sequence[Drawing], count: int = SHOWN) -> list[Drawing]:
    """Evenly spread frames of a film, its ends among them."""
    return [film[k] for k in np.linspace(0, len(film) - 1, count).round().astype(int)]


def alone(points: np.ndarray) -> Drawing:
    return Drawing((Layer((Contour(points),), "shape", "#2f6f9f"),))


def spiral() -> Drawing:
    """A band wound up three times: the worst case for every morph."""
    angle = np.linspace(0.3, 6 * np.pi, 300)
    line = (5 + 40 * angle / angle[-1]) * np.exp(1j * angle)
    across = 2j * np.gradient(line) / np.abs(np.gradient(line))
    return alone(50 + 50j + np.concatenate([line + across, (line - across)[::-1]]))


def wavy_line() -> Drawing:
    t = np.linspace(0, 1, 60)
    return stroke(10 + 80 * t + 1j * (50 + 20 * np.sin(4 * np.pi * t)), closed=False)


def wound_line() -> Drawing:
    t = np.linspace(0, 1, 60)
    return stroke(50 + 50j + (5 + 35 * t) * np.exp(4j * np.pi * t), closed=False)


def ring_line() -> Drawing:
    return stroke(50 + 50j + 35 * np.exp(2j * np.pi * np.arange(60) / 60), closed=True)


def stroke(points: np.ndarray, closed: bool) -> Drawing:
    return Drawing((Layer((Contour(points, closed),), "line", None, "#b04030", 4.0, stroke_cap="round"),))


def ball(x: float, y: float, wide: float = 1.0) -> Drawing:
    """A ball of one area, wider or taller."""
    turn = np.exp(2j * np.pi * np.arange(64) / 64)
    shape = complex(x, y) + 9 * (turn.real * wide + 1j * turn.imag / wide)
    return Drawing((Layer((Contour(shape),), "ball", "#d9822b", "#23262b", 1.0),), (0.0, 0.0, 200.0, 100.0))


def bounces(path: Path) -> Path:
    """Five key drawings of a ball that bounces, and all frames between them on one page, for three ways to bounce."""
    keys = [ball(15, 15), ball(55, 92, 1.3), ball(100, 30), ball(145, 92, 1.3), ball(185, 40)]
    times = [0.0, 1.0, 2.0, 3.0, 3.8]
    crisp, hang = [0.0, -1.0, 0.0, -1.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]
    sheets = []
    for continuity, tension in (([0.0] * 5, [0.0] * 5), (crisp, [0.0] * 5), (crisp, hang)):
        film = inbetween(keys, times, 25, continuity=continuity, tension=tension)
        layers = [replace(layer, fill=None) for frame in film for layer in frame.layers]
        layers += [layer for key in keys for layer in key.layers]
        sheets.append(Drawing(tuple(layers), keys[0].view_box))
    strip_picture(sheets, 150).save(path)
    return path


def body_and_digit() -> tuple[Drawing, Drawing]:
    dog = sample_drawing("dog-1")
    whole = [
        dog.layer(name).contours[0].points
        for name in ("body", "near hind leg", "near front leg", "neck", "head", "tail")
    ]
    import shapely

    merged = shapely.unary_union([shapely.Polygon(points) for points in whole])
    return alone(np.array(merged.exterior.coords)[:-1]), alone(sample_drawing("digit-3").layers[0].contours[0].points)


def strip(rows: Sequence[Sequence[Drawing]], path: Path, height: int = 110) -> Path:
    """Films under each other, one row each."""
    flat = [frame for row in rows for frame in pick(enlarge_canvas(row))]
    strip_picture(flat, height, columns=SHOWN).save(path)
    return path


def gait_figure(path: Path) -> Path:
    """How far a limb has got over the two subcycles, for some timings; [chuang] Figure 11."""
    from matplotlib.figure import Figure

    with palette.style():
        figure = Figure(figsize=(6, 2.6))
        figure.set_layout_engine("constrained")
        axis = figure.subplots()
        tau = np.linspace(0, 1, 60)
        for timing, name in (
            (GaitTiming(0, 0), "even"),
            (GaitTiming(), "default"),
            (GaitTiming(-1, 1), "from rest to rest"),
        ):
            way = np.concatenate([progress(tau, timing.gamma_a), 1 + progress(tau, timing.gamma_b)])
            axis.plot(np.concatenate([tau, 1 + tau]), way, label=f"{name}: {timing.gamma_a:.2g}, {timing.gamma_b:.2g}")
        axis.set_xticks([0, 1, 2], ["key 1", "key 2", "key 1'"])
        axis.set_ylabel("way")
        axis.legend()
        return save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-o", "--folder", type=Path, default=Path(__file__).parent)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.files:
        drawings = [read_drawing(file) for file in asked.files]
        print(strip([morph(a, b) for a, b in itertools.pairwise(drawings)], asked.folder / "morphs_own.png"))
        return
    faces = sample_drawing("face-happy"), sample_drawing("face-sad")
    dog = sample_drawing("dog-1"), sample_drawing("dog-2")
    pair = body_and_digit()
    print(strip([morph(*faces), morph(*pair), morph(spiral(), pair[1])], asked.folder / "morph_safe.png"))
    print(strip([morph(*pair, method=method) for method in get_args(Method)], asked.folder / "morph_methods.png"))
    print(bounces(asked.folder / "morph_keys.png"))
    lines = wavy_line(), wound_line()
    print(strip([morph(*lines), morph(lines[1], ring_line())], asked.folder / "morph_lines.png"))
    cycle = walk_cycle(*dog, 24)
    strip_picture(cycle, 120, columns=6).save(asked.folder / "gait_cycle.png")
    keys = [*dog, swap_sides(dog[0]), swap_sides(dog[1])]
    strip_picture(keys, 160).save(asked.folder / "gait_keys.png")
    coarse = [at_resolution(frame, points) for points in (4, 16, 64) for frame in cycle[:12:2]]
    strip_picture(coarse, 120, columns=6).save(asked.folder / "gait_resolutions.png")
    strides = gait_film(keys[0], 12, "trot", passing=keys[1])
    strip_picture(strides, 160, columns=6).save(asked.folder / "gait_trot.png")
    for name in ("gait_cycle", "gait_keys", "gait_resolutions", "gait_trot"):
        print(asked.folder / f"{name}.png")
    print(gait_figure(asked.folder / "gait_timing.png"))
    print(write_drawing(cycle, asked.folder / "gait_walk.gif", height=180))


if __name__ == "__main__":
    main()
