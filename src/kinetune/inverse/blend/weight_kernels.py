"""Compiled search for blend weights: the solver of :mod:`kinetune.inverse.blend.weights`, one problem or thousands.

Packed arrays, so that a call takes few arguments (n examples, p probes, c constraints):

chains : (turns (links, 4, n), references (links, 4), steps (links, 3, n or 1), bases (p, 3, n), starts (p + 1,),
    places (p, n, 3), poses (p, n, 4)); see :mod:`kinetune.inverse.blend.chain_poses`.
plan : (kinds (c,), near (c,), other (c,), gains (c,), scales (c,)); other is -1 or the probe it is relative to.
aims : (c, 12) the targets, as :mod:`kinetune.inverse.blend.constraints` packs them.

Kernels that are called in one place are ``forceinline``: handing two dozen arrays to a function, with a count of
references for each, took a quarter of the time of a whole problem.
numba looks at the age of this file alone to decide whether what it keeps on disk is stale: touch it after an edit of
the kernels that it calls.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from kinetune.inverse.blend.residual_kernels import evaluate, example_errors, row_count
from kinetune.inverse.blend.simplex_kernels import solve_step_in

SOFT, HARD, RBF = 0, 1, 2
ANCHOR = 1e-8
"""mu: how gently weights are pulled to those of the kernel, as part of the mean square of the Jacobian."""
PULLS = 2
"""Steps that are pulled. Pulled ones keep correcting each other and converge only by a digit each; the steps after them
double the digits."""
FLOOR = 1e-2
"""What the metric is at least: how easily an example outside the kernel comes in."""
SPREAD = 0.65
"""Sigma of the paper's kernel as part of the mean error of the k nearest."""
_RIDGE = 1e-10
_MOST_DAMPING = 1e6


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


@njit(cache=True, nogil=True, error_model="numpy")
def make_room(chains, plan):  # type: ignore[no-untyped-def]
    """Scratch for the evaluation, the search and the restarts."""
    kinds = plan[0]
    n, probes, count = chains[0].shape[2], chains[3].shape[0], kinds.shape[0]
    rows = 0
    for i in range(count):
        rows += row_count(kinds[i])
    room = (
        np.empty((probes + 1, 3)), np.empty((probes + 1, 4)), np.empty((probes + 1, 3, n)),
        np.empty((probes + 1, 3, n)), np.empty((chains[0].shape[0], 20)), np.empty(1),
    )  # fmt: skip
    work = (
        np.empty(rows), np.empty((rows, n)), np.empty(rows), np.empty((rows, n)), np.empty(n), np.empty(n),
        np.empty(n), np.empty(count), np.empty((rows, rows)), np.empty(rows), np.empty(rows),
        np.empty((rows + 2, rows)),
    )  # fmt: skip
    spare = (
        np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(count), np.empty(n, np.bool_),
    )  # fmt: skip
    return room, work, spare


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def search(anchor, metric, form, chains, plan, aims, least, tolerance, iterations, weights, errors, room, work, free):  # type: ignore[no-untyped-def]
    """Levenberg-Marquardt on the simplex from ``weights`` (in and out).

    Returns the sum of errors (a sum of squares, or of norms when least > 0) and the number of iterations.
    """
    residual, jacobian, next_residual, next_jacobian, pull, tried, slack, next_errors, matrix, dual, centre, sums = work
    n, rows = anchor.shape[0], residual.shape[0]
    goal = tolerance if least > 0.0 else tolerance * tolerance
    for j in range(n):
        free[j] = True
        tried[j] = weights[j]
    cost, extra, far, wanted = np.inf, 0.0, 1.0, 0.0
    taken = 0
    while True:
        found = evaluate(
            tried, form, chains, plan, aims, least, goal, next_residual, next_jacobian, next_errors, room
        )  # fmt: skip
        if found < cost - wanted or found < goal or taken == 0:
            gained = cost - found
            cost = found
            for j in range(n):
                weights[j] = tried[j]
            for i in range(errors.shape[0]):
                errors[i] = next_errors[i]
            residual, next_residual = next_residual, residual
            jacobian, next_jacobian = next_jacobian, jacobian
            extra = extra * 0.1 if extra > 1e-8 else 0.0
            if cost <= goal or (gained < 1e-7 * cost and far < 1e-3):
                break
        else:
            extra = max(extra * 8.0, 1e-4)
        if taken >= iterations or extra > _MOST_DAMPING:
            break
        taken += 1
        size = 0.0
        for a in range(rows):
            own = 0.0
            for j in range(n):
                own += metric[j] * jacobian[a, j] * jacobian[a, j]
            size += own
        size = max(size / rows, 1e-300)
        solved = -1
        while solved < 0 and extra <= _MOST_DAMPING:
            damping = ANCHOR + _RIDGE + extra
            for j in range(n):
                pull[j] = ANCHOR / damping * (anchor[j] - weights[j]) if taken <= PULLS else 0.0
            solved = solve_step_in(
                jacobian, residual, rows, weights, metric, pull, damping * size, free, tried, slack, matrix, dual,
                centre, sums,
            )  # fmt: skip
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
        wanted = 0.0
        if least == 0.0:  # a ten-thousandth of what the linear model promises: its residual is damping times the dual
            promised = 0.0
            for a in range(rows):
                promised += (damping * size * dual[a]) ** 2
            wanted = 1e-4 * max(0.0, cost - promised)
    return cost, taken


@njit(cache=True, nogil=True, error_model="numpy")
def _restart(number, seed, metric, nearest, weights):  # type: ignore[no-untyped-def]
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


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _solve(form, chains, plan, aims, k, mode, least, options, seed, warm, weights, errors, room, work, spare):  # type: ignore[no-untyped-def]
    """One problem of :func:`solve`: what is left, and the iterations it took."""
    tolerance, accept, iterations, restarts = options
    anchor, metric, distances, best, even, best_errors, free = spare
    n = weights.shape[0]
    example_errors(chains, plan, aims, least, errors, distances)
    kernel_weights(distances, k, mode, anchor, metric)
    for j in range(n):
        even[j] = 1.0 if metric[j] > 0.0 else 0.0
    nearest = 0
    for j in range(n):
        if distances[j] < distances[nearest]:
            nearest = j
    limit = accept if least > 0.0 else accept * accept
    dragged = np.int64(warm.shape[0] == n)
    best_cost, taken = np.inf, 0
    # The first start is where a drag was, or the kernel's weights; a drag that lost its target tries those second.
    for number in range(restarts + 1):
        if number == 0 or (dragged and number == 1):
            for j in range(n):
                weights[j] = warm[j] if dragged and number == 0 else anchor[j]
                even[j], metric[j] = metric[j], even[j]
        else:
            _restart(number - 1 - dragged, seed, metric, nearest, weights)
        cost, more = search(
            anchor, even, form, chains, plan, aims, least, tolerance, 0 if mode == RBF else iterations, weights,
            errors, room, work, free,
        )  # fmt: skip
        if number == 0 or (dragged and number == 1):
            for j in range(n):
                even[j], metric[j] = metric[j], even[j]
        taken += more
        # A drag stays where it is unless another start is really nearer: the figure must not jump for nothing.
        if cost < (0.998 * best_cost if dragged else best_cost):
            best_cost = cost
            for j in range(n):
                best[j] = weights[j]
            for i in range(errors.shape[0]):
                best_errors[i] = errors[i]
        if best_cost <= limit or mode == RBF:
            break
    for j in range(n):
        weights[j] = best[j]
    for i in range(errors.shape[0]):
        errors[i] = best_errors[i]
    return best_cost if least > 0.0 else math.sqrt(best_cost), taken


@njit(cache=True, nogil=True, error_model="numpy")
def solve(form, chains, plan, aims, k, mode, least, options, warm, weights, errors, left, taken):  # type: ignore[no-untyped-def]
    """The weights of one problem or of many.

    aims : (problems, c, 12).
    k, mode, least : see :func:`kernel_weights`, and :func:`kinetune.inverse.blend.residual_kernels.gather`.
    options : (tolerance, accept, iterations, restarts): a search ends below tolerance; others are begun while what is
        left is above accept.
    warm : (n,) weights to begin from, or (0,).
    weights (problems, n), errors (problems, c), left and taken (problems,) : out; ``left`` is in metres or their like.
    """
    room, work, spare = make_room(chains, plan)
    for i in range(aims.shape[0]):
        left[i], taken[i] = _solve(
            form, chains, plan, aims[i], k, mode, least, options, i, warm, weights[i], errors[i], room, work, spare
        )


def warm_up() -> None:
    """Compile or load the solver."""
    n, links = 2, 1
    chains = (
        np.ones((links, 4, n)), np.ones((links, 4)), np.zeros((links, 3, 1)), np.zeros((1, 3, n)),
        np.array([0, links]), np.zeros((1, n, 3)), np.ones((1, n, 4)),
    )  # fmt: skip
    plan = np.zeros(1, np.int64), np.zeros(1, np.int64), np.full(1, -1), np.ones(1), np.ones(1)
    options = 1e-6, 1e-5, 1, 0
    outs = np.empty((1, n)), np.empty((1, 1)), np.empty(1), np.empty(1, np.int64)
    solve(0, chains, plan, np.zeros((1, 1, 12)), 1, 0, 0.0, options, np.empty(0), *outs)
