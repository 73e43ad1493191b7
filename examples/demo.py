"""The main job on the embedded samples, without a screen: edit, measure, write, draw, film.

Run it with ``python examples/demo.py OUT``.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures

RECIPE = """\
version: 3
name: a larger walk with planted feet, ready for a game engine
steps:
  - op: equalize
    preset: exaggerate
    amount: 2
  - op: resample
    fps: 30
"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    recipe = folder / "exaggerate.recipe.yaml"
    recipe.write_text(RECIPE, encoding="utf-8")

    walk = kt.sample("walk-happy")
    kt.write(walk, folder / "walk.bvh")
    result = kt.run(recipe, folder / "walk.bvh", target=folder / "larger.glb")
    mirrored = kt.Mirror()(walk)
    kt.write(mirrored, folder / "mirrored.npz")

    strip = figures.draw_strip(
        result.clip, before=kt.Resample(fps=30)(walk), title="walk-happy, exaggerated", views=("side", "front")
    )
    figures.save(strip, folder / "walk.png")
    figures.save(figures.draw_strip(kt.sample("kick-1"), title="kick-1"), folder / "kick.png")
    kt.film(result.clip, folder / "walk.mp4", beside=walk, labels=("exaggerated", "original"), view="side")

    print(f"{'':18}{'before':>10}{'after':>10}")
    for text, name in (("foot slide, mm", "foot_slide_mm"), ("jerk, m/s³", "jerk")):
        print(f"{text:18}{result.before[name]:10.2f}{result.after[name]:10.2f}")
    print(f"\nThe results are in {folder}:")
    for path in sorted(folder.iterdir()):
        print(f"  {path.name:24}{path.stat().st_size / 1000:9.1f} kB")
    print("\nwalk.mp4 is a film of the larger walk beside the original.")
    print("larger.glb is the larger walk on a body, for Blender and for any viewer of glTF.")
    print("\nTry it on a clip of your own:")
    print("  .venv/bin/kinetune doctor YOUR.bvh")
    print("  .venv/bin/kinetune equalize YOUR.bvh -o larger.glb --preset exaggerate")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo"))
