"""How small and how exact films of drawings are in Lottie and animated SVG, and whether a curve crosses itself in them.

    python -m benchmarks.quality_key_shapes [FOLDER]

FOLDER holds the drawings (``svg/fontawesome``, ``svg/noto`` ...); left out, it is $KINETUNE_DATA, or ``shared/data``
beside the checkout. Nothing is timed here.

Random pairs of icons (one layer) and of emoji (many layers), 24 frames in a second. The bounds were chosen on the even
pairs, and only the odd ones are reported. Errors are read from the files again: the paths are evaluated at whole frames
as a player does, cut into short chords, and compared with the outlines of the film by GEOS, both ways. Crossings are
counted by GEOS on the same chords at four times the frame rate; curves that cannot be seen do not count, nor do films
that cross themselves already.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import shapely

import kinetune as kt
from benchmarks.harness import Claim
from kinetune.contours.drawing import Drawing
from kinetune.contours.lottie import film_to_lottie
from kinetune.contours.morphing.canvas import enlarge_canvas
from kinetune.contours.moving_drawing import MovingDrawing
from kinetune.contours.svg.film_writer import film_to_svg

PAIRS, FRAMES, SEED = 40, 24, 7
KINDS = {"icons": ("fontawesome", "mdi"), "emoji": ("noto", "openmoji", "own_emoji")}
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
_SIDE = 512.0
_CHORDS = np.arange(32) / 32
_INVISIBLE, _SPECK = 0.001 * _SIDE, 0.004 * _SIDE
_LARGEST_KB = {"icons": 40.0, "emoji": 50.0}


def main(folder: Path) -> int:
    """Print all figures; the number of those that miss their bound."""
    missed = 0
    for kind, names in KINDS.items():
        for claim in measure(kind, [folder / "svg" / name for name in names]):
            print(claim)
            missed += not claim.holds
    return missed


def measure(kind: str, folders: list[Path]) -> Iterator[Claim]:
    """The odd ones of some random pairs of drawings."""
    files = [file for folder in folders for file in sorted(folder.glob("*.svg"))]
    if len(files) < 2:
        raise SystemExit(f"{folders[0].parent} has no drawings: give the folder of the data, or set KINETUNE_DATA.")
    dice = np.random.default_rng(SEED)
    pairs = [[files[k] for k in dice.choice(len(files), 2, replace=False)] for _ in range(PAIRS)]
    rows = []
    for a, b in pairs[1::2]:
        film = kt.morph(kt.read_drawing(a), kt.read_drawing(b), FRAMES, ease="smooth")
        frames = enlarge_canvas(film)
        moving = film.moving
        assert moving is not None
        moving = moving.on_canvas(frames[0].view_box)
        text = film_to_lottie(moving)
        error, crossed = read_back(json.loads(text), moving)
        rows.append((len(text) / 1e3, len(film_to_svg(moving)) / 1e3, 100.0 * error, crossed))
        print(f"     {a.parent.name}/{a.stem} to {b.parent.name}/{b.stem}: {rows[-1][0]:.1f} kB, {100 * error:.3f}%")
    lottie, svg, errors, crossings = np.array(rows).T
    yield Claim(f"{kind}: median kB of Lottie", float(np.median(lottie)), 20.0, at_least=False)
    yield Claim(f"{kind}: largest kB of Lottie", float(lottie.max()), _LARGEST_KB[kind], at_least=False)
    yield Claim(f"{kind}: largest kB of animated SVG", float(svg.max()), 60.0, at_least=False)
    yield Claim(f"{kind}: largest error in percent of the page", float(errors.max()), 0.15, at_least=False)
    yield Claim(f"{kind}: curves that cross themselves", float(crossings.sum()), 0.0, at_least=False)


def read_back(document: dict[str, Any], film: MovingDrawing) -> tuple[float, int]:
    """The largest error of a Lottie file as a share of the page, and how many of its curves cross themselves."""
    drawings = [film.drawing(frame) for frame in range(len(film))]
    wanted = [_on_pixels(drawing) for drawing in drawings]
    simple = all(shapely.is_simple(ring) for rings in wanted for ring in rings)
    error, crossed = 0.0, 0
    transforms = {layer["ind"]: layer["ks"] for layer in document["layers"]}
    for quarter in range(4 * (len(film) - 1) + 1):
        time = quarter / 4
        curves: list[Any] = []
        for layer in document["layers"]:
            if layer["ip"] <= time < layer["op"]:
                curves += _curves(layer, transforms[layer.get("parent", layer["ind"])], time)
        if simple:
            crossed += sum(_size(curve) > _INVISIBLE and not shapely.is_simple(curve) for curve in curves)
        if quarter % 4 == 0:
            error = max(error, _apart(curves, wanted[quarter // 4]), _apart(wanted[quarter // 4], curves))
    return error / _SIDE, crossed


def _apart(curves: list[Any], others: list[Any]) -> float:
    """How far the points of some curves, apart from specks, are from the nearest of the others."""
    curves = [curve for curve in curves if _size(curve) > _SPECK]
    if not curves or not others:
        return 0.0
    every = shapely.union_all(np.array([shapely.linestrings(shapely.get_coordinates(other)) for other in others]))
    shapely.prepare(every)
    return float(
        shapely.distance(shapely.points(np.concatenate([shapely.get_coordinates(c) for c in curves])), every).max()
    )


def _on_pixels(drawing: Drawing) -> list[Any]:
    left, top, width, height = drawing.view_box
    rings = []
    for layer in drawing.layers:
        paints = ((layer.fill, layer.fill_opacity), (layer.stroke, layer.stroke_opacity))
        seen = any(colour is not None and opacity > 0 for colour, opacity in paints)
        for contour in layer.contours if seen else ():
            points = (contour.points - [left, top]) * (_SIDE / max(width, height))
            rings.append(shapely.linearrings(points) if contour.closed else shapely.linestrings(points))
    return rings


def _curves(layer: dict[str, Any], transform: dict[str, Any], time: float) -> Iterator[Any]:
    """The curves of a shape layer at a time, cut into chords. transform : how the layer, or its parent, moves."""
    for item in (item for each in layer["shapes"] for item in each.get("it", [each])):
        if item["ty"] == "sh":
            path = _at(item["ks"], time)
            size, place = (_numbers(transform.get(name), time) for name in "sp")
            points = 0.01 * size * _chords(path) + place
            yield (shapely.linearrings if path["c"] else shapely.linestrings)(points)


def _size(curve: Any) -> float:
    left, top, right, bottom = shapely.bounds(curve)
    return float(max(right - left, bottom - top))


def _at(value: dict[str, Any], time: float) -> dict[str, np.ndarray]:
    """A path at a time."""
    if not value["a"]:
        return _arrays(value["k"])
    before, after, e = _between(value["k"], time)
    first, second = _arrays(before[0]), _arrays(after[0])
    return {name: (1 - e) * first[name] + e * second[name] for name in "vio"} | {"c": first["c"]}


def _numbers(value: dict[str, Any] | None, time: float) -> np.ndarray:
    """A position or scale at a time; none is 0."""
    if value is None:
        return np.zeros(2)
    if not value["a"]:
        return np.array(value["k"], dtype=float)
    before, after, e = _between(value["k"], time)
    return (1 - e) * np.array(before) + e * np.array(after)


def _between(keys: list[dict[str, Any]], time: float) -> tuple[Any, Any, float]:
    """The values before and after a time, and how far it is from one to the other."""
    number = max([k for k, key in enumerate(keys) if key["t"] <= time], default=0)
    key = keys[number]
    if number == len(keys) - 1 or key.get("h") or time <= key["t"]:
        return key["s"], key["s"], 0.0
    s = (time - key["t"]) / (keys[number + 1]["t"] - key["t"])
    e = s
    if key["o"]["x"]:  # not evenly
        e = 3 * (1 - s) ** 2 * s * key["o"]["y"] + 3 * (1 - s) * s * s * key["i"]["y"] + s**3
    return key["s"], keys[number + 1]["s"], e


def _arrays(path: dict[str, Any]) -> dict[str, np.ndarray]:
    return {name: np.array(path[name], dtype=float) for name in "vio"} | {"c": np.array(path["c"])}


def _chords(path: dict[str, np.ndarray]) -> np.ndarray:
    v, out, back = path["v"], path["v"] + path["o"], path["v"] + path["i"]
    ends, befores = np.roll(v, -1, axis=0), np.roll(back, -1, axis=0)
    if not path["c"]:
        v, out, ends, befores = v[:-1], out[:-1], ends[:-1], befores[:-1]
    t = _CHORDS[None, :, None]
    s = 1 - t
    four = (each[:, None] for each in (v, out, befores, ends))
    p0, p1, p2, p3 = four
    points = s**3 * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t**3 * p3
    line: np.ndarray = points.reshape(-1, 2)
    return line if path["c"] else np.concatenate([line, ends[-1:]])


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(1 if main(Path(given)) else 0)
