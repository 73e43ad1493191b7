"""How far a foot of a planted or exaggerated clip moves when its source trembles by a twentieth of a degree.

    python -m benchmarks.quality_tremor [FOLDER]

FOLDER holds the clips (``cmu/07_01.bvh``, ``hdm05/...``); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the
checkout. Every joint is turned by white noise of 0.05 degrees, four times; the noise itself moves feet by 2 to 4 mm. Of
the clips every second one by name was looked at ("seen"), the others were not ("unseen").
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import stray_frames

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = (
    *("cmu/*.bvh", "accad/*.bvh", "cmu_asfamc/*.amc", "hdm05/*.amc", "kimodo/soma*.npz", "kimodo/g1*.npz"),
    *("odd_bvh/*.bvh", "deepmimic/humanoid*.txt", "humanml3d/*joints.npy"),
)
EDITS = {"planted": kt.PlantFeet(), "exaggerate": kt.Equalize(preset="exaggerate")}
SEEDS, DEGREES, MOST_FRAMES = 4, 0.05, 1500


def trembling(clip: Clip, seed: int) -> Clip:
    """The clip with every joint turned by noise, but not a T-pose in front."""
    jitter = np.random.default_rng(seed).normal(size=(*clip.rotations.shape[:2], 3)) * np.deg2rad(DEGREES / np.sqrt(3))
    jitter[: stray_frames(clip)] = 0.0
    return clip.replace(rotations=rot.multiply(clip.rotations, rot.exp(jitter)), contacts=clip.contacts)


def farthest(clip: Clip, edit: kt.PlantFeet | kt.Equalize) -> float:
    """Millimetres by which an ankle moves at most."""
    feet = [clip.skeleton.roles[f"{side} foot"] for side in ("left", "right")]
    calm = edit(clip).positions()[:, feet]
    moved = [edit(trembling(clip, seed)).positions()[:, feet] - calm for seed in range(SEEDS)]
    return 1000.0 * float(np.linalg.norm(moved, axis=-1).max())


def table(files: list[Path]) -> Iterator[str]:
    yield f"{'edit':12}{'half':>8}{'clips':>7}{'median mm':>11}{'3 of 4':>8}{'9 of 10':>9}{'worst':>7}{'> 20 mm':>9}"
    for half, chosen in {"seen": files[0::2], "unseen": files[1::2]}.items():
        clips = [kt.read(file)[:MOST_FRAMES] for file in chosen]
        clips = [clip for clip in clips if {"left foot", "right foot"} <= set(clip.skeleton.roles)]
        for name, edit in EDITS.items():
            far = np.array([farthest(clip, edit) for clip in clips])
            shares = "".join(f"{np.percentile(far, q):{w}.1f}" for q, w in ((50, 11), (75, 8), (90, 9)))
            yield f"{name:12}{half:>8}{len(far):7d}{shares}{far.max():7.0f}{np.sum(far > 20.0):9d}"


def main() -> int:
    given = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE)))
    files = sorted(file for pattern in FILES for file in given.glob(pattern))
    if not files:
        print(f"no clips in {given}")
        return 0
    for line in table(files):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
