"""Rotations from joint positions alone: each joint turns so that its children point where they are.

Several children fix a rotation in the least-squares sense (Wahba's problem, solved by singular values after Markley
1988). One child leaves the turn about the bone open: it is then the least turn against the parent. What rotations
cannot explain, bones that change their length, becomes ``translations``, so that positions are met either way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.rotations import Floats

_FLAT = 1e-3  # children spread less than this part of their length count as one direction


def rest_offsets(parents: NDArray[np.intp], positions: Floats) -> Floats:
    """Offsets (joints, 3) of the pose of the first frame, each bone as long as it usually is in the clip."""
    bones = positions[:, 1:] - positions[:, parents[1:]]
    usual = np.median(np.linalg.norm(bones, axis=2), axis=0)
    first = bones[0]
    length = np.linalg.norm(first, axis=1)
    offsets = np.zeros((len(parents), 3))
    offsets[1:] = first * (usual / np.where(length > 0, length, 1.0))[:, None]
    return offsets


def solve_pose(parents: NDArray[np.intp], offsets: Floats, positions: Floats) -> tuple[Floats, Floats]:
    """Local rotations (frames, joints, 4) and translations (frames, joints, 3) that meet positions exactly.

    Parameters
    ----------
    parents : (joints,) with one root, which comes first.
    offsets : (joints, 3) bones of the rest pose, in which nothing is turned.
    positions : (frames, joints, 3).
    """
    frames, joints = positions.shape[:2]
    local = rot.identity(frames, joints)
    world = rot.identity(frames, joints)
    translations = np.tile(offsets, (frames, 1, 1))
    translations[:, 0] = positions[:, 0]
    for joint in range(joints):
        above = rot.identity(frames) if joint == 0 else world[:, parents[joint]]
        children = np.flatnonzero(parents == joint)
        bones = positions[:, children] - positions[:, joint, None]
        world[:, joint] = _turn(offsets[children], bones, above)
        local[:, joint] = rot.multiply(rot.inverse(above), world[:, joint])
        translations[:, children] = rot.rotate(rot.inverse(world[:, joint])[:, None], bones)
    return local, translations


def _turn(rest: Floats, bones: Floats, above: Floats) -> Floats:
    """World rotations (frames, 4) that bring rest (children, 3) onto bones (frames, children, 3)."""
    size = float(np.linalg.norm(rest, axis=1).max()) if len(rest) else 0.0
    if size == 0.0:
        return above
    spread = np.linalg.svd(rest, compute_uv=False)
    if len(spread) > 1 and spread[1] > _FLAT * spread[0]:
        u, _, vt = np.linalg.svd(np.einsum("fka,kb->fab", bones, rest))
        u[..., :, 2] *= np.sign(np.linalg.det(u) * np.linalg.det(vt))[:, None]
        return rot.from_matrix(u @ vt)
    longest = int(np.argmax(np.linalg.norm(rest, axis=1)))
    seen = bones[:, longest]
    known = np.linalg.norm(seen, axis=1) > 1e-9 * size
    before = rot.rotate(above, np.broadcast_to(rest[longest], seen.shape))
    swing = rot.between(before, np.where(known[:, None], seen, before))
    return rot.multiply(swing, above)
