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

from typing import NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warping.pose_cost import PoseCost
from kinetune.signals.warping.strips import INF

SLACK = 1e-7
"""How far rounding may move the bounds, as a part of the numbers they come from."""
kernels = Kernels("kinetune.signals.warping.pose_corridor_kernels")
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
        along, everywhere = kernels.load().coarse_corridor(
            *self._a[1:5], *self._b[1:5], self.nearest, high, margin, firsts, lasts
        )
        return firsts, lasts, along < 0.5 * everywhere

    def least_ahead(self, most: float, share: float | None = None) -> Floats:
        """The least cost from each corner of the blocks to the end; infinite where it is more than ``most``.

        share : what a frame of a counts, as a part of the distance; a frame of b counts the rest.
        """
        ahead = np.full((self.nearest.shape[0] + 1, self.nearest.shape[1] + 1), INF)
        kernels.load().least_ahead(self.nearest, *self._weights(share), most, ahead)
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
        found: tuple[int, int] = kernels.load().hopeful(
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
    kernels.load().blocks(x, size, means, lengths, radii)
    radii += slack
    return _Side(means, lengths, radii, least, most, sizes)
