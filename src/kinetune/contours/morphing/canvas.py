"""Drawings on canvases of different size, and the canvas between them.

In between, everything is computed on the canvas of the first drawing. A frame is then placed on a canvas between both
and rounded to the decimals with which SVG is written, so that what is checked is what is seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.outlines import Complex, as_contour
from kinetune.contours.svg.writer import svg_decimals
from kinetune.rotations import Floats

Box = tuple[float, float, float, float]

_TOUCH = 0.005  # of the canvas: a drawing that passes an edge by less fills its canvas
_MARGIN = 0.02  # of the canvas: the margin beside what swings over its edge


@dataclass(frozen=True)
class CanvasChange:
    """How the canvas of one drawing becomes that of another: the second is fitted into the first, centre on centre."""

    a: Box
    b: Box

    @property
    def scale(self) -> float:
        """The factor from lengths on the second canvas to lengths on the first."""
        return min(self.a[2] / self.b[2], self.a[3] / self.b[3])

    def bring(self, contour: Contour) -> Contour:
        """A contour of the second canvas as it lies on the first."""
        return contour if self.a == self.b else as_contour(self._on_first(contour.complex), contour.closed)

    def bring_layer(self, layer: Layer) -> Layer:
        """A layer of the second canvas as it lies on the first, its stroke and gradients with it."""
        if self.a == self.b:
            return layer
        shift = centre_of(self.a) - self.scale * centre_of(self.b)
        matrix = np.array([[self.scale, 0.0, shift.real], [0.0, self.scale, shift.imag]])
        fill, stroke = (
            None if gradient is None else gradient.transformed(matrix)
            for gradient in (layer.fill_gradient, layer.stroke_gradient)
        )
        return replace(
            layer,
            contours=tuple(self.bring(contour) for contour in layer.contours),
            stroke_width=self.scale * layer.stroke_width,
            fill_gradient=fill,
            stroke_gradient=stroke,
        )

    def bring_point(self, point: complex) -> complex:
        """A point of the second canvas as it lies on the first."""
        return point if self.a == self.b else complex(self._on_first(point))

    def bring_points(self, points: Complex) -> Complex:
        """Points of the second canvas as they lie on the first."""
        return points if self.a == self.b else np.asarray(self._on_first(points))

    def _on_first(self, z: Any) -> Any:
        return centre_of(self.a) + self.scale * (z - centre_of(self.b))

    def box(self, t: float) -> Box:
        """The canvas at a time."""
        if self.a == self.b:
            return self.a
        left, top, width, height = ((1.0 - t) * x + t * y for x, y in zip(self.a, self.b, strict=True))
        return left, top, width, height

    def size(self, t: float) -> float:
        """The factor from lengths on the first canvas to lengths on the canvas of a time."""
        return 1.0 if self.a == self.b else (1.0 - t) + t / self.scale

    def lay(self, frames: Complex, times: Floats) -> Complex:
        """Frames (times, n) on the canvases of their times."""
        if self.a != self.b:
            centres = (1.0 - times) * centre_of(self.a) + times * centre_of(self.b)
            sizes = (1.0 - times) + times / self.scale
            frames = centres[:, None] + sizes[:, None] * (frames - centre_of(self.a))
        return frames

    def rounded(self, frames: Complex, extent: float) -> Complex:
        """Frames as SVG files are written: to 1/100,000 of the canvas.

        extent : the size of the smallest curve; one that is tiny on its canvas is rounded more finely.
        """
        digits = max(svg_decimals(self.a), svg_decimals(self.b))
        if extent > 0.0:
            digits = max(digits, math.ceil(4 - math.log10(extent * min(1.0, 1.0 / self.scale))))
        return np.round(frames.real, min(digits, 14)) + 1j * np.round(frames.imag, min(digits, 14))


def centre_of(box: Box) -> complex:
    """The middle of a canvas."""
    return complex(box[0] + 0.5 * box[2], box[1] + 0.5 * box[3])


def on_first_canvas(frames: Sequence[Drawing]) -> list[Drawing]:
    """A film on the canvas of its first drawing, for file formats that have only one."""
    first = frames[0].view_box
    shown = []
    for frame in frames:
        if frame.view_box == first:
            shown.append(frame)
            continue
        change = CanvasChange(first, frame.view_box)
        layers = tuple(change.bring_layer(layer) for layer in frame.layers)
        shown.append(replace(frame, layers=layers, view_box=first))
    return shown


def enlarge_canvas(frames: Sequence[Drawing]) -> list[Drawing]:
    """A film on one canvas, enlarged where shapes swing over its edge on the way.

    Where the first or the last drawing itself passes an edge, that edge stays: it was meant to be cut off there.
    """
    shown = on_first_canvas(frames)
    left, top, width, height = shown[0].view_box
    canvas = np.array([left, top, left + width, top + height])
    outward = np.array([-1.0, -1.0, 1.0, 1.0])
    over = np.array([_over(frame, canvas) for frame in shown])
    meant = np.maximum(over[0], over[-1]) > _TOUCH * max(width, height)
    most = over.max(axis=0)
    if not np.any(most[~meant] > 0.0):
        return shown
    canvas = canvas + outward * np.where((most > 0.0) & ~meant, most + _MARGIN * max(width, height), 0.0)
    box = (float(canvas[0]), float(canvas[1]), float(canvas[2] - canvas[0]), float(canvas[3] - canvas[1]))
    return [replace(frame, view_box=box) for frame in shown]


def _over(frame: Drawing, canvas: np.ndarray) -> np.ndarray:
    """By how much a drawing, with its strokes, passes the left, top, right and bottom edge; below 0 inside."""
    over = np.full(4, -np.inf)
    for layer in frame.layers:
        half = 0.5 * layer.stroke_width if layer.stroke is not None else 0.0
        for contour in layer.contours:
            left, top, right, bottom = contour.bounds()
            past = np.array([canvas[0] - left, canvas[1] - top, right - canvas[2], bottom - canvas[3]])
            over = np.maximum(over, past + half)
    return over
