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


def measured(edit: Edit, files: list[Path], folder: Path, bare: Edit | None = None) -> dict[str, float]:
    """The means over clips, and the worst of ``worst`` and ``back``; ``bare`` is the edit without planting."""
    rows: list[dict[str, float]] = []
    changes: list[tuple[float, float]] = []
    for file in files:
        kind = file.parent.name
        source = WrittenLegs.read(file, METRES[kind], FIRST[kind])

        def written(change: Edit, file: Path = file, kind: str = kind) -> WrittenLegs:
            target = kt.write(change(kt.read(file), FIRST[kind]), folder / file.name)
            return WrittenLegs.read(target, METRES[kind], FIRST[kind])

        result = written(edit)
        rows.append(judge(result, source))
        if bare is not None:
            changes.append(knee_changes(result, written(bare), source))
    pick = {name: np.max if name in ("worst", "back") else np.mean for name in rows[0]}
    left, wanted = np.sum(changes, axis=0) if changes else (np.nan, 1.0)
    return {name: float(pick[name]([row[name] for row in rows])) for name in rows[0]} | {"knees": left / wanted}


def table(files: dict[str, list[Path]]) -> Iterator[str]:
    columns = f"{'slide mm':>10}{'worst':>7}{'pops':>7}{'bumps':>7}{'backward':>10}{'jerk':>7}{'knees':>8}"
    yield f"{'case':32}{'clips':>9}{columns}"
    with tempfile.TemporaryDirectory() as folder:
        for name, edit in CASES.items():
            for part, chosen in files.items():
                row = measured(edit, chosen, Path(folder), CASES.get(f"{name}, bare"))
                knees = f"{100.0 * row['knees']:7.0f}%" if np.isfinite(row["knees"]) else ""
                yield (
                    f"{name:32}{part:>9}{row['slide']:10.1f}{row['worst']:7.0f}{row['pops']:7.1f}{row['bumps']:7.1f}"
                    f"{row['back']:10.1f}{row['jerk']:7.2f}{knees}"
                )


def main() -> int:
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    files = [file for kind in METRES for file in sorted((Path(given) / kind).glob("*.bvh"))]
    if not files:
        print(f"no clips in {given}")
        return 0
    print(f"{len(files)} clips; pops, bumps and jerk are means of a clip, slide is the mean over contacts and clips,")
    print("worst and backward (degrees) are those of the worst clip; jerk is relative to the source;")
    print("knees is how much of what the bare edit does to swinging knees is left")
    for line in table({"seen": files[0::2], "unseen": files[1::2]}):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
