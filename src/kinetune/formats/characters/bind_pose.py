"""The pose in which a skin was bound to its joints, which is what a character looks like at rest.

What nodes have without a motion may be any frame of one: many programs export the pose that is on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.skeleton import Skeleton
from kinetune.formats.scene_nodes import NodeTransform, transform_from_matrices
from kinetune.rotations import Floats

_SAME_OFFSET = 0.01  # of the height: a bind whose bones differ by more is out of date

ToOurs = Callable[[NodeTransform, list[int]], tuple[Floats, Floats]]


def rest_at_bind(skeleton: Skeleton, binds: Mapping[int, Floats], to_ours: ToOurs) -> Skeleton:
    """The skeleton with the rotations that its joints had when the skin was bound to them.

    A joint whose offset differs at the bind keeps its own rotation, for then the bind is out of date.

    Parameters
    ----------
    skeleton : Skeleton
        Its rest pose is what the nodes have.
    binds : mapping
        Joint -> where it was in the space of the bind, (4, 4), on columns.
    to_ours : callable
        Translations and rotations of the joints in each other's frames, and the joints that have a bone of the bind
        above them; it returns both in our unit and axes, (1, joints, 3) and (1, joints, 4).
    """
    binds = {joint: matrix for joint, matrix in binds.items() if np.linalg.det(matrix[:3, :3]) != 0.0}
    bound = [joint for joint in binds if skeleton.parents[joint] < 0 or int(skeleton.parents[joint]) in binds]
    inner = [joint for joint in bound if skeleton.parents[joint] >= 0]
    if not bound:
        return skeleton
    world = transform_from_matrices(np.array([binds.get(joint, np.eye(4)) for joint in range(len(skeleton))]))
    places, turns = np.array(world.translation), np.array(world.rotation)
    above = skeleton.parents[inner]
    back = rot.inverse(turns[above])
    places[inner] = rot.rotate(back, places[inner] - places[above])
    turns[inner] = rot.multiply(back, turns[inner])
    offsets, rest = to_ours(NodeTransform(places, turns, world.scale), inner)
    gaps = np.abs(offsets[0] - skeleton.offsets).max(axis=1)
    gaps[list(skeleton.roots)] = 0.0
    usable = (gaps <= _SAME_OFFSET * skeleton.height) & np.isfinite(rest[0]).all(axis=1)
    current = [joint for joint in bound if usable[joint]]
    rotations = np.array(skeleton.rest)
    rotations[current] = rest[0, current]
    return replace(skeleton, rest=rotations)
