"""The pictures of the page on displacement: a higher knock, and a displacement map step by step."""

from pathlib import Path

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent


def main() -> None:
    knock = kt.sample("knock")
    keys = [
        {"time_s": 1.1, "joint": "right hand", "move": [0.0, 0.2, 0.0]},
        {"time_s": 1.9, "joint": "right hand", "move": [0.0, 0.2, 0.0]},
        {"time_s": 1.5, "joint": "neck", "rotate": [-15.0, 0.0, 0.0]},
    ]
    higher = kt.Displace(keys=keys)(knock)
    strip = figures.draw_strip(higher, before=knock, poses=12, title="knock, 20 cm higher")
    figures.save(strip, HERE / "displace.png")
    arm = figures.channel(knock, "right upper arm")
    steps = figures.draw_displacement(arm, knock.fps, [40, 90, 150], [-12.0, 20.0, 8.0])
    figures.save(steps, HERE / "displace_steps.png")


if __name__ == "__main__":
    main()
