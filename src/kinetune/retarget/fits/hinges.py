"""Robots as an anatomist sees them: several hinges make one joint.

The hip of a robot is a row of links, one for each hinge, that may lie a hand's breadth apart. The part turns about the
point that is nearest to all of their axes, and the thigh points from there to the knee. The axes come from the robot's
file, or from the motion itself where a clip has no such file.

==============  =====================================================================================
build_of        the build of a clip's body, robot or not
hinge_centres   the points about which the parts of a robot turn
true_elbows     a robot whose lower arms begin where they bend
==============  =====================================================================================
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import lru_cache

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.soles import SIDES, UP, Foot, SolePoint
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.body.robots.hinge_axes import hinge_axes
from kinetune.body.robots.robot import Robot, robot_of
from kinetune.body.skeleton import as_offset
from kinetune.retarget.bone_map import with_roles
from kinetune.retarget.physique import ARM, LEG, Physique, physique_of
from kinetune.rotations import Floats

_TOWARDS_JOINT = 1e-3  # how much the joint of the last hinge counts against an axis
_SHORT = 0.01  # metres: shapes whose middle is nearer to their joint do not show where it points
_ALONG, _ACROSS = np.cos(np.deg2rad(25.0)), np.cos(np.deg2rad(65.0))  # an axis along a bone, and one across it


def build_of(clip: Clip, name: str = "the clip", *, mapped: bool = False) -> Physique:
    """The build of a clip's body; the limbs of a robot go from the centre of one joint to that of the next.

    Parameters
    ----------
    clip : Clip
        Its motion shows how it stands and bends.
    name : str
        What errors call it.
    mapped : bool
        Whether a person has said which joints stand for each other.
    """
    at_rest = len(clip) == 1 and robot_of(clip) is not None
    return _robot_at_rest(clip, name, mapped) if at_rest else _build(clip, name, mapped)


@lru_cache(maxsize=8)
def _robot_at_rest(clip: Clip, name: str, mapped: bool) -> Physique:
    return _build(clip, name, mapped)


def _build(clip: Clip, name: str, mapped: bool) -> Physique:
    centres = hinge_centres(clip)
    if not centres:
        return physique_of(clip, name, mapped=mapped)
    ground = find_ground(clip)
    if ground is not None:
        ground = replace(ground, feet=tuple(_rigid(clip, foot) for foot in ground.feet))
    body = physique_of(clip, name, centres=centres, ground=ground, mapped=mapped)
    positions, world = body.reference()
    axes = np.array(body.axes)
    bends = _bend_axes(clip, body, positions, world)
    for side, parts in itertools.product(SIDES, (LEG, ARM)):
        bend = bends.get(f"{side} {parts[1]}")
        for upper, lower in itertools.pairwise(f"{side} {part}" for part in parts):
            if upper in body.roles and lower in body.roles:
                joint = body.roles[upper]
                along, below = (body.centre_positions(role, positions, world) for role in (upper, lower))
                up: Floats = along - below
                if bend is None:
                    across = rot.rotate(rot.multiply(world[joint], axes[joint]), np.array([1.0, 0.0, 0.0]))
                else:
                    across, up = bend, up - bend * float(bend @ up)
                axes[joint] = rot.multiply(rot.inverse(world[joint]), frame_of(up, across))
        if bend is not None and parts == ARM:  # a hand is rolled as its forearm is
            hand = body.roles[f"{side} hand"]
            upwards = rot.rotate(rot.multiply(world[hand], axes[hand]), UP)
            axes[hand] = rot.multiply(rot.inverse(world[hand]), frame_of(upwards, bend))
    for foot in () if robot_of(clip) is None else body.ground.feet:  # soles are level at rest
        heel, ball = foot.points[:2]
        if heel.joint != foot.joint or ball.joint != foot.joint:
            continue
        ahead = rot.rotate(world[foot.joint], np.array(ball.offset) - heel.offset)
        axes[foot.joint] = rot.multiply(rot.inverse(world[foot.joint]), frame_of(UP, np.cross(UP, ahead)))
    handless = [side for side in SIDES if f"{side} lower arm" in body.roles and f"{side} hand" not in body.roles]
    for elbow in (body.roles[f"{side} lower arm"] for side in handless):
        way = _way_out(clip, elbow)
        if way is not None:
            axes[elbow] = frame_of(-way, rot.rotate(axes[elbow], np.array([1.0, 0.0, 0.0])))
    return replace(body, axes=axes)


def _bend_axes(clip: Clip, body: Physique, positions: Floats, world: Floats) -> dict[str, Floats]:
    """Lower leg or lower arm to the axis of its knee or elbow in the reference pose, to the left of a hanging limb.

    Only where a single hinge bends the limb; of elbows, where the shape of the arm shows quite another axis. How
    the origins of a robot's links lie to each other says little: they may be anywhere on the axes of their hinges.
    """
    hips, hinges, robot = body.roles["hips"], hinge_axes(clip), robot_of(clip)
    left = rot.rotate(rot.multiply(world[hips], body.axes[hips]), np.array([1.0, 0.0, 0.0]))
    found: dict[str, Floats] = {}
    for side, parts in itertools.product(SIDES, (LEG, ARM)):
        roles = [f"{side} {part}" for part in parts]
        if not body.roles.keys() >= set(roles) or (robot is None and parts == ARM):
            continue
        upper, lower = (body.roles[role] for role in roles[:2])
        bends = [
            (j, rot.rotate(world[j], axis)) for j in clip.skeleton.chain(lower, upper) for axis in hinges.get(j, ())
        ]
        if parts == LEG:
            if len(bends) == 1 and abs(float(bends[0][1] @ left)) > _ALONG:
                found[roles[1]] = bends[0][1] * np.sign(float(bends[0][1] @ left))
            continue
        assert robot is not None
        at = [body.centre_positions(role, positions, world) for role in roles]
        bones = [way / max(float(np.linalg.norm(way)), 1e-9) for way in np.diff(at, axis=0)]
        bends = [(j, axis) for j, axis in bends if max(abs(float(axis @ bone)) for bone in bones) < _ALONG]
        shown = rot.rotate(rot.multiply(world[upper], body.axes[upper]), np.array([1.0, 0.0, 0.0]))
        if len(bends) == 1 and abs(float(bends[0][1] @ shown)) < _ALONG:
            found[roles[1]] = -_flexes(robot, *bends[0], bones) * bends[0][1]
    return found


def _flexes(robot: Robot, joint: int, axis: Floats, bones: list[Floats]) -> float:
    """The sign in which a hinge bends a limb of two bones: it goes farther from where they are in line that way."""
    upper, lower = (bone - axis * float(axis @ bone) for bone in bones)
    bent = np.arctan2(float(axis @ np.cross(upper, lower)), float(upper @ lower))
    hinge = next(each for each in robot.by_node[joint] if each.kind == "hinge")
    middle = 0.5 * (hinge.lower + hinge.upper) - hinge.reference
    return 1.0 if bent + (middle if np.isfinite(middle) else 0.0) >= 0.0 else -1.0


def _way_out(clip: Clip, joint: int) -> Floats | None:
    """From a joint to the middle of the shapes that it carries, in its frame; None where there are none."""
    robot, skeleton = robot_of(clip), clip.skeleton
    below = set(skeleton.subtree(joint))
    shapes = [] if robot is None else [shape for shape in robot.shapes if shape.node in below]
    if not shapes:
        return None
    places = [
        skeleton.rest_positions[shape.node] + rot.rotate(skeleton.rest_rotations[shape.node], shape.centre)
        for shape in shapes
    ]
    way = rot.rotate(
        rot.inverse(skeleton.rest_rotations[joint]), np.mean(places, axis=0) - skeleton.rest_positions[joint]
    )
    return way if np.linalg.norm(way) > _SHORT else None


def _rigid(clip: Clip, foot: Foot) -> Foot:
    """A foot without toe hinges rolls over its tip: that is its ball."""
    robot, skeleton = robot_of(clip), clip.skeleton
    heel, *others = foot.points
    tip = others[-1]
    between = [] if tip.joint == foot.joint else skeleton.chain(tip.joint, foot.joint)
    if between and (robot is None or any(joint in robot.by_node for joint in between)):
        return foot
    at = skeleton.rest_positions[tip.joint] + rot.rotate(skeleton.rest_rotations[tip.joint], np.array(tip.offset))
    offset = rot.rotate(rot.inverse(skeleton.rest_rotations[foot.joint]), at - skeleton.rest_positions[foot.joint])
    return replace(foot, points=(heel, SolePoint("ball", foot.joint, as_offset(offset))))


def hinge_centres(clip: Clip) -> dict[str, tuple[int, Floats]]:
    """Role to its joint and the point in its frame that is nearest to the axes of all hinges of the part.

    Empty for bodies whose joints turn freely.
    """
    roles, skeleton = clip.skeleton.roles, clip.skeleton
    axes = hinge_axes(clip)
    if not axes:
        return {}
    positions, world = skeleton.rest_positions, skeleton.rest_rotations
    centres = {}
    for side, (trunk, parts) in itertools.product(SIDES, (("hips", LEG), ("chest", ARM))):
        for above, part in itertools.pairwise((trunk, *(f"{side} {part}" for part in parts))):
            if part not in roles:
                continue
            joint = roles[part]
            start = roles.get(above, roles.get("hips", -1))
            chain = skeleton.chain(joint, start if start in skeleton.chain(joint) else -1)
            hinges = [(j, axis) for j in chain for axis in axes.get(j, ())]
            if len(hinges) < 2:
                continue
            normal, side_of = _TOWARDS_JOINT * np.eye(3), _TOWARDS_JOINT * positions[joint]
            for j, axis in hinges:
                direction = rot.rotate(world[j], axis)
                across = np.eye(3) - np.outer(direction, direction)
                normal, side_of = normal + across, side_of + across @ positions[j]
            centre = np.linalg.solve(normal, side_of)
            centres[part] = joint, rot.rotate(rot.inverse(world[joint]), centre - positions[joint])
    return centres


def true_elbows(clip: Clip) -> Clip:
    """A robot whose lower arms begin at the hinge that bends them; anything else is as it was.

    Some name the last hinge of the upper arm, which twists it, after the elbow, and the lower arm after the hand.
    """
    roles, skeleton = clip.skeleton.roles, clip.skeleton
    sides = [side for side in SIDES if {f"{side} {part}" for part in ARM} <= roles.keys()]
    axes = hinge_axes(clip) if sides and robot_of(clip) is not None else {}
    moved: dict[str, str | None] = {}
    for side in sides if axes else ():
        upper, lower, hand = (roles[f"{side} {part}"] for part in ARM)
        bone = skeleton.rest_positions[hand] - skeleton.rest_positions[lower]
        twists, bends = (
            [
                abs(float(rot.rotate(skeleton.rest_rotations[j], axis) @ bone)) / max(float(np.linalg.norm(bone)), 1e-9)
                for j in skeleton.chain(end, start)
                for axis in axes.get(j, ())
            ]
            for start, end in ((upper, lower), (lower, hand))
        )
        if twists and bends and min(twists) > _ALONG and bends[0] < _ACROSS:
            moved[f"{side} hand"] = None
            moved[f"{side} upper arm"], moved[f"{side} lower arm"] = skeleton.names[lower], skeleton.names[hand]
    return with_roles(clip, moved) if moved else clip
