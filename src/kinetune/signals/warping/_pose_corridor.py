r"""A corridor of the table of a time warp in which the best path by poses is sure to lie.

Both signals are cut into blocks of a few frames. What is known of a block is the mean pose of its frames and how far
they are from it. The best path through the means says where to look, and two frames are never closer than their blocks
allow: a lower bound for every distance in the table.

Noise would blur such bounds, since it moves every frame away from the mean, each in its own direction. So means and
radii are taken in a few directions only, in which the poses differ most. For all other directions together it is known
how far the frames of a block are from 0; two frames are no closer than the difference of those lengths. Both parts add
by Pythagoras.

A step to a cell of distance d goes at most one frame ahead in either signal, so it costs no less than a part s of d for
the frame of a and 1 - s for that of b, for any s from 0 to 1. So a path costs no less than its length in the table,
down and across, with each block's lower bound for a weight. Where weights are constant by blocks the least such length
is found along the blocks' edges, each with the lesser weight of its two sides (:meth:`Blocks.least_ahead`).

The table is filled a little to either side of the path through the means. That gives a path, the costs to the edges of
this corridor, and the least distance in each block there. If the cost to an edge and the least that is still to come
exceed the cost of the known path wherever the corridor can be left, no best path leaves it. Otherwise the table is
filled strip by strip, as far as a better path is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.progress import report
from kinetune.rotations import Floats
from kinetune.signals.warping.pose_cost import PoseCost, TileBuffers
from kinetune.signals.warping.table import INF, PathBound, arena, best_path, bytes_per_diagonal, strip_height

SLACK = 1e-7
"""How far rounding may move the bounds, as a part of the numbers they come from."""
_kernels = Kernels("kinetune.signals.warping.pose_corridor_kernels")
_DIRECTIONS, _SAMPLES = 12, 16
_MANY = 1500
"""From so many frames of both signals on it pays to look for directions."""


class SignalBlocks(NamedTuple):
    """One signal in blocks of frames.

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


class CorridorStrips(NamedTuple):
    """The strips of a corridor.

    rows : the rows of all strips but the last.
    firsts, lasts : the first column of each strip and the one after its last, never decreasing.
    starts : where the steps of each strip begin.
    """

    rows: int
    firsts: np.ndarray
    lasts: np.ndarray
    starts: np.ndarray


class CorridorEdges(NamedTuple):
    """What filling a corridor finds out for bounds.

    nearest : (blocks of a, blocks of b) the least distance in each block, less the slack; or empty, (0, 0).
    right, below : the cost to the last cell of each row, and of each column that the next strip does not have.
    """

    nearest: Floats
    block: int
    slack: float
    right: Floats
    below: Floats


_NO_EDGES = CorridorEdges(np.empty((0, 0)), 1, 0.0, np.empty(0), np.empty(0))


class Blocks:
    """Two signals in blocks of ``size`` frames.

    nearest : (blocks of a, blocks of b) the least distances that their frames may have, once :meth:`corridor` has run.
    """

    def __init__(self, cost: PoseCost, size: int) -> None:
        self.size = size
        self._slack = SLACK * cost.reach
        axes = _main_axes(cost.pair.a, cost.pair.b, size)
        self._share = cost.frames_a / (cost.frames_a + cost.frames_b)
        self._a = _side(cost.pair.a, cost.pair.xx, axes, size, self._slack)
        self._b = _side(cost.pair.b, cost.pair.yy, axes, size, self._slack)
        self.nearest = self._a.means @ self._b.means.T

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of blocks of a and of b."""
        return len(self._a.radii), len(self._b.radii)

    @property
    def slack(self) -> float:
        """What is subtracted from a distance found by a matrix product, before it counts as a lower bound."""
        return 2.0 * self._slack

    def corridor(self, high: int, margin: int) -> tuple[np.ndarray, np.ndarray, bool]:
        """The blocks of b around the best path through the means, for strips of ``high`` blocks of a.

        Returns the first of each strip, the one after its last, and whether the signals come much nearer along that
        path than elsewhere.
        """
        strips = -(-len(self._a.radii) // high)
        firsts, lasts = np.empty(strips, np.int64), np.empty(strips, np.int64)
        along, everywhere = _kernels.load().coarse_corridor(self._a, self._b, self.nearest, high, margin, firsts, lasts)
        return firsts, lasts, along < 0.5 * everywhere

    def least_ahead(self, most: float, share: float | None = None) -> Floats:
        """The least cost from each corner of the blocks to the end; infinite where it is more than ``most``.

        share : what a frame of a counts, as a part of the distance; a frame of b counts the rest.
        """
        ahead = np.full((self.nearest.shape[0] + 1, self.nearest.shape[1] + 1), INF)
        _kernels.load().least_ahead(self.nearest, *self._weights(share), most, ahead)
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
        columns: tuple[int, int] = _kernels.load().hopeful(
            self.nearest, *self._weights(), self.size, top, high, row, ahead, most, first, last
        )
        return columns


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


def _side(x: Floats, squares: Floats, axes: Floats | None, size: int, slack: float) -> SignalBlocks:
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
    _kernels.load().blocks(x, size, means, lengths, radii)
    radii += slack
    return SignalBlocks(means, lengths, radii, least, most, sizes)


_SMALL = 1 << 15
"""Tables of up to so many cells are filled completely."""
_WHOLE = 1 << 17
"""Tables of up to so many cells are filled completely when the signals have little in common."""
_MOST_BLOCKS = 300
"""So many that the tables of the blocks are small."""
_SIZE, _HIGH, _MARGIN = 5, 8, 5
"""Frames in a block, at least; blocks in a strip of a corridor, and to either side of its middle."""
_SIZE_IF_SHORT, _HIGH_IF_SHORT, _MARGIN_IF_SHORT = 8, 5, 2
"""The same for small tables: fewer blocks, and a narrow corridor that is given up soon."""
_HIGH_WIDER = 4
"""Blocks in a strip when the corridor was too narrow."""
_GROUP = 1 << 15
"""Strips of up to so many cells are filled in one go."""
_KEPT_STEPS = 1 << 24
"""The steps of a wider corridor are stored for tables of up to so many cells."""


def pose_path(cost: PoseCost) -> np.ndarray:
    """The best path by poses from corner to corner, with only as much of the table as it takes to be sure."""
    n, m = cost.frames_a, cost.frames_b
    if n * m <= _SMALL:
        return whole_path(cost)
    short = n * m <= _WHOLE
    blocks = Blocks(cost, _SIZE_IF_SHORT if short else max(_SIZE, -(-max(n, m) // _MOST_BLOCKS)))
    corridor = Corridor(cost, blocks, *((_HIGH_IF_SHORT, _MARGIN_IF_SHORT) if short else (_HIGH, _MARGIN)))
    if short and not corridor.similar:
        return whole_path(cost)
    path, most = corridor.best_path()
    most *= 1.0 + SLACK
    if corridor.similar:
        ahead = corridor.blocks.least_ahead(most)
        if corridor.holds(most, ahead):
            return path
        if n * m <= _KEPT_STEPS:
            return corridor.wider_path(most, ahead)
        del ahead
    bound = corridor.bound(most)
    del blocks, corridor  # frees their tables
    return best_path(cost, bound=bound)


class Corridor:
    """The columns of each strip that the best path through the blocks' means keeps to, with a margin.

    similar : whether the signals come much nearer along that path than elsewhere.
    rows : the rows of a strip.
    """

    def __init__(self, cost: PoseCost, blocks: Blocks, high: int, margin: int) -> None:
        self.cost, self.blocks, self._high = cost, blocks, high
        self.rows = min(high * blocks.size, cost.frames_a)
        self._firsts, self._lasts, self.similar = blocks.corridor(high, margin)
        right, below = np.full(cost.frames_a, INF), np.full(cost.frames_b, INF)
        self._edges = CorridorEdges(blocks.nearest, blocks.size, blocks.slack, right, below)

    @property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The first column of each strip, and the one after its last."""
        size = self.blocks.size
        return self._firsts * size, np.minimum(self._lasts * size, self.cost.frames_b)

    def best_path(self) -> tuple[np.ndarray, float]:
        """The best path within the corridor and its cost; fills the corridor's edges on the way."""
        return path_within(self.cost, self.rows, *self.columns, self._edges)

    def holds(self, most: float, ahead: Floats) -> bool:
        """Whether all paths of at most a cost keep to the corridor.

        ahead : the least cost from each corner of the blocks to the end.
        """
        holds: bool = _kernels.load().corridor_holds(
            self._edges.right, self._edges.below, self._firsts, self._lasts, self._high, self.blocks.size, ahead, most
        )
        return holds

    def wider_path(self, most: float, ahead: Floats) -> np.ndarray:
        """The best path where no path of at most a cost is left out. The strip above decides how wide each strip is."""
        size, stop = self.blocks.size, self.cost.frames_b
        blocks = 0, 0

        def narrow(strip: int, row: Floats) -> tuple[int, int]:
            nonlocal blocks
            blocks = self.blocks.hopeful(strip * _HIGH_WIDER, _HIGH_WIDER, row, ahead, most, *blocks)
            return blocks[0] * size, min(blocks[1] * size, stop)

        strips = -(-self.blocks.shape[0] // _HIGH_WIDER)
        limits = np.zeros(strips, np.int64), np.full(strips, stop)
        return path_within(self.cost, min(_HIGH_WIDER * size, self.cost.frames_a), *limits, narrow=narrow)[0]

    def bound(self, most: float) -> PathBound:
        """A bound for the search where the signals have little in common.

        Paths have long stretches down and across there, so what counts is the greatest of three lower bounds: by rows,
        by columns, and by both.
        """
        n, size = self.cost.frames_a, self.blocks.size
        tops = np.arange(0, n, strip_height(self.cost))
        ends = np.append(tops[1:], n)
        inside, bottom = np.zeros((2, len(tops), self.blocks.shape[1]))
        for share in (0.0, 0.5, 1.0):
            ahead = self.blocks.least_ahead(most, share)
            for strip, (top, end) in enumerate(zip(tops, ends, strict=True)):
                corners = ahead[top // size : -(-end // size) + 1]
                leave = np.minimum(np.minimum(corners[1:, :-1], corners[1:, 1:]), corners[:-1, 1:])
                np.maximum(inside[strip], leave.min(axis=0), out=inside[strip])
                np.maximum(bottom[strip], leave[-1], out=bottom[strip])
            del ahead, corners  # before the next ones are made
        return PathBound(most, inside, bottom, size, self.cost.frames_b)


def whole_path(cost: PoseCost) -> np.ndarray:
    """The best path through a small table, all of which is filled."""
    rows = -(-cost.frames_a // -(-cost.frames_a // cost.strip_rows))
    strips = -(-cost.frames_a // rows)
    path, _ = path_within(cost, rows, np.zeros(strips, np.int64), np.full(strips, cost.frames_b, np.int64))
    return path


def path_within(
    cost: PoseCost,
    rows: int,
    firsts: np.ndarray,
    lasts: np.ndarray,
    corridor_edges: CorridorEdges = _NO_EDGES,
    narrow: Callable[[int, Floats], tuple[int, int]] | None = None,
) -> tuple[np.ndarray, float]:
    """The best path that keeps to some columns in each strip of rows, and its cost.

    firsts, lasts : the first column of each strip and the one after its last, never decreasing.
    corridor_edges : filled where it is not empty.
    narrow : takes the number of a strip and the costs to the row above it, gives the columns of the strip; firsts and
        lasts are then only the most that strips may have.
    """
    n, m = cost.frames_a, cost.frames_b
    a, b, wide = cost.pair.a, cost.pair.b, bytes_per_diagonal(rows)
    edges = list(zip(firsts.tolist(), lasts.tolist(), strict=True))
    longest = max(hi - lo for lo, hi in edges) + rows - 1
    step_bytes = sum(hi - lo + rows - 1 for lo, hi in edges) * wide
    strips = CorridorStrips(rows, firsts, lasts, np.zeros(len(edges) + 1, np.int64))
    compiled = _kernels.load()
    path = np.empty((n + m, 2), dtype=np.int64)
    with arena.session():
        room = max(_GROUP, longest * rows)
        row, costs, products, transposed = arena.several(m + rows + 2, longest * rows, room, a.shape[1] * rows)
        row.fill(INF)
        row[0] = 0.0
        transposed = transposed.reshape(-1, rows)  # multiplying by rows is faster than by columns
        codes, steps = arena.several(longest * 4 * wide, step_bytes, dtype=np.uint8)
        codes.fill(0)
        buffers = TileBuffers(products, costs, codes)
        begin = used = start = 0

        def fill(end: int) -> None:
            report(0.0, "aligning")  # a corridor is soon filled; what takes long reports its share
            compiled.pose_strips(cost.pair, strips, begin, end, buffers, steps, row, corridor_edges)

        for strip, (lo, hi) in enumerate(edges):
            if narrow is not None:
                if strip:
                    fill(strip)
                    begin, used = strip, 0
                firsts[strip], lasts[strip] = lo, hi = narrow(strip, row)
                row[hi + 1 :] = INF
            top = strip * rows
            high = min(rows, n - top)
            size = high * (hi - lo)
            if used + size > room:
                fill(strip)
                begin, used = strip, 0
            part = transposed if high == rows else transposed[:, :high]
            part[...] = a[top : top + high].T
            np.dot(b[lo:hi], part, out=products[used : used + size].reshape(hi - lo, high))
            used += size
            start += (hi - lo + rows - 1) * wide
            strips.starts[strip + 1] = start
        fill(len(edges))
        return path[compiled.pose_trace(steps, strips, n, m, path) :], float(row[m])
