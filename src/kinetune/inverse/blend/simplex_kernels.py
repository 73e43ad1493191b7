"""Compiled steps on the simplex: the inner problem of every weight solver, callable from other kernels.

=============  ============================================================================
solve_step_in  one step with arrays of the caller: nothing is allocated
solve_step     the same, allocating one array of scratch
simplex_step   the same, allocating its result and its scratch: what Python calls
=============  ============================================================================

The mathematics are told in :mod:`kinetune.inverse.blend.simplex`, which holds the NumPy body.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

TOLERANCE = 1e-11
"""How far below 0 a weight or a multiplier may lie: rounding, not a violation."""

PATIENCE = 3
"""Exchanges of all violations at once that may pass without fewer of them, before one at a time is exchanged."""


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
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


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def solve_step_in(  # type: ignore[no-untyped-def]
    jacobian, residual, rows, weights, metric, pull, damping, free, result, slack, matrix, dual, centre, moments
):
    """:func:`solve_step` with one more scratch array, moments (rows + 2, rows), so that nothing is allocated.

    The sums over the free weights, D J J^T, D J and J (w + c), are kept from one exchange to the next, in which few
    weights change sides.
    """
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
def solve_step(jacobian, residual, rows, weights, metric, pull, damping, free, result, slack, matrix, dual, centre):  # type: ignore[no-untyped-def]
    """The weights after one damped Gauss-Newton step that stays on the simplex.

    jacobian (at least rows, n), residual (at least rows,) : only the first ``rows`` count.
    weights, metric, pull : (n,) w, D and c of :func:`kinetune.inverse.blend.simplex.simplex_step`; a weight whose
        metric is 0 stays as it is.
    free : (n,) bool, in: a guess of the weights above 0 (all True without one); out: the weights above 0.
    result : (n,) the new weights.
    slack (n,), matrix (rows, rows), dual (rows,), centre (rows,) : scratch; afterwards damping times ``dual`` is the
        linearized residual at the new weights.

    Returns the number of m x m systems solved, or -1 where none led to an answer: ``free`` is junk then, and the
    damping is to be raised.
    """
    moments = np.empty((rows + 2, rows))
    return solve_step_in(
        jacobian, residual, rows, weights, metric, pull, damping, free, result, slack, matrix, dual, centre, moments
    )


@njit(cache=True, nogil=True, error_model="numpy")
def simplex_step(jacobian, residual, weights, metric, pull, damping):  # type: ignore[no-untyped-def]
    """The step as a new array (n,), and the number of systems solved (-1: no answer, and the weights as they were)."""
    rows, n = jacobian.shape
    result = np.empty(n)
    free = np.ones(n, np.bool_)
    matrix = np.empty((rows, rows))
    dual, centre, slack = np.empty(rows), np.empty(rows), np.empty(n)
    solved = solve_step(
        jacobian, residual, rows, weights, metric, pull, damping, free, result, slack, matrix, dual, centre
    )
    if solved < 0:
        for j in range(n):
            result[j] = weights[j]
    return result, solved


def warm_up() -> None:
    """Compile or load the step for arrays of float64."""
    thirds = np.full(3, 1.0 / 3.0)
    simplex_step(np.eye(3), np.zeros(3), thirds, np.ones(3), np.zeros(3), 1.0)
