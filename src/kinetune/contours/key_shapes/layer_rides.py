"""Layers that only move and change their size: one shape, and where it is and how large over time.

===========  =========================================================
Ride         the shape in one frame, and its similarities over time
find_ride    the ride of some curves; None where they change their form
share_rides  one ride for all layers that move as one
KeyedRide    the same with keys, as files hold it
===========  =========================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinetune.contours.drawing import Layer
from kinetune.contours.key_shapes.key_times import KeyedValues, keyed_point
from kinetune.contours.moving_drawing import MovingCurve
from kinetune.contours.outlines import Complex
from kinetune.rotations import Floats

_SAME = 0.0001  # of the page: a shape that changes by less keeps its form
_SMALLEST = 0.02  # of its largest size: below it, a shape is better drawn as what it is
_OFF = 0.0009  # of the page: how far position and size together may be off
_SHARES = (1.4, 1.0, 0.8, 0.65, 0.5, 0.35)  # of that: the bounds to try for either


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
        """Its keys from one frame of the film to another: the fewest with which position and size are near enough."""
        here = slice(start - self.first, last - self.first + 1)
        reach = max(self.extent, 1e-300)
        places, sizes = (
            [_tried(track, share * _OFF * page / unit, start, unit) for share in _SHARES]
            for track, unit in ((self.path[here], 1.0), (self.size[here].astype(complex), reach))
        )
        near = [(a, b) for a in places for b in sizes if np.max(a.off + b.off) <= _OFF * page]
        place, size = min(
            near or [(places[-1], sizes[-1])], key=lambda pair: sum(len(tried.values.keys) for tried in pair)
        )
        return KeyedRide(place.values, size.values.changed(size.values.values[:, :1]))

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


class _Tried(NamedTuple):
    """Keys of a position or a size, and how far they are off in each frame."""

    values: KeyedValues
    off: Floats


def _tried(track: Complex, bound: float, start: int, unit: float) -> _Tried:
    """The keys of a number or point over time. unit : by how much a point of the layer moves where it changes by 1."""
    values = keyed_point(track, bound, start)
    shown = values.at(np.arange(start, start + len(track), dtype=float))
    return _Tried(values, unit * np.abs(shown[:, 0] + 1j * shown[:, 1] - track))


def motion_error(page: float) -> float:
    """How far a ride with keys may be off."""
    return _OFF * page


def share_rides(rides: Sequence[Ride | None], page: float) -> list[Ride | None]:
    """The rides of layers, where those that move as one have the same path and size."""
    shared: list[Ride | None] = []
    bodies: list[tuple[Ride, list[int]]] = []  # the first ride of each, and the numbers of all
    for number, ride in enumerate(rides):
        joins = ((ride.about(first, page), numbers) for first, numbers in bodies) if ride is not None else ()
        joined, numbers = next(((each, numbers) for each, numbers in joins if each is not None), (ride, []))
        shared.append(joined)
        numbers.append(number)
        if joined is ride and ride is not None:
            bodies.append((ride, numbers))
    for _, numbers in bodies:
        members = [ride for number in numbers if (ride := shared[number]) is not None]
        extent = max(each.extent for each in members)
        for number, each in zip(numbers, members, strict=True):
            shared[number] = replace(each, extent=extent)
    return shared


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
