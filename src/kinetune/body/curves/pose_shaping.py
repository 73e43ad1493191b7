"""Waveshaping on a character: the rotations of chosen joints, axis by axis, and the sway of its root.

==============  ==========================================================================
ShapePreview    shapes the joints of a clip, or of a few frames of it, as often as the curve changes
main_axes       the axis about which each joint moves most
==============  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import Kind, RootChannels, pose_curves
from kinetune.body.root_motion import shift_joint, slow_travel
from kinetune.rotations import Floats
from kinetune.signals.shaping.shaping_curve import Normalise, ShapingCurve, shape_signal

Axis = Literal["x", "y", "z", "main"]


class ShapePreview:
    """Joint rotations as numbers, computed once and shaped again whenever the curve changes.

    Parameters
    ----------
    axes : which of the three numbers of a joint: x, y and z of its own axes, or "main", the one axis about which it
        moves most in this clip.
    normalise : "range" scales each number to [-1, 1] by its own extremes. "degrees" takes it as an angle, measured from
        the rest pose for "log" and as in the file for "euler".
    kind, orders : see :func:`kinetune.body.curves.pose_curves.pose_curves`.
    signs : for "euler", the sign with which each angle stands in the file.
    root : how much of the movement of the root about its slow path is shaped too; for "range" only.
    span : the frames in view, from the first to before the second; None for all.

    Attributes
    ----------
    exact : whether a part comes out as in the whole; not where the main axis is shaped after the others.

    Notes
    -----
    Law: a part of the clip comes out as in the whole, whose extremes it is scaled by
    (``tests/body/curves/test_pose_shaping.py``).
    """

    def __init__(
        self,
        clip: Clip,
        joints: Sequence[int],
        *,
        axes: Sequence[Axis] = ("x", "y", "z"),
        normalise: Normalise = "range",
        kind: Kind = "log",
        orders: Sequence[str] | None = None,
        signs: Sequence[Sequence[float]] | None = None,
        root: RootChannels = "none",
        span: tuple[int, int] | None = None,
    ) -> None:
        travel = slow_travel(clip)
        center: Literal["rest", "mean"] = "rest" if normalise == "degrees" else "mean"
        seen = pose_curves(clip, joints, kind=kind, orders=orders, center=center, travel=travel)
        sign = np.ones((len(seen.joints), 3))
        if kind == "euler" and signs is not None:
            sign = np.array([signs[j] for j in seen.joints], dtype=float).reshape(-1, 3)
        plain = [axis for axis in axes if axis != "main"]
        self.normalise, self.carrier, self._sign = normalise, travel.joint, sign
        first, last = (0, len(clip)) if span is None else span
        self._seen = seen if span is None else seen.window(first, last)
        self._chosen = np.isin(seen.axes, ["xyz".index(axis) for axis in plain]) if plain else None
        self._limits = _limits(sign * seen.curves)
        self._direction = main_axes(seen.curves) if "main" in axes else None
        if self._direction is not None:
            self._along_limits = _limits(np.sum(seen.curves * self._direction, axis=-1))
        self.exact = span is None or self._direction is None or self._chosen is None
        self._root: RootChannels = root if travel.joint in seen.joints else "none"
        if self._root != "none":
            sway = clip.positions()[:, travel.joint] - travel.path
            self._sway, self._sway_limits = sway[first:last], _limits(sway)

    def mix(self, curve: ShapingCurve, amount: float = 1.0) -> Clip:
        """The frames in view, shaped by a curve; ``amount`` goes from 0, nothing, to 1, all of it."""
        curves, sign = np.array(self._seen.curves), self._sign
        if self._chosen is not None:
            bent = sign * _shaped(sign * curves, curve, self.normalise, amount, self._limits)
            curves = np.where(self._chosen, bent, curves)
        if self._direction is not None:
            along = np.sum(curves * self._direction, axis=-1)
            # What the plain axes have bent has other extremes.
            limits = self._along_limits if self._chosen is None else None
            further = _shaped(along, curve, self.normalise, amount, limits) - along
            curves = curves + further[..., None] * self._direction
        result = self._seen.to_clip(curves)
        if self._root == "none":
            return result
        change = _shaped(self._sway, curve, "range", amount, self._sway_limits) - self._sway
        if self._root == "height":
            change[:, [0, 2]] = 0.0
        return shift_joint(result, self.carrier, change)


def _limits(signal: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest value of each channel."""
    return signal.min(axis=0), signal.max(axis=0)


def _shaped(
    values: Floats, curve: ShapingCurve, normalise: Normalise, amount: float, limits: tuple[Floats, Floats] | None
) -> Floats:
    shaped = shape_signal(values, curve, normalise, limits)
    return shaped if amount == 1.0 else values + amount * (shaped - values)


def main_axes(curves: Floats) -> Floats:
    """The direction (joints, 3) in which each joint's curve spreads most; its largest component is positive."""
    centred = curves - curves.mean(axis=0)
    spread = np.einsum("fja,fjb->jab", centred, centred)
    _, vectors = np.linalg.eigh(spread)
    best = vectors[..., -1]
    largest = np.take_along_axis(best, np.argmax(np.abs(best), axis=-1)[:, None], axis=-1)
    return np.asarray(best * np.where(largest < 0, -1.0, 1.0))
