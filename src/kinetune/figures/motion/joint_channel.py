"""One number of a joint over time, for pictures of signals."""

from __future__ import annotations

from typing import Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.curves.pose_shaping import main_axes
from kinetune.rotations import Floats


def channel(
    clip: Clip, joint: str, axis: Literal["x", "y", "z", "main"] = "main", *, like: Clip | None = None
) -> Floats:
    """How far a joint is turned away from its mean, (frames,) degrees.

    Parameters
    ----------
    axis : about one of the joint's own axes, or about the one about which it moves most.
    like : measure from the mean and about the axis of this clip instead: two clips of one skeleton become comparable.
    """
    index = clip.skeleton.index(joint)
    own = pose_curves(clip if like is None else like, [index])
    direction = main_axes(own.curves)[0] if axis == "main" else np.eye(3)["xyz".index(axis)]
    if like is None:
        return np.degrees(own.curves[:, 0] @ direction)
    return np.degrees(own.express(clip)[:, 0] @ direction)
