"""The rotations of a clip as curves of three numbers a joint, to be edited like any signal, and back.

=============  ==========================================================================
pose_curves    the curves of chosen joints
PoseCurves     the curves, with what it takes to go back to a clip
=============  ==========================================================================

Two ways to write a rotation as three numbers:

* "log": a rotation vector around the joint's own mean (:mod:`kinetune.signals.rotation_curves`) or around its rest
  pose. It depends on no Euler order and nothing flips. The joint that carries the character through the world is seen
  from the character's slow heading, so that an edit of its sway does not turn the walk elsewhere.
* "euler": the angles of the file's own channels, unrolled over time, as [bruderlin] has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import Travel, slow_travel
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.rotation_curves import LogCurves, curves_to_rotations, rotations_to_curves

Kind = Literal["log", "euler"]
Center = Literal["mean", "rest"]
RootChannels = Literal["none", "height", "all"]
"""How much of the movement of the root an edit takes in: nothing, its height, or its height, sway and surge."""


@dataclass(frozen=True, eq=False)
class PoseCurves:
    """Curves of some joints of a clip.

    clip, joints : whose.
    curves : (frames, joints, 3) radians. For "log" the x, y and z of the joint's own axes, for "euler" the angles in
        the order of the channels.
    axes : (joints, 3) which axis (0 is x) each of the three numbers belongs to.
    """

    clip: Clip
    joints: tuple[int, ...]
    curves: Floats
    axes: np.ndarray
    _log: LogCurves | None = None
    _carried: tuple[int, Floats] | None = None  # the column of the travelling joint, and its slow heading (frames, 4)
    _orders: tuple[str, ...] = ()

    def rotations(self, curves: ArrayLike) -> Floats:
        """Local rotations (frames, joints, 4) wxyz of edited curves."""
        new = np.asarray(curves, dtype=float)
        if new.shape != self.curves.shape:
            raise ParameterError(f"These curves have shape {self.curves.shape}, not {new.shape}.")
        if self._log is None:
            turned = np.empty((*new.shape[:2], 4))
            for order in set(self._orders):
                columns = [k for k, joint_order in enumerate(self._orders) if joint_order == order]
                turned[:, columns] = rot.from_euler(new[:, columns], order)
            return rot.normalize(turned)
        turned = curves_to_rotations(self._log.with_curves(new))
        if self._carried is not None:
            column, heading = self._carried
            above = _above(self.clip, self.joints[column])
            turned[:, column] = rot.multiply(above, rot.multiply(heading, turned[:, column]))
        return rot.normalize(turned)

    def window(self, start: int, stop: int) -> PoseCurves:
        """The same for frames ``start`` to ``stop - 1`` alone, around the same centres."""
        curves = self.curves[start:stop]
        log = None if self._log is None else self._log.with_curves(curves)
        carried = None if self._carried is None else (self._carried[0], self._carried[1][start:stop])
        return PoseCurves(self.clip[start:stop], self.joints, curves, self.axes, log, carried, self._orders)

    def express(self, clip: Clip) -> Floats:
        """The same joints of another clip, measured from the same centre and along the same axes ("log" only)."""
        if self._log is None:
            raise ParameterError("Euler curves have no centre to compare from.")
        local = np.array(clip.rotations[:, list(self.joints)])
        if self._carried is not None:
            column, _ = self._carried
            travel = slow_travel(clip)
            turned = clip.world_rotations()[:, self.joints[column]]
            local[:, column] = rot.multiply(rot.about_y(-travel.headings), turned)
        return rotations_to_curves(local, self._log).curves

    def to_clip(self, curves: ArrayLike) -> Clip:
        """The clip with edited curves; contacts and all else stay as they are."""
        rotations = np.array(self.clip.rotations)
        rotations[:, list(self.joints)] = self.rotations(curves)
        return self.clip.replace(rotations=rot.continuous(rotations), contacts=self.clip.contacts)


def pose_curves(
    clip: Clip,
    joints: Sequence[int],
    *,
    kind: Kind = "log",
    center: Center = "mean",
    orders: Sequence[str] | None = None,
    travel: Travel | None = None,
) -> PoseCurves:
    """The rotations of some joints as curves.

    Parameters
    ----------
    joints : indices of the joints, any number of them.
    kind : "log" or "euler", see the module.
    center : what the curves of "log" are measured from: each joint's mean over the clip, or its rest pose.
    orders : for "euler", the order of every joint of the skeleton; "ZXY" for all if omitted.
    travel : the slow path of the character; found if omitted.

    Notes
    -----
    Law: the round trip is exact (``tests/body/curves/test_pose_curves.py``).
    """
    chosen = tuple(int(j) for j in joints)
    axes = np.tile(np.arange(3), (len(chosen), 1))
    local = clip.rotations[:, list(chosen)]
    if not chosen:
        return PoseCurves(clip, (), np.zeros((len(clip), 0, 3)), axes, _orders=())
    if kind == "euler":
        chosen_orders = tuple("ZXY" if orders is None else orders[j] for j in chosen)
        curves = np.empty((*local.shape[:2], 3))
        for order in set(chosen_orders):
            columns = [k for k, joint_order in enumerate(chosen_orders) if joint_order == order]
            curves[:, columns] = rot.unroll(rot.to_euler(local[:, columns], order), order)
        return PoseCurves(
            clip, chosen, curves, np.array([["XYZ".index(a) for a in o] for o in chosen_orders]), _orders=chosen_orders
        )
    if kind != "log":
        raise ParameterError(f'Rotations are written as "log" or "euler" curves, not "{kind}".')
    carried = None
    travel = slow_travel(clip) if travel is None else travel
    if travel.joint in chosen:
        column = chosen.index(travel.joint)
        heading = rot.about_y(travel.headings)
        local = np.array(local)
        local[:, column] = rot.multiply(rot.inverse(heading), clip.world_rotations()[:, travel.joint])
        carried = (column, heading)
    like = None
    if center == "rest":
        count = len(chosen)
        rest = clip.skeleton.rest[list(chosen)]
        like = LogCurves(rest, np.zeros((1, count, 3)), np.zeros((count, 3)), np.zeros(count, dtype=bool))
    log = rotations_to_curves(local, like)
    return PoseCurves(clip, chosen, log.curves, axes, log, carried)


def _above(clip: Clip, joint: int) -> Floats:
    """The rotation (frames, 4) that brings world axes to those of a joint's parent."""
    parent = int(clip.skeleton.parents[joint])
    if parent < 0:
        return rot.identity(len(clip))
    return rot.inverse(clip.world_rotations()[:, parent])
