r"""What is known about a time warp before its table is filled, from a coarse look at both signals.

Both signals are cut into blocks of a few frames, each with a mean pose and a radius. Two things follow:

* Some path, the best one near that of the means (:mod:`kinetune.signals.warp_corridor`), has a cost that the best
  path of all cannot exceed.
* Two frames are never closer than their blocks' means less both radii. A path visits every row and every column that
  is still ahead of it, so the nearest that each could be, summed, is the least that is still to come.

A cell from which even the least that is to come leads above the cost of the known path is on no best path. For clips
that resemble each other this spares most of the table, for clips that do not about half of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetune.rotations import Floats
from kinetune.signals.warp_corridor import SLACK, Blocks, Corridor, whole_path
from kinetune.signals.warp_pose import PoseCost
from kinetune.signals.warp_search import best_path, strip_height
from kinetune.signals.warp_strips import Bound, kernels

_SMALL = 1 << 15
"""Tables of up to so many cells are filled."""
_WHOLE = 1 << 17
"""Tables of up to so many cells are filled when the signals have little in common."""
_MIDDLE = 1 << 21
"""Up to here it is asked what all paths need that are as cheap as a known one; beyond, strip by strip."""
_HIGH, _MARGIN = 8, 5
"""Blocks in a strip of a corridor, and to either side of its middle."""
_MOST_BLOCKS_MIDDLE, _MOST_BLOCKS = 200, 340
"""So many that the tables of the blocks are small."""
_WORTH_FILLING = 0.5
_NUMPY_S_PER_PAIR = 3e-8


def pose_path(cost: PoseCost) -> np.ndarray:
    """The best path by poses from corner to corner, with as little of the table as it takes to be sure of it."""
    n, m = cost.frames_a, cost.frames_b
    if n * m <= _SMALL:
        return whole_path(cost)
    longer = max(n, m)
    if n * m > _MIDDLE:
        return best_path(cost, bound=pose_bound(cost))
    blocks = Blocks(cost, max(4, -(-longer // _MOST_BLOCKS_MIDDLE)))
    corridor = Corridor(cost, blocks, _HIGH, _MARGIN)
    if corridor.similar:
        path, most = corridor.best_path()
        if corridor.needed(most * (1.0 + SLACK)):
            return path
        if corridor.cells() < _WORTH_FILLING * n * m:
            return corridor.best_path(learn=False)[0]
    return whole_path(cost) if n * m <= _WHOLE else best_path(cost, bound=pose_bound(cost))


def pose_bound(cost: PoseCost) -> Bound:
    """The bound for the sum of pose distances."""
    n, m = cost.frames_a, cost.frames_b
    blocks = Blocks(cost, max(8, -(-max(n, m) // _MOST_BLOCKS)))
    corridor = Corridor(cost, blocks, _HIGH, _MARGIN)
    _, most = corridor.best_path(learn=False)

    block = blocks.size
    tops = np.arange(0, n, strip_height(cost))
    ends = np.append(tops[1:], n)
    after = -(-ends // block)
    since = np.concatenate([tops // block, (ends - 1) // block])
    rows_left, columns_left = np.empty((len(after), len(blocks.yy))), np.empty((len(since), len(blocks.yy)))
    fast = kernels.get(cost_s=_NUMPY_S_PER_PAIR * corridor.nearest.size)
    body: Any = _NumpyBody if fast is None else fast
    body.least_ahead(corridor.nearest, blocks.sizes_a, blocks.sizes_b, after, since, rows_left, columns_left)
    inside = np.maximum(rows_left, columns_left[: len(tops)])
    bottom = np.maximum(rows_left, columns_left[len(tops) :])
    return Bound(most * (1.0 + SLACK), inside, bottom, block, m)


class _NumpyBody:
    """The readable body of the kernels: the same operations in the same order."""

    @staticmethod
    def least_ahead(
        apart: Floats,
        sizes_a: Floats,
        sizes_b: Floats,
        after: np.ndarray,
        since: np.ndarray,
        rows_left: Floats,
        columns_left: Floats,
    ) -> None:
        m = apart.shape[1]
        to_come = np.minimum.accumulate(apart[::-1, ::-1], axis=1) * sizes_a[::-1, None]
        rows = np.concatenate([np.cumsum(to_come, axis=0)[::-1, ::-1], np.zeros((1, m))])
        rows_left[:] = rows[after]
        to_come = np.minimum.accumulate(apart[::-1], axis=0)[::-1][since] * sizes_b
        columns_left[:, -1] = 0.0
        columns_left[:, :-1] = np.cumsum(to_come[:, :0:-1], axis=1)[:, ::-1]
