"""Distances to round shapes on a grid, and the surface where they are zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Distance = Callable[[Floats], Floats]
"""From points (..., 3) to signed distances (...), negative inside."""
FAR = 1.0
_MOST_SAMPLES = 1 << 23


class Solid(NamedTuple):
    """A round shape with the box that holds it."""

    distance: Distance
    low: Floats
    high: Floats


def cone(start: Floats, end: Floats, first: float, last: float, squeeze: tuple[float, float] = (1.0, 1.0)) -> Solid:
    """A round cone between two balls, stretched sideways and in depth.

    Parameters
    ----------
    start, end : array, shape (3,)
        The centres of the balls.
    first, last : float
        Their radii.
    squeeze : (float, float)
        Factors along X and Z.
    """
    factor = np.array([squeeze[0], 1.0, squeeze[1]])
    least = float(factor.min())
    a, b = start / factor, end / factor
    along = b - a
    square = float(along @ along) or 1e-12
    taper = first - last
    slope = max(square - taper * taper, 1e-12)

    def distance(points: Floats) -> Floats:
        off = points / factor - a
        y = off @ along
        z = y - square
        across = off * square - along * y[..., None]
        x2 = np.einsum("...i,...i->...", across, across)
        y2, z2 = y * y * square, z * z * square
        k = np.sign(taper) * taper * taper * x2
        side = (np.sqrt(x2 * slope / square) + y * taper) / square - first
        at_end = np.sign(z) * slope * z2 > k
        at_start = np.sign(y) * slope * y2 < k
        round_end = np.sqrt(x2 + z2) / square - last
        round_start = np.sqrt(x2 + y2) / square - first
        return np.asarray(least * np.where(at_end, round_end, np.where(at_start, round_start, side)))

    reach = max(first, last) * factor
    return Solid(distance, np.minimum(start, end) - reach, np.maximum(start, end) + reach)


def ball(centre: Floats, radii: tuple[float, float, float]) -> Solid:
    """An ellipsoid."""
    size = np.array(radii)
    least = float(size.min())

    def distance(points: Floats) -> Floats:
        return np.asarray((np.linalg.norm((points - centre) / size, axis=-1) - 1.0) * least)

    return Solid(distance, centre - size, centre + size)


def soft_minimum(a: Floats, b: Floats, width: Floats | float) -> Floats:
    """The smaller of two distances, the corner between them rounded."""
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b + (a - b) * share - width * share * (1.0 - share)


class DistanceGrid:
    """Samples of a distance in a box.

    Parameters
    ----------
    low, high : array, shape (3,)
        The box.
    cell : float
        How far samples are apart, metres.
    margin : float
        How far from a shape its distance is computed; beyond it counts as far away.

    Raises
    ------
    ParameterError
        Where the box holds more samples than any body needs.
    """

    def __init__(self, low: Floats, high: Floats, cell: float, margin: float) -> None:
        self.low, self.cell, self.margin = low - 2.0 * cell, cell, margin
        sides = np.ceil((high - self.low) / cell) + 3.0
        if not sides.prod() < _MOST_SAMPLES:
            raise ParameterError("the body is too large for the thickness of its limbs to be meshed.")
        self.shape = tuple(sides.astype(int))
        self.values: Floats = np.full(self.shape, FAR)

    def part(self, shape: Solid) -> tuple[tuple[slice, ...], Floats]:
        """The samples near a shape: where they are, and their points (nx, ny, nz, 3)."""
        first = np.floor((shape.low - self.margin - self.low) / self.cell).astype(int)
        last = np.ceil((shape.high + self.margin - self.low) / self.cell).astype(int) + 1
        ranges = [slice(max(0, a), max(0, min(n, b))) for a, b, n in zip(first, last, self.shape, strict=True)]
        axes = [self.low[k] + self.cell * np.arange(each.start, each.stop) for k, each in enumerate(ranges)]
        return tuple(ranges), np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)

    def add(self, shape: Solid, width: float) -> None:
        """Join a shape softly."""
        where, points = self.part(shape)
        self.values[where] = soft_minimum(self.values[where], shape.distance(points), max(width, 1e-9))

    def join(self, other: DistanceGrid, width: Floats | float) -> None:
        """Join what another grid of the same samples holds."""
        self.values = soft_minimum(self.values, other.values, width)

    def like(self) -> DistanceGrid:
        """An empty grid of the same samples."""
        made = object.__new__(DistanceGrid)
        made.low, made.cell, made.margin, made.shape = self.low, self.cell, self.margin, self.shape
        made.values = np.full(self.shape, FAR)
        return made

    def points(self) -> Floats:
        """All samples, (nx, ny, nz, 3)."""
        axes = [self.low[k] + self.cell * np.arange(n) for k, n in enumerate(self.shape)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)

    def at(self, points: Floats, values: Floats | None = None) -> Floats:
        """The distance at points (n, 3), between samples."""
        places = ((points - self.low) / self.cell).T
        return np.asarray(map_coordinates(self.values if values is None else values, places, order=1, mode="nearest"))

    def surface(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Points (n, 3) and outward normals of the surface, and its triangles, counter-clockwise from outside.

        Surface nets: one point in every cell that the surface passes, at the mean of where it cuts the edges.
        """
        values = self.values
        inside = values < 0.0
        total, count = np.zeros((*(n - 1 for n in values.shape), 3)), np.zeros([n - 1 for n in values.shape])
        for axis in range(3):
            head = tuple(slice(1, None) if k == axis else slice(None) for k in range(3))
            tail = tuple(slice(None, -1) if k == axis else slice(None) for k in range(3))
            cut = inside[head] != inside[tail]
            step = values[tail] - values[head]
            share = np.where(cut, values[tail] / np.where(cut, step, 1.0), 0.0)
            others = [k for k in range(3) if k != axis]
            for i in (0, 1):
                for j in (0, 1):
                    part = [slice(None)] * 3
                    for k, shift in zip(others, (i, j), strict=True):
                        part[k] = slice(shift, values.shape[k] - 1 + shift)
                    chosen = tuple(part)
                    hits = cut[chosen]
                    count += hits
                    total[..., axis] += np.where(hits, share[chosen], 0.0)
                    for k, shift in zip(others, (i, j), strict=True):
                        total[..., k] += hits * float(shift)
        cells = np.argwhere(count > 0)
        number = np.full(count.shape, -1)
        rows = tuple(cells.T)
        number[rows] = np.arange(len(cells))
        points = self.low + self.cell * (cells + total[rows] / count[rows][:, None])
        triangles = np.concatenate([_quads(inside, number, axis) for axis in range(3)])
        slopes: list[Floats] = list(np.gradient(values, self.cell))
        for _ in range(2):  # onto the surface itself
            normals = np.stack([self.at(points, slope) for slope in slopes], axis=-1)
            square = np.maximum(np.einsum("ni,ni->n", normals, normals), 1e-6)
            move = np.clip(self.at(points) / square, -self.cell, self.cell)
            points = points - normals * move[:, None]
        normals = np.stack([self.at(points, slope) for slope in slopes], axis=-1)
        return points, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9), triangles


def _quads(inside: NDArray[np.bool_], number: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    """The triangles across the edges of an axis that the surface cuts."""
    n = inside.shape
    inner = [slice(1, size - 1) for size in n]
    head, tail = list(inner), list(inner)
    head[axis], tail[axis] = slice(1, n[axis]), slice(0, n[axis] - 1)
    starts = inside[tuple(tail)]
    cut = np.argwhere(starts != inside[tuple(head)]) + [0 if k == axis else 1 for k in range(3)]
    out = inside[tuple(cut.T)]
    u, v = (axis + 1) % 3, (axis + 2) % 3
    corner = []
    for shift in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
        cell = cut.copy()
        cell[:, u] += shift[0]
        cell[:, v] += shift[1]
        corner.append(number[tuple(cell.T)])
    a, b, c, d = corner
    quads = np.where(out[:, None], np.stack([a, b, c, d], axis=1), np.stack([a, d, c, b], axis=1))
    quads = quads[(quads >= 0).all(axis=1)]
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
