"""The picture of the walking pages: a slalom on the embedded steps.

python docs/pictures/walk.py
"""

from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent


def main() -> None:
    footsteps = kt.plan_footsteps("slalom", steps=kt.sample_steps())
    walk = kt.walk(footsteps)
    path = figures.save(figures.draw_walk(walk.clip, footsteps, poses=15), HERE / "walk.png")
    Image.open(path).convert("RGB").quantize(128).save(path)


if __name__ == "__main__":
    main()
