"""The arithmetic of one frame of the dynamic filter, compiled.

What surrounds the solution comes first (held points, the whole body, contacts, torques), then the solution itself;
``tracking.py`` says what is solved and why. Everything large (degrees of freedom) is met once, in one pass that gathers
the products of all rows; what is left are matrices of a dozen rows. MuJoCo's Jacobians are not asked for: its axes of
motion ``cdof`` and velocities ``cvel``, both about the centre of mass, say the same, and only the few degrees of
freedom between a point and the root answer to it.

Sizes that never change, such as the six rows of the root, are read off arrays: loops over numbers that the compiler
knows are unrolled, and unrolled loops within each other took most of its time.

Tested against a readable NumPy version (``tests/physics/frame/frame_oracle.py``), which agrees to about 1e-9 and not to
the bit: it finds the active set along another route.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER
from kinetune.physics.filter.com_targets import WholeBodyTarget

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.intp]
Triple = tuple[float, float, float]

_TINY = 1e-300


class FootGains(NamedTuple):
    """:class:`kinetune.physics.filter.filter_settings.Gains` of feet and whole body as single numbers."""

    foot_k: float
    foot_b: float
    foot_weight: float
    heel_weight: float
    swing_k: float
    swing_b: float
    swing_weight: float
    landing_k: float
    landing_b: float
    landing_weight: float
    landing_height: float
    fade: float
    ramp: float
    com_k: float
    com_b: float
    com_weight: float
    momentum: float
    momentum_weight: float
    pivot_weight: float


class FootPath(NamedTuple):
    """The held points of a motion, (frames, feet, ...) each."""

    stance: Flags
    clearance: Array
    position: Array
    velocity: Array
    acceleration: Array


class HeldFeet(NamedTuple):
    """Held points, (feet, ...) each: what carries them, and how they have stood so far."""

    bodies: Integers
    heels: Flags
    stood: Flags
    age: Array
    anchor: Array


class BodyState(NamedTuple):
    """The state of a body, as MuJoCo has computed it.

    H, C : mass matrix and bias forces. com, root, axes : positions of the centre of mass and the root, and the root's
    axes as columns. cdof, cvel : axes of motion and velocities about the centre of mass. v : (dof,) velocities.
    parents : (dof,) the degree of freedom before each on its way to the root, -1 at the end. owners : (dof,) their
    bodies. lasts : (bodies,) the last degree of freedom that moves a body. The first three move the root along the
    world's axes.
    """

    H: Array
    C: Array
    com: Array
    root: Array
    axes: Array
    cdof: Array
    cvel: Array
    v: Array
    mass: float
    gravity: Array
    parents: Integers
    owners: Integers
    lasts: Integers


class ContactPoints(NamedTuple):
    """The contact points of a body, (points,) each.

    feet : the heel or toe of each. carriers : their bodies.
    inner : the foot whose other points make this one unnecessary, or -1; a foot's number is twice that plus one for
    points that have to press for that, and less by one for it.
    likely : (points, sides) whether a coefficient was above zero in the last frame.
    """

    feet: Integers
    carriers: Integers
    inner: Integers
    likely: Flags


class FrameRows(NamedTuple):
    """The rows of a frame's problem.

    keys : (dof, rows + 6) the reference rows and, last, those of the root in the mass matrix, transposed.
    target : (rows,) wanted accelerations of the references, their bias taken off.
    soft : (rows,) one over the weight of each.
    """

    keys: Array
    target: Array
    soft: Array


class ForceMethod(NamedTuple):
    """How contact forces are found; see ``STAY``, ``SOLVERS``, ``ORDERS`` and ``MOST_STEPS`` in ``tracking.py``."""

    stay: float
    solver: int
    order: int
    most: int


@njit(**INNER, error_model="numpy")
def _cross(a: float, b: float, c: float, x: float, y: float, z: float) -> Triple:
    return b * z - c * y, c * x - a * z, a * y - b * x


@njit(cache=True, nogil=True, error_model="numpy")
def world_points(positions: Array, axes: Array, bodies: Integers, offsets: Array) -> Array:
    """World positions (points, 3) of points fixed to bodies with positions (bodies, 3) and axes (bodies, 9)."""
    points = np.empty((len(bodies), 3))
    for p in range(len(bodies)):
        b = bodies[p]
        for i in range(3):
            points[p, i] = (
                positions[b, i]
                + axes[b, 3 * i] * offsets[p, 0]
                + axes[b, 3 * i + 1] * offsets[p, 1]
                + axes[b, 3 * i + 2] * offsets[p, 2]
            )
    return points


@njit(**INNER, error_model="numpy")
def _held_rows(point: Array, body: int, state: BodyState, keys: Array, at: int) -> tuple[Triple, Triple]:
    """The Jacobian of a point into three columns of the keys, its velocity, and its acceleration at zero ``qacc``."""
    com, cdof, cvel, v = state.com, state.cdof, state.cvel, state.v
    x, y, z = point[0] - com[0], point[1] - com[1], point[2] - com[2]
    w = cvel[body]
    ux, uy, uz = _cross(w[0], w[1], w[2], x, y, z)
    ux, uy, uz = ux + w[3], uy + w[4], uz + w[5]
    bx, by, bz = _cross(w[0], w[1], w[2], ux, uy, uz)
    for j in range(len(v)):
        keys[j, at], keys[j, at + 1], keys[j, at + 2] = 0.0, 0.0, 0.0
    j = state.lasts[body]
    while j >= 0:
        c, w = cdof[j], cvel[state.owners[j]]
        px, py, pz = _cross(c[0], c[1], c[2], x, y, z)
        keys[j, at], keys[j, at + 1], keys[j, at + 2] = px + c[3], py + c[4], pz + c[5]
        if j >= 3:
            # How the axis itself moves, turned into the motion of the point.
            ax, ay, az = _cross(w[0], w[1], w[2], c[0], c[1], c[2])
            px, py, pz = _cross(ax, ay, az, x, y, z)
            lx, ly, lz = _cross(w[0], w[1], w[2], c[3], c[4], c[5])
            mx, my, mz = _cross(w[3], w[4], w[5], c[0], c[1], c[2])
            bx, by, bz = bx + v[j] * (px + lx + mx), by + v[j] * (py + ly + my), bz + v[j] * (pz + lz + mz)
        j = state.parents[j]
    return (ux, uy, uz), (bx, by, bz)


@njit(cache=True, nogil=True, error_model="numpy")
def hold_feet(
    t: int, path: FootPath, feet: HeldFeet, state: BodyState, gains: FootGains, points: Array, rows: FrameRows
) -> int:
    """Rows for heels and toes ([pollard] Eq. 11 to 14), counted. points : (feet, 3) where they are now.

    A foot that has just landed stays where it is and drifts back; one in the air is held the firmer, the nearer it is
    to the ground.
    """
    stood, age, anchor, heels = feet.stood, feet.age, feet.anchor, feet.heels
    goal, target, soft = path.position, rows.target, rows.soft
    count = np.int64(0)
    for foot in range(len(feet.bodies)):
        stands = path.stance[t, foot]
        if stands:
            if not stood[foot]:
                age[foot] = 0.0
                for i in range(0, 3, 2):
                    anchor[foot, i] = points[foot, i] - goal[t, foot, i]
                anchor[foot, 1] = 0.0
            age[foot] += 1.0
            for i in range(3):
                anchor[foot, i] *= gains.fade
            built = min(1.0, age[foot] / gains.ramp) if gains.ramp > 0.0 else 1.0
            most = gains.heel_weight if heels[foot] else gains.foot_weight
            k, b = gains.foot_k, gains.foot_b
            weight = gains.landing_weight + (most - gains.landing_weight) * built
        else:
            near = min(max(1.0 - path.clearance[t, foot] / gains.landing_height, 0.0), 1.0)
            k = gains.swing_k + near * (gains.landing_k - gains.swing_k)
            b = gains.swing_b + near * (gains.landing_b - gains.swing_b)
            weight = gains.swing_weight + near * (gains.landing_weight - gains.swing_weight)
        stood[foot] = stands
        if weight <= 0.0 or (heels[foot] and not stands):
            continue
        speed, bias = _held_rows(points[foot], feet.bodies[foot], state, rows.keys, count)
        for i in range(3):
            pull = (
                path.acceleration[t, foot, i] + k * (goal[t, foot, i] - points[foot, i]) + b * path.velocity[t, foot, i]
            )
            if stands:
                pull += k * anchor[foot, i]
            target[count + i] = pull - b * speed[i] - bias[i]
            soft[count + i] = 1.0 / weight
        count += 3
    return int(count)


@njit(cache=True, nogil=True, error_model="numpy")
def hold_whole(
    state: BodyState, aim: WholeBodyTarget, gains: FootGains, level: bool, count: int, rows: FrameRows
) -> int:
    """Rows of the centre of mass and the angular momentum about it, read off the root rows of the mass matrix.

    level : only the horizontal position counts. count : rows that are set; returns how many are set afterwards.
    """
    H, C, R, com, root, v, mass = state.H, state.C, state.axes, state.com, state.root, state.v, state.mass
    keys, target, soft = rows.keys, rows.target, rows.soft
    x, y, z = com[0] - root[0], com[1] - root[1], com[2] - root[2]
    now = np.zeros(6)
    for j in range(len(v)):
        a, b, c = H[0, j], H[1, j], H[2, j]
        keys[j, count], keys[j, count + 1], keys[j, count + 2] = a / mass, b / mass, c / mass
        for i in range(3):
            keys[j, count + 3 + i] = R[i, 0] * H[3, j] + R[i, 1] * H[4, j] + R[i, 2] * H[5, j]
        keys[j, count + 3] -= y * c - z * b
        keys[j, count + 4] -= z * a - x * c
        keys[j, count + 5] -= x * b - y * a
        for i in range(6):
            now[i] += keys[j, count + i] * v[j]
    turn = _cross(x, y, z, C[0], C[1], C[2])
    for i in range(3):
        unforced = C[i] / mass + state.gravity[i]
        pull = aim.acceleration[i] + gains.com_k * (aim.com[i] - com[i]) + gains.com_b * (aim.velocity[i] - now[i])
        target[count + i], soft[count + i] = pull - unforced, 1.0 / gains.com_weight
        unforced = R[i, 0] * C[3] + R[i, 1] * C[4] + R[i, 2] * C[5] - turn[i]
        pull = aim.momentum_rate[i] + gains.momentum * (aim.momentum[i] - now[3 + i])
        target[count + 3 + i], soft[count + 3 + i] = pull - unforced, 1.0 / gains.momentum_weight
    soft[count + 4] = 1.0 / gains.pivot_weight
    if not level:
        return count + 6
    for j in range(len(v)):
        keys[j, count + 1] = keys[j, count + 2]
    target[count + 1] = target[count + 2]
    return count + 2


@njit(cache=True, nogil=True, error_model="numpy")
def hold_pose(
    t: int, A: Array, V: Array, error: Array, stiff: Array, damp: Array, state: BodyState, count: int, rows: FrameRows
) -> Array:
    """The wanted accelerations of the pose ([pollard] Eq. 3 to 5); the root rows of H go behind the reference rows."""
    v = state.v
    desired = np.empty(len(v))
    for j in range(len(v)):
        desired[j] = A[t, j] + stiff[j] * error[j] + damp[j] * (V[t, j] - v[j])
        for i in range(6):
            rows.keys[j, count + i] = state.H[i, j]
    return desired


@njit(cache=True, nogil=True, error_model="numpy")
def press(
    t: int,
    stance: Flags,
    contacts: ContactPoints,
    points: Array,
    under: Array,
    basis: Array,
    near: float,
    touch: float,
    state: BodyState,
) -> tuple[Integers, Array, Flags]:
    """Points that may press, what their unit coefficients do to the root (6, columns), and which are likely above zero.

    points : (points, 3) in the world. under : (points,) the ground's height there. basis : (points, sides, 3).
    The columns are those of :func:`kinetune.physics.ground.root_wrenches`.
    """
    sides, inner, root, R = basis.shape[1], contacts.inner, state.root, state.axes
    down = np.empty(len(points), np.intp)
    whole = np.ones(len(points) + 1, np.bool_)
    presses = np.empty(len(points), np.bool_)
    for p in range(len(points)):
        presses[p] = points[p, 1] - under[p] < (near if stance[t, contacts.feet[p]] else touch)
        if inner[p] >= 0 and not presses[p]:
            whole[inner[p] // 2] = False
    count = 0
    for p in range(len(points)):
        needless = inner[p] >= 0 and inner[p] % 2 == 0 and whole[inner[p] // 2]
        if presses[p] and not needless:
            down[count] = p
            count += 1
    B, guess = np.empty((6, count * sides)), np.empty(count * sides, np.bool_)
    for n in range(count):
        p = down[n]
        x, y, z = points[p, 0] - root[0], points[p, 1] - root[1], points[p, 2] - root[2]
        for s in range(sides):
            k = n * sides + s
            a, b, c = basis[p, s, 0], basis[p, s, 1], basis[p, s, 2]
            u, v, w = _cross(x, y, z, a, b, c)
            B[0, k], B[1, k], B[2, k] = a, b, c
            for i in range(3):
                B[3 + i, k] = R[0, i] * u + R[1, i] * v + R[2, i] * w
            guess[k] = contacts.likely[p, s]
    return down[:count].copy(), B, guess


@njit(cache=True, nogil=True, error_model="numpy")
def load_up(
    a: Array, f: Array, down: Integers, contacts: ContactPoints, points: Array, basis: Array, state: BodyState
) -> tuple[Array, Array]:
    """Contact forces (points, 3), and the generalized forces (dof,) beyond theirs that the accelerations ask for."""
    sides, likely, H, com, cdof = basis.shape[1], contacts.likely, state.H, state.com, state.cdof
    forces, needed = np.zeros(points.shape), state.C.copy()
    for i in range(len(a)):
        for j in range(len(a)):
            needed[j] += H[i, j] * a[i]
    for p in range(len(points)):
        for s in range(sides):
            likely[p, s] = False
    for n in range(len(down)):
        p = down[n]
        for s in range(sides):
            share = f[n * sides + s]
            likely[p, s] = share > 0.0  # what presses in this frame will press in the next
            for i in range(3):
                forces[p, i] += share * basis[p, s, i]
        x, y, z = forces[p, 0], forces[p, 1], forces[p, 2]
        u, v, w = _cross(points[p, 0] - com[0], points[p, 1] - com[1], points[p, 2] - com[2], x, y, z)
        j = state.lasts[contacts.carriers[p]]
        while j >= 0:
            c = cdof[j]
            needed[j] -= c[0] * u + c[1] * v + c[2] * w + c[3] * x + c[4] * y + c[5] * z
            j = state.parents[j]
    return forces, needed


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
                    value = x[index[a]]
                    share = min(share, value / (value - s[a, 0]) if value > s[a, 0] else 0.0)
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
def _greedy(G: Array, h: Array, most: int) -> tuple[Array, int]:
    """[pollard] 4.2.3: change the coefficient that moves most directly toward the solution, never below zero."""
    n = len(h)
    x, slope = np.zeros(n), h.copy()
    enough = 0.0
    for i in range(n):
        enough += 1e-12 * h[i] * h[i] / G[i, i]
    for step in range(most):
        best, change, enter = enough, 0.0, -1
        for i in range(n):
            move = max(slope[i] / G[i, i], -x[i])
            gain = 2.0 * move * slope[i] - move * move * G[i, i]
            if gain > best:
                best, change, enter = gain, move, i
        if enter < 0:
            return x, step
        x[enter] += change
        for i in range(n):
            slope[i] -= G[enter, i] * change
    return x, most


@njit(**INNER, error_model="numpy")
def _forces(S: Array, B: Array, d: Array, method: ForceMethod, guess: Flags) -> Any:
    n = B.shape[1]
    if n == 0:
        return np.zeros(0), 0
    G, h = _force_problem(S, B, d, method.stay)
    if method.solver == 0:
        return _nnls(G, h, method.most, guess)
    if method.solver == 1:
        return _greedy(G, h, method.most)
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
    rows: FrameRows, count: int, C6: Array, desired: Array, loose: Array, B: Array, method: ForceMethod, guess: Flags
) -> tuple[Array, Array, int]:
    """Accelerations (dof,), contact coefficients (columns,) and solver steps of one frame.

    count : reference rows in use. C6 : (6,) bias forces at the root. desired : (dof,) wanted accelerations.
    loose : (dof,) one over the weight of each acceleration. B : (6, columns) root force of each contact coefficient;
    none in flight. guess : (columns,) which coefficients are likely above zero; it does not change the optimum.
    """
    keys, target, soft = rows.keys, rows.target, rows.soft
    dof, six = keys.shape[0], len(C6)
    n = count + six
    gram = np.zeros((n, n))
    now = np.zeros(n)
    for j in range(dof):
        for a in range(n):
            t = keys[j, a] * loose[j]
            for b in range(n):
                gram[a, b] += t * keys[j, b]
            now[a] += keys[j, a] * desired[j]
    M = np.empty((count, six + 1))
    for a in range(count):
        M[a, 0] = target[a] - now[a]
        for i in range(six):
            M[a, 1 + i] = gram[a, count + i]
    L = np.empty((count, count))
    for a in range(count):
        for b in range(count):
            L[a, b] = gram[a, b]
    S = np.empty((six, six))
    d = np.empty(six)
    for i in range(six):
        d[i] = now[count + i] + C6[i]
        for k in range(six):
            S[i, k] = gram[count + i, count + k]
    push = np.zeros(n)
    if method.order == 0:
        for a in range(count):
            L[a, a] += soft[a]
        _factor(L, count)
        _solve(L, count, M)
        for a in range(count):
            for i in range(six):
                d[i] += gram[a, count + i] * M[a, 0]
                for k in range(six):
                    S[i, k] -= gram[a, count + i] * M[a, 1 + k]
    f, steps = _forces(S, B, d, method, guess)
    y = np.empty((six, 1))
    for i in range(six):
        y[i, 0] = -d[i]
    for k in range(len(f)):
        for i in range(six):
            y[i, 0] += B[i, k] * f[k]
    _factor(S, six)
    _solve(S, six, y)
    for i in range(six):
        push[count + i] = y[i, 0]
    if method.order == 0:
        for a in range(count):
            push[a] = M[a, 0]
            for i in range(six):
                push[a] -= M[a, 1 + i] * y[i, 0]
    else:
        trace = 0.0
        for a in range(count):
            for i in range(six):
                M[a, 0] -= gram[a, count + i] * y[i, 0]
            trace += L[a, a]
        for a in range(count):
            L[a, a] += 1e-10 * trace / count
        _factor(L, count)
        _solve(L, count, M)
        for a in range(count):
            push[a] = M[a, 0]
    result = np.empty(dof)
    for j in range(dof):
        result[j] = desired[j]
        for a in range(n):
            result[j] += loose[j] * keys[j, a] * push[a]
    return result, f, steps


def warm_up() -> None:
    """Compile every kernel on tiny arrays."""
    dof = 6
    ones, six, three = np.ones(dof), np.eye(6), np.zeros(3)
    axes, points, table = np.eye(3), np.zeros((1, 3)), np.zeros((1, dof))
    chain, owners = np.arange(-1, 5), np.ones(dof, dtype=np.intp)
    state = BodyState(
        six, ones, three, three, axes, six, np.zeros((2, 6)), ones, 1.0, three, chain, owners, np.array([-1, 5])
    )
    flag, flags, spot = np.zeros(1, dtype=np.bool_), np.zeros((1, 1), dtype=np.bool_), np.array([1])
    path = FootPath(flags, np.zeros((1, 1)), *(np.zeros((1, 1, 3)) for _ in range(3)))
    feet = HeldFeet(spot, flag, flag.copy(), np.zeros(1), points.copy())
    gains = FootGains(*(1.0 for _ in FootGains._fields))
    rows = FrameRows(np.zeros((dof, 24)), np.ones(12), np.ones(12))
    world_points(np.zeros((2, 3)), np.zeros((2, 9)), spot, points)
    hold_feet(0, path, feet, state, gains, points, rows)
    hold_whole(state, WholeBodyTarget(*(three,) * 5), gains, False, 3, rows)
    desired = hold_pose(0, table, table, ones, ones, ones, state, 9, rows)
    none = np.zeros(1, dtype=np.intp)
    contacts = ContactPoints(none, spot, none, np.zeros((1, 4), dtype=np.bool_))
    basis = np.ones((1, 4, 3))
    down, B, guess = press(0, flags, contacts, points, np.ones(1), basis, 1.0, 1.0, state)
    solve_frame(rows, 9, ones, desired, ones, B, ForceMethod(1e-6, 0, 0, 9), guess)
    load_up(ones, np.ones(4), down, contacts, points, basis, state)
