"""Two drawings on pages of different size, and the page between them.

In between, everything is computed on the page of the first drawing; a frame is then laid on a page of its own, between
both, and rounded to the decimals with which SVG is written, so that what is checked is what is seen.

===========  ============================================================
CanvasChange   from one page to another
on_first_canvas    a film on pages of its own, brought onto the first page
enlarge_canvas    a film on a page that shows all of it
===========  ============================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune.contours.drawing import Contour, Drawing
from kinetune.contours.outlines import Complex, as_contour
from kinetune.rotations import Floats

Box = tuple[float, float, float, float]

_TOUCH = 0.005  # of the page: a drawing that passes its edge by less fills its page
_MARGIN = 0.02  # of the page: left free beside what swings over its edge


@dataclass(frozen=True)
class CanvasChange:
    """How the page of one drawing becomes that of another: the second is fitted into the first, centre on centre."""

    a: Box
    b: Box

    @property
    def scale(self) -> float:
        """By which lengths of the second page are multiplied on the first."""
        return min(self.a[2] / self.b[2], self.a[3] / self.b[3])

    def bring(self, contour: Contour) -> Contour:
        """A contour of the second page as it lies on the first."""
        if self.a == self.b:
            return contour
        return as_contour(_centre(self.a) + self.scale * (contour.complex - _centre(self.b)), contour.closed)

    def place(self, point: complex) -> complex:
        """A point of the second page as it lies on the first."""
        return point if self.a == self.b else _centre(self.a) + self.scale * (point - _centre(self.b))

    def box(self, t: float) -> Box:
        """The page at a time."""
        if self.a == self.b:
            return self.a
        left, top, width, height = ((1.0 - t) * x + t * y for x, y in zip(self.a, self.b, strict=True))
        return left, top, width, height

    def size(self, t: float) -> float:
        """By which lengths of the first page are multiplied at a time."""
        return 1.0 if self.a == self.b else (1.0 - t) + t / self.scale

    def lay(self, frames: Complex, times: Floats) -> Complex:
        """Frames (times, n) on the pages of their times."""
        if self.a != self.b:
            centres = (1.0 - times) * _centre(self.a) + times * _centre(self.b)
            sizes = (1.0 - times) + times / self.scale
            frames = centres[:, None] + sizes[:, None] * (frames - _centre(self.a))
        return frames

    def rounded(self, frames: Complex, extent: float) -> Complex:
        """Frames as SVG files are written: to 1/100,000 of the page.

        extent : the size of the smallest curve; one that is tiny on its page is rounded more finely.
        """
        places = max(_decimals(self.a), _decimals(self.b))
        if extent > 0.0:
            places = max(places, math.ceil(4 - math.log10(extent * min(1.0, 1.0 / self.scale))))
        return np.round(frames.real, min(places, 14)) + 1j * np.round(frames.imag, min(places, 14))


def _centre(box: Box) -> complex:
    return complex(box[0] + 0.5 * box[2], box[1] + 0.5 * box[3])


def _decimals(box: Box) -> int:
    """After the point of a coordinate, in an SVG file: 1/100,000 of the page."""
    return min(12, max(0, math.ceil(5 - math.log10(max(box[2:])))))


def on_first_canvas(frames: Sequence[Drawing]) -> list[Drawing]:
    """A film on one page, that of its first drawing, for files that know only one."""
    first = frames[0].view_box
    found = []
    for frame in frames:
        if frame.view_box == first:
            found.append(frame)
            continue
        change = CanvasChange(first, frame.view_box)
        layers = tuple(
            replace(
                layer,
                contours=tuple(change.bring(c) for c in layer.contours),
                stroke_width=change.scale * layer.stroke_width,
            )
            for layer in frame.layers
        )
        found.append(replace(frame, layers=layers, view_box=first))
    return found


def enlarge_canvas(frames: Sequence[Drawing]) -> list[Drawing]:
    """A film on one page, made larger where shapes swing over its edge on their way.

    On a side where the first or the last drawing passes the edge itself, the page stays: that was meant to be cut off.
    """
    shown = on_first_canvas(frames)
    left, top, width, height = shown[0].view_box
    page = np.array([left, top, left + width, top + height])
    outward = np.array([-1.0, -1.0, 1.0, 1.0])
    over = np.array([_over(frame, page) for frame in shown])
    meant = np.maximum(over[0], over[-1]) > _TOUCH * max(width, height)
    most = over.max(axis=0)
    if not np.any(most[~meant] > 0.0):
        return shown
    page = page + outward * np.where((most > 0.0) & ~meant, most + _MARGIN * max(width, height), 0.0)
    box = (float(page[0]), float(page[1]), float(page[2] - page[0]), float(page[3] - page[1]))
    return [replace(frame, view_box=box) for frame in shown]


def _over(frame: Drawing, page: np.ndarray) -> np.ndarray:
    """By how much a drawing, with its strokes, passes the left, top, right and bottom edge; below 0 inside."""
    found = np.full(4, -np.inf)
    for layer in frame.layers:
        half = 0.5 * layer.stroke_width if layer.stroke is not None else 0.0
        for contour in layer.contours:
            left, top, right, bottom = contour.bounds()
            past = np.array([page[0] - left, page[1] - top, right - page[2], bottom - page[3]])
            found = np.maximum(found, past + half)
    return found
