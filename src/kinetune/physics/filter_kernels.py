"""The arithmetic of one frame of the dynamic filter, compiled; the readable body is in ``frame_solve.py``.

Everything large (degrees of freedom) is met once, in one pass that gathers the products of all rows; what is left are
matrices of a dozen rows. Both bodies solve the same strictly convex problem, by different routes to its active set
(Lawson and Hanson on normal equations here, SciPy's there), so that they agree to about 1e-9 and not to the bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.intp]

_TINY = 1e-300


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(L: Array, n: int, X: Array, m: int) -> None:
    """Overwrite the first m columns of X by the solution with the factor L."""
    for i in range(n):
        for t in range(i):
            for k in range(m):
                X[i, k] -= L[i, t] * X[t, k]
        for k in range(m):
            X[i, k] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for t in range(i + 1, n):
            for k in range(m):
                X[i, k] -= L[t, i] * X[t, k]
        for k in range(m):
            X[i, k] /= L[i, i]


@njit(cache=True, nogil=True, error_model="numpy")
def nnls(G: Array, h: Array, most: int, guess: Flags) -> tuple[Array, int]:
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
            k = 0
            for i in range(n):
                if inside[i]:
                    index[k] = i
                    k += 1
            for a in range(k):
                for b in range(a + 1):
                    L[a, b] = G[index[a], index[b]]
                s[a, 0] = h[index[a]]
            _factor(L, k)
            _solve(L, k, s, 1)
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


@njit(cache=True, nogil=True, error_model="numpy")
def centroid_rows(
    H6: Array, C: Array, R: Array, lever: Array, mass: float, gravity: Array, KT: Array, at: int, bias: Array
) -> None:
    """Rows of centre of mass and angular momentum about it, read off the root rows of the mass matrix.

    H6 : (6, dof) root rows of the mass matrix. KT : (dof, rows), filled from column ``at`` on: three of the centre of
    mass, three of the momentum. bias : (6,) what they accelerate by themselves.
    """
    x, y, z = lever
    for j in range(H6.shape[1]):
        a, b, c = H6[0, j], H6[1, j], H6[2, j]
        KT[j, at], KT[j, at + 1], KT[j, at + 2] = a / mass, b / mass, c / mass
        u, v, w = H6[3, j], H6[4, j], H6[5, j]
        KT[j, at + 3] = R[0, 0] * u + R[0, 1] * v + R[0, 2] * w - (y * c - z * b)
        KT[j, at + 4] = R[1, 0] * u + R[1, 1] * v + R[1, 2] * w - (z * a - x * c)
        KT[j, at + 5] = R[2, 0] * u + R[2, 1] * v + R[2, 2] * w - (x * b - y * a)
    for i in range(3):
        bias[i] = C[i] / mass + gravity[i]
        bias[3 + i] = R[i, 0] * C[3] + R[i, 1] * C[4] + R[i, 2] * C[5]
    bias[3] -= y * C[2] - z * C[1]
    bias[4] -= z * C[0] - x * C[2]
    bias[5] -= x * C[1] - y * C[0]


@njit(cache=True, nogil=True, error_model="numpy")
def foot_rows(
    jacobians: Array, rates: Array, v: Array, pulls: Array, damps: Array, count: int, KT: Array, target: Array
) -> None:
    """Rows of held points; see :func:`kinetune.physics.frame_solve.foot_rows`."""
    for k in range(count):
        for i in range(3):
            speed = 0.0
            bias = 0.0
            for j in range(len(v)):
                KT[j, 3 * k + i] = jacobians[k, i, j]
                speed += jacobians[k, i, j] * v[j]
                bias += rates[k, i, j] * v[j]
            target[3 * k + i] = pulls[k, i] - damps[k] * speed - bias


@njit(cache=True, nogil=True, error_model="numpy")
def place_points(places: Array, axes: Array, bodies: Integers, offsets: Array, found: Array) -> None:
    """World positions (points, 3) of points fixed to bodies, whose places and axes are (bodies, 3) and (bodies, 9)."""
    for p in range(len(bodies)):
        b = bodies[p]
        for i in range(3):
            found[p, i] = (
                places[b, i]
                + axes[b, 3 * i] * offsets[p, 0]
                + axes[b, 3 * i + 1] * offsets[p, 1]
                + axes[b, 3 * i + 2] * offsets[p, 2]
            )


@njit(cache=True, nogil=True, error_model="numpy")
def contact_columns(points: Array, basis: Array, root: Array, R: Array, B: Array) -> None:
    """The root's generalized force of each unit coefficient, (6, points * sides)."""
    sides = basis.shape[1]
    for p in range(points.shape[0]):
        x, y, z = points[p, 0] - root[0], points[p, 1] - root[1], points[p, 2] - root[2]
        for s in range(sides):
            k = p * sides + s
            a, b, c = basis[p, s, 0], basis[p, s, 1], basis[p, s, 2]
            u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
            B[0, k], B[1, k], B[2, k] = a, b, c
            for i in range(3):
                B[3 + i, k] = R[0, i] * u + R[1, i] * v + R[2, i] * w


@njit(cache=True, nogil=True, error_model="numpy")
def _force_problem(S: Array, B: Array, d: Array, stay: float) -> tuple[Array, Array]:
    """Normal equations of the contact forces in the metric of S, a little of each coefficient held back."""
    n = B.shape[1]
    Z = np.empty((6, n + 1))
    L = np.empty((6, 6))
    for t in range(6):
        for i in range(n):
            Z[t, i] = B[t, i]
        Z[t, n] = d[t]
        for i in range(6):
            L[t, i] = S[t, i]
    _factor(L, 6)
    _solve(L, 6, Z, n + 1)
    G = np.zeros((n, n))
    h = np.zeros(n)
    for t in range(6):
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


@njit(cache=True, nogil=True, error_model="numpy")
def _forces(S: Array, B: Array, d: Array, stay: float, solver: int, most: int, guess: Flags) -> tuple[Array, int]:
    n = B.shape[1]
    if n == 0:
        return np.zeros(0), 0
    G, h = _force_problem(S, B, d, stay)
    if solver == 0:
        return nnls(G, h, most, guess)
    x = np.empty((n, 1))
    for i in range(n):
        x[i, 0] = h[i]
    _factor(G, n)
    _solve(G, n, x, 1)
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
    """Accelerations and contact forces of one frame; see :func:`kinetune.physics.frame_solve.solve_frame`."""
    dof = KT.shape[0]
    n = rows + 6
    gram = np.zeros((n, n))
    now = np.zeros(n)
    for j in range(dof):
        for a in range(n):
            t = KT[j, a] * loose[j]
            for b in range(n):
                gram[a, b] += t * KT[j, b]
            now[a] += KT[j, a] * desired[j]
    M = np.empty((rows, 7))
    for a in range(rows):
        M[a, 0] = target[a] - now[a]
        for i in range(6):
            M[a, 1 + i] = gram[a, rows + i]
    L = np.empty((rows, rows))
    for a in range(rows):
        for b in range(rows):
            L[a, b] = gram[a, b]
    S = np.empty((6, 6))
    d = np.empty(6)
    for i in range(6):
        d[i] = now[rows + i] + C6[i]
        for k in range(6):
            S[i, k] = gram[rows + i, rows + k]
    push = np.zeros(n)
    if order == 0:
        for a in range(rows):
            L[a, a] += soft[a]
        _factor(L, rows)
        _solve(L, rows, M, 7)
        for a in range(rows):
            for i in range(6):
                d[i] += gram[a, rows + i] * M[a, 0]
                for k in range(6):
                    S[i, k] -= gram[a, rows + i] * M[a, 1 + k]
    f, steps = _forces(S, B, d, stay, solver, most, guess)
    y = np.empty((6, 1))
    for i in range(6):
        y[i, 0] = -d[i]
    for k in range(len(f)):
        for i in range(6):
            y[i, 0] += B[i, k] * f[k]
    _factor(S, 6)
    _solve(S, 6, y, 1)
    for i in range(6):
        push[rows + i] = y[i, 0]
    if order == 0:
        for a in range(rows):
            push[a] = M[a, 0]
            for i in range(6):
                push[a] -= M[a, 1 + i] * y[i, 0]
    else:
        trace = 0.0
        for a in range(rows):
            for i in range(6):
                M[a, 0] -= gram[a, rows + i] * y[i, 0]
            trace += L[a, a]
        for a in range(rows):
            L[a, a] += 1e-10 * trace / rows
        _factor(L, rows)
        _solve(L, rows, M, 1)
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
    KT = np.eye(13, 13)
    R, B = np.eye(3), np.zeros((6, 4))
    centroid_rows(np.ones((6, 13)), np.zeros(13), R, np.zeros(3), 1.0, np.zeros(3), KT, 0, np.zeros(6))
    blocks = np.zeros((1, 3, 13))
    guess = np.zeros(4, dtype=np.bool_)
    place_points(np.zeros((2, 3)), np.zeros((2, 9)), np.array([1]), np.zeros((1, 3)), np.zeros((1, 3)))
    foot_rows(blocks, blocks, np.zeros(13), np.zeros((1, 3)), np.zeros(1), 1, KT, np.zeros(13))
    contact_columns(np.ones((1, 3)), np.ones((1, 4, 3)), np.zeros(3), R, B)
    solve_frame(np.eye(13), 7, np.zeros(6), np.zeros(13), np.zeros(7), np.ones(7), np.ones(13), B, 1e-6, 0, 0, 9, guess)
