r"""Sederberg's cost of a time warp: the work it takes to bend and stretch one signal into the other.

Both signals are seen as wires through space and time, one vertex per frame, all channels together. A step along the
path stretches the segments that it joins, :math:`|L_a - L_b|`, and where two steps meet bends the corners,
:math:`|\theta_a - \theta_b|`. A signal that stands still over a step has a segment of length 0, and no corner where it
stood still on either side.

What a step costs depends on the step before it. So each cell has three values, one for each way to reach it, which
makes the programme exactly optimal; the two-dimensional table of [sederberg], with the best way to each cell only,
is not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warping.pose_cost import four_sums
from kinetune.signals.warping.strips import INF, Edges, Limit, Part, Strip, Window, arena, lay_edges

kernels = Kernels("kinetune.signals.warping.work_cost_kernels")
NUMPY_S_PER_CELL = 3e-7
_STRIP_ROWS = 200


class _Wire(NamedTuple):
    """For each frame: the stretching work of the segment before it, and the bending work of the corner before that."""

    stretch: Floats
    bend: Floats


class WorkCost:
    """Stretching and bending work, summed along the path, in the unit of the signals.

    Parameters
    ----------
    a, b : (frames, channels).
    stretch, bend : how much either counts. A bend of one radian counts like stretching a segment by its usual length.
    frame : what the time from one frame to the next counts for, in the unit of the signals. None: the root mean
        square of the way from one pose to the next, over both signals, so that time and pose weigh the same.

    alone : what both signals pay for all their segments and corners, each on its own.
    finite : whether all values are finite numbers, and so are the squares of what comes of them.
    """

    states = 3
    kept_bytes_per_cell = 24.0

    def __init__(
        self, a: Floats, b: Floats, stretch: float = 1.0, bend: float = 1.0, frame: float | None = None
    ) -> None:
        self.frames_a, self.frames_b = len(a), len(b)
        self.strip_rows = _STRIP_ROWS if len(a) > 2 * _STRIP_ROWS else len(a)
        # Both in one array, b after a: half as many calls. What lies across the seam is not used.
        ways = np.zeros(len(a) + len(b) - 1), np.zeros(len(a) + len(b) - 2)
        squares, products = ways
        fast = kernels.get(cost_s=NUMPY_S_PER_CELL * (len(a) + len(b)))
        self._body: Any = _NumpyBody if fast is None else fast
        self._body.ways(a, squares, products)
        self._body.ways(b, squares[len(a) :], products[len(a) :])
        length = float(squares.sum())
        self.finite = math.isfinite(length + float(a[0] @ a[0]) + float(b[0] @ b[0]))
        if frame is None:
            frame = math.sqrt(length / max(len(a) + len(b) - 2, 1))
        unit = frame if frame > 0.0 else 1.0
        self.frame = frame
        wire = _wire(squares, products, frame, stretch, bend * unit)
        self.a = _Wire(wire.stretch[: len(a)], wire.bend[: len(a)])
        self.b = _Wire(wire.stretch[len(a) :], wire.bend[len(a) :])
        for one in (self.a, self.b):
            one.stretch[0] = 0.0
            one.bend[:2] = 0.0
        self.alone = float(self.a.stretch.sum() + self.a.bend.sum() + self.b.stretch.sum() + self.b.bend.sum())
        self.b_back = _Wire(self.b.stretch[::-1].copy(), self.b.bend[::-1].copy())

    def fill(
        self, part: Part, edges: Edges, spacing: int, *, keep: bool, limit: Limit | None, window: Window | None
    ) -> Strip:
        """Fill a part of the table."""
        top, rows, lo, hi = part
        fast = kernels.get(cost_s=NUMPY_S_PER_CELL * rows * (hi - lo))
        body: Any = _NumpyBody if fast is None else fast
        columns = hi - lo
        bottom = arena.take((3, columns))
        marks = arena.full((columns // spacing, 3, rows), INF)
        cells = arena.take((columns + rows + 1 if keep else 3, 3, rows + 1))
        lay_edges(cells, edges)
        back_from, back_to = self.frames_b - hi, self.frames_b - lo
        none = np.zeros(0, np.int64)
        first, last = (none, none) if window is None else (side[top : top + rows] - lo for side in window)
        body.work_diagonals(
            self.a.stretch[top : top + rows], self.a.bend[top : top + rows],
            self.b_back.stretch[back_from:back_to], self.b_back.bend[back_from:back_to], first, last, cells,
            edges.above, edges.left, bottom, marks, spacing,
        )  # fmt: skip
        return Strip(part, bottom, marks, cells if keep else None)

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Back from a cell to the strip's edge, diagonally where there is a choice."""
        fast = kernels.get(cost_s=0.0)
        body: Any = _NumpyBody if fast is None else fast
        top, rows, lo, hi = strip.part
        bend_a, bend_b = self.a.bend[top : top + rows], self.b_back.bend[self.frames_b - hi : self.frames_b - lo]
        there: tuple[int, ...] = body.work_walk(strip.kept, bend_a, bend_b, row, column, state, path, at)
        return there

    def along(self, path: np.ndarray) -> float:
        """The work along a path."""
        total: float = self._body.work_along(*self.a, *self.b, path)
        return total


def _wire(squares: Floats, cosine: Floats, frame: float, stretch: float, bend: float) -> _Wire:
    """The work of wires; the products of each way with the next become what the corners cost."""
    lengths = np.sqrt(squares + frame * frame)
    cosine += frame * frame
    product = lengths[1:] * lengths[:-1]
    if frame > 0.0:
        cosine /= product
    else:
        cosine = np.divide(cosine, product, out=np.ones_like(cosine), where=product > 0.0)
    np.minimum(np.maximum(cosine, -1.0, out=cosine), 1.0, out=cosine)
    result = _Wire(np.empty(len(squares) + 1), np.empty(len(squares) + 1))
    np.multiply(lengths, stretch, out=result.stretch[1:])
    np.multiply(np.arccos(cosine, out=cosine), bend, out=result.bend[2:])
    return result


class _NumpyBody:
    """The readable body of :mod:`kinetune.signals.warping.work_cost_kernels`: the same operations in the same order."""

    @staticmethod
    def ways(x: Floats, squares: Floats, products: Floats) -> None:
        steps = np.diff(x, axis=0)
        squares[: len(steps)] = four_sums(steps * steps)
        products[: max(len(steps) - 1, 0)] = four_sums(steps[1:] * steps[:-1])

    @staticmethod
    def work_along(long_a: Floats, turn_a: Floats, long_b: Floats, turn_b: Floats, path: np.ndarray) -> float:
        if len(path) < 2:
            return 0.0
        i, j = path[1:].T
        moves = np.diff(path, axis=0)
        turning = moves * np.concatenate([[(0, 0)], moves[:-1]])
        stretch = np.abs(long_a[i] * moves[:, 0] - long_b[j] * moves[:, 1])
        bend = np.abs(turn_a[i] * turning[:, 0] - turn_b[j] * turning[:, 1])
        return float(np.cumsum(stretch + bend)[-1])

    @staticmethod
    def work_diagonals(
        stretch_a: Floats,
        bend_a: Floats,
        stretch_b: Floats,
        bend_b: Floats,
        first: np.ndarray,
        last: np.ndarray,
        cells: Floats,
        above: Floats,
        left: Floats,
        bottom: Floats,
        marks: Floats,
        spacing: int,
    ) -> None:
        depth, rows = len(cells), cells.shape[2] - 1
        columns = len(stretch_b)
        for t in range(columns + rows - 1):
            here, before, two_before = cells[(t + 2) % depth], cells[(t + 1) % depth], cells[t % depth]
            low, high = max(t - columns + 1, 0), min(t + 1, rows)
            at = slice(columns - 1 - t + low, columns - 1 - t + high)
            long_a, turn_a, long_b, turn_b = stretch_a[low:high], bend_a[low:high], stretch_b[at], bend_b[at]
            both, only_a, only_b = two_before[:, low:high]
            best = np.minimum(np.minimum(both + np.abs(turn_a - turn_b), only_a + turn_a), only_b + turn_b)
            here[0, low + 1 : high + 1] = best + np.abs(long_a - long_b)
            both, only_a, only_b = before[:, low:high]
            here[1, low + 1 : high + 1] = np.minimum(np.minimum(both, only_a) + turn_a, only_b) + long_a
            both, only_a, only_b = before[:, low + 1 : high + 1]
            here[2, low + 1 : high + 1] = np.minimum(np.minimum(both, only_b) + turn_b, only_a) + long_b
            here[:, 0] = above[:, t + 2]
            if t + 1 < rows:
                here[:, t + 2] = left[:, t + 1]
            if len(first):
                column = t - np.arange(low, high)
                here[:, low + 1 : high + 1][:, (column < first[low:high]) | (column > last[low:high])] = INF
            if t + 1 >= rows:
                bottom[:, t + 1 - rows] = here[:, rows]
            for r in range((t + 1) % spacing, rows, spacing):
                mark = (t + 1 - r) // spacing
                if 1 <= mark <= len(marks):
                    marks[mark - 1, :, r] = here[:, r + 1]

    @staticmethod
    def work_walk(
        cells: Floats,
        bend_a: Floats,
        bend_b: Floats,
        row: int,
        column: int,
        state: int,
        path: np.ndarray,
        at: int,
    ) -> tuple[int, int, int, int]:
        end = len(bend_b) - 1
        while row >= 0 and column >= 0:
            path[at] = row, column
            at -= 1
            t = row + column
            x, y = bend_a[row], bend_b[end - column]
            if state == 0:
                both, only_a, only_b = cells[t, :, row] + (abs(x - y), x, y)
                row, column = row - 1, column - 1
            elif state == 1:
                both, only_a, only_b = cells[t + 1, :, row] + (x, x, 0.0)
                row -= 1
            else:
                both, only_a, only_b = cells[t + 1, :, row + 1] + (y, 0.0, y)
                column -= 1
            state = 0 if both <= only_a and both <= only_b else (1 if only_a <= only_b else 2)
        return row, column, state, at
