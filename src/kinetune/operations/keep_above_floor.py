"""Nothing in the floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from kinetune.body.clip import Clip
from kinetune.body.feet.floor_clearance import BLEND_S, DEEPEST_M, lift_above_floor
from kinetune.operations.base import Operation, parameter


class KeepAboveFloor(Operation):
    """Lift everything that is below the floor: soles, toes, hands, knees, any joint.

    Toes bend up; feet and hands are lifted by their limbs and keep their orientation; anything else lifts the whole
    character. Every lift is the smoothest one that clears the floor, and frames with nothing below it do not
    change.
    """

    op: Literal["keep_above_floor"] = "keep_above_floor"
    former_names: ClassVar[Mapping[str, str]] = {"strength": "amount"}
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True
    floor_m: float | None = parameter(
        None, "Height of the floor; by default the floor that the feet stand on.", unit="m", ge=-100_000.0, le=100_000.0
    )
    clearance_m: float = parameter(
        0.0,
        "How far to keep above the floor; below zero, how deep soles may sink in.",
        unit="m",
        ge=-DEEPEST_M,
        le=10.0,
    )
    lift: Literal["limbs", "figure"] = parameter(
        "limbs", "Bend legs, arms and toes where that is enough, or lift the whole character in any case.", unit=""
    )
    blend_s: float = parameter(BLEND_S, "Roughly how long a lift takes to ease in and out.", unit="s", ge=0.0, le=5.0)
    amount: float = parameter(1.0, "How far to lift: all the way, or a part of it.", unit="1", ge=0.0, le=1.0)

    @classmethod
    def example(cls) -> Self:
        """Two centimetres above the floor."""
        return cls(clearance_m=0.02)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip above the floor."""
        return lift_above_floor(
            clip,
            floor=self.floor_m,
            clearance=self.clearance_m,
            lift=self.lift,
            blend_s=self.blend_s,
            strength=self.amount,
        )
