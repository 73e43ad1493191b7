"""Draw what cleaning makes of motion that was spoiled as captures, videos and generative models spoil it.

    python docs/pictures/cleaning.py

Writes cleaning.png, curves before and after over the clean ones, cleaning.txt, the numbers as a table, and for each
case a small film, before on the left and after on the right.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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

HERE = Path(__file__).parent
Draw = np.random.Generator
FILM_FPS, FILM_S, FILM_SIZE = 12.5, 2.4, (400, 200)
LINES = {"0.75": "before", "black": "clean", "#c2553f": "after"}


def turned(clip: Clip, degrees: Floats, shift: Floats) -> Clip:
    """The clip with rotation vectors (frames, joints, 3) on top, and its root shifted."""
    rotations = rot.multiply(clip.rotations, rot.exp(np.deg2rad(degrees)))
    return clip.replace(root=clip.root + shift, rotations=rotations, contacts=None)


def wandering(draw: Draw, shape: tuple[int, ...], fps: float, decay_s: float = 0.04) -> Floats:
    """Noise that remembers, of standard deviation 1."""
    keep, noise = np.exp(-1.0 / (fps * decay_s)), draw.normal(size=shape)
    for frame in range(1, len(noise)):
        noise[frame] = keep * noise[frame - 1] + np.sqrt(1.0 - keep**2) * noise[frame]
    return noise


def captured(clip: Clip, draw: Draw) -> Clip:
    """Markers that jitter and get swapped: white noise, and spikes of one to three frames."""
    degrees = 0.8 * draw.normal(size=(*clip.rotations.shape[:2], 3))
    for _ in range(12):
        start, joint = draw.integers(len(clip) - 3), draw.integers(len(clip.skeleton))
        degrees[start : start + draw.integers(1, 4), joint] += draw.uniform(15, 40) * np.eye(3)[draw.integers(3)]
    return turned(clip, degrees, 0.003 * draw.normal(size=(len(clip), 3)))


def from_video(clip: Clip, draw: Draw) -> Clip:
    """A pose network: noise that wanders, a root that swims, and no floor."""
    degrees = 1.5 * wandering(draw, (*clip.rotations.shape[:2], 3), clip.fps)
    return turned(clip, degrees, 0.01 * wandering(draw, (len(clip), 3), clip.fps) + [0.0, 0.25, 0.0])


def generated(clip: Clip, draw: Draw) -> Clip:
    """A generative model: smooth, and its feet slide."""
    root = np.array(clip.root)
    root[:, 2] = root[0, 2] + 0.88 * (root[:, 2] - root[0, 2])
    return clip.replace(root=root, contacts=None)


CASES: dict[str, tuple[str, str, Callable[[Clip, Draw], Clip]]] = {
    "as captured": ("kick-1", "right foot", captured),
    "as from video": ("walk-happy", "left hand", from_video),
    "as generated": ("walk", "left foot", generated),
}


def main() -> None:
    figure, axes = plt.subplots(len(CASES), 1, figsize=(10, 8))
    rows = ["| motion | steps | joints off, mm | peak speed kept | foot slide, mm |", "|---|---|---|---|---|"]
    for axis, (title, (sample, role, spoil)) in zip(axes, CASES.items(), strict=True):
        clean = kt.sample(sample)
        spoiled = spoil(clean, np.random.default_rng(7))
        cleaning = kt.Clean().clean(spoiled)
        joint = clean.skeleton.roles[role]
        speeds = [speed(clip, joint) for clip in (spoiled, clean, cleaning.clip)]
        for values, colour, label in zip(
            speeds, ("0.75", "black", "#c2553f"), ("before", "clean", "after"), strict=True
        ):
            axis.plot(clean.times[1:-1], values, color=colour, label=label, linewidth=1.1)
        axis.set(title=f"{title}: {role}, {sample}", ylabel="speed, m/s", ylim=(0, 1.6 * speeds[1].max()))
        axis.spines[["top", "right"]].set_visible(False)
        steps = ", ".join(taken.step.tag() for taken in cleaning.steps)
        off = [distance(clip, clean) for clip in (spoiled, cleaning.clip)]
        peaks = [values.max() / speeds[1].max() for values in (speeds[0], speeds[2])]
        slides = [kt.measure(clip)["foot_slide_mm"] or 0.0 for clip in (spoiled, cleaning.clip)]
        cells = [f"{a:{form}} → {b:{form}}" for (a, b), form in ((off, ".0f"), (peaks, ".2f"), (slides, ".0f"))]
        save_film(spoiled, cleaning.clip, HERE / f"cleaning_{title.split()[-1]}.webp")
        rows.append(f"| {title} | {steps} | {' | '.join(cells)} |")
    axes[0].legend(frameon=False, ncols=3)
    axes[-1].set_xlabel("seconds")
    figure.tight_layout()
    figure.savefig(HERE / "cleaning.png", dpi=110)
    (HERE / "cleaning.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def save_film(before: Clip, after: Clip, path: Path) -> None:
    """The first seconds of two clips side by side."""
    clips = [clip[: round(FILM_S * clip.fps)] for clip in (before, after)]
    frames = film_frames(clips[0], FILM_FPS, FILM_SIZE, beside=clips[1], view="side", labels=("before", "after"))
    first, *others = (Image.fromarray(frame) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=round(1e3 / FILM_FPS), loop=0, quality=35, method=6)


def speed(clip: Clip, joint: int) -> Floats:
    """Of a joint, in m/s."""
    path = clip.positions()[:, joint]
    return np.linalg.norm(path[2:] - path[:-2], axis=-1) * clip.fps / 2.0


def distance(clip: Clip, clean: Clip) -> float:
    """Root mean square over all joints in millimetres, seen from the hips: how far a figure has gone does not count."""
    hips = clean.skeleton.roles["hips"]
    seen = [c.positions() - c.positions()[:, hips, None] for c in (clip, clean)]
    return float(1e3 * np.sqrt(np.mean(np.sum((seen[0] - seen[1]) ** 2, axis=-1))))


if __name__ == "__main__":
    main()
