"""How feet and knees come out of edits of captured clips: slide, pops, knee bumps, backward knees, jerk, knees left.

    python -m benchmarks.quality_feet [FOLDER]

FOLDER holds the clips (``cmu/07_01.bvh``, ``accad/...``); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the
checkout. Every result is written as BVH and measured with kinematics and contacts of their own
(``benchmarks/written_legs.py``). Weights of the solver come from other clips; of these, every second one by name was
looked at while it was written ("seen"), the others were not ("unseen"). Slide counts how far the ball of a foot strays
in the contacts of the source, so that an honest roll counts too.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.written_legs import WrittenLegs, judge, knee_changes
from kinetune import rotations as rot
from kinetune.body.clip import Clip

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
METRES = {"cmu": 0.05644, "accad": 0.01}
FIRST = {"cmu": 1, "accad": 0}  # these clips begin with a T-pose
MOST_FOLDED = 160.0
"""Degrees that a knee can be folded: calf on thigh."""
Edit = Callable[[Clip, int], Clip]


def preset(name: str, *, bare: bool) -> Edit:
    step = kt.Equalize(preset=name, keep_feet=not bare, limit_knees=not bare)
    return lambda clip, first: step(clip)


def planted(edit: Edit) -> Edit:
    return lambda clip, first: kt.PlantFeet()(edit(clip, first))


def as_it_is(clip: Clip, first: int) -> Clip:
    return clip


def shorter_path(clip: Clip, first: int) -> Clip:
    root = np.array(clip.root)
    root[first:, ::2] = root[first, ::2] + 0.9 * (root[first:, ::2] - root[first, ::2])
    return clip.replace(root=root)


def drifting(clip: Clip, first: int) -> Clip:
    sway = 0.02 * np.sin(2.0 * np.pi * 0.4 * (clip.times - clip.times[first]))
    sway[:first] = 0.0
    return clip.replace(root=clip.root + sway[:, None] * [0.6, 0.0, 0.8])


def noisy(degrees: float) -> Edit:
    def edit(clip: Clip, first: int) -> Clip:
        shape = (*clip.rotations.shape[:2], 3)
        jitter = np.random.default_rng(0).normal(size=shape) * np.deg2rad(degrees) / np.sqrt(3.0)
        jitter[:first] = 0.0
        return clip.replace(rotations=rot.multiply(clip.rotations, rot.exp(jitter)))

    return edit


_BARE = ", bare"
CASES: dict[str, Edit] = {
    "exaggerate, bare": preset("exaggerate", bare=True),
    "exaggerate": preset("exaggerate", bare=False),
    "subdued, bare": preset("subdued", bare=True),
    "subdued": preset("subdued", bare=False),
    "nervous, bare": preset("nervous", bare=True),
    "nervous": preset("nervous", bare=False),
    "as captured": as_it_is,
    "planted": planted(as_it_is),
    "path x 0.9, planted": planted(shorter_path),
    "drift of 2 cm, planted": planted(drifting),
    "noise of 0.25 degrees, planted": planted(noisy(0.25)),
    "noise of 1 degree, planted": planted(noisy(1.0)),
}


Rows = dict[str, list[dict[str, float]]]


def measured(files: list[Path], folder: Path) -> Rows:
    """What is wrong with the legs of every file, after each edit; ``left`` and ``wanted`` are those of the knees."""
    rows: Rows = {name: [] for name in CASES}
    for file in files:
        kind = file.parent.name
        clip, source = kt.read(file), WrittenLegs.read(file, METRES[kind], FIRST[kind])
        bare: dict[str, WrittenLegs] = {}
        for name, edit in CASES.items():
            target = kt.write(edit(clip, FIRST[kind]), folder / file.name)
            result = WrittenLegs.read(target, METRES[kind], FIRST[kind])
            row = judge(result, source)
            if name.endswith(_BARE):
                bare[name.removesuffix(_BARE)] = result
            elif name in bare:
                row["left"], row["wanted"] = knee_changes(result, bare[name], source)
                row["within"], row["possible"] = knee_changes(result, bare[name], source, MOST_FOLDED)
            rows[name].append(row)
    return rows


def table(files: dict[str, list[Path]]) -> Iterator[str]:
    """Means over clips; of ``worst`` and ``back`` that of the worst clip."""
    slides = f"{'slide mm':>10}{'worst':>7}{'anew':>7}{'worst':>7}"
    columns = f"{slides}{'pops':>7}{'bumps':>7}{'backward':>10}{'jerk':>7}{'knees':>8}{'can':>7}"
    yield f"{'case':32}{'clips':>9}{columns}"
    with tempfile.TemporaryDirectory() as folder:
        found = {part: measured(chosen, Path(folder)) for part, chosen in files.items()}
    for name in CASES:
        for part, rows in found.items():
            each = {key: np.array([row[key] for row in rows[name]]) for key in rows[name][0]}
            worst = ("worst", "worst_anew", "back")  # an edit can leave a clip without contacts of its own
            mean = {key: (np.nanmax if key in worst else np.nanmean)(values) for key, values in each.items()}
            knees = ""
            if "wanted" in mean:
                knees = (
                    f"{100.0 * mean['left'] / mean['wanted']:7.1f}%{100.0 * mean['within'] / mean['possible']:6.1f}%"
                )
            yield (
                f"{name:32}{part:>9}{mean['slide']:10.1f}{mean['worst']:7.0f}{mean['anew']:7.1f}"
                f"{mean['worst_anew']:7.0f}{mean['pops']:7.1f}{mean['bumps']:7.1f}"
                f"{mean['back']:10.1f}{mean['jerk']:7.2f}{knees}"
            )


def main() -> int:
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    files = [file for kind in METRES for file in sorted((Path(given) / kind).glob("*.bvh"))]
    if not files:
        print(f"no clips in {given}")
        return 0
    print(f"{len(files)} clips; pops, bumps and jerk are means of a clip, slide is the mean over contacts and clips,")
    print("worst and backward (degrees) are those of the worst clip; jerk is relative to the source;")
    print("anew is the slide in contacts that are found in the result itself;")
    print("knees is how much of what the bare edit does to swinging knees is left, can the same")
    print(f"where what folds a knee beyond {MOST_FOLDED:.0f} degrees, and beyond its source, does not count")
    for line in table({"seen": files[0::2], "unseen": files[1::2]}):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
