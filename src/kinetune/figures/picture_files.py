"""Figures and films in files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kinetune.errors import UnknownFormatError
from kinetune.figures import palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.Image import Image


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure to a file.

    Parameters
    ----------
    figure : matplotlib Figure
        As the ``draw_`` functions return it.
    path : path
        The suffix decides the kind: .png, .svg or .pdf.

    Returns
    -------
    Path
        The file that was written.
    """
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UnknownFormatError(path, f'pictures are written to .png, .svg or .pdf, not to "{path.suffix}".')
    temporary = path.with_name(f".partial-{path.name}")
    try:
        figure.savefig(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def mp4_of(pictures: Iterable[Image], fps: float, *, background: str = palette.PAPER) -> bytes:
    """An MP4 (H.264) of pictures of one size; its sides are even numbers of pixels, as the codec wants them."""
    import imageio_ffmpeg
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        writer = None
        try:
            for picture in pictures:
                size = (picture.width + picture.width % 2, picture.height + picture.height % 2)
                if writer is None:
                    writer = imageio_ffmpeg.write_frames(
                        str(path),
                        size,
                        fps=fps,
                        codec="libx264",
                        quality=8,
                        macro_block_size=2,
                        ffmpeg_log_level="error",
                    )
                    writer.send(None)
                paper = Image.new("RGB", size, background)
                paper.paste(picture)
                writer.send(np.ascontiguousarray(np.asarray(paper)))
        finally:
            if writer is not None:
                writer.close()
        return path.read_bytes()
