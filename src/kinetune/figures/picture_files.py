"""Figures and films in files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import UnknownFormatError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


_CODECS = {  # suffix to codec, pixel format and options
    ".mp4": ("libx264", "yuv420p", "-preset veryfast -crf 19 -movflags +faststart"),
    ".webm": ("libvpx-vp9", "yuv420p", "-deadline realtime -cpu-used 6 -row-mt 1 -crf 30 -b:v 0"),
    ".gif": (
        "gif",
        "pal8",
        "-filter_complex split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=5",
    ),
}
FILM_SUFFIXES = tuple(_CODECS)


def film_bytes(pictures: Iterable[NDArray[np.uint8]], fps: float, suffix: str) -> bytes:
    """A film of pictures (height, width, 3) of one size as bytes of an MP4 (H.264), a WebM (VP9) or an animated GIF.

    Odd sides are made even, as the codecs want them, by repeating the last row or column.
    """
    import imageio_ffmpeg

    codec, pixels, options = _CODECS[suffix]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film{suffix}"
        writer = None
        try:
            for picture in pictures:
                even = np.pad(picture, [(0, side % 2) for side in picture.shape[:2]] + [(0, 0)], mode="edge")
                if writer is None:
                    writer = imageio_ffmpeg.write_frames(
                        str(path),
                        (even.shape[1], even.shape[0]),
                        fps=fps,
                        codec=codec,
                        pix_fmt_out=pixels,
                        quality=None,
                        macro_block_size=1,
                        ffmpeg_log_level="error",
                        output_params=options.split(),
                    )
                    writer.send(None)
                writer.send(np.ascontiguousarray(even))
        finally:
            if writer is not None:
                writer.close()
        return path.read_bytes()
