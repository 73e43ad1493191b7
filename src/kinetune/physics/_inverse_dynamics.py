"""The forces that a motion needs, frame by frame: what the contacts give, and what is left.

==================  ====================================================================================
InverseDynamics     goes through the frames of a motion
ContactForceSolver  contact forces that come nearest to what the root needs, within friction
contact_torques     what those forces leave to the joints
centre_of_pressure  where one force on the ground would do the same as all of them
support_margin      how far a point lies inside the polygon of the points that touch
==================  ====================================================================================
"""

from __future__ import annotations

from typing import Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Ground as Standing
from kinetune.body.feet.soles import still_speed
from kinetune.physics.equations_of_motion import centres_of_mass, euler_velocities
from kinetune.physics.ground import (
    TOUCH_SPEED,
    Bools,
    ContactGround,
    friction_pyramid,
    nonnegative_sizes,
    root_wrenches,
    sum_forces,
    touching,
)
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.progress import report
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

_SPREAD = 3e-3  # how strongly forces are spread over the points, against meeting what is needed
_REACH = 0.25  # of the height: the arm by which torques are compared with forces


class ContactForceSolver:
    """Finds contact forces for one body and one friction coefficient.

    Parameters
    ----------
    mu : friction. None: forces in any direction, as if the feet were glued.
    sides : of the friction pyramid.
    """

    def __init__(self, body: Body, mu: float | None, sides: int = 8) -> None:
        self.body, self.mu, self.sides = body, mu, sides
        self.arm = _REACH * body.height

    def solve(
        self, need: Floats, points: Floats, normals: Floats, root: Floats, axes: Floats, com: Floats
    ) -> tuple[Floats, Floats]:
        """The forces (points, 3) in newtons nearest to a need, and what they leave of it (6,).

        Parameters
        ----------
        need : (6,) force in world axes and torque in the root's, as :func:`required_forces` gives them.
        points, normals : (points, 3) where the body touches, and the ground's normals there.
        root, axes, com : the root's place (3,), its axes (3, 3) as columns, and the centre of mass (3,).

        Notes
        -----
        Forces are compared in body weights and torques about the centre of mass in body weights on an arm of a
        quarter of the height. What is left is that of the exact optimum (NNLS); among the forces that reach it, those
        are taken that spread the load evenly.
        """
        if len(points) == 0:
            return np.zeros((0, 3)), _about_com(need, root, axes, com)
        directions = self._directions(normals)
        weigh = np.array([[1.0]] * 3 + [[1.0 / self.arm]] * 3)
        scaled = weigh * _about_com(root_wrenches(points, directions, root, axes), root, axes, com)
        wrench = weigh[:, 0] * _about_com(need, root, axes, com) / self.body.weight
        if self.mu is None:
            even = np.linalg.lstsq(scaled, wrench, rcond=None)[0]
            left = wrench - scaled @ even
        else:
            exact = nonnegative_sizes(scaled, wrench)
            left = wrench - scaled @ exact
            ridge = np.concatenate([scaled, _SPREAD * np.eye(len(directions))])
            even = nonnegative_sizes(ridge, np.concatenate([scaled @ exact, np.zeros(len(directions))]))
        weight = self.body.weight
        left = left * weight / weigh[:, 0]
        return sum_forces(even * weight, directions, len(points)), left

    def _directions(self, normals: Floats) -> Floats:
        if self.mu is None:
            return np.tile(np.eye(3), (len(normals), 1))
        return friction_pyramid(normals, self.mu, self.sides)


def _about_com(wrenches: Floats, root: Floats, axes: Floats, com: Floats) -> Floats:
    """Wrenches (6, ...) on the root as force and torque about the centre of mass, both in world axes."""
    force = wrenches[:3]
    arm = com - root
    return np.concatenate([force, axes @ wrenches[3:] - np.cross(arm, force, axisb=0, axisc=0)])


def contact_torques(body: Body, data: mujoco.MjData, forces: Floats, points: Floats, which: NDArray[np.intp]) -> Floats:
    """(nv,) generalized forces of contact forces (n, 3) at world points (n, 3), in a state that MuJoCo has placed."""
    torques = np.zeros(body.nv)
    none = np.zeros(3)
    for force, place, number in zip(forces, points, which.tolist(), strict=True):
        mujoco.mj_applyFT(body.model, data, force, none, place, body.points[number].body, torques)
    return torques


def centre_of_pressure(force: Floats, torque: Floats, com: Floats, level: float) -> Floats:
    """The point (3,) at height ``level`` at which the force (3,) has the torque (3,) about the centre of mass.

    The torque about the vertical is left to friction.
    """
    drop = level - com[1]
    x = (torque[2] + drop * force[0]) / force[1]
    z = (drop * force[2] - torque[0]) / force[1]
    return np.array([com[0] + x, level, com[2] + z])


def support_margin(place: Floats, points: Floats) -> float:
    """How far a place (3,) lies inside the polygon around points (n, 3), seen from above; negative outside.

    Metres. Of fewer than three points, or points in a line, it is the distance to them, negative.
    """
    from scipy.spatial import ConvexHull, QhullError

    flat = points[:, [0, 2]]
    at = place[[0, 2]]
    try:
        hull = ConvexHull(flat)
    except (QhullError, ValueError):
        return -_distance_to_segments(at, flat)
    inside = -float(np.max(hull.equations[:, :2] @ at + hull.equations[:, 2]))
    return inside if inside >= 0.0 else -_distance_to_segments(at, flat[hull.vertices])


def _distance_to_segments(at: Floats, corners: Floats) -> float:
    """The distance of a point to a closed row of corners."""
    start, end = corners, np.roll(corners, -1, axis=0)
    step = end - start
    length = np.maximum(np.sum(step * step, axis=1), 1e-18)
    share = np.clip(np.sum((at - start) * step, axis=1) / length, 0.0, 1.0)
    return float(np.min(np.linalg.norm(start + share[:, None] * step - at, axis=1)))


LOADED = 0.2
"""Body weights below which a frame is not judged: so much is noise where a runner takes off or lands."""
_FALL_S = 0.05
_LEAST_FLIGHT = 3

Scheme = Literal["central", "euler"]


class InverseDynamics:
    """Goes through the frames of a motion and fills in what is found."""

    def __init__(
        self,
        body: Body,
        mu: float,
        sides: int,
        ground: ContactGround,
        frames: int,
        first: int,
        motion: Clip,
        standing: Standing | None,
    ) -> None:
        self.body, self.mu, self.ground, self.first = body, mu, ground, first
        self.motion, self.standing = motion, standing
        self.supporter = ContactForceSolver(body, mu, sides)
        points = len(body.points)
        self.forces, self.com, self.pressure = (np.full((frames, 3), np.nan) for _ in range(3))
        self.friction, self.residual, self.moment, self.margin = (np.full(frames, np.nan) for _ in range(4))
        self.touch = np.zeros((frames, points), dtype=bool)
        self.contact = np.zeros((frames, points, 3))
        self.torques = np.full((frames, len(body.segments), 3), np.nan)

    def run(self, qpos: Floats, scheme: Scheme, given: Floats | None) -> None:
        body, first = self.body, self.first
        velocity, acceleration = euler_velocities(body, qpos, 1.0 / self.motion.fps)
        start = 0
        if scheme == "central":
            start, velocity = 1, 0.5 * (velocity[:-1] + velocity[1:])
        points = body.point_positions(qpos)
        down = touching(points, self.ground)
        if given is None:  # a treadmill carries its feet along
            seen = points if self.standing is None else self.standing.still_positions(self.motion, points)
            down = down & (still_speed(seen, self.motion.fps) < TOUCH_SPEED)
        normals = self.ground.normal(points)
        self.com[first:] = centres_of_mass(body, qpos)
        self.touch[first:] = down
        data = mujoco.MjData(body.model)
        need = np.zeros(body.nv)
        for row in range(len(acceleration)):
            frame = start + row
            data.qpos[:], data.qvel[:], data.qacc[:] = qpos[frame], velocity[row], acceleration[row]
            mujoco.mj_kinematics(body.model, data)
            mujoco.mj_comPos(body.model, data)
            mujoco.mj_comVel(body.model, data)
            mujoco.mj_rne(body.model, data, 1, need)
            self._frame(first + frame, data, need, points[frame], normals[frame], down[frame], given, frame)
            if row % 50 == 0:
                report(row / len(acceleration), "judging")

    def _frame(
        self,
        frame: int,
        data: mujoco.MjData,
        need: Floats,
        points: Floats,
        normals: Floats,
        down: Bools,
        given: Floats | None,
        local: int,
    ) -> None:
        body = self.body
        root, axes = np.asarray(data.xpos[1]), np.asarray(data.xmat[1]).reshape(3, 3)
        com = np.asarray(data.subtree_com[1])
        which = np.flatnonzero(down) if given is None else np.flatnonzero(np.any(given[local] != 0.0, axis=1))
        if given is None:
            forces, left = self.supporter.solve(need[:6], points[which], normals[which], root, axes, com)
        else:
            forces = given[local][which]
        torques = need - contact_torques(body, data, forces, points[which], which)
        if given is not None:
            left = np.concatenate([torques[:3], axes @ torques[3:6] - np.cross(com - root, torques[:3])])
            self.touch[frame] = False
            self.touch[frame, which] = True
        self.forces[frame] = need[:3]
        self.contact[frame, which] = forces
        self.residual[frame] = np.linalg.norm(left[:3]) / body.weight
        self.moment[frame] = np.linalg.norm(left[3:]) / (body.weight * body.height)
        self.torques[frame, 0] = 0.0
        self.torques[frame, 1:] = torques[6:].reshape(-1, 3)
        total = need[:3]
        if len(which) == 0 or np.linalg.norm(total) <= LOADED * body.weight:
            return
        up = normals[which].mean(axis=0)
        up = up / np.linalg.norm(up)
        push = float(total @ up)
        slip = float(np.linalg.norm(total - push * up))
        self.friction[frame] = slip / push if push > 0.0 else np.inf
        if total[1] > LOADED * body.weight:
            torque = axes @ need[3:6] - np.cross(com - root, total)
            level = float(points[which, 1].mean())
            self.pressure[frame] = centre_of_pressure(total, torque, com, level)
            self.margin[frame] = support_margin(self.pressure[frame], points[which])

    def flights(self, fps: float) -> tuple[tuple[int, int, float], ...]:
        if not self.body.points or not self.touch.any():
            return ()
        aloft: Bools = np.logical_not(self.touch.any(axis=1))
        aloft[: self.first] = False
        flights = []
        for start, stop in true_ranges(aloft):
            if stop - start < _LEAST_FLIGHT:
                continue
            time = np.arange(stop - start) / fps
            arc = self.com[start:stop] - 0.5 * np.array([0.0, -GRAVITY, 0.0]) * time[:, None] ** 2
            line = np.column_stack([np.ones_like(time), time])
            fit = line @ np.linalg.lstsq(line, arc, rcond=None)[0]
            flights.append((start, stop - 1, float(np.linalg.norm(arc - fit, axis=1).max())))
        return tuple(flights)


def fastest_fall(heights: Floats, fps: float) -> float:
    """How fast a centre of mass (frames,) falls, at its fastest: the mean downward acceleration over 0.05 s, m/s^2.

    Nothing that only the ground pushes falls faster than gravity. Smoothed captures reach 15; CMU's 74_04, which was
    captured at 60 frames a second and is labelled 120, reaches 39, four times gravity.
    """
    width = max(1, round(_FALL_S * fps))
    if len(heights) < width + 3:
        return 0.0
    speed = np.gradient(heights) * fps
    return max(0.0, -float(np.min(speed[width:] - speed[:-width])) * fps / width)
