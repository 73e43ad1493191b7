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
from typing import NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.warping.strips import INF, Edges, Limit, Part, Strip, Window, arena, lay_edges

kernels = Kernels("kinetune.signals.warping.work_cost_kernels")
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
        compiled = kernels.load()
        compiled.ways(a, squares, products)
        compiled.ways(b, squares[len(a) :], products[len(a) :])
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
        columns = hi - lo
        bottom = arena.take((3, columns))
        marks = arena.full((columns // spacing, 3, rows), INF)
        cells = arena.take((columns + rows + 1 if keep else 3, 3, rows + 1))
        lay_edges(cells, edges)
        back_from, back_to = self.frames_b - hi, self.frames_b - lo
        none = np.zeros(0, np.int64)
        first, last = (none, none) if window is None else (side[top : top + rows] - lo for side in window)
        kernels.load().work_diagonals(
            self.a.stretch[top : top + rows], self.a.bend[top : top + rows],
            self.b_back.stretch[back_from:back_to], self.b_back.bend[back_from:back_to], first, last, cells,
            edges.above, edges.left, bottom, marks, spacing,
        )  # fmt: skip
        return Strip(part, bottom, marks, cells if keep else None)

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Back from a cell to the strip's edge, diagonally where there is a choice."""
        top, rows, lo, hi = strip.part
        bend_a, bend_b = self.a.bend[top : top + rows], self.b_back.bend[self.frames_b - hi : self.frames_b - lo]
        there: tuple[int, ...] = kernels.load().work_walk(strip.kept, bend_a, bend_b, row, column, state, path, at)
        return there

    def along(self, path: np.ndarray) -> float:
        """The work along a path."""
        total: float = kernels.load().work_along(*self.a, *self.b, path)
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
