"""How good aimed blends of captured reaches are: each capture left out in turn and aimed at with the others.

    python -m benchmarks.quality_reach [FOLDER]

FOLDER holds the clips (``hdm05/HDM_bd_grabHighR_001_120.amc`` ...); left out, it is $KINETUNE_DATA, or ``shared/data``
beside the checkout. Nothing is timed here.

Sets. HDM05 (CC BY-SA 3.0) has takes of grabbing something high up and of putting something on the floor, with the
right hand; actors step up to the place first, each time from elsewhere. Each take is cut to the last second before the
hand is highest, or lowest: there it arrives. Takes are brought to the timing of the first by a time warp, to its
skeleton, and to where its hips end.

Figures. For each take left out, the others are aimed at its hand's place at the last frame. Told are the miss of the
hand in mm, whether the others reach so far, and the mean distance of all joints over all frames from the real take, in
mm, beside those of the nearest example alone and of the paper's kernel weights without a search. Takes of one actor
reach to one place, so that a take left out often lies outside what the others span; in dg 012 the actor turns by 67
degrees and walks while reaching; no other is like it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import place, root_motion
from kinetune.body.timeline.alignment import align
from kinetune.body.timeline.clip_blending import scale_like
from kinetune.rotations import Floats

HAND = "right hand"
LASTS_S = 1.0
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def reach_set(files: Sequence[Path], highest: bool) -> list[Clip]:
    """Takes up to where the hand arrives, in step with the first, on its skeleton, with hips that end where its do."""
    cut = []
    for file in files:
        clip = kt.read(file)
        height = clip.joint(HAND).positions[:, 1]
        arrives = int(np.argmax(height) if highest else np.argmin(height))
        begins = max(0, arrives - round(LASTS_S * clip.fps))
        cut.append(clip[begins : arrives + 1][::4])  # 120 frames a second are four times what a reach needs
    first = cut[0]
    return [
        first,
        *(_arriving_like(align(scale_like(c, first), first, ends="all"), first) for c in cut[1:]),
    ]


def _arriving_like(clip: Clip, other: Clip) -> Clip:
    """The clip turned and moved along the floor so that its hips end where those of another do, facing alike."""
    own, wanted = root_motion(clip), root_motion(other)
    turn = rot.about_y(wanted.headings[-1] - own.headings[-1])
    here, there = (np.array([x, 0.0, z]) for x, z in (own.positions[-1], wanted.positions[-1]))
    return place(clip, turn, there - rot.rotate(turn, here))


def leave_one_out(clips: Sequence[Clip]) -> Floats:
    """(clips, 6): miss, whether it is reached, distance of joints; the same distance for the nearest example and the
    kernel's weights; and the kernel's miss."""
    rows = []
    for number, real in enumerate(clips):
        blend = kt.InverseBlend([clip for other, clip in enumerate(clips) if other != number])
        goal = kt.AtPoint(HAND, real.joint(HAND).positions[-1])
        found, kernel = blend.solve(goal, k=8), blend.solve(goal, k=8, mode="rbf")
        ends = blend.places(HAND)
        nearest = blend.examples[int(np.argmin(np.linalg.norm(ends - goal.point, axis=1)))]
        apart = [_apart(clip, real) for clip in (found.clip, nearest, kernel.clip)]
        rows.append([found.errors[0], found.reachable, *apart, kernel.errors[0]])
    return np.array(rows, dtype=float)


def _apart(clip: Clip, real: Clip) -> float:
    """The mean distance of all joints over all frames, in mm."""
    return float(1e3 * np.linalg.norm(clip.positions() - real.positions(), axis=-1).mean())


def main(folder: Path) -> int:
    """Print both sets."""
    sets = {
        "grabHighR, actor dg": (sorted(folder.glob("hdm05/HDM_dg_grabHighR_*.amc")), True),
        "grabHighR, actors bd and dg": (sorted(folder.glob("hdm05/HDM_*_grabHighR_*.amc")), True),
        "depositFloorR, actor bd": (sorted(folder.glob("hdm05/HDM_bd_depositFloorR_*.amc")), False),
    }
    for name, (files, highest) in sets.items():
        if len(files) < 3:
            print(f"{name}: not in {folder}.")
            continue
        rows = leave_one_out(reach_set(files, highest))
        print(f"{name}, {len(files)} takes: mm")
        print("  take                              hand misses  reached  joints  (nearest, kernel)  kernel misses")
        for file, (miss, reached, ours, nearest, kernel, kernel_miss) in zip(files, rows, strict=True):
            print(
                f"  {file.stem:32}  {miss:11.3f}  {'yes' if reached else 'no':>7}  {ours:6.1f}  "
                f"({nearest:7.1f}, {kernel:6.1f})  {kernel_miss:13.1f}"
            )
        miss, reached, ours, nearest, kernel, kernel_miss = np.mean(rows, axis=0)
        print(
            f"  {'mean':32}  {miss:11.3f}  {reached:7.0%}  {ours:6.1f}  ({nearest:7.1f}, {kernel:6.1f})  "
            f"{kernel_miss:13.1f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", _BESIDE))))
