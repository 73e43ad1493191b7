"""The picture of the page on tensors: a stretch of a walk, and what each random edit makes of it before it in grey.

python docs/pictures/augmentations.py
"""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent
SEED = 529  # draws that can be seen: faster bands up, a turn of 50 degrees


def main() -> None:
    tensors = kt.torch
    edits = {
        "as it is": [],
        "RandomEqualize": [tensors.RandomEqualize(p=1.0, low=0.4, high=2.0)],
        "RandomMirror": [tensors.RandomMirror(p=1.0)],
        "RandomRetime": [tensors.RandomRetime(p=1.0, slowest=0.8, fastest=0.85)],
        "RandomShape": [tensors.RandomShape(p=1.0, strength=0.6)],
        "RandomTurn (from above)": [tensors.RandomTurn()],
        "Noise (3 degrees)": [tensors.Noise(p=1.0, angle_deg=3.0)],
    }
    walk = kt.sample("walk")[60:180]
    rows = []
    for name, steps in edits.items():
        batch = tensors.Compose(steps, seed=SEED)(tensors.MotionBatch.from_clips([walk]))
        clip = batch.clips()[0][: len(walk)]  # the same two seconds of each
        view = "top" if "above" in name else "side"
        strip = figures.draw_strip(clip, before=walk if steps else None, views=(view,))
        path = figures.save(strip, HERE / "augmentations-row.png")
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
