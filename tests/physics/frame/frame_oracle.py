"""The frames of the dynamic filter in plain NumPy, to hold the compiled ones against.

Slow and readable: MuJoCo's Jacobians, general linear solvers, SciPy's NNLS. Compiled and plain frames agree to about
1e-9 of what they reach and not to the bit: sums run in other orders, and active sets along other routes.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from scipy.optimize import nnls

from kinetune.physics.equations_of_motion import Dynamics
from kinetune.physics.filter.references import NEAR, TOUCH
from kinetune.physics.frame.tracking import LANDING, ORDERS, SOLVERS, FrameSolution, FrameSolver
from kinetune.physics.ground import root_wrenches, sum_forces
from kinetune.physics.inverse_dynamics import contact_torques

_LEVEL = np.array([1.0, 0.0, 1.0])


class Solved(NamedTuple):
    accelerations: np.ndarray
    coefficients: np.ndarray


def solve_frame(rows, count, C6, desired, loose, B, method):
    """The problem of ``frame_kernels.solve_frame``, with the same parameters."""
    keys = rows.keys[:, : count + 6]
    gram, now = (keys * loose[:, None]).T @ keys, keys.T @ desired
    held, cross, S = gram[:count, :count], gram[:count, count:], gram[count:, count:]
    misses, d = rows.target[:count] - now[:count], now[count:] + C6
    push = np.zeros(count + 6)
    if method.order == ORDERS["exact"]:
        both = np.linalg.solve(held + np.diag(rows.soft[:count]), np.column_stack([misses, cross]))
        d = d + cross.T @ both[:, 0]
        S = S - cross.T @ both[:, 1:]
        f = forces(S, B, d, method)
        push[count:] = np.linalg.solve(S, B @ f - d)
        push[:count] = both[:, 0] - both[:, 1:] @ push[count:]
    else:
        f = forces(S, B, d, method)
        push[count:] = np.linalg.solve(S, B @ f - d)
        if count:
            ridge = np.eye(count) * (1e-10 * np.trace(held) / count)
            push[:count] = np.linalg.solve(held + ridge, misses - cross @ push[count:])
    return Solved(desired + loose * (keys @ push), f)


def forces(S, B, d, method):
    columns = B.shape[1]
    if columns == 0:
        return np.zeros(0)
    metric = np.linalg.solve(np.linalg.cholesky(S), np.column_stack([B, d]))
    A, b = metric[:, :columns], metric[:, columns]
    held = np.sqrt(method.stay * np.sum(A * A) / columns)
    if method.solver == SOLVERS["greedy"]:
        return greedy(A.T @ A + held * held * np.eye(columns), A.T @ b, method.most)
    whole, wanted = np.vstack([A, held * np.eye(columns)]), np.append(b, np.zeros(columns))
    return nnls(whole, wanted)[0] if method.solver == SOLVERS["nnls"] else np.linalg.lstsq(whole, wanted, rcond=None)[0]


def greedy(G, h, most):
    """[pollard] 4.2.3: change the coefficient that moves most directly toward the solution, never below zero."""
    x, slope, diagonal = np.zeros(len(h)), h.copy(), np.diagonal(G)
    enough = 1e-12 * np.sum(h * h / diagonal)
    for _ in range(most):
        change = np.maximum(slope / diagonal, -x)
        gain = 2.0 * change * slope - change * change * diagonal
        which = int(np.argmax(gain))
        if gain[which] <= enough:
            break
        x[which] += change[which]
        slope -= G[which] * change[which]
    return x


def jacobian_rate(dynamics: Dynamics, point, body):
    """(3,) the acceleration of a point of a body at zero ``qacc``."""
    rate = np.zeros((3, dynamics.body.nv))
    mujoco.mj_jacDot(dynamics.model, dynamics.data, rate, None, point, body)
    return rate @ dynamics.data.qvel


def com_rows(dynamics: Dynamics):
    """(3, nv) the Jacobian of the centre of mass, and (3,) its acceleration at zero ``qacc``.

    The root translates in world axes, so that the first rows of H are m J_com, and of C m (J_com' v - g).
    """
    return dynamics.H[:3] / dynamics.mass, dynamics.C[:3] / dynamics.mass + dynamics.gravity


class PlainFrames(FrameSolver):
    """The frames of one filtered motion."""

    def solve(self, reference, t, aim, q, v):
        dynamics, settings, rows = self.dynamics, self.settings, self.rows
        mujoco.mj_differentiatePos(self.body.model, self.error, 1.0, q, reference.Q[t])
        desired = reference.A[t] + self.stiff * self.error + self.damp * (reference.V[t] - v)
        toes = self.placed(self.held.bodies, self.feet.offsets)
        count = 0 if settings.mode == "joint" else self.hold_feet(reference, t, toes, v)
        if aim is not None:
            count = self.hold_whole(aim, count, v)
        rows.keys[:, count : count + 6] = dynamics.H[:6].T
        points = self.placed(self.contacts.carriers, self.offsets)
        heights = points[:, 1] - self.ground.height(points)
        down = self.outer(np.flatnonzero(heights < np.where(reference.stance[t][self.feet.owner], NEAR, TOUCH)))
        basis = self.pyramids(self.ground.normal(points))
        ways = basis[down].reshape(-1, 3)
        if settings.torque_limit is None:
            B = root_wrenches(points[down], ways, dynamics.root_place, dynamics.root_axes)
            a, f = solve_frame(rows, count, dynamics.C[:6], desired, self.loose, B, self.method)
        else:
            a, f = self._solve_limited(count, desired, down, points, basis, settings.torque_limit)
        pressed = np.zeros_like(points)
        pressed[down] = sum_forces(f, ways, len(down)) if len(down) else 0.0
        which = np.flatnonzero(pressed.any(axis=1))
        pushed = contact_torques(self.body, dynamics.data, pressed[which], points[which], which)
        return FrameSolution(a, pressed, dynamics.H @ a + dynamics.C - pushed, toes)

    def placed(self, bodies, offsets):
        """World positions (n, 3) of points fixed to bodies."""
        data = self.dynamics.data
        return data.xpos[bodies] + (data.xmat[bodies].reshape(-1, 3, 3) @ offsets[:, :, None])[:, :, 0]

    def hold_feet(self, reference, t, toes, v):
        """Rows for heels and toes; returns how many there are."""
        count = 0
        for foot, stands in enumerate(reference.stance[t].tolist()):
            goal, body = reference.toes[t, foot], self.feet.bodies[foot]
            k, b, weight = self.grip(foot, stands, reference.clearance[t, foot], toes[foot], goal)
            if weight <= 0.0 or (not stands and self.feet.parts[foot] == "heel"):
                continue
            pull = reference.toes_A[t, foot] + k * (goal - toes[foot]) + b * reference.toes_V[t, foot]
            pull = pull + k * self.held.anchor[foot] if stands else pull
            jacobian = self.dynamics.jacobian(toes[foot], body)
            own = slice(count, count + 3)
            self.rows.keys[:, own] = jacobian.T
            self.rows.target[own] = pull - b * (jacobian @ v) - jacobian_rate(self.dynamics, toes[foot], body)
            self.rows.soft[own] = 1.0 / weight
            count += 3
        return count

    def grip(self, foot, stands, clearance, place, goal):
        """Stiffness, damping and weight of a foot; one that has just landed stays where it is and drifts back."""
        gains, held = self.settings.gains, self.held
        landed = stands and not held.stood[foot]
        held.stood[foot] = stands
        if not stands:  # the nearer to the ground, the firmer
            near = np.clip(1.0 - clearance / LANDING, 0.0, 1.0)
            k, b = (1.0 - near) * np.array(gains.swing) + near * np.array(gains.landing)
            return k, b, gains.swing_weight + near * (gains.landing_weight - gains.swing_weight)
        if landed:
            held.age[foot] = 0.0
            held.anchor[foot] = (place - goal) * _LEVEL
        held.age[foot] += 1.0
        held.anchor[foot] *= np.exp(-1.0 / (self.rate * gains.anchor_s)) if gains.anchor_s > 0.0 else 0.0
        built = min(1.0, held.age[foot] / (gains.ramp_s * self.rate)) if gains.ramp_s > 0.0 else 1.0
        most = gains.foot_weight * (gains.heel_share if self.feet.parts[foot] == "heel" else 1.0)
        return *gains.foot, gains.landing_weight + (most - gains.landing_weight) * built

    def hold_whole(self, aim, count, v):
        """Rows for centre of mass and angular momentum; returns how many rows there are now."""
        gains, dynamics, rows = self.settings.gains, self.dynamics, self.rows
        (linear, bias), (angular, turning) = com_rows(dynamics), dynamics.angular_rows()
        k, b = gains.com
        target = aim.acceleration + k * (aim.com - dynamics.com) + b * (aim.velocity - linear @ v) - bias
        turn = aim.momentum_rate + gains.momentum * (aim.momentum - angular @ v) - turning
        soft = 1.0 / np.array([gains.com_weight] * 3 + [gains.momentum_weight] * 3)
        soft[4] = 1.0 / gains.pivot_weight
        keep = [0, 2] if self.settings.whole == "com" else list(range(6))
        own = slice(count, count + len(keep))
        rows.keys[:, own] = np.concatenate([linear, angular])[keep].T
        rows.target[own], rows.soft[own] = np.concatenate([target, turn])[keep], soft[keep]
        return own.stop

    def outer(self, down):
        """The points that press without the balls of a foot whose points all press."""
        pressed = set(down.tolist())
        for side in dict.fromkeys(self.feet.sides) if self.body.human else ():
            foot = {k for k, point in enumerate(self.body.points) if point.side == side}
            balls = {k for k in foot if " ball " in f" {self.body.points[k].name} "}
            if foot <= pressed and len(foot) - len(balls) >= 4:
                pressed -= balls
        return np.array(sorted(pressed), dtype=np.intp)
