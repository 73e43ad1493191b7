"""Stage two for robots: base and hinges over the whole clip at once, within the limits of the robot.

Links take the orientations of stage one as far as their hinges allow, hands and elbows their places, feet that stand
their footprints. No joint value leaves its range or is faster than its motor, soles stay above the ground and limbs
apart from each other (:mod:`kinetune.body.robots.hinge_problem`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.soles import UP
from kinetune.body.feet.standing_foot import lead_over
from kinetune.body.robots.hinge_problem import BASE, HingeProblem, clip_of, collision_pairs
from kinetune.body.robots.robot import Robot
from kinetune.retarget.footprints import FootCourse
from kinetune.retarget.physique import Physique
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

# Weights; lengths in legs, angles in radians.
_TURNS = {"hips": 3.0, "chest": 3.0, "upper leg": 1.0, "lower leg": 1.0}
_TURNS |= {"upper arm": 1.0, "lower arm": 1.0, "hand": 0.5}
_POINTS = {"hips": 2.5, "lower arm": 0.5, "hand": 2.0}
_STANDS, _SWINGS, _FOOT_TURN, _FLAT_TURN, _LOOSE_TURN = 1e4, 10.0, 1.0, 30.0, 0.7
_SMOOTH_PLACE, _SMOOTH_TURN, _SMOOTH_HINGE = 20.0, 6.0, 0.5
_SMOOTH_S = 0.07
_WATCH_FPS = 10.0
_CLOSE = 0.06  # radians or metres; the step after one as small changes nothing that shows
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
    feet : tuple of FootCourse
        What the feet were to do, turned to what their ankles can.
    roles : tuple of str
        The parts with hinges of their own, feet included.
    """

    clip: Clip
    rows: Floats
    problem: HingeProblem
    unknowns: Floats
    feet: tuple[FootCourse, ...]
    roles: tuple[str, ...]


def fit_robot(
    clip: Clip, transfer: Transfer, robot: Robot, *, first: int = 0, feet: bool = True, apart: bool = True
) -> RobotFit:
    """The motion of a robot that comes closest to what stage one says.

    Parameters
    ----------
    clip : Clip
        The motion of the source.
    transfer : Transfer
        What stage one says; its target is the robot at rest.
    robot : Robot
        The robot.
    first : int
        The first frame of the motion itself; what stands before it, such as a T-pose, does not count.
    feet : bool
        Whether feet that stand are held.
    apart : bool
        Whether limbs are kept from going through each other.
    """
    courses = tuple(_above_ground(course) for course in transfer.feet)
    problem = _problem(clip, transfer, robot, first)
    loose = problem.copy()
    for course in courses:
        _want_loose_foot(loose, course, transfer.target.leg, feet)
    x = loose.begin(tolerance=_CLOSE)
    if feet:
        at = loose.pose(x)[1]
        courses = tuple(_turned_course(at[:, course.joint], course, clip.fps) for course in courses)
    for course in courses:
        _want_foot(problem, course, robot, transfer.target.leg, feet)
    if apart:
        problem.watch_pairs(x, collision_pairs(robot), _NEAR, max(1, round(problem.fps / _WATCH_FPS)))
    x = problem.solve(x, rounds=5, tolerance=_CLOSE)
    rows = problem.qpos(x)
    parts = [role for role in transfer.orientations if _weight(role, _TURNS) or role.endswith(" foot")]
    parts = [role for role in parts if role == "hips" or _turns(robot, transfer.target, role)]
    return RobotFit(clip_of(robot, rows, clip.fps), rows, problem, x, courses, tuple(parts))


def _problem(clip: Clip, transfer: Transfer, robot: Robot, first: int) -> HingeProblem:
    """What is wanted of everything but the feet."""
    target, leg = transfer.target, transfer.target.leg
    roles, skeleton = target.roles, robot.skeleton
    hips = roles["hips"]
    back = rot.multiply(rot.inverse(skeleton.rest_rotations[hips]), skeleton.rest_rotations[0])
    turns = rot.multiply(transfer.orientations["hips"], back)
    offset = rot.rotate(rot.inverse(skeleton.rest_rotations[0]), skeleton.rest_positions[hips])
    places = transfer.points["hips"] - rot.rotate(turns, offset)
    weights = {role: _weight(role, _TURNS) for role in transfer.orientations if _weight(role, _TURNS)}
    weights = {role: weight for role, weight in weights.items() if role == "hips" or _turns(robot, target, role)}
    nodes = [*(roles[role] for role in weights), *(course.joint for course in transfer.feet)]
    places, turns = (
        np.concatenate([track[first : first + 1].repeat(first, 0), track[first:]]) for track in (places, turns)
    )
    problem = HingeProblem(robot, clip.fps, places, turns, nodes)
    problem.trusted[:first] = 0.0
    problem.acceleration[:3] = _SMOOTH_PLACE / leg**2
    problem.acceleration[3:BASE] = _SMOOTH_TURN
    problem.acceleration[BASE:] = _SMOOTH_HINGE
    for role, weight in weights.items():
        if _cannot_twist(robot, target, role):
            _want_direction(problem, transfer, role, weight)
        else:
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
    return problem


def _want_direction(problem: HingeProblem, transfer: Transfer, role: str, weight: float) -> None:
    """Point a part where stage one says, however it is rotated about itself."""
    target = transfer.target
    joint, centre = target.roles[role], target.centre(role)[1]
    ahead = target.leg * rot.rotate(target.axes[joint], -UP)
    goals = transfer.points[role] + target.leg * transfer.directions[role]
    problem.want_point(joint, centre + ahead, goals, weight / target.leg**2)


def _cannot_twist(robot: Robot, target: Physique, role: str) -> bool:
    """Whether a part of an arm lacks a hinge to take every orientation: shoulders of two hinges, elbows below them.

    Asked for an orientation that it cannot take, an arm points elsewhere to be twisted less.
    """
    side, _, part = role.partition(" ")
    upper = f"{side} upper arm"
    return part in ("upper arm", "lower arm") and upper in target.roles and _hinges(robot, target, upper) < 3


def _turns(robot: Robot, target: Physique, role: str) -> bool:
    """Whether a hinge lies between a part and the part above it."""
    return _hinges(robot, target, role) > 0


def _hinges(robot: Robot, target: Physique, role: str) -> int:
    """How many hinges lie between a part and the part above it, those of a collar included; a ball counts as three."""
    joint = target.roles[role]
    known = {j for other, j in target.roles.items() if j != joint and not other.endswith(" collar")}
    count = 0
    for node in reversed(robot.skeleton.chain(joint)):
        if node in known:
            break
        count += sum({"hinge": 1, "ball": 3}.get(each.kind, 0) for each in robot.by_node.get(node, ()))
    return count


def _weight(role: str, weights: dict[str, float]) -> float:
    return weights.get(role, weights.get(role.partition(" ")[2], 0.0))


def _above_ground(course: FootCourse) -> FootCourse:
    """The course of a foot with no point of its sole below the ground."""
    goals = np.array(course.goals)
    goals[..., 1] = np.maximum(goals[..., 1], course.heights[:, None])
    return replace(course, goals=goals)


def _want_foot(problem: HingeProblem, course: FootCourse, robot: Robot, leg: float, held: bool) -> None:
    stands = _STANDS * (problem.fps / 30.0) ** 3 if held else _SWINGS
    for number, point in enumerate(course.points):
        weight = np.where(course.standing[:, number], stands, _SWINGS) / leg**2
        problem.want_point(point.joint, point.offset, course.goals[:, number], weight)
    flat = course.flat & held
    problem.want_turn(course.joint, course.rotation, np.where(flat, _FLAT_TURN, _FOOT_TURN))
    for node, corner in _sole_corners(robot, course):
        problem.keep_above(node, corner, course.heights)


def _want_loose_foot(problem: HingeProblem, course: FootCourse, leg: float, held: bool) -> None:
    """The middle of the sole stands, and the foot may turn about it."""
    middle = np.mean([point.offset for point in course.points], axis=0)
    weight = np.where(course.down & held, _STANDS, _SWINGS) / leg**2
    problem.want_point(course.joint, middle, course.goals.mean(axis=1), weight)
    problem.want_turn(course.joint, course.rotation, _LOOSE_TURN)


def _turned_course(at: Floats, course: FootCourse, fps: float) -> FootCourse:
    """The course of a foot whose stances are turned about the vertical as the robot's hinges would have them.

    at : rotation matrices (frames, 3, 3) of the foot where it may turn.
    An ankle of pitch and roll has no yaw: where toes that point outwards would twist the knee, the footprint turns.
    """
    away = rot.log(rot.multiply(rot.from_matrix(at), rot.inverse(course.rotation)))[:, 1]
    middle = course.goals.mean(axis=1)
    pivots, turns = np.array(middle), np.zeros((len(middle), 1))
    flat = course.flat
    for start, stop in true_ranges(course.down):
        chosen = flat[start:stop] if flat[start:stop].any() else np.ones(stop - start, dtype=bool)
        turns[start:stop] = np.median(away[start:stop][chosen])
        pivots[start:stop] = np.median(middle[start:stop][chosen], axis=0)
    down = course.down.astype(float)
    pivots = middle + lead_over(pivots - middle, down, fps, _SMOOTH_S)
    turn = rot.about_y(lead_over(turns, down, fps, _SMOOTH_S)[:, 0])
    arms = course.goals - pivots[:, None]
    goals = pivots[:, None] + rot.rotate(turn[:, None], arms)
    return replace(course, goals=goals, rotation=rot.multiply(turn, course.rotation))


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
