r"""What is known about a time warp before its table is filled, from a coarse look at both signals.

Both signals are cut into blocks of a few frames, each with a mean pose and a radius. Two things follow:

* Some path, found on the means alone, has a cost that the best path cannot exceed.
* Two frames are never closer than their blocks' means less both radii. A path visits every row and every column that
  is still ahead of it, so the nearest that each could be, summed, is the least that is still to come.

A cell from which even the least that is to come leads above the cost of the known path is on no best path. For clips
that resemble each other this spares most of the table, for clips that do not about half of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetune.rotations import Floats
from kinetune.signals.warp_pose import PoseCost
from kinetune.signals.warp_search import best_path, strip_height
from kinetune.signals.warp_strips import Bound, kernels

_BLOCK = 8
_MOST_BLOCKS = 340
"""So many that the table of the means is small, see ``warp_pose``."""
_NUMPY_S_PER_PAIR = 3e-8
_SLACK = 1e-7
"""How far rounding may move the bounds, as a part of the numbers they come from."""


def pose_bound(cost: PoseCost) -> Bound:
    """The bound for the sum of pose distances."""
    n, m = cost.frames_a, cost.frames_b
    block = max(_BLOCK, -(-max(n, m) // _MOST_BLOCKS))
    means_a, radii_a, sizes_a = _blocks(cost.a, cost.xx, block)
    means_b, radii_b, sizes_b = _blocks(cost.b, cost.yy, block)
    coarse = PoseCost(means_a, means_b)
    most = cost.along(_fine_path(best_path(coarse), block, n, m))

    tops = np.arange(0, n, strip_height(cost))
    ends = np.append(tops[1:], n)
    after = -(-ends // block)
    since = np.concatenate([tops // block, (ends - 1) // block])
    rows_left, columns_left = np.empty((len(after), len(means_b))), np.empty((len(since), len(means_b)))
    products = (coarse.b @ coarse.a.T).reshape(-1) if coarse.products is None else coarse.products
    slack = _SLACK * float(np.sqrt(coarse.xx.max() + coarse.yy.max()))
    fast = kernels.get(cost_s=_NUMPY_S_PER_PAIR * len(products))
    body: Any = _NumpyBody if fast is None else fast
    body.least_ahead(
        coarse.xx,
        coarse.yy,
        products,
        radii_a + slack,
        radii_b,
        sizes_a,
        sizes_b,
        after,
        since,
        rows_left,
        columns_left,
    )
    inside = np.maximum(rows_left, columns_left[: len(tops)])
    bottom = np.maximum(rows_left, columns_left[len(tops) :])
    return Bound(most * (1.0 + _SLACK), inside, bottom, block, m)


def _blocks(x: Floats, squares: Floats, size: int) -> tuple[Floats, Floats, Floats]:
    """Mean, radius and number of frames of each block of frames; the radius is rather too large than too small."""
    whole = len(x) // size
    parts = [x[: whole * size].reshape(whole, size, x.shape[1])]
    if whole * size < len(x):
        parts.append(x[None, whole * size :])
    sizes = np.concatenate([np.full(len(part), float(part.shape[1])) for part in parts])
    means = np.concatenate([np.einsum("kbd->kd", part) for part in parts]) / sizes[:, None]
    own_means = (means[:whole], means[whole:])[: len(parts)]
    toward = [np.einsum("kbd,kd->kb", p, q).reshape(-1) for p, q in zip(parts, own_means, strict=True)]
    starts = np.arange(0, len(x), size)
    far = np.maximum.reduceat(squares - 2.0 * np.concatenate(toward), starts) + np.einsum("ij,ij->i", means, means)
    radii = np.sqrt(np.maximum(far, 0.0)) + _SLACK * float(np.sqrt(squares.max()))
    return means, radii, sizes


class _NumpyBody:
    """The readable body of the kernels: the same operations in the same order."""

    @staticmethod
    def least_ahead(
        xx: Floats,
        yy: Floats,
        products: Floats,
        radii_a: Floats,
        radii_b: Floats,
        sizes_a: Floats,
        sizes_b: Floats,
        after: np.ndarray,
        since: np.ndarray,
        rows_left: Floats,
        columns_left: Floats,
    ) -> None:
        q = (xx[:, None] + yy) - 2.0 * products.reshape(len(yy), len(xx)).T
        apart = (np.sqrt(np.where(q > 0.0, q, 0.0)) - radii_a[:, None]) - radii_b
        apart = np.where(apart > 0.0, apart, 0.0)
        to_come = np.minimum.accumulate(apart[::-1, ::-1], axis=1) * sizes_a[::-1, None]
        rows = np.concatenate([np.cumsum(to_come, axis=0)[::-1, ::-1], np.zeros((1, len(yy)))])
        rows_left[:] = rows[after]
        to_come = np.minimum.accumulate(apart[::-1], axis=0)[::-1][since] * sizes_b
        columns_left[:, -1] = 0.0
        columns_left[:, :-1] = np.cumsum(to_come[:, :0:-1], axis=1)[:, ::-1]


def _fine_path(coarse: np.ndarray, block: int, n: int, m: int) -> np.ndarray:
    """A path from frame to frame along a path from block to block."""
    nodes = np.minimum(coarse * block + block // 2, (n - 1, m - 1))
    nodes = np.concatenate([[(0, 0)], nodes, [(n - 1, m - 1)]])
    steps = np.max(np.diff(nodes, axis=0), axis=1)
    nodes = nodes[np.concatenate([[True], steps > 0])]
    at = np.concatenate([[0], np.cumsum(steps[steps > 0])])
    every = np.arange(at[-1] + 1)
    return np.stack([np.floor(np.interp(every, at, nodes[:, k]) + 0.5).astype(int) for k in (0, 1)], axis=1)
