"""Pictures as they are committed: small files that change only where a picture looks different.

python docs/_ext/picture_files.py FILE ...     make pictures small, as a build does
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

WIDEST, COLOURS = 1000, 96
ALIKE = 3.0
"""How far the mean of all pixels may be off, of 255: fonts and processors draw edges a little differently."""


def shrink(path: Path, colours: int = COLOURS) -> None:
    """Make a PNG small: no wider than a page is, with a few colours."""
    with Image.open(path) as picture:
        if picture.mode == "P" and picture.width <= WIDEST:
            return
        flat = Image.new("RGB", picture.size, "white")
        flat.paste(picture.convert("RGB"), mask=picture.getchannel("A") if "A" in picture.getbands() else None)
    if flat.width > WIDEST:
        flat = flat.resize((WIDEST, round(flat.height * WIDEST / flat.width)), Image.Resampling.LANCZOS)
    flat.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)


def alike(one: Path, other: bytes) -> bool:
    """Whether a picture looks as another file does: the same size within a few pixels, and the same colours."""
    import io

    with Image.open(one) as new, Image.open(io.BytesIO(other)) as old:
        if max(abs(a - b) for a, b in zip(new.size, old.size, strict=True)) > 8:
            return False
        size = (min(new.width, old.width), min(new.height, old.height))
        pixels = [np.asarray(p.convert("RGB").resize(size), dtype=float) for p in (new, old)]
    return float(np.abs(pixels[0] - pixels[1]).mean()) <= ALIKE


@dataclass(frozen=True)
class Committed:
    """The pictures of a folder, and of those in it, before its scripts run."""

    folder: Path
    files: dict[str, bytes]

    @classmethod
    def read(cls, folder: Path) -> Committed:
        return cls(folder, {path.relative_to(folder).as_posix(): path.read_bytes() for path in _pictures(folder)})

    def settle(self) -> list[str]:
        """Make new pictures small and put back those that look as before; returns the others."""
        changed = []
        for path in _pictures(self.folder):
            name = path.relative_to(self.folder).as_posix()
            before = self.files.get(name)
            if before == path.read_bytes():
                continue
            if path.suffix == ".png":
                shrink(path)
            if before is not None and path.suffix != ".svg" and alike(path, before):
                path.write_bytes(before)
            elif before != path.read_bytes():
                changed.append(f"pictures/{name}")
        return changed


def _pictures(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".png", ".gif", ".svg", ".webp"))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        shrink(Path(name))
