"""The picture of the walking pages, a slalom on the embedded steps, and what those steps reach, in words.

python docs/pictures/walk.py
"""

from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent


def main() -> None:
    footsteps = kt.plan_footsteps("slalom", steps=kt.walking.sample_steps())
    walk = kt.walk(footsteps)
    path = figures.save(figures.draw_walk(walk.clip, footsteps, poses=15), HERE / "walk.png")
    Image.open(path).convert("RGB").quantize(128).save(path)
    (HERE / "walk_span.txt").write_text(span_words(kt.walking.sample_steps()) + "\n", encoding="utf-8")


def span_words(steps: kt.walking.StepSet) -> str:
    """How far the steps of a set go while walking, and the tightest curve that they walk without a step put in."""
    ahead = [row["ahead_m"] for row in steps.as_table() if row["kind"] == "walking"]
    failing = next(tenths for tenths in range(30, 0, -1) if not _walks(steps, tenths / 10))
    radius = (failing + 1) / 10
    return f"It steps {min(ahead):.2f} to {max(ahead):.2f} m ahead and walks curves down to a radius of {radius:.1f} m."


def _walks(steps: kt.walking.StepSet, radius: float) -> bool:
    """Whether half a circle is met by steps of the set alone."""
    report = kt.walk(kt.plan_footsteps(f"circle:r={radius},turns=0.5", steps=steps), steps).report
    return not report.inserted and all(step.reached for step in report.steps)


if __name__ == "__main__":
    main()
