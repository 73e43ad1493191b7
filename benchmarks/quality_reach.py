"""How good aimed blends of captured reaches are: each capture left out in turn and aimed at with the others.

    python -m benchmarks.quality_reach [FOLDER]

FOLDER holds the clips (``hdm05/HDM_bd_grabHighR_001_120.amc`` ...); left out, it is $KINETUNE_DATA, or ``shared/data``
beside the checkout. Nothing is timed here.

Sets. HDM05 (CC BY-SA 3.0) has takes of grabbing something high up and of putting something on the floor, with the
right hand; actors step up to the place first, each time from elsewhere. Each take is cut to the last second before the
hand is highest, or lowest: there it arrives. Takes are brought to the timing of the first by a time warp, to its
skeleton, and to where its hips end.

Figures. For each take left out, the others are aimed at its hand's place at the last frame. Shown are the miss of the
hand in mm as the blend alone has it (``exact=False``) and with the bounded inverse kinematics that follows by default,
whether that meets the target, and the mean distance of all joints over all frames from the real take, in mm, beside
those of the nearest example alone and of the paper's kernel weights without a search. Takes of one actor reach to one
place, so that a take left out often lies outside what the others span; in dg 012 the actor turns by 67 degrees and
walks while reaching; no other is like it.

Then random targets, drawn with a fixed seed: 120 points in the box that the hands of the examples span, and 60 points
together with a direction of the hand, that of one example turned by up to 20 degrees. Examples are the reaches that
Kinetune brings along and the captured ones of both actors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
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
    """(clips, 7): miss of the blend, miss, whether it is reached, distance of joints; the same distance for the nearest
    example and the kernel's weights; and the kernel's miss."""
    rows = []
    for number, real in enumerate(clips):
        blend = kt.InverseBlend([clip for other, clip in enumerate(clips) if other != number])
        goal = kt.AtPoint(HAND, real.joint(HAND).positions[-1])
        found, kernel = blend.solve(goal, k=8), blend.solve(goal, k=8, mode="rbf")
        ends = blend.places(HAND)
        nearest = blend.examples[int(np.argmin(np.linalg.norm(ends - goal.point, axis=1)))]
        apart = [_apart(clip, real) for clip in (found.clip, nearest, kernel.clip)]
        alone = blend.solve(goal, k=8, exact=False).errors[0]
        rows.append([alone, found.errors[0], found.reachable, *apart, kernel.errors[0]])
    return np.array(rows, dtype=float)


def random_targets(clips: Sequence[Clip]) -> tuple[float, float]:
    """The shares of random points, and of random points with a direction of the hand, that are met."""
    draw = np.random.default_rng(0)
    blend = kt.InverseBlend(clips)
    places = blend.places(HAND)
    low, high = places.min(axis=0), places.max(axis=0)
    hand = blend.examples[0].skeleton.index(HAND)
    turns = np.stack([clip.world_rotations()[-1, hand] for clip in blend.examples])
    met = [blend.solve(kt.AtPoint(HAND, draw.uniform(low, high))).reachable for _ in range(120)]
    both = []
    for _ in range(60):
        axis = draw.normal(size=3)
        turn = rot.from_axis_angle(axis / np.linalg.norm(axis), draw.uniform(0.0, np.deg2rad(20.0)))
        facing = rot.rotate(rot.multiply(turn, turns[draw.integers(len(turns))]), np.array([1.0, 0.0, 0.0]))
        goals = kt.AtPoint(HAND, draw.uniform(low, high)), kt.Facing(HAND, toward=facing, axis="x")
        both.append(blend.solve(goals).reachable)
    return float(np.mean(met)), float(np.mean(both))


def _apart(clip: Clip, real: Clip) -> float:
    """The mean distance of all joints over all frames, in mm."""
    return float(1e3 * np.linalg.norm(clip.positions() - real.positions(), axis=-1).mean())


def main(folder: Path) -> int:
    """Print all sets; the number of figures that miss their bound."""
    sets = {
        "grabHighR, actor dg": (sorted(folder.glob("hdm05/HDM_dg_grabHighR_*.amc")), True),
        "grabHighR, actors bd and dg": (sorted(folder.glob("hdm05/HDM_*_grabHighR_*.amc")), True),
        "depositFloorR, actor bd": (sorted(folder.glob("hdm05/HDM_bd_depositFloorR_*.amc")), False),
    }
    claims, reached_all = [], []
    examples = {"reaches that come along": [kt.sample(f"reach-{n:02d}") for n in range(1, 17)]}
    for name, (files, highest) in sets.items():
        if len(files) < 3:
            print(f"{name}: not in {folder}.")
            continue
        clips = reach_set(files, highest)
        rows = leave_one_out(clips)
        print(f"{name}, {len(files)} takes: mm")
        print(
            "  take                       blend misses  hand misses  reached  joints  (nearest, kernel)  kernel misses"
        )
        for file, row in zip(files, rows, strict=True):
            print(_line(file.stem, row, "yes" if row[2] else "no"))
        print(_line("mean", np.mean(rows, axis=0), f"{np.mean(rows[:, 2]):.0%}"))
        if "bd and dg" in name:
            examples["captured grabs"] = clips
        else:
            reached_all += list(rows[:, 2])
    if reached_all:
        claims.append(Claim("takes left out that are reached", float(np.mean(reached_all)), 0.8, at_least=True))
    for name, clips in examples.items():
        points, facing = random_targets(clips)
        claims.append(Claim(f"random points in the box, {name}", points, 0.9, at_least=True))
        claims.append(Claim(f"random points with a direction, {name}", facing, 0.8, at_least=True))
    for claim in claims:
        print(claim)
    return sum(not claim.holds for claim in claims)


def _line(name: str, row: Floats, reached: str) -> str:
    alone, miss, _, ours, nearest, kernel, kernel_miss = row
    return (
        f"  {name:28}  {alone:12.1f}  {miss:11.3f}  {reached:>7}  {ours:6.1f}  ({nearest:7.1f}, {kernel:6.1f})  "
        f"{kernel_miss:13.1f}"
    )


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(1 if main(Path(given)) else 0)
