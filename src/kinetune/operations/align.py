"""Give a motion the timing of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import motion_of, stray_frames
from kinetune.body.timeline.alignment import (
    align,
    align_within,
    check_skeletons,
    compare,
    matching_times,
    place_like,
)
from kinetune.body.timeline.clip_blending import without_counterpart
from kinetune.body.timeline.retiming import at_rate
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.operations._motion_edits import edit_motion
from kinetune.operations.base import Operation, parameter, report_finding
from kinetune.rotations import Floats


class Align(Operation):
    """Play a motion with the timing of another one: a march at a drunken pace, steps that coincide.

    Corresponding moments are found by comparing whole poses, regardless of position and heading; then this clip is
    played in step with the other. It keeps its own poses, path and bones. With ``find`` the other clip may be
    longer: the part of it that is most like this clip is found first and marked.
    """

    op: Literal["align"] = "align"
    takes_region: ClassVar[bool] = False
    input_parameters: ClassVar[tuple[str, ...]] = ("to",)

    to: str | None = parameter(None, "The clip whose timing to take; it needs the same joints.", unit="")
    amount: float = parameter(
        1.0,
        "How much of that timing to take: 0 keeps this clip's, 1 takes the other's, 0.5 is halfway.",
        unit="1",
        ge=0.0,
        le=1.0,
    )
    cost: Literal["pose", "sederberg"] = parameter(
        "pose", "Compare poses, or how curves stretch and bend from frame to frame, as in the paper.", unit=""
    )
    band_s: float | None = parameter(
        None, "How far timings may differ from an even stretch; no limit by default.", unit="s", gt=0.0, le=100_000.0
    )
    form: Literal["smooth", "paper"] = parameter(
        "smooth", "Play smoothly through the warp, or repeat and average whole frames as in the paper.", unit=""
    )
    ends: Literal["strides", "all"] = parameter(
        "strides", "Leave out strides at the ends that only one of the walks has, or squeeze them all in.", unit=""
    )
    find: bool = parameter(
        False, "Look for this motion within the other clip, and take the timing of that part.", unit=""
    )
    place: bool = parameter(False, "Also begin where the other clip begins, facing the same way.", unit="")

    @model_validator(mode="after")
    def _has_other(self) -> Self:
        if self.to is None:
            raise ParameterError('Name the clip whose timing to take as "to".')
        if self.find and self.band_s is not None:
            raise ParameterError("band_s bounds an alignment of whole clips; leave it out with find.")
        return self

    @classmethod
    def neutral(cls) -> Self:
        """Its own timing."""
        return cls(to="other", amount=0.0)

    @classmethod
    def example(cls) -> Self:
        """The timing of another clip."""
        return cls(to="other")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip at the other's timing."""
        name = self.to or ""
        check_skeletons((clip, inputs[name]), ("this", name))
        if self.amount == 0.0 and not self.place:
            return clip
        other = motion_of(inputs[name])
        return edit_motion(clip, lambda motion: self._align(motion, other))

    def _align(self, clip: Clip, other: Clip) -> Clip:
        if self.find:
            result = align_within(clip, other, cost=self.cost, amount=self.amount, form=self.form)
        else:
            result = align(
                clip, other, amount=self.amount, cost=self.cost, band_s=self.band_s, form=self.form, ends=self.ends
            )
            self._report(clip, other)
        return place_like(result, other) if self.place else result

    def _report(self, clip: Clip, other: Clip) -> None:
        """Report what the clips do not have in common."""
        target = at_rate(other, clip.fps)
        start, stop, seconds = matching_times(target, clip, cost=self.cost, band_s=self.band_s, ends=self.ends)
        moments = np.stack([seconds, target.times[start:stop]])
        surplus = without_counterpart(moments, (clip, target))
        if surplus:
            called = ("this clip", f'"{self.to}"')
            listed = " and ".join(f"{length:.1f} s at the {end} of {called[k]}" for k, end, length in surplus)
            message = f"No counterpart was found for {listed}; it is left out."
            remedy = "Give ends all to squeeze them in."
            report_finding(Finding("no-counterpart", message, severity="info", remedy=remedy))

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """At the other clip's timing, or between both; where it was looked for within the other, that is not known."""
        if self.amount == 0.0:
            return super().moments(clip, inputs, result, report)
        if self.find:
            return None
        here, other = self.matched_times(clip, inputs).T
        begin = stray_frames(clip) / clip.fps
        played = self.amount * (other - other[0]) + (1.0 - self.amount) * (here - here[0])
        return [np.stack([here, begin + played], axis=1)]

    @property
    def partner(self) -> str | None:
        """The clip whose timing is taken."""
        return self.to

    def matched_times(self, clip: Clip, inputs: Mapping[str, Clip]) -> Floats:
        """Corresponding moments: an aligned clip is read at those of the other one's frames."""
        whole = inputs[self.to or ""]
        motion, other = motion_of(clip), at_rate(motion_of(whole), clip.fps)
        begin = np.array([stray_frames(each) / each.fps for each in (clip, whole)])
        if self.find:
            return begin + compare(motion, other, cost=self.cost, find=True).path / clip.fps
        start, stop, seconds = matching_times(other, motion, cost=self.cost, band_s=self.band_s, ends=self.ends)
        return begin + np.stack([seconds, other.times[start:stop]], axis=-1)
