"""Morph one drawing into another without a line that crosses itself.

Run it with ``python examples/morph_drawings.py OUT [A.svg B.svg]``.
"""

import sys
from pathlib import Path

import kinetune as kt
from kinetune.figures.drawings.drawing_files import write_drawing
from kinetune.samples.drawings import sample_drawing


def main(folder: Path, *files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    a, b = (kt.read_drawing(file) for file in files) if files else map(sample_drawing, ("face-happy", "face-sad"))
    frames = kt.morph(a, b, frames=24)
    print(f"{len(frames)} frames, {len(frames[0].layers)} layers")
    for name in ("morph.gif", "morph.svg", "morph.json"):
        write_drawing(frames, folder / name)
    write_drawing(frames[::4], folder / "morph.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/morph"), *sys.argv[2:4])
