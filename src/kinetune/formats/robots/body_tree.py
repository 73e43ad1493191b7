"""Bodies and joints of a robot file, put together as a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.body.robots.robot import Z_UP, Kind, Robot, RobotJoint
from kinetune.body.robots.shapes import CollisionShape, ShapeKind, box_of_inertia
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.rotations import Floats

_SAME = 1e-9  # metres between points that count as one
_TIP = 0.2  # of the length of a body: points this near to an end make its tip
_UPRIGHT = np.cos(np.deg2rad(40.0))  # trunk and legs that stand are this near to the vertical
_LEVEL = 0.002  # metres: points of an end that stand together


class FileJoint(NamedTuple):
    """A joint as its file describes it, in the frame of its body; see :class:`RobotJoint`."""

    name: str
    kind: Kind
    axis: Floats
    position: Floats
    column: int
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    reference: float = 0.0
    mimic: tuple[int, float, float] | None = None


class FileShape(NamedTuple):
    """A shape as its file describes it, in the frame of its body; see :class:`CollisionShape`."""

    kind: ShapeKind
    centre: Floats
    rotation: Floats
    half: Floats


@dataclass
class FileBody:
    """A body as its file describes it: where it is mounted on its parent, its joints, mass and shapes.

    inertia : (3, 3) about its centre of mass, in its own axes.
    """

    name: str
    parent: int
    position: Floats
    rotation: Floats
    joints: list[FileJoint] = field(default_factory=list)
    mass: float = 0.0
    centre: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    shapes: list[FileShape] = field(default_factory=list)


def build_robot(name: str, bodies: Sequence[FileBody], home: Floats, *, floating: bool, base_column: int = 0) -> Robot:
    """A robot from its bodies; parents come first, and the first one is the base.

    The world of the file has Z up; the robot's has Y up. Frames of bodies stay as they are. A floating body that lies
    in its file stands at home.
    """
    names: list[str] = []
    parents: list[int] = []
    offsets: list[Floats] = []
    rest: list[Floats] = []
    joints: list[RobotJoint] = []
    node_of: list[int] = []  # the node of each body itself
    for body in bodies:
        above = -1 if body.parent < 0 else node_of[body.parent]
        offset, turned, at = body.position, body.rotation, body.position * 0.0
        if above < 0:
            offset, turned = rot.rotate(Z_UP, offset), rot.multiply(Z_UP, turned)
        groups = _groups(body.joints)
        if not groups or np.abs(groups[-1][0].position).max() > _SAME:
            groups.append([])  # the body itself, which hangs on its last joint
        for group in groups:
            point = group[0].position if group else np.zeros(3)
            label = body.name if group is groups[-1] else f"{body.name}_joint"
            names.append(label)
            parents.append(above)
            offsets.append(offset + rot.rotate(turned, point - at))
            rest.append(turned)
            above, at = len(names) - 1, point
            offset, turned = np.zeros(3), rot.identity()
            for joint in group:
                limits = (joint.lower, joint.upper, joint.velocity, joint.effort, joint.reference, joint.mimic)
                joints.append(RobotJoint(joint.name, joint.kind, above, as_offset(joint.axis), joint.column, *limits))
        node_of.append(above)
    count = len(names)
    shapes = [CollisionShape(node, *shape) for body, node in zip(bodies, node_of, strict=True) for shape in body.shapes]
    masses, centres, inertias = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    for body, node in zip(bodies, node_of, strict=True):
        masses[node], centres[node], inertias[node] = body.mass, body.centre, body.inertia
        if body.joints and not body.shapes:
            box = box_of_inertia(node, body.mass, body.centre, body.inertia)
            shapes += [] if box is None else [box]
    plain = Skeleton(distinct_names(names), np.array(parents), np.array(offsets), (), np.array(rest))
    turn = _to_its_feet(plain) if floating else None
    if turn is not None:
        plain = replace(plain, rest=np.concatenate([rot.multiply(turn, plain.rest[:1]), plain.rest[1:]]))
        home = np.array(home)
        home[base_column + 3 : base_column + 7] = rot.multiply(rot.inverse(Z_UP), plain.rest[0])
    moving = {joint.node for joint in joints}
    sites = []
    for node in node_of:
        if not any(below in moving for below in plain.subtree(node) if below != node):
            down = rot.rotate(rot.inverse(plain.rest_rotations[node]), np.array([0.0, -1.0, 0.0]))
            sites += [EndSite(node, as_offset(tip)) for tip in _tips([s for s in shapes if s.node == node], down)]
    skeleton = replace(plain, end_sites=tuple(sites))
    return Robot(name, skeleton, tuple(joints), masses, centres, floating, base_column, home, tuple(shapes), inertias)


def _to_its_feet(skeleton: Skeleton) -> Floats | None:
    """The rotation (4,) of the world that puts a human body on its feet whose file lays it down; None for any other.

    Some humanoids look along the Y axis of their base, or along Z. Upright is the axis of the base that is nearest.
    """
    roles, at = skeleton.roles, skeleton.rest_positions
    top = next((role for role in ("head", "neck", "chest") if role in roles), None)
    if top is None or not {"hips", "left foot", "right foot"} <= roles.keys():
        return None
    pairs = (("hips", top), ("left foot", "hips"), ("right foot", "hips"))
    steps = np.array([at[roles[high]] - at[roles[low]] for low, high in pairs])
    sizes = np.linalg.norm(steps, axis=1, keepdims=True)
    if np.any(sizes < _SAME):
        return None
    base = rot.to_matrix(skeleton.rest_rotations[0]).T
    axes = np.concatenate([base, -base])
    up = axes[int(np.argmax((steps / sizes).sum(axis=0) @ axes.T))]
    if up[1] > _UPRIGHT or np.any(steps / sizes @ up < _UPRIGHT):
        return None
    return np.asarray(rot.between(up, np.array([0.0, 1.0, 0.0])))


def _groups(joints: Sequence[FileJoint]) -> list[list[FileJoint]]:
    """Joints in order, those that turn about one point together; a slide turns about none and joins any."""
    groups: list[list[FileJoint]] = []
    for joint in joints:
        if groups:
            turning = [other for other in groups[-1] if other.kind != "slide"]
            if joint.kind == "slide" or not turning or np.abs(turning[0].position - joint.position).max() <= _SAME:
                if not turning and joint.kind != "slide":  # the point of the group is that of its first hinge
                    groups[-1] = [other._replace(position=joint.position) for other in groups[-1]]
                groups[-1].append(joint._replace(position=groups[-1][0].position))
                continue
        groups.append([joint if joint.kind != "slide" else joint._replace(position=np.zeros(3))])
    return groups


def _tips(shapes: Sequence[CollisionShape], down: Floats) -> list[Floats]:
    """The ends of a body along its longest side, such as heel and toes, where it touches a floor; one for a ball.

    down : (3,) the direction of gravity in the frame of the body while the robot stands.
    """
    if not shapes:
        return []
    cloud = np.concatenate([points + radius * down for points, radius in (shape.corners() for shape in shapes)])
    middle = cloud.mean(axis=0)
    _, size, axes = np.linalg.svd(cloud - middle)
    if len(cloud) == 1 or size[0] < 1e-6:
        return [middle]
    along = (cloud - middle) @ axes[0]
    near = _TIP * float(np.ptp(along))
    ends = [cloud[along >= along.max() - near], cloud[along <= along.min() + near]]
    low = [end[end @ down >= (end @ down).max() - _LEVEL].mean(axis=0) for end in ends]
    return sorted(low, key=lambda end: -float(np.linalg.norm(end)))
