r"""Residuals of constraints and their derivatives by the weights (compiled).

With the effector's position p and rotation R, its axis :math:`a = R\,l` and the target,

=======  ====  ============================================================================
point    3     :math:`p - x`
line     2     :math:`N^T (p - x)`, the columns of N at right angles to the line
turn     3     :math:`\log(R R_t^T)`, a rotation vector in the world
axis     2     :math:`(\varphi / \sin\varphi)\,[t_1 \cdot a, t_2 \cdot a]`, :math:`\varphi` from a to its goal u
angle    1     :math:`\arccos(a \cdot u) - \alpha`
heading  1     :math:`\mathrm{atan2}(a_x, a_z) - \psi`, wrapped
look     3     :math:`(\varphi / \sin\varphi)\,a \times d`, d from p to the target (rank 2)
=======  ====  ============================================================================

so that the norm of each is a distance in metres or an angle in radians. Both laws, slopes equal to differences and
errors equal to those measured on the blended clip, are in ``tests/inverse/blend/test_residuals.py``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from kinetune.inverse.blend.chain_pose_kernels import (
    blend_effector,
    make_effectors,
    relate,
    rotate_by,
    slope_effector,
)
from kinetune.inverse.blend.constraint_layout import ConstraintRows, EffectorChains
from kinetune.inverse.blend.constraints import ANGLE, AXIS, HEADING, LINE, LOOK, POINT, TURN
from kinetune.kernels.loader import INNER
from kinetune.rotations import Floats

_NEAR = 1e-4  # sines below this take the first terms of their series


class ResidualProblem(NamedTuple):
    """What a search lowers: the constraints of some chains with their targets ``aims`` (c, 12).

    least : 0 to add squares; above 0 to add norms, as squares over norms that are not taken below it.
    """

    chains: EffectorChains
    rows: ConstraintRows
    aims: Floats
    least: float


class Residuals(NamedTuple):
    """Room for an evaluation: values (rows,), slopes (rows, n), errors (c,) before scaling."""

    values: Floats
    slopes: Floats
    errors: Floats


@njit(**INNER, error_model="numpy")
def row_count(kind):  # type: ignore[no-untyped-def]
    """How many rows a kind of constraint has."""
    if kind in (LINE, AXIS):
        return 2
    if kind in (ANGLE, HEADING):
        return 1
    return 3


@njit(**INNER, error_model="numpy")
def _swing(sine, cosine):  # type: ignore[no-untyped-def]
    """angle / sine and its derivative by the cosine."""
    if sine < _NEAR and cosine > 0.0:
        return 1.0, -1.0 / 3.0
    angle = math.atan2(sine, cosine)
    safe = max(sine, 1e-12)
    return angle / safe, -(safe - angle * cosine) / (safe * safe * safe)


@njit(**INNER, error_model="numpy", forceinline=True)
def _fill_rows(kind, aims, i, effectors, probe, residual, jacobian, at):  # type: ignore[no-untyped-def]
    """The residual of one constraint from row ``at`` on, and its derivatives by the weights."""
    place, turn = effectors.positions, effectors.rotations
    moves, spins = effectors.position_slopes, effectors.rotation_slopes
    n = moves.shape[2]
    if kind == POINT:
        for a in range(3):
            residual[at + a] = place[probe, a] - aims[i, a]
            for j in range(n):
                jacobian[at + a, j] = moves[probe, a, j]
        return
    if kind == LINE:
        for a in range(2):
            x, y, z = aims[i, 3 + 3 * a], aims[i, 4 + 3 * a], aims[i, 5 + 3 * a]
            residual[at + a] = (
                x * (place[probe, 0] - aims[i, 0])
                + y * (place[probe, 1] - aims[i, 1])
                + z * (place[probe, 2] - aims[i, 2])
            )
            for j in range(n):
                jacobian[at + a, j] = x * moves[probe, 0, j] + y * moves[probe, 1, j] + z * moves[probe, 2, j]
        return
    if kind == TURN:
        _fill_turn(aims, i, effectors, probe, residual, jacobian, at)
        return
    x, y, z = rotate_by(
        turn[probe, 0], turn[probe, 1], turn[probe, 2], turn[probe, 3], aims[i, 0], aims[i, 1], aims[i, 2]
    )
    if kind == AXIS:
        cosine = x * aims[i, 3] + y * aims[i, 4] + z * aims[i, 5]
        across = x * aims[i, 6] + y * aims[i, 7] + z * aims[i, 8]
        up = x * aims[i, 9] + y * aims[i, 10] + z * aims[i, 11]
        factor, slope = _swing(math.sqrt(across * across + up * up), cosine)
        residual[at], residual[at + 1] = factor * across, factor * up
        for j in range(n):
            u, v, w = spins[probe, 0, j], spins[probe, 1, j], spins[probe, 2, j]
            dx, dy, dz = v * z - w * y, w * x - u * z, u * y - v * x
            more = slope * (dx * aims[i, 3] + dy * aims[i, 4] + dz * aims[i, 5])
            jacobian[at, j] = factor * (dx * aims[i, 6] + dy * aims[i, 7] + dz * aims[i, 8]) + across * more
            jacobian[at + 1, j] = factor * (dx * aims[i, 9] + dy * aims[i, 10] + dz * aims[i, 11]) + up * more
    elif kind == ANGLE:
        cosine = min(1.0, max(-1.0, x * aims[i, 3] + y * aims[i, 4] + z * aims[i, 5]))
        residual[at] = math.acos(cosine) - aims[i, 6]
        factor = -1.0 / max(1e-6, math.sqrt(1.0 - cosine * cosine))
        for j in range(n):
            u, v, w = spins[probe, 0, j], spins[probe, 1, j], spins[probe, 2, j]
            jacobian[at, j] = factor * (
                (v * z - w * y) * aims[i, 3] + (w * x - u * z) * aims[i, 4] + (u * y - v * x) * aims[i, 5]
            )
    elif kind == HEADING:
        off = math.atan2(x, z) - aims[i, 3]
        residual[at] = off - 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
        factor = 1.0 / max(x * x + z * z, 1e-12)
        for j in range(n):
            u, v, w = spins[probe, 0, j], spins[probe, 1, j], spins[probe, 2, j]
            jacobian[at, j] = factor * (z * (v * z - w * y) - x * (u * y - v * x))
    else:
        _fill_look(aims, i, x, y, z, effectors, probe, residual, jacobian, at)


@njit(**INNER, error_model="numpy", forceinline=True)
def _fill_turn(aims, i, effectors, probe, residual, jacobian, at):  # type: ignore[no-untyped-def]
    """The rotation vector from the target to the present rotation, in the world."""
    turn, spins = effectors.rotations, effectors.rotation_slopes
    a, b, c, d = turn[probe, 0], turn[probe, 1], turn[probe, 2], turn[probe, 3]
    p, q, r, s = aims[i, 0], -aims[i, 1], -aims[i, 2], -aims[i, 3]
    w, x = a * p - b * q - c * r - d * s, a * q + b * p + c * s - d * r
    y, z = a * r - b * s + c * p + d * q, a * s + b * r - c * q + d * p
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2.0 * math.atan2(sine, w)
    factor = angle / sine if sine > 1e-12 else 2.0
    x, y, z = factor * x, factor * y, factor * z
    residual[at], residual[at + 1], residual[at + 2] = x, y, z
    # The inverse left Jacobian: 1 - K/2 + g K^2.
    if angle < 1e-3:
        g = 1.0 / 12.0
    else:
        g = 1.0 / (angle * angle) - 0.5 * math.cos(0.5 * angle) / (angle * math.sin(0.5 * angle))
    m00, m01, m02 = 1.0 - g * (y * y + z * z), 0.5 * z + g * x * y, -0.5 * y + g * x * z
    m10, m11, m12 = -0.5 * z + g * x * y, 1.0 - g * (x * x + z * z), 0.5 * x + g * y * z
    m20, m21, m22 = 0.5 * y + g * x * z, -0.5 * x + g * y * z, 1.0 - g * (x * x + y * y)
    for j in range(spins.shape[2]):
        u, v, t = spins[probe, 0, j], spins[probe, 1, j], spins[probe, 2, j]
        jacobian[at, j] = m00 * u + m01 * v + m02 * t
        jacobian[at + 1, j] = m10 * u + m11 * v + m12 * t
        jacobian[at + 2, j] = m20 * u + m21 * v + m22 * t


@njit(**INNER, error_model="numpy", forceinline=True)
def _fill_look(aims, i, x, y, z, effectors, probe, residual, jacobian, at):  # type: ignore[no-untyped-def]
    """The rotation from an axis (x, y, z) to the direction of a point: three rows, two of them independent."""
    place, moves, spins = effectors.positions, effectors.position_slopes, effectors.rotation_slopes
    p, q, r = aims[i, 3] - place[probe, 0], aims[i, 4] - place[probe, 1], aims[i, 5] - place[probe, 2]
    far = max(math.sqrt(p * p + q * q + r * r), 1e-9)
    p, q, r = p / far, q / far, r / far
    e, f, g = y * r - z * q, z * p - x * r, x * q - y * p
    cosine = x * p + y * q + z * r
    factor, slope = _swing(math.sqrt(e * e + f * f + g * g), cosine)
    residual[at], residual[at + 1], residual[at + 2] = factor * e, factor * f, factor * g
    for j in range(moves.shape[2]):
        u, v, w = spins[probe, 0, j], spins[probe, 1, j], spins[probe, 2, j]
        dx, dy, dz = v * z - w * y, w * x - u * z, u * y - v * x
        i, k, m = moves[probe, 0, j], moves[probe, 1, j], moves[probe, 2, j]
        along = p * i + q * k + r * m
        dp, dq, dr = (p * along - i) / far, (q * along - k) / far, (r * along - m) / far
        more = slope * (dx * p + dy * q + dz * r + x * dp + y * dq + z * dr)
        jacobian[at, j] = factor * (dy * r - dz * q + y * dr - z * dq) + e * more
        jacobian[at + 1, j] = factor * (dz * p - dx * r + z * dp - x * dr) + f * more
        jacobian[at + 2, j] = factor * (dx * q - dy * p + x * dq - y * dp) + g * more


@njit(**INNER, error_model="numpy", forceinline=True)
def _scale_rows(rows, least, residuals):  # type: ignore[no-untyped-def]
    """Scale the rows of all constraints and sum up what is to be minimized."""
    kinds, _, _, gains, scales = rows
    residual, jacobian, aims_errors = residuals.values, residuals.slopes, residuals.errors
    total = 0.0
    at = np.int64(0)
    for i in range(kinds.shape[0]):
        count = row_count(kinds[i])
        square = 0.0
        for a in range(at, at + count):
            square += residual[a] * residual[a]
        norm = math.sqrt(square)
        aims_errors[i] = norm
        if least > 0.0:
            factor = math.sqrt(gains[i] * scales[i] / max(norm, least))
            total += gains[i] * scales[i] * norm
        else:
            factor = math.sqrt(gains[i]) * scales[i]
            total += factor * factor * square
        if factor != 1.0:
            for a in range(at, at + count):
                residual[a] *= factor
                for j in range(jacobian.shape[1]):
                    jacobian[a, j] *= factor
        at += count
    return total


@njit(**INNER, error_model="numpy", forceinline=True)
def _norm(kind, aims, i, x, y, z, w, a, b, c):  # type: ignore[no-untyped-def]
    """The norm of the residual of one constraint for an effector at (x, y, z) with the rotation (w, a, b, c)."""
    if kind == POINT:
        x, y, z = x - aims[i, 0], y - aims[i, 1], z - aims[i, 2]
        return math.sqrt(x * x + y * y + z * z)
    if kind == LINE:
        x, y, z = x - aims[i, 0], y - aims[i, 1], z - aims[i, 2]
        across = x * aims[i, 3] + y * aims[i, 4] + z * aims[i, 5]
        up = x * aims[i, 6] + y * aims[i, 7] + z * aims[i, 8]
        return math.sqrt(across * across + up * up)
    if kind == TURN:
        dot = abs(w * aims[i, 0] + a * aims[i, 1] + b * aims[i, 2] + c * aims[i, 3])
        return 2.0 * math.acos(min(1.0, dot))
    p, q, r = rotate_by(w, a, b, c, aims[i, 0], aims[i, 1], aims[i, 2])
    if kind == HEADING:
        off = math.atan2(p, r) - aims[i, 3]
        return abs(off - 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5))
    u, v, t = aims[i, 3], aims[i, 4], aims[i, 5]
    if kind == LOOK:
        u, v, t = u - x, v - y, t - z
    away = math.acos(min(1.0, max(-1.0, (p * u + q * v + r * t) / max(math.sqrt(u * u + v * v + t * t), 1e-9))))
    return abs(away - aims[i, 6]) if kind == ANGLE else away


@njit(**INNER, error_model="numpy", forceinline=True)
def _sum_errors(effectors, rows, aims, least, errors, sums):  # type: ignore[no-untyped-def]
    """The sums of errors of several poses: positions (p, count, 3) and rotations (p, count, 4) into sums (count,).

    errors : (c,) out, the norms of the last pose.
    """
    places, poses = effectors
    kinds, near, other, gains, scales = rows
    for j in range(sums.shape[0]):
        total = 0.0
        for i in range(kinds.shape[0]):
            o = near[i]
            x, y, z = places[o, j, 0], places[o, j, 1], places[o, j, 2]
            w, a, b, c = poses[o, j, 0], poses[o, j, 1], poses[o, j, 2], poses[o, j, 3]
            o = other[i]
            if o >= 0:
                e, f, g, h = poses[o, j, 0], -poses[o, j, 1], -poses[o, j, 2], -poses[o, j, 3]
                x, y, z = rotate_by(e, f, g, h, x - places[o, j, 0], y - places[o, j, 1], z - places[o, j, 2])
                w, a, b, c = (
                    e * w - f * a - g * b - h * c,
                    e * a + f * w + g * c - h * b,
                    e * b - f * c + g * w + h * a,
                    e * c + f * b - g * a + h * w,
                )
            norm = _norm(kinds[i], aims, i, x, y, z, w, a, b, c)
            errors[i] = norm
            total += gains[i] * (scales[i] * norm if least > 0.0 else (scales[i] * norm) ** 2)
        sums[j] = total


@njit(**INNER, error_model="numpy", forceinline=True)
def example_errors(examples, problem, errors, distances):  # type: ignore[no-untyped-def]
    """How far each example is from meeting the constraints, into ``distances`` (n,), in metres or their equivalent.

    examples : the positions (p, n, 3) and rotations (p, n, 4) of their effectors. errors : (c,) scratch.
    """
    _, rows, aims, least = problem
    _sum_errors(examples, rows, aims, least, errors, distances)
    if least == 0.0:
        for j in range(distances.shape[0]):
            distances[j] = math.sqrt(distances[j])


@njit(**INNER, error_model="numpy", forceinline=True)
def evaluate(weights, problem, goal, residuals, effectors, sums):  # type: ignore[no-untyped-def]
    """Residuals, slopes and the sum of errors at some weights.

    goal : where the sum is not above it the search is over, and values and slopes are left as they were.
    sums : (1,) scratch.
    """
    chains, rows, aims, least = problem
    kinds, near, other, _, _ = rows
    residual, jacobian, errors = residuals
    spare = chains.bases.shape[0]
    for probe in range(spare):
        blend_effector(weights, chains, probe, effectors)
    _sum_errors(effectors.poses, rows, aims, least, errors, sums)
    if sums[0] <= goal:
        return sums[0]
    for probe in range(spare):
        slope_effector(chains, probe, effectors)
    at = np.int64(0)
    for i in range(kinds.shape[0]):
        probe = near[i]
        if other[i] >= 0:
            relate(effectors, probe, other[i], spare)
            probe = spare
        _fill_rows(kinds[i], aims, i, effectors, probe, residual, jacobian, at)
        at += row_count(kinds[i])
    return _scale_rows(rows, least, residuals)


@njit(**INNER, error_model="numpy")
def make_residuals(chains, rows):  # type: ignore[no-untyped-def]
    """Room for the residuals of some constraints."""
    count, n = 0, chains.rotations.shape[2]
    for i in range(rows.kinds.shape[0]):
        count += row_count(rows.kinds[i])
    return Residuals(np.empty(count), np.empty((count, n)), np.empty(rows.kinds.shape[0]))


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_at(weights, chains, rows, aims, least):  # type: ignore[no-untyped-def]
    """:func:`evaluate` for Python: the sum of errors, values (rows,), slopes (rows, n) and errors (c,)."""
    problem = ResidualProblem(EffectorChains(*chains), ConstraintRows(*rows), aims, least)
    residuals, effectors = make_residuals(problem.chains, problem.rows), make_effectors(problem.chains)
    cost = evaluate(weights, problem, -1.0, residuals, effectors, np.empty(1))
    return cost, residuals.values, residuals.slopes, residuals.errors


def warm_up() -> None:
    """Nothing of its own: :mod:`kinetune.inverse.blend.weight_kernels` compiles what it calls."""
