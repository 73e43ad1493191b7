"""From the channels of bones to where bones are, and back: what Blender does with a pose, for many frames at once.

=================  =============================================================================
Bone, Rig          an armature: its bones, its object's transformation, its unit
Channels           location, rotation and scale of every bone, as its F-curves hold them
Pose               orientation and position of every bone in the space of the armature
pose_of            the pose that channels make
channels_for       the channels that make a pose
=================  =============================================================================

Inherited rotation, the modes of inherited scale and local location follow Blender's rules. Nothing here needs Blender.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .rotation_modes import Floats, from_matrix, to_matrix


@dataclass(frozen=True, eq=False)
class Bone:
    """One bone.

    parent : its place in the rig, -1 for none; parents come first.
    rest : (4, 4) in the space of the armature.
    mode : how its rotation is keyed, such as "QUATERNION" or "ZXY".
    length : from head to tail.
    """

    name: str
    parent: int
    rest: Floats
    mode: str = "QUATERNION"
    length: float = 1.0
    inherit_rotation: bool = True
    inherit_scale: str = "FULL"
    local_location: bool = True
    connected: bool = False


@dataclass(frozen=True, eq=False)
class Rig:
    """An armature.

    world : (4, 4) the transformation of its object, or (frames, 4, 4) where the object moves.
    metres : length of a unit of the scene.
    joints : the bones that take part in an edit, as places in ``bones``; the others keep their place on their parents.
    """

    bones: tuple[Bone, ...]
    world: Floats = field(default_factory=lambda: np.eye(4))
    metres: float = 1.0
    joints: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.joints:
            object.__setattr__(self, "joints", tuple(range(len(self.bones))))

    def joint_parent(self, bone: int) -> int:
        """The nearest bone above that takes part, as a place in ``joints``; -1 for none."""
        places = {each: place for place, each in enumerate(self.joints)}
        above = self.bones[bone].parent
        while above >= 0 and above not in places:
            above = self.bones[above].parent
        return places.get(above, -1)

    def reach(self, bone: int) -> float:
        """How far from a bone's head the farthest tail is that hangs on it, in the rest pose and in units."""
        below, head = {bone}, self.bones[bone].rest[:3, 3]
        for number, each in enumerate(self.bones):
            if each.parent in below:
                below.add(number)
        tails = [self.bones[n].rest[:3, 3] + self.bones[n].rest[:3, 1] * self.bones[n].length for n in below]
        return float(np.linalg.norm(np.array(tails) - head, axis=1).max())

    def with_joints(self, joints: Sequence[int]) -> Rig:
        """The same armature where these bones take part."""
        return replace(self, joints=tuple(joints))


class Channels(NamedTuple):
    """location (frames, bones, 3), rotation (frames, bones, 4) wxyz, scale (frames, bones, 3)."""

    location: Floats
    rotation: Floats
    scale: Floats


class Pose(NamedTuple):
    """matrices (frames, bones, 3, 3), scale included, and positions (frames, bones, 3) of the heads."""

    matrices: Floats
    positions: Floats

    def rotations(self) -> Floats:
        """Orientations (frames, bones, 4) wxyz, without scale."""
        return from_matrix(unscaled(self.matrices))


def unscaled(m: Floats) -> Floats:
    """The rotations in matrices (..., 3, 3) with scale: columns made orthogonal, the second one's direction first.

    That is the direction of the bone; shear is taken out of the two others, as Blender does it.
    """
    y = _unit(m[..., :, 1])
    x = m[..., :, 0]
    x = _unit(x - np.einsum("...i,...i->...", x, y)[..., None] * y)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def pose_of(rig: Rig, channels: Channels) -> Pose:
    """Where every bone is."""
    turned = to_matrix(channels.rotation) * channels.scale[..., None, :]
    pose = _empty(len(turned), len(rig.bones))
    for number, bone in enumerate(rig.bones):
        rotscale, loc, base, post = _parent_space(rig, bone, pose)
        place = np.zeros(3) if bone.connected else channels.location[:, number]
        pose.matrices[:, number] = (rotscale @ turned[:, number]) * post[:, None, :]
        pose.positions[:, number] = base + np.einsum("...ij,...j->...i", loc, place)
    return pose


def channels_for(
    rig: Rig, rotations: Floats, positions: Floats, moved: Sequence[bool], before: Channels, pose: Pose
) -> Channels:
    """The channels that bring the bones that take part to given orientations and positions.

    Parameters
    ----------
    rotations, positions : (frames, joints, 4) and (frames, joints, 3) in the space of the armature.
    moved : for each of these bones, whether its location is to be changed.
    before : the channels before the edit, of as many frames: scales, and all that is not changed.
    pose : the pose before the edit; bones that take no part stay where it has them on their parents.
    """
    place_of = {bone: place for place, bone in enumerate(rig.joints)}
    turned = to_matrix(rotations)
    new = _empty(len(rotations), len(rig.bones))
    location, rotation = np.array(before.location), np.array(before.rotation)
    for number, bone in enumerate(rig.bones):
        joint = place_of.get(number)
        if joint is None:
            _carry(bone, number, new, pose)
            continue
        rotscale, loc, base, post = _parent_space(rig, bone, new)
        local = np.swapaxes(unscaled(np.broadcast_to(rotscale, turned[:, joint].shape)), -1, -2) @ turned[:, joint]
        rotation[:, number] = from_matrix(local)
        if moved[joint] and not bone.connected:
            away = positions[:, joint] - base
            location[:, number] = np.linalg.solve(np.broadcast_to(loc, local.shape), away[..., None])[..., 0]
        place = np.zeros(3) if bone.connected else location[:, number]
        new.matrices[:, number] = (rotscale @ (local * before.scale[:, number, None, :])) * post[:, None, :]
        new.positions[:, number] = base + np.einsum("...ij,...j->...i", loc, place)
    return Channels(location, rotation, before.scale)


def _carry(bone: Bone, number: int, new: Pose, pose: Pose) -> None:
    """Put a bone that takes no part where it was, seen from its parent."""
    if bone.parent < 0:
        new.matrices[:, number], new.positions[:, number] = pose.matrices[:, number], pose.positions[:, number]
        return
    change = new.matrices[:, bone.parent] @ np.linalg.inv(pose.matrices[:, bone.parent])
    away = pose.positions[:, number] - pose.positions[:, bone.parent]
    new.matrices[:, number] = change @ pose.matrices[:, number]
    new.positions[:, number] = new.positions[:, bone.parent] + np.einsum("fij,fj->fi", change, away)


def _parent_space(rig: Rig, bone: Bone, pose: Pose) -> tuple[Floats, Floats, Floats, Floats]:
    """What a bone's rotation and scale are applied to, its location, where it is without one, and a scale after all."""
    ones = np.ones((len(pose.matrices), 3))
    if bone.parent < 0:
        offset = bone.rest[:3, :3]
        loc = offset if bone.local_location else np.eye(3)
        return offset, loc, bone.rest[:3, 3], ones
    parent = rig.bones[bone.parent]
    offset = np.linalg.inv(parent.rest) @ bone.rest
    matrix, at = pose.matrices[:, bone.parent], pose.positions[:, bone.parent]
    base = at + matrix @ offset[:3, 3]
    plain = matrix @ offset[:3, :3]
    loc = plain if bone.local_location else matrix
    if bone.inherit_rotation and bone.inherit_scale == "FULL":
        return plain, loc, base, ones
    space, post = _without_parts(bone, matrix, parent.rest[:3, :3])
    rotscale = space @ offset[:3, :3]
    if bone.inherit_scale == "FIX_SHEAR":
        rotscale = _without_shear(rotscale)
    return rotscale, loc, base, post


def _without_parts(bone: Bone, matrix: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """The parent's matrix without what is not inherited, and the scale that comes last."""
    mode, post = bone.inherit_scale, np.ones(matrix.shape[:-1])
    size = np.linalg.norm(matrix, axis=-2)
    if bone.inherit_rotation:
        if mode == "FIX_SHEAR":
            space = matrix
        elif mode == "NONE_LEGACY":
            space = matrix / size[..., None, :]
        else:
            space = unscaled(matrix)
    else:
        space = np.broadcast_to(rest, matrix.shape)
        if mode in ("FULL", "FIX_SHEAR"):
            space = space * size[..., None, :]
    if mode == "ALIGNED":
        post = np.linalg.norm(_without_shear(matrix), axis=-2)
    if mode == "AVERAGE":
        space = space * np.cbrt(np.abs(np.linalg.det(matrix)))[..., None, None]
    return space, post


def _without_shear(m: Floats) -> Floats:
    """Orthogonal columns with the lengths that keep the volume."""
    turned = unscaled(m)
    lengths = np.abs(np.einsum("...ij,...ij->...j", turned, m))
    volume = np.abs(np.linalg.det(m)) / np.maximum(np.prod(lengths, axis=-1), 1e-30)
    lengths = lengths * np.stack([np.sqrt(volume), np.ones_like(volume), np.sqrt(volume)], axis=-1)
    return np.asarray(turned * lengths[..., None, :])


def _empty(frames: int, bones: int) -> Pose:
    return Pose(np.empty((frames, bones, 3, 3)), np.empty((frames, bones, 3)))


def _unit(v: Floats) -> Floats:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-30))
