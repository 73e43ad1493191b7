"""Draw what cleaning makes of a real capture, of motion as from a video, and of a real generated clip.

    python docs/pictures/cleaning.py

Writes cleaning.png, curves before and after, cleaning.txt, the numbers as a table, and for each case a small film,
before on the left and after on the right. The clips are read from $KINETUNE_DATA, or ``shared/data`` beside the
checkout; without them everything stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.figures.motion.film import film_frames
from kinetune.rotations import Floats

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "_ext"), str(HERE.parents[1])]

from benchmarks.noisy_clips import video  # noqa: E402
from operation_examples import DATA  # noqa: E402

FILM_FPS, FILM_S, FILM_SIZE = 12.5, 2.4, (400, 200)
LINES = {"before": "0.75", "clean": "black", "after": "#c2553f"}


class Case(NamedTuple):
    """A file, the first frame that the film shows, the rate at which it shows both clips, and a foot or hand.

    The speed of that is drawn, up to some m/s; of the flipping foot of the capture its turns, in degrees.
    """

    file: str
    start: int
    fps: float
    role: str
    most: float


CASES = {
    "captured": Case("cmu/74_05.bvh", 140, 30.0, "right foot", 180.0),
    "video": Case("accad/Male1_B3_Walk.bvh", 30, 30.0, "left hand", 4.0),
    "generated": Case("kimodo/soma-rp_05_root_path.npz", 60, 30.0, "right foot", 1.0),
}


def main() -> None:
    figure, axes = plt.subplots(len(CASES), 1, figsize=(10, 8))
    rows = ["| motion | steps, with what each was taken for | jumps | foot slide, mm |", "|---|---|---|---|"]
    for axis, (name, case) in zip(axes, CASES.items(), strict=True):
        source = kt.read(DATA / case.file)
        before, clean = (video(source, np.random.default_rng(7)), source) if name == "video" else (source, None)
        cleaning = kt.Clean().clean(before)
        after = cleaning.clip
        cut = len(before) - len(after)  # at the start
        joint = source.skeleton.roles[case.role]
        drawn = {"before": before[cut:].replace(fps=after.fps), "clean": clean, "after": after}
        for label, clip in drawn.items():
            if clip is not None:
                values = (turns if name == "captured" else speed)(clip, joint)
                axis.plot(clip.times[1:-1], values, color=LINES[label], label=label, linewidth=1.1)
        quantity = "turn in a frame, degrees" if name == "captured" else "speed, m/s"
        axis.set(title=f"{name}: {case.role}, {Path(case.file).stem}", ylabel=quantity, ylim=(0, case.most))
        axis.spines[["top", "right"]].set_visible(False)
        steps = [
            f"`{taken.step.tag()}`: {change(taken.before, taken.after)} {taken.quantity}" for taken in cleaning.steps
        ]
        if clean is not None:
            steps.append(f"joints off: {change(distance(before, clean), distance(after, clean))} mm")
        measures = [kt.measure(clip) for clip in (before, after)]
        cells = [change(*(float(measured[key] or 0) for measured in measures)) for key in ("flips", "foot_slide_mm")]
        shown = [clip.replace(fps=case.fps) for clip in (before[case.start :], after[case.start - cut :])]
        save_film(*shown, HERE / f"cleaning_{name}.webp")
        rows.append(f"| {name}: {case.file} | {'<br>'.join(steps)} | {' | '.join(cells)} |")
    axes[1].legend(frameon=False, ncols=3)
    axes[-1].set_xlabel("seconds")
    figure.tight_layout()
    figure.savefig(HERE / "cleaning.png", dpi=100)
    with Image.open(HERE / "cleaning.png") as picture:
        picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=32).save(HERE / "cleaning.png", optimize=True)
    (HERE / "cleaning.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def change(before: float, after: float) -> str:
    """Two numbers, rounded as ``kinetune clean`` rounds them."""
    return f"{round(before, 6):.3g} → {round(after, 6):.3g}"


def save_film(before: Clip, after: Clip, path: Path) -> None:
    """The first seconds of two clips side by side."""
    clips = [clip[: round(FILM_S * clip.fps) + 1] for clip in (before, after)]
    frames = film_frames(clips[0], FILM_FPS, FILM_SIZE, beside=clips[1], view="side", labels=("before", "after"))
    first, *others = (Image.fromarray(frame) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=round(1e3 / FILM_FPS), loop=0, quality=35, method=6)


def speed(clip: Clip, joint: int) -> Floats:
    """Of a joint, in m/s."""
    path = clip.positions()[:, joint]
    return np.linalg.norm(path[2:] - path[:-2], axis=-1) * clip.fps / 2.0


def turns(clip: Clip, joint: int) -> Floats:
    """Of a joint in space, from frame to frame, in degrees."""
    world = clip.world_rotations()[:, joint]
    return np.rad2deg(rot.angle_between(world[1:-1], world[:-2]))


def distance(clip: Clip, clean: Clip) -> float:
    """Root mean square over all joints in millimetres, seen from the hips: how far a figure has gone does not count."""
    hips = clean.skeleton.roles["hips"]
    seen = [c.positions() - c.positions()[:, hips, None] for c in (clip, clean)]
    return float(1e3 * np.sqrt(np.mean(np.sum((seen[0] - seen[1]) ** 2, axis=-1))))


if __name__ == "__main__":
    if DATA.is_dir():
        main()
    else:
        print("skip: pictures and films of cleaning stay as they are; set KINETUNE_DATA to the folder of the clips")
