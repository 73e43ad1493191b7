"""The border between an armature and Kinetune: poses become a motion in metres with Y up, and the other way round.

A motion is a plain mapping of arrays, so that it can be handed to a process as well:
names, parents, offsets, rest, tips, fps, root, rotations and, where joints move by themselves, translations.
Joints have the axes of their bones. Nothing here needs Blender.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .bone_space import Channels, Pose, Rig, channels_for
from .rotation_modes import Floats, from_matrix, inverse, multiply, to_matrix

Motion = dict[str, Any]
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""From Blender's axes (Z up, a character looks along -Y) to Kinetune's (Y up, it looks along +Z)."""
_STILL_M = 2e-5  # joints that move less than this against their parents sit still; what single precision leaves

_SAME_SIZE = 0.001  # of the length of all bones; rest poses are read in single precision


class UnevenScaleError(ValueError):
    """An object whose scale cannot be told apart from the motion."""


def misfit(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Why an action of the armature cannot hold an edited motion, as a message; empty where it can."""
    if after["fps"] != before["fps"]:
        return (
            f"An action plays at the frame rate of its scene, {before['fps']:.5g} fps, and this edit gives "
            f"{after['fps']:.5g} fps. Change the frame rate in the output properties instead."
        )
    lengths = [np.linalg.norm(each["offsets"], axis=-1).sum() for each in (before, after)]
    if before["names"] == after["names"] and abs(lengths[1] - lengths[0]) > _SAME_SIZE * lengths[0]:
        return "An action cannot change the size of its armature. Scale the armature object instead."
    return ""


def frame_of(rig: Rig) -> tuple[Floats, float, Floats]:
    """Rotations (frames, 3, 3), scale and shifts (frames, 3) from the space of the armature to metres with Y up.

    One frame stands for all where the object does not move.
    """
    world = rig.world if rig.world.ndim == 3 else rig.world[None]
    linear = world[:, :3, :3]
    lengths = np.linalg.norm(linear, axis=1)
    scale = float(lengths.mean())
    if np.linalg.det(linear).min() <= 0 or np.abs(lengths - scale).max() > 1e-4 * scale:
        shown = ", ".join(f"{length:.3g}" for length in lengths[0])
        raise UnevenScaleError(
            f"The armature object is scaled by {shown}, mirrored, or its scale moves, so its bones change their length "
            "with the pose. Apply its scale first (Object > Apply > Scale)."
        )
    return Y_UP @ linear / scale, scale * rig.metres, rig.metres * (world[:, :3, 3] @ Y_UP.T)


def motion_of(rig: Rig, pose: Pose, fps: float) -> Motion:
    """The motion of the bones that take part."""
    turn, scale, shift = frame_of(rig)
    joints = list(rig.joints)
    parents = [rig.joint_parent(bone) for bone in joints]
    world_q = multiply(*_alike(from_matrix(turn)[:, None], pose.rotations()[:, joints]))
    world_p = shift[:, None] + scale * pose.positions[:, joints] @ np.swapaxes(turn, 1, 2)
    rest_q = multiply(*_alike(from_matrix(turn[0]), from_matrix(np.stack([rig.bones[b].rest[:3, :3] for b in joints]))))
    rest_p = shift[0] + scale * np.stack([rig.bones[b].rest[:3, 3] for b in joints]) @ turn[0].T
    rotations, places = _local(world_q, world_p, parents)
    rest, offsets = (part[0] for part in _local(rest_q[None], rest_p[None], parents))
    middle = 0.5 * (places.max(axis=0) + places.min(axis=0))
    wander = np.abs(places - middle).max(axis=(0, 2))
    still = [parent >= 0 and wander[joint] <= _STILL_M for joint, parent in enumerate(parents)]
    away = np.linalg.norm(middle - offsets, axis=-1) > _STILL_M
    offsets = np.where((np.array(still) & away)[:, None], middle, offsets)
    motion: Motion = {
        "names": [rig.bones[bone].name for bone in joints],
        "parents": np.array(parents),
        "offsets": offsets,
        "rest": rest,
        "tips": _tips(rig, parents, scale),
        "fps": fps,
        "root": world_p[:, 0],
        "rotations": rotations,
    }
    if not all(still[1:]):
        motion["translations"] = np.where(np.array(still)[None, :, None], offsets[None], places)
    return motion


def channels_of(rig: Rig, motion: Mapping[str, Any], before: Channels, pose: Pose) -> tuple[Channels, list[bool]]:
    """The channels of the bones for a motion, and which of the bones that take part are moved besides being turned.

    ``before`` and ``pose`` are those of the motion as it was, of as many frames (see :func:`stretched`).
    """
    turn, scale, shift = frame_of(rig)
    parents = [int(parent) for parent in motion["parents"]]
    if _is_plain(rig, motion, parents, before):
        return _plain_channels(rig, motion, before)
    world_q, world_p = _world(motion, parents)
    if len(turn) > 1:  # the object moves: beyond its frames it stays where it arrived
        at = np.minimum(np.arange(len(world_q)), len(turn) - 1)
        turn, shift = turn[at], shift[at]
    rotations = multiply(*_alike(inverse(from_matrix(turn))[:, None], world_q))
    positions = (world_p - shift[:, None]) / scale @ turn
    own = motion.get("translations")
    offsets = np.asarray(motion["offsets"])
    moved = [
        parent < 0 or (own is not None and bool(np.abs(own[:, joint] - offsets[joint]).max() > 0.5 * _STILL_M))
        for joint, parent in enumerate(parents)
    ]
    return channels_for(rig, rotations, positions, moved, before, pose), moved


def _is_plain(rig: Rig, motion: Mapping[str, Any], parents: list[int], before: Channels) -> bool:
    """Whether every bone turns with its parent and nothing but the one root moves or is scaled: most captures."""
    bones = [rig.bones[bone] for bone in rig.joints]
    return (
        rig.world.ndim == 2
        and "translations" not in motion
        and len(rig.joints) == len(rig.bones)
        and parents.count(-1) == 1
        and all(bone.inherit_rotation for bone in bones)
        and bones[0].local_location
        and bool((before.scale == 1.0).all())
    )


def _plain_channels(rig: Rig, motion: Mapping[str, Any], before: Channels) -> tuple[Channels, list[bool]]:
    """:func:`channels_of` where a bone's rotation is its joint's, seen from its rest pose."""
    turn, scale, shift = frame_of(rig)
    rotations = np.asarray(motion["rotations"])
    rest = np.broadcast_to(inverse(np.asarray(motion["rest"])), rotations.shape)
    location, rest_root = np.array(before.location), rig.bones[0].rest
    location[:, 0] = ((motion["root"] - shift) / scale @ turn[0] - rest_root[:3, 3]) @ rest_root[:3, :3]
    return Channels(location, multiply(rest, rotations), before.scale), [True] + [False] * (len(rig.joints) - 1)


def stretched(channels: Channels, pose: Pose, frames: int) -> tuple[Channels, Pose]:
    """Channels and pose for a motion of another length: the last frame is held, or the surplus left out."""
    at = np.minimum(np.arange(frames), len(channels.rotation) - 1)
    return Channels(*(each[at] for each in channels)), Pose(*(each[at] for each in pose))


def on_y_up(rig: Rig, points: Floats) -> Floats:
    """Points (..., 3) of Blender's world in metres with Y up."""
    return np.asarray(rig.metres * (points @ Y_UP.T))


def _alike(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Both quaternion arrays with the shape of the second."""
    return np.broadcast_to(a, b.shape), b


def _local(world_q: Floats, world_p: Floats, parents: list[int]) -> tuple[Floats, Floats]:
    """Rotations and positions (frames, joints, ...) in the parents' frames."""
    rotations, places = np.array(world_q), np.array(world_p)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            back = inverse(world_q[:, parent])
            rotations[:, joint] = multiply(back, world_q[:, joint])
            places[:, joint] = np.einsum("fij,fj->fi", to_matrix(back), world_p[:, joint] - world_p[:, parent])
    return rotations / np.linalg.norm(rotations, axis=-1, keepdims=True), places


def _world(motion: Mapping[str, Any], parents: list[int]) -> tuple[Floats, Floats]:
    """Rotations and positions (frames, joints, ...) in the world."""
    rotations = np.array(motion["rotations"])
    own = motion.get("translations")
    places = np.array(np.broadcast_to(motion["offsets"], (*rotations.shape[:2], 3)) if own is None else own)
    places[:, 0] = motion["root"]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            places[:, joint] = places[:, parent] + np.einsum(
                "fij,fj->fi", to_matrix(rotations[:, parent]), places[:, joint]
            )
            rotations[:, joint] = multiply(rotations[:, parent], rotations[:, joint])
    return rotations, places


def _tips(rig: Rig, parents: list[int], scale: float) -> list[tuple[int, list[float]]]:
    """The tails of bones on which nothing hangs."""
    return [
        (joint, [0.0, scale * rig.bones[bone].length, 0.0])
        for joint, bone in enumerate(rig.joints)
        if joint not in parents
    ]
