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
from typing import NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warping.table import (
    INF,
    Edges,
    Limit,
    Part,
    Strip,
    Window,
    arena,
    bytes_per_diagonal,
    step_room,
)

CLOSE = 1e-6
"""Squared distances below this part of the numbers that they are the difference of are computed again."""
_FAR = 100.0
"""Signals whose mean pose is farther from 0 than this, as a ratio of squares to their spread, are moved there."""
_COLUMNS, _COLUMNS_WITH_LIMIT = 320, 160
_NONE = np.zeros(0, np.int64)
_kernels = Kernels("kinetune.signals.warping.pose_cost_kernels")


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
        compiled = _kernels.load()
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
                least = compiled.pose_tile(
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
        row, column, at = _kernels.load().pose_walk(strip.kept, strip.part.rows, row, column, path, at)
        return row, column, 0, at

    def along(self, path: np.ndarray) -> float:
        """The sum of the distances along a path."""
        total: float = _kernels.load().pose_along(self.a, self.b, path)
        return total


def _survey(x: Floats) -> tuple[Floats, Floats, float, float]:
    """The squares of the lengths of frames (frames, channels), the sum of the frames; the squares' sum and greatest."""
    squares, total = np.empty(len(x)), np.empty(x.shape[1])
    return squares, total, *_kernels.load().survey(x, squares, total)
