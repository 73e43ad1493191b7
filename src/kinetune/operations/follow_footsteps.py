"""Walk over given footsteps, with the steps of this clip or of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.body.clip import Clip
from kinetune.body.root_motion import below_still_root
from kinetune.errors import ParameterError
from kinetune.findings import FOOTSTEPS_MISSED, Finding, Severity
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footstep_planners import MOST_STEPS, POINTS, plan_footsteps, read_path
from kinetune.inverse.walk.footsteps import Footstep, Side, read_footsteps
from kinetune.inverse.walk.walk_preview import WalkPreview
from kinetune.inverse.walk.walker import walk_on
from kinetune.operations.base import (
    Embedded,
    LiveFrames,
    Operation,
    View,
    parameter,
    report_finding,
    report_result,
)

Metres = Annotated[float, Field(ge=-100_000.0, le=100_000.0, allow_inf_nan=False)]
Degrees = Annotated[float, Field(ge=-36_000.0, le=36_000.0, allow_inf_nan=False)]


class Foothold(BaseModel):
    """A foot to be put down.

    side : left or right. x, z : metres, the position of the ball of the foot. heading_deg : where the toes point.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: Side
    x: Metres
    z: Metres
    heading_deg: Degrees = 0.0


def _read_footholds(path: str) -> list[dict[str, Any]]:
    return [footstep.as_dict() for footstep in read_footsteps(path)]


def _read_way(text: str) -> str:
    """A path as it is written, or that of a CSV file."""
    if not text.casefold().endswith(".csv"):
        return text
    return POINTS + ";".join(",".join(f"{number:.9g}" for number in point) for point in read_path(text))


class FollowFootsteps(Operation):
    """Walk over footsteps, each foot exactly where it should be, blended from the steps of this clip or of others.

    The walk replaces the clip. Steps are taken from the clip itself, from other clips of the same character, or
    from the embedded steps of the sample character. Footsteps out of reach are reached with additional steps, or
    met as closely as possible; markers show where. A walk that lands far beside a footstep is not written, unless
    forced.
    """

    op: Literal["follow_footsteps"] = "follow_footsteps"
    takes_region: ClassVar[bool] = False
    generator: ClassVar[bool] = True
    goals: ClassVar[tuple[str, ...]] = ("path", "footsteps")
    embedded: ClassVar[Embedded | None] = Embedded("sample:walk", {"steps": "samples", "speed_mps": 1.25})
    readers: ClassVar[Mapping[str, Callable[[str], Any]]] = {"footsteps": _read_footholds, "path": _read_way}
    former_names: ClassVar[Mapping[str, str]] = {"length": "length_m", "width": "width_m"}
    input_parameters: ClassVar[tuple[str, ...]] = ("others",)
    commutes_with_turns: ClassVar[bool] = False

    footsteps: tuple[Foothold, ...] = parameter((), "Where the feet should stand, in order; or a CSV file.", unit="")
    path: str | None = parameter(
        None,
        "A path instead: straight, circle or slalom, with parameters, such as circle:r=2,turns=0.5; or "
        "points:0,0;0,2;1,4, x and z in metres; or a CSV file of them.",
        unit="",
    )
    count: int | None = parameter(
        None, "How many footsteps to plan on a path; by default as many as fit.", unit="1", ge=1, le=MOST_STEPS
    )
    length_m: float | None = parameter(
        None, "Length of a step on a path; that of the examples by default.", unit="m", ge=0.05, le=3.0
    )
    width_m: float | None = parameter(
        None, "Width of a step on a path; that of the examples by default.", unit="m", ge=0.0, le=1.0
    )
    speed_mps: float | None = parameter(
        None, "How fast to walk; the speed of the example steps by default.", unit="m/s", flag="speed", ge=0.1, le=3.0
    )
    first: Side = parameter("left", "The foot that steps first on a path.", unit="")
    steps: Literal["clip", "samples", "others"] = parameter(
        "clip", "Where example steps come from: this clip, the embedded ones, or the other clips.", unit=""
    )
    others: tuple[str, ...] = parameter((), "Other clips of the same character to take steps from as well.", unit="")
    strict: bool = parameter(False, "Refuse footsteps out of reach instead of adding steps to get there.", unit="")
    stop: bool = parameter(
        True,
        "Come to a stand at the end, if there is a step for it and the last footstep allows it.",
        unit="",
        off="go-on",
    )

    @model_validator(mode="after")
    def _footsteps_or_path(self) -> Self:
        if self.footsteps and self.path is not None:
            raise ParameterError("Give footsteps or a path, not both.")
        if self.footsteps and any(value is not None for value in (self.count, self.length_m, self.width_m)):
            raise ParameterError("count, length_m and width_m plan footsteps on a path; footsteps take none.")
        if self.steps == "others" and not self.others:
            raise ParameterError("Name the other clips to take steps from (others).")
        if self.path is not None:
            plan_footsteps(self.path, count=1)  # an unknown path is refused here
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
        walk = walk_on(self.targets(steps), steps, strict=self.strict, stop=self.stop)
        report_result(walk)
        for row in (*walk.report.steps, *walk.report.inserted):
            severity: Severity = "error" if row.missed else "info"
            bent = not row.reached and not row.missed
            for note in row.notes[:-1] if bent else row.notes:  # the last one says that it was bent
                kind = FOOTSTEPS_MISSED if row.misses_far else "footstep-changed"
                report_finding(Finding(kind, note, severity=severity))
        outside = sum(not row.reached and not row.missed for row in walk.report.steps)
        if outside:
            count = f"{outside} of {len(walk.report.steps)} footsteps lie"
            message = f"{count} just outside of what the examples reach; legs and pelvis make up for it."
            report_finding(Finding("footstep-changed", message, severity="info"))
        return below_still_root(walk.clip, clip)

    def live_key(self) -> tuple[Any, ...] | None:
        """Where the example steps come from."""
        return (self.steps,) if self.footsteps or self.path else None

    def live_preview(self, clip: Clip, inputs: Mapping[str, Clip]) -> LiveWalk:
        """The example steps, prepared."""
        return LiveWalk(WalkPreview(self.step_set(clip, inputs)), clip)

    def editor_report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
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

    def targets(self, steps: StepSet) -> list[Footstep]:
        """Where the feet should stand: the footsteps given, or those planned on the path for a set of steps."""
        if self.path is None:
            return [Footstep(**hold.model_dump()) for hold in self.footsteps]
        return plan_footsteps(
            self.path,
            count=self.count,
            length=self.length_m,
            width=self.width_m,
            first=self.first,
            close=None if self.stop else False,
            steps=steps,
        )

    def step_set(self, clip: Clip, inputs: Mapping[str, Clip]) -> StepSet:
        """The example steps that it walks with."""
        others = [inputs[name] for name in self.others]
        if self.steps == "samples":
            from kinetune.samples.sample_walk import sample_steps, sample_steps_on

            steps = sample_steps_on(clip)
            if steps is None:
                return sample_steps(self.speed_mps)
            report_finding(
                Finding("retargeted", "The embedded steps were retargeted to this character.", severity="info")
            )
            return steps if self.speed_mps is None else steps.at_speed(self.speed_mps)
        if self.steps == "others":
            steps = StepSet.from_clips(others, names=self.others)
        else:
            steps = StepSet.from_clips([clip, *others], names=("this clip", *self.others))
        return steps if self.speed_mps is None else steps.at_speed(self.speed_mps)

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How each footstep came out."""
        walk = next((value for value in results if hasattr(value, "placements")), None)
        return None if walk is None else walk.report.as_dict()

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """How exactly feet stand on the footsteps within reach."""
        worst = {name: max(value, 0.01) for name, value in report["worst"].items()}
        where = "them" if all(step["reached"] for step in report["steps"]) else "those within reach"
        return [
            f"{len(report['steps'])} footsteps. Feet stand within {worst['error_mm']:.2g} mm and "
            f"{worst['heading_error_deg']:.2g} degrees of {where}; standing feet move by {worst['drift_mm']:.2g} mm."
        ]


@dataclass(frozen=True)
class LiveWalk:
    """Example steps that were prepared once, for a footprint that is dragged; like : the clip that walks."""

    preview: WalkPreview
    like: Clip

    def frames(self, operation: FollowFootsteps, view: View) -> LiveFrames:
        """The frames in view of the walk."""
        walk = self.preview.over(operation.targets(self.preview.steps), operation.strict, operation.stop)
        first, last = view(len(walk.clip))
        return LiveFrames(below_still_root(walk.clip[first:last], self.like), first, len(walk.clip), (walk,))
