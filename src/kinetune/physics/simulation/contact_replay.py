"""A motion tracked in MuJoCo with the engine's own contact: does a body under a controller stay on its feet?

===============  ==========================================================================
track           simulates a reference with feed-forward torques, servos and a balance controller
TrackedRun      how long it stayed up, and how close it kept
===============  ==========================================================================

:func:`kinetune.physics.replay` checks forces and torques against MuJoCo's dynamics, but hands it the contact forces.
Here the floor is MuJoCo's: spheres at the contact points collide, and the resulting force is the engine's. Open loop
no standing body survives that, so a controller tracks the reference:

*Servo.* Each joint gets its feed-forward torque and a damped spring towards the reference: a stiffness of ``w^2 I``
with w = 25 rad/s and I the inertia of all that the joint carries, but at least three times its largest torque per
radian; critical damping, which MuJoCo integrates implicitly.

*Balance.* The centre of mass and the hips get a virtual force and moment towards the reference (w = 6 rad/s), which the
points that should carry (the contact schedule) exert on the ground: torques ``-J' f`` of the joints, with f the spread
of that force over the points by least squares. Nothing acts on the root but the floor.

A run ends when the centre of mass is 0.25 m or the hips are 45 degrees from the reference: a fall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from kinetune.physics.filter.filtering import FilterResult
from kinetune.physics.simulation.simulation_export import SimulationReference, simulation_model
from kinetune.rotations import Floats

SERVO, BALANCE = 25.0, 6.0
_STIFF = 3.0
_LOST_M, _LOST = 0.25, float(np.deg2rad(45.0))


@dataclass(frozen=True, eq=False)
class TrackedRun:
    """How a simulated body followed a motion.

    seconds, of : how long it stayed up, and how long the motion is. fell : whether it did.
    joint_deg : RMS error of the joints until then. com_cm : mean distance of the centre of mass.
    path : (frames, nq) where it went.
    """

    seconds: float
    of: float
    fell: bool
    joint_deg: float
    com_cm: float
    path: Floats

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {name: getattr(self, name) for name in ("seconds", "of", "fell", "joint_deg", "com_cm")}


def track(result: FilterResult, *, servo: float = SERVO, balance: float = BALANCE) -> TrackedRun:
    """Track a corrected motion in MuJoCo with the engine's own contact.

    Parameters
    ----------
    result : FilterResult
        On level ground.
    servo, balance : float
        Angular frequencies of joint servos and of the balance controller, rad/s; 0 switches them off.

    Examples
    --------
    >>> from kinetune import filter_dynamics, sample
    >>> run = track(filter_dynamics(sample("walk")[:60], method="whole"))
    >>> run.fell
    False
    """
    return _Tracker(result, servo, balance).go()


class _Tracker:
    def __init__(self, result: FilterResult, servo: float, balance: float) -> None:
        self.reference = SimulationReference.of(result)
        self.body, self.servo, self.balance = result.body, servo, balance
        self.model = mujoco.MjModel.from_xml_string(simulation_model(result))
        self.data, self.aim = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self.most = self.model.actuator_forcerange[:, 1].copy()
        self.stiff, self.damp = np.zeros(self.model.nv - 6), np.zeros(self.model.nv - 6)
        self.least = _STIFF * np.abs(self.reference.torques).max(axis=0)

    def go(self) -> TrackedRun:
        reference, model, data = self.reference, self.model, self.data
        frames, every = len(reference.qpos), max(1, round(1.0 / (reference.fps * model.opt.timestep)))
        model.opt.timestep = 1.0 / (reference.fps * every)
        data.qpos[:], data.qvel[:] = reference.qpos[0], reference.qvel[0]
        mujoco.mj_forward(model, data)
        path, joints, away = [np.array(data.qpos)], [], []
        fell = False
        for frame in range(frames - 1):
            for step in range(every):
                data.ctrl[:] = self._torques(frame, step / every)
                mujoco.mj_step(model, data)
            path.append(np.array(data.qpos))
            error = self._error(reference.qpos[frame + 1])
            self._place(reference.qpos[frame + 1])
            off = float(np.linalg.norm(data.subtree_com[1] - self.aim.subtree_com[1]))
            joints.append(np.sqrt(np.mean(error[6:] ** 2) * 3.0))
            away.append(off)
            if not np.isfinite(error).all() or off > _LOST_M or np.linalg.norm(error[3:6]) > _LOST:
                fell = True
                break
        seconds = (len(path) - 1) / reference.fps
        return TrackedRun(
            seconds,
            (frames - 1) / reference.fps,
            fell,
            float(np.rad2deg(np.sqrt(np.mean(np.square(joints))))),
            100.0 * float(np.mean(away)),
            np.array(path),
        )

    def _error(self, goal: Floats) -> Floats:
        """(nv,) from where the body is to a pose."""
        error = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, error, 1.0, self.data.qpos, goal)
        return error

    def _place(self, pose: Floats) -> None:
        self.aim.qpos[:] = pose
        mujoco.mj_kinematics(self.model, self.aim)
        mujoco.mj_comPos(self.model, self.aim)

    def _torques(self, frame: int, share: float) -> Floats:
        """(motors,) what the motors give: feed-forward, servo and balance."""
        reference, model, data = self.reference, self.model, self.data
        later = min(frame + 1, len(reference.qpos) - 1)
        goal = reference.qpos[frame].copy()
        mujoco.mj_integratePos(model, goal, reference.qvel[frame], share / reference.fps)
        speed = (1.0 - share) * reference.qvel[frame] + share * reference.qvel[later]
        error, slower = self._error(goal), speed - data.qvel
        if share == 0.0:
            self._set_gains()
        torque = (1.0 - share) * reference.torques[frame] + share * reference.torques[later]
        torque = torque + self.stiff * error[6:] + self.damp * speed[6:]  # the model damps the speed itself
        carrying = np.flatnonzero(reference.contacts[frame])
        if len(carrying) and self.balance:
            torque = torque + self._balance(goal, error, slower, carrying)
        return np.asarray(np.clip(torque, -self.most, self.most))

    def _set_gains(self) -> None:
        """Stiffness and damping by the inertia that each joint carries, the diagonal of the mass matrix."""
        mass = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, mass)
        inertia = np.diag(mass)[6:]
        self.stiff = np.maximum(self.servo**2 * inertia, self.least) * (self.servo > 0.0)
        self.damp = 2.0 * np.sqrt(self.stiff * inertia)
        self.model.dof_damping[6:] = self.damp

    def _balance(self, goal: Floats, error: Floats, slower: Floats, carrying: Any) -> Floats:
        """Joint torques of a virtual force and moment on the body that the carrying points exert on the ground."""
        model, data, body = self.model, self.data, self.body
        self._place(goal)
        com, w = np.array(data.subtree_com[1]), self.balance
        rows = np.zeros((3, model.nv))
        mujoco.mj_jacSubtreeCom(model, data, rows, 1)
        force = body.mass * (w * w * (self.aim.subtree_com[1] - com) + 2.0 * w * (rows @ slower))
        axes = np.asarray(data.xmat[1]).reshape(3, 3)
        spin = axes @ (w * w * error[3:6] + 2.0 * w * slower[3:6])
        moment = 0.1 * body.mass * spin
        wrench = np.concatenate([force, moment])
        jacobians, maps = [], []
        for number in carrying.tolist():
            point = body.points[number]
            place = np.asarray(data.xpos[point.body]) + np.asarray(data.xmat[point.body]).reshape(3, 3) @ point.position
            jacobian = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, jacobian, None, place, point.body)
            jacobians.append(jacobian)
            x, y, z = place - com
            maps.append(np.vstack([np.eye(3), [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]]))
        spread = np.linalg.lstsq(np.hstack(maps), wrench, rcond=1e-3)[0].reshape(-1, 3)
        return np.asarray(-np.einsum("nij,ni->j", np.array(jacobians), spread)[6:])
