"""Examples blended frame by frame, with weights that change during the step.

===============  =============================================================================
StepBlend        a blend of the steps of a pool, read at some phases
weights_between  the weights at each phase
read_phases      the phases at which the frames of a step lie
===============  =============================================================================

Blends average the timing of their examples and smear what is lively in it ([huang], phase 4). The time of the blend is
therefore warped so that its hips have covered, at each share of the duration, the share of their path that they had
covered in the example that counts most. The poses and the path stay.
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.inverse.steps.foot_locks import level_turn, lock_support
from kinetune.inverse.steps.step_extraction import GRID, LANDS, LEAVES, PHASES
from kinetune.inverse.steps.step_pools import StepPool, arc_length, step_kernels
from kinetune.rotations import Floats


class StepBlend:
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
        used_ways = ways[:, self.used]
        self.weights = (1.0 - at) * used_ways[self.node] + at * used_ways[self.node + 1]  # (frames, used)

    def values(self, stacked: Floats, turns: int = 0, weights: Floats | None = None) -> Floats:
        """Numbers (n, GRID, m) blended: (frames, m).

        turns : how many of them, in front, are quaternions, four each; they come out with length 1.
        weights : (n,) for all frames instead of those that change.
        """
        w = self.weights
        if weights is not None:
            w = np.empty_like(w)
            w[:] = weights[self.used]
        result = np.empty((len(self.part), stacked.shape[2]))
        step_kernels.load().blend(stacked, self.used, w, self.node, self.part, turns, result)
        return result

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


def weights_between(start: Floats, end: Floats) -> Floats:
    """(GRID, n) weights at all phases: held while both feet stand, along a sine in between."""
    share = np.clip((PHASES - LEAVES) / (LANDS - LEAVES), 0.0, 1.0)
    eased = (0.5 - 0.5 * np.cos(np.pi * share))[:, None]
    return np.asarray((1.0 - eased) * start + eased * end)


def read_phases(pool: StepPool, ways: Floats, fps: float, velocity: bool) -> Floats:
    """The phases (frames,) at which the frames of a step lie."""
    mean = 0.5 * (ways[0] + ways[-1])
    times = mean @ pool.times  # (GRID,), increasing
    frames = max(3, round(float(times[-1]) * fps))
    share = np.linspace(0.0, 1.0, frames + 1)
    if velocity:
        best = int(np.argmax(mean))
        example_times = pool.times[best]
        gone = np.interp(share, example_times / example_times[-1], pool.hips_gone[best])
        phases: Floats = np.interp(gone, arc_length(hips_path(pool, ways), PHASES), PHASES)
    else:
        phases = np.interp(share * times[-1], times, PHASES)
    return phases


def hips_path(pool: StepPool, ways: Floats) -> Floats:
    """(GRID, 3) the way of the first joint in a blend, seen from the foot that stands."""
    blend = StepBlend(pool, ways, PHASES)
    local = np.zeros((GRID, len(pool.skeleton), 4))
    local[:, pool.legs.to_root_array], carrier = blend.support()
    return lock_support(pool, local, level_turn(pool, carrier), 0.0, pool.lock)[0]
