"""Limits on how far joints rotate, and motion brought back within them.

==============  ==========================================================================================
JointLimit      the range of one joint: a twist about its own axis, and a cone in which that axis swings
limit_joints    a clip whose joints keep within their limits
find_excess     how far, and how often, joints are beyond them
==============  ==========================================================================================

A joint's rotation is read in frames that mean something to an anatomist (:mod:`kinetune.body.kinematics.anatomy`),
since those of a file mean nothing: they differ from rig to rig. There it is split into a twist about one axis and the
swing of that axis. The knee twists about its hinge; the hip swings its thigh within an elliptic cone of flexion and
abduction. Inside its limits a joint is not touched at all. Beyond, it gives a little, ever more reluctantly, so that
motion stays smooth where it meets the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges
from kinetune.signals.rotation_curves import LogCurves, curves_to_rotations, rotations_to_curves
from kinetune.trajectory.one_sided import stay_within

Range = tuple[float, float]

_AXES = np.eye(3)
_TINY = 1e-12
_PLAIN = np.deg2rad(150.0)
_COUNTS = np.deg2rad(0.01)


@dataclass(frozen=True)
class JointLimit:
    """The range of one joint. Angles in radians.

    joint : its index.
    labels : the names of rotations about the three axes, such as ("flexion", "rotation", "abduction").
    ranges : least and greatest rotation about each axis, with 0 between them, infinite where it is free. That of
        ``twist`` bounds a twist; the other two are the half axes of the cone of swings.
    twist : which axis is the twist's: 0, 1 or 2.
    above, own : (4,) rotations wxyz from the frames of the joint's parent and of the joint to those in which it is
        read: the reading of a local rotation q is ``above^-1 q own``. The identity is the joint's neutral pose.
    """

    joint: int
    labels: tuple[str, str, str]
    ranges: tuple[Range, Range, Range]
    twist: int
    above: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    own: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    def read(self, rotations: Floats) -> Floats:
        """Rotations (frames, 3) about the three axes of local rotations (frames, 4), in radians.

        Half a turn away from neutral, a rotation to the right and one to the left are the same. There the reading
        continues from the nearest frames that are closer to neutral, so that a joint that is bent too far is not taken
        for one that is bent the other way.
        """
        onwards, back, passed = self._readings(rotations)
        return np.where(passed[:, None] < 0.5, onwards, back)

    def limited(self, rotations: Floats, soft: float, strength: float) -> Floats:
        """Local rotations (frames, 4) within the limits; frames that are within them keep their bits."""
        onwards, back, passed = self._readings(rotations)
        first, second = self.bounded(onwards, soft), self.bounded(back, soft)
        # A joint that has gone all the way round comes off one end of its range and onto the other.
        ease = (passed**2 * (3.0 - 2.0 * passed))[:, None]
        target = first + ease * (second - first)
        turns = onwards + strength * (target - onwards)
        beyond = np.any((first != onwards) | (second != back), axis=-1)
        for start, stop in true_ranges(np.any(np.abs(onwards - back) > 1e-6, axis=-1)):
            beyond[start:stop] = beyond[start:stop].any()
        return np.where(beyond[:, None], self.write(turns), rotations)

    def followed(self, rotations: Floats, smooth_frames: float) -> Floats:
        """Local rotations (frames, 4) within the range of each axis, with no corner where they come to its end.

        smooth_frames : over how many frames they come there. Rotations that are within it throughout keep their bits.
        """
        turns = self.read(rotations)
        columns = zip(turns.T, self.ranges, strict=True)
        within = np.stack([stay_within(column, *ends, smooth_frames) for column, ends in columns], axis=-1)
        return rotations if np.array_equal(within, turns) else self.write(within)

    def admits(self, rotations: Floats) -> bool:
        """Whether local rotations (frames, 4) are within the range of each axis throughout."""
        turns, (least, most) = self.read(rotations), np.transpose(self.ranges)
        return bool(np.all((least <= turns) & (turns <= most)))

    def _readings(self, rotations: Floats) -> tuple[Floats, Floats, Floats]:
        """Turns that go on from earlier frames, those that lead to later ones, and how far between the two, in [0, 1].

        They differ only for a joint that goes all the way round.
        """
        q = rot.multiply(rot.multiply(rot.inverse(np.array(self.above)), rotations), np.array(self.own))
        q = np.where(q[:, :1] < 0.0, -q, q)
        onwards = self._turns(q, 2.0 * np.arctan2(q[:, 1 + self.twist], q[:, 0]))
        swing = np.linalg.norm(np.delete(onwards, self.twist, axis=1), axis=1)
        back, passed = onwards.copy(), np.zeros(len(q))
        near = (swing < _PLAIN) & (np.abs(onwards[:, self.twist]) < _PLAIN)
        if not near.any():
            near[int(np.argmin(swing + np.abs(onwards[:, self.twist])))] = True
        for start, stop in true_ranges(~near):
            if start > 0:
                onwards[start:stop] = self._follow(q[start - 1 : stop])[1:]
            if stop < len(q):
                back[start:stop] = self._follow(q[start : stop + 1][::-1])[:0:-1]
            if start == 0:
                onwards[:stop] = back[:stop]
            elif stop == len(q):
                back[start:] = onwards[start:]
            else:
                passed[start:stop] = np.arange(1, stop - start + 1) / (stop - start + 1)
        return onwards, back, passed

    def _follow(self, q: Floats) -> Floats:
        """Turns that continue those of the first frame."""
        q = rot.continuous(q)
        return self._turns(q, np.unwrap(2.0 * np.arctan2(q[:, 1 + self.twist], q[:, 0])))

    def _turns(self, q: Floats, twist: Floats) -> Floats:
        swing = rot.multiply(q, rot.exp(-twist[:, None] * _AXES[self.twist]))
        sine = np.linalg.norm(swing[:, 1:], axis=-1)
        angle = 2.0 * np.arctan2(sine, swing[:, 0])
        turns = np.asarray(swing[:, 1:] * (angle / np.maximum(sine, _TINY))[:, None])
        turns[:, self.twist] = twist
        return turns

    def write(self, turns: Floats) -> Floats:
        """Local rotations (frames, 4) of rotations about the three axes; the inverse of :meth:`read`."""
        twist = turns[:, self.twist, None] * _AXES[self.twist]
        q = rot.multiply(rot.exp(turns - twist), rot.exp(twist))
        return rot.normalize(rot.multiply(rot.multiply(np.array(self.above), q), rot.inverse(np.array(self.own))))

    def scaled(self, scale: float) -> JointLimit:
        """The same joint with other ranges, all multiplied."""
        x, y, z = ((scale * least, scale * most) for least, most in self.ranges)
        return replace(self, ranges=(x, y, z))

    def including(self, rotations: Floats) -> JointLimit:
        """The same joint with ranges as wide as local rotations (frames, 4) need them."""
        turns = self.read(rotations)
        low, high = turns.min(axis=0).tolist(), turns.max(axis=0).tolist()
        x, y, z = ((min(least, a), max(most, b)) for (least, most), a, b in zip(self.ranges, low, high, strict=True))
        return replace(self, ranges=(x, y, z))

    def bounded(self, turns: Floats, soft: float) -> Floats:
        """The rotations (frames, 3) brought back to within ``soft`` radians of the limits."""
        result = np.array(turns)
        result[:, self.twist] = soft_clamp(turns[:, self.twist], *self.ranges[self.twist], soft)
        cone = [axis for axis in range(3) if axis != self.twist]
        swing = turns[:, cone]
        size = np.linalg.norm(swing, axis=-1)
        reach = size / np.maximum(self.cone_share(turns), _TINY)
        most = np.where(size > _TINY, np.minimum(reach, 4.0 * np.pi), np.inf)
        scale = soft_clamp(size, 0.0, most, soft) / np.maximum(size, _TINY)
        result[:, cone] = swing * np.where(size > most, scale, 1.0)[:, None]
        return result

    def cone_share(self, turns: Floats) -> Floats:
        """How far the swing of rotations (frames, 3) goes of what its cone allows, (frames,): 1 on its surface."""
        cone = [axis for axis in range(3) if axis != self.twist]
        bounds = [np.where(turns[:, a] < 0.0, -self.ranges[a][0], self.ranges[a][1]) for a in cone]
        return np.hypot(*(turns[:, a] / np.maximum(bounds[k], _TINY) for k, a in enumerate(cone)))


@dataclass(frozen=True)
class AxisLimit:
    """Bounds in a file's own terms: on the components of a rotation vector, or on Euler angles. Radians.

    joint : its index.
    ranges : least and greatest for each component; None leaves it free.
    order : an Euler order such as "ZXY", or "" for the rotation vector, both against the rest pose.
    rest : (4,) the joint's local rotation in the rest pose.
    """

    joint: int
    ranges: tuple[Range | None, Range | None, Range | None]
    order: str = ""
    rest: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    @property
    def labels(self) -> tuple[str, str, str]:
        """What the three components are called."""
        x, y, z = tuple(self.order or "xyz")
        return f"turn about {x}", f"turn about {y}", f"turn about {z}"

    def read(self, rotations: Floats) -> Floats:
        """The components (frames, 3), continuous in time."""
        rest = np.array(self.rest)
        if self.order:
            angles = rot.to_euler(rot.continuous(rot.multiply(rot.inverse(rest), rotations)), self.order)
            return rot.unroll(angles, self.order)
        return rotations_to_curves(rotations[:, None], like=self._curves()).curves[:, 0]

    def write(self, turns: Floats) -> Floats:
        """Local rotations (frames, 4) of components."""
        if self.order:
            return rot.multiply(np.array(self.rest), rot.from_euler(turns, self.order))
        return rot.normalize(curves_to_rotations(self._curves().with_curves(turns[:, None]))[:, 0])

    def limited(self, rotations: Floats, soft: float, strength: float) -> Floats:
        """Local rotations (frames, 4) within the limits; frames that are within them keep their bits."""
        turns = self.read(rotations)
        bounded = self.bounded(turns, soft)
        beyond = np.any(bounded != turns, axis=-1, keepdims=True)
        return np.where(beyond, self.write(turns + strength * (bounded - turns)), rotations)

    def _curves(self) -> LogCurves:
        return LogCurves(np.array([self.rest]), np.zeros((0, 1, 3)), np.zeros((1, 3)), np.zeros(1, dtype=bool))

    def bounded(self, turns: Floats, soft: float) -> Floats:
        """The components brought back within their ranges."""
        columns = [
            turns[:, axis] if bounds is None else soft_clamp(turns[:, axis], *bounds, soft)
            for axis, bounds in enumerate(self.ranges)
        ]
        return np.stack(columns, axis=-1)


Limit = JointLimit | AxisLimit


@dataclass(frozen=True)
class Excess:
    """How far a joint goes beyond a limit.

    joint, turn : its name and the movement that goes too far, such as "LeftLeg" and "flexion".
    share : of the frames in which it does. worst_deg : the most, in degrees beyond the limit. frame : where that is.
    """

    joint: str
    turn: str
    share: float
    worst_deg: float
    frame: int


def soft_clamp(values: Floats, least: Floats | float, most: Floats | float, soft: float) -> Floats:
    """Values within bounds unchanged; beyond them they approach a line ``soft`` farther out and never reach it."""
    inside = np.clip(values, least, most)
    beyond = values - inside
    if soft <= 0.0:
        return np.asarray(inside)
    give = np.sign(beyond) * soft * -np.expm1(-np.abs(beyond) / soft)
    return np.asarray(np.where(beyond == 0.0, values, inside + give))


def limit_joints(clip: Clip, limits: Iterable[Limit], *, soft: float = 0.0, strength: float = 1.0) -> Clip:
    """A clip whose joints keep within their limits.

    Parameters
    ----------
    limits : applied one after another; several may name one joint.
    soft : how far beyond a limit a joint may give, in radians; 0 stops it dead.
    strength : 1 brings joints back all the way, 0 leaves them.

    Notes
    -----
    Laws (``tests/body/kinematics/test_joint_limits.py``): frames within the limits keep their bits; nothing flips,
    since rotations are unrolled over time before they are bounded; with ``soft=0`` limiting twice is limiting once.
    """
    rotations = np.array(clip.rotations)
    for limit in limits:
        rotations[:, limit.joint] = limit.limited(rotations[:, limit.joint], soft, strength)
    if np.array_equal(rotations, clip.rotations):
        return clip
    return clip.replace(rotations=rotations, contacts=clip.contacts)


def find_excess(clip: Clip, limits: Sequence[Limit]) -> list[Excess]:
    """How far and how often joints are beyond their limits, worst first.

    A swing beyond its cone counts by how far each of its two rotations must come back.
    """
    excesses = []
    for limit in limits:
        turns = limit.read(clip.rotations[:, limit.joint])
        beyond = np.abs(turns - limit.bounded(turns, 0.0))
        for axis, word in enumerate(limit.labels):
            worst = int(np.argmax(beyond[:, axis]))
            if beyond[worst, axis] > _COUNTS:
                share = float(np.mean(beyond[:, axis] > _COUNTS))
                degrees = float(np.rad2deg(beyond[worst, axis]))
                excesses.append(Excess(clip.skeleton.names[limit.joint], word, share, degrees, worst))
    return sorted(excesses, key=lambda excess: -excess.worst_deg)
