r"""Residuals of constraints and their derivatives by the weights.

With the effector's place p and turn R, its axis :math:`a = R\,l` and the target,

=======  ====  ============================================================================
point    3     :math:`p - x`
line     2     :math:`N^T (p - x)`, the columns of N at right angles to the line
turn     3     :math:`\log(R R_t^T)`, a rotation vector in the world
axis     2     :math:`(\varphi / \sin\varphi)\,[t_1 \cdot a, t_2 \cdot a]`, :math:`\varphi` from a to its goal u
angle    1     :math:`\arccos(a \cdot u) - \alpha`
heading  1     :math:`\mathrm{atan2}(a_x, a_z) - \psi`, wrapped
look     3     :math:`(\varphi / \sin\varphi)\,a \times d`, d from p to the target (rank 2)
=======  ====  ============================================================================

so that the norm of each is a distance in metres or an angle in radians. :class:`Problem` stacks them, scaled, as the
NumPy body of :func:`kinetune.inverse.blend.residual_kernels.evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.inverse.blend.chain_poses import Chains, Pose, blend_chain, cross_matrix, relative
from kinetune.inverse.blend.constraints import ANGLE, AXIS, HEADING, LINE, POINT, TURN
from kinetune.rotations import Floats

Plan = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats, Floats]
"""kinds, near (the probe), other (the probe it is relative to, or -1), gains c and scales n, all (constraints,)."""

Measured = Callable[[Floats], tuple[Floats, Floats]]
"""Values (rows,) and slopes (rows, n) of something else than an effector, at some weights."""


def residual(kind: int, aim: Floats, pose: Pose) -> tuple[Floats, Floats]:
    """The residual (rows,) of one constraint and its derivatives (rows, n)."""
    if kind == POINT:
        return pose.place - aim[:3], pose.places_to
    if kind == LINE:
        across = aim[3:9].reshape(2, 3)
        return across @ (pose.place - aim[:3]), across @ pose.places_to
    if kind == TURN:
        off = rot.log(rot.multiply(pose.turn, rot.inverse(aim[:4])))
        angle = float(np.linalg.norm(off))
        g = 1.0 / 12.0 if angle < 1e-3 else 1.0 / angle**2 - 0.5 / (angle * np.tan(0.5 * angle))
        k = cross_matrix(off)
        return off, (np.eye(3) - 0.5 * k + g * k @ k) @ pose.turns_to
    axis = rot.rotate(pose.turn, aim[:3])
    turned = np.cross(pose.turns_to.T, axis).T  # (3, n) how the axis moves
    if kind == AXIS:
        sides = aim[6:12].reshape(2, 3)
        off = sides @ axis
        factor, slope = _swing(float(np.linalg.norm(off)), float(axis @ aim[3:6]))
        return factor * off, factor * sides @ turned + slope * np.outer(off, aim[3:6] @ turned)
    if kind == ANGLE:
        cosine = float(np.clip(axis @ aim[3:6], -1.0, 1.0))
        sine = max(1e-6, np.sqrt(1.0 - cosine**2))
        return np.array([np.arccos(cosine) - aim[6]]), -(aim[3:6] @ turned)[None] / sine
    if kind == HEADING:
        away = np.arctan2(axis[0], axis[2]) - aim[3]
        away -= 2.0 * np.pi * np.floor(away / (2.0 * np.pi) + 0.5)
        level = max(axis[0] ** 2 + axis[2] ** 2, 1e-12)
        return np.array([away]), ((axis[2] * turned[0] - axis[0] * turned[2]) / level)[None]
    line = aim[3:6] - pose.place
    far = max(float(np.linalg.norm(line)), 1e-9)
    line = line / far
    approach = (np.outer(line, line @ pose.places_to) - pose.places_to) / far  # how the direction moves
    off = np.cross(axis, line)
    factor, slope = _swing(float(np.linalg.norm(off)), float(axis @ line))
    moved = np.cross(turned.T, line).T + np.cross(axis, approach.T).T
    return factor * off, factor * moved + slope * np.outer(off, line @ turned + axis @ approach)


def _swing(sine: float, cosine: float) -> tuple[float, float]:
    """angle / sine and its derivative by the cosine."""
    if sine < 1e-4 and cosine > 0.0:
        return 1.0, -1.0 / 3.0
    angle, safe = float(np.arctan2(sine, cosine)), max(sine, 1e-12)
    return angle / safe, -(safe - angle * cosine) / safe**3


class Evaluation(NamedTuple):
    """What some weights lead to.

    cost : the sum of squares, or of norms. residual (rows,), jacobian (rows, n) : scaled. errors : (constraints,) norms
    before scaling, in metres or radians.
    """

    cost: float
    residual: Floats
    jacobian: Floats
    errors: Floats


class Problem:
    """Constraints on a blend, with everything needed to evaluate it.

    measured : further constraints by functions of the weights, each with its gain and scale, after the others.
    least : 0 to add squares, or the least norm by which squares are divided, to add norms.
    """

    def __init__(
        self,
        form: int,
        chains: Chains,
        plan: Plan,
        aims: Floats,
        least: float,
        measured: Sequence[tuple[Measured, float, float]] = (),
    ) -> None:
        self.form, self.chains, self.plan, self.aims, self.least = form, chains, plan, aims, least
        self.measured = measured

    @property
    def examples(self) -> int:
        """How many there are."""
        return self.chains[0].shape[2]

    def at(self, weights: Floats) -> Evaluation:
        """Residuals and slopes at some weights."""
        poses = [blend_chain(weights, self.form, self.chains, p) for p in range(len(self.chains[3]))]
        blocks = []
        for kind, near, other, gain, scale, aim in zip(*self.plan, self.aims, strict=True):
            pose = poses[near] if other < 0 else relative(poses[near], poses[other])
            blocks.append((*residual(int(kind), aim, pose), gain, scale))
        blocks += [(*measure(weights), gain, scale) for measure, gain, scale in self.measured]
        return self._gather(blocks)

    def of_examples(self) -> Floats:
        """(n,) how far each example is from meeting the constraints."""
        found = [self.at(weights).cost for weights in np.eye(self.examples)]
        return np.array(found) if self.least > 0.0 else np.sqrt(found)

    def _gather(self, blocks: Sequence[tuple[Floats, Floats, float, float]]) -> Evaluation:
        cost, residuals, jacobians, errors = 0.0, [], [], []
        for value, slopes, gain, scale in blocks:
            norm = float(np.linalg.norm(value))
            if self.least > 0.0:
                factor = float(np.sqrt(gain * scale / max(norm, self.least)))
                cost += gain * scale * norm
            else:
                factor = float(np.sqrt(gain) * scale)
                cost += (factor * norm) ** 2
            residuals.append(factor * value)
            jacobians.append(factor * slopes)
            errors.append(norm)
        return Evaluation(cost, np.concatenate(residuals), np.concatenate(jacobians), np.array(errors))
