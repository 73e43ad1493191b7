"""Records that the compiled kinematics of a clip work on, and how a body becomes one.

==========  ===================================================================
BodyTree    masses, lengths and joints of a body, and which of them may move
PoseState   poses of a clip: places, rotations, axes, points
PoseGoals   what poses should meet
body_tree   the tree of a body
==========  ===================================================================
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

Indices = NDArray[np.intp]

_STRAIGHT = 0.2  # radians: a knee that never bends further has no plane
_TWISTED = 0.1  # radians: toes that leave their axis further are no hinge


class BodyTree(NamedTuple):
    """A body as arrays.

    parents, offsets, masses, centres : of the segments. second : (segments, 3, 3) second moments, tr(I)/2 - I.
    mass : of the whole. first : (segments + 1,) the unknowns that rotate each segment, from 3 on; the first three shift
    the root. axes : (unknowns, 3) in the axes of the segment. segment_of : (unknowns,).
    chain, chain_length : for each segment the unknowns that move it. point_segment, point_offset : contact points.
    """

    parents: Indices
    offsets: Floats
    masses: Floats
    centres: Floats
    second: Floats
    mass: float
    first: Indices
    axes: Floats
    segment_of: Indices
    chain: Indices
    chain_length: Indices
    point_segment: Indices
    point_offset: Floats


class PoseState(NamedTuple):
    """Poses of a clip, (frames, ...) each.

    place, turn, centre : of the segments, (…, 3), (…, 3, 3) and (…, 3). axis : (unknowns, 3) in the world.
    com : (3,). points : (points, 3).
    """

    place: Floats
    turn: Floats
    centre: Floats
    axis: Floats
    com: Floats
    points: Floats

    @classmethod
    def empty(cls, frames: int, segments: int, unknowns: int, points: int) -> Self:
        """Room for so many."""
        shapes = ((segments, 3), (segments, 3, 3), (segments, 3), (unknowns, 3), (3,), (points, 3))
        return cls(*(np.zeros((frames, *shape)) for shape in shapes))


class PoseGoals(NamedTuple):
    """What poses should meet.

    com, com_weight : (frames, 3) the centre of mass. points, point_weight : (frames, points, 3).
    spin_miss, spin_weight : (frames - 1, 3) by how much the angular momentum between frames misses its goal.
    """

    com: Floats
    com_weight: float
    points: Floats
    point_weight: Floats
    spin_miss: Floats
    spin_weight: float


def body_tree(body: Body, qpos: Floats) -> BodyTree:
    """The tree of a body.

    Legs, the trunk at the hips and the upper arms may move, knees and toes about one axis each and hinges about their
    axes; head, forearms and hands keep their angles. Of a character that is not human every joint may move.

    Parameters
    ----------
    qpos : (frames, nq) a motion, which shows the axes of the knees.
    """
    count = len(body.segments)
    axes: list[Floats] = [np.zeros((3, 3))]
    owners = [0, 0, 0]
    first = [3]
    above = body.parents
    for k, segment in enumerate(body.segments):
        role = body.part(k)
        free = _freedom(body, qpos, k, role, above)
        free = free if segment.axes is None or not len(free) else segment.axes
        axes.append(free)
        owners += [k] * len(free)
        first.append(first[-1] + len(free))
    table = np.concatenate(axes)
    starts = np.array(first)
    chains = []
    for k in range(count):
        chain_of_joint: list[int] = []
        at = k
        while at >= 0:
            chain_of_joint = [*range(int(starts[at]), int(starts[at + 1])), *chain_of_joint]
            at = int(above[at])
        chains.append([0, 1, 2, *chain_of_joint])
    chain = np.zeros((count, len(table)), dtype=np.intp)
    for k, chain_of_joint in enumerate(chains):
        chain[k, : len(chain_of_joint)] = chain_of_joint
    inertia = np.array([segment.inertia for segment in body.segments])
    tree = BodyTree(
        above.astype(np.intp),
        np.ascontiguousarray(body.offsets, dtype=float),
        np.array([segment.mass for segment in body.segments]),
        np.array([segment.centre for segment in body.segments], dtype=float),
        0.5 * np.trace(inertia, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertia,
        body.mass,
        starts.astype(np.intp),
        table,
        np.array(owners, dtype=np.intp),
        chain,
        np.array([len(chain_of_joint) for chain_of_joint in chains], dtype=np.intp),
        np.array([point.body - 1 for point in body.points], dtype=np.intp),
        np.array([point.position for point in body.points], dtype=float).reshape(-1, 3),
    )
    return tree


_ANY = np.eye(3)
_NONE = np.zeros((0, 3))


def _freedom(body: Body, qpos: Floats, k: int, role: str, above: Indices) -> Floats:
    """The axes (n, 3) about which a segment may be rotated."""
    if not body.human:
        return _ANY
    if k == 0:
        return _ANY
    if role.endswith(("upper leg", "foot")):
        return _ANY
    if role.endswith("lower leg"):
        return _hinge_of_bends(body, qpos, k)
    if role.endswith("toes"):
        return _toe_axis(body, qpos, k)
    if role.endswith("upper arm"):
        return _ANY
    if role.endswith("lower arm") and _carries_hand(body, k):
        return _hinge_of_bends(body, qpos, k)
    hinge = body.segments[k].axes is not None
    if (above[k] == 0 or (hinge and role in ("chest", "upper chest", "spine"))) and _carries_head(body, k):
        return _ANY
    return _NONE


def _carries_head(body: Body, k: int) -> bool:
    """Whether the head or the neck is above a segment."""
    roles = body.skeleton.roles
    tops = {roles[name] for name in ("head", "neck", "chest", "upper chest") if name in roles}
    return any(joint in tops for joint in body.skeleton.subtree(body.segments[k].joint))


def _carries_hand(body: Body, k: int) -> bool:
    """Whether a contact point is at the end of a forearm: the elbow bends for a hand that carries."""
    return any(body.parents[point.body - 1] == k for point in body.points)


def _hinge_of_bends(body: Body, qpos: Floats, k: int) -> Floats:
    """The axis of a knee or an elbow in the frame of the bone below: across the plane of the limb where it is bent."""
    below = [j for j in range(len(body.segments)) if body.parents[j] == k]
    thigh = int(body.parents[k])
    if not below or thigh < 0:
        return _ANY
    places, turns = segment_poses(body, qpos)
    upper, lower = places[:, k] - places[:, thigh], places[:, below[0]] - places[:, k]
    across = np.cross(upper, lower)
    lengths = np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1)
    local = rot.rotate(rot.inverse(turns[:, k]), across) / np.maximum(lengths, 1e-9)[:, None]
    spread, directions = np.linalg.eigh(local.T @ local)
    if np.sqrt(spread[-1] / len(local)) < np.sin(_STRAIGHT) * 0.5:
        return _ANY
    return np.asarray(directions[:, -1:].T)


def _toe_axis(body: Body, qpos: Floats, k: int) -> Floats:
    """The axis of toes: from one edge of the sole to the other. Toes that a capture twists need all to lie flat."""
    positions = [point.position for point in body.points if point.body == k + 1]
    if len(positions) < 2:
        return _ANY
    apart = np.array(positions) - np.mean(positions, axis=0)
    widest = apart[np.argmax(np.linalg.norm(apart, axis=1))]
    edges = [p.position for p in body.points if p.body == k + 1 and p.name.endswith(("left", "right"))]
    axis = edges[1] - edges[0] if len(edges) > 1 else widest
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        return _ANY
    axis = axis / length
    turns = qpos[:, 3 + 4 * k : 7 + 4 * k]
    bends = rot.log(rot.multiply(rot.inverse(rot.mean(turns)), turns))
    twists = np.linalg.norm(bends - (bends @ axis)[:, None] * axis, axis=1)
    return _ANY if np.percentile(twists, 95.0) > _TWISTED else np.asarray(axis[None])
