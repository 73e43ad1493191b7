"""Examples blended frame by frame, with weights that change on the way.

=========  =============================================================================
Blend      a blend of the steps of a pool, read at some phases
=========  =============================================================================
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.inverse.steps.step_extraction import GRID
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.walk.pose_easing import step_kernels
from kinetune.rotations import Floats


class Blend:
    """A blend read at some phases: examples are sampled on a grid, and read between its points.

    ways : (GRID, n) weights at each of the grid's phases. phases : (frames,).
    """

    def __init__(self, pool: StepPool, ways: Floats, phases: Floats) -> None:
        self.pool = pool
        self.used = np.flatnonzero(ways.max(axis=0) > 1e-12)
        place = phases * (GRID - 1)
        self.node = np.minimum(place.astype(np.intp), GRID - 2)
        self.part = place - self.node
        at = self.part[:, None]
        own = ways[:, self.used]
        self.weights = (1.0 - at) * own[self.node] + at * own[self.node + 1]  # (frames, used)

    def values(self, stacked: Floats, turns: int = 0, weights: Floats | None = None) -> Floats:
        """Numbers (n, GRID, m) blended: (frames, m).

        turns : how many of them, in front, are quaternions, four each; they come out with length 1.
        weights : (n,) for all frames instead of those that change.
        """
        w = self.weights
        if weights is not None:
            w = np.empty_like(w)
            w[:] = weights[self.used]
        fast = step_kernels.settled()
        if fast is not None:
            result = np.empty((len(self.part), stacked.shape[2]))
            fast.blend(stacked, self.used, w, self.node, self.part, turns, result)
            return result
        own = stacked[self.used]
        mixed = np.einsum("fn,nfm->fm", w * (1.0 - self.part)[:, None], own[:, self.node])
        mixed += np.einsum("fn,nfm->fm", w * self.part[:, None], own[:, self.node + 1])
        mixed[:, :turns] = rot.normalize(mixed[:, :turns].reshape(len(mixed), -1, 4)).reshape(len(mixed), -1)
        return mixed

    def pose(self) -> tuple[Floats, Floats, Floats]:
        """Local rotations (frames, joints, 4), those of the toes that stand (frames, 4), and soles (frames, 4)."""
        joints = len(self.pool.skeleton)
        mixed = self.values(self.pool.moving, 4 * joints + 4)
        rotations = np.ascontiguousarray(mixed[:, : 4 * joints]).reshape(-1, joints, 4)
        return rotations, np.ascontiguousarray(mixed[:, 4 * joints : 4 * joints + 4]), mixed[:, 4 * joints + 4 :]

    def support(self) -> tuple[Floats, Floats]:
        """Local rotations (frames, k, 4) from the standing toes up to the first joint, and those of the toes."""
        count = 4 * len(self.pool.legs.to_root)
        mixed = self.values(self.pool.supporting, count + 4)
        return mixed[:, :count].reshape(len(mixed), -1, 4), np.ascontiguousarray(mixed[:, count:])

    def swing(self, stacked: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """How the swinging foot moves at its start or at its end: points (frames, 3), rotations (frames, 2, 4)."""
        mixed = self.values(stacked, 8, weights)
        return np.ascontiguousarray(mixed[:, 8:]), np.ascontiguousarray(mixed[:, :8]).reshape(-1, 2, 4)

    def roots(self, place: Floats, turned: Floats) -> tuple[Floats, Floats]:
        """The examples' own roots, averaged and moved to begin at a place and a turn."""
        path, turns = self.values(self.pool.root_paths), self.values(self.pool.root_turns, 4)
        back = rot.multiply(turned, rot.inverse(turns[0]))
        level = rot.swing_twist(back, (0.0, 1.0, 0.0))[1]
        return place + rot.rotate(level, path - path[0]), rot.multiply(level, turns)
