"""Layers that only move and change their size: one shape, and where it is and how large over time.

===========  =========================================================
Ride         the shape in one frame, and its similarities over time
find_ride    the ride of some curves; None where they change their form
share_rides  one ride for neighbours that move as one
KeyedRide    the same with keys, as files hold it
===========  =========================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune.contours.drawing import Layer
from kinetune.contours.key_shapes.key_times import KeyedValues, keyed_point
from kinetune.contours.moving_drawing import MovingCurve
from kinetune.contours.outlines import Complex
from kinetune.rotations import Floats

_SAME = 0.0001  # of the page: a shape that changes by less keeps its form
_SMALLEST = 0.02  # of its largest size: below it, a shape is better drawn as what it is
_PLACE, _SIZE = 0.00065, 0.00033  # of the page: how far position, and size, may be off


@dataclass(frozen=True, eq=False)
class KeyedRide:
    """Where the origin of a shape is on the page (keys, 2), and how large it is (keys, 1), both with keys."""

    place: KeyedValues
    size: KeyedValues


@dataclass(frozen=True, eq=False)
class Ride:
    """A shape that keeps its form: in each frame it is ``path + size * shape``.

    curves : (1, n) each, in the frame in which it is largest, about its middle.
    path : (frames,) complex, where that middle is.
    size : (frames,), at most 1.
    extent : how far the shape reaches from its middle.
    first : the frame of the film at which it begins.
    still : whether nothing moves; the curves are then where they are.
    """

    curves: tuple[MovingCurve, ...]
    path: Complex
    size: Floats
    extent: float
    first: int = 0
    still: bool = False

    def about(self, other: Ride, page: float) -> Ride | None:
        """This ride about the middle of another that moves as one with it; None where it does not."""
        if self.still or other.still or (self.first, len(self.path)) != (other.first, len(other.path)):
            return None
        largest = int(np.argmax(other.size))
        offset = (self.path[largest] - other.path[largest]) / other.size[largest]
        off = np.abs(self.path - other.path - offset * other.size) + self.extent * np.abs(self.size - other.size)
        if off.max() > _SAME * page:
            return None
        moved = tuple(MovingCurve(points + offset, closed) for points, closed in self.curves)
        return Ride(moved, other.path, other.size, self.extent + abs(offset), self.first)

    def keyed(self, start: int, last: int, page: float) -> KeyedRide:
        """Its keys from one frame of the film to another."""
        here = slice(start - self.first, last - self.first + 1)
        places = keyed_point(self.path[here], _PLACE * page, start)
        sizes = keyed_point(self.size[here].astype(complex), _SIZE * page / max(self.extent, 1e-300), start)
        return KeyedRide(places, sizes.changed(sizes.values[:, :1]))

    def bring(self, paint: Layer, frame: int, origin: complex, scale: float) -> Layer:
        """A paint as the shape has it: its stroke and gradients in the units of the shape.

        origin, scale : those of the file in the drawing.
        """
        size = float(self.size[frame])
        shift = -(scale * origin + complex(self.path[frame])) / size
        matrix = np.array([[scale / size, 0.0, shift.real], [0.0, scale / size, shift.imag]])
        fill, stroke = (
            None if gradient is None else gradient.transformed(matrix)
            for gradient in (paint.fill_gradient, paint.stroke_gradient)
        )
        width = scale * paint.stroke_width / size
        return replace(paint, fill_gradient=fill, stroke_gradient=stroke, stroke_width=width)


def motion_error(page: float) -> float:
    """How far a ride with keys may be off."""
    return (_PLACE + _SIZE) * page


def share_rides(rides: Sequence[Ride | None], page: float) -> list[Ride | None]:
    """The rides of layers from back to front, where neighbours that move as one have the same path and size."""
    shared: list[Ride | None] = []
    body: list[Ride] = []
    for ride in [*rides, None]:
        joined = ride.about(body[0], page) if ride is not None and body else None
        if joined is None:
            extent = max((each.extent for each in body), default=0.0)
            shared += [replace(each, extent=extent) for each in body]
            shared += [None] if ride is None else []
            body = [] if ride is None else [ride]
        else:
            body.append(joined)
    return shared[:-1]


def find_ride(curves: Sequence[MovingCurve], page: float, first: int = 0) -> Ride | None:
    """How curves move that keep their form in all frames; None where they do not, or where they hardly exist.

    first : the frame of the film at which they begin.
    """
    z = np.concatenate([points for points, _ in curves], axis=1)
    if np.isnan(z).any():
        return None
    path = z.mean(axis=1)
    shapes = z - path[:, None]
    sizes = np.sum(np.abs(shapes) ** 2, axis=1)
    largest = int(np.argmax(sizes))
    if not sizes[largest] > 0.0:
        return None
    shape = shapes[largest]
    size = (shapes @ np.conj(shape)).real / sizes[largest]
    if size.min() < _SMALLEST or np.abs(shapes - size[:, None] * shape).max() > _SAME * page:
        return None
    extent = float(np.abs(shape).max())
    still = bool(max(np.abs(path - path[largest]).max(), extent * np.abs(size - 1.0).max()) <= _SAME * page)
    ends = np.cumsum([points.shape[1] for points, _ in curves])[:-1]
    parts = np.split(z[largest][None] if still else shape[None], ends, axis=1)
    alone = tuple(MovingCurve(part, closed) for part, (_, closed) in zip(parts, curves, strict=True))
    return Ride(alone, path, size, extent, first, still)
