"""Draw feet that flip in captured files: the right leg of five CMU clips, frame by frame.

    python docs/pictures/flips_in_captures.py

The clips are read from $KINETUNE_DATA, or ``shared/data`` beside the checkout; without them the picture stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import kinetune as kt
from kinetune import rotations as rot

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "_ext"))

from operation_examples import DATA  # noqa: E402

CLIPS = ("74_03", "74_04", "74_05", "74_06", "138_05")
AROUND = 3  # frames before and after


def main() -> None:
    """Write flips_in_captures.png."""
    figure, rows = plt.subplots(len(CLIPS), 1, figsize=(7.0, 8.4))
    for name, axes in zip(CLIPS, rows, strict=True):
        clip = kt.Trim(drop_t_pose=True)(kt.read(DATA / "cmu" / f"{name}.bvh"))
        leg = [clip.skeleton.roles[f"right {part}"] for part in ("lower leg", "foot", "toes")]
        world, positions = clip.world_rotations(), clip.positions()[:, leg]
        turns = np.rad2deg(rot.angle_between(world[1:, leg[1]], world[:-1, leg[1]]))
        at = int(np.argmax(turns))
        site = next(site for site in clip.skeleton.end_sites if site.parent == leg[2])
        tips = positions[:, 2] + rot.rotate(world[:, leg[2]], np.array(site.offset))
        shape = np.concatenate([positions, tips[:, None]], axis=1) - positions[:, 1:2]  # seen from the ankle
        foot = (shape[at + 1, 3] - shape[at, 3]) * [1.0, 0.0, 1.0]
        seen = foot / max(float(np.linalg.norm(foot)), 1e-9)  # from the side to which it jumps
        for place, frame in enumerate(range(max(at - AROUND, 0), min(at + AROUND + 2, len(clip)))):
            flat = np.stack([shape[frame] @ seen + 0.5 * place, shape[frame, :, 1]], axis=1)
            axes.plot(*flat[:2].T, color="0.6", lw=2.0)
            axes.plot(*flat[1:].T, color="#c2553f" if frame == at + 1 else "black", lw=2.5)
            axes.text(0.5 * place, 0.5, str(frame), ha="center", fontsize=7, color="0.4")
        axes.set_title(f"CMU {name}: {turns[at]:.0f} degrees in 1/{clip.fps:.0f} s", fontsize=8, loc="left", pad=8)
        axes.set_aspect("equal")
        axes.set_xlim(-0.4, 4.0)
        axes.set_ylim(-0.4, 0.55)
        axes.axis("off")
    figure.tight_layout()
    figure.savefig(HERE / "flips_in_captures.png", dpi=110)


if __name__ == "__main__":
    if DATA.is_dir():
        main()
    else:
        print("skip: the picture of captured clips stays as it is; set KINETUNE_DATA to the folder of the clips")
