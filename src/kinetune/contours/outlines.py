"""Curves as complex numbers, ready to be matched: no repeated points, arc length measured, all clockwise.

===================  ======================================================================
Outline              a curve with the share of its length at every vertex
simplify_outline     a curve as an outline, of no more vertices than can be handled quickly
ring_area            signed area of polygons
ring_centroid        where polygons balance
as_contour           complex points back to a contour
all_simple           which of many curves do not touch or cross themselves (GEOS)
count_self_crossing  how many drawings have a curve that crosses itself
estimate_crossings   about how often curves cross
is_scribble          whether an outline crosses itself too often to be cut apart
===================  ======================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetune.contours.drawing import Contour, Drawing
from kinetune.extras import require
from kinetune.rotations import Floats

require("drawings")


Complex = NDArray[np.complex128]

MOST_VERTICES = 512
MOST_CROSSINGS = 10_000
"""Of curves that are cut where they cross: more take too long."""

_SCRIBBLE = 500  # crossings of an outline with itself
_RESAMPLED = 4096  # what a longer curve is brought down to before it is simplified
_LEAST_DETAIL, _MOST_DETAIL = 2e-5, 0.02  # of its extent: what may be taken from a curve to simplify it
_OVERLAP = 0.02  # of a crossing: what an edge on another one costs
_TRIED = 200  # edges from which crossings are estimated
_DOT = 1e-9  # of its distance from the origin: a smaller curve is a dot


@dataclass(frozen=True, eq=False)
class Outline:
    """A curve as complex vertices without repeats.

    points : (n,); a closed one does not repeat its first point and has a positive area (or none).
    """

    points: Complex
    closed: bool

    @classmethod
    def of(cls, contour: Contour, *, closed: bool | None = None) -> Outline | None:
        """A contour as an outline; None for a mere dot. ``closed`` overrides that of the contour."""
        return simplify_outline(contour.complex, contour.closed if closed is None else closed)

    @cached_property
    def path(self) -> Complex:
        """The vertices, a closed curve back to its first."""
        return np.append(self.points, self.points[:1]) if self.closed else self.points

    @cached_property
    def shares(self) -> Floats:
        """The share of the length at every point of the path, from 0 to 1."""
        steps = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(self.path)))])
        shares: Floats = steps / steps[-1]
        return shares

    @cached_property
    def length(self) -> float:
        return float(np.sum(np.abs(np.diff(self.path))))

    @cached_property
    def centre(self) -> complex:
        """Where the curve balances: as a plate where it encloses something, as a wire where not."""
        if self.closed and abs(ring_area(self.points)) > 1e-6 * self.length**2:
            return complex(ring_centroid(self.points))
        return complex(self.along(np.linspace(0.0, 1.0, 256, endpoint=not self.closed)).mean())

    @cached_property
    def size(self) -> float:
        """The side of a square of the same area; of an open or empty curve, a quarter of its length."""
        return max(float(np.sqrt(abs(ring_area(self.points)))), 1e-3 * self.length) if self.closed else self.length / 4

    @cached_property
    def corners(self) -> tuple[Floats, Floats]:
        """Where the curve bends sharply: shares of the length, and the exterior angles, positive to the inside."""
        from kinetune.contours.sampling import find_corners

        corners = find_corners(as_contour(self.points, self.closed), 30.0)
        shares = self.shares[corners]
        reach = 0.005
        angles = np.angle(
            (self.along(shares + reach) - self.points[corners]) / (self.points[corners] - self.along(shares - reach))
        )
        return shares, angles

    def along(self, shares: Floats) -> Complex:
        """The points at shares of the length; a closed curve goes round and round, an open one stops at its ends."""
        at = shares % 1.0 if self.closed else np.clip(shares, 0.0, 1.0)
        points: Complex = np.interp(at, self.shares, self.path)
        return points

    def reversed(self) -> Outline:
        """The same curve in the other direction."""
        back = self.points[::-1]
        return Outline(np.roll(back, 1) if self.closed else back, self.closed)


def simplify_outline(z: Complex, closed: bool) -> Outline | None:
    """A curve without repeated points and with no more than :data:`MOST_VERTICES`; None where it is a mere dot."""
    extent = float(np.abs(z - z[0]).max())
    if not extent > _DOT * float(np.abs(z[0])):
        return None
    z = _without_repeats(z, closed, 1e-12 * extent)
    if len(z) > MOST_VERTICES:
        z = _simplified(z, closed)
    if closed and len(z) > 2 and ring_area(z) < 0:
        z = np.roll(z[::-1], 1)
    return Outline(z, closed)


def _without_repeats(z: Complex, closed: bool, least: float) -> Complex:
    keep = np.concatenate([[True], np.abs(np.diff(z)) > least])
    z = z[keep]
    return z[:-1] if closed and len(z) > 2 and abs(z[-1] - z[0]) <= least else z


def _simplified(z: Complex, closed: bool) -> Complex:
    """A curve of few vertices: even steps first, so that a million points cost no more than some thousand."""
    import shapely

    if len(z) > _RESAMPLED:
        z = Outline(z, closed).along(np.linspace(0.0, 1.0, _RESAMPLED, endpoint=not closed))
    points = np.stack([z.real, z.imag], axis=-1)
    shape = shapely.LinearRing(points) if closed else shapely.LineString(points)
    extent = float(np.abs(z - z[0]).max())
    for topology in (False, True):  # the fast way first, although it may let a curve cross itself
        tolerance = _LEAST_DETAIL * extent
        while tolerance < _MOST_DETAIL * extent:
            fewer = shapely.simplify(shape, tolerance, preserve_topology=topology)
            points = shapely.get_coordinates(fewer)
            if len(points) <= MOST_VERTICES:
                if len(points) > (3 if closed else 1) and (shapely.is_simple(fewer) or not shapely.is_simple(shape)):
                    simplified: Complex = points[:, 0] + 1j * points[:, 1]
                    return simplified[:-1] if closed else simplified
                break
            tolerance *= 2.0
    # A scribble, or a spiral of many turns: it is all detail, so keep its course instead.
    return Outline(z, closed).along(np.linspace(0.0, 1.0, MOST_VERTICES, endpoint=not closed))


def as_contour(z: Complex, closed: bool) -> Contour:
    """Complex points as a contour."""
    return Contour(np.array(z, dtype=complex).view(float).reshape(-1, 2), closed)


def ring_area(rings: Complex) -> Floats:
    """Signed areas of polygons (..., n); positive where they run clockwise on the screen (y down)."""
    z = rings - rings[..., :1]  # what is beside the first point adds nothing
    area: Floats = 0.5 * np.sum(z.real[..., :-1] * z.imag[..., 1:] - z.imag[..., :-1] * z.real[..., 1:], axis=-1)
    return area


def ring_centroid(rings: Complex) -> Complex:
    """The centroids of the areas of polygons (..., n); the mean of the vertices where there is no area.

    A polygon of not-a-numbers, one that is not drawn, has a centroid that is not a number.
    """
    z = rings - rings[..., :1]
    after = np.roll(z, -1, axis=-1)
    cross = (np.conj(z) * after).imag
    area = cross.sum(axis=-1)
    spread = np.abs(z).max(axis=-1)
    flat = ~(np.abs(area) > 1e-9 * spread**2)
    weighted = np.sum((z + after) * cross, axis=-1) * (1.0 / (3.0 * np.where(flat, 1.0, area)))
    centroid: Complex = rings[..., 0] + np.where(flat, z.mean(axis=-1), weighted)
    return centroid


def all_simple(curves: Complex, closed: bool) -> NDArray[np.bool_]:
    """Which of the curves (count, n) neither cross nor touch themselves, judged by GEOS."""
    import shapely

    points = np.stack([curves.real, curves.imag], axis=-1)
    make = shapely.linearrings if closed else shapely.linestrings
    return np.asarray(shapely.is_simple(make(points)), dtype=bool)


def count_self_crossing(drawings: Iterable[Drawing]) -> int:
    """How many drawings have a curve that touches or crosses itself."""
    return sum(any(not _is_simple(contour) for contour in drawing.contours()) for drawing in drawings)


def _is_simple(contour: Contour) -> bool:
    enough = len(contour) > 2 if contour.closed else len(contour) > 1
    return not enough or bool(all_simple(contour.complex[None], contour.closed)[0])


def estimate_crossings(curves: Sequence[Contour]) -> float:
    """About how often closed curves cross themselves and one another, from some of their edges.

    Edges that lie on each other, which are cheaper to cut, count as a fraction of a crossing.
    """
    import shapely

    closed = [np.append(curve.complex, curve.complex[:1]) for curve in curves]
    lines = [shapely.linestrings(np.stack([points.real, points.imag], axis=1)) for points in closed]
    if shapely.is_simple(shapely.multilinestrings(lines)):
        return 0.0
    start, end = (np.concatenate([points[side] for points in closed]) for side in (slice(-1), slice(1, None)))
    along = end - start
    tried = np.arange(0, len(start), max(1, len(start) // _TRIED))
    low, high = (by(start.view(float), end.view(float)).reshape(-1, 2) for by in (np.minimum, np.maximum))
    count = 0.0
    for edge in tried:
        # Two edges cross where the ends of each lie on two sides of the other.
        apart = _side(along[edge], start - start[edge]) * _side(along[edge], end - start[edge])
        seen = _side(along, start[edge] - start) * _side(along, end[edge] - start)
        count += np.count_nonzero((apart < 0.0) & (seen < 0.0))
        line = np.flatnonzero((apart == 0.0) & (seen == 0.0))  # the edge itself, and others on its line
        shared = (np.minimum(high[line], high[edge]) - np.maximum(low[line], low[edge])).max(axis=1)
        count += _OVERLAP * (np.count_nonzero(shared > 0.0) - 1)
    return 0.5 * count * len(start) / max(len(tried), 1)


def is_scribble(outline: Outline) -> bool:
    """Whether a closed outline crosses itself too often to be cut apart for an in-between."""
    return estimate_crossings([as_contour(outline.points, True)]) > _SCRIBBLE


def _side(along: Complex, to: Complex) -> Floats:
    return np.asarray((np.conj(along) * to).imag)
