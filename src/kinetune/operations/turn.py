"""Another direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.root_motion import place, place_joint, travelling_joint
from kinetune.operations.base import Operation, parameter


class Turn(Operation):
    """Turn the whole motion about the vertical; positive angles turn to the character's left.

    Around "start" the character keeps its starting position and walks off in another direction; around "origin" the
    whole scene turns; "own" turns the character on its path, so that it faces elsewhere but takes the same path.
    """

    op: Literal["turn"] = "turn"
    former_names: ClassVar[Mapping[str, str]] = {"degrees": "angle_deg"}
    angle_deg: float = parameter(0.0, "By how much to turn, positive to the left.", unit="deg", ge=-3600.0, le=3600.0)
    around: Literal["start", "origin", "own"] = parameter(
        "start", "What stays in place: where the character starts, the origin, or the path itself.", unit=""
    )

    @classmethod
    def example(cls) -> Self:
        """A quarter turn to the left."""
        return cls(angle_deg=90.0)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The turned clip."""
        if self.angle_deg == 0.0:
            return clip
        turn = rot.about_y(np.deg2rad(self.angle_deg))
        if self.around == "origin":
            return place(clip, turn, np.zeros(3))
        joint = travelling_joint(clip)
        path = clip.positions()[:, joint]
        first = stray_frames(clip)
        pivot = path if self.around == "own" else path[first : first + 1]
        shift = np.broadcast_to(pivot - rot.rotate(turn, pivot), (len(clip), 3))
        if self.around == "own":
            return place_joint(clip, joint, np.broadcast_to(turn, (len(clip), 4)), shift)
        return place(clip, turn, shift)
