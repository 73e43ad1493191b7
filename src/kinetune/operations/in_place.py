"""Walk on the spot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import place_joint, root_motion, travelling_joint
from kinetune.operations._motion_edits import edit_motion
from kinetune.operations.base import Operation, parameter
from kinetune.signals.filters import gaussian


class InPlace(Operation):
    """Keep the character on the spot, as if it walked on a treadmill.

    "all" pins the hips over one point; "steady" removes only the travel and keeps the sway and surge of the hips.
    Heights stay. :func:`kinetune.body.root_motion.root_motion` gives the travel that is removed.
    """

    op: Literal["in_place"] = "in_place"
    travel: Literal["all", "steady", "none"] = parameter(
        "all", "What to remove: all horizontal movement of the hips, its steady part, or nothing (none).", unit=""
    )
    sway_s: float = parameter(
        1.0, "With steady travel: sway that repeats within this time stays.", unit="s", ge=0.05, le=60.0
    )
    keep_heading: bool = parameter(
        True, "Leave turns in the motion; off, the character always faces its first direction.", unit=""
    )

    @classmethod
    def neutral(cls) -> Self:
        """No travel taken off, no heading straightened."""
        return cls(travel="none")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip on the spot."""
        if len(clip) == 1 or (self.travel == "none" and self.keep_heading):
            return clip
        return edit_motion(clip, self._keep_in_place)

    def _keep_in_place(self, clip: Clip) -> Clip:
        positions, headings = root_motion(clip)
        turns = headings[0] - headings
        taken = positions
        if self.travel == "steady":
            taken = gaussian(positions, clip.fps, 0.5 * self.sway_s)
            turns = gaussian(turns, clip.fps, 0.5 * self.sway_s)
        turn = rot.about_y(np.zeros(len(clip)) if self.keep_heading else turns)
        spot = np.broadcast_to(taken[0], taken.shape) if self.travel != "none" else positions
        before, after = (np.insert(p, 1, 0.0, axis=1) for p in (taken, spot))
        return place_joint(clip, travelling_joint(clip), turn, after - rot.rotate(turn, before))
