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
from kinetune.signals.warping.table import INF, Edges, Limit, Part, Strip, Window, arena, best_path, lay_edges

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


_SMALL_TABLE = 1 << 14
"""Tables of up to so many cells are filled."""
_BAND_MARGIN = 40
"""Frames to either side of what the lengths of the signals make inevitable."""
_KEPT_BAND_BYTES = 4 << 20
"""What the steps of a band may take. Wider ones are filled in strips, without their steps."""
_BAND_SLACK = 1e-9
"""How far rounding may move the bounds, as a part of the numbers they come from."""


class Band(NamedTuple):
    """How many frames ahead of the other either signal may be."""

    a: int
    b: int

    def width(self, n: int, m: int) -> int:
        """The most cells on one anti-diagonal, in a table of n by m."""
        return min((self.a + self.b) // 2 + 1, n, m)


def work_path(cost: WorkCost) -> np.ndarray:
    """The best path by work from corner to corner, with as little of the table as it takes to be sure of it."""
    n, m = cost.frames_a, cost.frames_b
    whole = Band(n - 1, m - 1)
    if n * m <= _SMALL_TABLE:
        return path_in_band(cost, whole)
    band = Band(min(max(n - m, 0) + _BAND_MARGIN, n - 1), min(max(m - n, 0) + _BAND_MARGIN, m - 1))
    if _bytes(cost, band) <= _KEPT_BAND_BYTES:
        path = path_in_band(cost, band)
        waits = most_waits(cost, cost.along(path))
        needed = Band(waits, waits + m - n)
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


def _bytes(cost: WorkCost, band: Band) -> int:
    n, m = cost.frames_a, cost.frames_b
    return (n + m - 1) * band.width(n, m)


def path_in_band(cost: WorkCost, band: Band) -> np.ndarray:
    """The best path that keeps to a band."""
    n, m = cost.frames_a, cost.frames_b
    compiled = kernels.load()
    path = np.empty((n + m, 2), dtype=np.int64)
    with arena.session():
        width = band.width(n, m)
        cells, codes = arena.take((3, 3, n + 2)), arena.take((3, width), np.uint8)
        steps = arena.take((n + m - 1, width), np.uint8)
        state = compiled.work_band(*cost.a, *cost.b_back, *band, cells, codes, steps)
        start = compiled.work_band_walk(steps, n, m, *band, state, path)
    return path[start:]
