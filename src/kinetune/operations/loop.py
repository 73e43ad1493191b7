"""Make a cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.planting import with_stances
from kinetune.body.quality.measures import measure_seam
from kinetune.body.timeline.cycles import find_cycle
from kinetune.body.timeline.loop_seam import close_cycle, plant_cycle, repeat_cycle
from kinetune.errors import ParameterError
from kinetune.operations._motion_edits import take_motion
from kinetune.operations.base import MovesFeet, parameter, report_result
from kinetune.rotations import Floats


class LoopedPart(NamedTuple):
    """The frames of the clip that became the cycle; the last is the first pose again."""

    first: int
    last: int


class Loop(MovesFeet):
    """Make the motion repeat without a seam: finds the best cycle, closes it in pose and velocity, repeats it.

    The character may travel and turn within a cycle; it goes on from where it arrived. Standing feet stay put, over
    the seam too; a seam that is closed in part (``amount``) leaves them as they fall.
    The last frame repeats the first pose, so that the clip lasts exactly one period (or several).
    """

    op: Literal["loop"] = "loop"
    takes_region: ClassVar[bool] = False
    former_names: ClassVar[Mapping[str, str]] = {"strength": "amount"}
    cycle: Literal["find", "whole"] = parameter(
        "find", "Search for the part that repeats best, or take the whole clip as one cycle.", unit=""
    )
    start: int | None = parameter(
        None, "First frame of the cycle; searched for by default.", unit="frames", ge=0, le=10_000_000
    )
    end: int | None = parameter(
        None, "Frame that becomes the first pose again; searched for by default.", unit="frames", ge=1, le=10_000_000
    )
    shortest_s: float = parameter(0.3, "The shortest cycle to look for.", unit="s", gt=0.0, le=1000.0)
    longest_s: float = parameter(10.0, "The longest cycle to look for.", unit="s", gt=0.0, le=1000.0)
    cycles: int = parameter(1, "How many cycles to make.", unit="1", ge=1, le=10_000)
    amount: float = parameter(
        1.0, "How much of the seam to close: all of it, or a part, or nothing.", unit="1", ge=0.0, le=1.0
    )
    blend_s: float = parameter(
        0.2, "How far from the seam velocities are adjusted, on both sides.", unit="s", ge=0.01, le=10.0
    )
    straight_below_deg: float = parameter(
        10.0, "A cycle that turns by less than this goes straight on; 0 keeps every turn.", unit="deg", ge=0.0, le=180.0
    )
    in_place: bool = parameter(
        False, "Remove the steady travel and turning, so that the character stays on the spot.", unit=""
    )
    closing_frame: bool = parameter(
        True, "End with the first pose once more; off for players that step from the last frame to the first.", unit=""
    )

    @model_validator(mode="after")
    def _ends_in_order(self) -> Self:
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ParameterError(f"The cycle ends at frame {self.end}, which is not after its start {self.start}.")
        if self.longest_s < self.shortest_s:
            raise ParameterError(f"longest_s is {self.longest_s:g}, shorter than shortest_s ({self.shortest_s:g}).")
        return self

    @classmethod
    def neutral(cls) -> Self:
        """The whole clip, its seam left open."""
        return cls(cycle="whole", amount=0.0)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The cycle, closed and repeated; a T-pose before the motion does not belong to it."""
        motion, before = take_motion(clip)
        first, last = self._cycle_of(motion, before)
        report_result(LoopedPart(before + first, before + last))
        if last <= first:
            return clip  # a single pose repeats itself
        whole = (first, last) == (0, len(motion) - 1)
        if whole and self.amount == 0.0 and self.cycles == 1 and not self.in_place and self.closing_frame:
            return clip
        unlabelled = motion.contacts is None
        known = motion.replace(contacts=find_contacts(motion)) if unlabelled else with_stances(motion)
        closed, travel = close_cycle(
            known,
            first,
            last,
            blend_s=self.blend_s,
            straight_below=float(np.deg2rad(self.straight_below_deg)),
            strength=self.amount,
        )
        if self.keep_feet and self.amount == 1.0:
            closed = plant_cycle(closed, travel, None if unlabelled else closed.contacts)
        return repeat_cycle(closed, travel, self.cycles, on_spot=self.in_place, closing_frame=self.closing_frame)

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """Which part became the cycle, how long it is, and its seam before and after."""
        part = next((result for result in results if isinstance(result, LoopedPart)), None)
        if part is None:
            return None
        seams = [measure_seam(clip) for clip in (before[part.first : part.last + 1], after)]
        return {
            "first": part.first,
            "last": part.last,
            "period_s": (part.last - part.first) / before.fps,
            "seam_was_mm": None if seams[0] is None else seams[0]["pose_mm"],
            "seam_is_mm": None if seams[1] is None else seams[1]["pose_mm"],
        }

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """The part that repeats, once for each cycle."""
        if report is None or report["last"] <= report["first"]:
            return super().moments(clip, inputs, result, report)
        part = np.array([report["first"], report["last"]]) / clip.fps
        begins = [cycle * (part[1] - part[0]) for cycle in range(self.cycles)]
        return [np.stack([part, part - part[0] + begin], axis=1) for begin in begins]

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """One sentence on the cycle."""
        part = f"frames {report['first']} to {report['last']}, {report['period_s']:.2f} s"
        if report["seam_was_mm"] is None or report["seam_is_mm"] is None:
            return (f"The cycle is {part}.",)
        return (
            f"The cycle is {part}; its seam was {report['seam_was_mm']:.1f} mm and is {report['seam_is_mm']:.1f} mm.",
        )

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The cycle as it is: its feet were kept before it was repeated."""
        return edited

    def _cycle_of(self, motion: Clip, before: int) -> tuple[int, int]:
        """The first and the last frame of the cycle in the motion, which follows so many other frames of the clip."""
        last = len(motion) - 1
        for name, frame in (("start", self.start), ("end", self.end)):
            if frame is not None and not 0 <= frame - before <= last:
                raise ParameterError(
                    f"loop: {name} is frame {frame}, but the motion has frames {before} to {before + last}."
                )
        start, end = (None if frame is None else frame - before for frame in (self.start, self.end))
        if self.cycle == "whole" or last == 0:
            return start or 0, last if end is None else end
        cycle = find_cycle(motion, shortest_s=self.shortest_s, longest_s=self.longest_s, start=start, end=end)
        return cycle.start, cycle.end
