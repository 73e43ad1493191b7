r"""A coarse look at two signals before the table of their time warp is filled.

Both signals are cut into blocks of a few frames. What is known of a block is the mean pose of its frames and how far
they are from it. The best path through the means says where to look, and two frames are never closer than their blocks
allow: a lower bound for every distance in the table.

Noise would blur such bounds, since it moves every frame away from the mean, each in a direction of its own. So means
and radii are taken in a few directions only, in which the poses differ most. For all other directions together it is
known how far the frames of a block are from 0; two frames are no closer than the difference of those lengths. Both
parts add by Pythagoras.

A step to a cell of distance d goes at most one frame ahead in either signal, so it costs no less than a part s of d for
the frame of a and 1 - s for that of b, for any s from 0 to 1. So a path costs no less than its length in the table,
down and across, with each block's lower bound for a weight. Where weights are constant by blocks the least such length
is found along the blocks' edges, each with the lesser weight of its two sides (:meth:`Blocks.least_ahead`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warping.pose_cost import PoseCost, distances, four_sums
from kinetune.signals.warping.strips import INF

SLACK = 1e-7
"""How far rounding may move the bounds, as a part of the numbers they come from."""
kernels = Kernels("kinetune.signals.warping.pose_corridor_kernels")
NUMPY_S_PER_CELL = 1e-7
_DIRECTIONS, _SAMPLES = 12, 16
_MANY = 1500
"""From so many frames of both signals on it pays to look for directions."""


class _Side(NamedTuple):
    """One signal in blocks.

    means, squares : (blocks, directions) the mean poses, and the squares of their lengths.
    radii : how far frames are from the mean, at most.
    least, most : how long frames are in all other directions.
    sizes : the number of frames.
    """

    means: Floats
    squares: Floats
    radii: Floats
    least: Floats
    most: Floats
    sizes: Floats


class Blocks:
    """Two signals in blocks of ``size`` frames.

    nearest : (blocks of a, blocks of b) the least distances that their frames may have, once :meth:`corridor` has run.
    """

    def __init__(self, cost: PoseCost, size: int) -> None:
        self.size = size
        self._slack = SLACK * cost.reach
        axes = _main_axes(cost.a, cost.b, size)
        self._share = cost.frames_a / (cost.frames_a + cost.frames_b)
        self._a = _side(cost.a, cost.xx, axes, size, self._slack)
        self._b = _side(cost.b, cost.yy, axes, size, self._slack)
        self.nearest = self._a.means @ self._b.means.T

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of blocks of a and of b."""
        return len(self._a.radii), len(self._b.radii)

    @property
    def slack(self) -> float:
        """What is taken off a distance that comes of a matrix product, before it counts as a lower bound."""
        return 2.0 * self._slack

    def corridor(self, high: int, margin: int) -> tuple[np.ndarray, np.ndarray, bool]:
        """The blocks of b around the best path through the means, for strips of ``high`` blocks of a.

        Returns the first of each strip, the one after its last, and whether the signals come much nearer along that
        path than elsewhere.
        """
        strips = -(-len(self._a.radii) // high)
        firsts, lasts = np.empty(strips, np.int64), np.empty(strips, np.int64)
        along, everywhere = _body(self.nearest.size).coarse_corridor(
            *self._a[1:5], *self._b[1:5], self.nearest, high, margin, firsts, lasts
        )
        return firsts, lasts, along < 0.5 * everywhere

    def least_ahead(self, most: float, share: float | None = None) -> Floats:
        """The least cost from each corner of the blocks to the end; infinite where it is more than ``most``.

        share : what a frame of a counts, as a part of the distance; a frame of b counts the rest.
        """
        ahead = np.full((self.nearest.shape[0] + 1, self.nearest.shape[1] + 1), INF)
        _body(self.nearest.size).least_ahead(self.nearest, *self._weights(share), most, ahead)
        return ahead

    def _weights(self, share: float | None = None) -> tuple[Floats, Floats]:
        share = self._share if share is None else share
        return self._a.sizes * share, self._b.sizes * (1.0 - share)

    def hopeful(
        self, top: int, high: int, row: Floats, ahead: Floats, most: float, first: int, last: int
    ) -> tuple[int, int]:
        """The first block of b in a strip that paths of at most a cost can touch, and the one after the last.

        top, high : the strip's first block of a, and how many it has.
        row : the costs to the cells of the row above, that of column j at j + 1.
        first, last : the blocks of b that the strip above has.
        """
        found: tuple[int, int] = _body(high * self.nearest.shape[1]).hopeful(
            self.nearest, *self._weights(), self.size, top, high, row, ahead, most, first, last
        )
        return found


def _main_axes(a: Floats, b: Floats, size: int) -> Floats | None:
    """Directions (channels, few) in which the poses of both signals differ most, by a few samples; None for all."""
    if a.shape[1] < 2 * _DIRECTIONS or len(a) + len(b) < 2 * _MANY:
        return None
    samples = np.concatenate([_means_of_some(x, size) for x in (a, b)])
    _, vectors = np.linalg.eigh(samples @ samples.T)
    axes: Floats = np.linalg.qr(samples.T @ vectors[:, -_DIRECTIONS:])[0]
    return axes


def _means_of_some(x: Floats, size: int) -> Floats:
    size = min(size, len(x))
    begin = np.linspace(0, len(x) - size, _SAMPLES).astype(np.int64)
    means: Floats = x[begin[:, None] + np.arange(size)].mean(axis=1)
    return means


def _side(x: Floats, squares: Floats, axes: Floats | None, size: int, slack: float) -> _Side:
    count = -(-len(x) // size)
    sizes = np.full(count, float(size))
    sizes[-1] = len(x) - size * (count - 1)
    least = most = np.zeros(count)
    if axes is not None:
        x = x @ axes
        lengths = np.sqrt(np.maximum(squares - np.einsum("ij,ij->i", x, x), 0.0))
        begin = np.arange(0, len(x), size)
        least, most = np.minimum.reduceat(lengths, begin) - slack, np.maximum.reduceat(lengths, begin) + slack
    means, lengths, radii = np.empty((count, x.shape[1])), np.empty(count), np.empty(count)
    _body(len(x)).blocks(x, size, means, lengths, radii)
    radii += slack
    return _Side(means, lengths, radii, least, most, sizes)


def _body(cells: int) -> Any:
    fast = kernels.get(cost_s=NUMPY_S_PER_CELL * cells)
    return _NumpyBody if fast is None else fast


class _NumpyBody:
    """The readable body of kernels of ``warp_corridor_kernels``: the same operations in the same order."""

    @staticmethod
    def blocks(x: Floats, size: int, means: Floats, squares: Floats, radii: Floats) -> None:
        for k in range(len(means)):
            part = x[k * size : (k + 1) * size]
            means[k] = np.cumsum(part, axis=0)[-1] / len(part)
            radii[k] = distances(part - means[k]).max()
        squares[:] = four_sums(means * means)

    @staticmethod
    def coarse_corridor(
        xx: Floats,
        radii_a: Floats,
        least_a: Floats,
        most_a: Floats,
        yy: Floats,
        radii_b: Floats,
        least_b: Floats,
        most_b: Floats,
        lower: Floats,
        high: int,
        margin: int,
        firsts: np.ndarray,
        lasts: np.ndarray,
    ) -> tuple[float, float]:
        n, m = lower.shape
        q = (xx[:, None] + yy) - 2.0 * lower
        apart = np.sqrt(np.where(q > 0.0, q, 0.0))
        inner = np.maximum((apart - radii_a[:, None]) - radii_b, 0.0)
        outer = np.maximum(np.maximum(least_a[:, None] - most_b, least_b - most_a[:, None]), 0.0)
        lower[:] = np.sqrt(inner * inner + outer * outer)
        table = np.full((n + 1, m + 1), INF)
        table[0, 0] = 0.0
        for i, j in _diagonals_of(n, m):
            best = np.minimum(np.minimum(table[i, j], table[i, j + 1]), table[i + 1, j])
            table[i + 1, j + 1] = best + apart[i, j]
        firsts[:], lasts[:] = m, 0
        i, j, count = n - 1, m - 1, 0
        while i >= 0 and j >= 0:
            s = i // high
            firsts[s] = min(firsts[s], max(j - margin, 0))
            lasts[s] = max(lasts[s], min(j + margin + 1, m))
            diagonal, up, left = table[i, j], table[i, j + 1], table[i + 1, j]
            step = 2 if left < min(diagonal, up) else (0 if diagonal <= up else 1)
            i, j, count = i - (step != 2), j - (step != 1), count + 1
        return float(table[n, m]) / count, float(np.cumsum(apart)[-1]) / (n * m)

    @staticmethod
    def least_ahead(lower: Floats, size_a: Floats, size_b: Floats, most: float, ahead: Floats) -> None:
        n, m = lower.shape
        around = np.pad(lower, 1, constant_values=INF)
        down = np.minimum(around[1:-1, :-1], around[1:-1, 1:]) * size_a[:, None]  # (n, m + 1)
        across = np.minimum(around[:-1, 1:-1], around[1:, 1:-1]) * size_b  # (n + 1, m)
        down, across = np.pad(down, ((0, 1), (0, 0))), np.pad(across, ((0, 0), (0, 1)))
        table = np.full((n + 2, m + 2), INF)
        table[n, m] = 0.0
        for i, j in reversed(_diagonals_of(n + 1, m + 1)[:-1]):
            table[i, j] = np.minimum(table[i, j + 1] + across[i, j], table[i + 1, j] + down[i, j])
        ahead[:] = np.where(table[:-1, :-1] <= most, table[:-1, :-1], INF)

    @staticmethod
    def hopeful(
        lower: Floats,
        size_a: Floats,
        size_b: Floats,
        size: int,
        top: int,
        high: int,
        row: Floats,
        ahead: Floats,
        most: float,
        first: int,
        last: int,
    ) -> tuple[int, int]:
        n, m = lower.shape
        stop, begin, end = min(top + high, n), m, first
        to = np.full(m + 1, INF)
        for at in range(first * size, last * size + 1):
            corners = slice(at // size, at // size + (2 if at % size else 1))
            to[corners] = np.minimum(to[corners], row[at])
        for i in range(top, stop + 1):
            before = to
            if i > top:
                sides = np.pad(lower[i - 1], 1, constant_values=INF)
                to = to + np.minimum(sides[:-1], sides[1:]) * size_a[i - 1]
            weights = np.minimum(lower[max(i - 1, top)], lower[min(i, stop - 1)])
            length = np.concatenate([[0.0], np.cumsum(weights * size_b)])
            to = np.minimum.accumulate(to - length) + length
            if i > top:
                reach = np.minimum(np.minimum(before[:-1], before[1:]), to[:-1])
                leave = np.minimum(np.minimum(ahead[i, :-1], ahead[i, 1:]), ahead[i - 1, 1:])
                used = np.flatnonzero(reach + leave <= most)
                if len(used):
                    begin, end = min(begin, int(used[0])), max(end, int(used[-1]) + 1)
        return max(begin, first), end


def _diagonals_of(n: int, m: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The cells of a table, one anti-diagonal after the other."""
    rows = [np.arange(max(0, t - m + 1), min(n, t + 1)) for t in range(n + m - 1)]
    return [(i, t - i) for t, i in enumerate(rows)]
