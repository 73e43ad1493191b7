"""The equations of motion of a body, frame by frame and for whole clips.

===========================  ===============================================================================
Dynamics                     H, C, Jacobians and centre of mass of one state; in place, one object per thread
velocity_between, integrate  the velocity from one pose to another, and the pose that a velocity leads to
euler_velocities             velocities and accelerations of a motion, exact for explicit Euler steps
segment_poses                world positions and rotations of all segments
centres_of_mass              of every frame
level_coordinates            a motion tilted so that the plane it stands on becomes level
smooth_coordinates           a motion without its high frequencies
===========================  ===============================================================================

[pollard] equations 1 and 2: ``Q = H a + C - M f``; here contact forces enter with the sign of the force on the body.
Velocities follow MuJoCo: the root's linear velocity in world axes, every angular velocity in the axes of its segment.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import mujoco
import numpy as np

from kinetune import rotations as rot
from kinetune.body.feet.floor import Floor
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth

CUTOFF_HZ = 8.0
"""Captures are smoothed below this before they are judged: accelerations of noise are not the actor's."""


class Poses(NamedTuple):
    """World positions (frames, segments, 3) and rotations (frames, segments, 4) wxyz of the segments of a body."""

    places: Floats
    turns: Floats


class Dynamics:
    """The dynamics of one state (q, v) of a body.

    H : (nv, nv) the mass matrix. C : (nv,) velocity effects and gravity. com : (3,) the centre of mass.
    All are overwritten by the next :meth:`update`; copy what is to be kept.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.model = body.model
        self.data = mujoco.MjData(self.model)
        self.mass = body.mass
        self.H = np.zeros((body.nv, body.nv))
        self.C = np.zeros(body.nv)
        self.gravity = np.array(self.model.opt.gravity)
        self._bodies = np.array([point.body for point in body.points], dtype=np.intp)
        self._offsets = np.array([point.position for point in body.points]).reshape(-1, 3)

    def place(self, q: Floats) -> None:
        """Set the pose alone: :attr:`com`, :meth:`points` and the root's place follow."""
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def update(self, q: Floats, v: Floats) -> None:
        """Set pose (nq,) and velocity (nv,), and compute H and C."""
        data = self.data
        data.qvel[:] = v
        self.place(q)
        mujoco.mj_makeM(self.model, data)
        mujoco.mj_fullM(self.model, data, self.H)
        mujoco.mj_comVel(self.model, data)
        mujoco.mj_rne(self.model, data, 0, self.C)

    def required(self, a: Floats, out: Floats) -> None:
        """Fill in (nv,) the generalized forces H a + C of accelerations (nv,) in this state."""
        self.data.qacc[:] = a
        mujoco.mj_rne(self.model, self.data, 1, out)

    @property
    def com(self) -> Floats:
        """(3,) the centre of mass in the world."""
        return np.asarray(self.data.subtree_com[1])

    @property
    def root_place(self) -> Floats:
        """(3,) the world position of the root."""
        return np.asarray(self.data.xpos[1])

    @property
    def root_axes(self) -> Floats:
        """(3, 3) the root's axes as columns."""
        return np.asarray(self.data.xmat[1]).reshape(3, 3)

    def points(self) -> Floats:
        """(points, 3) world positions of the contact points."""
        turned = np.asarray(self.data.xmat)[self._bodies].reshape(-1, 3, 3)
        return np.asarray(self.data.xpos[self._bodies] + np.einsum("pij,pj->pi", turned, self._offsets))

    def jacobian(self, place: Floats, body: int) -> Floats:
        """(3, nv) how a world point fixed to a MuJoCo body answers to velocities."""
        rows = np.zeros((3, self.body.nv))
        mujoco.mj_jac(self.model, self.data, rows, None, place, body)
        return rows

    def angular_rows(self) -> tuple[Floats, Floats]:
        """(3, nv) angular momentum about the centre of mass per velocity, and (3,) its rate at zero ``qacc``."""
        arm = self.com - self.root_place
        rows = self.root_axes @ self.H[3:6] - _cross_matrix(arm) @ self.H[:3]
        return rows, self.root_axes @ self.C[3:6] - np.cross(arm, self.C[:3])


def _cross_matrix(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def velocity_between(body: Body, start: Floats, end: Floats, seconds: float = 1.0) -> Floats:
    """(nv,) the constant velocity that leads from one pose (nq,) to another in that time."""
    velocity = np.zeros(body.nv)
    mujoco.mj_differentiatePos(body.model, velocity, seconds, start, end)
    return velocity


def integrate(body: Body, q: Floats, v: Floats, seconds: float) -> Floats:
    """(nq,) the pose that a velocity (nv,) leads to."""
    moved = np.array(q, dtype=float)
    mujoco.mj_integratePos(body.model, moved, v, seconds)
    return moved


def euler_velocities(body: Body, qpos: Floats, seconds: float) -> tuple[Floats, Floats]:
    """Velocities V and accelerations A of a motion, such that explicit Euler steps give it back.

    V[t] leads from frame t to t + 1 and A[t] from V[t] to V[t + 1] ([pollard] section 4.2.1).

    Parameters
    ----------
    qpos : (frames, nq).
    seconds : between frames.

    Returns
    -------
    V : (frames - 1, nv). A : (frames - 2, nv); empty for two frames.
    """
    velocity = np.array([velocity_between(body, a, b, seconds) for a, b in itertools.pairwise(qpos)])
    velocity = velocity.reshape(len(qpos) - 1, body.nv)
    return velocity, (velocity[1:] - velocity[:-1]) / seconds


def states(body: Body, qpos: Floats, velocities: Floats) -> Iterator[Dynamics]:
    """The dynamics of frame after frame, in one object that is used again."""
    dynamics = Dynamics(body)
    for q, v in zip(qpos, velocities, strict=False):
        dynamics.update(q, v)
        yield dynamics


def segment_poses(body: Body, qpos: Floats) -> Poses:
    """World positions (frames, segments, 3) and rotations (frames, segments, 4) wxyz of all segments."""
    q = np.asarray(qpos, dtype=float)
    local = rot.normalize(q[:, 3:].reshape(len(q), -1, 4))
    count = len(body.segments)
    places, turns = np.empty((len(q), count, 3)), np.empty((len(q), count, 4))
    places[:, 0], turns[:, 0] = q[:, :3], local[:, 0]
    for k in range(1, count):
        above = int(body.parents[k])
        places[:, k] = places[:, above] + rot.rotate(turns[:, above], body.offsets[k])
        turns[:, k] = rot.multiply(turns[:, above], local[:, k])
    return Poses(places, turns)


def centres_of_mass(body: Body, qpos: Floats, poses: Poses | None = None) -> Floats:
    """(frames, 3) the centre of mass of every frame; ``poses`` of its segments, where they are known."""
    places, turns = segment_poses(body, qpos) if poses is None else poses
    masses = np.array([segment.mass for segment in body.segments])
    offsets = np.array([segment.centre for segment in body.segments])
    return np.asarray(np.einsum("s,fsk->fk", masses / masses.sum(), places + rot.rotate(turns, offsets)))


def level_coordinates(qpos: Floats, floor: Floor) -> Floats:
    """Coordinates (frames, nq) tilted about the floor's centre, so that the floor becomes level.

    A capture that leans by a degree was not made on a slope: its cameras were set up askew, and gravity with them.
    """
    if floor.slope == (0.0, 0.0):
        return qpos
    turn = rot.between([-floor.slope[0], 1.0, -floor.slope[1]], [0.0, 1.0, 0.0])
    pivot = np.array([floor.centre[0], floor.height, floor.centre[1]])
    moved = np.array(qpos, dtype=float)
    moved[:, :3] = pivot + rot.rotate(turn, moved[:, :3] - pivot)
    moved[:, 3:7] = rot.multiply(turn, moved[:, 3:7])
    return moved


def smooth_coordinates(qpos: Floats, fps: float, cutoff_hz: float) -> Floats:
    """Coordinates (frames, nq) without what is faster than a cutoff, rotations unit again."""
    smooth = butterworth(qpos, fps, cutoff_hz)
    for at in range(3, smooth.shape[1], 4):
        smooth[:, at : at + 4] = rot.normalize(smooth[:, at : at + 4])
    return smooth
