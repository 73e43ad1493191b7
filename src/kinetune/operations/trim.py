"""Cut a clip at both ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import motion_span
from kinetune.errors import ParameterError
from kinetune.operations.base import Operation, parameter
from kinetune.rotations import Floats

_FRAMES = {"ge": -10_000_000, "le": 10_000_000}
_SECONDS = {"ge": -100_000.0, "le": 100_000.0}


class Trim(Operation):
    """Keep a part of the clip, given in frames or in seconds; can also drop a T-pose at the start.

    Negative numbers count from the end: start 10 and end -10 cut ten frames off each end.
    Many libraries (the CMU conversions, for one) put a T-pose in the first frame; an edit that looks at neighbouring
    frames smears it into the motion, so drop it first.
    """

    op: Literal["trim"] = "trim"
    takes_region: ClassVar[bool] = False
    start: int | None = parameter(None, "First frame to keep; negative counts from the end.", unit="frames", **_FRAMES)
    end: int | None = parameter(None, "Frame to stop before; negative counts from the end.", unit="frames", **_FRAMES)
    start_s: float | None = parameter(
        None, "Time from which to keep frames; negative counts from the end.", unit="s", **_SECONDS
    )
    end_s: float | None = parameter(
        None, "Time of the last frame to keep; negative counts from the end.", unit="s", **_SECONDS
    )
    drop_t_pose: bool = parameter(
        False, "Drop a T-pose, or another pose from which the body jumps, at the start and at the end.", unit=""
    )

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        for frames, seconds in (("start", "start_s"), ("end", "end_s")):
            if getattr(self, frames) is not None and getattr(self, seconds) is not None:
                raise ParameterError(f"Give {frames} in frames or {seconds} in seconds, not both.")
        return self

    @classmethod
    def example(cls) -> Self:
        """The first frame taken off."""
        return cls(start=1)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The kept part; start and end count in the clip as it comes, T-pose included."""
        frames = len(clip)
        first, stop = self._kept(clip)
        if stop <= first:
            raise ParameterError(
                f"trim: nothing is left between frame {first} and frame {stop}. "
                f"The clip has frames 0 to {frames - 1} and lasts {clip.duration:.3f} s."
            )
        return clip if (first, stop) == (0, frames) else clip[first:stop]

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """The kept part begins anew."""
        ends = np.array([0.0, result.duration])
        return [np.stack([ends + self._kept(clip)[0] / clip.fps, ends], axis=1)]

    def _kept(self, clip: Clip) -> tuple[int, int]:
        """The first frame that stays, and the one after the last."""
        frames = len(clip)
        first = 0 if self.start is None else _from_end(self.start, frames)
        stop = frames if self.end is None else _from_end(self.end, frames)
        if self.start_s is not None:
            first = int(np.ceil(_from_end_s(self.start_s, clip) * clip.fps - 1e-6))
        if self.end_s is not None:
            stop = int(np.floor(_from_end_s(self.end_s, clip) * clip.fps + 1e-6)) + 1
        first, stop = max(first, 0), min(stop, frames)
        if self.drop_t_pose:
            start, end = motion_span(clip)
            first, stop = max(first, start), min(stop, end)
        return first, stop


def _from_end(frame: int, frames: int) -> int:
    return frame + frames if frame < 0 else frame


def _from_end_s(time: float, clip: Clip) -> float:
    return time + clip.duration if time < 0 else time
