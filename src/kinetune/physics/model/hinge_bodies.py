"""Bodies whose joints are hinges: robots, by their file or by how they move.

The hip of a robot is a row of hinges. A body of balls would turn it about axes that it does not have, so each hinge
gets a segment here, with the axis and the range about which the whole-clip method may turn it. Masses are those of the
robot's file; a motion without a file, such as a generated one, takes those of a human body, and its axes from how it
moves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.hinge_axes import hinge_axes
from kinetune.body.robots.robot import Robot, robot_of
from kinetune.physics.model._fitting import Mark, assemble_body
from kinetune.physics.model.body_model import Body, Segment
from kinetune.physics.model.segments import MassBox, SegmentBoxes
from kinetune.rotations import Floats

_LINK_SHARE = 0.05  # of the mass below goes to a link between two hinges of one joint, where no file says
_LEAST_LINK = 1e-3  # kilograms
INSIDE = 1e-6  # radians: values stay this far inside their ranges, so that quaternions of them do too


def with_hinges(body: Body, clip: Clip) -> Body:
    """A body that turns about the hinges of a clip's character only; the body itself where that has none.

    Parameters
    ----------
    body : Body
        Fitted to the clip; its soles and its root are taken over, and its masses where no file of a robot has any.
    clip : Clip
        The motion.
    """
    axes = hinge_axes(clip)
    if not axes:
        return body
    robot, skeleton = robot_of(clip), body.skeleton
    pieces = SegmentBoxes(notes=list(body.notes))
    if robot is not None and robot.mass > 0.0:
        _add_links(pieces, robot, body.root, set(axes), body.mass / robot.mass)
    else:
        _add_shares(pieces, body, set(axes))
    marks: list[Mark] = [
        (point.side, point.part, point.name, point.joint, point.position)
        for point in body.points
        if point.part != "other"
    ]
    pose = skeleton.rest_positions, skeleton.rest_rotations
    made = assemble_body(skeleton, pose, pieces, body.root, marks, body.height, body.human)
    ranges = _ranges(robot)
    segments = tuple(_on_hinges(segment, axes.get(segment.joint, []), ranges) for segment in made.segments[1:])
    return replace(made, segments=(made.segments[0], *segments))


def hinge_angle(body: Body, k: int, qpos: Floats) -> Floats:
    """(frames,) radians by which the hinge of segment k is turned from rest."""
    axes = body.segments[k].axes
    assert axes is not None
    turn = rot.multiply(rot.inverse(body.skeleton.rest[body.segments[k].joint]), qpos[:, 3 + 4 * k : 7 + 4 * k])
    angle = np.unwrap(2.0 * np.arctan2(turn[:, 1:] @ axes[0], turn[:, 0]))
    return np.asarray(angle - 2.0 * np.pi * np.round(np.median(angle) / (2.0 * np.pi)))


def within_ranges(body: Body, qpos: Floats) -> Floats:
    """A motion (frames, nq) with each hinge within its range; filters may have pushed it a little beyond."""
    bounded = np.array(qpos)
    for k, segment in enumerate(body.segments):
        if segment.ranges is not None and segment.axes is not None:
            angle = hinge_angle(body, k, qpos)
            back = np.clip(angle, *(segment.ranges[0] + INSIDE * np.array([1.0, -1.0]))) - angle
            at = slice(3 + 4 * k, 7 + 4 * k)
            bounded[:, at] = rot.multiply(qpos[:, at], rot.from_axis_angle(segment.axes[0], back))
    return bounded


def _on_hinges(segment: Segment, axes: list[Floats], ranges: dict[int, Floats]) -> Segment:
    """A segment with its hinges; several on one link are a ball, or none where they never move."""
    rows = np.array(axes).reshape(-1, 3)
    if len(rows) > 2:
        return segment
    return replace(segment, axes=rows, ranges=ranges.get(segment.joint) if len(rows) == 1 else None)


def _ranges(robot: Robot | None) -> dict[int, Floats]:
    """Node to the range (1, 2) of its only hinge, in radians from rest."""
    groups = robot.by_node if robot is not None else {}
    return {
        node: np.array([[group[0].lower - group[0].reference, group[0].upper - group[0].reference]])
        for node, group in groups.items()
        if len(group) == 1 and group[0].kind == "hinge"
    }


def _add_links(pieces: SegmentBoxes, robot: Robot, root: int, turning: set[int], scale: float) -> None:
    """Give each link its mass, as the box of the same inertia; links without a hinge ride on those above them."""
    skeleton = robot.skeleton
    places, world = skeleton.rest_positions, skeleton.rest_rotations
    for node in range(len(skeleton)):
        owner = node
        while owner not in turning and owner != root and skeleton.parents[owner] >= 0:
            owner = int(skeleton.parents[owner])
        mass = max(scale * float(robot.masses[node]), _LEAST_LINK if owner == node else 0.0)
        if mass <= 0.0:
            continue
        moments, turned = np.linalg.eigh(scale * robot.inertias[node])
        turned = turned * np.sign(np.linalg.det(turned))
        sides = np.sqrt(np.maximum(6.0 / mass * (moments.sum() - 2.0 * moments), 1e-6))
        back = rot.inverse(world[owner])
        at = places[node] + rot.rotate(world[node], robot.centres[node]) - places[owner]
        frame = rot.multiply(back, rot.multiply(world[node], rot.from_matrix(turned)))
        pieces.add(owner, MassBox(mass, rot.rotate(back, at), frame, sides))


def _add_shares(pieces: SegmentBoxes, body: Body, turning: set[int]) -> None:
    """Give each segment its boxes, and links between the hinges of one joint a share of what is below them."""
    skeleton = body.skeleton
    carried = {segment.joint: segment for segment in body.segments}
    for joint, segment in carried.items():
        between = [j for j in skeleton.chain(joint)[:-1] if j in turning and j not in carried]
        links = [j for j in between if not any(other in carried for other in skeleton.chain(joint, j)[:-1])]
        for box in segment.boxes:
            pieces.add(joint, replace(box, mass=box.mass * (1.0 - _LINK_SHARE * len(links))))
        for link in links:
            side = 0.1 * float(np.cbrt(segment.mass / body.mass)) * body.height
            share = max(_LINK_SHARE * segment.mass, _LEAST_LINK)
            pieces.add(link, MassBox(share, np.zeros(3), rot.identity(), np.full(3, side)))
