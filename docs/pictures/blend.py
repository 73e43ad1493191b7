"""The picture of the blend page: a sad and a happy walk, mixed with and without alignment.

python docs/pictures/blend.py
"""

from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent


def main() -> None:
    sad, happy = kt.sample("walk-sad"), kt.sample("walk-happy")
    rows = {
        "sad": sad,
        "happy": happy,
        "half and half, aligned": kt.Blend(other="happy", weight=0.5)(sad, happy=happy),
        "half and half, frame by frame": kt.Blend(other="happy", weight=0.5, align=False)(sad, happy=happy),
    }
    paths = [
        figures.save(figures.draw_strip(clip, poses=14, title=title), HERE / f"blend-{k}.png")
        for k, (title, clip) in enumerate(rows.items())
    ]
    pictures = [Image.open(path).convert("RGB") for path in paths]
    width = min(p.width for p in pictures)
    pictures = [p.resize((width, round(p.height * width / p.width)), Image.Resampling.LANCZOS) for p in pictures]
    sheet = Image.new("RGB", (width, sum(p.height for p in pictures)), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (0, sum(p.height for p in pictures[:k])))
    sheet.quantize(64).save(HERE / "blend.png")
    for path in paths:
        path.unlink()


if __name__ == "__main__":
    main()
