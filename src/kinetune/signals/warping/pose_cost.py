r"""The plain cost of a time warp: the distance of the two poses at every step, all channels together.

Distances come in tiles out of one matrix product, :math:`|a - b|^2 = |a|^2 + |b|^2 - 2 a \cdot b`, in float64. The
subtraction loses digits where two poses are much closer to each other than to 0; such distances are computed again,
difference by difference. So the path never costs more than the best one by over 1e-9 of it, also for slow motion far
from the origin (``test_warping.py::test_slow_motion_far_away``).
The matrix product is the same in both bodies, so both find the same path to the last bit on a given machine. Another
BLAS may round it differently and choose otherwise between paths whose costs are equal to 1e-9.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kinetune.rotations import Floats
from kinetune.signals.warping.strips import (
    INF,
    Edges,
    Limit,
    Part,
    Strip,
    Window,
    arena,
    bytes_per_diagonal,
    earliest_least,
    kernels,
    lay_edges,
    pack_codes,
    step_room,
    unpack_code,
)

CLOSE = 1e-6
"""Squared distances below this part of the numbers that they are the difference of are computed again."""
_FAR = 100.0
"""Signals whose mean pose is farther from 0 than this, as a ratio of squares to their spread, are moved there."""
_COLUMNS, _COLUMNS_WITH_LIMIT = 320, 160
_NUMPY_S_PER_CELL = 1e-7
_NONE = np.zeros(0, np.int64)


class Fill(NamedTuple):
    """What a part of the table is filled with and into, as the kernels take it.

    cells : the last three diagonals. above, left : what lies around the part. bottom, marks, spacing : what is kept of
    it. steps : which step led to each cell, or nothing.
    """

    cells: Floats
    above: Floats
    left: Floats
    bottom: Floats
    marks: Floats
    spacing: int
    steps: np.ndarray


class PoseCost:
    """Euclidean distance over all channels, summed along the path.

    Parameters
    ----------
    a, b : (frames, channels).

    finite : whether all values are finite numbers, and so are their squares.
    reach : no distance is greater by over the square root of two.
    """

    states = 1
    kept_bytes_per_cell = 0.25
    strip_rows = 112

    def __init__(self, a: Floats, b: Floats) -> None:
        self.frames_a, self.frames_b = len(a), len(b)
        (self.xx, _, size_a, most_a), (self.yy, center, size_b, most_b) = _survey(a), _survey(b)
        self.finite = math.isfinite(size_a + size_b)
        center /= len(b)
        level = float(center @ center)
        if level > _FAR * (size_b / len(b) - level):
            a, b = a - center, b - center
            (self.xx, *_, most_a), (self.yy, *_, most_b) = _survey(a), _survey(b)
        self.a, self.b = a, b
        self.reach = math.sqrt(most_a + most_b) if self.finite else INF

    def fill(
        self, part: Part, edges: Edges, spacing: int, *, keep: bool, limit: Limit | None, window: Window | None
    ) -> Strip:
        """Fill a part of the table, tile by tile from left to right."""
        top, rows, lo, hi = part
        columns = hi - lo
        fast = kernels.get(cost_s=_NUMPY_S_PER_CELL * rows * columns)
        body: Any = _NumpyBody if fast is None else fast
        tile = min(columns, _COLUMNS if limit is None else _COLUMNS_WITH_LIMIT)
        bottom = arena.take((1, columns))
        marks = arena.take((columns // spacing, 1, rows))
        steps = step_room(part, keep=keep)
        cells = arena.take((3, rows + 1))
        fill = Fill(cells, edges.above[0], edges.left[0], bottom[0], marks[:, 0], spacing, steps)
        first, last = (_NONE, _NONE) if window is None else window
        with arena.frame():
            products = arena.take((tile, rows))
            costs = arena.take((tile + rows - 1, rows))  # by diagonals; the last rows - 1 go on in the next tile
            codes = arena.take((max(tile, rows) * 4 * bytes_per_diagonal(rows) if keep else 0,), np.uint8)
            codes.fill(0)
            for done in range(0, columns, tile):
                here, count = lo + done, min(tile, columns - done)
                np.matmul(self.b[here : here + count], self.a[top : top + rows].T, out=products[:count])
                least = body.pose_tile(
                    self.a, self.b, self.xx, self.yy, products.reshape(-1), top, here, count, CLOSE, first, last,
                    costs, codes, done, *fill,
                )  # fmt: skip
                known = done + count
                if limit is not None and known < columns and limit.excludes(least, lo + known, rows):
                    part, bottom, marks = Part(top, rows, lo, lo + known), bottom[:, :known], marks[: known // spacing]
                    break
        return Strip(part, bottom, marks, steps if keep else None)

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Back from a cell to the strip's edge, diagonally where there is a choice."""
        fast = kernels.get(cost_s=0.0)
        body: Any = _NumpyBody if fast is None else fast
        row, column, at = body.pose_walk(strip.kept, strip.part.rows, row, column, path, at)
        return row, column, 0, at

    def along(self, path: np.ndarray) -> float:
        """The sum of the distances along a path."""
        fast = kernels.get(cost_s=_NUMPY_S_PER_CELL * len(path))
        body: Any = _NumpyBody if fast is None else fast
        total: float = body.pose_along(self.a, self.b, path)
        return total


def _survey(x: Floats) -> tuple[Floats, Floats, float, float]:
    """The squares of the lengths of frames (frames, channels), the sum of the frames; the squares' sum and greatest."""
    squares, total = np.empty(len(x)), np.empty(x.shape[1])
    fast = kernels.get(cost_s=_NUMPY_S_PER_CELL * len(x))
    body: Any = _NumpyBody if fast is None else fast
    return squares, total, *body.survey(x, squares, total)


def four_sums(t: Floats) -> Floats:
    """The sums over the last axis, in four running sums."""
    sums = [np.cumsum(t[..., k::4], axis=-1)[..., -1] if t.shape[-1] > k else 0.0 for k in range(4)]
    return np.asarray((sums[0] + sums[1]) + (sums[2] + sums[3]))


def distances(t: Floats) -> Floats:
    """The lengths of differences (pairs, channels)."""
    return np.asarray(np.sqrt(four_sums(t * t)))


def pose_distances(
    a: Floats, b: Floats, xx: Floats, yy: Floats, product: Floats, top: int, here: int, close: float
) -> tuple[Floats, Floats]:
    """The distances of frames a[top:] and b[here:] from their products (frames of b, frames of a).

    Returns also the squares that come of the products alone.
    """
    both = xx[top : top + product.shape[1]] + yy[here : here + len(product), None]
    q = both - 2.0 * product
    apart = np.sqrt(np.where(q > 0.0, q, 0.0))
    c, r = np.nonzero(q < close * both)
    apart[c, r] = distances(a[top + r] - b[here + c])
    return apart, q


def pose_walk(steps: np.ndarray, rows: int, row: int, column: int, path: np.ndarray, at: int) -> tuple[int, int, int]:
    """Walk back from (row, column) until the part's top or left edge is passed; see the kernel of this name."""
    while row >= 0 and column >= 0:
        path[at] = row, column
        at -= 1
        code = unpack_code(steps, rows, row + column, row)
        row, column = row - (code != 2), column - (code != 1)
    return row, column, at


class _NumpyBody:
    """The readable body of :mod:`kinetune.signals.warping.pose_cost_kernels`: the same operations in the same order."""

    @staticmethod
    def pose_tile(
        a: Floats,
        b: Floats,
        xx: Floats,
        yy: Floats,
        products: Floats,
        top: int,
        here: int,
        count: int,
        close: float,
        first: np.ndarray,
        last: np.ndarray,
        costs: Floats,
        codes: np.ndarray,
        begin: int,
        *given: Any,
    ) -> float:
        fill = Fill(*given)
        rows = fill.cells.shape[1] - 1
        if begin == 0:
            lay_edges(fill.cells, Edges(fill.above, fill.left))
            fill.bottom[:] = INF
            fill.marks[:] = INF
        laid = costs[: count + rows - 1]
        product = products[: count * rows].reshape(count, rows)
        apart, _ = pose_distances(a, b, xx, yy, product, top, here, close)
        if len(first):
            column = np.arange(here, here + count)[:, None]
            apart[(column < first[top : top + rows]) | (column > last[top : top + rows])] = INF
        down, across = laid.strides
        np.lib.stride_tricks.as_strided(laid, (count, rows), (down, down + across))[...] = apart
        least = diagonals(laid, begin, count, fill)
        costs[: rows - 1] = laid[count:].copy()
        if begin + count == len(fill.bottom):
            diagonals(costs, begin + count, rows - 1, fill)
        return least

    @staticmethod
    def pose_walk(
        steps: np.ndarray, rows: int, row: int, column: int, path: np.ndarray, at: int
    ) -> tuple[int, int, int]:
        return pose_walk(steps, rows, row, column, path, at)

    @staticmethod
    def survey(x: Floats, squares: Floats, total: Floats) -> tuple[float, float]:
        squares[:] = four_sums(x * x)
        total[:] = np.cumsum(x, axis=0)[-1]
        return float(np.cumsum(squares)[-1]), float(squares.max())

    @staticmethod
    def pose_along(a: Floats, b: Floats, path: np.ndarray) -> float:
        return float(np.cumsum(distances(a[path[:, 0]] - b[path[:, 1]]))[-1])


def diagonals(costs: Floats, begin: int, count: int, fill: Fill) -> float:
    """Fill ``count`` diagonals from number ``begin`` on; see the kernel ``pose_diagonals``."""
    cells, above, left, bottom, marks, spacing, steps = fill
    rows, columns = cells.shape[1] - 1, len(bottom)
    codes = np.zeros((1, rows), np.uint8)
    least = INF
    for t in range(begin, begin + count):
        here, before, two_before = cells[(t + 2) % 3], cells[(t + 1) % 3], cells[t % 3]
        low, high = max(t - columns + 1, 0), min(t + 1, rows)
        diagonal, up, across = two_before[low:high], before[low:high], before[low + 1 : high + 1]
        if len(steps):
            codes[0, low:high] = earliest_least(diagonal, up, across)
            pack_codes(codes, steps, t)
        here[low + 1 : high + 1] = costs[t - begin, low:high] + np.minimum(np.minimum(diagonal, up), across)
        if t >= begin + count - 2:
            least = min(least, float(here[low + 1 : high + 1].min(initial=INF)))
        here[0] = above[t + 2]
        if t + 1 < rows:
            here[t + 2] = left[t + 1]
        else:
            bottom[t + 1 - rows] = here[rows]
        for r in range((t + 1) % spacing, rows, spacing):
            mark = (t + 1 - r) // spacing
            if 1 <= mark <= len(marks):
                marks[mark - 1, r] = here[r + 1]
    return least
