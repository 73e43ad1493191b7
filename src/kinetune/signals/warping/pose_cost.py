r"""The plain cost of a time warp: the distance of the two poses at every step, all channels together.

Distances come in tiles out of one matrix product, :math:`|a - b|^2 = |a|^2 + |b|^2 - 2 a \cdot b`, in float64. The
subtraction loses digits where two poses are much closer to each other than to 0; such distances are computed again,
difference by difference. So the path never costs more than the best one by over 1e-9 of it, also for slow motion far
from the origin (``test_time_warp.py::test_slow_motion_far_away``). Another BLAS may round the product differently and
choose otherwise between paths whose costs are equal to 1e-9.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warping.table import (
    INF,
    CostLimit,
    Edges,
    Strip,
    TablePart,
    WarpWindow,
    arena,
    bytes_per_diagonal,
    step_room,
)

_FAR = 100.0
"""Signals whose mean pose is farther from 0 than this, as a ratio of squares to their spread, are moved there."""
_COLUMNS, _COLUMNS_WITH_LIMIT = 320, 160
_NONE = WarpWindow(np.zeros(0, np.int64), np.zeros(0, np.int64))
_kernels = Kernels("kinetune.signals.warping.pose_cost_kernels")


class PosePair(NamedTuple):
    """Two signals (frames, channels) and the squared lengths of their frames."""

    a: Floats
    b: Floats
    xx: Floats
    yy: Floats


class Tile(NamedTuple):
    """The cells from row ``top`` and column ``here`` on, so many columns; their first diagonal is number ``begin``."""

    top: int
    here: int
    columns: int
    begin: int


class TileBuffers(NamedTuple):
    """Working memory of a tile: products of poses, distances by diagonals, and steps before they are packed."""

    products: Floats
    costs: Floats
    codes: np.ndarray


class StripFill(NamedTuple):
    """Where a part of the table is filled.

    cells : the last three diagonals. above, left : the edges of the part. bottom, marks, spacing : as in a strip.
    steps : the step that led to each cell, or an empty array.
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
    a, b : array, shape (frames, channels)

    Attributes
    ----------
    pair : PosePair
        Both signals, moved to 0 if they lie far from it.
    finite : bool
        Whether all values are finite numbers, and so are their squares.
    reach : float
        No distance exceeds this by more than a factor of the square root of two.
    """

    states = 1
    kept_bytes_per_cell = 0.25
    strip_rows = 112

    def __init__(self, a: Floats, b: Floats) -> None:
        self.frames_a, self.frames_b = len(a), len(b)
        (xx, _, size_a, most_a), (yy, center, size_b, most_b) = _survey(a), _survey(b)
        self.finite = math.isfinite(size_a + size_b)
        center /= len(b)
        level = float(center @ center)
        if level > _FAR * (size_b / len(b) - level):
            a, b = a - center, b - center
            (xx, *_, most_a), (yy, *_, most_b) = _survey(a), _survey(b)
        self.pair = PosePair(a, b, xx, yy)
        self.reach = math.sqrt(most_a + most_b) if self.finite else INF

    def fill(
        self,
        part: TablePart,
        edges: Edges,
        spacing: int,
        *,
        keep: bool,
        limit: CostLimit | None,
        window: WarpWindow | None,
    ) -> Strip:
        """Fill a part of the table, tile by tile from left to right."""
        top, rows, lo, hi = part
        columns = hi - lo
        compiled = _kernels.load()
        tile = min(columns, _COLUMNS if limit is None else _COLUMNS_WITH_LIMIT)
        bottom = arena.take((1, columns))
        marks = arena.take((columns // spacing, 1, rows))
        steps = step_room(part, keep=keep)
        cells = arena.take((3, rows + 1))
        fill = StripFill(cells, edges.above[0], edges.left[0], bottom[0], marks[:, 0], spacing, steps)
        columns_allowed = _NONE if window is None else window
        a, b = self.pair.a[top : top + rows], self.pair.b
        with arena.frame():
            products = arena.take((tile, rows))
            costs = arena.take((tile + rows - 1, rows))  # by diagonals; the last rows - 1 go on in the next tile
            codes = arena.take((max(tile, rows) * 4 * bytes_per_diagonal(rows) if keep else 0,), np.uint8)
            codes.fill(0)
            buffers = TileBuffers(products.reshape(-1), costs, codes)
            for begin in range(0, columns, tile):
                here, count = lo + begin, min(tile, columns - begin)
                np.matmul(b[here : here + count], a.T, out=products[:count])
                least = compiled.pose_tile(self.pair, Tile(top, here, count, begin), columns_allowed, buffers, fill)
                done = begin + count
                if limit is not None and done < columns and limit.excludes(least, lo + done, rows):
                    part, bottom, marks = part._replace(hi=lo + done), bottom[:, :done], marks[: done // spacing]
                    break
        return Strip(part, bottom, marks, steps if keep else None)

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Back from a cell to the strip's edge, diagonally where there is a choice."""
        row, column, at = _kernels.load().pose_walk(strip.record, strip.part.rows, row, column, path, at)
        return row, column, 0, at

    def along(self, path: np.ndarray) -> float:
        """The sum of the distances along a path."""
        total: float = _kernels.load().pose_along(self.pair.a, self.pair.b, path)
        return total


def _survey(x: Floats) -> tuple[Floats, Floats, float, float]:
    """The squares of the lengths of frames (frames, channels), the sum of the frames; the squares' sum and greatest."""
    squares, total = np.empty(len(x)), np.empty(x.shape[1])
    return squares, total, *_kernels.load().survey(x, squares, total)
