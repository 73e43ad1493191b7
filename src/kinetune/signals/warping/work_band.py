r"""A band of the table of a time warp in which the best path by stretching and bending work is sure to lie.

A path first pays for every segment and every corner of both signals on its own. Where both advance together it saves
twice the lesser of the two stretches, and between two such steps twice the lesser of the two bends. Where one waits for
the other it saves no stretch, and at most one bend of the other signal for each wait. So a path with k waits saves no
more than the greatest savings of all rows but k, and the k greatest bends of either signal on top; the same holds by
columns. If that is less than what some path is known to save, no best path has k waits.

A path that is k frames off the diagonal has waited k times. The known path is the best one in a narrow band, which is
mostly all that is needed; otherwise the band becomes as wide as the count of waits allows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.rotations import Floats
from kinetune.signals.warping.search import best_path
from kinetune.signals.warping.strips import arena
from kinetune.signals.warping.work_cost import WorkCost, kernels

_SMALL = 1 << 14
"""Tables of up to so many cells are filled."""
_MARGIN = 40
"""Frames to either side of what the lengths of the signals make inevitable."""
_KEPT_BYTES = 4 << 20
"""What the steps of a band may take. Wider ones are filled in strips, without their steps."""
_SLACK = 1e-9
"""How far rounding may move the bounds, as a part of the numbers they come from."""


class Band(NamedTuple):
    """How many frames ahead of the other either signal may be."""

    a: int
    b: int

    def width(self, n: int, m: int) -> int:
        """The most cells on one anti-diagonal, in a table of n by m."""
        return min((self.a + self.b) // 2 + 1, n, m)


def work_path(cost: WorkCost) -> np.ndarray:
    """The best path by work from corner to corner, with as little of the table as it takes to be sure of it."""
    n, m = cost.frames_a, cost.frames_b
    whole = Band(n - 1, m - 1)
    if n * m <= _SMALL:
        return path_in_band(cost, whole)
    band = Band(min(max(n - m, 0) + _MARGIN, n - 1), min(max(m - n, 0) + _MARGIN, m - 1))
    if _bytes(cost, band) <= _KEPT_BYTES:
        path = path_in_band(cost, band)
        waits = most_waits(cost, cost.along(path))
        needed = Band(waits, waits + m - n)
        if needed.a <= band.a and needed.b <= band.b:
            return path
        whole = needed
    return path_in_band(cost, whole) if _bytes(cost, whole) <= _KEPT_BYTES else best_path(cost)


def most_waits(cost: WorkCost, most: float) -> int:
    """How often b can wait for a, at most, on paths of at most a cost."""
    n, m = cost.frames_a, cost.frames_b
    (long_a, turn_a), (long_b, turn_b) = cost.a, cost.b
    least = max(n - m, 0)
    # Where b waits k times, from the least number on, there are n - 1 - k steps of both signals.
    rows = _greatest(2.0 * (np.minimum(long_a, long_b.max()) + np.minimum(turn_a, turn_b.max())))
    columns = _greatest(2.0 * (np.minimum(long_b, long_a.max()) + np.minimum(turn_b, turn_a.max())))
    saved = np.minimum(rows[: n - least], columns[: n - least])[::-1]
    saved += _greatest(turn_b, n)[least:n]
    saved += _greatest(turn_a, m)[least + m - n : m]
    hopeful = saved >= (cost.alone - most) - _SLACK * cost.alone
    return least + int(np.flatnonzero(hopeful)[-1])


def _greatest(values: Floats, most: int = 0) -> Floats:
    """The sum of the k greatest values, for every k from 0 to their number, or on to ``most``."""
    sums = np.zeros(max(len(values), most) + 1)
    np.cumsum(np.sort(values)[::-1], out=sums[1 : len(values) + 1])
    sums[len(values) + 1 :] = sums[len(values)]
    return sums


def _bytes(cost: WorkCost, band: Band) -> int:
    n, m = cost.frames_a, cost.frames_b
    return (n + m - 1) * band.width(n, m)


def path_in_band(cost: WorkCost, band: Band) -> np.ndarray:
    """The best path that keeps to a band."""
    n, m = cost.frames_a, cost.frames_b
    compiled = kernels.load()
    path = np.empty((n + m, 2), dtype=np.int64)
    with arena.session():
        width = band.width(n, m)
        cells, codes = arena.take((3, 3, n + 2)), arena.take((3, width), np.uint8)
        steps = arena.take((n + m - 1, width), np.uint8)
        state = compiled.work_band(*cost.a, *cost.b_back, *band, cells, codes, steps)
        start = compiled.work_band_walk(steps, n, m, *band, state, path)
    return path[start:]
