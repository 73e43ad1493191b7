r"""The search for blend weights (compiled): active-set Gauss-Newton on the simplex, with a soft choice of examples.

1. How far is each example from the target? :math:`e_j = |r(M_j)|`.
2. A compact kernel gives the first weights and the metric of the search: :math:`\varphi_j = \max(0, 1 - e_j^2/h^2)^3`
   with h the error of the (k+1)-th nearest, :math:`w^0 = \varphi / \sum\varphi`, :math:`D = \varphi + 0.01`. All
   examples may take part; k only sets how far the kernel reaches. So weights change smoothly with the target, where
   the paper's choice of the k nearest makes the character jump when the k-th and the next one swap.
3. Steps on the simplex (:mod:`kinetune.inverse.blend.simplex_kernels`) lower the residual; in the first two, what the
   constraints leave free is pulled gently to :math:`w^0`. A step that does not help raises the damping (Levenberg and
   Marquardt).
4. Where the residual stays, a few other starts are tried; then the target is out of reach, and what is left is its
   distance from what the examples can do.

[huang] section 3 leaves the optimizer open ("standard optimization techniques", Numerical Recipes). Its own choices,
the k nearest with weights :math:`\exp(-e^2/\sigma^2)`, are the mode "hard", and these weights alone "rbf".

Kernels that are called in one place are ``forceinline``: handing two dozen arrays to a function, with a count of
references for each, took a quarter of the time of a whole problem.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from kinetune.inverse.blend._residual_kernels import (
    ResidualProblem,
    Residuals,
    evaluate,
    evaluate_at,
    example_errors,
    make_residuals,
)
from kinetune.inverse.blend.chain_pose_kernels import Effectors, example_effectors, make_effectors
from kinetune.inverse.blend.constraint_layout import RBF, SOFT, ConstraintRows, EffectorChains, SearchSettings
from kinetune.inverse.blend.simplex_kernels import StepWork, make_step_work, simplex_step, solve_step
from kinetune.kernels.loader import INNER
from kinetune.rotations import Floats

__all__ = ["evaluate_at", "example_effectors", "kernel_weights", "restart_weights", "simplex_step", "solve"]

ANCHOR = 1e-8
"""mu: how gently weights are pulled to those of the kernel, as part of the mean square of the Jacobian."""
PULLS = 2
"""Steps that are pulled. Pulled ones keep correcting each other and converge only by a digit each; the steps after them
double the digits."""
FLOOR = 1e-2
"""What the metric is at least: how easily an example outside the kernel comes in."""
SPREAD = 0.65
"""Sigma of the paper's kernel as part of the mean error of the k nearest."""
RIDGE = 1e-10
MOST_DAMPING = 1e6


class SearchWork(NamedTuple):
    """Room for a search: residuals at the weights and at those tried, and what a step needs."""

    here: Residuals
    there: Residuals
    effectors: Effectors
    sums: Floats
    pull: Floats
    step: StepWork


class StartWork(NamedTuple):
    """Room for the starts of one problem: the kernel's weights and metric, an even metric, and the best so far."""

    anchor: Floats
    metric: Floats
    even: Floats
    distances: Floats
    best: Floats
    best_errors: Floats


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def kernel_weights(errors, k, mode, start, metric):  # type: ignore[no-untyped-def]
    """Weights before any search, from how far each example is from the target, and the metric of the search.

    SOFT: phi = max(0, 1 - e^2/h^2)^3 with h the error of the (k+1)-th nearest; all examples may join.
    HARD, RBF: exp(-e^2/sigma^2) over the k nearest; the metric of the others is 0, which keeps them out.
    """
    n = errors.shape[0]
    k = min(k, n)
    order = np.empty(k + 1, np.int64)  # the k + 1 nearest, or all of them
    known = 0
    for j in range(n):
        at = known
        while at > 0 and errors[order[at - 1]] > errors[j]:
            if at <= k:
                order[at] = order[at - 1]
            at -= 1
        if at <= k:
            order[at] = j
        known = min(known + 1, k + 1)
    total = 0.0
    if mode == SOFT:
        # Without a (k+1)-th example the kernel reaches a little beyond the last.
        reach = errors[order[k]] if k < n else 1.05 * errors[order[n - 1]]
        reach = max(reach, 1e-12)
        for j in range(n):
            share = max(0.0, 1.0 - (errors[j] / reach) ** 2)
            start[j] = share * share * share
            metric[j] = start[j] + FLOOR
            total += start[j]
        if not total > 0.0:  # the k + 1 nearest are equally far
            for j in range(n):
                start[j] = 1.0 if errors[j] <= reach else 0.0
                metric[j] = start[j] + FLOOR
                total += start[j]
    else:
        mean = 0.0
        for i in range(k):
            mean += errors[order[i]] / k
        sigma = max(SPREAD * mean, 1e-12)
        nearest = errors[order[0]]
        for j in range(n):
            start[j], metric[j] = 0.0, 0.0
        for i in range(k):
            j = order[i]
            start[j] = math.exp((nearest * nearest - errors[j] * errors[j]) / (sigma * sigma))
            metric[j] = 1.0
            total += start[j]
    for j in range(n):
        start[j] /= total


@njit(**INNER, error_model="numpy", forceinline=True)
def _search(anchor, metric, problem, goal, iterations, weights, errors, work):  # type: ignore[no-untyped-def]
    """Levenberg-Marquardt on the simplex from ``weights`` (in and out).

    Returns the sum of errors (a sum of squares, or of norms when least > 0) and the number of iterations.
    """
    here, there, effectors, sums, pull, step = work
    tried, free, dual, least = step.result, step.free, step.dual, problem.least
    n, rows = anchor.shape[0], here.values.shape[0]
    for j in range(n):
        free[j] = True
        tried[j] = weights[j]
    cost, extra, far, needed = np.inf, 0.0, 1.0, 0.0
    taken = 0
    while True:
        tried_cost = evaluate(tried, problem, goal, there, effectors, sums)
        if tried_cost < cost - needed or tried_cost < goal or taken == 0:
            gained = cost - tried_cost
            cost = tried_cost
            for j in range(n):
                weights[j] = tried[j]
            for i in range(errors.shape[0]):
                errors[i] = there.errors[i]
            here, there = there, here
            extra = extra * 0.1 if extra > 1e-8 else 0.0
            if cost <= goal or (gained < 1e-7 * cost and far < 1e-3):
                break
        else:
            extra = max(extra * 8.0, 1e-4)
        if taken >= iterations or extra > MOST_DAMPING:
            break
        taken += 1
        jacobian = here.slopes
        size = 0.0
        for a in range(rows):
            row_size = 0.0
            for j in range(n):
                row_size += metric[j] * jacobian[a, j] * jacobian[a, j]
            size += row_size
        size = max(size / rows, 1e-300)
        solved = -1
        while solved < 0 and extra <= MOST_DAMPING:
            damping = ANCHOR + RIDGE + extra
            for j in range(n):
                pull[j] = ANCHOR / damping * (anchor[j] - weights[j]) if taken <= PULLS else 0.0
            solved = solve_step(jacobian, here.values, rows, weights, metric, pull, damping * size, step)
            if solved < 0:
                extra = max(extra * 10.0, 1e-6)
                for j in range(n):
                    free[j] = True
        if solved < 0:
            break
        far = 0.0
        for j in range(n):
            far = max(far, abs(tried[j] - weights[j]))
        if far < 1e-10:
            break
        needed = 0.0
        if least == 0.0:  # a ten-thousandth of what the linear model promises: its residual is damping times the dual
            promised = 0.0
            for a in range(rows):
                promised += (damping * size * dual[a]) ** 2
            needed = 1e-4 * max(0.0, cost - promised)
    return cost, taken


@njit(cache=True, nogil=True, error_model="numpy")
def restart_weights(number, seed, metric, nearest, weights):  # type: ignore[no-untyped-def]
    """Other weights to begin from: even ones, mostly the nearest example, then at random; 0 where the metric is."""
    n = weights.shape[0]
    state = 12345 + 7919 * number + 104729 * seed
    total = 0.0
    for j in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        if metric[j] <= 0.0:
            weights[j] = 0.0
        elif number == 0:
            weights[j] = 1.0
        elif number == 1:
            weights[j] = 9.0 * n if j == nearest else 1.0
        else:
            weights[j] = -(math.log((state + 1.0) / 2147483649.0) ** 3)
        total += weights[j]
    for j in range(n):
        weights[j] /= total


@njit(**INNER, error_model="numpy", forceinline=True)
def _solve(problem, examples, settings, seed, warm, weights, errors, work, start):  # type: ignore[no-untyped-def]
    """One problem of :func:`solve`: what is left, and the iterations it took."""
    anchor, metric, even, distances = start.anchor, start.metric, start.even, start.distances
    mode, least = settings.mode, problem.least
    n = weights.shape[0]
    example_errors(examples, problem, errors, distances)
    kernel_weights(distances, settings.k, mode, anchor, metric)
    nearest = 0
    for j in range(n):
        even[j] = 1.0 if metric[j] > 0.0 else 0.0
        if distances[j] < distances[nearest]:
            nearest = j
    goal = settings.tolerance if least > 0.0 else settings.tolerance * settings.tolerance
    limit = settings.accept if least > 0.0 else settings.accept * settings.accept
    dragged = np.int64(warm.shape[0] == n)
    best_cost, taken = np.inf, 0
    # The first start is where a drag was, or the kernel's weights; a drag that lost its target tries those second.
    for number in range(settings.restarts + 1):
        if number == 0 or (dragged and number == 1):
            for j in range(n):
                weights[j] = warm[j] if dragged and number == 0 else anchor[j]
                even[j], metric[j] = metric[j], even[j]
        else:
            restart_weights(number - 1 - dragged, seed, metric, nearest, weights)
        iterations = 0 if mode == RBF else settings.iterations
        cost, more = _search(anchor, even, problem, goal, iterations, weights, errors, work)
        if number == 0 or (dragged and number == 1):
            for j in range(n):
                even[j], metric[j] = metric[j], even[j]
        taken += more
        # A drag stays where it is unless another start is really nearer: the character must not jump for nothing.
        if cost < (0.998 * best_cost if dragged else best_cost):
            best_cost = cost
            for j in range(n):
                start.best[j] = weights[j]
            for i in range(errors.shape[0]):
                start.best_errors[i] = errors[i]
        if best_cost <= limit or mode == RBF:
            break
    for j in range(n):
        weights[j] = start.best[j]
    for i in range(errors.shape[0]):
        errors[i] = start.best_errors[i]
    return best_cost if least > 0.0 else math.sqrt(best_cost), taken


@njit(cache=True, nogil=True, error_model="numpy")
def solve(chains, rows, examples, aims, settings, warm, answers):  # type: ignore[no-untyped-def]
    """The weights of one problem or of many.

    chains, rows, settings : the fields of :class:`EffectorChains`, :class:`ConstraintRows` and
        :class:`SearchSettings` as plain tuples, which numba takes from Python in half the time of records.
    examples : see :func:`example_errors`. aims : (problems, c, 12). warm : (n,) weights to begin from, or (0,).
    answers : weights (problems, n), errors (problems, c), what is left (problems,) in metres or their equivalent, and
        iterations (problems,).
    """
    chains, rows, settings = EffectorChains(*chains), ConstraintRows(*rows), SearchSettings(*settings)
    weights, errors, left, taken = answers
    n, count = weights.shape[1], errors.shape[1]
    here, there = make_residuals(chains, rows), make_residuals(chains, rows)
    step = make_step_work(here.values.shape[0], n)
    work = SearchWork(here, there, make_effectors(chains), np.empty(1), np.empty(n), step)
    start = StartWork(np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(count))
    for i in range(aims.shape[0]):
        problem = ResidualProblem(chains, rows, aims[i], settings.least)
        left[i], taken[i] = _solve(problem, examples, settings, i, warm, weights[i], errors[i], work, start)


def warm_up() -> None:
    """Compile or load the solver, and what the search with custom constraints calls."""
    n = 2
    chains = (0, np.ones((1, 4, n)), np.ones((1, 4)), np.zeros((1, 3, 1)), np.zeros((1, 3, n)), np.array([0, 1]))
    rows = np.zeros(1, np.int64), np.zeros(1, np.int64), np.full(1, -1), np.ones(1), np.ones(1)
    answers = np.empty((1, n)), np.empty((1, 1)), np.empty(1), np.empty(1, np.int64)
    settings = tuple(SearchSettings(k=1, mode=SOFT, least=0.0, iterations=1, restarts=0))
    solve(chains, rows, example_effectors(chains), np.zeros((1, 1, 12)), settings, np.empty(0), answers)
    _, residual, jacobian, _ = evaluate_at(np.full(n, 0.5), chains, rows, np.zeros((1, 12)), 0.0)
    simplex_step(jacobian, residual, np.full(n, 0.5), np.ones(n), np.zeros(n), 1.0)
    kernel_weights(np.ones(n), 1, SOFT, np.empty(n), np.empty(n))
    restart_weights(0, 0, np.ones(n), 0, np.empty(n))
