"""A skeleton and rotations from joint names and positions alone.

Each joint rotates so that its children point where they are. Several children fix a rotation in the least-squares sense
(Wahba's problem, solved by singular values after Markley 1988). One child leaves the rotation about the bone open: then
the least rotation against the parent is taken. What rotations cannot explain, bones that change their length, becomes
``translations``, so that positions are met either way. Which joint is the parent of which follows from the names.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.roles.from_names import SIDES, read_name
from kinetune.rotations import Floats

_FLAT = 1e-3  # children spread less than this part of their length count as one direction
# How far out on its limb a part is.
_ARM = {"collar": 0, "shoulder": 1, "arm": 2, "upper arm": 2, "lower arm": 3, "wrist": 4, "hand": 5}
_LEG = {"hip socket": 0, "hip": 1, "upper leg": 1, "leg": 2, "lower leg": 3, "ankle": 4, "foot": 5, "toes": 6}


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

    ``offsets`` (joints, 3) are the bones of the rest pose, which has no rotations; the one root comes first.
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
        world[:, joint] = _rotation_onto(offsets[children], bones, above)
        local[:, joint] = rot.multiply(rot.inverse(above), world[:, joint])
        translations[:, children] = rot.rotate(rot.inverse(world[:, joint])[:, None], bones)
    return local, translations


def _rotation_onto(rest: Floats, bones: Floats, above: Floats) -> Floats:
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


# --- the tree, from names


def guess_parents(names: tuple[str, ...], positions: Floats) -> tuple[list[int], list[int]] | None:
    """(parents, joints connected by distance) for joints with known names, or None when too few are known.

    Names give the tree of a human body. The parent of a joint whose name says nothing is the named joint from which its
    distance changes least.
    """
    parts = [read_name(name) for name in names]
    middle = {
        kind: [j for j, p in enumerate(parts) if p.kind == kind] for kind in ("hips", "root", "spine", "neck", "head")
    }
    hips = middle["hips"] or middle["root"]
    known = [j for j, p in enumerate(parts) if p.kind is not None]
    if not hips or 2 * len(known) < len(names) or len(known) < 3:
        return None
    parents = [-1] * len(names)
    trunk = [hips[0], *hips[1:], *middle["spine"]]
    if middle["hips"]:
        trunk = [*middle["root"], *trunk]
    _connect(parents, trunk, -1)
    chest = trunk[-1]
    spine = [*middle["neck"], *middle["head"]]
    _connect(parents, spine, chest)
    shoulders = middle["neck"][0] if not middle["spine"] and middle["neck"] else chest
    for side in SIDES:
        for ranks, above in ((_ARM, shoulders), (_LEG, hips[0])):
            limb = [j for j, p in enumerate(parts) if p.side == side and p.kind in ranks]
            limb.sort(key=lambda j: ranks[str(parts[j].kind)])
            _connect(parents, limb, above)
            if ranks is _ARM and limb:
                _connect_fingers(
                    names, [j for j, p in enumerate(parts) if p.side == side and p.kind == "finger"], limb[-1], parents
                )
    placed = set(trunk) | {j for j, parent in enumerate(parents) if parent >= 0}
    loose = [j for j in range(len(names)) if j not in placed]
    for joint in loose:
        distance = np.linalg.norm(positions[:, sorted(placed)] - positions[:, joint, None], axis=2)
        parents[joint] = sorted(placed)[int(np.argmin(distance.std(axis=0) + 1e-3 * distance.mean(axis=0)))]
    return parents, loose


def _connect(parents: list[int], chain: list[int], above: int) -> None:
    for joint in chain:
        parents[joint] = above
        above = joint


def _connect_fingers(names: tuple[str, ...], fingers: list[int], hand: int, parents: list[int]) -> None:
    """Joints of one finger follow each other by their numbers: LeftIndex1, LeftIndex2 ..."""
    chains: dict[str, list[tuple[int, int]]] = {}
    for joint in fingers:
        number = re.search(r"(\d+)\D*$", names[joint])
        stem = names[joint][: number.start()] if number else names[joint]
        chains.setdefault(stem, []).append((int(number[1]) if number else 0, joint))
    for chain in chains.values():
        _connect(parents, [joint for _, joint in sorted(chain)], hand)


def parents_first(parents: list[int]) -> NDArray[np.intp]:
    """The order in which every joint comes after its parent: as it is where that holds, or by depth."""
    if all(parent < joint for joint, parent in enumerate(parents)):
        return np.arange(len(parents))
    depth = []
    for joint in range(len(parents)):
        steps, at = 0, joint
        while parents[at] >= 0:
            steps, at = steps + 1, parents[at]
        depth.append(steps)
    return np.argsort(depth, kind="stable")
