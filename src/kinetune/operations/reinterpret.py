"""The same numbers in another unit, with another axis up, at another rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import FASTEST_FPS, SLOWEST_FPS, Clip
from kinetune.body.root_motion import place
from kinetune.operations.base import Operation, parameter

_AXES = {
    f"{sign}{axis}": (-1.0 if sign else 1.0) * np.eye(3)[number]
    for sign in ("", "-")
    for number, axis in enumerate("xyz")
}


class Reinterpret(Operation):
    """Correct how the numbers of a clip are read: lengths in another unit, another axis up, another frame rate.

    For a clip that was read in the wrong unit, lies on its side or plays at the wrong speed. No frame and no angle of a
    joint changes; :class:`Resample` makes new frames instead.
    """

    op: Literal["reinterpret"] = "reinterpret"
    takes_region: ClassVar[bool] = False
    moves_floor: ClassVar[bool] = True
    commutes_with_turns: ClassVar[bool] = False
    scale: float = parameter(
        1.0, "What to multiply lengths by; 0.01 reads them as centimetres.", unit="1", ge=1e-6, le=1e6
    )
    up_axis: Literal["x", "y", "z", "-x", "-y", "-z"] = parameter(
        "y", "Which axis of the clip really points up; it becomes Y.", unit=""
    )
    fps: float | None = parameter(
        None,
        "Frames per second at which the same frames play; unchanged by default.",
        unit="1/s",
        ge=SLOWEST_FPS,
        le=FASTEST_FPS,
    )

    @classmethod
    def example(cls) -> Self:
        """A walk that lies on its face, in centimetres."""
        return cls(scale=0.01, up_axis="z")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip with other lengths, another vertical and another rate."""
        result = clip
        if self.up_axis != "y":
            turn = (
                rot.between(_AXES[self.up_axis], _AXES["y"]) if self.up_axis != "-y" else np.array([0.0, 1.0, 0.0, 0.0])
            )
            result = place(result, turn, np.zeros(3))
        if self.scale != 1.0:
            translations = None if result.translations is None else self.scale * np.asarray(result.translations)
            contacts = result.contacts
            result = result.replace(
                skeleton=result.skeleton.scaled(self.scale),
                root=self.scale * np.asarray(result.root),
                translations=translations,
                contacts=None if contacts is None else replace(contacts, soles=()),
            )
        if self.fps is not None and self.fps != clip.fps:
            result = result.replace(fps=self.fps, contacts=result.contacts)
        return result
