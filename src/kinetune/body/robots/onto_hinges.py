"""An edited motion brought back to what the hinges of its robot can do.

Edits turn joints as if they were balls: a planted foot bends a hip about an axis that its last hinge does not have. All
hinges of the chain can do the same together. So the whole motion is solved for joint values that keep the orientations
of links and the positions of feet and hands, within their ranges and speeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.hinge_problem import HingeProblem, clip_of
from kinetune.body.robots.robot import Robot
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_POINT, _STANDING = 200.0, 5e3  # weights of tips, in heights of the robot, against radians
_SMOOTH = 0.02
_EXACT = 1e-7  # radians that a joint may miss


@dataclass(frozen=True, eq=False)
class OntoHinges:
    """A motion that a robot's hinges can do, and how far it is from the one that was asked for.

    Parameters
    ----------
    clip : Clip
        The motion; the clip itself where its hinges can do it.
    rows : array, shape (frames, size)
        Joint values.
    moved_m : float
        How far a joint moved at most, in metres.
    turned : float
        How far a link turned at most, in radians.
    """

    clip: Clip
    rows: Floats
    moved_m: float
    turned: float

    def summary(self) -> str:
        """A summary of what it took."""
        turned = f"{np.rad2deg(self.turned):.1f} degrees"
        return f"joints move by up to {1000 * self.moved_m:.0f} mm and links turn by up to {turned}"


def bring_onto_hinges(clip: Clip, robot: Robot) -> OntoHinges:
    """The motion nearest to a clip that the hinges of its robot can do, within their ranges and speeds.

    Parameters
    ----------
    clip : Clip
        A motion of the robot's skeleton.
    robot : Robot
        The robot.

    Notes
    -----
    Law: a motion that the robot can do comes back as it is (``tests/body/robots/test_onto_hinges.py``).
    """
    if clip.skeleton != robot.skeleton:
        raise ParameterError(f"This clip does not have the skeleton of the robot {robot.name}.")
    rows, missed = robot.qpos(clip)
    problem = HingeProblem(robot, clip.fps, clip.root, clip.rotations[:, 0], range(len(robot.skeleton)))
    near = problem.unknowns(rows)
    start = problem.within_limits(near)
    if missed.max() < _EXACT and np.abs(start - near).max() < _EXACT:
        return OntoHinges(clip, rows, 0.0, 0.0)
    _want_pose(problem, clip)
    x = problem.solve(start, rounds=12)
    solved = problem.qpos(x)
    fitted = clip_of(robot, solved, clip.fps)
    on_hinges = clip.replace(
        root=fitted.root, rotations=fitted.rotations, translations=fitted.translations, contacts=clip.contacts
    )
    moved = np.linalg.norm(on_hinges.positions() - clip.positions(), axis=-1).max()
    turned = rot.angle_between(on_hinges.world_rotations(), clip.world_rotations()).max()
    return OntoHinges(on_hinges, solved, float(moved), float(turned))


def _want_pose(problem: HingeProblem, clip: Clip) -> None:
    robot, positions, world = problem.robot, clip.positions(), clip.world_rotations()
    per_metre = 1.0 / max(robot.skeleton.height, 1e-6) ** 2
    problem.acceleration[:] = _SMOOTH
    moving = sorted({0, *robot.by_node})
    below = {above for node in moving for above in robot.skeleton.chain(node)[:-1]}
    for node in moving:
        problem.want_turn(node, world[:, node], 1.0)
    contacts = clip.contacts
    for node in moving:
        if node in below:
            continue
        name = robot.skeleton.names[node]
        stands = np.zeros(len(clip), dtype=bool)
        if contacts is not None and name in contacts.joints:
            stands = contacts.flags[:, contacts.column(name)]
        weight = np.where(stands, _STANDING, _POINT) * per_metre
        tips = [np.array(site.offset) for site in robot.skeleton.end_sites if site.parent == node]
        for tip in tips or [np.zeros(3)]:
            problem.want_point(node, tip, positions[:, node] + rot.rotate(world[:, node], tip), weight)
