"""One function that reads a drawing from any kind of file."""

from __future__ import annotations

from pathlib import Path

from kinetune.contours.drawing import Drawing
from kinetune.contours.svg.reader import read_svg
from kinetune.errors import ParameterError
from kinetune.input_files import reading

LOTTIE_SUFFIXES = (".json",)
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg")


def read_drawing(
    path: str | Path, *, tolerance: float | None = None, frame: float | None = None, colours: int | None = None
) -> Drawing:
    """Read a drawing: an SVG file, a frame of a Lottie animation, or a picture that is traced.

    Parameters
    ----------
    path : path
        The file. ``.json`` is Lottie, ``.png``, ``.jpg`` and ``.jpeg`` are pictures, everything else SVG.
    tolerance : float or None
        The largest distance between a curve and its contour, in the units of the drawing; by default 1/50,000 of the
        larger side of the canvas, of a picture a quarter of a pixel.
    frame : float or None
        Of a Lottie animation, which frame; by default the first.
    colours : int or None
        Of a picture, into how many flat colours it is taken apart, the background among them; by default as many as it
        shows clearly, at most 12.

    Returns
    -------
    Drawing
        One layer for each shape, its curves as contours. Sub-paths that are filled are closed, whether or not the file
        closes them. Its ``notes`` say what was left out.

    Examples
    --------
    >>> drawing = read_drawing("cat.svg")
    >>> drawing.layers[0].contours[0].points.shape[1]
    2
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if frame is not None and suffix not in LOTTIE_SUFFIXES:
        raise ParameterError(f"Only Lottie animations (.json) have frames; {path.name} has none.")
    if colours is not None and suffix not in PICTURE_SUFFIXES:
        raise ParameterError(f"Only pictures ({', '.join(PICTURE_SUFFIXES)}) are taken apart into colours.")
    if suffix in LOTTIE_SUFFIXES:
        from kinetune.contours.reading._lottie import Animation

        with reading(path):
            return Animation.read(path, tolerance).drawing(frame)
    if suffix in PICTURE_SUFFIXES:
        from kinetune.contours.reading._tracing import trace_picture

        with reading(path):
            return trace_picture(path, tolerance, colours)
    return read_svg(path, tolerance=tolerance)


def read_key_drawings(path: str | Path, *, tolerance: float | None = None) -> tuple[list[Drawing], list[float]]:
    """The key drawings of a Lottie animation, one where anything has a keyframe, and their times in seconds.

    Examples
    --------
    >>> drawings, times = read_key_drawings("bounce.json")
    """
    from kinetune.contours.reading._lottie import Animation

    path = Path(path)
    with reading(path):
        animation = Animation.read(path, tolerance)
        frames = animation.key_frames()
        return [animation.drawing(frame) for frame in frames], [frame / animation.fps for frame in frames]
