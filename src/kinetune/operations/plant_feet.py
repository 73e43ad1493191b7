"""Feet that stand firmly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from kinetune.body.clip import Clip
from kinetune.body.feet.planting import BLEND_S, PELVIS_M, plant
from kinetune.findings import Finding
from kinetune.operations.base import STANCE, Operation, parameter, report_finding


class PlantFeet(Operation):
    """Keep standing feet in place: no sliding, soles on the floor, toes flat, knees steady.

    Use it after any other edit, and on captures that skate. A standing foot rolls over heel, ball and toes without
    sliding. The paths of pelvis and feet are solved for the whole clip at once: knees keep their angles and move
    smoothly, none bends backward, and the pelvis gives way a little where a leg could not reach. A swing is
    corrected over its whole length. After an edit, contacts, floor and soles come from the clip before it. A recipe
    knows that clip; in Python, pass it as ``like``.
    """

    op: Literal["plant_feet"] = "plant_feet"
    former_names: ClassVar[Mapping[str, str]] = {"strength": "amount"}
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True
    asks_for_stance: ClassVar[bool] = True
    input_parameters: ClassVar[tuple[str, ...]] = ("like",)
    combines_bodies: ClassVar[bool] = False

    like: str | None = parameter(
        None,
        "The clip that shows when feet stand, and on what; in a recipe by default the clip before the edits.",
        unit="",
    )
    feet: Literal["both", "left", "right"] = parameter("both", "Which feet to plant.", unit="")
    amount: float = parameter(1.0, "How firmly: 1 takes all of the slide away, 0 leaves it.", unit="1", ge=0.0, le=1.0)
    blend_s: float = parameter(
        BLEND_S,
        "How long the correction of a stance takes to fade into the swings before and after it.",
        unit="s",
        ge=0.0,
        le=2.0,
    )
    floor_m: float | None = parameter(
        None, "Height of the floor; by default the floor that the feet stand on.", unit="m", ge=-100_000.0, le=100_000.0
    )
    pelvis_m: float = parameter(
        PELVIS_M, "How far the pelvis may move so that legs reach and knees do not pop.", unit="m", ge=0.0, le=1.0
    )
    hold: Literal["sole", "joints"] = parameter(
        "sole",
        "What stands still: the point of the sole that carries the foot, or its joints, as contact labels mean it.",
        unit="",
    )
    travel: float = parameter(
        0.0,
        "How much of a steady slide the path of the character takes up: with 1, longer strides carry it farther.",
        unit="1",
        ge=0.0,
        le=1.0,
    )

    @classmethod
    def example(cls) -> Self:
        """Onto a floor that is a centimetre higher; a walk that stands already is left alone otherwise."""
        return cls(floor_m=0.01)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip with its feet planted; contacts that do not fit its motion are found anew, which is reported."""
        like = inputs[self.like] if self.like else inputs.get(STANCE)
        planted = plant(
            clip,
            like=like,
            floor=self.floor_m,
            feet=("left", "right") if self.feet == "both" else (self.feet,),
            blend_s=self.blend_s,
            pelvis_m=self.pelvis_m,
            travel=self.travel,
            strength=self.amount,
            still_joints=self.hold == "joints",
        )
        if like is None and clip.contacts is not None and planted is not clip and planted.contacts is not clip.contacts:
            message = "Contacts that the clip carries do not fit its motion: a foot that should stand moves too far."
            remedy = "They were detected again where they do not fit."
            report_finding(Finding("contacts-misfit", message, severity="info", remedy=remedy))
        return planted
