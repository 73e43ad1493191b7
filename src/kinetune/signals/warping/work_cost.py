r"""Sederberg's cost of a time warp: the work it takes to bend and stretch one signal into the other.

Both signals are seen as wires through space and time, one vertex per frame, all channels together. A step along the
path stretches the segments that it joins, :math:`|L_a - L_b|`, and where two steps meet bends the corners,
:math:`|\theta_a - \theta_b|`. A signal that stands still over a step has a segment of length 0, and no corner where it
stood still on either side.

What a step costs depends on the step before it. So each cell has three values, one for each step that leads to it,
which makes the programme exactly optimal; the two-dimensional table of [sederberg], with the best value of each cell
only, is not.

Only a band of the table is filled (:func:`work_path`). A path first pays for every segment and every corner of both
signals on its own. Where both advance together it saves twice the lesser of the two stretches, and between two such
steps twice the lesser of the two bends. Where one waits for the other it saves no stretch, and at most one bend of the
other signal for each wait. So a path with k waits saves no more than the greatest savings of all rows but k, and the k
greatest bends of either signal on top; the same holds by columns. If that is less than what some path is known to save,
no best path has k waits. A path that is k frames off the diagonal has waited k times. The known path is the best one in
a narrow band, which mostly suffices; otherwise the band becomes as wide as the number of waits allows.
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
    best_path,
    lay_edges,
)

_kernels = Kernels("kinetune.signals.warping.work_cost_kernels")
_STRIP_ROWS = 200


class Wire(NamedTuple):
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
        square of the step from one pose to the next, over both signals, so that time and pose weigh the same.

    Attributes
    ----------
    alone : what both signals pay for all their segments and corners, each on its own.
    finite : whether all values are finite numbers, and so are the squares of their differences.
    """

    states = 3
    kept_bytes_per_cell = 24.0

    def __init__(
        self, a: Floats, b: Floats, stretch: float = 1.0, bend: float = 1.0, frame: float | None = None
    ) -> None:
        self.frames_a, self.frames_b = len(a), len(b)
        self.strip_rows = _STRIP_ROWS if len(a) > 2 * _STRIP_ROWS else len(a)
        # Both in one array, b after a: half as many calls. What lies across the seam is not used.
        squares, products = np.zeros(len(a) + len(b) - 1), np.zeros(len(a) + len(b) - 2)
        compiled = _kernels.load()
        compiled.measure_steps(a, squares, products)
        compiled.measure_steps(b, squares[len(a) :], products[len(a) :])
        length = float(squares.sum())
        self.finite = math.isfinite(length + float(a[0] @ a[0]) + float(b[0] @ b[0]))
        if frame is None:
            frame = math.sqrt(length / max(len(a) + len(b) - 2, 1))
        unit = frame if frame > 0.0 else 1.0
        self.frame = frame
        wire = _wire(squares, products, frame, stretch, bend * unit)
        self.a = Wire(wire.stretch[: len(a)], wire.bend[: len(a)])
        self.b = Wire(wire.stretch[len(a) :], wire.bend[len(a) :])
        for side in (self.a, self.b):
            side.stretch[0] = 0.0
            side.bend[:2] = 0.0
        self.alone = float(self.a.stretch.sum() + self.a.bend.sum() + self.b.stretch.sum() + self.b.bend.sum())
        self.b_back = Wire(self.b.stretch[::-1].copy(), self.b.bend[::-1].copy())

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
        """Fill a part of the table."""
        top, rows, lo, hi = part
        columns = hi - lo
        bottom = arena.take((3, columns))
        marks = arena.full((columns // spacing, 3, rows), INF)
        cells = arena.take((columns + rows + 1 if keep else 3, 3, rows + 1))
        lay_edges(cells, edges)
        back_from, back_to = self.frames_b - hi, self.frames_b - lo
        none = np.zeros(0, np.int64)
        allowed = WarpWindow(none, none)
        if window is not None:
            allowed = WarpWindow(window.first[top : top + rows] - lo, window.last[top : top + rows] - lo)
        a = Wire(self.a.stretch[top : top + rows], self.a.bend[top : top + rows])
        b = Wire(self.b_back.stretch[back_from:back_to], self.b_back.bend[back_from:back_to])
        _kernels.load().work_diagonals(a, b, allowed, cells, edges.above, edges.left, bottom, marks, spacing)
        return Strip(part, bottom, marks, cells if keep else None)

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Back from a cell to the strip's edge, diagonally where there is a choice."""
        top, rows, lo, hi = strip.part
        bend_a, bend_b = self.a.bend[top : top + rows], self.b_back.bend[self.frames_b - hi : self.frames_b - lo]
        end: tuple[int, ...] = _kernels.load().work_walk(strip.record, bend_a, bend_b, row, column, state, path, at)
        return end

    def along(self, path: np.ndarray) -> float:
        """The work along a path."""
        total: float = _kernels.load().work_along(self.a, self.b, path)
        return total


def _wire(squares: Floats, cosine: Floats, frame: float, stretch: float, bend: float) -> Wire:
    """The work of wires, from the squared lengths of their steps and the products of each step with the next."""
    lengths = np.sqrt(squares + frame * frame)
    cosine += frame * frame
    product = lengths[1:] * lengths[:-1]
    if frame > 0.0:
        cosine /= product
    else:
        cosine = np.divide(cosine, product, out=np.ones_like(cosine), where=product > 0.0)
    np.minimum(np.maximum(cosine, -1.0, out=cosine), 1.0, out=cosine)
    result = Wire(np.empty(len(squares) + 1), np.empty(len(squares) + 1))
    np.multiply(lengths, stretch, out=result.stretch[1:])
    np.multiply(np.arccos(cosine, out=cosine), bend, out=result.bend[2:])
    return result


_SMALL_TABLE = 1 << 14
"""Tables of up to so many cells are filled completely."""
_BAND_MARGIN = 40
"""Frames to either side of what the lengths of the signals make inevitable."""
_KEPT_BAND_BYTES = 4 << 20
"""Most memory for the steps of a band. Wider bands are filled in strips, without their steps."""
_BAND_SLACK = 1e-9
"""How far rounding may move the bounds, as a part of the numbers they come from."""


class TableBand(NamedTuple):
    """How many frames ahead of the other either signal may be."""

    a: int
    b: int

    def width(self, n: int, m: int) -> int:
        """The most cells on one anti-diagonal, in a table of n by m."""
        return min((self.a + self.b) // 2 + 1, n, m)


def work_path(cost: WorkCost) -> np.ndarray:
    """The best path by work from corner to corner, with only as much of the table as it takes to be sure."""
    n, m = cost.frames_a, cost.frames_b
    whole = TableBand(n - 1, m - 1)
    if n * m <= _SMALL_TABLE:
        return path_in_band(cost, whole)
    band = TableBand(min(max(n - m, 0) + _BAND_MARGIN, n - 1), min(max(m - n, 0) + _BAND_MARGIN, m - 1))
    if _bytes(cost, band) <= _KEPT_BAND_BYTES:
        path = path_in_band(cost, band)
        waits = most_waits(cost, cost.along(path))
        needed = TableBand(waits, waits + m - n)
        if needed.a <= band.a and needed.b <= band.b:
            return path
        whole = needed
    return path_in_band(cost, whole) if _bytes(cost, whole) <= _KEPT_BAND_BYTES else best_path(cost)


def most_waits(cost: WorkCost, most: float) -> int:
    """How often b can wait for a, at most, on paths of at most a cost."""
    n, m = cost.frames_a, cost.frames_b
    (long_a, turn_a), (long_b, turn_b) = cost.a, cost.b
    least = max(n - m, 0)
    # Where b waits k times, from the least number on, there are n - 1 - k steps of both signals.
    rows = _greatest(2.0 * (np.minimum(long_a, long_b.max()) + np.minimum(turn_a, turn_b.max())))
    columns = _greatest(2.0 * (np.minimum(long_b, long_a.max()) + np.minimum(turn_b, turn_a.max())))
    saved = np.minimum(rows[: n - least], columns[: n - least])[::-1]
    saved += _greatest(turn_b, n)[least:n]
    saved += _greatest(turn_a, m)[least + m - n : m]
    hopeful = saved >= (cost.alone - most) - _BAND_SLACK * cost.alone
    return least + int(np.flatnonzero(hopeful)[-1])


def _greatest(values: Floats, most: int = 0) -> Floats:
    """The sum of the k greatest values, for every k from 0 to their number, or on to ``most``."""
    sums = np.zeros(max(len(values), most) + 1)
    np.cumsum(np.sort(values)[::-1], out=sums[1 : len(values) + 1])
    sums[len(values) + 1 :] = sums[len(values)]
    return sums


def _bytes(cost: WorkCost, band: TableBand) -> int:
    n, m = cost.frames_a, cost.frames_b
    return (n + m - 1) * band.width(n, m)


def path_in_band(cost: WorkCost, band: TableBand) -> np.ndarray:
    """The best path that keeps to a band."""
    n, m = cost.frames_a, cost.frames_b
    compiled = _kernels.load()
    path = np.empty((n + m, 2), dtype=np.int64)
    with arena.session():
        width = band.width(n, m)
        cells, codes = arena.take((3, 3, n + 2)), arena.take((3, width), np.uint8)
        steps = arena.take((n + m - 1, width), np.uint8)
        state = compiled.work_band(cost.a, cost.b_back, band, cells, codes, steps)
        start = compiled.work_band_walk(steps, n, m, band, state, path)
    return path[start:]
