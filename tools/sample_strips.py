"""Draw every embedded clip as strips of stick figures, seen from the side and the front.

    python tools/sample_strips.py [NAME ...] [-o FOLDER]

One picture for each clip. Of the example sets it draws the first clips in full, and the last poses of all in one row.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from kinetune import figures
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.samples import describe, sample, samples

SETS = ("reach", "point", "grasp", "pour", "step")
TOP_TOO = ("kick-1", "kick-2")
IN_FULL = 2  # clips of each set that get a picture of their own


def poses_of(clip: Clip) -> int:
    """Enough figures to follow the motion: walks show each step several times, short clips every tenth of a second."""
    return int(np.clip(round(9 * clip.duration), 9, 22))


def draw_one(name: str, folder: Path) -> Path:
    """The strip of one clip; long ones are cut to their first seconds."""
    clip = sample(name)
    shown = clip[: min(len(clip), round(4.2 * clip.fps))] if name.startswith(("walk", "run", "drum", "arm")) else clip
    views = ("side", "front", "top") if name in TOP_TOO else ("side", "front")
    figure = figures.draw_strip(shown, poses=poses_of(shown), views=views, title=f"{name}: {describe(name)}", width=16)
    return figures.save(figure, folder / f"{name}.png")


def draw_set(kind: str, folder: Path) -> Path:
    """The last poses of all examples of a set, side by side."""
    clips = [sample(name) for name in samples() if name.startswith(f"{kind}-")]
    ends = Clip(
        clips[0].skeleton,
        1.0,
        np.concatenate([c.root[-1:] * [0, 1, 0] for c in clips]),
        rot.continuous(np.concatenate([c.rotations[-1:] for c in clips])),
    )
    title = f"{kind}-01 to {kind}-{len(clips):02}: the last poses"
    figure = figures.draw_strip(ends, poses=len(clips), views=("side", "front"), title=title, width=18)
    return figures.save(figure, folder / f"{kind}-all.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="samples to draw; all of them when left out")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/samples"))
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    for name in chosen.names or samples():
        kind, _, number = name.rpartition("-")
        if chosen.names or kind not in SETS or int(number) <= IN_FULL:
            print(draw_one(name, chosen.output))
    if not chosen.names:
        for kind in SETS:
            print(draw_set(kind, chosen.output))


if __name__ == "__main__":
    main()
