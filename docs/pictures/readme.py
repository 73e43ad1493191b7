"""The picture of the README: a walk and a kick from the samples, as stick figures."""

from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune import figures

HERE = Path(__file__).parent


def main() -> None:
    strips = [kt.sample("walk-happy")[:150], kt.sample("kick-1")[40:200]]
    paths = [HERE / "readme-walk.png", HERE / "readme-kick.png"]
    for clip, path in zip(strips, paths, strict=True):
        figures.save(figures.draw_strip(clip, poses=11), path)
    pictures = [Image.open(path).convert("RGB") for path in paths]
    sheet = Image.new("RGB", (pictures[0].width, sum(p.height for p in pictures)), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (0, sum(p.height for p in pictures[:k])))
    sheet.quantize(64).save(HERE / "readme.png")
    for path in paths:
        path.unlink()


if __name__ == "__main__":
    main()
