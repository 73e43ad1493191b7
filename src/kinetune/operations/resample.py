"""Another frame rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from kinetune.body.clip import FASTEST_FPS, SLOWEST_FPS, Clip
from kinetune.body.quality.repeated_frames import drop_repeats
from kinetune.body.timeline.retiming import MOST_FRAMES, at_times
from kinetune.errors import ParameterError
from kinetune.operations._motion_edits import mend
from kinetune.operations.base import Operation, parameter
from kinetune.rotations import Floats
from kinetune.signals.resampling import sample_times

_SAME_RATE = 1e-6


class Resample(Operation):
    """Change the frame rate without aliasing; the motion and its duration stay the same.

    Going down, what the lower rate cannot carry is filtered out first: nothing changes below 0.3 times the new rate,
    nothing is left from 0.5 times on. Going up, a smooth curve is read between the frames. Where every frame is stored
    several times, as when 30 frames per second are saved as 60, it counts once.
    Ratios need not be whole: 119.88 to 24 works as well as 120 to 30.
    """

    op: Literal["resample"] = "resample"
    takes_region: ClassVar[bool] = False
    fps: float | None = parameter(
        None, "Frames per second of the result; unchanged by default.", unit="1/s", ge=SLOWEST_FPS, le=FASTEST_FPS
    )

    @classmethod
    def example(cls) -> Self:
        """The rate of most games' animation."""
        return cls(fps=24.0)

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """Every moment stays where it is."""
        return [np.repeat([[0.0], [result.duration]], 2, axis=1)]

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip at the new rate; its last frame may come up to one new frame earlier than before."""
        if self.fps is None or self.fps == clip.fps:
            return clip
        clip = drop_repeats(clip)
        if math.isclose(self.fps, clip.fps, rel_tol=_SAME_RATE):
            return clip.replace(fps=self.fps)
        frames = clip.duration * self.fps + 1.0
        if frames > MOST_FRAMES:
            raise ParameterError(
                f"resample: {self.fps:g} fps would make {frames:,.0f} frames of this clip; at most {MOST_FRAMES:,} "
                f"are made. Choose a lower rate or trim the clip first."
            )
        return at_times(mend(clip), sample_times(len(clip), clip.fps, self.fps), self.fps)
