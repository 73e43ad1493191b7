"""The pictures of the pages on physics: bodies over their skeletons, a report card, a strip with forces.

    python docs/pictures/physics.py [FILE]

Without a file the report and the strip are those of the sample "kick-1".
"""

from __future__ import annotations

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures
from kinetune.figures.physics_figures import draw_body, draw_force_strip, draw_report
from kinetune.physics.model.body_model import Body
from kinetune.physics.report_card import physics_report

HERE = Path(__file__).parent
BODIES = (("walk", 30), ("run", 20), ("walk-child", 30), ("wave-rig", 40), ("kick-1", 140), ("sit-and-drink", 200))


def main() -> None:
    columns = []
    for name, frame in BODIES:
        clip = kt.sample(name)
        columns.append((name, Body.fit(clip.skeleton, clip=clip), clip, frame))
    print(figures.save(draw_body(columns), HERE / "physics_bodies.png"))
    clip = kt.read(sys.argv[1]) if len(sys.argv) > 1 else kt.sample("kick-1")
    report = physics_report(clip, mu=0.8)
    print(figures.save(draw_report(report, title="kick-1: physics report at mu = 0.8"), HERE / "physics_report.png"))
    strip = draw_force_strip(clip, report.body, report.contact_forces, poses=12)
    print(figures.save(strip, HERE / "physics_strip.png"))


if __name__ == "__main__":
    main()
