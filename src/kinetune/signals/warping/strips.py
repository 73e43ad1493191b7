"""What the two costs of a time warp have in common: strips of the table, filled without keeping the table.

The table has a row for each frame of ``a`` and a column for each frame of ``b``; a cell holds the cost of the best
path from the start to it. It is filled in strips of rows. Of each strip only its bottom row and a few of its columns
(*marks*) are kept: enough to fill any part of it again when the path is traced back through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.arena import Arena
from kinetune.rotations import Floats

INF = np.inf

arena = Arena()
"""Where strips live while a path is looked for."""


class Part(NamedTuple):
    """Which part of the table is filled: rows top to top + rows, columns lo to hi."""

    top: int
    rows: int
    lo: int
    hi: int


@dataclass(frozen=True)
class Edges:
    """What lies around a part.

    above : (states, columns + rows + 2) the cell above and to the left, the row above, and infinity.
    left : (states, rows) the column to the left.
    """

    above: Floats
    left: Floats


@dataclass(frozen=True)
class Limit:
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


class Bound:
    """What is known about the best path before it is looked for; see :mod:`kinetune.signals.warping.pose_corridor`.

    most : the cost of some path.
    inside, bottom : (strips, blocks of b) the least that is still to come anywhere in a strip, and in its last row.
    """

    def __init__(self, most: float, inside: Floats, bottom: Floats, block: int, columns: int) -> None:
        self.most = most
        self._inside, self._bottom = inside, bottom
        self._block, self._columns = block, columns

    def limit(self, strip: int, open_until: int) -> Limit:
        """The limit inside a strip."""
        return Limit(self.most, np.repeat(self._inside[strip], self._block)[: self._columns], open_until)

    def hopeful(self, strip: int, bottom: Floats, lo: int) -> np.ndarray:
        """The columns in which the last row of a strip, from column ``lo`` on, may belong to the best path."""
        rest = np.repeat(self._bottom[strip], self._block)[lo : lo + len(bottom)]
        return lo + np.flatnonzero(bottom + rest <= self.most)


class Strip(NamedTuple):
    """A filled part.

    part : as it was filled; ``hi`` is smaller than asked for where all further columns are hopeless.
    bottom : (states, columns) its last row.
    marks : (count, states, rows) its columns ``spacing - 1``, ``2 spacing - 1`` and so on.
    kept : what it takes to walk back through it; None if that was not to be kept.
    """

    part: Part
    bottom: Floats
    marks: Floats
    kept: np.ndarray | None


class Window(NamedTuple):
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
        self, part: Part, edges: Edges, spacing: int, *, keep: bool, limit: Limit | None, window: Window | None
    ) -> Strip:
        """Fill a part of the table."""

    def walk(self, strip: Strip, row: int, column: int, state: int, path: np.ndarray, at: int) -> tuple[int, ...]:
        """Walk back from a cell of a strip that was kept to the strip's edge.

        The path (in rows and columns of the strip) is written from place ``at`` downwards. Returns the row, the column
        and the state after the last step, and the next place.
        """

    def along(self, path: np.ndarray) -> float:
        """The cost of a path (steps, 2)."""


def bytes_per_diagonal(rows: int) -> int:
    """How many bytes the steps of one anti-diagonal take."""
    return (rows + 3) // 4


def step_room(part: Part, *, keep: bool) -> NDArray[np.uint8]:
    """Room for the steps of a part, or none."""
    diagonals = part.hi - part.lo + part.rows - 1 if keep else 0
    return np.asarray(arena.take((diagonals * bytes_per_diagonal(part.rows),), np.uint8))


def lay_edges(cells: Floats, edges: Edges) -> None:
    """Put what lies around a part into the two diagonals before its first one."""
    cells[:2] = INF
    cells[0, ..., 0] = edges.above[..., 0]
    cells[1, ..., 0] = edges.above[..., 1]
    cells[1, ..., 1] = edges.left[..., 0]
