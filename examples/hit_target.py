"""Reach exactly for a point by blending sixteen example reaches.

Run it with ``python examples/hit_target.py OUT``.
"""

import sys
from pathlib import Path

import numpy as np

import kinetune as kt
from kinetune import figures


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    examples = [kt.sample(name) for name in kt.samples() if name.startswith("reach-")]
    blend = kt.InverseBlend(examples)

    goals = [clip.positions()[-1, clip.skeleton.index("right hand")] for clip in (examples[5], examples[13])]
    target = 0.5 * (goals[0] + goals[1])
    result = blend.solve([kt.AtPoint("right hand", target)])

    print(f"the hand misses the point by {result.errors[0]:.6f} mm")
    print(f"reachable: {result.reachable}; examples in use: {sum(weight > 1e-6 for weight in result.weights)}")
    far = blend.solve([kt.AtPoint("right hand", target + np.array([0.0, 1.0, 0.0]))])
    print(f"a metre higher: reachable: {far.reachable}, out of reach by {far.distance:.0f} mm")
    kt.write(result.clip, folder / "reach.bvh")
    figures.save(figures.draw_strip(result.clip, poses=8, views=("side", "front")), folder / "reach.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/target"))
