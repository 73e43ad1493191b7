"""The last resort against crossings: both shapes lose their detail on the way and get it back.

Curve-shortening flow smooths a simple closed curve into a circle without ever crossing itself.
Between smoothed versions of both shapes there is always a morph without a crossing; the guard looks for the least
smoothing that is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from kinetune.contours.outlines import Complex, ring_area, ring_centroid
from kinetune.rotations import Floats

_ROUND = 1.004  # length squared over 4 pi area at which a curve counts as a circle
_MOST_STEPS = 800
_FIRST_STEP, _LARGEST_STEP, _GROWTH = 2e-4, 6e-3, 1.02  # of the area
_RUNGS = 14
_LEAST = 4e-4


class CurveShortening:
    """A closed curve (n,) that is smoothed more and more, to a circle; area, centroid and vertex spacing stay.

    Notes
    -----
    z_t = z_ss by implicit steps on the polygon (a cyclic tridiagonal system), vertices put back to their shares of
    the length after each, area and centroid restored.
    """

    def __init__(self, z: Complex) -> None:
        area, centre = float(ring_area(z)), ring_centroid(z)
        edges = np.abs(np.roll(z, -1) - z)
        shares = (np.cumsum(edges) - edges) / edges.sum()
        stages, amounts = [z], [0.0]
        step = _FIRST_STEP * area
        for _ in range(_MOST_STEPS):
            z = _along(_shorten(z, step), shares)
            z = centre + (z - ring_centroid(z)) * np.sqrt(area / max(float(ring_area(z)), 1e-12 * area))
            stages.append(z)
            amounts.append(amounts[-1] + step / area)
            if float(np.sum(np.abs(np.roll(z, -1) - z))) ** 2 < _ROUND * 4 * np.pi * area:
                break
            step = min(step * _GROWTH, _LARGEST_STEP * area)
        self.stages = np.stack(stages)
        self.amounts = np.array(amounts)

    @property
    def end(self) -> float:
        """The amount of smoothing that makes a circle."""
        return float(self.amounts[-1])

    def __call__(self, amounts: Floats) -> Complex:
        """The curve at amounts of smoothing, (amounts, n)."""
        at = np.clip(amounts, 0.0, self.end)
        k = np.clip(np.searchsorted(self.amounts, at, side="right") - 1, 0, len(self.amounts) - 2)
        share = ((at - self.amounts[k]) / (self.amounts[k + 1] - self.amounts[k]))[:, None]
        curve: Complex = (1.0 - share) * self.stages[k] + share * self.stages[k + 1]
        return curve


def _shorten(z: Complex, step: float) -> Complex:
    """One implicit step of curve-shortening flow: solve (1 - step L) z' = z with the polygon's own Laplacian L."""
    from scipy.linalg import solve_banded

    edge = np.abs(np.roll(z, -1) - z)
    edge = np.maximum(edge, 1e-9 * edge.sum())
    before = np.roll(edge, 1)
    cell = 0.5 * (edge + before)
    upper, lower = -step / (edge * cell), -step / (before * cell)
    diagonal = 1.0 - upper - lower
    # The two corners of the cyclic matrix are a rank-one change (Sherman and Morrison).
    gamma = -diagonal[0]
    banded = np.zeros((3, len(z)))
    banded[0, 1:], banded[2, :-1] = upper[:-1], lower[1:]
    banded[1] = diagonal
    banded[1, 0] -= gamma
    banded[1, -1] -= lower[0] * upper[-1] / gamma
    change = np.zeros(len(z))
    change[0], change[-1] = gamma, upper[-1]
    x = solve_banded((1, 1), banded, np.stack([z.real, z.imag, change], axis=-1), check_finite=False)
    ratio = lower[0] / gamma
    share = (x[0, :2] + ratio * x[-1, :2]) / (1.0 + x[0, 2] + ratio * x[-1, 2])
    points = x[:, :2] - x[:, 2:] * share
    shorter: Complex = points[:, 0] + 1j * points[:, 1]
    return shorter


def _along(z: Complex, shares: Floats) -> Complex:
    path = np.append(z, z[:1])
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(path)))])
    at = shares * length[-1]
    points: Complex = np.interp(at, length, path.real) + 1j * np.interp(at, length, path.imag)
    return points


def interpolate_smoothed(
    a: Complex,
    b: Complex,
    times: Floats,
    between: Callable[[Complex, Complex, Floats], Complex],
    sound: Callable[[Complex], bool],
) -> tuple[Complex, float] | None:
    """Frames (times, n) between two matched simple closed curves without a crossing, and the smoothing it took.

    Parameters
    ----------
    between : the interpolation of curves (times, n) and (times, n) at times.
    sound : whether frames (times, n) are free of crossings.
    """
    flow_a, flow_b = CurveShortening(a), CurveShortening(b)
    ladder = np.geomspace(_LEAST, max(flow_a.end, flow_b.end), _RUNGS)
    for schedules in ((_gentle, _overlapping), (_one_after_the_other,)):
        for most, schedule in itertools.product(ladder.tolist(), schedules):
            smoothing, t = schedule(times, most)
            frames = between(flow_a(smoothing), flow_b(smoothing), t)
            if sound(frames):
                return frames, most
    return None


def _gentle(times: Floats, most: float) -> tuple[Floats, Floats]:
    """Smoothing that takes nearly half the film to come, and as long to go."""
    return _amount(np.minimum(1.0, 1.2 * np.sin(np.pi * times)), most), times


def _overlapping(times: Floats, most: float) -> tuple[Floats, Floats]:
    """Smoothing that comes and goes quickly, at both ends of the film."""
    return _amount(np.minimum(1.0, 2.5 * np.sin(np.pi * times)), most), times


def _one_after_the_other(times: Floats, most: float) -> tuple[Floats, Floats]:
    """Smooth the first shape, then morph, then sharpen the second."""
    near = np.minimum(times, 1.0 - times)
    return _amount(np.minimum(1.0, near / 0.35), most), np.clip((times - 0.35) / 0.3, 0.0, 1.0)


def _amount(share: Floats, most: float) -> Floats:
    """An amount of smoothing from shares of the most: by factors, as each factor takes out the next larger detail."""
    return _LEAST * ((most / _LEAST + 1.0) ** share - 1.0)
