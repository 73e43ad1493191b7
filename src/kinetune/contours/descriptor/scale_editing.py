"""Editing at a scale: bend the sweep of a curve and its detail rides along, or change the detail and keep the sweep.

==============  ===================================================
drag            move a control point
pull            move a sample; the control points around it follow
exaggerate      make detail larger or smaller, level by level
take_character  the sweep of one contour with the detail of another
==============  ===================================================

Detail rotates with the sweep by default: the bump on an arm stays across the arm when the arm is bent.
``detail="keep"`` leaves it as it is in the drawing, which is what adding wavelet coefficients does by itself.

Notes
-----
[chuang] sections 1 and 2.2, and Finkelstein and Salesin, "Multiresolution curves", section 3, to which it refers.
The detail of a sample is its distance from the sweep in the frame of the sweep's tangent there. What the rotation adds
to the coarse coefficients is taken out again, so that control points are exactly where they were put
(``test_scale_editing.py::test_a_dragged_control_point_is_where_it_was_put``).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.descriptor.wavelet_descriptor import Descriptor
from kinetune.contours.drawing import Contour
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import Scales, join_scales, split_scales

Detail = Literal["turn", "keep"]
_ROUNDS = 60


def drag(descriptor: Descriptor, index: int, by: ArrayLike, *, detail: Detail = "turn") -> Descriptor:
    """Move one control point by (x, y), the curve and its detail with it."""
    points = descriptor.control_points.copy()
    if not -len(points) <= index < len(points):
        raise ParameterError(f"There are control points 0 to {len(points) - 1}; there is no {index}.")
    points[index] += _pair(by)
    return bend(descriptor, points, detail=detail)


def bend(descriptor: Descriptor, control_points: ArrayLike, *, detail: Detail = "turn") -> Descriptor:
    """Give a contour another sweep, its detail riding along."""
    moved = descriptor.with_control_points(control_points)
    _check_detail(detail)
    return moved if detail == "keep" else _dress(moved.scales, descriptor.contour(), descriptor.sweep())


def pull(descriptor: Descriptor, sample: int, to: ArrayLike, *, detail: Detail = "turn") -> Descriptor:
    """Move one sample of the curve to a position; the nearby control points move as little as they must."""
    scales = descriptor.scales
    if not -scales.count <= sample < scales.count:
        raise ParameterError(f"The contour has samples 0 to {scales.count - 1}; there is no {sample}.")
    target = _pair(to)
    # How much each control point moves this sample: its basis function there.
    reach = _pull_weights(scales, sample)
    step = reach / float(np.sum(reach * reach))
    result = descriptor
    points = descriptor.control_points.copy()
    for _ in range(_ROUNDS if detail == "turn" else 1):  # rotating the detail moves the sample again, a little
        missing = target - result.contour().points[sample]
        points = points + np.outer(step, missing)
        result = bend(descriptor, points, detail=detail)
        if np.abs(result.contour().points[sample] - target).max() <= 1e-12 * np.abs(points).max():
            break
    return result


def _pull_weights(scales: Scales, sample: int) -> Floats:
    count = len(scales.coarse)
    unit = Scales(
        np.eye(count),
        tuple(np.zeros((len(d), count)) for d in scales.details),
        scales.wavelet,
        scales.count,
        scales.closed,
    )
    weights: Floats = join_scales(unit)[sample] * 2.0 ** (0.5 * scales.levels)
    return weights


def exaggerate(descriptor: Descriptor, gains: ArrayLike) -> Descriptor:
    """Make detail larger (above 1) or smaller (below 1): one factor for all levels, or one each, the coarsest first."""
    factors = np.asarray(gains, dtype=float)
    if factors.ndim and len(factors) != descriptor.levels:
        raise ParameterError(f"There are {descriptor.levels} levels of detail; got {len(factors)} gains.")
    if not np.isfinite(factors).all():
        raise ParameterError("A gain of the detail is not a number.")
    return descriptor.with_gains(factors)


def take_character(descriptor: Descriptor, other: Descriptor, *, detail: Detail = "turn") -> Descriptor:
    """The sweep of one contour with the detail of another: its "character".

    Both must have as many samples and levels, by the same wavelet. To change the sweep and keep the character, call it
    the other way round.
    """
    mine, theirs = descriptor.scales, other.scales
    if (mine.count, mine.levels, mine.wavelet, mine.closed) != (
        theirs.count,
        theirs.levels,
        theirs.wavelet,
        theirs.closed,
    ):
        raise ParameterError(
            f"Two contours exchange details if they have the same samples, levels and wavelet: got {mine.count} and "
            f"{theirs.count} samples, {mine.levels} and {theirs.levels} levels, {mine.wavelet} and {theirs.wavelet}."
        )
    _check_detail(detail)
    if detail == "keep":
        return Descriptor(Scales(mine.coarse, theirs.details, mine.wavelet, mine.count, mine.closed))
    return _dress(mine, other.contour(), other.sweep())


def _dress(scales: Scales, full: Contour, sweep: Contour) -> Descriptor:
    """Put the detail of a contour, seen from its own sweep, on the sweep of some coefficients."""
    bare = join_scales(scales.without_details())
    rotated = (full.complex - sweep.complex) * _turns(sweep.points, bare, scales.closed)
    pairs = np.stack([rotated.real, rotated.imag], axis=-1)
    detail = split_scales(pairs, scales.wavelet, scales.levels, closed=scales.closed)
    return Descriptor(Scales(scales.coarse, detail.details, scales.wavelet, scales.count, scales.closed))


def _turns(before: Floats, after: Floats, closed: bool) -> np.ndarray:
    """Rotations between two curves' tangents, as unit complex numbers (n,); 1 where one has no direction."""
    one, other = _tangents(before, closed), _tangents(after, closed)
    rotation = other * np.conj(one)
    size = np.abs(rotation)
    still = size <= 1e-24 * max(float(size.max()), 1e-300)
    return np.where(still, 1.0, rotation / np.where(still, 1.0, size))


def _tangents(points: Floats, closed: bool) -> np.ndarray:
    z = points[:, 0] + 1j * points[:, 1]
    return 0.5 * (np.roll(z, -1) - np.roll(z, 1)) if closed else np.gradient(z)


def _pair(value: ArrayLike) -> Floats:
    pair = np.asarray(value, dtype=float)
    if pair.shape != (2,) or not np.isfinite(pair).all():
        raise ParameterError(f"A position or a step is two numbers (x, y), not {value!r}.")
    return pair


def _check_detail(detail: str) -> None:
    if detail not in ("turn", "keep"):
        raise ParameterError(f'detail must be "turn" or "keep", not {detail!r}.')
