"""Compiled: the blend weights that bring the swinging foot to its place ([huang], phases 1 and 2).

The mathematics are told in :mod:`kinetune.inverse.steps.stepping`, which holds the NumPy body.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from kinetune.inverse.blend.chain_pose_kernels import QUATERNION, blend_chain, turn_vector
from kinetune.inverse.blend.simplex_kernels import solve_step

FOOT_ROWS = 4


@njit(cache=True, nogil=True, error_model="numpy")
def _residual(  # type: ignore[no-untyped-def]
    weights, turns, steps, base, ahead, target, scales, likeness, aims, place, turn, links, moves, spins, residual,
    jacobian, rows,
):  # fmt: skip
    """Rows x, z, heading and height of the ball, then those of likeness, with derivatives; half the square sum."""
    n = weights.shape[0]
    blend_chain(
        weights, QUATERNION, turns, turns[:, :, 0], steps, base, 0, turns.shape[0], place, turn, links, moves, spins,
    )  # fmt: skip
    x, y, z = turn_vector(turn, ahead[0], ahead[1], ahead[2])
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
def solve_foot(  # type: ignore[no-untyped-def]
    turns, steps, base, ahead, target, scales, likeness, aims, metric, pulling, rows, most, tolerance, weights
):
    """Walk down from ``weights`` (n,), which are changed in place; returns the norm of the first ``rows`` residuals."""
    n, links_count = weights.shape[0], turns.shape[0]
    place, turn, links = np.empty(3), np.empty(4), np.empty((links_count, 20))
    moves, spins = np.empty((3, n)), np.empty((3, n))
    size = FOOT_ROWS + likeness.shape[0]
    residual, jacobian, fresh, slopes = np.empty(size), np.empty((size, n)), np.empty(size), np.empty((size, n))
    matrix, dual, centre, slack = np.empty((size, size)), np.empty(size), np.empty(size), np.empty(n)
    pull, result, anchor = np.empty(n), np.empty(n), weights.copy()
    free = np.ones(n, np.bool_)
    value = _residual(
        weights, turns, steps, base, ahead, target, scales, likeness, aims, place, turn, links, moves, spins, residual,
        jacobian, rows,
    )  # fmt: skip
    extra = 0.0
    for _ in range(most):
        if 2.0 * value <= tolerance * tolerance:
            break
        trace = 0.0
        for a in range(rows):
            for j in range(n):
                trace += metric[j] * jacobian[a, j] * jacobian[a, j]
        damping = (pulling + extra + 1e-10) * trace / rows
        share = pulling / (pulling + extra + 1e-10)
        for j in range(n):
            pull[j] = share * (anchor[j] - weights[j])
        solved = solve_step(
            jacobian, residual, rows, weights, metric, pull, damping, free, result, slack, matrix, dual, centre
        )
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
        better = _residual(
            result, turns, steps, base, ahead, target, scales, likeness, aims, place, turn, links, moves, spins, fresh,
            slopes, rows,
        )  # fmt: skip
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
    turns = np.zeros((2, 4, 2))
    turns[:, 0] = 1.0
    steps = np.zeros((2, 3, 1))
    weights = np.full(2, 0.5)
    solve_foot(
        turns, steps, np.zeros((3, 2)), np.array([0.0, 0.0, 1.0]), np.zeros(4), np.ones(3), np.zeros((0, 2)),
        np.zeros(0), np.ones(2), 1e-8, 3, 2, 1e-6, weights,
    )  # fmt: skip
