"""Soft quadratic programs solved by an interior point method on bands, compiled; see ``soft_programs.py``.

All rows of a plan act on three neighbouring moments, so that with the variables of one moment side by side every matrix
is a narrow band, and a slack belongs to one group of rows and is eliminated there. What is left of an iteration is the
Cholesky factor of a band.

[mehrotra] S. Mehrotra, "On the implementation of a primal-dual interior point method", 1992: the step is predicted
without centring, and corrected by what the prediction would leave.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_TINY = 1e-300
_MARGIN = 0.1  # of all limits at the start, in their own units
_SHORT = 0.995  # of the distance to the nearest limit


class Limits(NamedTuple):
    """Rows a x - s <= bound, those of one slack s (a group) together.

    columns : (groups, entries) rising variables that the rows of a group act on. values : (rows, entries) there.
    firsts : (groups + 1,) the first row of each group. counts : (groups,) entries of its rows; others are zero.
    weights : (groups,) of the slacks.
    """

    columns: Integers
    values: Array
    bounds: Array
    firsts: Integers
    counts: Integers
    weights: Array


class Iterate(NamedTuple):
    """Where the search is, its residuals and its next step: x (variables,), s (groups,), t and z (rows,).

    t : distances to the limits. z : their multipliers. away, off, miss : what is left of the optimality conditions of
    x, s and t. ratio : z / t. hold : the weight of a slack and all ratios of its group. push : what moves z.
    """

    x: Array
    dx: Array
    away: Array
    s: Array
    ds: Array
    off: Array
    hold: Array
    t: Array
    dt: Array
    z: Array
    dz: Array
    miss: Array
    ratio: Array
    push: Array


@njit(**INNER, error_model="numpy")
def _factor(U: Array) -> None:
    """Overwrite a band (n, width + 1) by its Cholesky factor, one over the diagonal in front.

    Row i of the band holds the entries (i, i), (i, i + 1), ...
    """
    n, w = U.shape[0], U.shape[1] - 1
    for i in range(n):
        U[i, 0] = 1.0 / np.sqrt(max(U[i, 0], _TINY))
        m = min(w, n - 1 - i)
        for e in range(1, m + 1):
            U[i, e] *= U[i, 0]
        for f in range(1, m + 1):
            for e in range(m + 1 - f):
                U[i + f, e] -= U[i, f] * U[i, f + e]


@njit(**INNER, error_model="numpy")
def _solve(U: Array, x: Array) -> None:
    """Overwrite x (n,) by the solution with the factor U."""
    n, w = U.shape[0], U.shape[1] - 1
    for i in range(n):
        x[i] *= U[i, 0]
        for e in range(1, min(w, n - 1 - i) + 1):
            x[i + e] -= U[i, e] * x[i]
    for i in range(n - 1, -1, -1):
        v = x[i]
        for e in range(1, min(w, n - 1 - i) + 1):
            v -= U[i, e] * x[i + e]
        x[i] = v * U[i, 0]


@njit(**INNER, error_model="numpy")
def _fix(P: Array, q: Array, limits: Limits, fixed: Integers, known: Array) -> None:
    """Take variables whose values are known out of the cost (their rows become x = value) and out of the limits."""
    n, w = P.shape[0], P.shape[1] - 1
    held, value = np.zeros(n, np.bool_), np.zeros(n)
    for f in range(len(fixed)):
        p = fixed[f]
        held[p], value[p] = True, known[f]
        for i in range(max(0, p - w), min(n, p + w + 1)):
            if i != p:
                q[i] += P[min(i, p), abs(i - p)] * known[f]
                P[min(i, p), abs(i - p)] = 0.0
        P[p, 0] = 1.0
    for f in range(len(fixed)):
        q[fixed[f]] = -known[f]
    for g in range(len(limits.weights)):
        for k in range(limits.columns.shape[1]):
            p = limits.columns[g, k]
            if held[p]:
                for r in range(limits.firsts[g], limits.firsts[g + 1]):
                    limits.bounds[r] -= limits.values[r, k] * value[p]
                    limits.values[r, k] = 0.0


@njit(**INNER, error_model="numpy")
def _add_limits(N: Array, limits: Limits, at: Iterate, K: Array) -> None:
    """Add the limits to the cost, each group with its slack eliminated.

    The rows a of a group with ratios D and slack weight w leave sum D aa' - ss' / (w + sum D), s = sum D a. Written
    about the mean row it has no differences that cancel, however hard a limit presses.
    K : (entries + 2, entries) scratch.
    """
    values, D = limits.values, at.ratio
    mean, apart = K[K.shape[0] - 2], K[K.shape[0] - 1]
    for g in range(len(limits.weights)):
        first, last, width = limits.firsts[g], limits.firsts[g + 1], limits.counts[g]
        total = 0.0
        for k in range(width):
            mean[k] = 0.0
        for r in range(first, last):
            total += D[r]
            for k in range(width):
                mean[k] += D[r] * values[r, k]
        at.hold[g] = limits.weights[g] + total
        scale = limits.weights[g] * total / at.hold[g]
        for k in range(width):
            mean[k] /= total
        for k in range(width):
            for m in range(width):
                K[k, m] = scale * mean[k] * mean[m]
        for r in range(first, last):
            for k in range(width):
                apart[k] = values[r, k] - mean[k]
            for k in range(width):
                for m in range(width):
                    K[k, m] += D[r] * apart[k] * apart[m]
        for k in range(width):
            for m in range(k, width):
                N[limits.columns[g, k], limits.columns[g, m] - limits.columns[g, k]] += K[k, m]


@njit(**INNER, error_model="numpy")
def _start(limits: Limits, at: Iterate) -> None:
    """Slacks, distances to the limits and multipliers with which the search begins: well within all limits."""
    s, t, z = at.s, at.t, at.z
    for g in range(len(limits.weights)):
        first, last = limits.firsts[g], limits.firsts[g + 1]
        s[g] = 0.0
        for r in range(first, last):
            t[r] = limits.bounds[r]
            for k in range(limits.values.shape[1]):
                t[r] -= limits.values[r, k] * at.x[limits.columns[g, k]]
            s[g] = max(s[g], -t[r])
        s[g] += _MARGIN
        for r in range(first, last):
            t[r] += s[g]
            z[r] = limits.weights[g] * s[g] / (last - first)


@njit(**INNER, error_model="numpy")
def _residuals(P: Array, q: Array, limits: Limits, at: Iterate, near: Array) -> float:
    """Fill in what is left of the optimality conditions; the mean product of multipliers and distances."""
    n, w, rows = P.shape[0], P.shape[1] - 1, len(limits.bounds)
    x, s, t, z, away, off, miss = at.x, at.s, at.t, at.z, at.away, at.off, at.miss
    gap = 0.0
    for i in range(n):
        away[i] = -q[i] - P[i, 0] * x[i]
    for i in range(n):
        for e in range(1, min(w, n - 1 - i) + 1):
            away[i] -= P[i, e] * x[i + e]
            away[i + e] -= P[i, e] * x[i]
    for g in range(len(limits.weights)):
        first, last, width = limits.firsts[g], limits.firsts[g + 1], limits.counts[g]
        off[g] = -limits.weights[g] * s[g]
        for k in range(width):
            near[k] = x[limits.columns[g, k]]
        for r in range(first, last):
            miss[r] = limits.bounds[r] - t[r] + s[g]
            for k in range(width):
                miss[r] -= limits.values[r, k] * near[k]
            off[g] += z[r]
            gap += z[r] * t[r] / rows
            at.ratio[r] = z[r] / t[r]
        for k in range(width):
            v = 0.0
            for r in range(first, last):
                v += limits.values[r, k] * z[r]
            away[limits.columns[g, k]] -= v
    return gap


@njit(**INNER, error_model="numpy")
def _direction(U: Array, limits: Limits, at: Iterate, near: Array, correct: bool, centre: float) -> float:
    """Fill in the next step, predicted or corrected; how much of it can be taken before a limit is met, at most 1."""
    t, z, D, push, dx, ds, dt, dz = at.t, at.z, at.ratio, at.push, at.dx, at.ds, at.dt, at.dz
    values = limits.values
    for i in range(len(dx)):
        dx[i] = at.away[i]
    for g in range(len(limits.weights)):
        first, last = limits.firsts[g], limits.firsts[g + 1]
        ds[g] = at.off[g]
        for r in range(first, last):
            goal = centre - z[r] * t[r] - dt[r] * dz[r] if correct else -z[r] * t[r]
            push[r] = goal / t[r] - D[r] * at.miss[r]
            ds[g] += push[r]
        for k in range(limits.counts[g]):
            v = 0.0
            for r in range(first, last):
                v += values[r, k] * (push[r] - D[r] * ds[g] / at.hold[g])
            dx[limits.columns[g, k]] -= v
    _solve(U, dx)
    share = 1.0
    for g in range(len(limits.weights)):
        first, last, width = limits.firsts[g], limits.firsts[g + 1], limits.counts[g]
        for k in range(width):
            near[k] = dx[limits.columns[g, k]]
        for r in range(first, last):
            dt[r] = 0.0
            for k in range(width):
                dt[r] += values[r, k] * near[k]
            ds[g] += D[r] * dt[r]
        ds[g] /= at.hold[g]
        for r in range(first, last):
            dz[r] = push[r] + D[r] * (dt[r] - ds[g])
            dt[r] = at.miss[r] - dt[r] + ds[g]
            if dt[r] < 0.0:
                share = min(share, -t[r] / dt[r])
            if dz[r] < 0.0:
                share = min(share, -z[r] / dz[r])
    return share


@njit(cache=True, nogil=True, error_model="numpy")
def solve_program(
    P: Array, q: Array, fixed: Integers, known: Array, limits: Limits, tolerance: float, most: int
) -> tuple[Array, Array, int]:
    """min x'Px/2 + q'x + sum w s^2/2 such that a x - s <= b for all rows a of the group of s; x, s and the steps taken.

    Parameters
    ----------
    P : (variables, width + 1) rows of its upper triangle, the diagonal first; overwritten, as are q and the limits.
    fixed, known : variables whose values are known.
    tolerance : of the mean product of a multiplier and the distance to its limit. most : steps.
    """
    n, rows, width = P.shape[0], len(limits.bounds), limits.values.shape[1]
    _fix(P, q, limits, fixed, known)
    by_variable, by_group, by_row = np.empty((3, n)), np.empty((4, len(limits.weights))), np.empty((7, rows))
    at = Iterate(
        by_variable[0],
        by_variable[1],
        by_variable[2],
        by_group[0],
        by_group[1],
        by_group[2],
        by_group[3],
        by_row[0],
        by_row[1],
        by_row[2],
        by_row[3],
        by_row[4],
        by_row[5],
        by_row[6],
    )
    near, scratch = np.empty(width), np.empty((width + 2, width))
    U = P.copy()
    for i in range(n):
        at.x[i] = -q[i]
    _factor(U)
    _solve(U, at.x)
    _start(limits, at)
    steps, left, sane = 0, 1.0, True
    while steps < most and rows > 0 and sane:
        gap = _residuals(P, q, limits, at, near)
        if gap < tolerance and left < 1e-9:
            break
        for i in range(n):
            for e in range(P.shape[1]):
                U[i, e] = P[i, e]
        _add_limits(U, limits, at, scratch)
        _factor(U)
        share = _direction(U, limits, at, near, False, 0.0)
        after = 0.0
        for r in range(rows):
            after += (at.t[r] + share * at.dt[r]) * (at.z[r] + share * at.dz[r]) / rows
        share = _direction(U, limits, at, near, True, gap * (after / gap) ** 3)
        for i in range(n):
            sane = sane and np.isfinite(at.dx[i])
        share = min(1.0, _SHORT * share) if sane else 0.0  # it is as near as rounding lets it come
        left *= 1.0 - share
        for i in range(n):
            at.x[i] += share * at.dx[i] if sane else 0.0
        for g in range(len(limits.weights)):
            at.s[g] += share * at.ds[g] if sane else 0.0
        for r in range(rows):
            at.t[r] += share * at.dt[r]
            at.z[r] += share * at.dz[r]
        steps += 1
    return at.x.copy(), at.s.copy(), steps


def warm_up() -> None:
    """Compile every kernel on tiny arrays."""
    band, one, row, none = np.array([[1.0, 0.0], [1.0, 0.0]]), np.ones(1), np.ones((1, 2)), np.zeros(0, dtype=np.intp)
    limits = Limits(np.array([[0, 1]]), row, one, np.array([0, 1]), np.array([2]), one.copy())
    solve_program(band, np.zeros(2), none, np.zeros(0), limits, 1e-10, 9)
