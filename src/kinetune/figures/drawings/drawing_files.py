"""Drawings in files: pictures, strips and films.

==============  ==========================================================
write_drawing   one drawing or a film; the suffix decides the kind of file
strip_picture   several drawings side by side
gif_bytes       a film as an animated GIF
mp4_bytes       a film as an MP4
==============  ==========================================================
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kinetune.contours.drawing import Drawing
from kinetune.contours.lottie import film_to_lottie
from kinetune.contours.svg.writer import check_film, film_to_svg
from kinetune.errors import ParameterError, UnknownFormatError
from kinetune.figures import palette
from kinetune.figures.drawings.drawing_paint import paint_drawing
from kinetune.progress import report

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".svg", ".json", ".gif", ".png", ".mp4")
_MOST_ON_A_STRIP = 400


def write_drawing(
    drawing: Drawing | Sequence[Drawing],
    path: str | Path,
    *,
    fps: float = 24.0,
    height: int = 360,
    loop: bool = True,
    background: str | None = palette.PAPER,
    columns: int | None = None,
) -> Path:
    """Write a drawing, or several as a film or a strip; the suffix of the file decides.

    ========  ================================  ==========================================
    suffix    one drawing                       several drawings
    ========  ================================  ==========================================
    .svg      the drawing                       an animated SVG that browsers play
    .json     a Lottie still                    a Lottie animation
    .png      a picture                         a strip: all of them side by side
    .gif      a picture                         an animated GIF
    .mp4      a film of one frame               a film
    ========  ================================  ==========================================

    Parameters
    ----------
    drawing : one or several.
    path : the file to write; its folder must exist.
    fps : pictures per second of a film; a GIF counts in hundredths of a second, so its rate is rounded to 100 / n.
    height : of a picture or a film, in pixels; on a strip, of each drawing.
    loop : begin again after the last picture. MP4 files leave that to the player.
    background : a CSS colour behind pictures, or None for a transparent PNG; SVG and Lottie files have none.
    columns : drawings in each row of a strip; by default all in one row, up to 12.

    Returns
    -------
    Path
        Of the file that was written.

    Examples
    --------
    >>> from kinetune import morph, read_drawing
    >>> film = morph(read_drawing("cat.svg"), read_drawing("rabbit.svg"), frames=4)
    >>> write_drawing(film, "film.gif", fps=12).name
    'film.gif'
    """
    path = Path(path)
    frames = [drawing] if isinstance(drawing, Drawing) else list(drawing)
    check_film(frames, fps)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UnknownFormatError(
            path,
            f'drawings are not written to "{suffix or path.name}" files.',
            advice=f"Choose one of {', '.join(SUFFIXES)}.",
        )
    from kinetune.formats.atomic_write import check_folder, write_files

    check_folder(path)
    if suffix == ".svg":
        data = film_to_svg(frames, fps, loop=loop).encode()
    elif suffix == ".json":
        data = film_to_lottie(frames, fps).encode()
    elif suffix == ".png":
        picture = (
            paint_drawing(frames[0], height, background=background)
            if len(frames) == 1
            else strip_picture(frames, height, columns=columns, background=background)
        )
        held = io.BytesIO()
        picture.save(held, format="PNG", optimize=True)
        data = held.getvalue()
    elif background is None:
        raise ParameterError(f'"{suffix}" films have no transparent background: name a colour.')
    elif suffix == ".gif":
        data = gif_bytes(frames, fps, height, loop=loop, background=background)
    else:
        data = mp4_bytes(frames, fps, height, background=background)
    write_files({path: data})
    return path


def strip_picture(
    frames: Sequence[Drawing],
    height: int = 160,
    *,
    columns: int | None = None,
    background: str | None = palette.PAPER,
) -> Image:
    """Drawings side by side, in rows."""
    from PIL import Image

    if len(frames) > _MOST_ON_A_STRIP:
        raise ParameterError(f"A strip holds at most {_MOST_ON_A_STRIP} drawings, not {len(frames)}: leave some out.")
    across = min(len(frames), 12) if columns is None else columns
    if across < 1:
        raise ParameterError(f"A strip needs at least one column, not {columns}.")
    pictures = [paint_drawing(frame, height, background=background) for frame in frames]
    wide, gap = max(picture.width for picture in pictures), max(2, height // 40)
    size = (across * (wide + gap) - gap, math.ceil(len(frames) / across) * (height + gap) - gap)
    mode = "RGBA" if background is None else "RGB"
    sheet = Image.new(mode, size, (0, 0, 0, 0) if background is None else palette.HAIRLINE)
    for k, picture in enumerate(pictures):
        sheet.paste(picture, ((k % across) * (wide + gap), (k // across) * (height + gap)))
    return sheet


def _pictures(frames: Sequence[Drawing], height: int, background: str) -> Iterator[Image]:
    """The frames painted on paper of one size, that of the first."""
    from PIL import Image

    size: tuple[int, int] | None = None
    for k, frame in enumerate(frames):
        picture = paint_drawing(frame, height, background=background)
        size = size or picture.size
        if picture.size != size:
            paper = Image.new("RGB", size, background)
            paper.paste(picture, ((size[0] - picture.width) // 2, 0))
            picture = paper
        yield picture
        report((k + 1) / len(frames), "drawing")


def gif_bytes(
    frames: Sequence[Drawing],
    fps: float,
    height: int,
    *,
    loop: bool = True,
    background: str = palette.PAPER,
) -> bytes:
    """An animated GIF of the drawings."""
    from PIL import Image

    hundredths = max(2, round(100.0 / fps))
    pictures = [picture.quantize(128, dither=Image.Dither.NONE) for picture in _pictures(frames, height, background)]
    held = io.BytesIO()
    again = {"loop": 0} if loop else {}
    pictures[0].save(
        held, format="GIF", save_all=True, append_images=pictures[1:], duration=10 * hundredths, optimize=True, **again
    )
    return held.getvalue()


def mp4_bytes(
    frames: Sequence[Drawing],
    fps: float,
    height: int,
    *,
    background: str = palette.PAPER,
) -> bytes:
    """An MP4 (H.264) of the drawings; its sides are even numbers of pixels, as the codec wants them."""
    from kinetune.figures.mp4 import mp4_of

    return mp4_of(_pictures(frames, height, background), fps, background=background)
