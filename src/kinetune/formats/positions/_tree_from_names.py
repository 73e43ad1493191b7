"""The tree of a body, from the names of its joints."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from kinetune.body.roles.from_names import SIDES, read_name
from kinetune.rotations import Floats

# How far out on its limb a part is.
_ARM = {"collar": 0, "shoulder": 1, "arm": 2, "upper arm": 2, "lower arm": 3, "wrist": 4, "hand": 5}
_LEG = {"hip socket": 0, "hip": 1, "upper leg": 1, "leg": 2, "lower leg": 3, "ankle": 4, "foot": 5, "toes": 6}


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
