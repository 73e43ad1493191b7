"""Drawings in files: SVG, Lottie, pictures, strips and films."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kinetune.contours.drawing import Drawing
from kinetune.contours.morphing.canvas import enlarge_canvas
from kinetune.contours.moving_drawing import MovingDrawing, link_frames
from kinetune.contours.svg.writer import check_film
from kinetune.errors import ParameterError, UnknownFormatError
from kinetune.figures import palette

SUFFIXES = (".svg", ".json", ".gif", ".png", ".mp4")


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
    drawing : Drawing or sequence of Drawing
        One or several.
    path : path
        The file to write; its folder must exist.
    fps : float
        Pictures per second of a film. A GIF counts in hundredths of a second, so that its pictures differ in length by
        one of them to reach that rate; it shows at most 50 a second.
    height : int
        Of a picture or a film, in pixels; on a strip, of each drawing.
    loop : bool
        Begin again after the last picture. MP4 files leave that to the player.
    background : str or None
        A CSS colour behind pictures, or None for a transparent PNG; SVG and Lottie files have none.
    columns : int or None
        Drawings in each row of a strip; by default all in one row, up to 12.

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
    moving = getattr(drawing, "moving", None)
    if len(frames) > 1:
        frames = enlarge_canvas(frames)
    if suffix == ".svg" and len(frames) == 1:
        data = frames[0].to_svg().encode()
    elif suffix in (".svg", ".json"):
        moving = link_frames(frames) if moving is None else moving.on_canvas(frames[0].view_box)
        data = _keyed_text(moving, suffix, fps, loop).encode()
    else:
        from kinetune.figures.drawings import drawing_paint as paint

        if suffix == ".png":
            data = paint.png_bytes(frames, height, background=background, columns=columns)
        elif background is None:
            raise ParameterError(f'"{suffix}" films have no transparent background: name a colour.')
        elif suffix == ".gif":
            data = paint.gif_bytes(frames, fps, height, loop=loop, background=background)
        else:
            data = paint.mp4_bytes(frames, fps, height, background=background)
    write_files({path: data})
    return path


def _keyed_text(film: MovingDrawing, suffix: str, fps: float, loop: bool) -> str:
    if suffix == ".svg":
        from kinetune.contours.svg.film_writer import film_to_svg

        return film_to_svg(film, fps, loop=loop)
    from kinetune.contours.lottie import film_to_lottie

    return film_to_lottie(film, fps)
