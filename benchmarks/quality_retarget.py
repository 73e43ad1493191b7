"""How motions come out on other bodies: feet that stand, soles above the floor, directions of limbs, smoothness.

    python -m benchmarks.quality_retarget [FOLDER] [--half seen|unseen|both] [--pairs N] [--all]

FOLDER holds the clips; left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout. Files are split in two
halves by a seeded draw, and so are the bodies: weights were chosen on pairs of the "seen" half, the "unseen" half is
only measured. ``--all`` tries every clip of one kind on every body instead, and lists what is refused.

Contact speed is that of heel and ball while the contacts say that they stand which were solved for; "by other contacts"
takes those of ``find_contacts`` instead, which count a foot as standing until the tip of its toes has left the floor,
and says beside it how fast the source moves by them, scaled. Depth is the deepest point of a sole, toes
included. "There and back" takes some of the pairs back to the body of the source: the mean distance of all joints from
the source, set level on its floor, and the mean angle between its parts; "once more" goes there and back again from
that result, which stands well by then, so that it shows what retargeting loses and the first shows what it mends, too.
Direction is the mean angle between limbs of source and result, acceleration the root mean square over nine
joints of the body divided by that of the source, each in leg lengths.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.soles import SIDES
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.robots.robot import RobotLayout
from kinetune.errors import KinetuneError
from kinetune.formats import suffixes
from kinetune.retarget.fits.hinges import hinge_centres
from kinetune.retarget.retargeting import Retargeted, retarget

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
_SEED = 20
_LONGEST_S = 12.0
_ROUND_TRIPS = 16
LIMBS = tuple(
    (f"{side} {a}", f"{side} {b}")
    for side in SIDES
    for a, b in (("upper arm", "lower arm"), ("lower arm", "hand"), ("upper leg", "lower leg"), ("lower leg", "foot"))
)
POINTS = ("hips", "head", *(f"{side} {part}" for side in SIDES for part in ("hand", "lower arm", "foot", "lower leg")))


def humans(folder: Path) -> Iterator[tuple[str, Clip]]:
    """Every clip of the folder that moves a body with arms and legs, robots apart; at most twelve seconds of each."""
    motion = set(suffixes()) - {".asf", ".xml", ".mjcf", ".urdf"}
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in motion):
        if path.parent.name == "golden" or path.name.startswith("fuzz"):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clip = kt.read(path)
        except KinetuneError:
            continue
        needed = {"hips", *(role for limb in LIMBS for role in limb)}
        robot = isinstance(clip.source.layout, RobotLayout) or bool(hinge_centres(clip))
        if needed <= set(clip.skeleton.roles) and not robot:
            yield str(path.relative_to(folder)), clip[: max(1, int(_LONGEST_S * clip.fps))]


def split(items: list[tuple[str, Clip]]) -> tuple[list[tuple[str, Clip]], list[tuple[str, Clip]]]:
    """Two halves by a seeded draw."""
    order = np.random.default_rng(_SEED).permutation(len(items))
    half = len(items) // 2
    return [items[i] for i in order[:half]], [items[i] for i in order[half:]]


def different_bodies(items: list[tuple[str, Clip]]) -> list[tuple[str, Clip]]:
    """One clip of each skeleton."""
    bodies: dict[tuple[int, float], tuple[str, Clip]] = {}
    for name, clip in items:
        bodies.setdefault((len(clip.skeleton), round(clip.skeleton.height, 2)), (name, clip))
    return list(bodies.values())


def measures(source: Clip, result: Retargeted, seconds: float) -> dict[str, float]:
    """The figures of one pair."""
    clip, transfer = result.clip, result.transfer
    assert transfer is not None
    positions, world = clip.positions(), clip.world_rotations()
    ground = transfer.source.ground
    found = find_contacts(source, ground=ground)
    speeds: dict[str, list[float]] = {"speed": [], "other": [], "source": []}
    soles = {foot.side: foot for foot in ground.feet}
    depth = 0.0
    belt = transfer.scale * np.array([transfer.source.ground.drift[0], 0.0, transfer.source.ground.drift[1]])
    for track in transfer.feet:
        for number, point in enumerate(track.points):
            at = positions[:, point.joint] + rot.rotate(world[:, point.joint], np.array(point.offset))
            depth = max(depth, -1e3 * float(np.min(at[:, 1] - np.minimum(track.heights, 0.0))))
            if point.name == "toe" or len(clip) < 2:
                continue
            moved = np.linalg.norm(np.diff(at, axis=0) - belt / clip.fps, axis=1) * clip.fps
            column = found.column(track.side)
            there = found.flags[:, column] & (found.heels if point.name == "heel" else found.toes)[:, column]
            for key, on in (("speed", track.standing[:, number]), ("other", there)):
                speeds[key] += moved[on[1:] & on[:-1]].tolist()
            named = [ours.name for ours in soles[track.side].points]
            before = ground.still_positions(source, soles[track.side].positions(source))[:, named.index(point.name)]
            slid = transfer.scale * np.linalg.norm(np.diff(before, axis=0), axis=1) * clip.fps
            speeds["source"] += slid[there[1:] & there[:-1]].tolist()
    error = []
    for a, b in LIMBS:
        ways = [c.positions()[:, c.skeleton.roles[b]] - c.positions()[:, c.skeleton.roles[a]] for c in (source, clip)]
        first, second = (way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9) for way in ways)
        error.append(
            np.rad2deg(np.arctan2(np.linalg.norm(np.cross(first, second), axis=1), np.sum(first * second, axis=1)))
        )
    rough = [
        np.sqrt(np.mean(np.diff(c.positions()[:, [c.skeleton.roles[p] for p in POINTS if p in roles]], 2, axis=0) ** 2))
        / leg
        for c, leg in ((source, transfer.source.leg), (clip, transfer.target.leg))
        for roles in (set(source.skeleton.roles) & set(clip.skeleton.roles),)
    ]
    return {
        "speed": float(np.mean(speeds["speed"] or [0.0])),
        "worst": float(np.max(speeds["speed"] or [0.0])),
        "other": float(np.mean(speeds["other"] or [0.0])),
        "source": float(np.mean(speeds["source"] or [0.0])),
        "depth": depth,
        "direction": float(np.mean(error)),
        "rough": float(rough[1] / max(rough[0], 1e-12)) if len(clip) > 2 else 1.0,
        "rate": len(clip) / max(seconds, 1e-9),
    }


def there_and_back(source: Clip, body: Clip) -> dict[str, float]:
    """How far a motion is from its source when it has been on another body, once and once more."""
    there = retarget(source, body)
    back = retarget(there.clip, source).clip
    again = retarget(retarget(back, body).clip, source).clip
    assert there.transfer is not None
    hips = source.positions()[:, source.skeleton.roles["hips"]]
    level = np.array(source.positions())
    level[..., 1] += (there.transfer.source.ground.floor.above(hips) - hips[:, 1])[:, None]
    parts = sorted(set(source.skeleton.roles.values()))
    turns = rot.angle_between(source.world_rotations()[:, parts], back.world_rotations()[:, parts])
    return {
        "back_mm": 1e3 * float(np.linalg.norm(back.positions() - level, axis=-1).mean()),
        "back_deg": float(np.rad2deg(turns).mean()),
        "again_mm": 1e3 * float(np.linalg.norm(again.positions() - back.positions(), axis=-1).mean()),
    }


def try_pair(source: Clip, body: Clip) -> dict[str, float] | str | None:
    """The figures of one pair, the message that refuses it, or None where both skeletons are the same."""
    begun = time.process_time()
    try:
        result = retarget(source, body)
    except KinetuneError as refusal:
        return str(refusal)
    seconds = time.process_time() - begun
    return None if result.transfer is None else measures(source, result, seconds)


def table(rows: list[tuple[str, str, dict[str, float]]]) -> None:
    """The worst pairs by each figure, then the means."""
    for key, text in (("depth", "deepest"), ("worst", "fastest"), ("direction", "most bent"), ("rough", "roughest")):
        worst = sorted(rows, key=lambda row: -row[2][key])[:3]
        print(f"     {text}: " + "; ".join(f"{a} on {b} {figures[key]:.3g}" for a, b, figures in worst))


def claims(rows: list[tuple[str, str, dict[str, float]]], name: str) -> Iterator[Claim]:
    figures = {key: np.array([row[2][key] for row in rows]) for key in rows[0][2]}
    shallow = float(np.mean(figures["depth"] <= 2.0))
    print(
        f"     {name}: {len(rows)} pairs; by other contacts {figures['other'].mean():.3f} m/s, "
        f"the source {figures['source'].mean():.3f} m/s; "
        f"{np.median(figures['rate']):,.0f} frames a second"
    )
    yield Claim(f"{name}: contact speed, mean mm/s", 1e3 * figures["speed"].mean(), 5.0, False)
    yield Claim(f"{name}: contact speed, fastest frame, mean of pairs m/s", figures["worst"].mean(), 0.15, False)
    yield Claim(f"{name}: soles at most 2 mm below the floor, share of pairs", shallow, 0.95, True)
    yield Claim(f"{name}: direction of limbs, degrees", figures["direction"].mean(), 1.5, False)
    yield Claim(f"{name}: acceleration against the source", figures["rough"].mean(), 1.15, False)


def round_trips(trips: list[dict[str, float]], name: str) -> Iterator[Claim]:
    figures = {key: float(np.mean([trip[key] for trip in trips])) for key in trips[0]}
    print(f"     {name}: {len(trips)} pairs there and back, once more {figures['again_mm']:.1f} mm")
    yield Claim(f"{name}: there and back, mm", figures["back_mm"], 15.0, False)
    yield Claim(f"{name}: there and back, degrees", figures["back_deg"], 3.0, False)


def _first(
    pairs: list[tuple[tuple[str, Clip], tuple[str, Clip]]],
    order: np.ndarray,
    rows: list[tuple[str, str, dict[str, float]]],
) -> list[tuple[tuple[str, Clip], tuple[str, Clip]]]:
    """The first pairs of the draw that were not refused."""
    fine = {(a, b) for a, b, _ in rows}
    return [pairs[i] for i in order if (pairs[i][0][0], pairs[i][1][0]) in fine][:_ROUND_TRIPS]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(os.environ.get("KINETUNE_DATA", _BESIDE)))
    parser.add_argument("--half", choices=("seen", "unseen", "both"), default="both")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args(arguments)
    halves = split(list(humans(asked.folder)))
    missed = 0
    for name, clips in zip(("seen", "unseen"), halves, strict=True):
        if asked.half not in (name, "both"):
            continue
        bodies = different_bodies(clips)
        moving = [(label, clip) for label, clip in clips if len(clip) - stray_frames(clip) > 20]
        pairs = [(s, b) for s in moving for b in bodies if len(s[1].skeleton) != len(b[1].skeleton)]
        order = np.random.default_rng(_SEED + 1).permutation(len(pairs))
        rows, refused = [], []
        for i in order if asked.all else order[: asked.pairs]:
            (a, source), (b, body) = pairs[i]
            figures = try_pair(source, body)
            if isinstance(figures, str):
                refused.append(f"{a} on {b}: {figures}")
            elif figures is not None:
                rows.append((a, b, figures))
        for line in refused:
            print("     refused:", line)
        table(rows)
        trips = [there_and_back(s[1], b[1]) for s, b in _first(pairs, order, rows)]
        for claim in (*claims(rows, name), *round_trips(trips, name)):
            print(claim)
            missed += not claim.holds
    return missed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
