"""Films for tests: shapes that move in a known way."""

import numpy as np

from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.moving_drawing import MovingCurve, MovingDrawing, MovingLayer
from kinetune.contours.outlines import as_contour

BOX = (0.0, 0.0, 100.0, 100.0)
CIRCLE = np.exp(2j * np.pi * np.arange(96) / 96)
SQUARE = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])


def layer(curves, frames, **paint):
    """A layer of curves (frames, n), closed, in one paint."""
    rows = tuple(MovingCurve(np.asarray(points), True) for points in curves)
    return MovingLayer(rows, (Layer((), **paint),) * frames)


def film(*layers, orders=None, box=BOX):
    """Layers from back to front on one canvas."""
    frames = len(layers[0].paints)
    usual = (tuple(range(len(layers))),) * frames
    return MovingDrawing(layers, usual if orders is None else tuple(orders), (box,) * frames)


def swelling(frames=24):
    """A circle that moves to the right and becomes wider, slowly at first and at last."""
    t = np.linspace(0.0, 1.0, frames)
    t = t * t * (3.0 - 2.0 * t)
    return film(layer([30 + 50j + 40 * t[:, None] + 10 * CIRCLE + 2 * t[:, None] * CIRCLE.real], frames, name="ball"))


def floating(frames=24):
    """A square that keeps its form while it moves to the right and grows."""
    t = np.linspace(0.0, 1.0, frames)[:, None]
    return film(layer([30 + 50j + 40 * t + (10 + 10 * t) * SQUARE], frames, fill=None, stroke="#000000"))


def drawings(points, **paint):
    """Frames (frames, n) as drawings."""
    return [Drawing((Layer((as_contour(np.asarray(row), True),), **paint),), BOX) for row in points]
