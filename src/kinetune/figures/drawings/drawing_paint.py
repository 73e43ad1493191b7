"""Drawings as pixels: pictures, strips and films.

=============  ================================================================================
paint_drawing  one drawing: every layer filled by the even-odd rule, then stroked, edges smooth
strip_picture  several drawings side by side
png_bytes      one drawing or a strip as a PNG
gif_bytes      a film as an animated GIF
mp4_bytes      a film as an MP4
=============  ================================================================================
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetune.contours.colours import parse_colour, to_hex
from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.svg.areas import stroke_area
from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.figures.picture_files import film_bytes, gif_delays
from kinetune.kernels.loader import Kernels
from kinetune.progress import report
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from PIL.Image import Image

_kernels = Kernels("kinetune.figures.drawings.coverage_kernels")

_MOST_PIXELS = 40_000_000
_MOST_ON_A_STRIP = 400
_FAR = 1e6  # pixels: what lies farther out cannot be seen


def paint_drawing(drawing: Drawing, height: int = 512, *, background: str | None = palette.PAPER) -> Image:
    """The drawing as a picture of that height, in pixels; the width follows from the page.

    background : a CSS colour, or None for a transparent one.
    """
    from PIL import Image

    left, top, wide, high = drawing.view_box
    if not 1 <= height <= 8192:
        raise ParameterError(f"The height of a picture must lie between 1 and 8192 pixels, not be {height}.")
    scale = height / high
    size = (max(1, round(scale * wide)), height)
    if size[0] * size[1] > _MOST_PIXELS:
        raise ParameterError(f"A picture of {size[0]} x {size[1]} pixels is too large: make it less high.")
    image = Image.new("RGBA", size, (255, 255, 255, 0) if background is None else to_hex(parse_colour(background)))
    for layer in drawing.layers:
        view = _View(np.array([left, top]), scale, size)
        if layer.fill is not None:
            _pour(image, view, [c.points for c in layer.contours], layer.fill, layer.fill_opacity, layer.fill_gradient)
        if layer.stroke is not None and layer.stroke_width > 0:
            for outline in _stroked(layer):
                _pour(image, view, outline, layer.stroke, layer.stroke_opacity, layer.stroke_gradient)
    return image if background is None else image.convert("RGB")


class _View:
    """From the page to pixels."""

    def __init__(self, origin: Floats, scale: float, size: tuple[int, int]) -> None:
        self.origin, self.scale, self.size = origin, scale, size

    def pixels(self, points: Floats) -> Floats:
        return np.clip(self.scale * (points - self.origin), -_FAR, _FAR)


def _pour(
    image: Image, view: _View, rings: list[Floats], colour: str, opacity: float, gradient: Gradient | None
) -> None:
    """Fill rings together by the even-odd rule."""
    from PIL import Image

    shapes = [view.pixels(ring) for ring in rings if len(ring) > 2]
    if not shapes:
        return
    everything = np.concatenate(shapes)
    low = np.maximum(np.floor(everything.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(everything.max(axis=0)), view.size).astype(int)
    if np.any(high <= low):
        return
    ends = np.cumsum([len(shape) for shape in shapes])
    width, height = (high - low).tolist()
    cover = Image.fromarray(_kernels.load().even_odd_cover(everything - low, ends, width, height))
    if gradient is not None:
        paint = _shaded(cover, gradient, view, low, opacity)
        image.alpha_composite(paint, dest=(int(low[0]), int(low[1])))
        return
    red, green, blue, alpha = parse_colour(colour)
    if opacity * alpha < 1:
        share = opacity * alpha
        cover = cover.point(lambda value: round(value * share))
    paint = Image.new("RGBA", cover.size, (*(round(255 * part) for part in (red, green, blue)), 255))
    paint.putalpha(cover)
    image.alpha_composite(paint, dest=(int(low[0]), int(low[1])))


def _shaded(cover: Image, gradient: Gradient, view: _View, low: np.ndarray, opacity: float) -> Image:
    """A gradient where the mask covers it, at the middles of the pixels."""
    from PIL import Image

    x, y = np.meshgrid(np.arange(cover.width) + low[0] + 0.5, np.arange(cover.height) + low[1] + 0.5)
    points = np.stack([x.ravel(), y.ravel()], axis=-1) / view.scale + view.origin
    colours = gradient.colours_at(points)
    colours[:, 3] *= opacity * np.asarray(cover, dtype=float).ravel() / 255.0
    return Image.fromarray(np.round(255.0 * colours).astype(np.uint8).reshape(cover.height, cover.width, 4))


def _stroked(layer: Layer) -> Iterable[list[Floats]]:
    """The outlines of a layer's strokes, one set of rings for each connected part."""
    import shapely

    area = stroke_area(
        layer.contours, layer.stroke_width, layer.stroke_cap, layer.stroke_join, layer.stroke_miter_limit
    )
    for polygon in shapely.get_parts(area):
        yield [np.array(ring.coords) for ring in (polygon.exterior, *polygon.interiors)]


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


def png_bytes(frames: Sequence[Drawing], height: int, *, background: str | None, columns: int | None) -> bytes:
    """A PNG of one drawing, or of several as a strip."""
    data = io.BytesIO()
    strip_picture(frames, height, columns=1 if len(frames) == 1 else columns, background=background).save(
        data, format="PNG", optimize=True
    )
    return data.getvalue()


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

    shown, hundredths = gif_delays(len(frames), fps)
    pictures = [
        picture.quantize(128, dither=Image.Dither.NONE)
        for picture in _pictures([frames[number] for number in shown], height, background)
    ]
    data = io.BytesIO()
    again = {"loop": 0} if loop else {}
    durations = [10 * delay for delay in hundredths]
    pictures[0].save(
        data, format="GIF", save_all=True, append_images=pictures[1:], duration=durations, optimize=True, **again
    )
    return data.getvalue()


def mp4_bytes(
    frames: Sequence[Drawing],
    fps: float,
    height: int,
    *,
    background: str = palette.PAPER,
) -> bytes:
    """An MP4 (H.264) of the drawings; its sides are even numbers of pixels, as the codec wants them."""
    return film_bytes((np.asarray(picture) for picture in _pictures(frames, height, background)), fps, ".mp4")
