"""Exaggerate a walk and keep its feet planted.

Run it with ``python examples/exaggerate_walk.py OUT [CLIP]``; CLIP is a motion file of your own.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures


def main(folder: Path, file: str | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walk = kt.read(file) if file else kt.sample("walk-happy")

    recipe = kt.Recipe(steps=[kt.Equalize(preset="exaggerate"), kt.PlantFeet()])
    larger = recipe(walk)

    before, after = kt.measure(walk), kt.measure(larger)
    for name in ("foot_slide_mm", "penetration_mm", "flips"):
        print(f"{name:16} {before[name]:8.2f} -> {after[name]:.2f}")
    kt.write(larger, folder / "larger.glb")
    recipe.write(folder / "larger.yaml")
    figures.save(figures.draw_strip(larger, before=walk), folder / "larger.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/exaggerate"), *sys.argv[2:3])
