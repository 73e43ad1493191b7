"""The dynamic filter, one frame at a time: a body that follows a motion by forces that the ground can give.

===========  ==========================================================================
Settings     what is tracked, and which forces are allowed
Tracker      the body on its way; ``step`` moves it by one frame
Step         what happened in one frame
===========  ==========================================================================

[pollard] section 4: desired accelerations from the data and the errors (Eq. 3 to 5), contact forces within friction
(Eq. 7), accelerations that need no force at the root (Eq. 8, 9), reference points (Eq. 10 to 15), explicit Euler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinetune.physics.body import Body
from kinetune.physics.contacts import Flat, Ground, add_up, pyramid, root_map
from kinetune.physics.dynamics import Dynamics
from kinetune.physics.frame_solve import (
    MOST_STEPS,
    ORDERS,
    SOLVERS,
    STAY,
    Order,
    Solver,
    compiled,
    foot_rows,
    solve_frame,
)
from kinetune.physics.guiding import Aim, Guide
from kinetune.physics.presets import STEADY, Gains, Pair
from kinetune.physics.references import Feet, Reference, pressing
from kinetune.physics.support import contact_torques
from kinetune.physics.torque_limits import LimitedFrame, solve_limited
from kinetune.rotations import Floats

Mode = Literal["joint", "position", "friction"]
Whole = Literal["plan", "com", "none"]

_SPINE = ("spine", "chest", "neck", "head", "upper chest", "lower back")
_LANDING = 0.15  # metres above the ground at which a foot is still free
_LEVEL = np.array([1.0, 0.0, 1.0])
_DIVERGED = 1e3  # rad/s or m/s


@dataclass(frozen=True)
class Settings:
    """What the filter tracks, and which forces it allows.

    mode : "joint" tracks the pose alone and "position" the toes of standing feet as well, both with any forces at the
        contacts; "friction" allows only forces within the friction pyramid and tracks the whole of the body too.
    whole : in mode "friction": "plan" tracks the planned centre of mass and angular momentum, "com" the horizontal
        place of the centre of mass alone, as the paper does.
    mu, sides : the friction pyramid. solver, order : see :mod:`kinetune.physics.frame_solve`.
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


class Step(NamedTuple):
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

    def __init__(self, body: Body, feet: Feet, ground: Ground, settings: Settings, rate: float) -> None:
        self.body, self.feet, self.ground, self.settings, self.rate = body, feet, ground, settings, rate
        self.dynamics = Dynamics(body)
        self.q, self.v = np.zeros(body.nq), np.zeros(body.nv)
        self._stiff, self._damp = _pose_gains(body, settings.gains)
        self._loose = np.ones(body.nv)
        self._kernels = compiled()
        self._error = np.zeros(body.nv)
        count = len(feet)
        self._bodies = np.array(feet.bodies, dtype=np.intp)
        carriers = np.array([point.body for point in body.points], dtype=np.intp)
        self._points = carriers, np.array([point.position for point in body.points]).reshape(-1, 3)
        self._likely = np.zeros((len(body.points), settings.sides), dtype=bool)
        self._jacobians, self._rates = np.zeros((count, 3, body.nv)), np.zeros((count, 3, body.nv))
        self._pulls, self._damps = np.zeros((count, 3)), np.zeros(count)
        anchor_s = settings.gains.anchor_s
        self._fade = float(np.exp(-1.0 / (rate * anchor_s))) if anchor_s > 0.0 else 0.0
        self._anchor = np.zeros((count, 3))
        self._age = np.full(count, np.inf)
        self._stood = np.zeros(count, dtype=bool)
        most = 3 * count + 6
        self._keys = np.zeros((body.nv, most + 6))
        self._target, self._soft, self._bias = np.zeros(most), np.zeros(most), np.zeros(6)
        self._insides = []
        for side in set(feet.sides) if body.human else ():
            own = [k for k, point in enumerate(body.points) if point.side == side]
            inner = [k for k in own if " ball " in f" {body.points[k].name} "]
            if len(own) - len(inner) >= 4:
                self._insides.append((set(own), inner))
        self._flat = isinstance(ground, Flat)
        self._basis = self._pyramids(np.array([[0.0, 1.0, 0.0]] * max(1, len(body.points))))

    def start(self, q: Floats, v: Floats, stance: NDArray[np.bool_]) -> None:
        """Set the state; feet that stand are held where the data have them."""
        self.q, self.v = np.array(q), np.array(v)
        self._stood = np.array(stance)
        self._anchor[:] = 0.0
        self._age[:] = np.inf

    @property
    def diverged(self) -> bool:
        """Whether the state is no longer a pose."""
        return not float(self.v @ self.v) < _DIVERGED**2  # also when it is no number

    def step(self, reference: Reference, t: int, guide: Guide | None = None) -> Step:
        """Move by one frame, from frame ``t`` of a motion towards the next; a guide says where the whole should go."""
        body, dynamics, settings = self.body, self.dynamics, self.settings
        q, v = self.q, self.v
        dynamics.update(q, v)
        mujoco.mj_differentiatePos(body.model, self._error, 1.0, q, reference.Q[t])
        desired = reference.A[t] + self._stiff * self._error + self._damp * (reference.V[t] - v)
        toes = self._toes()
        rows = 0 if settings.mode == "joint" else self._hold_feet(reference, t, toes)
        if guide is not None:
            rows = self._hold_whole(guide.aim(t, dynamics, v), rows)
        self._keys[:, rows : rows + 6] = dynamics.H[:6].T
        points = self._placed(*self._points)
        heights = points[:, 1] - (self.ground.level if isinstance(self.ground, Flat) else self.ground.height(points))
        down = self._outer(pressing(heights, reference.stance[t], self.feet))
        basis = self._basis[down] if self._flat else self._pyramids(self.ground.normal(points[down]))
        if settings.torque_limit is None:
            a, f = self._solve(rows, desired, points[down], basis, down)
        else:
            a, f, _ = self._limited(rows, desired, down, points, basis)
        forces = np.zeros_like(points)
        forces[down] = add_up(f, basis.reshape(-1, 3), len(down)) if len(down) else 0.0
        needed = self._needed(a, points, forces)
        done = Step(q, v, a, forces, needed[6:], needed[:6], dynamics.com.copy(), toes)
        self.q = np.array(q)
        mujoco.mj_integratePos(body.model, self.q, v, 1.0 / self.rate)
        self.v = v + a / self.rate
        return done

    # --- what is held

    def _toes(self) -> Floats:
        return self._placed(self._bodies, self.feet.offsets)

    def _placed(self, bodies: NDArray[np.intp], offsets: Floats) -> Floats:
        """World positions (n, 3) of points fixed to bodies."""
        data = self.dynamics.data
        if self._kernels is None:
            turned = np.asarray(data.xmat)[bodies].reshape(-1, 3, 3) @ offsets[:, :, None]
            return np.asarray(data.xpos)[bodies] + turned[:, :, 0]
        found = np.empty((len(bodies), 3))
        self._kernels.place_points(data.xpos, data.xmat, bodies, offsets, found)
        return found

    def _hold_feet(self, reference: Reference, t: int, toes: Floats) -> int:
        """Rows for heels and toes; returns how many there are."""
        model, data = self.body.model, self.dynamics.data
        count = 0
        stance, clearance, wanted = reference.stance[t].tolist(), reference.clearance[t].tolist(), reference.toes[t]
        for foot, stands in enumerate(stance):
            (k, b), weight = self._grip(foot, stands, clearance[foot], toes[foot], wanted[foot])
            if weight <= 0.0 or (not stands and self.feet.parts[foot] == "heel"):
                continue
            mujoco.mj_jac(model, data, self._jacobians[count], None, toes[foot], self.feet.bodies[foot])
            mujoco.mj_jacDot(model, data, self._rates[count], None, toes[foot], self.feet.bodies[foot])
            pull = reference.toes_A[t, foot] + k * (wanted[foot] - toes[foot]) + b * reference.toes_V[t, foot]
            self._pulls[count] = pull + k * self._anchor[foot] if stands else pull
            self._damps[count], self._soft[3 * count : 3 * count + 3] = b, 1.0 / weight
            count += 1
        rows = foot_rows if self._kernels is None else self._kernels.foot_rows
        rows(self._jacobians, self._rates, self.v, self._pulls, self._damps, count, self._keys, self._target)
        return 3 * count

    def _grip(self, foot: int, stands: bool, clearance: float, place: Floats, wanted: Floats) -> tuple[Pair, float]:
        """Stiffness, damping and weight of a foot; one that has just landed stays where it is and drifts back."""
        gains = self.settings.gains
        landed = stands and not self._stood[foot]
        self._stood[foot] = stands
        if not stands:  # the nearer to the ground, the firmer
            near = min(max(1.0 - clearance / _LANDING, 0.0), 1.0)
            (k, b), (k_near, b_near) = gains.swing, gains.landing
            weight = gains.swing_weight + near * (gains.landing_weight - gains.swing_weight)
            return (k + near * (k_near - k), b + near * (b_near - b)), weight
        if landed:
            self._age[foot] = 0.0
            self._anchor[foot] = (place - wanted) * _LEVEL if gains.anchor_s > 0.0 else 0.0
        self._age[foot] += 1.0
        if gains.anchor_s > 0.0:
            self._anchor[foot] *= self._fade
        grip = min(1.0, self._age[foot] / (gains.ramp_s * self.rate)) if gains.ramp_s > 0.0 else 1.0
        most = gains.foot_weight * (gains.heel_share if self.feet.parts[foot] == "heel" else 1.0)
        return gains.foot, gains.landing_weight + (most - gains.landing_weight) * grip

    def _hold_whole(self, aim: Aim, rows: int) -> int:
        """Rows for centre of mass and angular momentum; returns how many rows there are now."""
        gains, dynamics, v = self.settings.gains, self.dynamics, self.v
        com, bias = dynamics.com, self._bias
        if self._kernels is None:
            (linear, bias[:3]), (angular, bias[3:]) = dynamics.com_rows(), dynamics.angular_rows()
            self._keys[:, rows : rows + 3], self._keys[:, rows + 3 : rows + 6] = linear.T, angular.T
        else:
            lever = com - dynamics.root_place
            H6, C = dynamics.H[:6], dynamics.C
            self._kernels.centroid_rows(
                H6, C, dynamics.root_axes, lever, dynamics.mass, dynamics.gravity, self._keys, rows, bias
            )
        now = v @ self._keys[:, rows : rows + 6]
        k, b = gains.com
        target = aim.acceleration + k * (aim.com - com) + b * (aim.velocity - now[:3]) - bias[:3]
        if self.settings.whole == "com":
            self._keys[:, rows + 1] = self._keys[:, rows + 2]
            self._target[rows : rows + 2] = target[[0, 2]]
            self._soft[rows : rows + 2] = 1.0 / gains.com_weight
            return rows + 2
        self._target[rows : rows + 3] = target
        self._soft[rows : rows + 3] = 1.0 / gains.com_weight
        turn = aim.momentum_rate + gains.momentum * (aim.momentum - now[3:]) - bias[3:]
        self._target[rows + 3 : rows + 6] = turn
        self._soft[rows + 3 : rows + 6] = 1.0 / gains.momentum_weight
        self._soft[rows + 4] = 1.0 / gains.pivot_weight
        return rows + 6

    # --- forces

    def _outer(self, down: NDArray[np.intp]) -> NDArray[np.intp]:
        """The points that press without those between others: a foot that is flat stands on its heels and tips."""
        pressed = down.tolist()
        for whole, inner in self._insides:
            if whole.issubset(pressed):
                pressed = [k for k in pressed if k not in inner]
        return down if len(pressed) == len(down) else np.array(pressed, dtype=np.intp)

    def _pyramids(self, normals: Floats) -> Floats:
        """(points, sides, 3) directions of the forces that are allowed."""
        return pyramid(normals, self.settings.mu, self.settings.sides).reshape(len(normals), -1, 3)

    def _solve(
        self, rows: int, desired: Floats, points: Floats, basis: Floats, down: NDArray[np.intp]
    ) -> tuple[Floats, Floats]:
        settings, dynamics = self.settings, self.dynamics
        solver: Solver = settings.solver if settings.mode == "friction" else "least_squares"
        if self._kernels is None:
            B = root_map(points, basis.reshape(-1, 3), dynamics.root_place, dynamics.root_axes)
        else:
            B = np.empty((6, basis.shape[0] * basis.shape[1]))
            self._kernels.contact_columns(points, basis, dynamics.root_place, dynamics.root_axes, B)
        given = (self._keys, rows, dynamics.C[:6], desired, self._target, self._soft, self._loose, B, STAY)
        how = SOLVERS[solver], ORDERS[settings.order], MOST_STEPS[solver]
        if self._kernels is None or solver == "greedy":  # the paper's iteration is kept for comparison, in NumPy
            a, f, _ = solve_frame(*given, *how)
            return a, f
        a, f, _ = self._kernels.solve_frame(*given, *how, self._likely[down].ravel())
        self._likely[:] = False
        # What pressed in this frame will press in the next.
        self._likely[down] = f.reshape(len(down), self._likely.shape[1]) > 0.0
        return a, f

    def _needed(self, a: Floats, points: Floats, forces: Floats) -> Floats:
        """(dof,) generalized forces beyond the contacts': nothing at the root, torques at the joints."""
        which = np.flatnonzero(forces.any(axis=1))
        pushed = contact_torques(self.body, self.dynamics.data, forces[which], points[which], which)
        return np.asarray(self.dynamics.H @ a + self.dynamics.C - pushed)

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
        return solve_limited(self._keys, rows, H, C, desired, self._target, self._soft, columns, limit, STAY)


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
