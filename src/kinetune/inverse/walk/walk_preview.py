"""A walk that is being edited: only the steps from the moved footprint on are recomputed."""

from __future__ import annotations

import copy

from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footsteps import Footstep
from kinetune.inverse.walk.walk_values import Walk
from kinetune.inverse.walk.walker import Walker


class WalkPreview:
    """A set of steps, and how far the last walk with it had come after each footstep."""

    def __init__(self, steps: StepSet) -> None:
        self.steps = steps
        self._asked: list[Footstep] = []
        self._strict = False
        self._reached: list[Walker] = []

    def over(self, asked: list[Footstep], strict: bool, stop: bool) -> Walk:
        """A walk over footsteps; those that are as before are not taken again."""
        same = 0
        if strict == self._strict:
            # The last footstep of a walk may end it, so what comes after it begins before it.
            most = min(len(asked) - 1, len(self._reached) - 1)
            while same < most and asked[same] == self._asked[same]:
                same += 1
        reached = self._reached[: same + 1] or [Walker(self.steps, strict=strict)]
        for number in range(same, len(asked)):
            walker = _copied(reached[-1])
            walker.step(asked[number], last=stop and number == len(asked) - 1)
            reached.append(walker)
        self._asked, self._strict, self._reached = list(asked), strict, reached[:-1]
        return reached[-1].finished()


def _copied(walker: Walker) -> Walker:
    """A walker that goes on from the same place on its own."""
    other = copy.copy(walker)
    other.made = list(walker.made)
    return other
