r"""Time curves with bounded tempo: which moments correspond, without halts and leaps.

============  ==========================================================================================
limited_warp  for each frame of one signal the corresponding moment of another, smooth and within limits
find_limited  where within a longer signal another one is, within the same limits
TimeCurve     these moments, and the frames that have one
============  ==========================================================================================

The best path of a plain time warp may stay at one frame for as long as it likes, and then run through many. A motion
that is played along it freezes and leaps. Here neither signal runs more than twice as fast as the other at any moment:
Sakoe and Chiba's symmetric steps of slope 1/2, 1 and 2. The best such path is found exactly, by dynamic programming
over all pairs of frames; a smooth curve is then fitted near it, which lowers the same distance further:

.. math:: \sum_i |a_i - b(\tau_i)|^2 + \lambda \sum_i (\tau_{i-1} - 2 \tau_i + \tau_{i+1})^2

with open ends, what only one of the two signals has at an end is left out, at a price for each frame.

[sakoe] H. Sakoe and S. Chiba, "Dynamic programming algorithm optimization for spoken word recognition", 1978, table 1,
symmetric form with P = 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.banded_solve import solve_banded

MOST_TEMPO = 2.0
"""How many times faster than the other either signal may run."""

_ROUNDS = 6
_NO_PARTNER = 0.8  # of the mean distance of any two frames: what a frame without a partner costs
_MOST_LEFT_OUT = 0.45  # of a signal, at either end
_kernels = Kernels("kinetune.signals.warping.limited_warp_kernels")


class TimeCurve(NamedTuple):
    """Corresponding moments of two signals.

    start, stop : the frames of a that have a counterpart, stop excluded.
    times : (stop - start,) fractional frames of b, increasing.
    cost : the mean distance along the best path, with the price of what was left out, as a share of the mean distance
        of any two frames: 0 for equal signals, near 1 for signals that have nothing in common. Infinite without a path.
    """

    start: int
    stop: int
    times: Floats
    cost: float


def limited_warp(
    a: Floats, b: Floats, *, open_ends: bool = False, window: float | None = None, smoothing: float = 4.0
) -> TimeCurve:
    """The moment of b that corresponds to each frame of a; neither runs more than twice as fast as the other.

    Parameters
    ----------
    a, b : arrays, shapes (frames, channels)
        Signals of about the same pace, as by sampling one more densely.
    open_ends : bool
        Leave out what only one of them has at an end. Otherwise first frames correspond, and so do last ones; then the
        lengths must not differ by more than a factor of two.
    window : float or None
        How many frames of a the correspondence may be from an even one.
    smoothing : float
        Over how many frames of a the tempo changes smoothly.

    Notes
    -----
    Laws (``tests/signals/warping/test_limited_warp.py``): the path is the best of all within the limits (against a
    naive search); the tempo of the curve is within the limits; a signal onto itself is the identity; the curve never
    costs more than the path.
    """
    distances = _distances(a, b)
    even = np.linspace(0.0, len(b) - 1.0, len(a))
    reach = np.inf if window is None else max(window, 2.0) * (len(b) - 1.0) / max(len(a) - 1.0, 1.0)
    if window is not None:
        distances[np.abs(np.arange(len(b)) - even[:, None]) > reach] = np.inf
    left_out, mean = (0, 0, 0.0), float(distances[np.isfinite(distances)].mean()) or 1.0
    if open_ends:
        left_out = (int(_MOST_LEFT_OUT * len(a)), int(_MOST_LEFT_OUT * len(b)), _NO_PARTNER * mean)
    path, cost = _path(distances, left_out)
    if not np.isfinite(cost):
        path = np.array([[0, 0], [len(a) - 1, len(b) - 1]])
    start, stop = int(path[0, 0]), int(path[-1, 0]) + 1
    times = np.interp(np.arange(start, stop), path[:, 0], path[:, 1])
    times = _smoothed(a[start:stop], b, times, smoothing)
    times = np.clip(times, even[start:stop] - reach, even[start:stop] + reach)
    return TimeCurve(start, stop, times, cost / (len(a) + len(b)) / mean)


def find_limited(a: Floats, b: Floats, *, whole: bool = False) -> tuple[np.ndarray, float]:
    """Where in b the signal a is, at half to twice its tempo.

    Parameters
    ----------
    a, b : arrays, shapes (frames, channels)
        At the same rate.
    whole : bool
        Match all of b, from first frame to last.

    Returns
    -------
    path : int array, shape (steps, 2)
        Corresponding frames of a, all of it, and of b.
    distance : float
        The mean distance along the path, each frame of either signal counted once. Infinite where b is too short, or
        too long to be matched as a whole; the path then is empty.
    """
    path, cost = _path(_distances(a, b).astype(float, copy=False), (0, 0 if whole else len(b), 0.0))
    if not np.isfinite(cost):
        return np.zeros((0, 2), np.int64), float("inf")
    return path, cost / float(np.sum(path[-1] - path[0]) + 2)


def _distances(a: Floats, b: Floats) -> Floats:
    squares = np.einsum("ik,ik->i", a, a)[:, None] + np.einsum("ik,ik->i", b, b) - 2.0 * a @ b.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _path(distances: Floats, left_out: tuple[int, int, float]) -> tuple[np.ndarray, float]:
    """The best path (steps, 2) and its cost; ``left_out``: how many frames of each may be, at what price."""
    path, cost = _kernels.load().limited_path(distances, *left_out)
    return path, float(cost)


def _smoothed(a: Floats, b: Floats, times: Floats, smoothing: float) -> Floats:
    """A smooth curve near a path, by Gauss and Newton; its ends stay."""
    count = len(times)
    if count < 5:
        return times
    slopes = np.gradient(b, axis=0)
    stiffness = smoothing**4 * float(np.mean(np.einsum("ik,ik->i", slopes, slopes)))
    if stiffness <= 0.0:
        return np.linspace(times[0], times[-1], count)
    band = np.zeros((3, count))
    for offset, entry in ((0, 1.0), (1, -2.0), (2, 1.0)):  # D'D of second differences, its lower diagonals
        for other, its in ((0, 1.0), (1, -2.0), (2, 1.0)):
            if other >= offset:
                band[other - offset, offset : count - 2 + offset] += stiffness * entry * its
    best, least = times, np.inf
    for _ in range(_ROUNDS + 1):
        apart, slope = _read(b, times) - a, _read(slopes, times)
        bend = np.diff(times, 2)
        cost = float(np.sum(apart**2) + stiffness * np.sum(bend**2))
        if cost < least:
            best, least = times, cost
        right = -np.einsum("ik,ik->i", apart, slope)
        for offset, entry in ((0, 1.0), (1, -2.0), (2, 1.0)):
            right[offset : count - 2 + offset] -= stiffness * entry * bend
        matrix = np.array(band)
        matrix[0] += np.einsum("ik,ik->i", slope, slope) + 1e-9 * stiffness
        inner = matrix[:, 1:-1].copy()
        change = np.zeros(count)
        change[1:-1] = solve_banded(inner, right[1:-1])
        times = _within_limits(times + change, times[0], times[-1])
    return best


def _read(x: Floats, at: Floats) -> Floats:
    """A signal at fractional frames, in straight lines between them."""
    at = np.clip(at, 0.0, len(x) - 1.0)
    whole = np.minimum(at.astype(int), max(len(x) - 2, 0))
    part = (at - whole)[:, None]
    return np.asarray(x[whole] * (1.0 - part) + x[np.minimum(whole + 1, len(x) - 1)] * part)


def _within_limits(times: Floats, first: float, last: float) -> Floats:
    """The curve with steps within the limits, between the same ends."""
    steps = np.clip(np.diff(times), 1.0 / MOST_TEMPO, MOST_TEMPO)
    missing = (last - first) - float(steps.sum())
    room = MOST_TEMPO - steps if missing > 0.0 else steps - 1.0 / MOST_TEMPO
    if room.sum() > 0.0:
        steps = steps + np.clip(missing / room.sum(), -1.0, 1.0) * room
    curve = first + np.concatenate([[0.0], np.cumsum(steps)])
    curve = first + (curve - first) * ((last - first) / (curve[-1] - first))
    curve[-1] = last
    return np.asarray(curve)
