"""Soft quadratic programs solved by an interior point method on bands, compiled; see ``soft_programs.py``.

All rows of a plan act on three neighbouring moments, so that with the variables of one moment side by side every matrix
is a narrow band, and a slack belongs to one group of rows and is taken out there. What is left of an iteration is the
Cholesky factor of a band: a plan of a hundred variables takes less than half a millisecond where a general solver takes
several to be set up and to run.

[mehrotra] S. Mehrotra, "On the implementation of a primal-dual interior point method", 1992: the step is predicted
without centring, and corrected by what the prediction would leave.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_TINY = 1e-300
_MARGIN = 0.1  # of all limits at the start, in their own units
_SHORT = 0.995  # of the way to the nearest limit


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
def _leave_out(P: Array, q: Array, places: Integers, values: Array) -> None:
    """Take variables whose values are known out of the cost: their rows become x = value."""
    n, w = P.shape[0], P.shape[1] - 1
    for f in range(len(places)):
        p = places[f]
        for i in range(max(0, p - w), min(n, p + w + 1)):
            if i != p:
                q[i] += P[min(i, p), abs(i - p)] * values[f]
                P[min(i, p), abs(i - p)] = 0.0
        P[p, 0] = 1.0
    for f in range(len(places)):
        q[places[f]] = -values[f]


@njit(**INNER, error_model="numpy")
def _add_limits(
    N: Array,
    where: Integers,
    what: Array,
    firsts: Integers,
    counts: Integers,
    weights: Array,
    D: Array,
    hold: Array,
    K: Array,
) -> None:
    """Add the limits to the cost, each group with its slack taken out.

    The rows a of a group with multipliers over distances D and slack weight w leave sum D aa' - ss' / (w + sum D),
    s = sum D a. Written about the mean row it has no differences that cancel, however hard a limit presses.
    K : (entries + 2, entries) scratch.
    """
    mean, apart = K[K.shape[0] - 2], K[K.shape[0] - 1]
    for g in range(len(weights)):
        first, last, width = firsts[g], firsts[g + 1], counts[g]
        total = 0.0
        for k in range(width):
            mean[k] = 0.0
        for r in range(first, last):
            total += D[r]
            for k in range(width):
                mean[k] += D[r] * what[r, k]
        hold[g] = weights[g] + total
        scale = weights[g] * total / hold[g]
        for k in range(width):
            mean[k] /= total
        for k in range(width):
            for m in range(width):
                K[k, m] = scale * mean[k] * mean[m]
        for r in range(first, last):
            for k in range(width):
                apart[k] = what[r, k] - mean[k]
            for k in range(width):
                for m in range(width):
                    K[k, m] += D[r] * apart[k] * apart[m]
        for k in range(width):
            for m in range(k, width):
                N[where[g, k], where[g, m] - where[g, k]] += K[k, m]


@njit(**INNER, error_model="numpy")
def _start(
    x: Array,
    where: Integers,
    what: Array,
    bounds: Array,
    firsts: Integers,
    weights: Array,
    s: Array,
    t: Array,
    z: Array,
) -> None:
    """Slacks, distances to the limits and multipliers with which the search begins: well within all limits."""
    for g in range(len(weights)):
        s[g] = 0.0
        for r in range(firsts[g], firsts[g + 1]):
            t[r] = bounds[r]
            for k in range(what.shape[1]):
                t[r] -= what[r, k] * x[where[g, k]]
            s[g] = max(s[g], -t[r])
        s[g] += _MARGIN
        for r in range(firsts[g], firsts[g + 1]):
            t[r] += s[g]
            z[r] = weights[g] * s[g] / (firsts[g + 1] - firsts[g])


@njit(cache=True, nogil=True, error_model="numpy")
def solve_program(
    P: Array,
    q: Array,
    fixed: Integers,
    known: Array,
    where: Integers,
    what: Array,
    bounds: Array,
    firsts: Integers,
    counts: Integers,
    weights: Array,
    tolerance: float,
    most: int,
) -> tuple[Array, Array, int]:
    """min x'Px/2 + q'x + sum w s^2/2 such that a x - s <= b for all rows a of the group of s; x, s and the steps taken.

    Parameters
    ----------
    P : (variables, width + 1) rows of its upper triangle, the diagonal first; overwritten, as are q, what and bounds.
    fixed, known : variables whose values are known.
    where : (groups, entries) rising places that the rows of a group act on. what : (rows, entries) their values there.
    firsts : (groups + 1,) the first row of each group. counts : (groups,) how many entries its rows have; others are
        zero. weights : (groups,) of their slacks.
    tolerance : of the mean product of a multiplier and the distance to its limit. most : steps.
    """
    n, w, width = P.shape[0], P.shape[1] - 1, what.shape[1]
    rows, groups = len(bounds), len(weights)
    _leave_out(P, q, fixed, known)
    held, x = np.zeros(n, np.bool_), np.zeros(n)
    for f in range(len(fixed)):
        held[fixed[f]], x[fixed[f]] = True, known[f]
    for g in range(groups):
        for k in range(width):
            if held[where[g, k]]:
                for r in range(firsts[g], firsts[g + 1]):
                    bounds[r] -= what[r, k] * x[where[g, k]]
                    what[r, k] = 0.0
    N = P.copy()
    for i in range(n):
        x[i] = -q[i]
    _factor(N)
    _solve(N, x)
    by_group, by_row = np.empty((4, groups)), np.empty((7, rows))
    s, off, hold, ds = by_group[0], by_group[1], by_group[2], by_group[3]
    t, z, miss, D, push, dt, dz = by_row[0], by_row[1], by_row[2], by_row[3], by_row[4], by_row[5], by_row[6]
    _start(x, where, what, bounds, firsts, weights, s, t, z)
    away, dx, near, scratch = np.empty(n), np.empty(n), np.empty(width), np.empty((width + 2, width))
    steps, left, sane = 0, 1.0, True
    while steps < most and rows > 0 and sane:
        gap = 0.0
        for i in range(n):
            away[i] = -q[i] - P[i, 0] * x[i]
        for i in range(n):
            for e in range(1, min(w, n - 1 - i) + 1):
                away[i] -= P[i, e] * x[i + e]
                away[i + e] -= P[i, e] * x[i]
        for g in range(groups):
            off[g] = -weights[g] * s[g]
            for k in range(counts[g]):
                near[k] = x[where[g, k]]
            for r in range(firsts[g], firsts[g + 1]):
                miss[r] = bounds[r] - t[r] + s[g]
                for k in range(counts[g]):
                    miss[r] -= what[r, k] * near[k]
                off[g] += z[r]
                gap += z[r] * t[r] / rows
                D[r] = z[r] / t[r]
            for k in range(counts[g]):
                v = 0.0
                for r in range(firsts[g], firsts[g + 1]):
                    v += what[r, k] * z[r]
                away[where[g, k]] -= v
        if gap < tolerance and left < 1e-9:
            break
        for i in range(n):
            for e in range(w + 1):
                N[i, e] = P[i, e]
        _add_limits(N, where, what, firsts, counts, weights, D, hold, scratch)
        _factor(N)
        centre, share = 0.0, 1.0
        for phase in range(2):
            for i in range(n):
                dx[i] = away[i]
            for g in range(groups):
                ds[g] = off[g]
                for r in range(firsts[g], firsts[g + 1]):
                    wanted = -z[r] * t[r] if phase == 0 else centre - z[r] * t[r] - dt[r] * dz[r]
                    push[r] = wanted / t[r] - D[r] * miss[r]
                    ds[g] += push[r]
                for k in range(counts[g]):
                    v = 0.0
                    for r in range(firsts[g], firsts[g + 1]):
                        v += what[r, k] * (push[r] - D[r] * ds[g] / hold[g])
                    dx[where[g, k]] -= v
            _solve(N, dx)
            share = 1.0
            for g in range(groups):
                for k in range(counts[g]):
                    near[k] = dx[where[g, k]]
                for r in range(firsts[g], firsts[g + 1]):
                    dt[r] = 0.0
                    for k in range(counts[g]):
                        dt[r] += what[r, k] * near[k]
                    ds[g] += D[r] * dt[r]
                ds[g] /= hold[g]
                for r in range(firsts[g], firsts[g + 1]):
                    dz[r] = push[r] + D[r] * (dt[r] - ds[g])
                    dt[r] = miss[r] - dt[r] + ds[g]
                    if dt[r] < 0.0:
                        share = min(share, -t[r] / dt[r])
                    if dz[r] < 0.0:
                        share = min(share, -z[r] / dz[r])
            if phase == 0:
                after = 0.0
                for r in range(rows):
                    after += (t[r] + share * dt[r]) * (z[r] + share * dz[r]) / rows
                centre = gap * (after / gap) ** 3
        for i in range(n):
            sane = sane and np.isfinite(dx[i])
        share = min(1.0, _SHORT * share) if sane else 0.0  # it is as near as rounding lets it come
        left *= 1.0 - share
        for i in range(n):
            x[i] += share * dx[i] if sane else 0.0
        for g in range(groups):
            s[g] += share * ds[g] if sane else 0.0
        for r in range(rows):
            t[r] += share * dt[r]
            z[r] += share * dz[r]
        steps += 1
    return x, s.copy(), steps


def warm_up() -> None:
    """Compile every kernel on tiny arrays."""
    band, spot, none = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0, 1]]), np.zeros(0, dtype=np.intp)
    one, row = np.ones(1), np.ones((1, 2))
    firsts, two = np.array([0, 1]), np.array([2])
    solve_program(band, np.zeros(2), none, np.zeros(0), spot, row, one, firsts, two, one.copy(), 1e-10, 9)
