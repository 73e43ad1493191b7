"""The shapes between two matched curves, compiled.

``test_intrinsic_interpolation.py`` holds it against a version in NumPy that follows the definition.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_TINY = 1e-300
_CANCELS = 1e-4  # of the spread: an area this small says nothing about the size of a shape
_UNEVEN = 1e-13  # by which the steps of even times may differ
_FLAT = 1e-9  # of the square of its extent: the area of a shape whose centroid is the mean of its vertices


@njit(**INNER)
def _measure(z: Complexes, closed: bool, lengths: Array, bends: Array) -> float:
    """Fill in edge lengths, the last one back to the start, and the angles between edges; the length of the curve."""
    n = z.size
    before = z[0] - z[n - 1]
    total = 0.0
    for i in range(n):
        step = z[(i + 1) % n] - z[i]
        lengths[i] = np.hypot(step.real, step.imag)
        bend = step * np.conj(before)
        bends[i] = np.arctan2(bend.imag, bend.real)
        before = step
        if closed or i < n - 1:
            total += lengths[i]
    return max(total, _TINY)


@njit(**INNER)
def _middle(z: Complexes, weights: Array) -> complex:
    middle = 0j
    for i in range(z.size):
        middle += weights[i] * z[i]
    return middle


@njit(**INNER)
def _spread(z: Complexes, middle: complex, weights: Array) -> float:
    """The mean square distance of points from their middle."""
    spread = 0.0
    for i in range(z.size):
        off = z[i] - middle
        spread += weights[i] * (off.real * off.real + off.imag * off.imag)
    return spread


@njit(**INNER)
def _area_and_centroid(z: Complexes) -> tuple[float, complex]:
    n = z.size
    area, weighted, mean, extent = 0.0, 0j, 0j, 0.0
    for i in range(n):
        one, other = z[i] - z[0], z[(i + 1) % n] - z[0]
        cross = one.real * other.imag - one.imag * other.real
        area += cross
        weighted += (one + other) * cross
        mean += one
        extent = max(extent, one.real * one.real + one.imag * one.imag)
    if abs(area) > _FLAT * extent:
        return 0.5 * area, z[0] + weighted / (3.0 * area)
    return 0.5 * area, z[0] + mean / n


@njit(**INNER)
def _even(times: Array) -> bool:
    """Whether times have one distance."""
    worst = 0.0
    for k in range(2, times.size):
        worst = max(worst, abs((times[k] - times[k - 1]) - (times[1] - times[0])))
    return worst <= _UNEVEN


@njit(cache=True, nogil=True)
def shapes_between(
    a: Complexes, b: Complexes, times: Array, rotation: float, closed: bool, sized: bool, bent: Array
) -> Complexes:
    """Shapes (times, n) between curves of one row for all times, or of a row for each.

    bent : how much is left of every bend at each time; nothing where none is opened.
    """
    n = a.shape[1]
    shapes = np.empty((times.size, n), np.complex128)
    length_a, length_b, bend_a, bend_b = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    weights = np.empty(n)
    middle_a, middle_b, centroid_a, centroid_b, turn_back = 0j, 0j, 0j, 0j, np.exp(-1j * rotation)
    size_a, size_b, radius_a, radius_b = 0.0, 0.0, 0.0, 0.0
    # At even times every edge turns by the same angle from one to the next: no sines are needed after the first.
    stepping = a.shape[0] == 1 and not bent.size and _even(times)
    heads, turns = np.empty(n, np.complex128), np.empty(n, np.complex128)
    for row in range(times.size):
        k = row if a.shape[0] > 1 else 0
        za, zb, t = a[k], b[k], times[row]
        if row == 0 or k > 0:
            total_a, total_b = _measure(za, closed, length_a, bend_a), _measure(zb, closed, length_b, bend_b)
            share_before = 0.5 * (length_a[n - 1] / total_a + length_b[n - 1] / total_b) if closed else 0.0
            for i in range(n):
                share = 0.5 * (length_a[i] / total_a + length_b[i] / total_b) if closed or i < n - 1 else 0.0
                weights[i] = 0.5 * (share + share_before)
                share_before = share
            middle_a, middle_b = _middle(za, weights), _middle(zb, weights)
            radius_a = np.sqrt(_spread(za, middle_a, weights))
            radius_b = np.sqrt(_spread(zb, middle_b, weights))
            area, centroid_a = _area_and_centroid(za)
            size_a = np.sqrt(abs(area))
            area, centroid_b = _area_and_centroid(zb)
            size_b = np.sqrt(abs(area))
        shape = shapes[row]
        share_of_bends = bent[row] if bent.size else 1.0
        heading, change, length, lack = 0.0, 0.0, 0.0, 0j
        for i in range(n):  # the edges first
            edge = (1.0 - t) * length_a[i] + t * length_b[i]
            if stepping and row > 0:
                heads[i] *= turns[i]
            else:
                heading += (1.0 - t) * bend_a[i] + t * bend_b[i]
                angle = share_of_bends * heading
                heads[i] = complex(np.cos(angle), np.sin(angle))
                if stepping and times.size > 1:
                    change += (times[1] - times[0]) * (bend_b[i] - bend_a[i])
                    turns[i] = complex(np.cos(change), np.sin(change))
            shape[i] = edge * heads[i]
            length += edge
            lack += shape[i]
        lack = lack / max(length, _TINY) if closed else 0j
        at = 0j
        for i in range(n):
            step = shape[i] - ((1.0 - t) * length_a[i] + t * length_b[i]) * lack
            shape[i] = at
            at += step
        middle = _middle(shape, weights)
        spread = _spread(shape, middle, weights)
        if bent.size:
            factor = ((1.0 - t) * radius_a + t * radius_b) / max(np.sqrt(spread), _TINY)
            for i in range(n):
                shape[i] *= factor
            middle *= factor
            spread *= factor * factor
        fit, turn = 0j, np.exp(1j * rotation * t)
        for i in range(n):
            target = turn * ((1.0 - t) * (za[i] - middle_a) + t * (zb[i] - middle_b) * turn_back)
            fit += weights[i] * np.conj(shape[i] - middle) * target
        scale, balance, centre = 1.0, middle, (1.0 - t) * middle_a + t * middle_b
        if closed and sized:
            centre = (1.0 - t) * centroid_a + t * centroid_b
            area, centroid = _area_and_centroid(shape)
            if area > _CANCELS * spread:
                scale, balance = ((1.0 - t) * size_a + t * size_b) / np.sqrt(area), centroid
        lie = np.arctan2(fit.imag, fit.real)
        lie_and_size = complex(scale * np.cos(lie), scale * np.sin(lie))
        for i in range(n):
            shape[i] = centre + lie_and_size * (shape[i] - balance)
    return shapes


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    square = np.array([[0, 1, 1 + 1j, 1j]], dtype=np.complex128)
    shapes_between(square, square, np.array([0.5]), 0.0, True, True, np.empty(0))
