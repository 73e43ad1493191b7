"""Curves to polygons: Bezier curves sampled so finely that nobody sees the difference.

The number of chords of each curve follows from a bound on its distance to them, so that a flat curve takes few and a
round one many; and no chord turns by more than about :data:`TURN_DEG`, so that a small circle stays round and a corner
stays the only sharp place.
"""

from __future__ import annotations

import numpy as np

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

TURN_DEG = 7.5
_MOST_CHORDS = 2048  # of one curve: with it, a curve across the whole page is exact to a millionth of its size


def flatten_cubics(controls: Floats, tolerance: float) -> Floats:
    """Points along a chain of cubic Bezier curves, without the first one.

    Parameters
    ----------
    controls : (curves, 4, 2); each curve begins where the one before it ended.
    tolerance : the largest distance between curve and polygon, in the units of the page.

    Notes
    -----
    n chords of a cubic lie within 1/8 max|B''| / n^2 of it, and max|B''| is 6 times the larger second difference of
    its control points.
    """
    counts = _cubic_chords(controls, tolerance)
    last = np.cumsum(counts) - 1
    points = np.empty((int(counts.sum()), 2))
    points[last] = controls[:, 3]
    inside = np.ones(len(points), dtype=bool)
    inside[last] = False
    where = np.flatnonzero(inside)
    which = np.searchsorted(last, where)
    t = (where - last[which] + counts[which]) / counts[which]
    s = 1.0 - t
    weights = np.stack([s**3, 3 * s * s * t, 3 * s * t * t, t**3], axis=-1)
    points[where] = np.einsum("nk,nkd->nd", weights, controls[which])
    return points


def _cubic_chords(controls: Floats, tolerance: float) -> np.ndarray:
    sides = np.diff(controls, axis=1)  # (curves, 3, 2)
    bend = np.linalg.norm(np.diff(sides, axis=1), axis=-1).max(axis=1)
    by_distance = np.sqrt(0.75 * bend / tolerance)
    by_turn = np.degrees(_turning(sides)) / TURN_DEG
    return np.clip(np.ceil(np.maximum(by_distance, by_turn)), 1, _MOST_CHORDS).astype(int)


def _turning(sides: Floats) -> Floats:
    """By how much the control polygon turns in all, radians; sides of no length do not turn."""
    a, b, c = np.moveaxis(sides, 1, 0)
    short = np.linalg.norm(sides, axis=-1) <= 1e-12 * np.linalg.norm(sides, axis=-1).max(axis=1, keepdims=True)
    b = np.where(short[:, 1, None], c, b)
    a = np.where(short[:, 0, None], b, a)
    c = np.where(short[:, 2, None], b, c)
    return _angle(a, b) + _angle(b, c)


def _angle(a: Floats, b: Floats) -> Floats:
    cross = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.abs(np.arctan2(cross, np.sum(a * b, axis=-1)))


def quadratics_to_cubics(controls: Floats) -> Floats:
    """The same curves with four control points: (curves, 3, 2) to (curves, 4, 2), exactly."""
    start, middle, end = np.moveaxis(controls, 1, 0)
    return np.stack([start, start + 2 / 3 * (middle - start), end + 2 / 3 * (middle - end), end], axis=1)


def check_tolerance(tolerance: float) -> float:
    """A tolerance that can be met, or a sentence."""
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ParameterError(f"The tolerance of a curve must be a length above 0, not {tolerance}.")
    return float(tolerance)
