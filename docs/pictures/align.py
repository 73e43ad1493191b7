"""The picture of the align page: the knee of a march and of a stagger, each at the other's timing, and their warp.

python docs/pictures/align.py
"""

from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune import figures
from kinetune.figures.motion.warp_figure import draw_warp, draw_warped_curves

HERE = Path(__file__).parent


def main() -> None:
    march, stagger = kt.sample("walk-march"), kt.sample("walk-stagger")
    names = ("march", "stagger")
    drawn = [
        draw_warp(march, stagger, joint="left knee", names=names),
        draw_warped_curves(march, stagger, "left knee", names=names),
    ]
    paths = [figures.save(figure, HERE / f"align-{k}.png") for k, figure in enumerate(drawn)]
    pictures = [Image.open(path).convert("RGB") for path in paths]
    height = min(p.height for p in pictures)
    pictures = [p.resize((round(p.width * height / p.height), height), Image.Resampling.LANCZOS) for p in pictures]
    sheet = Image.new("RGB", (sum(p.width for p in pictures), height), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (sum(p.width for p in pictures[:k]), 0))
    sheet.quantize(128).save(HERE / "align.png")
    for path in paths:
        path.unlink()


if __name__ == "__main__":
    main()
