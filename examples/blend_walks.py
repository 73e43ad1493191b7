"""Blend a sad and a happy walk: without and with a correspondence in time.

Run it with ``python examples/blend_walks.py OUT``.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune import figures


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    sad, happy = kt.sample("walk-sad"), kt.sample("walk-happy")

    careless = kt.Blend(other="happy", weight=0.5, align="none", keep_feet=False)(sad, happy=happy)
    aligned = kt.Blend(other="happy", weight=0.5, keep_feet=False)(sad, happy=happy)
    planted = kt.Blend(other="happy", weight=0.5)(sad, happy=happy)  # feet are kept unless you say otherwise

    for name, clip in (("not aligned", careless), ("aligned", aligned), ("and planted", planted)):
        measures = kt.measure(clip)
        slide, depth = measures["foot_slide_mm_per_s"], measures["penetration_mm"]
        print(f"{name:12} standing feet slide at {slide:4.1f} mm/s, and sink {depth:4.1f} mm into the floor")
    kt.write(planted, folder / "content.bvh")
    figures.save(figures.draw_warp(sad, happy, names=("sad", "happy"), joint="left lower leg"), folder / "warp.png")
    figures.save(figures.draw_strip(careless, title="not aligned"), folder / "not_aligned.png")
    figures.save(figures.draw_strip(planted, title="aligned and planted"), folder / "planted.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/blend"))
