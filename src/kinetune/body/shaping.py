"""Waveshaping on a figure: the rotations of chosen joints, axis by axis, and the sway of its root.

==============  ==========================================================================
shape_joints    a clip whose joints go through a shaping curve
main_axes       the axis about which each joint moves most
==============  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.placement import place_joint
from kinetune.body.pose_curves import Kind, pose_curves
from kinetune.body.travel import slow_travel
from kinetune.rotations import Floats
from kinetune.signals.shaping import Normalise, ShapingCurve, shape_signal

Axis = Literal["x", "y", "z", "main"]
Root = Literal["none", "height", "all"]


def shape_joints(
    clip: Clip,
    joints: Sequence[int],
    curve: ShapingCurve,
    *,
    axes: Sequence[Axis] = ("x", "y", "z"),
    normalise: Normalise = "range",
    kind: Kind = "log",
    orders: Sequence[str] | None = None,
    signs: Sequence[Sequence[float]] | None = None,
    root: Root = "none",
    amount: float = 1.0,
) -> Clip:
    """The clip with the chosen joints bent through a curve.

    Parameters
    ----------
    axes : which of the three numbers of a joint: x, y and z of its own axes, or "main", the one axis about which it
        moves most in this clip.
    normalise : "range": each number is scaled to [-1, 1] by its own extremes. "degrees": it is an angle, away from the
        rest pose for "log" and as the file has it for "euler".
    kind, orders : see :func:`kinetune.body.pose_curves.pose_curves`.
    signs : for "euler", the sign with which each angle stands in the file.
    root : which part of the root's movement about its slow way goes through the curve as well; for "range" only.
    amount : from 0, nothing, to 1, all of it.
    """
    travel = slow_travel(clip)
    seen = pose_curves(
        clip, joints, kind=kind, orders=orders, center="rest" if normalise == "degrees" else "mean", travel=travel
    )
    curves = np.array(seen.curves)
    sign = np.ones((len(seen.joints), 3))
    if kind == "euler" and signs is not None:
        sign = np.array([signs[j] for j in seen.joints], dtype=float).reshape(-1, 3)
    plain = [axis for axis in axes if axis != "main"]
    if plain:
        chosen = np.isin(seen.axes, ["xyz".index(axis) for axis in plain])
        curves = np.where(chosen, sign * _shaped(sign * curves, curve, normalise, amount), curves)
    if "main" in axes:
        direction = main_axes(seen.curves)
        along = np.sum(curves * direction, axis=-1)
        curves = curves + (_shaped(along, curve, normalise, amount) - along)[..., None] * direction
    result = seen.to_clip(curves)
    if root != "none" and travel.joint in seen.joints:
        sway = clip.positions()[:, travel.joint] - travel.path
        change = _shaped(sway, curve, "range", amount) - sway
        if root == "height":
            change[:, [0, 2]] = 0.0
        if travel.joint == 0:
            return result.replace(root=clip.root + change, contacts=clip.contacts)
        return place_joint(result, travel.joint, rot.identity(len(clip)), change)
    return result


def _shaped(values: Floats, curve: ShapingCurve, normalise: Normalise, amount: float) -> Floats:
    shaped = shape_signal(values, curve, normalise)
    return shaped if amount == 1.0 else values + amount * (shaped - values)


def main_axes(curves: Floats) -> Floats:
    """The direction (joints, 3) in which each joint's curve spreads most; its largest component is positive."""
    centred = curves - curves.mean(axis=0)
    spread = np.einsum("fja,fjb->jab", centred, centred)
    _, vectors = np.linalg.eigh(spread)
    best = vectors[..., -1]
    largest = np.take_along_axis(best, np.argmax(np.abs(best), axis=-1)[:, None], axis=-1)
    return np.asarray(best * np.where(largest < 0, -1.0, 1.0))
