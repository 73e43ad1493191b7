"""Walk over given footsteps, with the steps of this clip or of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footstep_planners import plan_footsteps
from kinetune.inverse.walk.footsteps import Footstep, Side
from kinetune.inverse.walk.walk_preview import WalkPreview
from kinetune.inverse.walk.walker import walk_on
from kinetune.operations.base import LiveFrames, Operation, View, parameter, report_finding, report_result

Metres = Annotated[float, Field(ge=-100_000.0, le=100_000.0, allow_inf_nan=False)]
Degrees = Annotated[float, Field(ge=-36_000.0, le=36_000.0, allow_inf_nan=False)]


class Foothold(BaseModel):
    """A foot to be put down.

    side : left or right. x, z : metres, where the ball of the foot shall be. heading_deg : where the toes shall point.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: Side
    x: Metres
    z: Metres
    heading_deg: Degrees = 0.0


class FollowFootsteps(Operation):
    """Walk over footsteps, each foot exactly where it shall be, blended from the steps of this clip or of others.

    The clip is replaced by the walk. Steps are taken from the clip itself, from other clips of the same figure, or from
    the embedded steps of the sample figure. Footsteps out of reach are walked to by more steps, or met as nearly as
    possible; markers tell where.
    """

    op: Literal["follow_footsteps"] = "follow_footsteps"
    generator: ClassVar[bool] = True
    input_parameters: ClassVar[tuple[str, ...]] = ("others",)
    commutes_with_turns: ClassVar[bool] = False

    footsteps: tuple[Foothold, ...] = parameter((), "Where the feet shall stand, in order.", unit="")
    path: str | None = parameter(
        None, "A way instead: straight, circle or slalom, with parameters, such as circle:r=2,turns=0.5.", unit=""
    )
    steps: Literal["clip", "samples", "others"] = parameter(
        "clip", "Where example steps come from: this clip, the embedded ones, or the other clips.", unit=""
    )
    others: tuple[str, ...] = parameter((), "Other clips of the same figure to take steps from as well.", unit="")
    strict: bool = parameter(False, "Refuse footsteps out of reach instead of walking there by more steps.", unit="")
    stop: bool = parameter(
        True, "End with a step into standing, if there is one and the last footstep allows it.", unit=""
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.footsteps and self.path is not None:
            raise ParameterError("Give footsteps or a path, not both.")
        if self.steps == "others" and not self.others:
            raise ParameterError("Name the other clips to take steps from (others).")
        if self.path is not None:
            plan_footsteps(self.path, count=1)  # an unknown way is refused here
        return self

    @classmethod
    def example(cls) -> Self:
        """A gentle bend."""
        return cls(path="circle:r=4,turns=0.1")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The walk."""
        if not self.footsteps and self.path is None:
            return clip
        steps = self.step_set(clip, inputs)
        walk = walk_on(self.planned(steps), steps, strict=self.strict, stop=self.stop)
        report_result(walk)
        for row in (*walk.report.steps, *walk.report.inserted):
            for note in row.notes:
                report_finding(Finding("footstep-changed", note, severity="info" if row.reached else "warning"))
        return walk.clip

    def planned(self, steps: StepSet) -> list[Footstep]:
        """The footsteps, or those that the path is planned as."""
        if self.path is not None:
            return plan_footsteps(self.path, steps=steps)
        return [Footstep(**hold.model_dump()) for hold in self.footsteps]

    def live_key(self) -> tuple[Any, ...] | None:
        """Where the example steps come from."""
        return (self.steps,) if self.footsteps or self.path else None

    def live_preview(self, clip: Clip, inputs: Mapping[str, Clip]) -> LiveWalk:
        """The example steps, prepared."""
        return LiveWalk(WalkPreview(self.step_set(clip, inputs)))

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How each footstep came out, and where every foot stands, inserted ones too."""
        if not results:
            return None
        walk = results[0]
        placements = [
            {
                "side": each.footstep.side,
                "frame": each.frame,
                "place": (each.footstep.x, 0.0, each.footstep.z),
                "heading_deg": each.footstep.heading_deg,
                "inserted": each.inserted,
            }
            for each in walk.placements
        ]
        asked = [each for each in placements if not each["inserted"]]
        steps = [
            {
                **at,
                "error_mm": row.error_mm,
                "heading_error_deg": row.heading_error_deg,
                "reached": row.reached,
                "notes": list(row.notes),
            }
            for row, at in zip(walk.report.steps, asked, strict=True)
        ]
        return {"steps": steps, "placements": placements, "notes": list(walk.report.notes)}

    def step_set(self, clip: Clip, inputs: Mapping[str, Clip]) -> StepSet:
        """The example steps that it walks with."""
        others = [inputs[name] for name in self.others]
        if self.steps == "samples":
            from kinetune.samples.sample_walk import sample_steps

            return sample_steps()
        if self.steps == "others":
            return StepSet.from_clips(others, names=self.others)
        return StepSet.from_clips([clip, *others], names=("this clip", *self.others))


@dataclass(frozen=True)
class LiveWalk:
    """Example steps that were prepared once, for a footprint that is dragged."""

    preview: WalkPreview

    def frames(self, operation: FollowFootsteps, view: View) -> LiveFrames:
        """The frames in view of the walk."""
        walk = self.preview.over(operation.planned(self.preview.steps), operation.strict, operation.stop)
        first, last = view(len(walk.clip))
        return LiveFrames(walk.clip[first:last], first, len(walk.clip), (walk,))
