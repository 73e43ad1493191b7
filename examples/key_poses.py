"""A clip from a few key poses, and few keys from a dense clip.

Run it with ``python examples/key_poses.py OUT``.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figure = kt.sample("walk").skeleton
    nod = kt.keyframe(figure, [{}, {"head": (25, 0, 0)}, {}], times=[0, 0.4, 1], tension=-0.3)
    kt.write(nod, folder / "nod.bvh")
    figures.save(figures.draw_strip(nod, poses=6), folder / "nod.png")

    wave = kt.sample("wave")
    keys = kt.reduce_keys(wave, tolerance_mm=5)
    print(f"{len(wave)} frames of {len(wave.skeleton)} joints become {keys.key_count} keys")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/keys"))
