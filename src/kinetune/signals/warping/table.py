"""The best path through the table of a time warp, without the table in memory.

The table has a row for each frame of ``a`` and a column for each frame of ``b``; a cell holds the cost of the best
path from the start to it. It is filled in strips of rows, at most 64. Of each strip only its bottom row and a few of
its columns (*marks*) are stored: enough to fill any part of it again when the path is traced back through it.
So time is proportional to the number of cells, and memory to the number of frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import ParameterError
from kinetune.kernels.arena import Arena
from kinetune.progress import report
from kinetune.rotations import Floats

INF = np.inf

arena = Arena()
"""Memory of the strips during a search."""


class TablePart(NamedTuple):
    """Which part of the table is filled: rows top to top + rows, columns lo to hi."""

    top: int
    rows: int
    lo: int
    hi: int


@dataclass(frozen=True)
class Edges:
    """The cells around a part.

    above : (states, columns + rows + 2) the cell above and to the left, the row above, and infinity.
    left : (states, rows) the column to the left.
    """

    above: Floats
    left: Floats


@dataclass(frozen=True)
class CostLimit:
    """When a path is hopeless: its cost so far and ``rest[column]``, the least that is still to come, exceed ``most``.

    open_until : the last column through which a path can still come down from the row above.
    """

    most: float
    rest: Floats
    open_until: int

    def excludes(self, least: float, stop: int, rows: int) -> bool:
        """Whether no path can come to column ``stop`` and beyond.

        least : the least cost on the last two diagonals, which end in the column before it and every path crosses.
        """
        if stop <= self.open_until + 1:
            return False
        return bool(least + self.rest[max(stop - 1 - rows, 0) : stop].min() > self.most)


class PathBound:
    """What is known about the best path before it is looked for; see :mod:`kinetune.signals.warping._pose_corridor`.

    most : the cost of some path.
    inside, bottom : (strips, blocks of b) the least that is still to come anywhere in a strip, and in its last row.
    """

    def __init__(self, most: float, inside: Floats, bottom: Floats, block: int, columns: int) -> None:
        self.most = most
        self._inside, self._bottom = inside, bottom
        self._block, self._columns = block, columns

    def limit(self, strip: int, open_until: int) -> CostLimit:
        """The limit inside a strip."""
        return CostLimit(self.most, np.repeat(self._inside[strip], self._block)[: self._columns], open_until)

    def hopeful(self, strip: int, bottom: Floats, lo: int) -> np.ndarray:
        """The columns in which the last row of a strip, from column ``lo`` on, may belong to the best path."""
        rest = np.repeat(self._bottom[strip], self._block)[lo : lo + len(bottom)]
        return lo + np.flatnonzero(bottom + rest <= self.most)


class Strip(NamedTuple):
    """A filled part.

    part : as it was filled; ``hi`` is smaller than asked for where all further columns are hopeless.
    bottom : (states, columns) its last row.
    marks : (count, states, rows) its columns ``spacing - 1``, ``2 spacing - 1`` and so on.
    record : what it takes to walk back through it: steps or cells; None if that was not stored.
    """

    part: TablePart
    bottom: Floats
    marks: Floats
    record: np.ndarray | None


class WarpWindow(NamedTuple):
    """The first and the last column that each row may use (Sakoe-Chiba)."""

    first: np.ndarray
    last: np.ndarray


class Cost(Protocol):
    """A way to compare two signals, with the strips of its table."""

    states: int
    kept_bytes_per_cell: float
    strip_rows: int
    frames_a: int
    frames_b: int

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

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Walk back from a cell of a strip that has a record to the strip's edge.

        The path (in rows and columns of the strip) is written from index ``at`` downwards. Returns the row, the column
        and the state after the last step, and the next index.
        """

    def along(self, path: np.ndarray) -> float:
        """The cost of a path (steps, 2)."""


def bytes_per_diagonal(rows: int) -> int:
    """How many bytes the steps of one anti-diagonal take."""
    return (rows + 3) // 4


def step_room(part: TablePart, *, keep: bool) -> NDArray[np.uint8]:
    """Memory for the steps of a part; none unless they are stored."""
    diagonals = part.hi - part.lo + part.rows - 1 if keep else 0
    return np.asarray(arena.take((diagonals * bytes_per_diagonal(part.rows),), np.uint8))


def lay_edges(cells: Floats, edges: Edges) -> None:
    """Put the edges of a part into the two diagonals before its first one."""
    cells[:2] = INF
    cells[0, ..., 0] = edges.above[..., 0]
    cells[1, ..., 0] = edges.above[..., 1]
    cells[1, ..., 1] = edges.left[..., 0]


_MOST_STRIPS = 64
_KEPT_BYTES = 4 << 20
"""The records of all strips are stored up to this size; beyond it, parts of the table are filled again."""


def strip_height(cost: Cost) -> int:
    """The number of rows of all strips but the last."""
    n = cost.frames_a
    return -(-n // min(-(-n // cost.strip_rows), _MOST_STRIPS))


def best_path(
    cost: Cost, *, free_ends: bool = False, window: WarpWindow | None = None, bound: PathBound | None = None
) -> np.ndarray:
    """The path (steps, 2) of least cost from the first frames of both signals to their last ones.

    Parameters
    ----------
    cost : Cost
        How frames are compared.
    free_ends : bool
        The path may begin and end in any column.
    window : WarpWindow or None
        The columns that each row may use.
    bound : PathBound or None
        Leaves out cells that cannot be part of the best path. The path is the same to the last bit.

    Notes
    -----
    Among equal costs a diagonal step is taken, then one of ``a``, then one of ``b``; with free ends the earliest end.
    """
    with arena.session():
        return _best_path(cost, free_ends, window, bound)


def _best_path(cost: Cost, free_ends: bool, window: WarpWindow | None, bound: PathBound | None) -> np.ndarray:
    n, m = cost.frames_a, cost.frames_b
    rows = strip_height(cost)
    keep = cost.kept_bytes_per_cell * n * m <= _KEPT_BYTES
    spacing = n + m if keep else max(rows, m // _MOST_STRIPS)
    strips: list[Strip] = []
    lo, open_until = 0, 0
    for top in range(0, n, rows):
        report(top / n, "aligning")
        part = TablePart(top, min(rows, n - top), lo, m)
        if window is not None:
            part = part._replace(lo=max(lo, int(window.first[top])), hi=int(window.last[top + part.rows - 1]) + 1)
        limit = None if bound is None else bound.limit(len(strips), open_until)
        edges = _edges(cost, strips[-1] if strips else None, part, free_ends)
        strip = cost.fill(part, edges, spacing, keep=keep, limit=limit, window=window)
        strips.append(strip)
        if bound is not None:
            hopeful = bound.hopeful(len(strips) - 1, strip.bottom.min(axis=0), part.lo)
            lo, open_until = int(hopeful[0]), int(hopeful[-1])
        elif window is not None:
            lo = part.lo
    return _trace(cost, strips, rows, spacing, free_ends, window)


def _edges(cost: Cost, above: Strip | None, part: TablePart, free_ends: bool) -> Edges:
    """The cells around a part that begins at its strip's left edge, from the strip above."""
    columns = part.hi - part.lo
    row = arena.full((cost.states, columns + part.rows + 2), INF)
    if above is not None:
        first, last = max(part.lo - 1, above.part.lo), min(part.hi, above.part.hi)
        if last > first:
            row[:, first - part.lo + 1 : last - part.lo + 1] = above.bottom[
                :, first - above.part.lo : last - above.part.lo
            ]
    elif free_ends:
        row[_free_state(cost), : columns + 1] = 0.0
    elif part.lo == 0:
        row[0, 0] = 0.0
    return Edges(row, arena.full((cost.states, part.rows), INF))


def _free_state(cost: Cost) -> int:
    """The state in which a path with free ends begins: with three of them, b has been standing still."""
    return 0 if cost.states == 1 else 1


def _trace(
    cost: Cost, strips: list[Strip], rows: int, spacing: int, free_ends: bool, window: WarpWindow | None
) -> np.ndarray:
    n, m = cost.frames_a, cost.frames_b
    last = strips[-1]
    column = last.part.lo + int(np.argmin(last.bottom.min(axis=0))) if free_ends else m - 1
    ends = last.bottom[:, column - last.part.lo].tolist() if last.part.lo <= column < last.part.hi else [INF]
    if min(ends) == INF:
        raise ParameterError("No path stays within the window: make it wider.")
    state = ends.index(min(ends))
    row = n - 1
    path = np.empty((n + m, 2), dtype=np.int64)
    at = n + m - 1
    while row >= 0:
        report(1.0, "aligning")
        index = row // rows
        with arena.frame():
            strip = strips[index]
            if strip.record is None:
                strip = _refill(cost, strips, index, column, spacing, free_ends, window)
            top, lo = strip.part.top, strip.part.lo
            row, column, state, next_at = cost.walk(strip, row - top, column - lo, state, path, at)
        for side, begin in enumerate((top, lo)):
            if begin:
                path[next_at + 1 : at + 1, side] += begin
        row, column, at = row + top, column + lo, next_at
    return path[at + 1 :]


def _refill(
    cost: Cost, strips: list[Strip], index: int, column: int, spacing: int, free_ends: bool, window: WarpWindow | None
) -> Strip:
    """Fill again the part of a strip that ends in a column, with its steps; most paths cross the strip inside it."""
    strip = strips[index]
    top, rows, lo, _ = strip.part
    mark = max(column - lo - rows, 0) // spacing
    part = TablePart(top, rows, lo + mark * spacing, column + 1)
    edges = _edges(cost, strips[index - 1] if index else None, part, free_ends)
    if mark:
        edges = Edges(edges.above, strip.marks[mark - 1])
    return cost.fill(part, edges, spacing, keep=True, limit=None, window=window)
