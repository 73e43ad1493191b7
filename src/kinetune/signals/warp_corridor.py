r"""A corridor of the table of a time warp in which the best path by poses is sure to lie.

Both signals are cut into blocks of a few frames. The best path through the blocks' means says where to look: the table
is filled a little to either side of it, which gives a path, and the distances there. Then it is asked what else could
be as cheap.

Two frames are never closer than their blocks' means less both radii, and in blocks that were filled the least distance
is known. A step to a cell of distance d goes at most one frame ahead in either signal, so it costs no less than half of
d for each frame that it goes ahead. So a path costs no less than half its length in the table, down and across, with
each block's lower bound for a weight. Where weights are constant by blocks the least such length is found along the
blocks' edges, each with the lesser weight of its two sides: from the start to every corner, and from there to the end.
A block that no path can touch without costing more than the path that is known is left out. Mostly that spares all
that was not filled; otherwise the rest of what is needed is filled as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetune.compiled import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warp_pose import CLOSE, PoseCost, diagonals, pose_distances, pose_walk
from kinetune.signals.warp_strips import INF, arena, bytes_per_diagonal

SLACK = 1e-7
"""How far rounding may move the bounds, as a part of the numbers they come from."""

_kernels = Kernels("kinetune.signals.warp_corridor_kernels")
_NUMPY_S_PER_CELL = 1e-7
_GROUP = 1 << 16
"""Strips of up to so many cells are filled in one go."""


class Blocks:
    """Two signals in blocks of ``size`` frames: their means, radii and numbers of frames.

    nearest : (blocks of a, blocks of b) products of the means; what can be said about distances, later.
    """

    def __init__(self, cost: PoseCost, size: int) -> None:
        self.size = size
        parts = [_blocks(x, size) for x in (cost.a, cost.b)]
        (self.means_a, self.xx, self.radii_a, self.sizes_a), (self.means_b, self.yy, self.radii_b, self.sizes_b) = parts
        self.slack = 2.0 * SLACK * float(np.sqrt(cost.xx.max() + cost.yy.max()))
        self.nearest = self.means_a @ self.means_b.T


def _blocks(x: Floats, size: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean, its square, radius and number of frames of each block."""
    count = -(-len(x) // size)
    means, radii = np.empty((count, x.shape[1])), np.empty(count)
    sizes = np.full(count, float(size))
    sizes[-1] = len(x) - size * (count - 1)
    _body(len(x)).blocks(x, size, means, radii)
    return means, np.einsum("ij,ij->i", means, means), radii, sizes


class Corridor:
    """The columns of each strip that the best path through the blocks' means keeps to, with a margin.

    similar : whether the signals come much nearer along that path than elsewhere.
    nearest : (blocks of a, blocks of b) the least distances that frames of two blocks may have.
    """

    def __init__(self, cost: PoseCost, blocks: Blocks, high: int, margin: int) -> None:
        self._cost, self._blocks, self._high = cost, blocks, high
        self.rows = high * blocks.size
        self.nearest = blocks.nearest
        strips = -(-len(blocks.sizes_a) // high)
        self._firsts, self._lasts = np.empty(strips, np.int64), np.empty(strips, np.int64)
        along, everywhere = _body(self.nearest.size).coarse_corridor(
            blocks.xx, blocks.yy, self.nearest, blocks.radii_a + blocks.slack, blocks.radii_b, high, margin,
            self._firsts, self._lasts,
        )  # fmt: skip
        self.similar: bool = along < 0.5 * everywhere

    @property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The first column of each strip, and the one after its last."""
        size = self._blocks.size
        return self._firsts * size, np.minimum(self._lasts * size, self._cost.frames_b)

    def best_path(self, *, learn: bool = True) -> tuple[np.ndarray, float]:
        """The best path within the corridor and its cost. The least distances in it are learnt on the way."""
        nearest = (self.nearest, self._blocks.size, self._blocks.slack) if learn else None
        return path_within(self._cost, self.rows, *self.columns, nearest)

    def needed(self, most: float) -> bool:
        """Whether all paths of at most a cost keep to the corridor. If not, it becomes as wide as they need."""
        before = self._firsts.copy(), self._lasts.copy()
        blocks = self._blocks
        _body(self.nearest.size).needed(
            self.nearest, blocks.sizes_a, blocks.sizes_b, most, self._high, self._firsts, self._lasts
        )
        if np.all(self._firsts >= before[0]) and np.all(self._lasts <= before[1]):
            return True
        self._firsts = np.minimum.accumulate(self._firsts[::-1])[::-1]
        self._lasts = np.maximum.accumulate(self._lasts)
        return False

    def cells(self) -> int:
        """How many cells the corridor has."""
        return int((self._lasts - self._firsts).sum()) * self.rows * self._blocks.size


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
    learnt: tuple[Floats, int, float] | None = None,
) -> tuple[np.ndarray, float]:
    """The best path that keeps to some columns in each strip of rows, and its cost.

    firsts, lasts : the first column of each strip and the one after its last, never decreasing.
    learnt : where the least distances in blocks go, the size of a block, and what is taken off for rounding.
    """
    n, m = cost.frames_a, cost.frames_b
    wide, strips = bytes_per_diagonal(rows), len(firsts)
    columns = lasts - firsts
    longest = int(columns.max()) + rows - 1
    places = np.zeros(strips + 1, np.int64)
    np.cumsum((columns + (rows - 1)) * wide, out=places[1:])
    lower, block, slack = learnt or (np.empty((0, 0)), 1, 0.0)
    body = _body(int(columns.sum()) * rows)
    path = np.empty((n + m, 2), dtype=np.int64)
    with arena.session():
        row = arena.full((m + rows + 2,), INF)
        row[0] = 0.0
        costs = arena.take((longest * rows,))
        codes = arena.take((longest * 4 * wide,), np.uint8)
        codes.fill(0)
        steps = arena.take((int(places[-1]),), np.uint8)
        products = arena.take((max(_GROUP, longest * rows),))
        begin = used = 0
        for strip, (lo, hi) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
            part = cost.a[strip * rows : (strip + 1) * rows]
            size = len(part) * (hi - lo)
            if used + size > len(products):
                body.pose_strips(
                    cost.a, cost.b, cost.xx, cost.yy, products, CLOSE, rows, firsts, lasts, begin, strip,
                    costs, codes, steps, places, row, lower, block, slack,
                )  # fmt: skip
                begin, used = strip, 0
            np.dot(cost.b[lo:hi], part.T, out=products[used : used + size].reshape(hi - lo, len(part)))
            used += size
        body.pose_strips(
            cost.a, cost.b, cost.xx, cost.yy, products, CLOSE, rows, firsts, lasts, begin, strips,
            costs, codes, steps, places, row, lower, block, slack,
        )  # fmt: skip
        start = body.pose_trace(steps, places, rows, firsts, n, m, path)
        return path[start:], float(row[m])


def _body(cells: int) -> Any:
    fast = _kernels.get(cost_s=_NUMPY_S_PER_CELL * cells)
    return _NumpyBody if fast is None else fast


class _NumpyBody:
    """The readable body of :mod:`kinetune.signals.warp_corridor_kernels`: the same operations in the same order."""

    @staticmethod
    def blocks(x: Floats, size: int, means: Floats, radii: Floats) -> None:
        for k in range(len(means)):
            part = x[k * size : (k + 1) * size]
            means[k] = np.cumsum(part, axis=0)[-1] / len(part)
            off = part - means[k]
            radii[k] = np.sqrt(np.cumsum(off * off, axis=1)[:, -1].max())

    @staticmethod
    def coarse_corridor(
        xx: Floats,
        yy: Floats,
        lower: Floats,
        radii_a: Floats,
        radii_b: Floats,
        high: int,
        margin: int,
        firsts: np.ndarray,
        lasts: np.ndarray,
    ) -> tuple[float, float]:
        n, m = lower.shape
        q = (xx[:, None] + yy) - 2.0 * lower
        apart = np.sqrt(np.where(q > 0.0, q, 0.0))
        q = (apart - radii_a[:, None]) - radii_b
        lower[:] = np.where(q > 0.0, q, 0.0)
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
            nothing, left = np.empty((0, height)), np.full(height, INF)
            diagonals(room, 0, count, cells, above, left, bottom, nothing, count + 1, steps[places[s] : places[s + 1]])
            row[lo] = INF
            if len(lower):
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
    def needed(
        lower: Floats,
        size_a: Floats,
        size_b: Floats,
        most: float,
        high: int,
        firsts: np.ndarray,
        lasts: np.ndarray,
    ) -> None:
        to, on = _least_to_corners(lower, size_a, size_b)
        reach = np.minimum(to[:-1, :-1], np.minimum(to[:-1, 1:], to[1:, :-1]))
        leave = np.minimum(on[1:, 1:], np.minimum(on[1:, :-1], on[:-1, 1:]))
        within = reach + leave <= most
        for s in range(len(firsts)):
            used = np.flatnonzero(within[s * high : (s + 1) * high].any(axis=0))
            firsts[s], lasts[s] = (used[0], used[-1] + 1) if len(used) else (lower.shape[1], 0)


def _least_to_corners(lower: Floats, size_a: Floats, size_b: Floats) -> tuple[Floats, Floats]:
    """The least cost from the start to every corner of the blocks, and from there to the end."""
    n, m = lower.shape
    around = np.pad(lower, 1, constant_values=INF)
    down = np.minimum(around[1:-1, :-1], around[1:-1, 1:]) * (0.5 * size_a[:, None])  # (n, m + 1)
    across = np.minimum(around[:-1, 1:-1], around[1:, 1:-1]) * (0.5 * size_b)  # (n + 1, m)
    results = []
    for d, c in ((down, across), (down[::-1, ::-1], across[::-1, ::-1])):
        least = np.full((n + 2, m + 2), INF)  # with a row and a column before the first
        d, c = np.pad(d, ((1, 0), (0, 0)), constant_values=INF), np.pad(c, ((0, 0), (1, 0)), constant_values=INF)
        for i, j in _diagonals_of(n + 1, m + 1):
            least[i + 1, j + 1] = np.minimum(least[i, j + 1] + d[i, j], least[i + 1, j] + c[i, j])
            if i[0] == 0 and j[0] == 0:
                least[1, 1] = 0.0
        results.append(least[1:, 1:])
    return results[0], results[1][::-1, ::-1]


def _diagonals_of(n: int, m: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The cells of a table, one anti-diagonal after the other."""
    rows = [np.arange(max(0, t - m + 1), min(n, t + 1)) for t in range(n + m - 1)]
    return [(i, t - i) for t, i in enumerate(rows)]
