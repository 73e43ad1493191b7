"""Aim a motion at a target, between examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError, ParameterError
from kinetune.operations.base import Operation, knob, listener

if TYPE_CHECKING:
    from kinetune.inverse.blending import Aimed, InverseBlend
    from kinetune.inverse.constraints import AnyConstraint

Metres = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Three = tuple[Metres, Metres, Metres]
Six = tuple[Metres, Metres, Metres, Metres, Metres, Metres]


class Aim(Operation):
    """Blend examples of a motion so that a hand, a fingertip or a tool meets a target exactly.

    The clip and the other clips are examples that do the like: reaches to different places. The weights of the blend
    are found so that the joint is at a point or on a line, turned as asked, at the frame asked for. Where the examples
    do not reach, the blend comes as near as it can; ``strict`` refuses it instead. Without a target the clip stays.
    """

    op: Literal["aim"] = "aim"
    input_knobs: ClassVar[tuple[str, ...]] = ("others",)
    commutes_with_turns: ClassVar[bool] = False

    others: tuple[str, ...] = knob((), "The other examples: clips of the same joints that do the like.", unit="")
    joint: str = knob("right hand", "What is aimed: a joint, a role, or a tip such as RightFingertips.", unit="")
    at: Three | None = knob(None, "The point where it shall be.", unit="m")
    line: Six | None = knob(None, "A line on which it shall be: a point of it, and its direction.", unit="m")
    facing: Three | None = knob(None, "The direction in which its axis shall point.", unit="1")
    angle_deg: float | None = knob(
        None,
        "Let its axis make this angle with that direction instead of pointing there.",
        unit="deg",
        ge=0.0,
        le=180.0,
    )
    axis: str = knob("along", "Which axis: along the bone, ahead of the figure, x, -y ... or three numbers.", unit="")
    turned: tuple[Metres, Metres, Metres, Metres] | None = knob(
        None, "How it shall be turned in the world, as a quaternion w, x, y, z.", unit="1"
    )
    look_at: Three | None = knob(None, "A point at which its axis shall point, wherever it is.", unit="m")
    frame: int = knob(
        -1, "The frame at which all this holds; -1 is the last.", unit="frames", ge=-10_000_000, le=10_000_000
    )
    relative_to: str | None = knob(None, "A joint in whose frame the target is given, not in the world.", unit="")
    offset: Three | None = knob(
        None, "A point in the joint's frame that is aimed in its place: a tool's tip.", unit="m"
    )
    k: int = knob(8, "How many of the nearest examples count most.", unit="1", ge=1, le=10_000)
    mode: Literal["soft", "hard", "rbf"] = knob(
        "soft", "Let all examples join, only the k nearest as the paper does, or take its first weights.", unit=""
    )
    combine: Literal["squares", "norms"] = knob(
        "squares", "Where not all can be met: share the error, or meet what can be met.", unit=""
    )
    rotations: Literal["quaternion", "expmap"] = knob(
        "quaternion", "Average rotations as quaternions, or as exponential maps like the paper.", unit=""
    )
    align: bool = knob(False, "Bring the others to the timing of this clip first.", unit="")
    place: bool = knob(False, "Turn and move the others to begin where this clip does.", unit="")
    strict: bool = knob(False, "Refuse a target out of reach instead of coming as near as possible.", unit="")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.angle_deg is not None and self.facing is None:
            raise ParameterError("angle_deg is measured from a direction: give facing too.")
        if self.facing is not None and self.turned is not None:
            raise ParameterError("Give facing, or turned with all three angles, not both.")
        self.constraints()
        return self

    @classmethod
    def neutral(cls) -> Self:
        """No target."""
        return cls(others=("other",))

    @classmethod
    def example(cls) -> Self:
        """Hips on a line that runs across the way of a walk, at its last frame."""
        return cls(others=("other",), joint="hips", line=(0.0, 0.9, 1.9, 1.0, 0.0, 0.0), align=True)

    def constraints(self) -> list[AnyConstraint]:
        """What the knobs ask for."""
        from kinetune.inverse.constraints import AtPoint, Facing, LookAt, OnLine, read_axis

        common = {"frame": self.frame, "relative_to": self.relative_to, "offset": self.offset}
        found: list[AnyConstraint] = []
        if self.at is not None:
            found.append(AtPoint(self.joint, self.at, **common))  # type: ignore[arg-type]
        if self.line is not None:
            found.append(OnLine(self.joint, self.line[:3], self.line[3:], **common))  # type: ignore[arg-type]
        axis = read_axis(self.axis)
        if self.facing is not None:
            aim = Facing(self.joint, toward=self.facing, angle_deg=self.angle_deg, axis=axis, **common)  # type: ignore[arg-type]
            found.append(aim)
        if self.turned is not None:
            found.append(Facing(self.joint, rotation=self.turned, **common))  # type: ignore[arg-type]
        if self.look_at is not None:
            found.append(LookAt(self.joint, self.look_at, axis=axis, **common))  # type: ignore[arg-type]
        return found

    def blend(self, clip: Clip, inputs: Mapping[str, Clip]) -> InverseBlend:
        """The clip and the others as a set of examples."""
        from kinetune.inverse.blending import InverseBlend

        examples = [clip, *(inputs[name] for name in self.others)]
        # The NumPy search: an operation gives the same bits whatever is loaded.
        return InverseBlend(examples, align=self.align, place=self.place, rotations=self.rotations, compiled=False)

    def solve(self, examples: InverseBlend) -> Aimed:
        """The blend of some examples that meets the target, with all that is known about it; or a refusal."""
        found = examples.solve(self.constraints(), self.k, self.mode, self.combine)
        if self.strict and not found.reachable:
            errors = " and ".join(f"{e:.1f} {u}" for e, u in zip(found.errors, found.units, strict=True))
            raise KinetuneError(
                f"The target is out of reach of these {len(found.weights)} examples: the nearest blend misses it by "
                f"{errors}. Move the target, add examples near it, or leave out strict."
            )
        return found

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The blend of this clip and the others that meets the target."""
        if not self.constraints():
            return clip
        found = self.solve(self.blend(clip, inputs))
        listener().found(found)
        return found.clip
