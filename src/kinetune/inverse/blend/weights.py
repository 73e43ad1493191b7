r"""The search for blend weights: active-set Gauss-Newton on the simplex, with a soft choice of examples.

1. How far is each example from the target? :math:`e_j = |r(M_j)|`.
2. A compact kernel gives the first weights and the metric of the search: :math:`\varphi_j = \max(0, 1 - e_j^2/h^2)^3`
   with h the error of the (k+1)-th nearest, :math:`w^0 = \varphi / \sum\varphi`, :math:`D = \varphi + 0.01`. All
   examples may take part; k only sets how far the kernel reaches. So weights change smoothly with the target, where
   the paper's choice of the k nearest makes the figure jump when the k-th and the next one change places.
3. Steps on the simplex (:mod:`kinetune.inverse.blend.simplex`) lower the residual; in the first two, what the
constraints
   leave free is pulled gently to :math:`w^0`. A step that does not help raises the damping (Levenberg and Marquardt).
4. Where the residual stays, a few other starts are tried; then the target is out of reach, and what is left is its
   distance from what the examples can do.

[huang] section 3 leaves the optimizer open ("standard optimization techniques", Numerical Recipes). Its own choices,
the k nearest with weights :math:`\exp(-e^2/\sigma^2)`, are the mode "hard", and these weights alone "rbf".
The compiled body is :mod:`kinetune.inverse.blend.weight_kernels`; both agree to rounding of an iterative search, which
stops at a micrometre: to about 1e-6 in the weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.inverse.blend.residuals import Problem
from kinetune.inverse.blend.simplex import step_of
from kinetune.rotations import Floats

SOFT, HARD, RBF = 0, 1, 2
ANCHOR, PULLS, FLOOR, SPREAD = 1e-8, 2, 1e-2, 0.65
_RIDGE, _MOST_DAMPING = 1e-10, 1e6


class Options(NamedTuple):
    """tolerance : a search ends below it. accept : other starts are tried above it. Both in metres or their like."""

    tolerance: float = 1e-6
    accept: float = 1e-5
    iterations: int = 25
    restarts: int = 3


class Solution(NamedTuple):
    """weights (n,), errors (constraints,) in metres or radians, what is left of the whole, and iterations."""

    weights: Floats
    errors: Floats
    left: float
    iterations: int


def kernel_weights(errors: Floats, k: int, mode: int) -> tuple[Floats, Floats]:
    """Weights before any search, and the metric of the search; see :func:`.weight_kernels.kernel_weights`."""
    n = len(errors)
    k = min(k, n)
    order = np.argsort(errors, kind="stable")
    if mode == SOFT:
        reach = max(float(errors[order[k]] if k < n else 1.05 * errors[order[-1]]), 1e-12)
        share = np.maximum(0.0, 1.0 - (errors / reach) ** 2) ** 3
        if not share.sum() > 0.0:
            share = np.where(errors <= reach, 1.0, 0.0)
        return share / share.sum(), share + FLOOR
    chosen = order[:k]
    sigma = max(SPREAD * float(errors[chosen].mean()), 1e-12)
    share, metric = np.zeros(n), np.zeros(n)
    share[chosen] = np.exp((errors[order[0]] ** 2 - errors[chosen] ** 2) / sigma**2)
    metric[chosen] = 1.0
    return share / share.sum(), metric


def solve(problem: Problem, k: int, mode: int, options: Options, warm: Floats, seed: int = 0) -> Solution:
    """The weights of one problem: the NumPy body of :func:`.weight_kernels.solve`."""
    distances = problem.of_examples()
    anchor, metric = kernel_weights(distances, k, mode)
    even = np.where(metric > 0.0, 1.0, 0.0)
    limit = options.accept if problem.least > 0.0 else options.accept**2
    dragged = len(warm) == len(anchor)
    best: tuple[Floats, float, Floats] = anchor, np.inf, np.empty(0)
    taken = 0
    for number in range(options.restarts + 1):
        if number == 0 or (dragged and number == 1):
            start, own = (warm if dragged and number == 0 else anchor), metric
        else:
            start, own = _restart(number - 1 - int(dragged), seed, even, int(np.argmin(distances))), even
        weights, cost, errors, more = search(problem, start, anchor, own, options, 0 if mode == RBF else None)
        taken += more
        if cost < (0.998 * best[1] if dragged else best[1]):
            best = weights, cost, errors
        if best[1] <= limit or mode == RBF:
            break
    return Solution(best[0], best[2], best[1] if problem.least > 0.0 else float(np.sqrt(best[1])), taken)


def _restart(number: int, seed: int, even: Floats, nearest: int) -> Floats:
    n = len(even)
    if number == 0:
        weights = even.copy()
    elif number == 1:
        weights = even.copy()
        weights[nearest] = 9.0 * n
    else:
        state, drawn = 12345 + 7919 * number + 104729 * seed, []
        for _ in range(n):
            state = (1103515245 * state + 12345) % 2147483648
            drawn.append(-(np.log((state + 1.0) / 2147483649.0) ** 3))
        weights = np.array(drawn) * even
    return weights / weights.sum()


def search(
    problem: Problem, start: Floats, anchor: Floats, metric: Floats, options: Options, most: int | None
) -> tuple[Floats, float, Floats, int]:
    """Levenberg-Marquardt on the simplex: weights, cost, errors, iterations."""
    goal = options.tolerance if problem.least > 0.0 else options.tolerance**2
    most = options.iterations if most is None else most
    weights, here = start, problem.at(start)
    extra, taken = 0.0, 0
    while here.cost > goal and taken < most and extra <= _MOST_DAMPING:
        taken += 1
        size = max(float(np.sum(metric * here.jacobian**2)) / len(here.residual), 1e-300)
        damping = ANCHOR + _RIDGE + extra
        pull = (ANCHOR / damping if taken <= PULLS else 0.0) * (anchor - weights)
        tried, solved = step_of(here.jacobian, here.residual, weights, metric, pull, damping * size)
        if solved < 0:
            extra = max(extra * 10.0, 1e-6)
            continue
        far = float(np.abs(tried - weights).max())
        if far < 1e-10:
            break
        there = problem.at(tried)
        promised = float(np.sum((here.residual + here.jacobian @ (tried - weights)) ** 2))
        wanted = 0.0 if problem.least > 0.0 else 1e-4 * max(0.0, here.cost - promised)
        if there.cost < here.cost - wanted or there.cost < goal:
            gained = here.cost - there.cost
            weights, here = tried, there
            extra = extra * 0.1 if extra > 1e-8 else 0.0
            if gained < 1e-7 * here.cost and far < 1e-3:
                break
        else:
            extra = max(extra * 8.0, 1e-4)
    return weights, here.cost, here.errors, taken
