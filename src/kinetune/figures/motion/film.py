"""Films of stick figures: animated GIFs and MP4s of one clip, or of an original beside its edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kinetune.body.clip import Clip
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.figures.motion.stick_figures import View
from kinetune.progress import report
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from PIL.Image import Image

_SCALE = 2  # drawn larger, then shrunk, for smooth lines


def write_film(
    clip: Clip,
    path: str | Path,
    *,
    before: Clip | None = None,
    fps: float = 25.0,
    height: int = 240,
    view: View = "side",
    follow: bool = True,
) -> Path:
    """Write a film of a clip, the original as a grey ghost behind it: an MP4 by that suffix, else an animated GIF.

    Parameters
    ----------
    fps : float
        Pictures per second; GIF players honour hundredths of a second, so the rate is rounded to 100 / n.
    height : int
        Of the picture, in pixels.
    follow : bool
        Keep the character in the middle and let the floor pass by; otherwise the camera stands still.
    """
    path = Path(path)
    camera = _Camera(clip, before, height, view, follow)
    if path.suffix.lower() == ".mp4":
        from kinetune.figures.picture_files import mp4_of
        from kinetune.formats import write_files

        count = max(1, int(clip.duration * fps) + 1)
        write_files({path: mp4_of(_shown(camera, [k / fps for k in range(count)]), fps)})
        return path
    hundredths = max(2, round(100.0 / fps))
    count = max(1, int(clip.duration * 100.0 / hundredths) + 1)
    pictures = list(_shown(camera, [k * hundredths / 100.0 for k in range(count)]))
    temporary = path.with_name(f".{path.name}.partial")
    try:
        pictures[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=pictures[1:],
            duration=10 * hundredths,
            loop=0,
            optimize=True,
        )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _shown(camera: _Camera, times: list[float]) -> Iterator[Image]:
    for done, time in enumerate(times, 1):
        yield camera.picture(time)
        report(done / len(times), "drawing")


class _Camera:
    """Turns the pose at a time into a picture."""

    def __init__(self, clip: Clip, before: Clip | None, height: int, view: View, follow: bool) -> None:
        self.view, self.follow = view, follow
        self.clips = [c for c in (before, clip) if c is not None]
        self.bones = [sticks.bones(c.skeleton) for c in self.clips]
        self.heads = [sticks.head(c.skeleton) for c in self.clips]
        ahead = sticks.travel_direction(clip)
        self.paper = [sticks.project(sticks.points(c), ahead, view)[0] for c in self.clips]
        self.middle = [_eased(p[:, 0, 0], c.fps) for p, c in zip(self.paper, self.clips, strict=True)]
        relative = [
            p[..., 0] - m[:, None] if follow else p[..., 0] for p, m in zip(self.paper, self.middle, strict=True)
        ]
        self.left = min(r.min() for r in relative) - 0.15
        right = max(r.max() for r in relative) + 0.15
        self.bottom = min(0.0, *(p[..., 1].min() for p in self.paper)) - 0.12
        top = max(p[..., 1].max() for p in self.paper) + 0.12
        self.pixels_per_metre = _SCALE * height / (top - self.bottom)
        self.size = (int((right - self.left) * self.pixels_per_metre), _SCALE * height)

    def picture(self, time: float) -> Image:
        from PIL import Image, ImageDraw

        image = Image.new("RGB", self.size, palette.PAPER)
        draw = ImageDraw.Draw(image)
        self._draw_floor(draw, time)
        for which, clip in enumerate(self.clips):
            ghost = which == 0 and len(self.clips) == 2
            frame = min(len(clip) - 1, round(time * clip.fps))
            origin = self._origin(which, frame)
            for bone in self.bones[which]:
                ends = [self._pixel(self.paper[which][frame, j], origin) for j in (bone.start, bone.end)]
                colour = "#c3c8cf" if ghost else bone.colour
                width = (3 if ghost else 5) * _SCALE // 2
                draw.line([*ends[0], *ends[1]], fill=colour, width=width)
                for x, y in ends:
                    r = width / 2
                    draw.ellipse([x - r, y - r, x + r, y + r], fill=colour)
            head = self.heads[which]
            if head is not None:
                x, y = self._pixel(self.paper[which][frame, list(head[:2])].mean(axis=0), origin)
                r = head[2] * self.pixels_per_metre
                draw.ellipse([x - r, y - r, x + r, y + r], fill="#c3c8cf" if ghost else palette.INK)
        small = image.resize((self.size[0] // _SCALE, self.size[1] // _SCALE), Image.Resampling.LANCZOS)
        return small.quantize(32, dither=Image.Dither.NONE)

    def _origin(self, which: int, frame: int) -> float:
        return float(self.middle[which][frame]) if self.follow else 0.0

    def _pixel(self, point: Floats, origin: float) -> tuple[float, float]:
        x = (point[0] - origin - self.left) * self.pixels_per_metre
        y = self.size[1] - (point[1] - self.bottom) * self.pixels_per_metre
        return float(x), float(y)

    def _draw_floor(self, draw: object, time: float) -> None:
        if self.view == "top":
            return
        frame = min(len(self.clips[-1]) - 1, round(time * self.clips[-1].fps))
        origin = self._origin(len(self.clips) - 1, frame)
        _, y = self._pixel(np.zeros(2), origin)
        line = draw.line  # type: ignore[attr-defined]
        line([0, y, self.size[0], y], fill=palette.GHOST, width=_SCALE)
        first = np.floor(2 * (self.left + origin)) / 2
        for tick in np.arange(first, first + self.size[0] / self.pixels_per_metre + 1.0, 0.5):
            x, _ = self._pixel(np.array([tick, 0.0]), origin)
            line([x, y, x - 6 * _SCALE, y + 8 * _SCALE], fill=palette.HAIRLINE, width=_SCALE)


def _eased(path: Floats, fps: float) -> Floats:
    """A camera path without the bob of every step: a moving average over a second, ends held."""
    half = max(1, int(0.5 * fps))
    padded = np.concatenate([np.full(half, path[0]), path, np.full(half, path[-1])])
    return np.convolve(padded, np.full(2 * half + 1, 1.0 / (2 * half + 1)), mode="valid")
