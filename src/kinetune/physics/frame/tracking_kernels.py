"""What surrounds the solution of a frame, compiled: held points, the whole body, contacts and torques.

The readable body is in ``plain_frames.py``; both give the same numbers to rounding. MuJoCo's Jacobians are not asked
for: its axes of motion ``cdof`` and velocities ``cvel``, both about the centre of mass, say the same, and only the few
degrees of freedom between a point and the root answer to it.

parents : (dof,) the degree of freedom before each on its way to the root, -1 at the end. owners : (dof,) their bodies.
lasts : (bodies,) the last degree of freedom that moves a body. The first three move the root along the world's axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.intp]
Triple = tuple[float, float, float]


class Grip(NamedTuple):
    """Gains of a filter as single numbers, see :class:`kinetune.physics.filter.filter_settings.Gains`."""

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


@njit(**INNER, error_model="numpy")
def _cross(a: float, b: float, c: float, x: float, y: float, z: float) -> Triple:
    return b * z - c * y, c * x - a * z, a * y - b * x


@njit(cache=True, nogil=True, error_model="numpy")
def place_points(places: Array, axes: Array, bodies: Integers, offsets: Array) -> Array:
    """World positions (points, 3) of points fixed to bodies, whose places and axes are (bodies, 3) and (bodies, 9)."""
    found = np.empty((len(bodies), 3))
    for p in range(len(bodies)):
        b = bodies[p]
        for i in range(3):
            found[p, i] = (
                places[b, i]
                + axes[b, 3 * i] * offsets[p, 0]
                + axes[b, 3 * i + 1] * offsets[p, 1]
                + axes[b, 3 * i + 2] * offsets[p, 2]
            )
    return found


@njit(**INNER, error_model="numpy")
def _held_rows(
    place: Array,
    body: int,
    com: Array,
    cdof: Array,
    cvel: Array,
    v: Array,
    parents: Integers,
    owners: Integers,
    lasts: Integers,
    KT: Array,
    at: int,
) -> tuple[Triple, Triple]:
    """The Jacobian of a point into three columns of KT, its velocity, and its acceleration at zero ``qacc``."""
    x, y, z = place[0] - com[0], place[1] - com[1], place[2] - com[2]
    w = cvel[body]
    ux, uy, uz = _cross(w[0], w[1], w[2], x, y, z)
    ux, uy, uz = ux + w[3], uy + w[4], uz + w[5]
    bx, by, bz = _cross(w[0], w[1], w[2], ux, uy, uz)
    for j in range(len(v)):
        KT[j, at], KT[j, at + 1], KT[j, at + 2] = 0.0, 0.0, 0.0
    j = lasts[body]
    while j >= 0:
        c, w = cdof[j], cvel[owners[j]]
        px, py, pz = _cross(c[0], c[1], c[2], x, y, z)
        KT[j, at], KT[j, at + 1], KT[j, at + 2] = px + c[3], py + c[4], pz + c[5]
        if j >= 3:
            # How the axis itself moves, turned into the motion of the point.
            ax, ay, az = _cross(w[0], w[1], w[2], c[0], c[1], c[2])
            px, py, pz = _cross(ax, ay, az, x, y, z)
            lx, ly, lz = _cross(w[0], w[1], w[2], c[3], c[4], c[5])
            mx, my, mz = _cross(w[3], w[4], w[5], c[0], c[1], c[2])
            bx, by, bz = bx + v[j] * (px + lx + mx), by + v[j] * (py + ly + my), bz + v[j] * (pz + lz + mz)
        j = parents[j]
    return (ux, uy, uz), (bx, by, bz)


@njit(cache=True, nogil=True, error_model="numpy")
def hold_feet(
    t: int,
    stance: Flags,
    clearance: Array,
    wanted: Array,
    speeds: Array,
    changes: Array,
    bodies: Integers,
    heels: Flags,
    parents: Integers,
    owners: Integers,
    lasts: Integers,
    com: Array,
    cdof: Array,
    cvel: Array,
    v: Array,
    grip: Grip,
    stood: Flags,
    age: Array,
    anchor: Array,
    toes: Array,
    KT: Array,
    target: Array,
    soft: Array,
) -> int:
    """Rows for heels and toes, counted. See :meth:`kinetune.physics.frame.plain_frames.PlainFrames.hold_feet`."""
    rows = np.int64(0)
    for foot in range(len(bodies)):
        stands = stance[t, foot]
        if stands:
            if not stood[foot]:
                age[foot] = 0.0
                for i in range(0, 3, 2):
                    anchor[foot, i] = toes[foot, i] - wanted[t, foot, i]
                anchor[foot, 1] = 0.0
            age[foot] += 1.0
            for i in range(3):
                anchor[foot, i] *= grip.fade
            built = min(1.0, age[foot] / grip.ramp) if grip.ramp > 0.0 else 1.0
            most = grip.heel_weight if heels[foot] else grip.foot_weight
            k, b = grip.foot_k, grip.foot_b
            weight = grip.landing_weight + (most - grip.landing_weight) * built
        else:
            near = min(max(1.0 - clearance[t, foot] / grip.landing_height, 0.0), 1.0)
            k = grip.swing_k + near * (grip.landing_k - grip.swing_k)
            b = grip.swing_b + near * (grip.landing_b - grip.swing_b)
            weight = grip.swing_weight + near * (grip.landing_weight - grip.swing_weight)
        stood[foot] = stands
        if weight <= 0.0 or (heels[foot] and not stands):
            continue
        speed, bias = _held_rows(toes[foot], bodies[foot], com, cdof, cvel, v, parents, owners, lasts, KT, rows)
        for i in range(3):
            pull = changes[t, foot, i] + k * (wanted[t, foot, i] - toes[foot, i]) + b * speeds[t, foot, i]
            if stands:
                pull += k * anchor[foot, i]
            target[rows + i] = pull - b * speed[i] - bias[i]
            soft[rows + i] = 1.0 / weight
        rows += 3
    return int(rows)


@njit(cache=True, nogil=True, error_model="numpy")
def hold_whole(
    H: Array,
    C: Array,
    R: Array,
    com: Array,
    root: Array,
    mass: float,
    gravity: Array,
    v: Array,
    place: Array,
    velocity: Array,
    acceleration: Array,
    momentum: Array,
    momentum_rate: Array,
    grip: Grip,
    level: bool,
    KT: Array,
    rows: int,
    target: Array,
    soft: Array,
) -> int:
    """Rows of the centre of mass and the angular momentum about it, read off the root rows of the mass matrix.

    H, C : the mass matrix and bias forces. R : (3, 3) the root's axes as columns. com, root : their places.
    place ... momentum_rate : what is aimed at. level : only the horizontal place counts. Returns how many rows are set.
    """
    x, y, z = com[0] - root[0], com[1] - root[1], com[2] - root[2]
    now = np.zeros(6)
    for j in range(len(v)):
        a, b, c = H[0, j], H[1, j], H[2, j]
        KT[j, rows], KT[j, rows + 1], KT[j, rows + 2] = a / mass, b / mass, c / mass
        for i in range(3):
            KT[j, rows + 3 + i] = R[i, 0] * H[3, j] + R[i, 1] * H[4, j] + R[i, 2] * H[5, j]
        KT[j, rows + 3] -= y * c - z * b
        KT[j, rows + 4] -= z * a - x * c
        KT[j, rows + 5] -= x * b - y * a
        for i in range(6):
            now[i] += KT[j, rows + i] * v[j]
    turn = _cross(x, y, z, C[0], C[1], C[2])
    for i in range(3):
        own = C[i] / mass + gravity[i]
        pull = acceleration[i] + grip.com_k * (place[i] - com[i]) + grip.com_b * (velocity[i] - now[i])
        target[rows + i], soft[rows + i] = pull - own, 1.0 / grip.com_weight
        own = R[i, 0] * C[3] + R[i, 1] * C[4] + R[i, 2] * C[5] - turn[i]
        pull = momentum_rate[i] + grip.momentum * (momentum[i] - now[3 + i])
        target[rows + 3 + i], soft[rows + 3 + i] = pull - own, 1.0 / grip.momentum_weight
    soft[rows + 4] = 1.0 / grip.pivot_weight
    if not level:
        return rows + 6
    for j in range(len(v)):
        KT[j, rows + 1] = KT[j, rows + 2]
    target[rows + 1] = target[rows + 2]
    return rows + 2


@njit(cache=True, nogil=True, error_model="numpy")
def hold_pose(
    t: int,
    A: Array,
    V: Array,
    error: Array,
    v: Array,
    stiff: Array,
    damp: Array,
    H: Array,
    rows: int,
    KT: Array,
) -> Array:
    """The wanted accelerations of the pose ([pollard] Eq. 3 to 5); the root rows of H go behind the reference rows."""
    desired = np.empty(len(v))
    for j in range(len(v)):
        desired[j] = A[t, j] + stiff[j] * error[j] + damp[j] * (V[t, j] - v[j])
        for i in range(6):
            KT[j, rows + i] = H[i, j]
    return desired


@njit(cache=True, nogil=True, error_model="numpy")
def press(
    t: int,
    stance: Flags,
    feet: Integers,
    inner: Integers,
    points: Array,
    under: Array,
    basis: Array,
    likely: Flags,
    near: float,
    touch: float,
    root: Array,
    R: Array,
) -> tuple[Integers, Array, Flags]:
    """Points that may press, what their unit coefficients do to the root (6, columns), and which are likely above zero.

    feet : (points,) the heel or toe of each. inner : (points,) the foot whose other points make this one needless, or
        -1; a foot's own number is twice that plus one for points that have to press for that, and less by one for it.
    The columns are those of :func:`kinetune.physics.ground.root_wrenches`.
    """
    sides = basis.shape[1]
    down = np.empty(len(points), np.intp)
    whole = np.ones(len(points) + 1, np.bool_)
    presses = np.empty(len(points), np.bool_)
    for p in range(len(points)):
        presses[p] = points[p, 1] - under[p] < (near if stance[t, feet[p]] else touch)
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
            guess[k] = likely[p, s]
    return down[:count].copy(), B, guess


@njit(cache=True, nogil=True, error_model="numpy")
def load_up(
    a: Array,
    f: Array,
    down: Integers,
    points: Array,
    carriers: Integers,
    basis: Array,
    H: Array,
    C: Array,
    com: Array,
    cdof: Array,
    parents: Integers,
    lasts: Integers,
    likely: Flags,
) -> tuple[Array, Array]:
    """Contact forces (points, 3), and the generalized forces (dof,) beyond theirs that the accelerations ask for."""
    sides = basis.shape[1]
    forces, needed = np.zeros(points.shape), C.copy()
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
        j = lasts[carriers[p]]
        while j >= 0:
            c = cdof[j]
            needed[j] -= c[0] * u + c[1] * v + c[2] * w + c[3] * x + c[4] * y + c[5] * z
            j = parents[j]
    return forces, needed


def warm_up() -> None:
    """Compile every kernel on tiny arrays."""
    dof = 6
    ones, six, three = np.ones(dof), np.eye(6), np.zeros(3)
    table, state = np.zeros((1, dof)), np.zeros((2, 6))
    grip = Grip(*(1.0 for _ in Grip._fields))
    flags, spot, last = np.zeros((1, 1), dtype=np.bool_), np.array([1]), np.array([-1, 5])
    chain, owners, place = np.arange(-1, 5), np.ones(dof, dtype=np.intp), np.zeros((1, 3))
    keys, path, flag = np.zeros((dof, 24)), np.zeros((1, 1, 3)), np.zeros(1, dtype=np.bool_)
    points = place_points(np.zeros((2, 3)), np.zeros((2, 9)), spot, place)
    hold_feet(
        0,
        flags,
        np.zeros((1, 1)),
        path,
        path,
        path,
        spot,
        flag,
        chain,
        owners,
        last,
        three,
        six,
        state,
        ones,
        grip,
        flag.copy(),
        np.zeros(1),
        place,
        points,
        keys,
        ones,
        ones.copy(),
    )
    axes, goal = np.eye(3), (three,) * 5
    hold_whole(six, ones, axes, three, three, 1.0, three, ones, *goal, grip, False, keys, 3, np.ones(12), np.ones(12))
    hold_pose(0, table, table, ones, ones, ones, ones, six, 9, keys)
    likely = np.zeros((1, 4), dtype=np.bool_)
    basis = np.ones((1, 4, 3))
    none = np.zeros(1, dtype=np.intp)
    down, _, _ = press(0, flags, none, none, points, np.ones(1), basis, likely, 1.0, 1.0, three, axes)
    load_up(ones, np.ones(4), down, points, spot, basis, six, ones, three, six, chain, last, likely)
