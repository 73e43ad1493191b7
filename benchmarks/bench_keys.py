"""Key reduction: how many keys a motion takes at 5 mm in the world, against a key for every frame and a plain fit.

The plain fit gives each joint a tolerance for its own rotation, divided by the distance to its farthest tip, and finds
the largest common factor at which the same bound in the world holds. Splines and choice of keys are the same.
Captured walks are read from the folder of real clips where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Claim
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.key_reduction import LEVER, reduce_keys
from kinetune.body.kinematics.forward import tips
from kinetune.formats import read
from kinetune.rotations import Floats
from kinetune.samples import sample
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves
from kinetune.signals.splines.key_fitting import choose_keys, fit_keys

TOLERANCE = 0.005
CAPTURES = {"07_01": 12.0, "82_11": 20.0, "104_02": 20.0, "83_36": 20.0}
PLAIN = {"sample walk": 1.3, "CMU 07_01": 2.0}  # without the jitter of a capture there is less to gain


def claims() -> Iterator[Claim]:
    """Count the keys of walks."""
    yield from _of("sample walk", sample("walk"), 10.0)
    folder = Path(os.environ.get("KINETUNE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "cmu"
    if not folder.is_dir():
        print("  skip captured walks: there is no folder of real clips; set KINETUNE_DATA")
        return
    for name, wanted in CAPTURES.items():
        yield from _of(f"CMU {name}", read(folder / f"{name}.bvh")[1:], wanted)


def _of(name: str, clip: Clip, wanted: float) -> Iterator[Claim]:
    keyed = reduce_keys(clip, 1000.0 * TOLERANCE)
    print(f"  {name}: {len(clip)} frames, {keyed.key_count} keys, {1000.0 * keyed.error:.2f} mm")
    yield Claim(f"{name}: a key for every frame / keys", keyed.dense_count / keyed.key_count, wanted, at_least=True)
    if name in PLAIN:
        yield Claim(f"{name}: keys of a plain fit / keys", _plain(clip) / keyed.key_count, PLAIN[name], at_least=True)


def _plain(clip: Clip) -> int:
    """How many keys joints take that are fitted one by one, at the loosest tolerances that keep the bound."""
    low, high, best = 0.05, 2.0, 0
    for _ in range(7):
        middle = float(np.sqrt(low * high))
        off, count = _fitted(clip, middle)
        if off <= TOLERANCE:
            low, best = middle, count
        else:
            high = middle
    if not best:
        raise RuntimeError("the plain fit never kept the bound: the comparison would mean nothing")
    return best


def _fitted(clip: Clip, factor: float) -> tuple[float, int]:
    log = rotations_to_curves(clip.rotations)
    curves, count = np.array(log.curves), 0
    for joint, reach in enumerate(_levers(clip)):
        if np.ptp(curves[:, joint], axis=0).max() < 1e-7:
            count += 1
            continue
        curves[:, joint], keys = _followed(log.curves[:, joint], factor * TOLERANCE / reach)
        count += keys
    root, keys = _followed(clip.root, factor * TOLERANCE)
    played = clip.replace(root=root, rotations=rot.normalize(curves_to_rotations(log.with_curves(curves))))
    off = max(
        np.linalg.norm(played.positions() - clip.positions(), axis=-1).max(),
        np.linalg.norm(tips(played) - tips(clip), axis=-1).max(),
    )
    return float(off), count + keys


def _followed(samples: Floats, bound: float) -> tuple[Floats, int]:
    frames = np.arange(len(samples))
    keys = choose_keys(
        len(samples), lambda k: np.linalg.norm(fit_keys(samples, k)(frames) - samples, axis=-1), float(bound)
    )
    return fit_keys(samples, keys)(frames), len(keys)


def _levers(clip: Clip) -> Floats:
    """How far the farthest point that hangs on each joint is from it, (joints,) metres."""
    skeleton = clip.skeleton
    points = list(enumerate(skeleton.rest_positions))
    for site in skeleton.end_sites:
        turned = rot.rotate(skeleton.rest_rotations[site.parent], np.array(site.offset))
        points.append((site.parent, skeleton.rest_positions[site.parent] + turned))
    reach = []
    for joint, place in enumerate(skeleton.rest_positions):
        below = set(skeleton.subtree(joint))
        reach.append(max(float(np.linalg.norm(point - place)) for owner, point in points if owner in below))
    return np.maximum(reach, LEVER)
