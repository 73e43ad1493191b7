"""Bones and rotations from joint positions alone.

A joint with several children is rotated so that they point where they are, in the least-squares sense (Wahba's problem,
solved by singular values after Markley 1988). One child leaves the rotation about the bone open. Then the least
rotation against the parent is preferred, except where it would spin: a bone that passes near the opposite of its rest
direction carries its twist along instead (parallel transport), and eases back afterwards.

================  ====================================================================================
rest_offsets      the bones of a body whose lengths never change, as they mostly are in the clip
fit_rotations     rotations of that body, by which its joints come closest to their positions
solve_pose        rotations and translations that meet every position, for bones that change length
================  ====================================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats
from kinetune.trajectory.normal_equations import NormalEquations

_FLAT = 1e-3  # children spread less than this part of their length count as one direction
_NO_LENGTH = 1e-12  # metres: a bone without a direction
_EASE_S = 0.4  # how soon a twist that was carried along eases back
_SHAPE_ROUNDS = 4


def rest_offsets(parents: NDArray[np.intp], positions: Floats, like: Floats | None = None) -> Floats:
    """Offsets (joints, 3) of a rest pose, each bone as long as it usually is in the clip.

    Parameters
    ----------
    parents : int array, shape (joints,)
        Parents come first; the one root is joint 0.
    positions : array, shape (frames, joints, 3)
        World positions.
    like : array, shape (joints, 3), optional
        Offsets of a rest pose whose directions are taken, such as a T-pose; the pose of the first frame when left out.

    Notes
    -----
    The children of one joint keep the angles between them that they have in the clip (their mean shape by Procrustes'
    method), so that a rigid body comes back as it was.
    """
    joints = len(parents)
    bones = np.zeros_like(positions)
    bones[:, 1:] = positions[:, 1:] - positions[:, parents[1:]]
    usual = np.median(np.linalg.norm(bones, axis=2), axis=0)
    template = bones[0] if like is None else like
    offsets = np.zeros((joints, 3))
    for joint in range(joints):
        children = np.flatnonzero(parents == joint)
        if len(children) == 0:
            continue
        shape = np.array(template[children])
        if _spans(bones[0, children]) and _spans(shape):
            shape = _mean_shape(bones[:, children])
            turned = _rotation_onto(shape, template[children][None], rot.identity(1))[0]
            shape = rot.rotate(turned, shape)
        offsets[children] = _with_lengths(shape, usual[children])
    return offsets


def _with_lengths(vectors: Floats, lengths: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Floats = vectors / np.where(size > 0, size, 1.0) * lengths[..., None]
    return scaled


def _mean_shape(bones: Floats) -> Floats:
    """The shape (children, 3) of which the bones (frames, children, 3) are rotated copies, in the first one's frame."""
    shape: Floats = bones[0]
    for _ in range(_SHAPE_ROUNDS):
        turned = _rotation_onto(shape, bones, rot.identity(len(bones)))
        shape = rot.rotate(rot.inverse(turned)[:, None], bones).mean(axis=0)
    return shape


def fit_rotations(parents: NDArray[np.intp], offsets: Floats, positions: Floats, fps: float) -> Floats:
    """Local rotations (frames, joints, 4) by which a body of fixed bones comes closest to positions, without jumps.

    Joints are fitted from the root outwards, each aimed from where the body is at where its children should be, so that
    errors do not add up along a limb. ``offsets`` (joints, 3) are the rest pose, which has no rotations.
    """
    return _solve(parents, offsets, positions, fps)[0]


def solve_pose(
    parents: NDArray[np.intp], offsets: Floats, positions: Floats, fps: float = 30.0
) -> tuple[Floats, Floats]:
    """Local rotations (frames, joints, 4) and translations (frames, joints, 3) that meet positions exactly.

    ``offsets`` (joints, 3) are the bones of the rest pose, which has no rotations; the one root comes first.
    """
    rotations, world = _solve(parents, offsets, positions, fps, stretching=True)
    translations = np.tile(offsets, (len(positions), 1, 1))
    translations[:, 0] = positions[:, 0]
    bones = positions[:, 1:] - positions[:, parents[1:]]
    translations[:, 1:] = rot.rotate(rot.inverse(world[:, parents[1:]]), bones)
    return rotations, translations


def misfit(skeleton: Skeleton, root: Floats, rotations: Floats, positions: Floats) -> tuple[float, float]:
    """The mean and the largest distance in metres between fitted and given joints."""
    away = np.linalg.norm(forward(skeleton, root, rotations)[0] - positions, axis=2)
    return float(away.mean()), float(away.max())


def _solve(
    parents: NDArray[np.intp], offsets: Floats, positions: Floats, fps: float, *, stretching: bool = False
) -> tuple[Floats, Floats]:
    """Local and world rotations (frames, joints, 4)."""
    frames, joints = positions.shape[:2]
    local = rot.identity(frames, joints)
    world = rot.identity(frames, joints)
    at = np.array(positions)
    for joint in range(joints):
        above = rot.identity(frames) if joint == 0 else world[:, parents[joint]]
        children = np.flatnonzero(parents == joint)
        bones = positions[:, children] - at[:, joint, None]
        if _spans(offsets[children]):
            world[:, joint] = rot.continuous(_rotation_onto(offsets[children], bones, above))
            local[:, joint] = rot.multiply(rot.inverse(above), world[:, joint])
        elif len(children) and np.any(offsets[children]):
            longest = int(np.argmax(np.linalg.norm(offsets[children], axis=1)))
            seen = rot.rotate(rot.inverse(above), bones[:, longest])
            local[:, joint] = _aim(offsets[children[longest]], seen, fps)
            world[:, joint] = rot.multiply(above, local[:, joint])
        else:
            world[:, joint] = above
        if not stretching:
            at[:, children] = at[:, joint, None] + rot.rotate(world[:, joint, None], offsets[children])
    return rot.continuous(local), world


def _spans(vectors: Floats) -> bool:
    """Whether vectors (children, 3) point in different directions, so that they fix a rotation."""
    if len(vectors) < 2:
        return False
    spread = np.linalg.svd(vectors, compute_uv=False)
    return bool(spread[1] > _FLAT * spread[0])


def _rotation_onto(rest: Floats, bones: Floats, otherwise: Floats) -> Floats:
    """World rotations (frames, 4) that bring rest (children, 3) onto bones (frames, children, 3)."""
    u, size, vt = np.linalg.svd(np.einsum("fka,kb->fab", bones, rest))
    u[..., :, 2] *= np.sign(np.linalg.det(u) * np.linalg.det(vt))[:, None]
    known = size[:, 1] > _FLAT**2 * np.maximum(size[:, 0], 1e-300)
    return np.where(known[:, None], rot.from_matrix(u @ vt), otherwise)


def _aim(rest: Floats, seen: Floats, fps: float) -> Floats:
    """Rotations (frames, 4) that bring the vector rest onto seen (frames, 3) with little twist and without jumps.

    With s the least rotation from rest to each direction, the rotations are s exp(theta rest). From frame to frame, the
    least rotation between the directions themselves changes theta by a. The angles minimize
    sum w (theta - 2 pi n)^2 + ease (theta' - theta - a)^2, where w falls to 0 opposite to rest, where s spins.
    """
    length = np.linalg.norm(rest)
    size = np.linalg.norm(seen, axis=1)
    known = (size > 1e-9 * length) & np.isfinite(size)
    if not known.any() or length < _NO_LENGTH:
        return rot.identity(len(seen))
    axis = rest / length
    last = np.maximum.accumulate(np.where(known, np.arange(len(seen)), -1))
    last = np.where(last < 0, int(np.argmax(known)), last)  # a bone without a direction keeps the one it had
    direction = seen[last] / size[last, None]
    swing = rot.between(np.broadcast_to(axis, direction.shape), direction)
    if len(seen) < 2:
        return swing
    step = rot.between(direction[:-1], direction[1:])
    carried = rot.multiply(rot.inverse(swing[1:]), rot.multiply(step, swing[:-1]))
    drift = 2.0 * np.arctan2(carried[:, 1:] @ axis, carried[:, 0])
    drift = (drift + np.pi) % (2.0 * np.pi) - np.pi
    trust = (0.5 * (1.0 + direction @ axis)) ** 2
    turns = _whole_turns(drift, trust, _EASE_S * fps)
    equations = NormalEquations(len(seen), 1, 1)
    equations.add((-turns)[:, None], np.ones((len(seen), 1, 1)), weight=trust[:, None] + 1e-9)
    ones = np.ones((len(drift), 1, 1))
    equations.add(-drift[:, None], -ones, ones, weight=max((_EASE_S * fps) ** 2, 1e-6))
    theta = equations.solve()
    return swing if theta is None else rot.multiply(swing, rot.exp(theta * axis))


def _whole_turns(drift: Floats, trust: Floats, ease: float) -> Floats:
    """The multiple of a whole turn to which the twist of each frame eases: the nearest one, coming from frame 0."""
    turns, theta = [0.0], 0.0
    for change, sure in zip(drift.tolist(), trust[1:].tolist(), strict=True):
        theta += change
        whole = 2.0 * np.pi * round(theta / (2.0 * np.pi))
        theta += (whole - theta) * sure / (sure + ease)
        turns.append(whole)
    return np.array(turns)
