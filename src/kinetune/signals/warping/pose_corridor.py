r"""A corridor of the table of a time warp in which the best path by poses is sure to lie.

The best path through the means of blocks of frames (:mod:`kinetune.signals.warping.blocks`) says where to look: the
table is filled a little to either side of it, which gives a path, what it costs to come to the corridor's edges, and
the least distance in each block there. Then it is asked what else could be as cheap. From any cell it is known what a
path has still to pay at least. If what it has paid and what is to come exceed the cost of the known path wherever the
corridor can be left, no best path leaves it. Otherwise the table is filled strip by strip, as far as there is hope.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetune.progress import report
from kinetune.rotations import Floats
from kinetune.signals.warping.blocks import NUMPY_S_PER_CELL, SLACK, Blocks, kernels
from kinetune.signals.warping.pose_cost import CLOSE, Fill, PoseCost, diagonals, pose_distances, pose_walk
from kinetune.signals.warping.search import best_path, strip_height
from kinetune.signals.warping.strips import INF, Bound, arena, bytes_per_diagonal

_SMALL = 1 << 15
"""Tables of up to so many cells are filled."""
_WHOLE = 1 << 17
"""Tables of up to so many cells are filled when the signals have little in common."""
_MOST_BLOCKS = 300
"""So many that the tables of the blocks are small."""
_SIZE, _HIGH, _MARGIN = 5, 8, 5
"""Frames in a block, at least; blocks in a strip of a corridor, and to either side of its middle."""
_SIZE_IF_SHORT, _HIGH_IF_SHORT, _MARGIN_IF_SHORT = 8, 5, 2
"""The same for tables that could as well be filled: fewer blocks, and a corridor that is given up soon."""
_HIGH_WIDER = 4
"""Blocks in a strip when the corridor was too narrow."""
_GROUP = 1 << 15
"""Strips of up to so many cells are filled in one go."""
_KEPT_STEPS = 1 << 24
"""The steps to all cells that are filled are kept in tables of up to so many cells."""


def pose_path(cost: PoseCost) -> np.ndarray:
    """The best path by poses from corner to corner, with as little of the table as it takes to be sure of it."""
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
    del blocks, corridor  # their tables would only be in the way
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
        self._right, self._below = np.full(cost.frames_a, INF), np.full(cost.frames_b, INF)

    @property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The first column of each strip, and the one after its last."""
        size = self.blocks.size
        return self._firsts * size, np.minimum(self._lasts * size, self.cost.frames_b)

    def best_path(self) -> tuple[np.ndarray, float]:
        """The best path within the corridor and its cost. What can be learnt for bounds is learnt on the way."""
        return path_within(self.cost, self.rows, *self.columns, (self.blocks, self._right, self._below))

    def holds(self, most: float, ahead: Floats) -> bool:
        """Whether all paths of at most a cost keep to the corridor.

        ahead : the least cost from each corner of the blocks to the end.
        """
        told: bool = _body(0).corridor_holds(
            self._right, self._below, self._firsts, self._lasts, self._high, self.blocks.size, ahead, most
        )
        return told

    def wider_path(self, most: float, ahead: Floats) -> np.ndarray:
        """The best path, where all paths of at most a cost have room. Each strip is as wide as the one above tells."""
        size, stop = self.blocks.size, self.cost.frames_b
        blocks = 0, 0

        def narrow(strip: int, row: Floats) -> tuple[int, int]:
            nonlocal blocks
            blocks = self.blocks.hopeful(strip * _HIGH_WIDER, _HIGH_WIDER, row, ahead, most, *blocks)
            return blocks[0] * size, min(blocks[1] * size, stop)

        strips = -(-self.blocks.shape[0] // _HIGH_WIDER)
        limits = np.zeros(strips, np.int64), np.full(strips, stop)
        return path_within(self.cost, min(_HIGH_WIDER * size, self.cost.frames_a), *limits, narrow=narrow)[0]

    def bound(self, most: float) -> Bound:
        """What is known about the best path of signals with little in common, for strips of the search.

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
        return Bound(most, inside, bottom, size, self.cost.frames_b)


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
    learnt: tuple[Blocks, Floats, Floats] | None = None,
    narrow: Callable[[int, Floats], tuple[int, int]] | None = None,
) -> tuple[np.ndarray, float]:
    """The best path that keeps to some columns in each strip of rows, and its cost.

    firsts, lasts : the first column of each strip and the one after its last, never decreasing.
    narrow : takes the number of a strip and the costs to the row above it, gives the columns that the strip shall have;
        firsts and lasts then only say how wide strips may become.
    learnt : blocks whose least distances become those that were found; and the cost to the last cell of each row,
        and to the last cell of each column.
    """
    n, m = cost.frames_a, cost.frames_b
    a, b, wide = cost.a, cost.b, bytes_per_diagonal(rows)
    edges = list(zip(firsts.tolist(), lasts.tolist(), strict=True))
    longest = max(hi - lo for lo, hi in edges) + rows - 1
    kept = sum(hi - lo + rows - 1 for lo, hi in edges) * wide
    places = np.zeros(len(edges) + 1, np.int64)
    told: tuple[Any, ...] = (np.empty((0, 0)), 1, 0.0, np.empty(0), np.empty(0))
    if learnt is not None:
        blocks, *ends = learnt
        told = (blocks.nearest, blocks.size, blocks.slack, *ends)
    body = _body(sum(hi - lo for lo, hi in edges) * rows)
    path = np.empty((n + m, 2), dtype=np.int64)
    with arena.session():
        room = max(_GROUP, longest * rows)
        row, costs, products, turned = arena.several(m + rows + 2, longest * rows, room, a.shape[1] * rows)
        row.fill(INF)
        row[0] = 0.0
        turned = turned.reshape(-1, rows)  # products with rows of numbers are quicker than with columns
        codes, steps = arena.several(longest * 4 * wide, kept, dtype=np.uint8)
        codes.fill(0)
        begin = used = place = 0

        def fill(end: int) -> None:
            report(0.0, "aligning")  # a corridor is soon filled; what takes long reports its share
            body.pose_strips(
                a, b, cost.xx, cost.yy, products, CLOSE, rows, firsts, lasts, begin, end,
                costs, codes, steps, places, row, *told,
            )  # fmt: skip

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
            part = turned if high == rows else turned[:, :high]
            part[...] = a[top : top + high].T
            np.dot(b[lo:hi], part, out=products[used : used + size].reshape(hi - lo, high))
            used += size
            place += (hi - lo + rows - 1) * wide
            places[strip + 1] = place
        fill(len(edges))
        start = body.pose_trace(steps, places, rows, firsts, n, m, path)
        return path[start:], float(row[m])


def _body(cells: int) -> Any:
    fast = kernels.get(cost_s=NUMPY_S_PER_CELL * cells)
    return _NumpyBody if fast is None else fast


class _NumpyBody:
    """The readable body of kernels of ``warp_corridor_kernels``: the same operations in the same order."""

    @staticmethod
    def pose_strips(
        a: Floats,
        b: Floats,
        xx: Floats,
        yy: Floats,
        products: Floats,
        close: float,
        rows: int,
        firsts: np.ndarray,
        lasts: np.ndarray,
        begin: int,
        end: int,
        costs: Floats,
        codes: np.ndarray,
        steps: np.ndarray,
        places: np.ndarray,
        row: Floats,
        lower: Floats,
        block: int,
        slack: float,
        right: Floats,
        below: Floats,
    ) -> None:
        given = 0
        for s in range(begin, end):
            top, lo, hi = s * rows, int(firsts[s]), int(lasts[s])
            height, columns = min(rows, len(a) - top), hi - lo
            count = columns + height - 1
            room = costs[: count * height].reshape(count, height)
            product = products[given : given + columns * height].reshape(columns, height)
            apart, q = pose_distances(a, b, xx, yy, product, top, lo, close)
            down, across = room.strides
            np.lib.stride_tricks.as_strided(room, (columns, height), (down, down + across))[...] = apart
            cells = np.full((3, height + 1), INF)
            cells[0, 0], cells[1, 0] = row[lo], row[lo + 1]
            above, bottom = row[lo : lo + count + 2], row[lo + 1 : hi + 1]
            last, left = np.empty((1, height)), np.full(height, INF)
            fill = Fill(cells, above, left, bottom, last, columns, steps[places[s] : places[s + 1]])
            diagonals(room, 0, count, fill)
            row[lo] = INF
            if len(lower):
                right[top : top + height] = last
                end_of_rest = int(firsts[s + 1]) if s + 1 < len(firsts) else lo
                below[lo:end_of_rest] = row[lo + 1 : end_of_rest + 1]
                least = np.minimum.reduceat(q, np.arange(0, columns, block), axis=0)
                least = np.minimum.reduceat(least, np.arange(0, height, block), axis=1).T
                least = np.sqrt(np.where(least > 0.0, least, 0.0)) - slack
                i, j = top // block, lo // block
                lower[i : i + len(least), j : j + least.shape[1]] = np.where(least > 0.0, least, 0.0)
            given += columns * height

    @staticmethod
    def pose_trace(
        steps: np.ndarray, places: np.ndarray, rows: int, firsts: np.ndarray, n: int, m: int, path: np.ndarray
    ) -> int:
        row, column, at = n - 1, m - 1, n + m - 1
        while row >= 0:
            s = row // rows
            top, lo = s * rows, int(firsts[s])
            kept, height = steps[places[s] : places[s + 1]], min(rows, n - top)
            row, column, then = pose_walk(kept, height, row - top, column - lo, path, at)
            path[then + 1 : at + 1] += (top, lo)
            row, column, at = row + top, column + lo, then
        return at + 1

    @staticmethod
    def corridor_holds(
        right: Floats,
        below: Floats,
        firsts: np.ndarray,
        lasts: np.ndarray,
        high: int,
        size: int,
        ahead: Floats,
        most: float,
    ) -> bool:
        # To the right, from the last column of each strip: past the edge of a block between two corners.
        row = np.arange(len(right)) // size
        corner = lasts[row // high]
        to_come = np.minimum(ahead[row, corner], ahead[row + 1, corner])
        if np.any((right + to_come <= most) & (corner < ahead.shape[1] - 1)):
            return False
        # Down, from the columns of a strip that the next one does not have.
        column = np.arange(int(firsts[-1]) * size)
        corner = np.searchsorted(firsts * size, column, side="right") * high
        to_come = np.minimum(ahead[corner, column // size], ahead[corner, column // size + 1])
        return not np.any(below[: len(column)] + to_come <= most)
