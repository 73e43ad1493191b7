"""The pictures of the page on whole clips: where the method succeeds, and where it gives the clip back.

python docs/pictures/whole_clip.py
"""

from pathlib import Path

import numpy as np
from filter import stack

import kinetune as kt
from kinetune import figures
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import place
from kinetune.figures.physics_figures import draw_force_strip

HERE = Path(__file__).parent


def main() -> None:
    """Successes: a run bent into a curve, and a double kick. Failures: a glide, and a lean."""
    first, second = (kt.Resample(fps=60)(kt.sample(name)) for name in ("kick-1", "kick-2"))
    good = {
        "a run, bent into a curve": bent(kt.sample("run")[:150], np.deg2rad(120.0)),
        "a double kick": kt.splice(first, second, seed=2)[30:150],
    }
    bad = {
        "a character that glides": gliding(kt.sample("walk")[:90]),
        "a character that leans": leaning(kt.sample("wave")[:90], np.deg2rad(24.0)),
    }
    draw(good, HERE / "whole_clip.png")
    draw(bad, HERE / "whole_clip_failures.png", ground=0.0)


def draw(clips: dict[str, Clip], target: Path, ground: float | None = None) -> None:
    """Strips of each clip before and after, one below the other."""
    parts = []
    for name, clip in clips.items():
        result = kt.filter_dynamics(clip, method="whole", ground=ground)
        moved = result.correction
        if result.status == "unchanged":
            after = f"{name}: returned unchanged. {result.reasons[0].message.partition('. ')[0]}"
        else:
            after = f"after: centre of mass moved by {moved.com_cm:.0f} cm, legs by {moved.legs_deg:.0f} degrees"
        strips = [
            figures.draw_strip(clip, poses=12, title=f"{name}: before"),
            draw_force_strip(result.clip, result.body, result.forces, before=clip, poses=12, title=after),
        ]
        for figure in strips:
            parts.append(figures.save(figure, HERE / f"whole_clip-{len(parts)}.png"))
    stack(parts, target)


def bent(clip: Clip, angle: float) -> Clip:
    """A motion along a curve: turned and moved on, frame by frame, with the speed that it has."""
    turns = rot.about_y(np.linspace(0.0, angle, len(clip)))
    steps = rot.rotate(turns[:-1], np.diff(clip.root, axis=0))
    path = clip.root[0] + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turns, rotations[:, 0])
    return clip.replace(root=path, rotations=rotations)


def gliding(clip: Clip) -> Clip:
    """A pose that slides ahead."""
    path = clip.root[:1] + np.linspace(0.0, 1.5, len(clip))[:, None] * np.array([0.0, 0.0, 1.0])
    return clip.replace(root=path, rotations=np.repeat(clip.rotations[:1], len(clip), axis=0))


def leaning(clip: Clip, angle: float) -> Clip:
    """A motion that leans forward as a whole."""
    return place(clip, rot.from_axis_angle([1.0, 0.0, 0.0], angle), np.zeros(3))


if __name__ == "__main__":
    main()
