"""Shapes between two shapes, by their edges and bends instead of their points: limbs swing and do not shrink."""

from __future__ import annotations

import numpy as np

from kinetune.contours.matching.outline_alignment import spin_cost
from kinetune.contours.outlines import Complex, ring_area, ring_centroid
from kinetune.rotations import Floats

_JUDGED = np.linspace(0.0, 1.0, 9)  # the times at which strain is judged, for any frames


def rigid_rotation(a: Complex, b: Complex, closed: bool = True) -> float:
    """The rotation that brings matched curve a closest to b, radians in (-pi, pi]."""
    return rigid_fit(a, b, closed)[0]


def rigid_fit(a: Complex, b: Complex, closed: bool = True) -> tuple[float, float]:
    """The rotation that brings matched curve a closest to b, and how well it then fits, at most 1, in any size."""
    weights = _weights(a, b, closed)
    one, other = a - weights @ a, b - weights @ b
    fit = np.sum(weights * np.conj(one) * other)
    sizes = np.sqrt((weights @ np.abs(one) ** 2) * (weights @ np.abs(other) ** 2))
    return float(np.angle(fit)), float(np.abs(fit) / max(sizes, 1e-300))


def _weights(a: Complex, b: Complex, closed: bool) -> Floats:
    """How much of the length belongs to every vertex (..., n): half of each edge beside it, a mean over both curves."""
    shares = []
    for z in (a, b):
        edges = np.abs(np.roll(z, -1, axis=-1) - z)
        if not closed:
            edges[..., -1] = 0.0
        shares.append(edges / edges.sum(axis=-1, keepdims=True))
    share = 0.5 * (shares[0] + shares[1])
    weights: Floats = 0.5 * (share + np.roll(share, 1, axis=-1))
    return weights


def interpolate(
    a: Complex,
    b: Complex,
    times: Floats,
    *,
    closed: bool = True,
    rotation: float | None = None,
    sized: bool = True,
    bent: Floats | None = None,
) -> Complex:
    """The shapes between two matched curves, (times, n).

    Parameters
    ----------
    a, b : (n,), vertex i becoming vertex i; or (times, n), two curves of their own for every time.
    times : from 0 (a) to 1 (b).
    rotation : of the shape on the way; the rigid rotation between both when left out.
    sized : make a closed shape as large as it should be by its area; False for one that crosses itself, whose area
        says nothing.
    bent : (times,), of open curves: how much of every bend is left, 1 for all and 0 for a straight line. Such a curve
        is made as large as it should be by the distance of its points from their middle.

    Notes
    -----
    Edge lengths l_i and exterior angles are interpolated linearly. What the edge vectors of a closed curve then lack
    to close, E, is taken from each in proportion, (l_i / sum l) E. The shape is rotated to lie as in the rigid-linear
    morph, made as large as the square roots of both areas, interpolated, and put where the centroids, interpolated,
    are. Without the size correction shapes bulge half way, to 1.44 times the area in the median.
    Law: at times 0 and 1 it gives a and b (``test_intrinsic.py::test_ends_are_the_shapes``).
    """
    t = np.asarray(times, dtype=float)[:, None]
    rotation = rigid_rotation(a, b, closed) if rotation is None else rotation
    (length_a, bend_a), (length_b, bend_b) = _edges(a), _edges(b)
    lengths = (1.0 - t) * length_a + t * length_b
    heading = np.cumsum((1.0 - t) * bend_a + t * bend_b, axis=1)
    if bent is not None:
        heading *= bent[:, None]
    steps = lengths * np.exp(1j * heading)
    if closed:
        steps -= lengths / lengths.sum(axis=1, keepdims=True) * steps.sum(axis=1, keepdims=True)
    shape = np.cumsum(steps, axis=1) - steps
    if bent is not None:
        weights = _weights(a, b, closed)
        radius = (1.0 - t) * _radius(a, weights) + t * _radius(b, weights)
        shape *= radius / _radius(shape, weights)
    return _placed(shape, a, b, t, rotation, closed, sized)


def _radius(z: Complex, weights: Floats) -> Floats:
    """How far the points of curves (..., n) are from their middle, root mean square, (..., 1)."""
    middle = np.sum(weights * z, axis=-1, keepdims=True)
    radius: Floats = np.sqrt(np.sum(weights * np.abs(z - middle) ** 2, axis=-1, keepdims=True))
    return radius


def _edges(z: Complex) -> tuple[Floats, Floats]:
    """Edge lengths (..., n), the last one back to the start, and the angle from the edge before to each edge."""
    steps = np.roll(z, -1, axis=-1) - z
    return np.abs(steps), np.angle(steps * np.conj(np.roll(steps, 1, axis=-1)))


def _placed(shape: Complex, a: Complex, b: Complex, t: Floats, rotation: float, closed: bool, sized: bool) -> Complex:
    """Shapes (times, n) rotated, scaled and moved to lie between a and b."""
    weights = _weights(a, b, closed)
    middle_a, middle_b = (np.sum(weights * z, axis=-1, keepdims=True) for z in (a, b))
    target = np.exp(1j * rotation * t) * ((1.0 - t) * (a - middle_a) + t * (b - middle_b) * np.exp(-1j * rotation))
    middle = np.sum(weights * shape, axis=-1, keepdims=True)
    lie = np.angle(np.sum(weights * np.conj(shape - middle) * target, axis=-1, keepdims=True))
    if not (closed and sized):
        placed: Complex = (1.0 - t) * middle_a + t * middle_b + np.exp(1j * lie) * (shape - middle)
        return placed
    area = ring_area(shape)[:, None]
    size = (1.0 - t) * np.sqrt(np.abs(ring_area(a)))[..., None] + t * np.sqrt(np.abs(ring_area(b)))[..., None]
    spread = np.sum(weights * np.abs(shape - middle) ** 2, axis=-1, keepdims=True)
    sound = area > 1e-4 * spread  # an area that cancels says nothing about the size
    scale = np.where(sound, size / np.sqrt(np.where(sound, area, 1.0)), 1.0)
    balance = np.where(sound, ring_centroid(shape)[:, None], middle)
    centre = (1.0 - t) * ring_centroid(a)[..., None] + t * ring_centroid(b)[..., None]
    placed = centre + scale * np.exp(1j * lie) * (shape - balance)
    return placed


def strain(a: Complex, b: Complex, upright: float | None = None) -> float:
    """How much a closed shape is distorted from a to the matched b, (n,) each: 0 for not at all; above 0.6 it shows.

    The sum of three terms: how far points travel about the middle of the shape, apart from its rotation, in units
    of its size; the share of its outline that a shape loses or gains half way, beyond what the two ends ask for (one
    whose limbs are swallowed by its body, to grow again elsewhere, loses nearly half of it); and what its rotation
    costs (see ``spin_cost``, which also explains ``upright``).
    """
    weights, rotation = _weights(a, b, True), rigid_rotation(a, b)
    frames = interpolate(a, b, _JUDGED, rotation=rotation)
    about = (frames - (frames @ weights)[:, None]) * np.exp(-1j * rotation * _JUDGED)[:, None]
    radius = np.sqrt(np.abs(about[[0, -1]]) ** 2 @ weights).mean()
    travel = weights @ np.abs(np.diff(about, axis=0)).sum(axis=0) / (2.0 * radius)
    lengths = _edges(frames)[0].sum(axis=1)
    change = lengths / ((1.0 - _JUDGED) * lengths[0] + _JUDGED * lengths[-1])
    return float(travel + np.ptp(change) + spin_cost(np.array(rotation), travel, upright))
