"""The best path through the table of a time warp, without the table in memory.

Time is proportional to the number of cells, memory to the number of frames: bottom rows of at most 64 strips and marks
every 64th of the way are kept, and the path is traced back by filling again the parts that it crosses.
"""

from __future__ import annotations

import numpy as np

from kinetune.errors import ParameterError
from kinetune.progress import report
from kinetune.signals.warping.strips import INF, Bound, Cost, Edges, Part, Strip, Window, arena

_MOST_STRIPS = 64
_KEPT_BYTES = 4 << 20
"""What it takes to walk back through the whole table is kept up to here. Beyond, parts of it are filled again."""


def strip_height(cost: Cost) -> int:
    """The number of rows of all strips but the last."""
    n = cost.frames_a
    return -(-n // min(-(-n // cost.strip_rows), _MOST_STRIPS))


def best_path(
    cost: Cost, *, free_ends: bool = False, window: Window | None = None, bound: Bound | None = None
) -> np.ndarray:
    """The path (steps, 2) of least cost from the first frames of both signals to their last ones.

    Parameters
    ----------
    free_ends : the path may begin and end in any column.
    window : the columns that each row may use.
    bound : leave out what cannot be part of the best path. The path is the same to the last bit.

    Notes
    -----
    Among equal costs a diagonal step is taken, then one of ``a``, then one of ``b``; with free ends the earliest end.
    """
    with arena.session():
        return _best_path(cost, free_ends, window, bound)


def _best_path(cost: Cost, free_ends: bool, window: Window | None, bound: Bound | None) -> np.ndarray:
    n, m = cost.frames_a, cost.frames_b
    rows = strip_height(cost)
    keep = cost.kept_bytes_per_cell * n * m <= _KEPT_BYTES
    spacing = n + m if keep else max(rows, m // _MOST_STRIPS)
    strips: list[Strip] = []
    lo, open_until = 0, 0
    for top in range(0, n, rows):
        report(top / n, "aligning")
        part = Part(top, min(rows, n - top), lo, m)
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


def _edges(cost: Cost, above: Strip | None, part: Part, free_ends: bool) -> Edges:
    """What the strip above says about the cells around a part that begins at the strip's own left edge."""
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
    cost: Cost, strips: list[Strip], rows: int, spacing: int, free_ends: bool, window: Window | None
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
            if strip.kept is None:
                strip = _again(cost, strips, index, column, spacing, free_ends, window)
            top, lo = strip.part.top, strip.part.lo
            row, column, state, next_at = cost.walk(strip, row - top, column - lo, state, path, at)
        for side, begin in enumerate((top, lo)):
            if begin:
                path[next_at + 1 : at + 1, side] += begin
        row, column, at = row + top, column + lo, next_at
    return path[at + 1 :]


def _again(
    cost: Cost, strips: list[Strip], index: int, column: int, spacing: int, free_ends: bool, window: Window | None
) -> Strip:
    """The part of a strip that ends in a column, with its steps; wide enough for most paths to cross the strip."""
    strip = strips[index]
    top, rows, lo, _ = strip.part
    mark = max(column - lo - rows, 0) // spacing
    part = Part(top, rows, lo + mark * spacing, column + 1)
    edges = _edges(cost, strips[index - 1] if index else None, part, free_ends)
    if mark:
        edges = Edges(edges.above, strip.marks[mark - 1])
    return cost.fill(part, edges, spacing, keep=True, limit=None, window=window)
