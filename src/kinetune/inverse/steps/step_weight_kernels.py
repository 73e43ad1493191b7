"""The blend weights that bring the swinging foot to its target (compiled; [huang], phases 1 and 2).

The method is documented in :mod:`kinetune.inverse.steps.step_weights`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from kinetune.inverse.blend.chain_pose_kernels import blend_effector, make_effectors, rotate_by, slope_effector
from kinetune.inverse.blend.constraint_layout import QUATERNION, EffectorChains
from kinetune.inverse.blend.simplex_kernels import make_step_work, solve_step
from kinetune.rotations import Floats

FOOT_ROWS = 4
_PULLING = 1e-8


class FootProblem(NamedTuple):
    """Rows x, z, heading and height of the ball, then rows of likeness.

    ahead : (3,) where the toes point, in the frame of the carrier. target : (4,) x, z, heading and height.
    scales : (3,) of heading, height and likeness. likeness (m, n), aims (m,) : wanted is ``likeness w = aims``.
    """

    chains: EffectorChains
    ahead: Floats
    target: Floats
    scales: Floats
    likeness: Floats
    aims: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def foot_residual(weights, problem, rows, effectors, residual, jacobian):  # type: ignore[no-untyped-def]
    """The residual of the foot, with derivatives by each weight; returns half the square sum."""
    target, scales, likeness, aims = problem.target, problem.scales, problem.likeness, problem.aims
    n = weights.shape[0]
    blend_effector(weights, problem.chains, 0, effectors)
    slope_effector(problem.chains, 0, effectors)
    place, turn = effectors.positions[0], effectors.rotations[0]
    moves, spins = effectors.position_slopes[0], effectors.rotation_slopes[0]
    ahead = problem.ahead
    x, y, z = rotate_by(turn[0], turn[1], turn[2], turn[3], ahead[0], ahead[1], ahead[2])
    level = x * x + z * z
    bearing = math.atan2(x, z) - target[2]
    bearing -= 2.0 * math.pi * math.floor(bearing / (2.0 * math.pi) + 0.5)
    residual[0] = place[0] - target[0]
    residual[1] = place[2] - target[1]
    residual[2] = scales[0] * bearing
    residual[3] = scales[1] * (place[1] - target[3])
    for j in range(n):
        jacobian[0, j] = moves[0, j]
        jacobian[1, j] = moves[2, j]
        # The heading turns with the vertical spin, and with spins about level axes where the toes point up or down.
        a, b, c = spins[0, j], spins[1, j], spins[2, j]
        jacobian[2, j] = scales[0] * (z * (b * z - c * y) - x * (a * y - b * x)) / level
        jacobian[3, j] = scales[1] * moves[1, j]
    for a in range(FOOT_ROWS, rows):
        total = -aims[a - FOOT_ROWS]
        for j in range(n):
            total += likeness[a - FOOT_ROWS, j] * weights[j]
            jacobian[a, j] = scales[2] * likeness[a - FOOT_ROWS, j]
        residual[a] = scales[2] * total
    half = 0.0
    for a in range(rows):
        half += residual[a] * residual[a]
    return 0.5 * half


@njit(cache=True, nogil=True, error_model="numpy")
def solve_foot(chain, goal, likeness, metric, rows, most, tolerance, weights):  # type: ignore[no-untyped-def]
    """Descend from ``weights`` (n,), which are changed in place; returns the norm of the first ``rows`` residuals.

    chain : rotations (links, 4, n), offsets (links, 3, 1) and base (3, n). goal : ahead, target and scales of a
        :class:`FootProblem`. likeness : its likeness and aims. metric : (n,) how easily each weight moves.
    """
    rotations, offsets, base = chain
    n, links = weights.shape[0], rotations.shape[0]
    chains = EffectorChains(
        QUATERNION, rotations, np.empty((0, 4)), offsets, base.reshape(1, 3, n), np.array([0, links])
    )
    problem = FootProblem(chains, goal[0], goal[1], goal[2], likeness[0], likeness[1])
    effectors = make_effectors(chains)
    size = FOOT_ROWS + likeness[0].shape[0]
    residual, jacobian, fresh, slopes = np.empty(size), np.empty((size, n)), np.empty(size), np.empty((size, n))
    work = make_step_work(size, n)
    pull, anchor, free, result = np.empty(n), weights.copy(), work.free, work.result
    value = foot_residual(weights, problem, rows, effectors, residual, jacobian)
    extra = 0.0
    for _ in range(most):
        if 2.0 * value <= tolerance * tolerance:
            break
        trace = 0.0
        for a in range(rows):
            for j in range(n):
                trace += metric[j] * jacobian[a, j] * jacobian[a, j]
        damping = (_PULLING + extra + 1e-10) * trace / rows
        share = _PULLING / (_PULLING + extra + 1e-10)
        for j in range(n):
            pull[j] = share * (anchor[j] - weights[j])
        solved = solve_step(jacobian, residual, rows, weights, metric, pull, damping, work)
        if solved < 0:
            extra = max(8.0 * extra, 1e-4)
            for j in range(n):
                free[j] = True
            if extra > 1e6:
                break
            continue
        moved = 0.0
        for j in range(n):
            moved = max(moved, abs(result[j] - weights[j]))
        if moved < 1e-12:
            break
        better = foot_residual(result, problem, rows, effectors, fresh, slopes)
        if better < value:
            gain = value - better
            for j in range(n):
                weights[j] = result[j]
            residual, fresh = fresh, residual
            jacobian, slopes = slopes, jacobian
            small = gain < 1e-9 * value
            value = better
            extra = 0.1 * extra if extra > 1e-8 else 0.0
            if small:
                break
        else:
            extra = max(8.0 * extra, 1e-4)
            if extra > 1e6:
                break
    return math.sqrt(2.0 * value)


def warm_up() -> None:
    """Compile or load the solver for arrays of float64."""
    rotations = np.zeros((2, 4, 2))
    rotations[:, 0] = 1.0
    goal = np.array([0.0, 0.0, 1.0]), np.zeros(4), np.ones(3)
    likeness = np.zeros((0, 2)), np.zeros(0)
    chain = rotations, np.zeros((2, 3, 1)), np.zeros((3, 2))
    solve_foot(chain, goal, likeness, np.ones(2), 3, 2, 1e-6, np.full(2, 0.5))
