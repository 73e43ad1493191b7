"""Faster, slower, or with a curve of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from kinetune.body.clip import Clip
from kinetune.body.timeline.retiming import MOST_FRAMES, at_times
from kinetune.errors import ParameterError
from kinetune.operations._motion_edits import mend
from kinetune.operations.base import Operation, parameter
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

Seconds = Annotated[float, Field(ge=0.0, le=100_000.0)]


class Retime(Operation):
    """Play the motion faster or slower, evenly or along a curve of time; the frame rate stays.

    Give a speed, the duration of the result, or keys. A key ``[2.0, 0.8]`` means: two seconds into the result, show
    what was 0.8 seconds into the clip. Between keys time runs smoothly (a TCB spline) and never backwards: where
    the spline would, time stands still. The first and the last pose are kept. Motion played faster loses what would
    flicker at the clip's frame rate.
    """

    op: Literal["retime"] = "retime"
    takes_region: ClassVar[bool] = False
    speed: float = parameter(1.0, "How many times as fast the motion is played.", unit="1", ge=0.01, le=100.0)
    duration_s: float | None = parameter(
        None, "How long the result lasts, from its first frame to its last.", unit="s", gt=0.0, le=100_000.0
    )
    keys: tuple[tuple[Seconds, Seconds], ...] = parameter(
        (), "Keys of a curve of time: pairs of the time in the result and the time in the clip.", unit="s"
    )
    tension: float = parameter(
        0.0, "How sharply the curve of time turns at its keys: 1 comes to rest at each.", unit="1", ge=-1.0, le=1.0
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        chosen = {"speed": self.speed != 1.0, "duration_s": self.duration_s is not None, "keys": bool(self.keys)}
        given = [name for name, is_given in chosen.items() if is_given]
        if len(given) > 1:
            raise ParameterError(f"Give {given[0]} or {given[1]}, not both.")
        if len(self.keys) == 1:
            raise ParameterError("A curve of time needs at least two keys.")
        for (when, at), (next_when, next_at) in zip(self.keys, self.keys[1:], strict=False):
            if next_when <= when or next_at < at:
                raise ParameterError(
                    f"The key ({next_when:g}, {next_at:g}) does not follow ({when:g}, {at:g}): the times in the result "
                    "must grow from key to key, and those in the clip may not go back."
                )
        return self

    @classmethod
    def example(cls) -> Self:
        """A little slower."""
        return cls(speed=0.8)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip in its new time."""
        unchanged = not self.keys and self.duration_s is None and self.speed == 1.0
        if unchanged or (len(clip) == 1 and not self.keys):
            return clip
        seconds = self.keys[-1][0] - self.keys[0][0] if self.keys else self.duration_s or clip.duration / self.speed
        frames = max(round(seconds * clip.fps) + 1, 1 if self.keys else 2)
        if frames > MOST_FRAMES:
            raise ParameterError(
                f"retime: the result would have {frames:,} frames; at most {MOST_FRAMES:,} are made. "
                "Choose a shorter duration."
            )
        return at_times(mend(clip), self._times(clip, frames), clip.fps)

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """Along the curve of time."""
        return [np.stack([self._times(clip, len(result)), result.times], axis=1)]

    def _times(self, clip: Clip, frames: int) -> Floats:
        if not self.keys:
            return np.linspace(0.0, clip.duration, frames)
        when, at = np.array(self.keys).T
        if at[-1] > clip.duration + 1e-6:
            raise ParameterError(
                f"retime: the last key asks for {at[-1]:g} s, but the clip ends at {clip.duration:.3f} s."
            )
        curve = TCB(when, at, tension=self.tension)
        times = np.asarray(curve(when[0] + np.arange(frames) / clip.fps))
        return np.maximum.accumulate(np.clip(times, at[0], at[-1]))
