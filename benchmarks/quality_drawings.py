"""Films between random pairs of drawings: what crosses, what jumps, which lines leave their fills, what has a partner.

    python -m benchmarks.quality_drawings [FOLDER] [--strips FOLDER]

FOLDER holds the drawings (``svg/noto``, ``svg/mdi`` ...); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the
checkout. Nothing is timed here. Coloured drawings are split by a hash of their file names; the matching was tuned on
the even half. Every film has 25 frames at even times. Counted are

crossings
    Films of all kinds with an in-between in which a curve touches or crosses itself, judged by GEOS on the drawings
    that come out. Pairs of which a drawing crosses itself already are left out.
jumps
    Films with a step between two frames that changes more than 1.5 times as many pixels as either step beside it, and
    more than the mean step of the film. Keys count as frames. Pictures are 160 pixels high.
lines
    By how much a line that runs along the edge of a fill in a key is further from that edge in a frame, in percent of
    the canvas, at most.
parts
    How many parts became each other, split off or merged, or faded on purpose.

With ``--strips`` the films of the odd half are drawn as strips of nine frames, ten films a picture, to be looked at.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import shapely

from benchmarks.harness import Claim
from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.canvas import enlarge_canvas
from kinetune.contours.morphing.methods import Method
from kinetune.contours.morphing.morph import Morph, morph
from kinetune.contours.moving_drawing import MovingLayer
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.reading.drawing_reader import read_drawing
from kinetune.figures.drawings.drawing_paint import paint_drawing

FRAMES, SHOWN, HEIGHT, SIDE, SEED = 25, 9, 160, 128, 1
JUMP = 1.5
ON_EDGE = 0.018  # of the canvas: a line this near to an edge runs along it
COLOURED, ICONS = ("noto", "openmoji", "own_emoji"), ("fontawesome", "mdi")
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def random_pairs(files: Sequence[Path], count: int, seed: int = SEED) -> list[tuple[Path, Path]]:
    """Random ordered pairs of different files, none twice."""
    everything = [(a, b) for a in files for b in files if a != b]
    chosen = np.random.default_rng(seed).permutation(len(everything))[:count]
    return [everything[k] for k in chosen]


def is_odd(file: Path) -> bool:
    """Whether a drawing belongs to the half that is reported."""
    return hashlib.sha256(file.name.encode()).digest()[-1] % 2 == 1


def largest_jump(film: Sequence[Drawing]) -> float:
    """The largest step of a film, on one canvas as in a file, against the steps beside it."""
    pictures = [np.asarray(paint_drawing(frame, HEIGHT), dtype=float) for frame in enlarge_canvas(film)]
    steps = np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2, 3))
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
    """Films under each other, nine frames each, every film on one canvas as in a file."""
    from PIL import Image, ImageDraw

    sheet = Image.new("RGB", (SHOWN * SIDE, len(films) * (SIDE + 14)), "white")
    for row, (name, film) in enumerate(films):
        ImageDraw.Draw(sheet).text((2, row * (SIDE + 14)), name, fill="black")
        frames = enlarge_canvas(film)
        for column, k in enumerate(np.linspace(0, len(frames) - 1, SHOWN).round().astype(int)):
            picture = paint_drawing(frames[k], SIDE - 4)
            picture.thumbnail((SIDE - 4, SIDE - 4))
            sheet.paste(picture, (column * SIDE, row * (SIDE + 14) + 13))
    sheet.save(path)


def main(arguments: Sequence[str]) -> int:
    """Print all figures; the number of those that miss their bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(os.environ.get("KINETUNE_DATA", _BESIDE)))
    parser.add_argument("--strips", type=Path)
    asked = parser.parse_args(arguments)
    coloured, icons = (
        [file for name in names for file in sorted((asked.folder / "svg" / name).glob("*.svg"))]
        for names in (COLOURED, ICONS)
    )
    if not (coloured and icons):
        parser.error(f"{asked.folder} has no drawings: give the folder of the data, or set KINETUNE_DATA.")
    odd = [file for file in coloured if is_odd(file)]
    even = [file for file in coloured if not is_odd(file)]
    claims = measure_parts(random_pairs(odd, 60), asked.strips)
    kinds: list[tuple[str, Method, list[tuple[Path, Path]]]] = [
        ("40 pairs of coloured drawings of the even half", "safe", random_pairs(even, 40)),
        ("60 pairs of icons", "safe", random_pairs(icons, 60)),
        ("40 other pairs of icons, physical", "physical", random_pairs(icons, 100)[60:]),
    ]
    for name, method, pairs in kinds:
        crossed = sum(crosses(a, b, morph(read_drawing(a), read_drawing(b), FRAMES, method)) for a, b in pairs)
        claims.append(Claim(f"{name}: films that cross", crossed, 0, at_least=False))
        print(claims[-1], flush=True)
    return sum(not claim.holds for claim in claims)


def crosses(a: Path, b: Path, film: Morph) -> bool:
    """Whether an in-between crosses itself though neither drawing does."""
    return count_self_crossing([read_drawing(a), read_drawing(b)]) == 0 and count_self_crossing(film[1:-1]) > 0


def measure_parts(pairs: Sequence[tuple[Path, Path]], folder: Path | None) -> list[Claim]:
    """The figures of coloured drawings; with a folder, strips of the films."""
    fates: Counter[str] = Counter()
    crossed, jumps, gaps, strips = 0, [], [0.0], []
    for a, b in pairs:
        film = morph(read_drawing(a), read_drawing(b), FRAMES)
        name = f"{a.parent.name}/{a.stem} to {b.parent.name}/{b.stem}"
        jumps.append(largest_jump(film))
        gaps.append(line_gap(film))
        crossed += crosses(a, b, film)
        fates.update(report.fate for report in film.layers)
        strips.append((name, list(film)))
        if jumps[-1] > JUMP:
            print(f"     {name}: a step of {jumps[-1]:.2f} times the steps beside it", flush=True)
    head = f"{len(pairs)} pairs of coloured drawings of the odd half"
    claims = [
        Claim(f"{head}: films that cross", crossed, 0, at_least=False),
        Claim(f"{head}: films that jump", sum(jump > JUMP for jump in jumps), 0, at_least=False),
        Claim(f"{head}: largest step against the steps beside it", max(jumps), JUMP, at_least=False),
        Claim(f"{head}: how far lines leave their fills, % of the canvas", 100 * max(gaps), 0.1, at_least=False),
    ]
    for claim in claims:
        print(claim, flush=True)
    together = fates["splits off"] + fates["merges"]
    print(f"     parts: {fates['becomes']} pairs become each other, {together} split off or merge, ", end="")
    print(f"{fates['appears'] + fates['vanishes']} fade", flush=True)
    for number in range(0, len(strips), 10) if folder else ():
        assert folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        draw_strips(strips[number : number + 10], folder / f"films_{number // 10:02}.png")
    return claims


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
