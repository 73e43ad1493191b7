"""Curves over time: joints of a clip before and after an edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.curves.pose_shaping import main_axes
from kinetune.figures import palette
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Quantity = Literal["rotation", "height", "speed"]


def draw_curves(
    clip: Clip,
    joints: tuple[str, ...],
    *,
    before: Clip | None = None,
    quantity: Quantity = "rotation",
    title: str | None = None,
) -> Figure:
    """Plot one quantity of some joints over time, the original in grey below.

    quantity : "rotation" (the angle away from the joint's mean, degrees), "height" (centimetres) or "speed" (m/s).
    """
    labels = {"rotation": "degrees", "height": "cm", "speed": "m/s"}
    with palette.new_figure(8.0, 1.5 * len(joints) + 0.5, title) as figure:
        axes = figure.subplots(len(joints), 1, squeeze=False, sharex=True)[:, 0]
        for ax, joint in zip(axes, joints, strict=True):
            if before is not None:
                ax.plot(before.times, _values(before, joint, quantity), color=palette.GHOST, linewidth=1.0)
            ax.plot(clip.times, _values(clip, joint, quantity), color=palette.EDITED)
            ax.set_title(joint)
            ax.set_ylabel(labels[quantity])
        axes[-1].set_xlabel("seconds")
        return figure


def _values(clip: Clip, joint: str, quantity: Quantity) -> Floats:
    index = clip.joint(joint)
    if quantity == "rotation":
        q = index.rotations
        return np.degrees(rot.angle_between(np.broadcast_to(rot.mean(q), q.shape), q))
    if quantity == "height":
        return 100.0 * index.positions[:, 1]
    if len(clip) < 2:
        return np.zeros(len(clip))
    speed: Floats = np.linalg.norm(np.gradient(index.positions, 1.0 / clip.fps, axis=0), axis=-1)
    return speed


def channel(
    clip: Clip, joint: str, axis: Literal["x", "y", "z", "main"] = "main", *, like: Clip | None = None
) -> Floats:
    """How far a joint is rotated away from its mean, (frames,) degrees.

    Parameters
    ----------
    axis : {'x', 'y', 'z', 'main'}
        About one of the joint's own axes, or about the one about which it moves most.
    like : Clip or None
        Measure from the mean and about the axis of this clip instead: two clips of one skeleton become comparable.
    """
    index = clip.skeleton.index(joint)
    poses = pose_curves(clip if like is None else like, [index])
    direction = main_axes(poses.curves)[0] if axis == "main" else np.eye(3)["xyz".index(axis)]
    curves = poses.curves if like is None else poses.express(clip)
    angles: Floats = np.degrees(curves[:, 0] @ direction)
    return angles
