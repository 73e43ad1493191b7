"""A small clip and two made-up operations, for tests of recipes, runs and the command line."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import BaseModel

from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.operations.base import Operation, parameter


class Nudge(Operation):
    """Move the whole figure, [softly] or not.

    The ``amount`` is in :class:`metres`.

    Parameters
    ----------
    amount : how far.
    """

    op: Literal["nudge_it"] = "nudge_it"
    amount: float = parameter(0.0, "How far.", unit="m", ge=-10, le=10)
    times: int = parameter(1, "How often.", unit="1", ge=1)
    way: Literal["up", "down"] = parameter("up", "Which way.", unit="")
    softly: bool = parameter(True, "Softly or not.", unit="")
    joints: str | tuple[str, ...] | None = parameter(None, "Which joints.", unit="")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        if self.amount == 0:
            return clip
        sign = 1 if self.way == "up" else -1
        return clip.replace(root=clip.root + sign * self.amount * self.times * np.array([0.0, 1.0, 0.0]))


class Key(BaseModel):
    """A nested value."""

    frame: int
    by: tuple[float, float, float] = (0, 0, 0)


class Mingle(Operation):
    """Add the path of another clip, with many kinds of knobs."""

    op: Literal["mingle"] = "mingle"
    input_parameters: ClassVar[tuple[str, ...]] = ("other", "more")
    other: str = parameter("", "The other clip.", unit="")
    more: tuple[str, ...] = parameter((), "Yet other clips.", unit="")
    gains: tuple[float, ...] = parameter((1.0, 2.0), "Gains.", unit="1", min_length=1, max_length=6)
    by: tuple[float, float, float] = parameter((0, 0, 0), "By how much.", unit="m")
    keys: tuple[Key, ...] = parameter((), "Keys.", unit="")
    limit: float | None = parameter(3.0, "A limit, or none.", unit="m", gt=0)
    size: float | Literal["auto"] = parameter("auto", "A size.", unit="m")
    words: dict[str, float] = parameter({}, "Words to numbers.", unit="1")

    def inputs_needed(self) -> tuple[str, ...]:
        return tuple(name for name in (self.other, *self.more) if name)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        root = clip.root
        for name in self.inputs_needed():
            root = root + inputs[name].root[: len(root)]
        return clip.replace(root=root)


def small_clip(frames: int = 8, *, height: float = 1.0) -> Clip:
    """Three joints of which nothing is known but their names."""
    skeleton = Skeleton(
        ("Hips", "Spine", "Head"),
        np.array([-1, 0, 1]),
        np.array([[0, 0, 0], [0, 0.5, 0], [0, 0.4, 0]]),
        (EndSite(2, (0.0, 0.2, 0.0)),),
    )
    rotations = np.zeros((frames, 3, 4))
    rotations[..., 0] = 1.0
    root = np.stack([np.linspace(0, 1, frames), np.full(frames, height), np.zeros(frames)], axis=1)
    return Clip(skeleton, 30.0, root, rotations)


SMALL_BVH = """HIERARCHY
ROOT Hips
{
    OFFSET 0 0 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT Spine
    {
        OFFSET 0 50 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT Head
        {
            OFFSET 0 40 0
            CHANNELS 3 Zrotation Xrotation Yrotation
            End Site
            {
                OFFSET 0 70 0
            }
        }
    }
}
MOTION
Frames: 6
Frame Time: 0.0333333
0 90 0 0 0 0 0 0 0 0 0 0
1 90 0 0 1 0 0 2 0 0 0 1
2 90 0 0 2 0 0 4 0 0 0 2
3 90 0 0 3 0 0 6 0 0 0 3
4 90 0 0 4 0 0 8 0 0 0 4
5 90 0 0 5 0 0 9 0 0 0 5
"""
