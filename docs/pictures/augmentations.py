"""The picture of the page on tensors: a stretch of a walk and what each random edit makes of it.

python docs/pictures/augmentations.py
"""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent
SEED = 11


def main() -> None:
    tensors = kt.torch
    edits = {
        "as it is": [],
        "RandomEqualize": [tensors.RandomEqualize(p=1.0)],
        "RandomMirror": [tensors.RandomMirror(p=1.0)],
        "RandomRetime": [tensors.RandomRetime(p=1.0, slowest=1.2, fastest=1.25)],
        "RandomShape": [tensors.RandomShape(p=1.0, strength=0.6)],
        "RandomTurn": [tensors.RandomTurn()],
        "Noise (3 degrees)": [tensors.Noise(p=1.0, angle_deg=3.0)],
    }
    walk = kt.sample("walk")[60:180]
    rows = []
    for name, steps in edits.items():
        batch = tensors.Compose(steps, seed=SEED)(tensors.MotionBatch.from_clips([walk]))
        path = figures.save(figures.draw_strip(batch.clips()[0]), HERE / "augmentations-row.png")
        with Image.open(path) as picture:
            rows.append((name, picture.convert("RGB")))
        path.unlink()
    width = 900
    pictures = [(name, p.resize((width, round(p.height * width / p.width)))) for name, p in rows]
    sheet = Image.new("RGB", (width + 190, sum(p.height for _, p in pictures)), "white")
    font, y = ImageFont.load_default(16), 0
    for name, picture in pictures:
        sheet.paste(picture, (190, y))
        ImageDraw.Draw(sheet).text((10, y + picture.height // 2), name, fill="#222222", font=font)
        y += picture.height
    sheet.quantize(64).save(HERE / "augmentations.png", optimize=True)


if __name__ == "__main__":
    main()
