"""Knees: how far they are bent, which way, and legs brought onto new paths without bending them backward.

==============  ==================================================================================
Leg             the joints of a leg and the hinge of its knee
find_leg        reads them from a clip
knee_bend       the flexion of a knee, negative where it is bent backward
unfolding_bend  the same for a knee that may be folded beyond half a turn
open_knee       new rotations of a knee that turns about its hinge
pose_leg        new rotations of a leg whose ankle goes somewhere else
==============  ==================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import hinge_axis, hinge_flexion, swing_onto
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_HINGE_SHARE = 0.15  # sine of the bend at which the plane of a leg and its hinge count the same
_STRAIGHTEST = np.deg2rad(0.5)


@dataclass(frozen=True)
class Leg:
    """The joints of a leg, and the axis (3,) of its knee in the thigh's frame."""

    hip: int
    knee: int
    ankle: int
    hinge: Floats

    def bones(self, clip: Clip) -> tuple[Floats, Floats]:
        """Thigh and shank, (frames, 3) metres in the world."""
        positions = clip.positions()
        knee = positions[:, self.knee]
        return knee - positions[:, self.hip], positions[:, self.ankle] - knee


def find_leg(clip: Clip, side: str, ankle: int) -> Leg:
    """The leg above an ankle; the clip shows about which axis its knee flexes."""
    roles = clip.skeleton.roles
    hip, knee = roles.get(f"{side} upper leg"), roles.get(f"{side} lower leg")
    if hip is None or knee is None:
        missing = "upper leg" if hip is None else "lower leg"
        raise ParameterError(
            f'The {side} foot cannot be planted: the skeleton has no joint in the role "{side} {missing}". '
            "kinetune info FILE shows what was recognised."
        )
    return Leg(hip, knee, ankle, hinge_axis(clip, hip, knee, ankle))


def knee_bend(clip: Clip, leg: Leg) -> Floats:
    """How far a knee is bent, (frames,) radians; negative: backward."""
    thigh, shank = leg.bones(clip)
    return _bend(thigh, shank, _knee_axis(clip, leg, thigh, shank))


def unfolding_bend(clip: Clip, leg: Leg) -> Floats:
    """How far a knee is bent, (frames,) radians, followed through time and so beyond pi where it is folded so far."""
    bend = np.unwrap(knee_bend(clip, leg))
    return np.asarray(bend - 2.0 * np.pi * np.round(np.median(bend) / (2.0 * np.pi)))


def open_knee(clip: Clip, leg: Leg, change: Floats, rotations: Floats) -> None:
    """Fill in the local rotations (frames, joints, 4) of a knee that turns about its hinge, (frames,) radians."""
    world, above = clip.world_rotations(), clip.skeleton.parents[leg.knee]
    hinge = rot.rotate(world[:, leg.hip], leg.hinge)
    turned = rot.multiply(rot.from_axis_angle(hinge, change), world[:, leg.knee])
    local = rot.multiply(rot.inverse(world[:, above]), turned)
    rotations[:, leg.knee] = rot.continuous(rot.normalize(local))


def _bend(thigh: Floats, shank: Floats, axis: Floats) -> Floats:
    across = np.sum(thigh * axis, axis=-1) * np.sum(shank * axis, axis=-1)
    bend = np.arctan2(np.sum(rot.cross(thigh, shank) * axis, axis=-1), np.sum(thigh * shank, axis=-1) - across)
    return np.asarray(bend)


def _knee_axis(clip: Clip, leg: Leg, thigh: Floats, shank: Floats, hinge_share: float = _HINGE_SHARE) -> Floats:
    """The axis (frames, 3) about which a knee flexes: of the plane of the leg where it is bent, else its hinge.

    A shank is never quite in the plane in which its knee flexes. When a knee passes through straight, the normal of the
    leg goes to the other side of the hinge: what it has across the hinge fades out there, or else the axis would jump.
    A knee that is bent far across its hinge keeps its plane until close to that point.
    """
    hinge = rot.rotate(clip.world_rotations()[:, leg.hip], leg.hinge)
    along = _unit(thigh + shank)
    hinge = _unit(hinge - np.sum(hinge * along, axis=-1, keepdims=True) * along)
    sizes = np.linalg.norm(thigh, axis=-1, keepdims=True) * np.linalg.norm(shank, axis=-1, keepdims=True)
    normal = rot.cross(thigh, shank) / np.maximum(sizes, 1e-12)
    along_hinge = np.sum(normal * hinge, axis=-1, keepdims=True)
    across = normal - along_hinge * hinge
    width = hinge_share**2 / np.hypot(hinge_share, np.linalg.norm(across, axis=-1, keepdims=True))
    across *= along_hinge / np.hypot(along_hinge, width)
    return _unit((np.abs(along_hinge) + hinge_share) * hinge + across)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def pose_leg(
    clip: Clip, leg: Leg, arm: Floats, foot: Floats, rotations: Floats, *, hinge_share: float = _HINGE_SHARE
) -> None:
    """Fill in the local rotations (frames, joints, 4) of a leg whose ankle goes somewhere else.

    Parameters
    ----------
    clip : Clip
        The motion as it is.
    arm : array, shape (frames, 3)
        Where the ankle should be, seen from the hip, in metres. Farther than the leg reaches, it is cut at a bend of
        half a degree.
    foot : array, shape (frames, 4)
        How the foot should be turned in the world.
    hinge_share : float
        The sine of the bend at which the plane of the leg and the hinge of its knee count the same; with a large one
        the knee flexes about its hinge, however the leg is bent.
    """
    world, parents = clip.world_rotations(), clip.skeleton.parents
    thigh, shank = leg.bones(clip)
    upper, lower = np.linalg.norm(thigh, axis=-1), np.linalg.norm(shank, axis=-1)
    most = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(_STRAIGHTEST))
    reach = np.clip(np.linalg.norm(arm, axis=-1), np.abs(upper - lower), most)
    axis = _knee_axis(clip, leg, thigh, shank, hinge_share)
    flex = rot.from_axis_angle(axis, hinge_flexion(thigh, shank, axis, reach, 1.0, 0.0))
    swing = swing_onto(thigh + rot.rotate(flex, shank), arm)
    above = parents[leg.hip]
    thigh_world = rot.multiply(swing, world[:, leg.hip])
    rotations[:, leg.hip] = thigh_world if above < 0 else rot.multiply(rot.inverse(world[:, above]), thigh_world)
    # What carries the knee turns with the thigh, what carries the ankle with the shank.
    turn = rot.multiply(swing, flex)
    carrier = rot.multiply(swing, world[:, parents[leg.knee]])
    rotations[:, leg.knee] = rot.multiply(rot.inverse(carrier), rot.multiply(turn, world[:, leg.knee]))
    carrier = rot.multiply(turn, world[:, parents[leg.ankle]])
    rotations[:, leg.ankle] = rot.multiply(rot.inverse(carrier), foot)
    joints = [leg.hip, leg.knee, leg.ankle]
    rotations[:, joints] = rot.continuous(rot.normalize(rotations[:, joints]))
