r"""The dynamic filter, one frame at a time: a body that follows a motion by forces that the ground can give.

===============  ==========================================================================
Tracker          the body; ``step`` moves it by one frame
TrackedStep      what happened in one frame
FrameSolver      accelerations and forces of one frame
===============  ==========================================================================

[pollard] section 4: desired accelerations from the data and the errors (Eq. 3 to 5), contact forces within friction
(Eq. 7), accelerations that need no force at the root (Eq. 8, 9), reference points (Eq. 10 to 15), explicit Euler.

*Errata.* The paper computes forces from the desired accelerations (Eq. 6, 7), corrects the accelerations so that
nothing acts on the root (Eq. 8, 9), and then corrects them again to hold the reference points (Eq. 14, 15). The second
correction undoes the first: up to 2,900 N act on the root of a kick in the printed order. The exact answer costs the
same. Minimize

.. math:: |a - a_{des}|^2_W + \sum_i w_i (J_i a - r_i)^2 \quad\text{such that}\quad H_r a + C_r = B f,\; f \ge 0.

With :math:`P = W + J^T w J`, its optimum without contacts :math:`a_u`, :math:`S = H_r P^{-1} H_r^T = L L^T` and
:math:`d = H_r a_u + C_r` the forces solve the small problem :math:`f = \mathrm{NNLS}(L^{-1} B, L^{-1} d)`, and
:math:`a = a_u + P^{-1} H_r^T S^{-1} (B f - d)`.
:math:`P^{-1}` is never formed: products of the rows of :math:`J` and :math:`H_r` are all that is needed.

Laws (``tests/physics/frame/test_tracking.py``): in the exact order nothing is left on the root; coefficients of "nnls"
and "greedy" are not negative; a general solver finds no better answer; a readable NumPy version takes the same steps.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.physics.equations_of_motion import Dynamics
from kinetune.physics.filter.com_targets import TargetSource, WholeBodyTarget
from kinetune.physics.filter.filter_settings import FilterSettings, Gains, Pair
from kinetune.physics.filter.references import NEAR, TOUCH, Feet, Reference
from kinetune.physics.ground import ContactGround, FlatGround, friction_pyramid
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

SOLVERS: dict[str, int] = {"nnls": 0, "greedy": 1, "least_squares": 2}
ORDERS: dict[str, int] = {"exact": 0, "printed": 1}
STAY = 1e-6
"""How much each coefficient is held back, against the mean of the normal equations: it decides what many points of one
foot leave open."""
MOST_STEPS = {"nnls": 300, "greedy": 5000, "least_squares": 1}
LANDING = 0.15
"""Metres above the ground at which a foot is still free."""
_DIVERGED = 1e3  # rad/s or m/s
_SPINE = ("spine", "chest", "neck", "head", "upper chest", "lower back")

frame_kernels = Kernels("kinetune.physics.frame.frame_kernels")


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


class FrameSolution(NamedTuple):
    """Accelerations (dof,), forces (points, 3), generalized forces beyond theirs (dof,), held points (feet, 3)."""

    accelerations: Floats
    forces: Floats
    needed: Floats
    toes: Floats


class Tracker:
    """A body that follows a motion, frame by frame."""

    def __init__(self, body: Body, feet: Feet, ground: ContactGround, settings: FilterSettings, rate: float) -> None:
        self.body, self.rate = body, rate
        self.frames = FrameSolver(body, feet, ground, settings, rate)
        self.q, self.v = np.zeros(body.nq), np.zeros(body.nv)

    def start(self, q: Floats, v: Floats, stance: NDArray[np.bool_]) -> None:
        """Set the state; feet that stand are held where the data have them."""
        self.q, self.v = np.array(q), np.array(v)
        self.frames.start(stance)

    @property
    def diverged(self) -> bool:
        """Whether the state is no longer a pose."""
        return not float(self.v @ self.v) < _DIVERGED**2  # also true for NaN

    def step(self, reference: Reference, t: int, targets: TargetSource | None = None) -> TrackedStep:
        """Move by one frame, from frame ``t`` of a motion towards the next; ``targets`` of the body as a whole."""
        dynamics, q, v = self.frames.dynamics, self.q, self.v
        dynamics.update(q, v)
        aim = None if targets is None else targets.target(t, dynamics, v)
        a, forces, needed, toes = self.frames.solve(reference, t, aim, q, v)
        step = TrackedStep(q, v, a, forces, needed[6:], needed[:6], dynamics.com.copy(), toes)
        self.q = q.copy()
        mujoco.mj_integratePos(self.body.model, self.q, v, 1.0 / self.rate)
        self.v = v + a / self.rate
        return step


class FrameSolver:
    """The frames of one filtered motion, one after another, on a body whose dynamics are up to date."""

    def __init__(self, body: Body, feet: Feet, ground: ContactGround, settings: FilterSettings, rate: float) -> None:
        self.body, self.feet, self.ground, self.settings, self.rate = body, feet, ground, settings, rate
        self.dynamics = Dynamics(body)
        self.stiff, self.damp = _pose_gains(body, settings.gains)
        self.loose, self.error = np.ones(body.nv), np.zeros(body.nv)
        self.basis = self.pyramids(np.array([[0.0, 1.0, 0.0]] * max(1, len(body.points))))
        self.offsets = np.array([point.position for point in body.points]).reshape(-1, 3)
        self._under = ground.height(np.zeros((len(body.points), 3))) if isinstance(ground, FlatGround) else None
        kernels = self._kernels = frame_kernels.load()
        most = 3 * len(feet) + 6
        self.rows = kernels.FrameRows(np.zeros((body.nv, most + 6)), np.zeros(most), np.zeros(most))
        solver = settings.solver if settings.mode == "friction" else "least_squares"
        self.method = kernels.ForceMethod(STAY, SOLVERS[solver], ORDERS[settings.order], MOST_STEPS[solver])
        self.held = kernels.HeldFeet(
            np.array(feet.bodies, dtype=np.intp),
            np.array([part == "heel" for part in feet.parts], dtype=bool),
            np.zeros(len(feet), dtype=bool),
            np.full(len(feet), np.inf),
            np.zeros((len(feet), 3)),
        )
        carriers = np.array([point.body for point in body.points], dtype=np.intp)
        likely = np.zeros((len(body.points), settings.sides), dtype=bool)
        self.contacts = kernels.ContactPoints(feet.owner, carriers, _inner_points(body, feet), likely)
        self.gains = kernels.FootGains(**_foot_gains(settings.gains, rate))
        model, dynamics, data = body.model, self.dynamics, self.dynamics.data
        lasts = np.array(model.body_dofadr + model.body_dofnum - 1, dtype=np.intp)
        lasts[0] = -1
        self.state = kernels.BodyState(  # views of what MuJoCo computes in place, and of its tree
            H=dynamics.H,
            C=dynamics.C,
            com=dynamics.com,
            root=dynamics.root_place,
            axes=dynamics.root_axes,
            cdof=data.cdof,
            cvel=data.cvel,
            v=np.zeros(body.nv),
            mass=dynamics.mass,
            gravity=dynamics.gravity,
            parents=np.array(model.dof_parentid, dtype=np.intp),
            owners=np.array(model.dof_bodyid, dtype=np.intp),
            lasts=lasts,
        )

    def start(self, stance: NDArray[np.bool_]) -> None:
        """Feet that stand are held where the data have them."""
        self.held.stood[:] = stance
        self.held.anchor[:] = 0.0
        self.held.age[:] = np.inf

    def solve(self, reference: Reference, t: int, aim: WholeBodyTarget | None, q: Floats, v: Floats) -> FrameSolution:
        """The frame ``t`` of a motion, from the state (q, v) of :attr:`dynamics`."""
        kernels, settings, rows, state, contacts = self._kernels, self.settings, self.rows, self.state, self.contacts
        data = self.dynamics.data
        state.v[:] = v
        mujoco.mj_differentiatePos(self.body.model, self.error, 1.0, q, reference.Q[t])
        toes = kernels.world_points(data.xpos, data.xmat, self.held.bodies, self.feet.offsets)
        count = 0
        if settings.mode != "joint":
            toe_paths = reference.toes, reference.toes_V, reference.toes_A
            path = kernels.FootPath(reference.stance, reference.clearance, *toe_paths)
            count = kernels.hold_feet(t, path, self.held, state, self.gains, toes, rows)
        if aim is not None:
            count = kernels.hold_whole(state, aim, self.gains, settings.whole == "com", count, rows)
        pose = reference.A, reference.V, self.error, self.stiff, self.damp
        desired = kernels.hold_pose(t, *pose, state, count, rows)
        points = kernels.world_points(data.xpos, data.xmat, contacts.carriers, self.offsets)
        under, basis = self._under, self.basis
        if under is None:
            under, basis = self.ground.height(points), self.pyramids(self.ground.normal(points))
        down, B, guess = kernels.press(t, reference.stance, contacts, points, under, basis, NEAR, TOUCH, state)
        if settings.torque_limit is None:
            a, f, _ = kernels.solve_frame(rows, count, state.C[:6], desired, self.loose, B, self.method, guess)
        else:
            a, f = self._solve_limited(count, desired, down, points, basis, settings.torque_limit)
        forces, needed = kernels.load_up(a, f, down, contacts, points, basis, state)
        return FrameSolution(a, forces, needed, toes)

    def pyramids(self, normals: Floats) -> Floats:
        """(points, sides, 3) directions of the forces that are allowed."""
        sides = self.settings.sides
        return friction_pyramid(normals, self.settings.mu, sides).reshape(len(normals), sides, 3)

    def _solve_limited(
        self, count: int, desired: Floats, down: NDArray[np.intp], points: Floats, basis: Floats, limit: Floats
    ) -> tuple[Floats, Floats]:
        """Accelerations and coefficients of a frame in which torques are limited."""
        from kinetune.physics.frame._torque_limits import solve_limited

        pushes = [basis[k] @ self.dynamics.jacobian(points[k], self.body.points[k].body) for k in down.tolist()]
        columns = np.concatenate(pushes) if pushes else np.zeros((0, self.body.nv))
        return solve_limited(self.rows, count, self.dynamics, desired, columns, limit, STAY)


def _foot_gains(gains: Gains, rate: float) -> dict[str, float]:
    """The gains of feet and whole body by name, as the kernels take them."""
    pairs = {name: getattr(gains, name) for name in ("foot", "swing", "landing", "com")}
    weights = ("foot_weight", "swing_weight", "landing_weight", "com_weight", "momentum_weight", "pivot_weight")
    return {
        **{f"{name}_{letter}": pair[i] for name, pair in pairs.items() for i, letter in enumerate("kb")},
        **{name: getattr(gains, name) for name in weights},
        "heel_weight": gains.foot_weight * gains.heel_share,
        "landing_height": LANDING,
        "fade": float(np.exp(-1.0 / (rate * gains.anchor_s))) if gains.anchor_s > 0.0 else 0.0,
        "ramp": gains.ramp_s * rate,
        "momentum": gains.momentum,
    }


def _inner_points(body: Body, feet: Feet) -> NDArray[np.intp]:
    """Which points need not press when their whole foot does: a flat foot stands on its heels and tips."""
    inner = np.full(len(body.points), -1, dtype=np.intp)
    number = 0
    for side in dict.fromkeys(feet.sides) if body.human else ():
        points = [k for k, point in enumerate(body.points) if point.side == side]
        balls = [k for k in points if " ball " in f" {body.points[k].name} "]
        if len(points) - len(balls) >= 4:
            inner[points], inner[balls] = 2 * number + 1, 2 * number
            number += 1
    return inner


def _pose_gains(body: Body, gains: Gains) -> tuple[Floats, Floats]:
    """Stiffness and damping of every degree of freedom."""
    table: list[Pair] = [gains.joint] * (body.nv // 3)
    table[0], table[1] = gains.root_position, gains.root_rotation
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
