"""Walk on footsteps that are given exactly.

Run it with ``python examples/walk_footsteps.py OUT``.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    steps = [
        kt.Footstep("left" if number % 2 else "right", x=0.1 if number % 2 else -0.1, z=0.55 * number, heading_deg=0.0)
        for number in range(1, 9)
    ]
    walk = kt.walk(steps)
    for step in walk.report.steps:
        print(
            f"{step.side:5} lands at frame {step.frame:4}: {step.error_mm:.5f} mm and {step.heading_error_deg:.5f}° off"
        )
    kt.write(walk.clip, folder / "walk.bvh")
    figures.save(figures.draw_strip(walk.clip), folder / "walk.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/walk"))
