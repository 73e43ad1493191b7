"""What a figure does, as the curves an animator thinks in, and the clip that they make.

Curves are arrays over the frames (or single numbers), in **degrees** and metres, with the signs of anatomy:

- trunk and head: yaw + to the left, pitch + nose down, roll + to the right; in world axes.
- arms: flexion + forwards, abduction + sideways, rotation + inwards, elbow + bent, pronation + palm backwards or
  down, wrist + towards the palm, deviation + towards the thumb; 0 is an arm that hangs with its palm to the thigh.
- collars: elevation + up, protraction + forwards.

Feet, and hands where asked, are given as paths in the world and reached by two-bone inverse kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tools.samples.figure import FOREARM, SHANK, SIDES, THIGH, UPPER_ARM, figure, side_sign

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.kinematics.limb_ik import bend_limb
from kinetune.rotations import Floats

_SPINE = ("Spine", "Spine1", "Spine2")
_TWIST_SHARES = (0.20, 0.30)
_PITCH_SHARES = (0.45, 0.30)
_ROLL_SHARES = (0.40, 0.30)
_NECK_SHARE = 0.45
# Knees and elbows stop short of straight by design of the curves; this only rounds off what little exceeds it.
_SOFTNESS = 0.002
_FLAT = 1.0  # degrees of pitch within which heel and toes both stand


Curve = Floats | float
"""A curve over the frames, or one number for all of them."""


@dataclass
class Turn:
    """How a part of the body is turned in the world."""

    yaw: Curve = 0.0
    pitch: Curve = 0.0
    roll: Curve = 0.0

    def quaternions(self, frames: int) -> Floats:
        """World rotations (frames, 4)."""
        return rot.from_euler(np.radians(_columns(frames, self.yaw, self.pitch, self.roll)), "YXZ")


@dataclass
class Arm:
    """One arm, by its angles or, where ``hand`` is given, by the path of its wrist.

    hand : (frames, 3) where the wrist shall be. The shoulder and the elbow follow.
    pole : (3,) or (frames, 3), where the elbow points, in the chest's axes with x outwards.
    grip : (frames, 4) how the hand is turned in the world; without it the wrist's own angles count.
    """

    flexion: Curve = 0.0
    abduction: Curve = 6.0
    rotation: Curve = 0.0
    elbow: Curve = 15.0
    pronation: Curve = 12.0
    wrist: Curve = 6.0
    deviation: Curve = 0.0
    elevation: Curve = 0.0
    protraction: Curve = 0.0
    hand: Floats | None = None
    pole: Floats | tuple[float, float, float] = (0.55, -0.62, -0.56)
    grip: Floats | None = None


@dataclass
class Foot:
    """One foot: where its ankle is, how it is turned, and where the knee above it points.

    ankle : (frames, 3) in metres.
    yaw : + toes to the left. pitch : + toes up.
    toes : how far the toes are bent up against the foot.
    pole : (frames, 3) where the knee points in the world; None takes the middle between pelvis and foot.
    loose : from 0, turned as said above, to 1, carried by the shank with the ankle bent up by ``bend`` degrees.
    planted : (frames,) whether it stands on the floor.
    """

    ankle: Floats
    yaw: Curve = 0.0
    pitch: Curve = 0.0
    toes: Curve = 0.0
    pole: Floats | None = None
    loose: Curve = 0.0
    bend: Curve = 0.0
    planted: NDArray[np.bool_] | bool = True


@dataclass
class Acting:
    """Everything a figure does.

    fps : frames per second.
    hips : (frames, 3) where the middle between the hip joints is.
    """

    fps: float
    hips: Floats
    left_foot: Foot
    right_foot: Foot
    pelvis: Turn = field(default_factory=Turn)
    chest: Turn = field(default_factory=Turn)
    head: Turn = field(default_factory=Turn)
    left_arm: Arm = field(default_factory=Arm)
    right_arm: Arm = field(default_factory=Arm)
    markers: tuple[Marker, ...] = ()

    def clip(self) -> Clip:
        """The clip: local rotations of every joint."""
        skeleton = figure()
        frames = len(self.hips)
        world = np.zeros((frames, len(skeleton), 4))
        place = np.zeros((frames, len(skeleton), 3))
        local = rot.identity(frames, len(skeleton))

        def set_world(name: str, turned: Floats) -> None:
            joint = skeleton.index(name)
            parent = int(skeleton.parents[joint])
            if parent < 0:
                place[:, joint], local[:, joint] = self.hips, turned
            else:
                place[:, joint] = place[:, parent] + rot.rotate(world[:, parent], skeleton.offsets[joint])
                local[:, joint] = rot.multiply(rot.inverse(world[:, parent]), turned)
            world[:, joint] = turned

        def set_local(name: str, turned: Floats) -> None:
            parent = int(skeleton.parents[skeleton.index(name)])
            set_world(name, rot.multiply(world[:, parent], turned))

        def at(name: str) -> Floats:
            """Where a joint will be, known once its parent is turned."""
            joint = skeleton.index(name)
            parent = int(skeleton.parents[joint])
            return np.asarray(place[:, parent] + rot.rotate(world[:, parent], skeleton.offsets[joint]))

        pelvis, chest, head = (t.quaternions(frames) for t in (self.pelvis, self.chest, self.head))
        set_world("Hips", pelvis)
        for name, turned in zip(_SPINE, _share_spine(rot.multiply(rot.inverse(pelvis), chest)), strict=True):
            set_local(name, turned)
        nod = rot.log(rot.multiply(rot.inverse(chest), head))
        set_local("Neck", rot.exp(_NECK_SHARE * nod))
        set_local("Head", rot.exp((1.0 - _NECK_SHARE) * nod))
        for side, arm in zip(SIDES, (self.left_arm, self.right_arm), strict=True):
            sign = side_sign(side)
            set_local(side + "Shoulder", _collar(arm, sign, frames))
            shoulder = at(side + "Arm")
            upper, lower = _arm_angles(arm, sign, frames)
            if arm.hand is None:
                set_local(side + "Arm", upper)
            else:
                turned_upper, turned_lower = _reach(arm, sign, shoulder, chest)
                set_world(side + "Arm", turned_upper)
                lower = rot.multiply(rot.inverse(turned_upper), turned_lower)
            hinge = rot.multiply(world[:, skeleton.index(side + "Arm")], lower)
            forearm_twist, wrist = _wrist(arm, sign, hinge, frames)
            set_world(side + "ForeArm", rot.multiply(hinge, forearm_twist))
            set_local(side + "Hand", wrist)
        for side, foot in zip(SIDES, (self.left_foot, self.right_foot), strict=True):
            thigh, shank, sole = _leg(foot, at(side + "UpLeg"), self.pelvis.yaw, frames)
            set_world(side + "UpLeg", thigh)
            set_world(side + "Leg", shank)
            set_world(side + "Foot", sole)
            bent = np.radians(-np.broadcast_to(np.asarray(foot.toes, dtype=float), (frames,)))
            set_local(side + "ToeBase", rot.from_axis_angle((1.0, 0.0, 0.0), bent))
        rotations = rot.continuous(rot.normalize(local))
        contacts = _contacts(self.left_foot, self.right_foot, frames)
        return Clip(skeleton, self.fps, self.hips, rotations, contacts=contacts, markers=self.markers)


def _contacts(left: Foot, right: Foot, frames: int) -> Contacts:
    """Which feet stand, on heel or toes, as planned."""
    flags = np.stack([np.broadcast_to(f.planted, (frames,)) for f in (left, right)], -1)
    pitch = _columns(frames, left.pitch, right.pitch)
    heels, toes = flags & (pitch > -_FLAT), flags & (pitch < _FLAT)
    return Contacts(("LeftFoot", "RightFoot"), flags, heels=heels, toes=toes, sides=("left", "right"))


def _columns(frames: int, *curves: ArrayLike) -> Floats:
    return np.stack([np.broadcast_to(np.asarray(c, dtype=float), (frames,)) for c in curves], axis=-1)


def _share_spine(turned: Floats) -> list[Floats]:
    """A bend of the whole spine, spread over its three joints: low joints bend, high joints twist."""
    twist, pitch, roll = np.moveaxis(rot.to_euler(turned, "YXZ"), -1, 0)
    parts = []
    rest = turned
    for t, p, r in zip(_TWIST_SHARES, _PITCH_SHARES, _ROLL_SHARES, strict=True):
        part = rot.from_euler(np.stack([t * twist, p * pitch, r * roll], axis=-1), "YXZ")
        parts.append(part)
        rest = rot.multiply(rot.inverse(part), rest)
    return [*parts, rest]


def _collar(arm: Arm, sign: float, frames: int) -> Floats:
    angles = np.radians(_columns(frames, arm.protraction, arm.elevation)) * [-sign, sign]
    return rot.from_euler(angles, "YZ")


def _arm_angles(arm: Arm, sign: float, frames: int) -> tuple[Floats, Floats]:
    """Local rotations of the upper arm and of the elbow, from the T-pose."""
    angles = np.radians(_columns(frames, arm.flexion, arm.abduction, arm.rotation)) * [-1.0, sign, -sign]
    hang = rot.from_axis_angle((0.0, 0.0, 1.0), -0.5 * np.pi * sign)
    upper = rot.multiply(rot.from_euler(angles, "XZY"), hang)
    elbow = np.radians(np.broadcast_to(np.asarray(arm.elbow, dtype=float), (frames,)))
    return upper, rot.from_axis_angle((0.0, -sign, 0.0), elbow)


def _reach(arm: Arm, sign: float, shoulder: Floats, chest: Floats) -> tuple[Floats, Floats]:
    """World rotations of the upper arm and the forearm (without its twist) for a wrist at ``arm.hand``."""
    assert arm.hand is not None
    pole = rot.rotate(chest, np.asarray(arm.pole, dtype=float) * [sign, 1.0, 1.0])
    elbow, wrist = bend_limb(shoulder, arm.hand, pole, UPPER_ARM, FOREARM, _SOFTNESS)
    return _two_bones(shoulder, elbow, wrist, pole, bone=(sign, 0.0, 0.0), hinge=(0.0, -sign, 0.0))


def _leg(foot: Foot, hip: Floats, pelvis_yaw: ArrayLike, frames: int) -> tuple[Floats, Floats, Floats]:
    """World rotations of thigh, shank and foot."""
    yaw, pitch, heading = _columns(frames, foot.yaw, foot.pitch, pelvis_yaw).T
    sole = rot.from_euler(np.radians(np.stack([yaw, -pitch], axis=-1)), "YX")
    pole = foot.pole
    if pole is None:
        pole = rot.rotate(rot.about_y(np.radians(0.5 * (yaw + heading))), np.array([0.0, 0.15, 1.0]))
    knee, ankle = bend_limb(hip, foot.ankle, pole, THIGH, SHANK, _SOFTNESS)
    thigh, shank = _two_bones(hip, knee, ankle, pole, bone=(0.0, -1.0, 0.0), hinge=(1.0, 0.0, 0.0))
    bend, loose = _columns(frames, foot.bend, foot.loose).T
    carried = rot.multiply(shank, rot.from_axis_angle((1.0, 0.0, 0.0), -np.radians(bend)))
    return thigh, shank, rot.slerp(sole, carried, loose)


def _two_bones(
    root: Floats, middle: Floats, end: Floats, pole: Floats, bone: tuple[float, ...], hinge: tuple[float, ...]
) -> tuple[Floats, Floats]:
    """World rotations of two bones that in the T-pose lie along ``bone`` and flex about ``hinge``."""
    axis = np.cross(pole, end - root)
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    rest = _frame(np.array([bone]), np.array([hinge]))
    back = rot.inverse(rot.from_matrix(rest))
    upper, lower = (rot.multiply(rot.from_matrix(_frame(v, axis)), back) for v in (middle - root, end - middle))
    return upper, lower


def _frame(along: Floats, hinge: Floats) -> Floats:
    a = along / np.linalg.norm(along, axis=-1, keepdims=True)
    h = hinge - np.sum(hinge * a, axis=-1, keepdims=True) * a
    h /= np.linalg.norm(h, axis=-1, keepdims=True)
    return np.stack([a, h, np.cross(a, h)], axis=-1)


def _wrist(arm: Arm, sign: float, forearm: Floats, frames: int) -> tuple[Floats, Floats]:
    """The twist of the forearm and the local rotation of the hand; each takes half of the pronation."""
    along = (sign, 0.0, 0.0)
    if arm.grip is None:
        twist, wrist, deviation = np.radians(_columns(frames, arm.pronation, arm.wrist, arm.deviation)).T
        bent = rot.from_euler(np.stack([-sign * deviation, -sign * wrist], axis=-1), "YZ")
        half = rot.from_axis_angle((1.0, 0.0, 0.0), 0.5 * twist)
        return half, rot.multiply(half, bent)
    needed = rot.multiply(rot.inverse(forearm), arm.grip)
    _, twist_part = rot.swing_twist(needed, along)
    half = rot.exp(0.5 * rot.log(twist_part))
    return half, rot.multiply(rot.inverse(half), needed)
