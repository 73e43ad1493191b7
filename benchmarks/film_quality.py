"""Films between random pairs of drawings: what crosses, what jumps, which lines leave their fills, what has a partner.

    python -m benchmarks.film_quality FILE FILE ... [--pairs 60] [--seed 0] [--method safe] [--strips FOLDER]

Every film has 25 frames at even times. Counted are

crossings
    Films with an in-between in which a curve touches or crosses itself, judged by GEOS on the drawings that come out.
jumps
    Films with a step between two frames that changes more than 1.5 times as many pixels as either step beside it, and
    more than the mean step of the film. Keys count as frames. Pictures are 160 pixels high.
lines
    By how much a line that runs along the edge of a fill in a key is further from that edge in a frame, in percent of
    the canvas, at most.
parts
    How many parts became each other, split off or merged, or faded on purpose.

With ``--strips`` the films are drawn as strips of nine frames, ten films a picture, to be looked at.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import shapely

from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.morph import Morph, morph
from kinetune.contours.moving_drawing import MovingLayer
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.reading.drawing_reader import read_drawing
from kinetune.figures.drawings.drawing_paint import paint_drawing

FRAMES, SHOWN, HEIGHT, SIDE = 25, 9, 160, 128
JUMP = 1.5
ON_EDGE = 0.018  # of the canvas: a line this near to an edge runs along it


def random_pairs(files: Sequence[Path], count: int, seed: int) -> list[tuple[Path, Path]]:
    """Random ordered pairs of different files, none twice."""
    everything = [(a, b) for a in files for b in files if a != b]
    chosen = np.random.default_rng(seed).permutation(len(everything))[:count]
    return [everything[k] for k in chosen]


def largest_jump(film: Sequence[Drawing]) -> float:
    """The largest step of a film against the steps beside it."""
    pictures = [np.asarray(paint_drawing(frame, HEIGHT), dtype=float) for frame in film]
    width = min(picture.shape[1] for picture in pictures)
    steps = np.abs(np.diff([picture[:, :width] for picture in pictures], axis=0)).mean(axis=(1, 2, 3))
    padded = np.concatenate([[0.0], steps, [0.0]])
    beside = np.maximum(padded[:-2], padded[2:])
    return float(np.max(steps / np.maximum(beside, 1e-9), where=steps > steps.mean(), initial=0.0))


def line_gap(film: Morph) -> float:
    """By how much lines leave the edges of their fills, as a share of the canvas."""
    assert film.moving is not None
    canvases = np.array([max(box[2:]) for box in film.moving.boxes])
    fills = [layer for layer in film.moving.layers if layer.paints[0].fill is not None and layer.curves[0].closed]
    worst = 0.0
    for line in film.moving.layers:
        if line.paints[0].fill is not None:
            continue
        gaps = [gap for gap in (_gaps(line, fill) / canvases for fill in fills) if np.isfinite(gap[[0, -1]]).any()]
        near = [gap for gap in gaps if np.nanmax(gap[[0, -1]]) < ON_EDGE]
        if near:
            gap = min(near, key=lambda gap: float(np.nanmax(gap[[0, -1]])))
            worst = max(worst, float(np.nanmax(gap) - np.nanmax(gap[[0, -1]])))
    return worst


def _gaps(line: MovingLayer, fill: MovingLayer) -> np.ndarray:
    """The largest distance of a line from the edge of a fill in each frame; not-a-number where one is not drawn."""
    z, edge = line.curves[0].points, fill.curves[0].points
    gaps = np.full(len(z), np.nan)
    for k in np.flatnonzero(~np.isnan(z[:, 0]) & ~np.isnan(edge[:, 0])):
        ring = shapely.LinearRing(np.stack([edge[k].real, edge[k].imag], axis=-1))
        gaps[k] = shapely.distance(ring, shapely.points(z[k].real, z[k].imag)).max()
    return gaps


def draw_strips(films: Sequence[tuple[str, Sequence[Drawing]]], path: Path) -> None:
    """Films under each other, nine frames each."""
    from PIL import Image, ImageDraw

    sheet = Image.new("RGB", (SHOWN * SIDE, len(films) * (SIDE + 14)), "white")
    for row, (name, film) in enumerate(films):
        ImageDraw.Draw(sheet).text((2, row * (SIDE + 14)), name, fill="black")
        for column, k in enumerate(np.linspace(0, len(film) - 1, SHOWN).round().astype(int)):
            picture = paint_drawing(film[k], SIDE - 4)
            picture.thumbnail((SIDE - 4, SIDE - 4))
            sheet.paste(picture, (column * SIDE, row * (SIDE + 14) + 13))
    sheet.save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", default="safe", choices=["safe", "physical"])
    parser.add_argument("--strips", type=Path)
    asked = parser.parse_args()
    fates: Counter[str] = Counter()
    crossed, jumped, gaps, strips = 0, 0, [0.0], []
    pairs = random_pairs(asked.files, asked.pairs, asked.seed)
    for a, b in pairs:
        film = morph(read_drawing(a), read_drawing(b), FRAMES, asked.method)
        name = f"{a.parent.name}/{a.stem} -> {b.parent.name}/{b.stem}"
        crosses, jump = count_self_crossing(film[1:-1]), largest_jump(film)
        gaps.append(line_gap(film))
        fates.update(report.fate for report in film.layers)
        crossed, jumped = crossed + (crosses > 0), jumped + (jump > JUMP)
        strips.append((name, list(film)))
        print(f"{name}: {crosses} crossing, jump {jump:.2f}, lines off by {100 * gaps[-1]:.3f}%", flush=True)
    print(f"{len(pairs)} pairs: {crossed} films cross, {jumped} jump, lines off by {100 * max(gaps):.3f}% at most")
    print("parts:", ", ".join(f"{count} {fate}" for fate, count in fates.most_common()))
    for number in range(0, len(strips), 10) if asked.strips else ():
        asked.strips.mkdir(parents=True, exist_ok=True)
        draw_strips(strips[number : number + 10], asked.strips / f"films_{number // 10:02}.png")


if __name__ == "__main__":
    main()
