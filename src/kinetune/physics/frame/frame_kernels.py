"""The arithmetic of one frame of the dynamic filter, compiled; the readable body is in ``frame_solve.py``.

Everything large (degrees of freedom) is met once, in one pass that gathers the products of all rows; what is left are
matrices of a dozen rows. Both bodies solve the same strictly convex problem, by different routes to its active set
(Lawson and Hanson on normal equations here, SciPy's there), so that they agree to about 1e-9 and not to the bit.

Sizes that never change, such as the six rows of the root, are read off arrays: loops over numbers that the compiler
knows are unrolled, and unrolled loops within each other took most of its time.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_TINY = 1e-300


@njit(**INNER, error_model="numpy")
def _factor(S: Array, n: int) -> None:
    """Cholesky factor of the leading block, in its lower triangle."""
    for j in range(n):
        v = S[j, j]
        for t in range(j):
            v -= S[j, t] * S[j, t]
        S[j, j] = np.sqrt(max(v, _TINY))
        for i in range(j + 1, n):
            u = S[i, j]
            for t in range(j):
                u -= S[i, t] * S[j, t]
            S[i, j] = u / S[j, j]


@njit(**INNER, error_model="numpy")
def _solve(L: Array, n: int, X: Array) -> None:
    """Overwrite the columns of X by the solution with the factor L of the leading block."""
    for i in range(n):
        for t in range(i):
            for k in range(X.shape[1]):
                X[i, k] -= L[i, t] * X[t, k]
        for k in range(X.shape[1]):
            X[i, k] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for t in range(i + 1, n):
            for k in range(X.shape[1]):
                X[i, k] -= L[t, i] * X[t, k]
        for k in range(X.shape[1]):
            X[i, k] /= L[i, i]


@njit(**INNER, error_model="numpy")
def _nnls(G: Array, h: Array, most: int, guess: Flags) -> tuple[Array, int]:
    """min f'Gf/2 - h'f with f >= 0, after Lawson and Hanson; G is positive definite. Returns f and the steps taken.

    guess : (columns,) which coefficients are likely above zero; it saves steps and does not change the optimum.
    """
    n = len(h)
    x = np.zeros(n)
    inside = np.zeros(n, np.bool_)
    slope = np.empty(n)
    for i in range(n):
        slope[i] = h[i]
    index = np.empty(n, np.int64)
    L = np.empty((n, n))
    s = np.empty((n, 1))
    scale = 0.0
    for i in range(n):
        scale = max(scale, abs(h[i]))
    steps = 0
    first = False
    for i in range(n):
        inside[i] = guess[i]
        first = first or guess[i]
    while steps < most:
        best, enter = 1e-11 * scale, -1
        if not first:
            for i in range(n):
                if not inside[i] and slope[i] > best:
                    best, enter = slope[i], i
            if enter < 0:
                break
            inside[enter] = True
        first = False
        while steps < most:
            steps += 1
            k = np.int64(0)
            for i in range(n):
                if inside[i]:
                    index[k] = i
                    k += 1
            for a in range(k):
                for b in range(a + 1):
                    L[a, b] = G[index[a], index[b]]
                s[a, 0] = h[index[a]]
            _factor(L, k)
            _solve(L, k, s)
            share = 2.0
            for a in range(k):
                if s[a, 0] <= 0.0:
                    own = x[index[a]]
                    share = min(share, own / (own - s[a, 0]) if own > s[a, 0] else 0.0)
            if share > 1.0:
                for a in range(k):
                    x[index[a]] = s[a, 0]
                break
            if k == 0:
                break
            for a in range(k):
                i = index[a]
                x[i] += share * (s[a, 0] - x[i])
                if s[a, 0] <= 0.0 and x[i] <= 1e-14 * scale:
                    x[i] = 0.0
                    inside[i] = False
        for i in range(n):
            slope[i] = h[i]
        for t in range(n):
            if x[t] != 0.0:
                for i in range(n):
                    slope[i] -= G[t, i] * x[t]
    return x, steps


@njit(**INNER, error_model="numpy")
def _force_problem(S: Array, B: Array, d: Array, stay: float) -> tuple[Array, Array]:
    """Normal equations of the contact forces in the metric of S, a little of each coefficient held back."""
    six, n = B.shape
    Z, L = np.empty((six, n + 1)), S.copy()
    for t in range(six):
        for i in range(n):
            Z[t, i] = B[t, i]
        Z[t, n] = d[t]
    _factor(L, six)
    _solve(L, six, Z)
    G = np.zeros((n, n))
    h = np.zeros(n)
    for t in range(six):
        for i in range(n):
            for j in range(n):
                G[i, j] += B[t, i] * Z[t, j]
            h[i] += B[t, i] * Z[t, n]
    trace = 0.0
    for i in range(n):
        trace += G[i, i]
    for i in range(n):
        G[i, i] += stay * trace / n
    return G, h


@njit(**INNER, error_model="numpy")
def _forces(S: Array, B: Array, d: Array, stay: float, solver: int, most: int, guess: Flags) -> tuple[Array, int]:
    n = B.shape[1]
    if n == 0:
        return np.zeros(0), 0
    G, h = _force_problem(S, B, d, stay)
    if solver == 0:
        return _nnls(G, h, most, guess)
    x = np.empty((n, 1))
    for i in range(n):
        x[i, 0] = h[i]
    _factor(G, n)
    _solve(G, n, x)
    for i in range(n):
        h[i] = x[i, 0]
    return h, 1


@njit(cache=True, nogil=True, error_model="numpy")
def solve_frame(
    KT: Array,
    rows: int,
    C6: Array,
    desired: Array,
    target: Array,
    soft: Array,
    loose: Array,
    B: Array,
    stay: float,
    solver: int,
    order: int,
    most: int,
    guess: Flags,
) -> tuple[Array, Array, int]:
    """Accelerations and contact forces of one frame; see :func:`kinetune.physics.frame.frame_solve.solve_frame`."""
    dof, six = KT.shape[0], len(C6)
    n = rows + six
    gram = np.zeros((n, n))
    now = np.zeros(n)
    for j in range(dof):
        for a in range(n):
            t = KT[j, a] * loose[j]
            for b in range(n):
                gram[a, b] += t * KT[j, b]
            now[a] += KT[j, a] * desired[j]
    M = np.empty((rows, six + 1))
    for a in range(rows):
        M[a, 0] = target[a] - now[a]
        for i in range(six):
            M[a, 1 + i] = gram[a, rows + i]
    L = np.empty((rows, rows))
    for a in range(rows):
        for b in range(rows):
            L[a, b] = gram[a, b]
    S = np.empty((six, six))
    d = np.empty(six)
    for i in range(six):
        d[i] = now[rows + i] + C6[i]
        for k in range(six):
            S[i, k] = gram[rows + i, rows + k]
    push = np.zeros(n)
    if order == 0:
        for a in range(rows):
            L[a, a] += soft[a]
        _factor(L, rows)
        _solve(L, rows, M)
        for a in range(rows):
            for i in range(six):
                d[i] += gram[a, rows + i] * M[a, 0]
                for k in range(six):
                    S[i, k] -= gram[a, rows + i] * M[a, 1 + k]
    f, steps = _forces(S, B, d, stay, solver, most, guess)
    y = np.empty((six, 1))
    for i in range(six):
        y[i, 0] = -d[i]
    for k in range(len(f)):
        for i in range(six):
            y[i, 0] += B[i, k] * f[k]
    _factor(S, six)
    _solve(S, six, y)
    for i in range(six):
        push[rows + i] = y[i, 0]
    if order == 0:
        for a in range(rows):
            push[a] = M[a, 0]
            for i in range(six):
                push[a] -= M[a, 1 + i] * y[i, 0]
    else:
        trace = 0.0
        for a in range(rows):
            for i in range(six):
                M[a, 0] -= gram[a, rows + i] * y[i, 0]
            trace += L[a, a]
        for a in range(rows):
            L[a, a] += 1e-10 * trace / rows
        _factor(L, rows)
        _solve(L, rows, M)
        for a in range(rows):
            push[a] = M[a, 0]
    result = np.empty(dof)
    for j in range(dof):
        result[j] = desired[j]
        for a in range(n):
            result[j] += loose[j] * KT[j, a] * push[a]
    return result, f, steps


def warm_up() -> None:
    """Compile every kernel on tiny arrays."""
    ones, guess = np.ones(13), np.zeros(4, dtype=np.bool_)
    B = np.zeros((6, 4))
    solve_frame(np.eye(13), 7, np.zeros(6), np.zeros(13), np.zeros(7), ones[:7], ones, B, 1e-6, 0, 0, 9, guess)
