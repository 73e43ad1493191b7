"""Rotations as quaternions wxyz, for numba kernels: tuples or rows of four numbers, and of three for vectors.

========  =================================
multiply  the rotation by b, then by a
inverse   the rotation that undoes another
rotate    a vector, rotated
exp       quaternion of a rotation vector
log       rotation vector of a quaternion
========  =================================
"""

from __future__ import annotations

import math

from numba import njit

from kinetune.kernels.loader import INNER


@njit(**INNER, error_model="numpy")
def multiply(a, b):  # type: ignore[no-untyped-def]
    """The rotation by b, then by a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@njit(**INNER, error_model="numpy")
def inverse(q):  # type: ignore[no-untyped-def]
    """The rotation that undoes q."""
    return q[0], -q[1], -q[2], -q[3]


@njit(**INNER, error_model="numpy")
def rotate(q, v):  # type: ignore[no-untyped-def]
    """A vector rotated by q."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@njit(**INNER, error_model="numpy")
def log(q):  # type: ignore[no-untyped-def]
    """Rotation vector, the short way round."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale = 2.0 * math.atan2(sine, sign * q[0]) / sine if sine > 1e-300 else 2.0
    return sign * scale * q[1], sign * scale * q[2], sign * scale * q[3]


@njit(**INNER, error_model="numpy")
def exp(v):  # type: ignore[no-untyped-def]
    """Quaternion of a rotation vector."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    return math.cos(0.5 * angle), scale * v[0], scale * v[1], scale * v[2]
