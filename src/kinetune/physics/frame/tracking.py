"""The dynamic filter, one frame at a time: a body that follows a motion by forces that the ground can give.

===========  ==========================================================================
Tracker      the body on its way; ``step`` moves it by one frame
TrackedStep         what happened in one frame
===========  ==========================================================================

[pollard] section 4: desired accelerations from the data and the errors (Eq. 3 to 5), contact forces within friction
(Eq. 7), accelerations that need no force at the root (Eq. 8, 9), reference points (Eq. 10 to 15), explicit Euler.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinetune.physics.filter.com_targets import TargetSource
from kinetune.physics.filter.references import Feet, Reference
from kinetune.physics.frame.compiled_frames import CompiledFrames
from kinetune.physics.frame.frame_solve import compiled
from kinetune.physics.frame.plain_frames import FilterSettings, PlainFrames
from kinetune.physics.ground import ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

_DIVERGED = 1e3  # rad/s or m/s


class TrackedStep(NamedTuple):
    """One frame.

    q, v : the state at its start. a : the accelerations that lead to the next.
    forces : (points, 3) newtons on the contact points. torques : (dof - 6,) newton metres at the joints.
    residual : (6,) force and torque left on the root.
    com : (3,) the centre of mass. toes : (feet, 3) the held points.
    """

    q: Floats
    v: Floats
    a: Floats
    forces: Floats
    torques: Floats
    residual: Floats
    com: Floats
    toes: Floats


class Tracker:
    """A body that follows a motion, frame by frame."""

    def __init__(self, body: Body, feet: Feet, ground: ContactGround, settings: FilterSettings, rate: float) -> None:
        self.body, self.rate = body, rate
        self.frames = _frames(body, feet, ground, settings, rate)
        self.q, self.v = np.zeros(body.nq), np.zeros(body.nv)

    def start(self, q: Floats, v: Floats, stance: NDArray[np.bool_]) -> None:
        """Set the state; feet that stand are held where the data have them."""
        self.q, self.v = np.array(q), np.array(v)
        self.frames.start(stance)

    @property
    def diverged(self) -> bool:
        """Whether the state is no longer a pose."""
        return not float(self.v @ self.v) < _DIVERGED**2  # also when it is no number

    def step(self, reference: Reference, t: int, guide: TargetSource | None = None) -> TrackedStep:
        """Move by one frame, from frame ``t`` of a motion towards the next; a guide says where the whole should go."""
        dynamics, q, v = self.frames.dynamics, self.q, self.v
        dynamics.update(q, v)
        aim = None if guide is None else guide.aim(t, dynamics, v)
        a, forces, needed, toes = self.frames.solve(reference, t, aim, q, v)
        done = TrackedStep(q, v, a, forces, needed[6:], needed[:6], dynamics.com.copy(), toes)
        self.q = q.copy()
        mujoco.mj_integratePos(self.body.model, self.q, v, 1.0 / self.rate)
        self.v = v + a / self.rate
        return done


def _frames(body: Body, feet: Feet, ground: ContactGround, settings: FilterSettings, rate: float) -> PlainFrames:
    """The compiled body where there is one: the paper's iteration and limited torques are kept in NumPy."""
    plain = settings.torque_limit is not None or (settings.mode == "friction" and settings.solver == "greedy")
    kernels = None if plain else compiled()
    if kernels is None:
        return PlainFrames(body, feet, ground, settings, rate)
    return CompiledFrames(body, feet, ground, settings, rate, *kernels)
