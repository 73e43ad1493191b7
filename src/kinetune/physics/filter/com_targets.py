"""Targets of the filter for the body as a whole, frame by frame.

===============  ==========================================================================
WholeBodyTarget  centre of mass and angular momentum that are wanted in one frame
PathTargets      a fixed path of the centre of mass, as in the paper
PlannedTargets   a plan that is renewed, from where the body really is, several times a second
===============  ==========================================================================
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import Dynamics, segment_poses
from kinetune.physics.filter.com_plan import ComPlan, ComPlanner, PlanStart, Support
from kinetune.physics.filter.references import Reference, euler_differences
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

HORIZON_S = 0.7
REPLAN_S = 0.1
LONGEST_S = 0.25
_ASTRAY = 0.001  # heights of the character
PIVOT_MOST = 0.9
_PIVOT_RATE = 4.0  # 1/s
_TRUNK = ("chest", "upper chest", "spine")


class WholeBodyTarget(NamedTuple):
    """What is wanted of the whole body, (3,) each: centre of mass, velocity, acceleration; angular momentum, rate."""

    com: Floats
    velocity: Floats
    acceleration: Floats
    momentum: Floats
    momentum_rate: Floats


class TargetSource(Protocol):
    """Anything that has a target for every frame."""

    def target(self, t: int, dynamics: Dynamics, v: Floats) -> WholeBodyTarget:
        """The target of frame ``t``, given the state of the body."""


class PathTargets:
    """Follow a fixed path of the centre of mass (frames, 3)."""

    def __init__(self, path: Floats, rate: float) -> None:
        self.path = path
        self.speed, self.change = euler_differences(path, rate)
        self._none = np.zeros(3)

    def target(self, t: int, dynamics: Dynamics, v: Floats) -> WholeBodyTarget:
        """The path at frame ``t``."""
        return WholeBodyTarget(self.path[t], self.speed[t], self.change[t], self._none, self._none)


class PlannedTargets:
    """Look ahead 0.7 seconds, ten times a second, from where the body is.

    A plan made once goes stale: small errors of balance grow threefold within a third of a second, and then the plan
    asks for what the feet can no longer give.
    """

    def __init__(
        self,
        body: Body,
        reference: Reference,
        support: Support,
        mu: float,
        *,
        horizon_s: float = HORIZON_S,
        replan_s: float = REPLAN_S,
    ) -> None:
        rate = reference.rate
        self.body, self.reference = body, reference
        whole = ComPlanner(reference.data_com, reference.momentum_rate, support, rate=rate, mass=body.mass, mu=mu)
        com, speed = reference.data_com, np.diff(reference.data_com[:2], axis=0) * rate
        begin = PlanStart(com[0], speed[0] if len(speed) else np.zeros(3), np.zeros(3), np.zeros(3))
        base = whole.plan(0, len(reference), begin, near_s=len(reference) / rate)
        # The motion as it would have to be, and how far that is rotated against the motion as it is.
        extra = np.cumsum(base.momentum_rate - reference.momentum_rate, axis=0) / rate
        self._extra = np.vstack([np.zeros((1, 3)), extra[:-1]])
        self._turned = np.vstack([np.zeros((1, 3)), np.cumsum(self._extra, axis=0)[:-1] / rate])
        self.planner = whole.along(base.com, base.momentum_rate)
        self.horizon, self.replan = max(6, round(horizon_s * rate)), max(1, round(replan_s * rate))
        self.longest = max(self.replan, round(LONGEST_S * rate))
        roles, owner = body.skeleton.roles, {j: k for k, s in enumerate(body.segments) for j in s.joints}
        trunk = next((owner[roles[name]] for name in _TRUNK if name in roles and roles[name] in owner), 0)
        self._trunk = (0, trunk)
        self._turns = segment_poses(body, reference.Q)[1][:, list(self._trunk)]
        self._made = -1
        self._plan: ComPlan | None = None
        self._momentum = np.zeros((0, 3))
        self.outside, self.slip, self.lift = (np.zeros(len(reference)) for _ in range(3))

    def target(self, t: int, dynamics: Dynamics, v: Floats) -> WholeBodyTarget:
        """The target of frame ``t``; makes a new plan when the last one is old."""
        if self._is_stale(t, dynamics):
            self._look_ahead(t, dynamics, v)
        plan = self._plan
        assert plan is not None
        k = min(t - self._made, len(plan.com) - 1)
        self.outside[t], self.slip[t], self.lift[t] = plan.outside[k], plan.slip[k], plan.lift[k]
        return WholeBodyTarget(plan.com[k], plan.com_V[k], plan.com_A[k], self._momentum[k], plan.momentum_rate[k])

    def _is_stale(self, t: int, dynamics: Dynamics) -> bool:
        """Whether a new plan is due: always after a while, sooner when the body has left the old one."""
        age = t - self._made
        if self._plan is None or age >= self.longest:
            return True
        if age < self.replan:
            return False
        x, y, z = (dynamics.com - self._plan.com[age]).tolist()
        return bool(x * x + y * y + z * z > (_ASTRAY * self.body.height) ** 2)

    def _look_ahead(self, t: int, dynamics: Dynamics, v: Floats) -> None:
        momentum = dynamics.angular_rows()[0] @ v
        velocity = dynamics.H[:3] @ v / dynamics.mass
        data = dynamics.data
        apart = [
            rot.log(rot.multiply(np.asarray(data.xquat[k + 1]), rot.inverse(rotation)))
            for k, rotation in zip(self._trunk, self._turns[t], strict=True)
        ]
        turned = whole_inertia(dynamics) @ np.mean(apart, axis=0)
        extra = momentum - self.reference.momentum[t] - self._extra[t]
        start = PlanStart(dynamics.com.copy(), velocity, extra, turned - self._turned[t])
        plan = self.planner.plan(t, self.horizon, start)
        plan.momentum_rate[:, 1] += self._pivot(t, start)
        gained = np.cumsum(plan.momentum_rate[:-1], axis=0) / self.reference.rate
        self._plan, self._made = plan, t
        self._momentum = momentum + np.vstack([np.zeros((1, 3)), gained])

    def _pivot(self, t: int, start: PlanStart) -> float:
        """The torque about the vertical that brings the body back to its heading, as far as friction has any left."""
        correction = -(_PIVOT_RATE**2) * start.turned[1] - 2.0 * _PIVOT_RATE * start.momentum[1]
        rate = float(self.reference.momentum_rate[t, 1])
        most = PIVOT_MOST * self.planner.mu * self.body.weight * float(self.planner.support.spread[t])
        return float(np.clip(rate + correction, min(-most, rate), max(most, rate)) - rate)


def whole_inertia(dynamics: Dynamics) -> Floats:
    """(3, 3) inertia of the whole body, as it is posed, about its centre of mass in world axes."""
    R, arm = dynamics.root_axes, dynamics.com - dynamics.root_place
    about_root = R @ dynamics.H[3:6, 3:6] @ R.T
    return np.asarray(about_root - dynamics.mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm)))
