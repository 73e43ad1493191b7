"""Stage two for robots: base and hinges over the whole clip at once, within the limits of the robot.

Links take the orientations of stage one as far as their hinges allow, hands and elbows their places, feet that stand
their footprints. No joint value leaves its range or is faster than its motor, soles stay above the ground and limbs
apart from each other (:mod:`kinetune.body.robots.hinge_problem`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.soles import UP
from kinetune.body.robots.hinge_problem import BASE, CapsulePairs, HingeProblem, clip_of, collision_pairs
from kinetune.body.robots.robot import Robot
from kinetune.retarget.footprints import FootCourse
from kinetune.retarget.physique import Physique
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats

# Weights; lengths in legs, angles in radians.
_TURNS = {
    "hips": 3.0,
    "chest": 3.0,
    "upper leg": 1.0,
    "lower leg": 1.0,
    "upper arm": 0.5,
    "lower arm": 1.0,
    "hand": 0.3,
}
_POINTS = {"hips": 10.0, "lower leg": 1.0, "lower arm": 4.0, "hand": 12.0}
_STANDS, _SWINGS, _FOOT_TURN, _FLAT_TURN = 1e4, 20.0, 0.3, 30.0
_SMOOTH_PLACE, _SMOOTH_TURN, _SMOOTH_HINGE = 20.0, 6.0, 2.0
_NEAR = 0.06  # metres: capsules that come no nearer than this are not watched


@dataclass(frozen=True, eq=False)
class RobotFit:
    """The motion of a robot, and how it was found.

    Parameters
    ----------
    clip : Clip
        The motion.
    rows : array, shape (frames, size)
        Joint values, MuJoCo's qpos.
    problem : HingeProblem
        What was solved.
    unknowns : array, shape (frames, unknowns)
        Its solution.
    """

    clip: Clip
    rows: Floats
    problem: HingeProblem
    unknowns: Floats


def fit_robot(clip: Clip, transfer: Transfer, robot: Robot, *, feet: bool = True, apart: bool = True) -> RobotFit:
    """The motion of a robot that comes closest to what stage one says.

    Parameters
    ----------
    clip : Clip
        The motion of the source.
    transfer : Transfer
        What stage one says; its target is the robot at rest.
    robot : Robot
        The robot.
    feet : bool
        Whether feet that stand are held.
    apart : bool
        Whether limbs are kept from going through each other.
    """
    target, leg = transfer.target, transfer.target.leg
    roles, skeleton = target.roles, robot.skeleton
    hips = roles["hips"]
    back = rot.multiply(rot.inverse(skeleton.rest_rotations[hips]), skeleton.rest_rotations[0])
    turns = rot.multiply(transfer.orientations["hips"], back)
    offset = rot.rotate(rot.inverse(skeleton.rest_rotations[0]), skeleton.rest_positions[hips])
    places = transfer.points["hips"] - rot.rotate(turns, offset)
    wanted = {role: _weight(role, _TURNS) for role in transfer.orientations if _weight(role, _TURNS)}
    wanted = {role: weight for role, weight in wanted.items() if role == "hips" or _turns(robot, target, role)}
    nodes = [*(roles[role] for role in wanted), *(course.joint for course in transfer.feet)]
    problem = HingeProblem(robot, clip.fps, places, turns, nodes)
    problem.acceleration[:3] = _SMOOTH_PLACE / leg**2
    problem.acceleration[3:BASE] = _SMOOTH_TURN
    problem.acceleration[BASE:] = _SMOOTH_HINGE
    for role, weight in wanted.items():
        problem.want_turn(roles[role], transfer.orientations[role], weight)
    if hips != 0 and "chest" not in roles and "chest" in transfer.source.roles:  # the base is the trunk
        chest = transfer.source.roles["chest"]
        frame = rot.multiply(clip.world_rotations()[:, chest], transfer.source.axes[chest])
        problem.want_turn(0, rot.multiply(frame, rot.inverse(target.axes[0])), _TURNS["chest"])
    for role, goals in transfer.points.items():
        weight = _weight(role, _POINTS)
        if weight and role in transfer.orientations:
            joint, centre = target.centre(role)
            problem.want_point(joint, centre, goals, weight / leg**2)
    for course in transfer.feet:
        _want_foot(problem, course, robot, leg, feet)
    x = problem.solve(rounds=0) if apart else problem.solve()
    if apart:
        problem.pairs = _near_pairs(problem, x)
        x = problem.solve(start=x)
    rows = problem.qpos(x)
    return RobotFit(clip_of(robot, rows, clip.fps), rows, problem, x)


def _turns(robot: Robot, target: Physique, role: str) -> bool:
    """Whether a hinge lies between a part and the part above it."""
    known = {joint for other, joint in target.roles.items() if other != role}
    for node in reversed(robot.skeleton.chain(target.roles[role])):
        if node in known and node != target.roles[role]:
            return False
        if node in robot.by_node:
            return True
    return False


def _weight(role: str, weights: dict[str, float]) -> float:
    return weights.get(role, weights.get(role.partition(" ")[2], 0.0))


def _want_foot(problem: HingeProblem, course: FootCourse, robot: Robot, leg: float, held: bool) -> None:
    stands = _STANDS * (problem.fps / 30.0) ** 3 if held else _SWINGS
    for number, point in enumerate(course.points):
        weight = np.where(course.standing[:, number], stands, _SWINGS) / leg**2
        problem.want_point(point.joint, point.offset, course.goals[:, number], weight)
    flat = course.standing.all(axis=1) & held
    problem.want_turn(course.joint, course.rotation, np.where(flat, _FLAT_TURN, _FOOT_TURN))
    for node, corner in _sole_corners(robot, course):
        problem.keep_above(node, corner, course.heights)


def _sole_corners(robot: Robot, course: FootCourse) -> list[tuple[int, Floats]]:
    """The lowest points of a foot's shapes while the robot stands, and the points of its sole."""
    corners = [(point.joint, np.array(point.offset)) for point in course.points]
    below = set(robot.skeleton.subtree(course.joint))
    lowest = min(offset[1] for offset in (_from_ankle(robot, course.joint, node, at) for node, at in corners))
    for shape in robot.shapes:
        if shape.node in below:
            down = rot.rotate(rot.inverse(robot.skeleton.rest_rotations[shape.node]), -UP)
            points, radius = shape.corners()
            lower = [(shape.node, point) for point in points + radius * down]
            corners += [
                (node, at) for node, at in lower if _from_ankle(robot, course.joint, node, at)[1] < lowest + 0.01
            ]
    return corners


def _from_ankle(robot: Robot, ankle: int, node: int, offset: Floats) -> Floats:
    rest = robot.skeleton
    at = rest.rest_positions[node] + rot.rotate(rest.rest_rotations[node], offset)
    return np.asarray(at - rest.rest_positions[ankle])


def _near_pairs(problem: HingeProblem, x: Floats) -> CapsulePairs:
    """The capsules that come near to each other in a motion."""
    problem.pairs = collision_pairs(problem.robot)
    near = problem.gaps(x, max(1, round(problem.fps / 30.0))).min(axis=0, initial=np.inf) < _NEAR
    pairs = problem.pairs
    return CapsulePairs(pairs.nodes[near], pairs.ends[near], pairs.radii[near], pairs.clearance)
