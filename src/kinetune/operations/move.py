"""Another place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_floor
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.root_motion import place
from kinetune.errors import ParameterError
from kinetune.operations.base import Operation, parameter

_METRES = {"ge": -100_000.0, "le": 100_000.0}


class Move(Operation):
    """Move the whole motion: by metres, to the origin, or onto the floor.

    The three may be combined: first the character goes to the origin and onto the floor, then by x, y and z.
    """

    moves_floor: ClassVar[bool] = True
    commutes_with_turns: ClassVar[bool] = False  # x and z are directions in the world

    op: Literal["move"] = "move"
    x: float = parameter(0.0, "How far to move along X, to the left of a character that faces +Z.", unit="m", **_METRES)
    y: float = parameter(0.0, "How far to move up.", unit="m", **_METRES)
    z: float = parameter(0.0, "How far to move along Z, ahead of a character that faces +Z.", unit="m", **_METRES)
    to_origin: bool = parameter(False, "Start with the hips over the origin.", unit="")
    floor: Literal["keep", "zero", "level"] = parameter(
        "keep",
        "Leave heights alone, put the floor that the feet stand on at height zero, or level it as well.",
        unit="",
    )

    @classmethod
    def example(cls) -> Self:
        """Onto the floor at the origin."""
        return cls(to_origin=True, floor="zero", x=0.5)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The moved clip."""
        shift = np.array([self.x, self.y, self.z])
        if self.to_origin:
            hips = clip.positions()[stray_frames(clip), clip.skeleton.roles.get("hips", 0)]
            shift -= [hips[0], 0.0, hips[2]]
        turn = rot.identity()
        if self.floor != "keep":
            floor = find_floor(clip)
            if floor is None:
                raise ParameterError(
                    "move: the floor cannot be found, because no joint of this skeleton is a foot. "
                    'Leave floor at "keep" and give y.'
                )
            centre = np.array([floor.centre[0], floor.height, floor.centre[1]])
            if self.floor == "level":
                turn = rot.between([-floor.slope[0], 1.0, -floor.slope[1]], [0.0, 1.0, 0.0])
            shift += centre - rot.rotate(turn, centre) - [0.0, floor.height, 0.0]
        return clip if not shift.any() else place(clip, turn, shift)
