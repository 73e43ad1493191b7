"""Rotations as arrays: unit quaternions, rotation vectors, matrices and Euler angles.

Quaternions are ``(..., 4)`` arrays in the order **w x y z**, vectors ``(..., 3)``, angles in radians; leading axes
broadcast. ``multiply(a, b)`` turns by ``b`` first, then by ``a``, as ``a @ b`` does for matrices.

====================  =======================================================================
multiply, inverse     compose and undo
rotate                turn vectors
exp, log              rotation vector (axis times angle) to quaternion and back
from_euler, to_euler  any of the 12 orders, and partial ones such as "ZX" or "Y"
from_matrix, ...      3 x 3 matrices
continuous            choose q or -q so that a sequence never jumps sign
unroll                choose the Euler triple that follows the previous one without a flip
slerp, mean, between  interpolate, average, shortest arc
swing_twist           split into a turn about an axis and the rest
angle                 how far a rotation turns
====================  =======================================================================

Euler orders are intrinsic, written first axis first, as BVH lists its channels: ``from_euler(a, "ZXY")`` is
``Rz(a0) Rx(a1) Ry(a2)``.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.errors import ParameterError

Floats = NDArray[np.floating]

_AXES = {"X": 0, "Y": 1, "Z": 2}
_OPPOSITE = 1e-12  # 1 plus the cosine between two directions at which they count as opposite
EULER_ORDERS = tuple("".join(p) for p in itertools.product("XYZ", repeat=3) if p[0] != p[1] and p[1] != p[2])
"""The twelve full orders: six with three different axes, six that repeat the first."""


def identity(*shape: int) -> Floats:
    """Quaternions that turn nothing, shape (*shape, 4)."""
    q = np.zeros((*shape, 4))
    q[..., 0] = 1.0
    return q


def multiply(a: Floats, b: Floats) -> Floats:
    """The rotation that turns by b, then by a (Hamilton product)."""
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return _stacked(
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def _stacked(*parts: Floats) -> Floats:
    """Arrays of one shape as the entries of the last axis; ``np.stack`` takes longer than the sums of products."""
    out: Floats = np.empty((*parts[0].shape, len(parts)), parts[0].dtype)
    for k, part in enumerate(parts):
        out[..., k] = part
    return out


def inverse(q: Floats) -> Floats:
    """The rotation that undoes q (q must be a unit quaternion)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0], dtype=q.dtype)


def normalize(q: Floats) -> Floats:
    """q scaled to unit length; a zero quaternion becomes the identity."""
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    safe = np.where(length > 0, length, 1.0)
    return np.where(length > 0, q / safe, identity().astype(q.dtype))


def rotate(q: Floats, vectors: ArrayLike) -> Floats:
    """Vectors (..., 3) turned by q (..., 4)."""
    v = np.asarray(vectors)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    vx, vy, vz = v[..., 0], v[..., 1], v[..., 2]
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return _stacked(
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def cross(a: Floats, b: Floats) -> Floats:
    """The cross product of vectors (..., 3); ``np.cross`` spends most of its time on axes."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return _stacked(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def exp(rotation_vector: ArrayLike) -> Floats:
    """Quaternion of a rotation vector: its direction is the axis, its length the angle."""
    r = np.asarray(rotation_vector, dtype=float)
    half = 0.5 * np.linalg.norm(r, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * r], axis=-1)


def log(q: Floats) -> Floats:
    """Rotation vector of a quaternion, the short way round: its length is at most pi."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle_ = 2.0 * np.arctan2(sine, q[..., :1])
    safe = np.where(sine > 0, sine, 1.0)
    return np.where(sine > 1e-300, angle_ / safe, 2.0) * q[..., 1:]


def angle(q: Floats) -> Floats:
    """How far q turns, in [0, pi]."""
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0])))


def angle_between(a: Floats, b: Floats) -> Floats:
    """The angle of the rotation from a to b, in [0, pi]; the same for q and -q."""
    return angle(multiply(inverse(a), b))


def from_axis_angle(axis: ArrayLike, radians: ArrayLike) -> Floats:
    """A turn by an angle about an axis (which need not have unit length)."""
    a = np.asarray(axis, dtype=float)
    length = np.linalg.norm(a, axis=-1, keepdims=True)
    return exp(a / np.where(length > 0, length, 1.0) * np.asarray(radians, dtype=float)[..., None])


def between(start: ArrayLike, end: ArrayLike) -> Floats:
    """The shortest turn that brings direction start onto direction end.

    Opposite directions turn by pi about some axis at right angles to them.
    """
    a = np.asarray(start, dtype=float)
    b = np.asarray(end, dtype=float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    a, b = np.broadcast_arrays(a, b)
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    direct = np.concatenate([w, cross(a, b)], axis=-1)
    if np.all(w > _OPPOSITE):
        return normalize(direct)
    least = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    sideways = np.concatenate([np.zeros_like(w), cross(a, least)], axis=-1)
    return normalize(np.where(w > _OPPOSITE, direct, sideways))


def to_matrix(q: Floats) -> Floats:
    """Rotation matrices (..., 3, 3) whose columns are the turned axes."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: ArrayLike) -> Floats:
    """Quaternions of rotation matrices (..., 3, 3), by the largest of the four components."""
    m = np.asarray(matrix, dtype=float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    candidates = np.stack(
        [
            np.stack([1 + xx + yy + zz, _skew(m, 2, 1), _skew(m, 0, 2), _skew(m, 1, 0)], axis=-1),
            np.stack([_skew(m, 2, 1), 1 + xx - yy - zz, _sum(m, 0, 1), _sum(m, 0, 2)], axis=-1),
            np.stack([_skew(m, 0, 2), _sum(m, 0, 1), 1 - xx + yy - zz, _sum(m, 1, 2)], axis=-1),
            np.stack([_skew(m, 1, 0), _sum(m, 0, 2), _sum(m, 1, 2), 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    return normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])


def _skew(m: Floats, i: int, j: int) -> Floats:
    return m[..., i, j] - m[..., j, i]


def _sum(m: Floats, i: int, j: int) -> Floats:
    return m[..., i, j] + m[..., j, i]


def check_order(order: str) -> str:
    """The order in capitals, or an error that says what an order is."""
    folded = order.upper()
    good = set(folded) <= set("XYZ") and len(folded) <= 3
    if not good or any(a == b for a, b in itertools.pairwise(folded)):
        raise ParameterError(
            f'"{order}" is not an Euler order. Write up to three axes, first turned first, such as "ZXY", "ZX" or "Y".'
        )
    return folded


def from_euler(angles: ArrayLike, order: str) -> Floats:
    """Quaternion of intrinsic Euler angles (..., len(order)): ``"ZXY"`` is Rz(a0) Rx(a1) Ry(a2).

    Orders of one or two axes serve joints with fewer channels; an empty order is the identity.
    """
    order = check_order(order)
    a = np.asarray(angles, dtype=float)
    if a.shape[-1] != len(order):
        raise ParameterError(f'Euler order "{order}" takes {len(order)} angles, not {a.shape[-1]}.')
    q = identity(*a.shape[:-1])
    for column, axis in enumerate(order):
        turn = np.zeros_like(q)
        turn[..., 0] = np.cos(0.5 * a[..., column])
        turn[..., 1 + _AXES[axis]] = np.sin(0.5 * a[..., column])
        q = turn if column == 0 else multiply(q, turn)
    return q


def to_euler(q: Floats, order: str) -> Floats:
    """Intrinsic Euler angles (..., len(order)) of quaternions; the inverse of :func:`from_euler`.

    The middle angle lies in [-pi/2, pi/2] for three different axes and in [0, pi] for orders such as "ZXZ". Where it
    sits on its bound (gimbal lock) the last angle is 0.
    For one axis: the turn about it that comes closest. For two: the turn with a third axis left out.

    Notes
    -----
    Bernardes and Viollet, "Quaternion to Euler angles conversion: a direct, general and computationally efficient
    method", PLoS ONE 2022.
    """
    order = check_order(order)
    if len(order) == 0:
        return np.zeros((*q.shape[:-1], 0))
    if len(order) == 1:
        return 2.0 * np.arctan2(q[..., 1 + _AXES[order]], q[..., 0])[..., None]
    if len(order) == 2:
        third = next(axis for axis in "XYZ" if axis not in order)
        return to_euler(q, order + third)[..., :2]
    # The method is written for extrinsic turns: intrinsic i-j-k is extrinsic k-j-i.
    k, j, i = (_AXES[axis] for axis in order)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) / 2.0
    w, qi, qj, qk = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    a, b, c, d = (w, qi, qj, qk) if proper else (w - qj, qi + qk, qj + w, qk - qi)
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum = np.arctan2(b, a)
    half_difference = np.arctan2(d, c)
    lower = middle < 1e-9
    upper = np.abs(middle - np.pi) < 1e-9
    first = np.where(lower | upper, 0.0, half_sum - half_difference)
    last = half_sum + half_difference
    last = np.where(lower, 2.0 * half_sum, np.where(upper, 2.0 * half_difference, last))
    if not proper:
        last = sign * last
        middle = middle - 0.5 * np.pi
    return np.stack([_wrap(last), middle, _wrap(first)], axis=-1)


def _wrap(radians: Floats) -> Floats:
    return np.asarray((radians + np.pi) % (2.0 * np.pi) - np.pi)


def other_euler(angles: Floats, order: str) -> Floats:
    """The second Euler triple of the same rotation (..., 3)."""
    order = check_order(order)
    first, middle, last = angles[..., 0], angles[..., 1], angles[..., 2]
    flipped = np.pi - middle if order[0] != order[2] else -middle
    return np.stack([first + np.pi, flipped, last + np.pi], axis=-1)


def unroll(angles: ArrayLike, order: str, axis: int = 0) -> Floats:
    """Euler angles that follow each other smoothly in time: no jump by 360 degrees, no flip to the other triple.

    Parameters
    ----------
    angles : array, shape (frames, ..., len(order)), time on ``axis``.

    Notes
    -----
    The two triples of a rotation are mirror images, so the choice at a frame relative to the one before does not
    depend on earlier choices: a running parity decides the whole sequence at once.
    Law: the rotation is unchanged (``test_rotations.py::test_unroll_keeps_the_rotation``).
    """
    order = check_order(order)
    a = np.moveaxis(np.asarray(angles, dtype=float), axis, 0)
    if len(order) == 3 and len(a) > 1:
        other = other_euler(a, order)
        stay = np.abs(_wrap(a[1:] - a[:-1])).sum(axis=-1)
        switch = np.abs(_wrap(other[1:] - a[:-1])).sum(axis=-1)
        parity = np.cumsum(switch < stay - 1e-9, axis=0) % 2 == 1
        a = np.concatenate([a[:1], np.where(parity[..., None], other[1:], a[1:])])
    return np.moveaxis(np.unwrap(a, axis=0), 0, axis)


def continuous(q: Floats, axis: int = 0) -> Floats:
    """The same rotations with signs chosen so that neighbours along ``axis`` lie in one hemisphere."""
    moved = np.moveaxis(q, axis, 0)
    flips = np.sum(moved[1:] * moved[:-1], axis=-1) < 0
    parity = np.cumsum(flips, axis=0) % 2 == 1
    signs = np.concatenate([np.ones((1, *moved.shape[1:-1])), np.where(parity, -1.0, 1.0)])[: len(moved)]
    return np.moveaxis((moved * signs[..., None]).astype(q.dtype), 0, axis)


def slerp(a: Floats, b: Floats, t: ArrayLike) -> Floats:
    """The way from a (t = 0) to b (t = 1) at constant speed along the shorter arc."""
    return multiply(a, exp(np.asarray(t, dtype=float)[..., None] * log(multiply(inverse(a), b))))


def mean(q: Floats, weights: ArrayLike | None = None, axis: int = 0) -> Floats:
    """The average rotation along ``axis``: the unit quaternion closest to all in the least-squares sense.

    Notes
    -----
    Markley, Cheng, Crassidis and Oshman 2007: the dominant eigenvector of the sum of outer products, so that q and -q
    count the same.
    """
    moved = np.moveaxis(q, axis, 0)
    w = np.ones(len(moved)) if weights is None else np.asarray(weights, dtype=float)
    w = w.reshape(w.shape + (1,) * (moved.ndim - 1 - w.ndim))
    outer = np.sum(w[..., None, None] * moved[..., :, None] * moved[..., None, :], axis=0)
    _, vectors = np.linalg.eigh(outer)
    best = vectors[..., -1]
    return np.where(best[..., :1] < 0, -best, best)


def swing_twist(q: Floats, axis: ArrayLike) -> tuple[Floats, Floats]:
    """Split q into ``swing`` and ``twist`` with ``q = swing * twist``, the twist about ``axis``."""
    a = np.asarray(axis, dtype=float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    along = np.sum(q[..., 1:] * a, axis=-1, keepdims=True)
    twist = normalize(np.concatenate([q[..., :1], along * a], axis=-1))
    return multiply(q, inverse(twist)), twist


def heading(q: Floats, forward: ArrayLike = (0.0, 0.0, 1.0)) -> Floats:
    """The angle about the vertical (Y) by which q turns ``forward`` away from +Z, in (-pi, pi]."""
    ahead = rotate(q, np.broadcast_to(np.asarray(forward, dtype=float), (*q.shape[:-1], 3)))
    return np.arctan2(ahead[..., 0], ahead[..., 2])


def about_y(radians: ArrayLike) -> Floats:
    """A turn about the vertical; positive is to the left of a figure that looks along +Z."""
    return from_axis_angle((0.0, 1.0, 0.0), radians)
