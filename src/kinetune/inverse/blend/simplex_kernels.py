r"""Steps on the simplex: weights that stay in [0, 1] and sum to 1 while a residual is driven down (compiled).

Blend weights live on a simplex. A solver that walks there linearizes its residual, r(x) = r + J (x - w), and solves

.. math:: \min_x \tfrac12 |J (x - w) + r|^2 + \tfrac\lambda2 \sum_j \frac{(x_j - w_j - c_j)^2}{D_j},
          \qquad x \ge 0, \quad \sum_j x_j = 1.

There are many weights (n examples) and few residuals (m = 1 to 12), so it is solved in the m x m dual. With F the
weights above 0, y the residual after the step over lambda and nu the multiplier of the sum,

.. math:: x_j = w_j + c_j - D_j (J_j \cdot y - \nu) \quad (j \in F), \qquad x_j = 0 \quad (j \notin F).

The sum gives nu, and y solves ``(J_F D_F J_F^T - (J_F D_F 1)(J_F D_F 1)^T / sum D_F + lambda) y = ...``, m x m and
positive definite. F is found by block principal pivoting: all weights that came out negative and all bounds that push
the wrong way change sides at once; where this does not lower their number for three rounds, only the last one does
(the backup rule of Kim and Park 2011, after Judice and Pires 1994 and Murty 1974, which cannot cycle).

Law: it is the step that a general interior-point solver gives (``tests/inverse/blend/test_simplex.py``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER
from kinetune.rotations import Floats

TOLERANCE = 1e-11
"""How far below 0 a weight or a multiplier may lie: rounding, not a violation."""

PATIENCE = 3
"""Exchanges of all violations at once that may pass without fewer of them, before one at a time is exchanged."""


@njit(**INNER, error_model="numpy", forceinline=True)
def solve_cholesky(matrix, right, size):  # type: ignore[no-untyped-def]
    """Solve ``matrix x = right`` in place (lower triangle; x in ``right``); False where it is not positive definite."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                matrix[i, i] = math.sqrt(total)
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(size):
        total = right[i]
        for k in range(i):
            total -= matrix[i, k] * right[k]
        right[i] = total / matrix[i, i]
    for i in range(size - 1, -1, -1):
        total = right[i]
        for k in range(i + 1, size):
            total -= matrix[k, i] * right[k]
        right[i] = total / matrix[i, i]
    return True


class StepWork(NamedTuple):
    """Room for a step of n weights and at most m rows.

    free : (n,) in: a guess of the weights above 0 (all True without one); out: the weights above 0.
    result : (n,) the new weights.
    slack (n,), matrix (m, m), dual (m,), centre (m,), moments (m + 2, m) : scratch; damping times ``dual`` is then the
        linearized residual at the new weights.
    """

    free: NDArray[np.bool_]
    result: Floats
    slack: Floats
    matrix: Floats
    dual: Floats
    centre: Floats
    moments: Floats


@njit(**INNER, error_model="numpy")
def make_step_work(rows, n):  # type: ignore[no-untyped-def]
    """Room for a step."""
    return StepWork(
        np.ones(n, np.bool_), np.empty(n), np.empty(n), np.empty((rows, rows)), np.empty(rows), np.empty(rows),
        np.empty((rows + 2, rows)),
    )  # fmt: skip


@njit(**INNER, error_model="numpy", forceinline=True)
def solve_step(jacobian, residual, rows, weights, metric, pull, damping, work):  # type: ignore[no-untyped-def]
    """The weights after one damped Gauss-Newton step that stays on the simplex, into ``work.result``.

    jacobian (at least rows, n), residual (at least rows,) : only the first ``rows`` count.
    weights, metric, pull : (n,) w, D and c; a weight whose metric is 0 stays as it is.

    Returns the number of m x m systems solved, or -1 where none led to an answer: ``free`` is junk then, and the
    damping must be raised.

    The sums over the free weights, D J J^T, D J and J (w + c), are kept from one exchange to the next, in which few
    weights change sides.
    """
    free, result, slack, matrix = work.free, work.result, work.slack, work.matrix
    dual, centre, moments = work.dual, work.centre, work.moments
    n = weights.shape[0]
    for j in range(n):
        slack[j] = metric[j] if free[j] else 0.0
        result[j] = pull[j] if free[j] else -weights[j]
    for a in range(rows):
        total, mean = 0.0, 0.0
        for j in range(n):
            total += jacobian[a, j] * result[j]
            mean += jacobian[a, j] * slack[j]
        moments[rows + 1, a] = residual[a] + total
        moments[rows, a] = mean
    for a in range(rows):
        for j in range(n):
            result[j] = slack[j] * jacobian[a, j]
        for b in range(a + 1):
            even, odd = 0.0, 0.0  # two sums: one addition need not wait for the other
            for j in range(0, n - 1, 2):
                even += result[j] * jacobian[b, j]
                odd += result[j + 1] * jacobian[b, j + 1]
            if n % 2 == 1:
                even += result[n - 1] * jacobian[b, n - 1]
            moments[a, b] = even + odd
    fewest, patience = n + 1, PATIENCE
    for solved in range(1, 8 * n + 20):
        free_metric = 0.0
        missing = 1.0
        for j in range(n):
            if free[j]:
                free_metric += metric[j]
                missing -= weights[j] + pull[j]
        if not free_metric > 0.0:
            return -1
        lift = missing / free_metric
        for a in range(rows):
            mean = moments[rows, a]
            centre[a] = mean / free_metric
            dual[a] = moments[rows + 1, a] + lift * mean
            for b in range(a + 1):
                matrix[a, b] = moments[a, b] - mean * centre[b]
            matrix[a, a] += damping
        if not solve_cholesky(matrix, dual, rows):
            return -1
        level = lift
        for a in range(rows):
            level += centre[a] * dual[a]
        for j in range(n):
            slack[j] = -level
        for a in range(rows):
            for j in range(n):
                slack[j] += jacobian[a, j] * dual[a]
        violated, last = 0, -1
        for j in range(n):
            moved = weights[j] + pull[j] - metric[j] * slack[j]
            if free[j]:
                result[j], slack[j] = moved, moved
            else:
                result[j], slack[j] = 0.0, -moved
            if slack[j] < -TOLERANCE:
                violated += 1
                last = j
        if violated == 0:
            total = 0.0
            for j in range(n):
                result[j] = max(result[j], 0.0)
                total += result[j]
            for j in range(n):
                result[j] /= total
            return solved
        if violated < fewest:
            fewest, patience = violated, PATIENCE
        else:
            patience -= 1
        for j in range(n):
            if (slack[j] < -TOLERANCE) if patience >= 0 else (j == last):
                sign = -1.0 if free[j] else 1.0
                for a in range(rows):
                    scaled = sign * metric[j] * jacobian[a, j]
                    for b in range(a + 1):
                        moments[a, b] += scaled * jacobian[b, j]
                    moments[rows, a] += scaled
                    moments[rows + 1, a] += sign * (weights[j] + pull[j]) * jacobian[a, j]
                free[j] = not free[j]
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def simplex_step(jacobian, residual, weights, metric, pull, damping):  # type: ignore[no-untyped-def]
    """:func:`solve_step` for Python: the step as a new array (n,), and the number of systems solved.

    That number is -1 where the damping is too small for an answer; the weights are then as they were.
    """
    work = make_step_work(*jacobian.shape)
    solved = solve_step(jacobian, residual, jacobian.shape[0], weights, metric, pull, damping, work)
    return (weights.copy() if solved < 0 else work.result), solved


def warm_up() -> None:
    """Compile or load the step for arrays of float64."""
    thirds = np.full(3, 1.0 / 3.0)
    simplex_step(np.eye(3), np.zeros(3), thirds, np.ones(3), np.zeros(3), 1.0)
