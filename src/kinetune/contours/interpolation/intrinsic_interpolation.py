"""Shapes between two shapes, by their edges and bends instead of their points: limbs swing and do not shrink."""

from __future__ import annotations

import numpy as np

from kinetune.contours.matching.outline_alignment import spin_cost
from kinetune.contours.outlines import Complex
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.contours.interpolation.intrinsic_kernels")

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
    share: Floats = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    for z in (a, b):
        edges = np.empty(z.shape)
        edges[..., :-1] = np.abs(z[..., 1:] - z[..., :-1])
        edges[..., -1] = np.abs(z[..., 0] - z[..., -1]) if closed else 0.0
        share += 0.5 * edges / edges.sum(axis=-1, keepdims=True)
    weights: Floats = 0.5 * share
    weights[..., 1:] += 0.5 * share[..., :-1]
    weights[..., 0] += 0.5 * share[..., -1]
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
    rotation = rigid_rotation(a, b, closed) if rotation is None else rotation
    one, other = (np.ascontiguousarray(np.atleast_2d(z), dtype=np.complex128) for z in (a, b))
    moments = np.ascontiguousarray(times, dtype=np.float64)
    opened = np.empty(0) if bent is None else np.ascontiguousarray(bent, dtype=np.float64)
    shapes: Complex = _kernels.load().shapes_between(one, other, moments, float(rotation), closed, sized, opened)
    return shapes


def strain(a: Complex, b: Complex, upright: float | None = None) -> float:
    """How much a closed shape is distorted from a to the matched b, (n,) each: 0 for not at all; above 0.6 it shows.

    The sum of three terms: how far points travel about the middle of the shape, apart from its rotation, in units
    of its size; the share of its outline that a shape loses or gains half way, beyond what the two ends ask for (one
    whose limbs are swallowed by its body, to grow again elsewhere, loses nearly half of it); and what its rotation
    costs (see ``spin_cost``, which also explains ``upright``).
    """
    weights, rotation = _weights(a, b, True), rigid_rotation(a, b)
    frames = interpolate(a, b, _JUDGED, rotation=rotation)
    # Sums, as a product of matrices this small waits for the threads of BLAS.
    about = (frames - (frames * weights).sum(axis=1, keepdims=True)) * np.exp(-1j * rotation * _JUDGED)[:, None]
    radius = np.sqrt((np.abs(about[[0, -1]]) ** 2 * weights).sum(axis=1)).mean()
    travel = (weights * np.abs(np.diff(about, axis=0))).sum() / (2.0 * radius)
    lengths = np.abs(np.diff(frames, axis=1, append=frames[:, :1])).sum(axis=1)
    change = lengths / ((1.0 - _JUDGED) * lengths[0] + _JUDGED * lengths[-1])
    return float(travel + np.ptp(change) + spin_cost(np.array(rotation), travel, upright))
