"""Curves as samples: at equal steps with the corners kept, from Bezier control points, from a pen's strokes.

==============  ============================================================
sample_evenly   a contour at equal steps of arc length; corners stay samples
sample_layers   every contour of a drawing
find_corners    the sharp points of a contour
trace_bezier    control points to a contour
trace_freehand  a hand-drawn polyline to a contour, smoothed if asked
flatten_cubics  Bezier curves to polygons that look the same
==============  ============================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.drawing import Contour, Drawing
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

CORNER_DEG = 40.0
MOST_SAMPLES = 1 << 24
_REACH = 0.005  # of the length: how far round a point a corner is looked for
TURN_DEG = 7.5  # no chord of a flattened curve turns by more than about this, so that small circles stay round
MOST_POINTS = 3_000_000  # of all curves that are flattened together
_MOST_CHORDS = 2048  # of one curve: enough to be exact to a millionth of the canvas
_CLOSENESS = 2e-5  # of the size: how near the polygon of a Bezier curve stays to it


def sample_evenly(contour: Contour, count: int = 256, *, corner_deg: float | None = CORNER_DEG) -> Contour:
    """Take samples at equal steps along a curve; corners and ends stay samples, so that nothing is rounded off.

    Parameters
    ----------
    count : int
        How many samples; take a power of two for wavelets.
    corner_deg : float or None
        A point where the curve turns by more than this is a corner and is kept; None keeps none. The steps on both
        sides of it are stretched or shrunk a little to meet it. With more corners than half of the samples, the
        sharpest are kept.

    Returns
    -------
    Contour
        Of ``count`` samples. Its first one is the first point of the input, and of an open curve the last one the last.

    Notes
    -----
    [chuang] section 2.2: t is the normalized arc length.
    Law: samples of one straight or smooth stretch are equally far apart along the curve
    (``test_sampling.py::test_samples_are_evenly_spaced``).
    """
    least = 3 if contour.closed else 2
    if not least <= count <= MOST_SAMPLES:
        raise ParameterError(
            f"A {'closed' if contour.closed else 'open'} contour takes {least} to {MOST_SAMPLES} samples, not {count}."
        )
    path, at = _measured(contour)
    steps = count if contour.closed else count - 1
    breaks = np.array([0.0, at[-1]])
    if corner_deg is not None:
        corners, angles = _corners(contour.closed, path, at, corner_deg)
        sharpest = np.argsort(-angles, kind="stable")[: steps // 2]
        breaks = np.union1d(breaks, at[corners[sharpest]])
    steps_between = _share(np.diff(breaks), steps)
    where = np.concatenate([_stations(a, b, n) for a, b, n in zip(breaks, breaks[1:], steps_between, strict=False)])
    if not contour.closed:
        where = np.append(where, at[-1])
    return contour.moved(_points_at(path, at, where))


def _stations(start: float, end: float, count: int) -> Floats:
    return start + (end - start) * np.arange(count) / count


def _measured(contour: Contour) -> tuple[Floats, Floats]:
    """The path of a contour without repeated points, and the arc length at each of its points."""
    path = contour.path
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    keep = np.concatenate([[True], steps > 0])
    at = np.concatenate([[0.0], np.cumsum(steps)])[keep]
    if not at[-1] > 0:
        raise ParameterError("All points of the contour coincide: it has no length to sample.")
    # A step that the sum swallows is a repeated point too.
    apart = np.concatenate([[True], np.diff(at) > 0])
    return path[keep][apart], at[apart]


def _points_at(path: Floats, at: Floats, where: Floats) -> Floats:
    return np.stack([np.interp(where, at, path[:, k]) for k in range(2)], axis=-1)


def _share(lengths: Floats, steps: int) -> np.ndarray:
    """How many steps each stretch gets: at least one, otherwise by length, the largest remainders first."""
    ideal = steps * lengths / lengths.sum()
    counts: np.ndarray = np.maximum(1, np.floor(ideal)).astype(int)
    while counts.sum() > steps:  # the short stretches took too many: they come from where a step matters least
        spare = np.where(counts > 1, counts / ideal, -1.0)
        counts[np.argsort(-spare, kind="stable")[: max(1, min(counts.sum() - steps, np.sum(counts > 1)))]] -= 1
    missing = steps - counts.sum()
    if missing:
        counts[np.argsort(-(ideal - counts), kind="stable")[:missing]] += 1
    return counts


def find_corners(contour: Contour, angle_deg: float = CORNER_DEG) -> np.ndarray:
    """The indices of the points where a contour turns sharply, in order.

    The angle is measured between the chords to the curve half a percent of its length before and behind a point, so
    that the chords of a round curve and the tremor of a hand make no corners. The ends of an open curve are none.
    """
    path, at = _measured(contour)
    corners, _ = _corners(contour.closed, path, at, angle_deg)
    # Repeated points were dropped from the path: name the first of each.
    steps = np.linalg.norm(np.diff(contour.path, axis=0), axis=1)
    everywhere = np.concatenate([[0.0], np.cumsum(steps)])
    indices: np.ndarray = np.searchsorted(everywhere[: len(contour)], at[corners], side="left")
    return indices


def _corners(closed: bool, path: Floats, at: Floats, angle_deg: float) -> tuple[np.ndarray, Floats]:
    """Corners of a measured path as indices into it, and how much each turns, radians."""
    if not 0 < angle_deg < 180:
        raise ParameterError(f"The angle of a corner must lie between 0 and 180 degrees; got {angle_deg}.")
    length, reach = at[-1], _REACH * at[-1]
    points = path[:-1] if closed else path[1:-1]
    here = at[:-1] if closed else at[1:-1]
    if len(points) == 0:
        return np.zeros(0, dtype=int), np.zeros(0)
    behind, ahead = here - reach, here + reach
    if closed:
        behind, ahead = behind % length, ahead % length
    else:
        behind, ahead = np.maximum(behind, 0.0), np.minimum(ahead, length)
    arriving, leaving = points - _points_at(path, at, behind), _points_at(path, at, ahead) - points
    cross = arriving[:, 0] * leaving[:, 1] - arriving[:, 1] * leaving[:, 0]
    angles = np.abs(np.arctan2(cross, np.sum(arriving * leaving, axis=1)))
    sharp = np.flatnonzero(angles > np.radians(angle_deg))
    best = _peaks(here[sharp], angles[sharp], reach, length if closed else None)
    corners = sharp[best]
    return (corners if closed else corners + 1), angles[corners]


def _peaks(at: Floats, heights: Floats, reach: float, around: float | None) -> np.ndarray:
    """Which positions are higher than all others within reach, the first of equals winning; sorted."""
    taken: list[int] = []
    blocked = np.zeros(len(at), dtype=bool)
    for index in np.argsort(-heights, kind="stable"):
        if blocked[index]:
            continue
        taken.append(int(index))
        low, high = np.searchsorted(at, [at[index] - reach, at[index] + reach], side="left")
        blocked[low:high] = True
        if around is not None:
            blocked[np.searchsorted(at, at[index] - reach + around) :] = True
            blocked[: np.searchsorted(at, at[index] + reach - around, side="right")] = True
    return np.array(sorted(taken), dtype=int)


def sample_layers(drawing: Drawing, count: int = 256, *, corner_deg: float | None = CORNER_DEG) -> Drawing:
    """The same drawing with every contour at the same number of even samples."""
    return drawing.map_contours(lambda contour: sample_evenly(contour, count, corner_deg=corner_deg))


def trace_bezier(
    controls: ArrayLike, *, closed: bool = False, degree: int = 3, tolerance: float | None = None
) -> Contour:
    """The contour that a chain of Bezier curves draws.

    Parameters
    ----------
    controls : array-like
        (n, 2) control points: the start, then two handles and an end for every cubic curve (one handle for quadratic
        ones). A closed chain may leave out its last point, which is the first again.
    tolerance : float or None
        The largest distance between curve and contour; by default 1/50,000 of the size.
    """
    if degree not in (2, 3):
        raise ParameterError(f"Bezier curves of degree 2 and 3 are known, not {degree}.")
    points = Contour(np.asarray(controls), closed).points
    if closed and len(points) % degree == 0:
        points = np.concatenate([points, points[:1]])
    if len(points) < degree + 1 or len(points) % degree != 1:
        raise ParameterError(
            f"A chain of Bezier curves of degree {degree} has {degree} n + 1 control points; got {len(points)}."
        )
    starts = np.arange(0, len(points) - 1, degree)
    curves = points[starts[:, None] + np.arange(degree + 1)]
    if degree == 2:
        curves = quadratics_to_cubics(curves)
    size = float(np.ptp(points, axis=0).max())
    near = check_tolerance(_CLOSENESS * max(size, 1e-300) if tolerance is None else tolerance)
    traced = np.concatenate([points[:1], *flatten_cubics([curves], near)])
    if closed and np.allclose(traced[0], traced[-1], rtol=0.0, atol=1e-12 * size):
        traced = traced[:-1]
    return Contour(traced, closed)


def trace_freehand(points: ArrayLike, *, closed: bool = False, smoothing: float = 0.0) -> Contour:
    """A hand's stroke as a contour: repeated points dropped, trembling smoothed away if asked.

    Parameters
    ----------
    points : array-like
        (n, 2) where the pen was, in order, however unevenly.
    smoothing : float
        The radius over which the curve is averaged, in the units of the canvas; 0 leaves it as it is. The ends of an
        open stroke stay where they are.
    """
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise ParameterError(f"smoothing must be a length of 0 or more, not {smoothing}.")
    stroke = Contour(np.asarray(points), closed)
    path, at = _measured(stroke)
    if smoothing == 0:
        return stroke.moved(path[:-1] if closed else path)
    from scipy.ndimage import gaussian_filter1d

    length = float(at[-1])
    count = int(np.clip(np.ceil(8 * length / smoothing), max(64, len(path)), 1 << 20))
    width = smoothing * count / length
    even = _points_at(path, at, np.linspace(0.0, length, count, endpoint=not closed))
    if closed:
        return stroke.moved(gaussian_filter1d(even, width, axis=0, mode="wrap"))
    # Turned about each end, so that the stroke goes on through it and the average of an end is that end.
    reach = min(count - 1, int(4 * width) + 1)
    before, behind = 2 * even[0] - even[reach:0:-1], 2 * even[-1] - even[-2 : -reach - 2 : -1]
    smooth = gaussian_filter1d(np.concatenate([before, even, behind]), width, axis=0, mode="nearest", truncate=4.0)
    smooth = smooth[reach : reach + count]
    smooth[0], smooth[-1] = even[0], even[-1]
    return stroke.moved(smooth)


def flatten_cubics(chains: Sequence[Floats], tolerance: float) -> list[Floats]:
    """Points along chains of cubic Bezier curves, of each without the first one.

    Parameters
    ----------
    chains : each (curves, 4, 2); a curve begins where the one before it ended.
    tolerance : the largest distance between curve and polygon, in the units of the canvas.

    Notes
    -----
    n chords of a cubic lie within 1/8 max|B''| / n^2 of it, and max|B''| is 6 times the larger second difference of
    its control points.
    """
    if not chains:
        return []
    controls = np.concatenate(chains)
    counts = _cubic_chords(controls, tolerance)
    last = np.cumsum(counts) - 1
    if counts.sum() > MOST_POINTS:
        raise ParameterError(f"Its curves take {counts.sum():,} points; at most {MOST_POINTS:,} are made.")
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
    ends = np.cumsum([0, *map(len, chains)])
    reached = np.concatenate([[0], last + 1])
    return [points[reached[a] : reached[b]] for a, b in pairwise(ends.tolist())]


def _cubic_chords(controls: Floats, tolerance: float) -> np.ndarray:
    sides = np.diff(controls, axis=1)  # (curves, 3, 2)
    bend = np.linalg.norm(np.diff(sides, axis=1), axis=-1).max(axis=1)
    by_distance = np.sqrt(0.75 * bend / tolerance)
    by_turn = np.degrees(_turning(sides)) / TURN_DEG
    chords: np.ndarray = np.clip(np.ceil(np.maximum(by_distance, by_turn)), 1, _MOST_CHORDS).astype(int)
    return chords


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
    angle: Floats = np.abs(np.arctan2(cross, np.sum(a * b, axis=-1)))
    return angle


def quadratics_to_cubics(controls: Floats) -> Floats:
    """The same curves with four control points: (curves, 3, 2) to (curves, 4, 2), exactly."""
    start, middle, end = np.moveaxis(controls, 1, 0)
    return np.stack([start, start + 2 / 3 * (middle - start), end + 2 / 3 * (middle - end), end], axis=1)


def check_tolerance(tolerance: float) -> float:
    """The tolerance, if it can be met."""
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ParameterError(f"The tolerance of a curve must be a length above 0, not {tolerance}.")
    return float(tolerance)
