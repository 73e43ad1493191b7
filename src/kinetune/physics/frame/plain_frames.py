"""What the filter asks of one frame, and the forces that answer it: the readable body.

===========  ==========================================================================
FilterSettings     what is tracked, and which forces are allowed
PlainFrames  frame after frame in NumPy, on a body whose dynamics are up to date
FrameSolution       what came out of one
===========  ==========================================================================

``compiled_frames.py`` has the same in compiled kernels, some five times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinetune.physics.equations_of_motion import Dynamics
from kinetune.physics.filter.com_targets import WholeBodyTarget
from kinetune.physics.filter.references import Feet, Reference, find_pressing_points
from kinetune.physics.filter.filter_settings import STEADY, Gains, Pair
from kinetune.physics.frame.frame_solve import MOST_STEPS, ORDERS, SOLVERS, STAY, Order, Solver, foot_rows, solve_frame
from kinetune.physics.frame._torque_limits import LimitedFrame, solve_limited
from kinetune.physics.ground import ContactGround, friction_pyramid, root_wrenches, sum_forces
from kinetune.physics.inverse_dynamics import contact_torques
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

Mode = Literal["joint", "position", "friction"]
Whole = Literal["plan", "com", "none"]

LANDING = 0.15
"""Metres above the ground at which a foot is still free."""
_SPINE = ("spine", "chest", "neck", "head", "upper chest", "lower back")
_LEVEL = np.array([1.0, 0.0, 1.0])


@dataclass(frozen=True)
class FilterSettings:
    """What the filter tracks, and which forces it allows.

    mode : "joint" tracks the pose alone and "position" the toes of standing feet as well, both with any forces at the
        contacts; "friction" allows only forces within the friction pyramid and tracks the whole of the body too.
    whole : in mode "friction": "plan" tracks the planned centre of mass and angular momentum, "com" the horizontal
        place of the centre of mass alone, as the paper does.
    mu, sides : the friction pyramid. solver, order : see :mod:`kinetune.physics.frame.frame_solve`.
    torque_limit : (dof,) newton metres for each degree of freedom, or None for any strength.
    """

    mode: Mode = "friction"
    whole: Whole = "plan"
    mu: float = 1.0
    sides: int = 4
    solver: Solver = "nnls"
    order: Order = "exact"
    gains: Gains = STEADY
    torque_limit: Floats | None = None


class FrameSolution(NamedTuple):
    """Accelerations (dof,), forces (points, 3), generalized forces beyond theirs (dof,), held points (feet, 3)."""

    accelerations: Floats
    forces: Floats
    needed: Floats
    toes: Floats


class PlainFrames:
    """The frames of one filtered motion, one after another."""

    def __init__(self, body: Body, feet: Feet, ground: ContactGround, settings: FilterSettings, rate: float) -> None:
        self.body, self.feet, self.ground, self.settings, self.rate = body, feet, ground, settings, rate
        self.dynamics = Dynamics(body)
        self.solver: Solver = settings.solver if settings.mode == "friction" else "least_squares"
        self.stiff, self.damp = _pose_gains(body, settings.gains)
        self.loose = np.ones(body.nv)
        self.error = np.zeros(body.nv)
        count = len(feet)
        self.bodies = np.array(feet.bodies, dtype=np.intp)
        self.carriers = np.array([point.body for point in body.points], dtype=np.intp)
        self.offsets = np.array([point.position for point in body.points]).reshape(-1, 3)
        anchor_s = settings.gains.anchor_s
        self.fade = float(np.exp(-1.0 / (rate * anchor_s))) if anchor_s > 0.0 else 0.0
        self.anchor = np.zeros((count, 3))
        self.age = np.full(count, np.inf)
        self.stood = np.zeros(count, dtype=bool)
        most = 3 * count + 6
        self.keys = np.zeros((body.nv, most + 6))
        self.target, self.soft = np.zeros(most), np.zeros(most)
        self.basis = self.pyramids(np.array([[0.0, 1.0, 0.0]] * max(1, len(body.points))))
        # Feet whose inner points need not press when all of them do: a foot that is flat stands on its heels and tips.
        self.insides: list[tuple[list[int], list[int]]] = []
        for side in dict.fromkeys(feet.sides) if body.human else ():
            own = [k for k, point in enumerate(body.points) if point.side == side]
            inner = [k for k in own if " ball " in f" {body.points[k].name} "]
            if len(own) - len(inner) >= 4:
                self.insides.append((own, inner))

    def start(self, stance: NDArray[np.bool_]) -> None:
        """Feet that stand are held where the data have them."""
        self.stood[:] = stance
        self.anchor[:] = 0.0
        self.age[:] = np.inf

    def solve(self, reference: Reference, t: int, aim: WholeBodyTarget | None, q: Floats, v: Floats) -> FrameSolution:
        """The frame ``t`` of a motion, from the state (q, v) of :attr:`dynamics`."""
        dynamics, settings = self.dynamics, self.settings
        mujoco.mj_differentiatePos(self.body.model, self.error, 1.0, q, reference.Q[t])
        desired = reference.A[t] + self.stiff * self.error + self.damp * (reference.V[t] - v)
        toes = self._placed(self.bodies, self.feet.offsets)
        rows = 0 if settings.mode == "joint" else self.hold_feet(reference, t, toes, v)
        if aim is not None:
            rows = self.hold_whole(aim, rows, v)
        self.keys[:, rows : rows + 6] = dynamics.H[:6].T
        points = self._placed(self.carriers, self.offsets)
        down = self._outer(
            find_pressing_points(points[:, 1] - self.ground.height(points), reference.stance[t], self.feet)
        )
        basis = self.pyramids(self.ground.normal(points[down]))
        if settings.torque_limit is None:
            B = root_wrenches(points[down], basis.reshape(-1, 3), dynamics.root_place, dynamics.root_axes)
            given = (self.keys, rows, dynamics.C[:6], desired, self.target, self.soft, self.loose, B, STAY)
            a, f, _ = solve_frame(*given, SOLVERS[self.solver], ORDERS[settings.order], MOST_STEPS[self.solver])
        else:
            a, f, _ = self._limited(rows, desired, down, points, basis)
        forces = np.zeros_like(points)
        forces[down] = sum_forces(f, basis.reshape(-1, 3), len(down)) if len(down) else 0.0
        which = np.flatnonzero(forces.any(axis=1))
        pushed = contact_torques(self.body, dynamics.data, forces[which], points[which], which)
        return FrameSolution(a, forces, np.asarray(dynamics.H @ a + dynamics.C - pushed), toes)

    def _placed(self, bodies: NDArray[np.intp], offsets: Floats) -> Floats:
        """World positions (n, 3) of points fixed to bodies."""
        data = self.dynamics.data
        turned = np.asarray(data.xmat)[bodies].reshape(-1, 3, 3) @ offsets[:, :, None]
        return np.asarray(data.xpos)[bodies] + turned[:, :, 0]

    def hold_feet(self, reference: Reference, t: int, toes: Floats, v: Floats) -> int:
        """Rows for heels and toes; returns how many there are."""
        chosen: list[int] = []
        pulls: list[Floats] = []
        damps: list[float] = []
        for foot, stands in enumerate(reference.stance[t].tolist()):
            wanted = reference.toes[t, foot]
            (k, b), weight = self._grip(foot, stands, float(reference.clearance[t, foot]), toes[foot], wanted)
            if weight <= 0.0 or (not stands and self.feet.parts[foot] == "heel"):
                continue
            pull = reference.toes_A[t, foot] + k * (wanted - toes[foot]) + b * reference.toes_V[t, foot]
            self.soft[3 * len(chosen) : 3 * len(chosen) + 3] = 1.0 / weight
            chosen.append(foot)
            pulls.append(pull + k * self.anchor[foot] if stands else pull)
            damps.append(b)
        if chosen:
            jacobians = np.array([self.dynamics.jacobian(toes[foot], self.feet.bodies[foot]) for foot in chosen])
            biases = np.array([self.dynamics.jacobian_rate(toes[foot], self.feet.bodies[foot]) for foot in chosen])
            foot_rows(jacobians, biases, v, np.array(pulls), np.array(damps), self.keys, self.target)
        return 3 * len(chosen)

    def _grip(self, foot: int, stands: bool, clearance: float, place: Floats, wanted: Floats) -> tuple[Pair, float]:
        """Stiffness, damping and weight of a foot; one that has just landed stays where it is and drifts back."""
        gains = self.settings.gains
        landed = stands and not self.stood[foot]
        self.stood[foot] = stands
        if not stands:  # the nearer to the ground, the firmer
            near = min(max(1.0 - clearance / LANDING, 0.0), 1.0)
            (k, b), (k_near, b_near) = gains.swing, gains.landing
            weight = gains.swing_weight + near * (gains.landing_weight - gains.swing_weight)
            return (k + near * (k_near - k), b + near * (b_near - b)), weight
        if landed:
            self.age[foot] = 0.0
            self.anchor[foot] = (place - wanted) * _LEVEL
        self.age[foot] += 1.0
        self.anchor[foot] *= self.fade
        grip = min(1.0, self.age[foot] / (gains.ramp_s * self.rate)) if gains.ramp_s > 0.0 else 1.0
        most = gains.foot_weight * (gains.heel_share if self.feet.parts[foot] == "heel" else 1.0)
        return gains.foot, gains.landing_weight + (most - gains.landing_weight) * grip

    def hold_whole(self, aim: WholeBodyTarget, rows: int, v: Floats) -> int:
        """Rows for centre of mass and angular momentum; returns how many rows there are now."""
        gains, dynamics = self.settings.gains, self.dynamics
        (linear, bias), (angular, turning) = dynamics.com_rows(), dynamics.angular_rows()
        k, b = gains.com
        target = aim.acceleration + k * (aim.com - dynamics.com) + b * (aim.velocity - linear @ v) - bias
        if self.settings.whole == "com":
            self.keys[:, rows : rows + 2] = linear[[0, 2]].T
            self.target[rows : rows + 2] = target[[0, 2]]
            self.soft[rows : rows + 2] = 1.0 / gains.com_weight
            return rows + 2
        self.keys[:, rows : rows + 3], self.keys[:, rows + 3 : rows + 6] = linear.T, angular.T
        self.target[rows : rows + 3] = target
        self.soft[rows : rows + 3] = 1.0 / gains.com_weight
        turn = aim.momentum_rate + gains.momentum * (aim.momentum - angular @ v) - turning
        self.target[rows + 3 : rows + 6] = turn
        self.soft[rows + 3 : rows + 6] = 1.0 / gains.momentum_weight
        self.soft[rows + 4] = 1.0 / gains.pivot_weight
        return rows + 6

    def _outer(self, down: NDArray[np.intp]) -> NDArray[np.intp]:
        """The points that press without those between others."""
        pressed = down.tolist()
        for whole, inner in self.insides:
            if set(whole).issubset(pressed):
                pressed = [k for k in pressed if k not in inner]
        return down if len(pressed) == len(down) else np.array(pressed, dtype=np.intp)

    def pyramids(self, normals: Floats) -> Floats:
        """(points, sides, 3) directions of the forces that are allowed."""
        sides = self.settings.sides
        return friction_pyramid(normals, self.settings.mu, sides).reshape(len(normals), sides, 3)

    def _limited(
        self, rows: int, desired: Floats, down: NDArray[np.intp], points: Floats, basis: Floats
    ) -> LimitedFrame:
        """The frame of a body that is only so strong."""
        limit = self.settings.torque_limit
        assert limit is not None
        H, C = self.dynamics.H, self.dynamics.C
        pushes = [
            basis[k] @ self.dynamics.jacobian(points[number], self.body.points[number].body)
            for k, number in enumerate(down.tolist())
        ]
        columns = np.concatenate(pushes) if pushes else np.zeros((0, self.body.nv))
        return solve_limited(self.keys, rows, H, C, desired, self.target, self.soft, columns, limit, STAY)


def _pose_gains(body: Body, gains: Gains) -> tuple[Floats, Floats]:
    """Stiffness and damping of every degree of freedom."""
    table: list[Pair] = [gains.joint] * (body.nv // 3)
    table[0], table[1] = gains.root_place, gains.root_turn
    roles = body.skeleton.roles
    spine = {roles[name] for name in _SPINE if name in roles}
    top = roles.get("head", roles.get("neck", roles.get("chest")))
    if top is not None:
        spine |= set(body.skeleton.chain(top)) - set(body.skeleton.chain(body.root))
    for k, segment in enumerate(body.segments):
        if k > 0 and segment.joint in spine:
            table[1 + k] = gains.spine
    stiff, damp = (np.repeat([pair[i] for pair in table], 3) for i in (0, 1))
    return stiff, damp
