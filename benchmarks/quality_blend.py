"""How good aligned blends of captured walks are: foot slide, and the distance from a walk that was really captured.

    python -m benchmarks.quality_blend [FOLDER]

FOLDER holds the clips (``cmu/82_10.bvh`` ...); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout.
Nothing is timed here.

Slides. CMU 82_10 (sad) is mixed with 82_12 (happy) half and half, aligned and not. A mix is judged by the contacts that
it carries, where a foot stands in all that the mix is made of: a mix out of step has fewer of them. Both captures
slide by some millimetres themselves, which no mix can undo; planting can.

Ground truth. ACCAD has walks that turn left by 45, 90 and 135 degrees. The mix of the outer two should be the one in
the middle. Poses are compared and not their timing: frames are paired by plain dynamic time warping of the poses as
seen from the hips, from first frames to last ones, written here, so that what is judged does not judge itself. (Our own
alignment may not run more than twice as fast or halt, and so finds larger distances, for clips and mixes alike.) "In
the world" is measured after the one turn and shift along the floor that fits best, "seen from the hips" without the
way.

Gaits. Captured runs are mixed half and half with a captured walk, feet kept as by default. Slide is that of the ball of
each foot in the contacts of the result, by the separate script that judges written files (``written_legs``); the angle
between the thighs is the greatest of the clip, beside that of the mix with feet left to themselves.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
from benchmarks.written_legs import WrittenLegs, judge
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.planting import plant
from kinetune.body.root_motion import remove_root_motion
from kinetune.rotations import Floats

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def main(folder: Path) -> int:
    """Print all figures; the number of those that miss their bound."""
    missed = 0
    for claim in [*slides(folder), *turns(folder), *gaits(folder)]:
        print(claim)
        missed += not claim.holds
    return missed


def slides(folder: Path) -> Iterator[Claim]:
    """A sad and a happy walk, half and half."""
    sad, happy = (_read(folder / "cmu" / f"{name}.bvh")[1:] for name in ("82_10", "82_12"))  # without the T-pose
    ground = find_ground(sad)
    for name, clip in (("sad", sad), ("happy", happy)):
        print(f"     {name} as captured: {_slide(clip.replace(contacts=find_contacts(clip))):.1f} mm per contact")
    stand = {}
    for way in ("warp", "scale", "none"):
        mix = kt.Blend(other="happy", weight=0.5, align=way, keep_feet=False)(sad, happy=happy)
        assert mix.contacts is not None
        stand[way] = float(mix.contacts.flags.mean())
        own = kt.measure(mix, ground=ground, contacts="find")
        print(
            f"     align={way}: feet stand for {stand[way]:.0%} of the time; in contacts of the result they slide by "
            f"{own['foot_slide_mm']:.1f} mm, {own['penetration_mm']:.0f} mm into the floor"
        )
        if way == "warp":
            planted = kt.measure(plant(mix, ground=ground), ground=ground)["foot_slide_mm"]
    for other, text in (("none", "not aligned"), ("scale", "scaled evenly")):
        yield Claim(f"time that feet stand, aligned / {text}", stand["warp"] / stand[other], 1.0, at_least=True)
    yield Claim("mm of slide per contact after planting", planted, 10.0, at_least=False)


def turns(folder: Path) -> Iterator[Claim]:
    """Turns by 45 and 135 degrees, half and half, against a real one by 90."""
    names = ("B10_WalkTurnLeft45", "B11_WalkTurnLeft135", "B9_WalkToTurnLeft90")
    less, more, real = (_read(folder / "accad" / f"Male1_{name}.bvh") for name in names)
    errors = {}
    for way in ("warp", "scale", "none"):
        mix = kt.Blend(other="more", weight=0.5, align=way, keep_feet=False)(less, more=more)
        errors[way] = joint_errors_mm(mix, real)
        print(f"     align={way}: {errors[way][0]:.1f} mm in the world, {errors[way][1]:.1f} mm seen from the hips")
    alone = {name: joint_errors_mm(clip, real) for name, clip in (("45", less), ("135", more))}
    for name, (world, local) in alone.items():
        print(f"     the turn by {name} degrees alone: {world:.1f} mm in the world, {local:.1f} mm seen from the hips")
    nearest = min(local for _, local in alone.values())
    yield Claim(
        "mean joint error seen from the hips, mix / nearer of its clips", errors["warp"][1] / nearest, 1.0, False
    )
    for place, words in enumerate(("in the world", "seen from the hips")):
        ratio = errors["warp"][place] / errors["scale"][place]
        yield Claim(f"mean joint error {words}, our alignment / linear time scaling", ratio, 1.0, at_least=False)


def gaits(folder: Path) -> Iterator[Claim]:
    """A walk and a run, half and half."""
    walk = _read(folder / "accad" / "Male1_B3_Walk.bvh")
    spread, stray = [], []
    with tempfile.TemporaryDirectory() as place:
        for name in ("C12_RunTurnLeft45", "C11_RunTurnLeft90"):
            run = _read(folder / "accad" / f"Male1_{name}.bvh")
            legs = []
            for keep in (False, True):
                mix = kt.Blend(other="run", weight=0.5, keep_feet=keep)(walk, run=run)
                legs.append(WrittenLegs.read(kt.write(mix, Path(place) / f"{name}_{keep}.bvh"), 0.01, 0))
            bare, planted = legs
            judged = judge(planted, planted)
            spread.append((_thighs_apart_deg(bare), _thighs_apart_deg(planted)))
            stray.append(judged["slide"])
            print(
                f"     walk and {name}: thighs {spread[-1][1]:.0f} degrees apart (bare {spread[-1][0]:.0f}), slide "
                f"{judged['slide']:.1f} mm, worst {judged['worst']:.1f}"
            )
    yield Claim("degrees between the thighs, a walk and a run planted", max(s for _, s in spread), 60.0, at_least=False)
    yield Claim("mm of slide, a walk and a run planted", float(np.mean(stray)), 3.0, at_least=False)


def _thighs_apart_deg(legs: WrittenLegs) -> float:
    left, right = (side[:, 1] - side[:, 0] for side in legs.sides.values())
    cosine = np.sum(left * right, axis=1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max())


def joint_errors_mm(mix: Clip, real: Clip) -> tuple[float, float]:
    """The mean distance of joints from a real clip, in the world and seen from the hips, over paired frames."""
    seen = [remove_root_motion(clip).positions() for clip in (mix, real)]
    a, b = _paired(*seen)
    apart = _fitted(mix.positions()[a], real.positions()[b]) - real.positions()[b]
    world, local = (1e3 * float(np.linalg.norm(each, axis=-1).mean()) for each in (apart, seen[0][a] - seen[1][b]))
    return world, local


def _paired(points: Floats, wanted: Floats) -> tuple[list[int], list[int]]:
    """Frames of two motions (frames, joints, 3) that correspond, by dynamic time warping: a diagonal step counts 2."""
    apart = np.array([np.linalg.norm(wanted - each, axis=-1).mean(axis=-1) for each in points])
    total = np.full((len(points) + 1, len(wanted) + 1), np.inf)
    total[0, 0] = 0.0
    came = np.zeros(apart.shape, dtype=int)
    for i, row in enumerate(apart.tolist()):
        for j, cost in enumerate(row):
            ways = (total[i, j] + 2.0 * cost, total[i, j + 1] + cost, total[i + 1, j] + cost)
            came[i, j] = min(range(3), key=ways.__getitem__)
            total[i + 1, j + 1] = ways[came[i, j]]
    pairs = [(len(points) - 1, len(wanted) - 1)]
    while pairs[-1] != (0, 0):
        (i, j), way = pairs[-1], came[pairs[-1]]
        pairs.append((i - (way != 2), j - (way != 1)))
    return [i for i, _ in pairs[::-1]], [j for _, j in pairs[::-1]]


def _fitted(points: Floats, wanted: Floats) -> Floats:
    """Points turned about the vertical and moved along the floor to lie as close to others as they can."""
    middles = [each.mean(axis=(0, 1)) * [1.0, 0.0, 1.0] for each in (points, wanted)]
    a, b = points - middles[0], wanted - middles[1]
    sine = float(np.sum(a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]))
    cosine = float(np.sum(a[..., 2] * b[..., 2] + a[..., 0] * b[..., 0]))
    return np.asarray(rot.rotate(rot.about_y(np.arctan2(sine, cosine)), a) + middles[1])


def _slide(clip: Clip) -> float:
    return float(kt.measure(clip)["foot_slide_mm"])


def _read(path: Path) -> Clip:
    if not path.is_file():
        raise SystemExit(f"{path} is not there: give the folder of the clips, or set KINETUNE_DATA.")
    return kt.read(path)


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(1 if main(Path(given)) else 0)
