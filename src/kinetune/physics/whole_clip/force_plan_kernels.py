"""An interior point method for plans of centre of mass, tilt and contact forces, compiled.

Unknown are x[t] (6,), the path, and l >= 0, the coefficients of forces; each force acts in one frame. So forces are
eliminated frame by frame, and what is left are block-banded normal equations of the path alone: blocks of 6, whatever
the number of contacts. Symbols as in docs/derivations/whole_clip.md.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.trajectory.block_banded_kernels import LANES, factorize, substitute

_PROXIMAL = 1e-9
_SHARE = 0.99
_LEAST = 1e-12


@njit(**INNER)
def _invert(m):
    """The inverse of a small positive matrix, by Cholesky."""
    n = len(m)
    low = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            total = m[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(max(total, 1e-300))
            else:
                low[i, j] = total / low[j, j]
    inverse = np.zeros((n, n))
    for c in range(n):
        for i in range(n):
            total = 1.0 if i == c else 0.0
            for k in range(i):
                total -= low[i, k] * inverse[k, c]
            inverse[i, c] = total / low[i, i]
        for i in range(n - 1, -1, -1):
            total = inverse[i, c]
            for k in range(i + 1, n):
                total -= low[k, i] * inverse[k, c]
            inverse[i, c] = total / low[i, i]
    return inverse


@njit(**INNER)
def _apply(m, v, out):
    """``out = m v`` for six numbers."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += m[i, j] * v[j]
        out[i] = total


@njit(**INNER)
def _weigh_path(bands, x, out):
    """``out = Q x`` for a cost whose blocks are diagonal: bands (frames, reach + 1, 6)."""
    frames, reach = len(x), bands.shape[1]
    out[:] = 0.0
    for t in range(frames):
        for i in range(6):
            out[t, i] += bands[t, 0, i] * x[t, i]
            for k in range(1, min(reach - 1, t) + 1):
                out[t, i] += bands[t, k, i] * x[t - k, i]
                out[t - k, i] += bands[t, k, i] * x[t, i]


@njit(**INNER)
def _wrench(dynamics, t, x, out):
    """``out = A x`` of frame t, which looks at the frames before and after it."""
    for i in range(6):
        total = 0.0
        for s in range(3):
            for j in range(6):
                total += dynamics[t, s, i, j] * x[t - 1 + s, j]
        out[i] = total


@njit(**INNER)
def _pull_back(dynamics, t, y, into):
    """``into += A' y`` of frame t."""
    for s in range(3):
        for j in range(6):
            total = 0.0
            for i in range(6):
                total += dynamics[t, s, i, j] * y[i]
            into[t - 1 + s, j] += total


@njit(cache=True, nogil=True)
def solve_plan(bands, path, forces, legs, tolerance, most):
    """The cheapest path and forces; x (frames, 6), coefficients (n,), multipliers (frames, 6), and the iterations.

    bands : the cost of the path. path : (dynamics (frames, 3, 6, 6), constant (frames, 6), help (frames,)), such that
    ``A x + b = G l + help y`` in every frame but the first and the last.
    forces : (first (frames + 1,), wrenches (n, 6), price (n,)). legs : (frame, along (n, 3), room, softness).
    """
    dynamics, constant, given = path
    first, wrenches, price = forces
    leg_frame, leg_along, leg_room, leg_soft = legs
    frames, count, limits = len(constant), len(price), len(leg_frame)
    x, y = np.zeros((frames, 6)), np.zeros((frames, 6))
    coefficient, dual = np.empty(count), np.empty(count)
    for t in range(frames):
        for n in range(first[t], first[t + 1]):
            coefficient[n] = 1.0 / (first[t + 1] - first[t])
            dual[n] = 0.05
    slack, push = np.full(limits, 0.02), np.full(limits, 0.5)
    h = np.zeros((frames, bands.shape[1], 6, 6))
    factor = np.empty((h.shape[0], h.shape[1], h.shape[2], -(-h.shape[2] // LANES) * LANES))
    inverse = np.zeros((frames, 6, 6))
    r_path, r_wrench = np.zeros((frames, 6)), np.zeros((frames, 6))
    r_force, r_leg = np.zeros(count), np.zeros(limits)
    d_force, d_dual, d_slack, d_push = np.zeros(count), np.zeros(count), np.zeros(limits), np.zeros(limits)
    d_y = np.zeros((frames, 6))
    rhs, part, carried = np.zeros((frames, 6)), np.zeros((frames, 6)), np.zeros(6)
    pulled = np.zeros(count)
    rounds = 0
    while rounds < most:
        rounds += 1
        # residuals
        _weigh_path(bands, x, r_path)
        gap = 0.0
        off = 0.0
        for t in range(1, frames - 1):
            _pull_back(dynamics, t, y[t], r_path)
            _wrench(dynamics, t, x, carried)
            for i in range(6):
                r_wrench[t, i] = carried[i] + constant[t, i] - given[t] * y[t, i]
            for n in range(first[t], first[t + 1]):
                total = 0.0
                for i in range(6):
                    r_wrench[t, i] -= wrenches[n, i] * coefficient[n]
                    total += wrenches[n, i] * y[t, i]
                r_force[n] = price[n] * coefficient[n] - total - dual[n]
                gap += coefficient[n] * dual[n]
            for i in range(6):
                off = max(off, abs(r_wrench[t, i]))
        for n in range(limits):
            t = leg_frame[n]
            total = -leg_room[n] - leg_soft[n] * push[n] + slack[n]
            for i in range(3):
                total += leg_along[n, i] * x[t, i]
                r_path[t, i] += leg_along[n, i] * push[n]
            r_leg[n] = total
            gap += slack[n] * push[n]
        mean = gap / max(count + limits, 1)
        worst = 0.0
        for t in range(frames):
            for i in range(6):
                worst = max(worst, abs(r_path[t, i]))
        if mean < tolerance and off < 1e-8 and worst < 1e-5:
            break
        # normal equations of the path
        h[:] = 0.0
        for t in range(frames):
            for k in range(bands.shape[1]):
                for i in range(6):
                    h[t, k, i, i] = bands[t, k, i]
        for t in range(1, frames - 1):
            m = np.zeros((6, 6))
            for n in range(first[t], first[t + 1]):
                share = 1.0 / (price[n] + dual[n] / coefficient[n])
                for i in range(6):
                    w = share * wrenches[n, i]
                    for j in range(6):
                        m[i, j] += w * wrenches[n, j]
            for i in range(6):
                m[i, i] += given[t] + _PROXIMAL
            inverse[t] = _invert(m)
            for a in range(3):
                for i in range(6):
                    for j in range(6):
                        total = 0.0
                        for k in range(6):
                            total += inverse[t, i, k] * dynamics[t, a, k, j]
                        m[i, j] = total
                for b in range(a, 3):
                    block = h[t - 1 + b, b - a]
                    for k in range(6):
                        for i in range(6):
                            slope = dynamics[t, b, k, i]
                            if slope != 0.0:
                                for j in range(6):
                                    block[i, j] += slope * m[k, j]
        for n in range(limits):
            t, weight = leg_frame[n], push[n] / (slack[n] + push[n] * leg_soft[n])
            for i in range(3):
                for j in range(3):
                    h[t, 0, i, j] += weight * leg_along[n, i] * leg_along[n, j]
        if factorize(h, factor) >= 0:
            break
        centre = 0.0
        for phase in range(2):
            for t in range(frames):
                for i in range(6):
                    rhs[t, i] = -r_path[t, i]
            for t in range(1, frames - 1):
                for i in range(6):
                    part[t, i] = r_wrench[t, i]
                for n in range(first[t], first[t + 1]):
                    target = centre - coefficient[n] * dual[n]
                    if phase == 1:
                        target -= d_force[n] * d_dual[n]
                    pulled[n] = target
                    share = 1.0 / (price[n] + dual[n] / coefficient[n])
                    step = share * (target / coefficient[n] - r_force[n])
                    for i in range(6):
                        part[t, i] -= wrenches[n, i] * step
                _apply(inverse[t], part[t], carried)
                part[t] = carried
                for s in range(3):
                    for j in range(6):
                        total = 0.0
                        for i in range(6):
                            total += dynamics[t, s, i, j] * part[t, i]
                        rhs[t - 1 + s, j] -= total
            for n in range(limits):
                target = centre - slack[n] * push[n]
                if phase == 1:
                    target -= d_slack[n] * d_push[n]
                t = leg_frame[n]
                weight = (target + push[n] * r_leg[n]) / (slack[n] + push[n] * leg_soft[n])
                for i in range(3):
                    rhs[t, i] -= leg_along[n, i] * weight
            substitute(factor, rhs)
            for t in range(1, frames - 1):
                _wrench(dynamics, t, rhs, carried)
                _apply(inverse[t], carried, d_y[t])
                d_y[t] += part[t]
                for n in range(first[t], first[t + 1]):
                    total = pulled[n] / coefficient[n] - r_force[n]
                    for i in range(6):
                        total += wrenches[n, i] * d_y[t, i]
                    d_force[n] = total / (price[n] + dual[n] / coefficient[n])
                    d_dual[n] = (pulled[n] - dual[n] * d_force[n]) / coefficient[n]
            for n in range(limits):
                target = centre - slack[n] * push[n]
                if phase == 1:
                    target -= d_slack[n] * d_push[n]
                t, along = leg_frame[n], 0.0
                for i in range(3):
                    along += leg_along[n, i] * rhs[t, i]
                d_push[n] = (target + push[n] * (r_leg[n] + along)) / (slack[n] + push[n] * leg_soft[n])
                d_slack[n] = -r_leg[n] - along + leg_soft[n] * d_push[n]
            step = 1.0
            for n in range(count):
                if d_force[n] < 0.0:
                    step = min(step, -coefficient[n] / d_force[n])
                if d_dual[n] < 0.0:
                    step = min(step, -dual[n] / d_dual[n])
            for n in range(limits):
                if d_slack[n] < 0.0:
                    step = min(step, -slack[n] / d_slack[n])
                if d_push[n] < 0.0:
                    step = min(step, -push[n] / d_push[n])
            if phase == 0:
                after = 0.0
                for n in range(count):
                    after += (coefficient[n] + step * d_force[n]) * (dual[n] + step * d_dual[n])
                for n in range(limits):
                    after += (slack[n] + step * d_slack[n]) * (push[n] + step * d_push[n])
                ratio = after / max(gap, 1e-300)
                centre = mean * ratio * ratio * ratio
        step *= _SHARE
        for t in range(frames):
            for i in range(6):
                x[t, i] += step * rhs[t, i]
                y[t, i] += step * d_y[t, i]
        for n in range(count):
            coefficient[n] = max(coefficient[n] + step * d_force[n], _LEAST)
            dual[n] = max(dual[n] + step * d_dual[n], _LEAST)
        for n in range(limits):
            slack[n] = max(slack[n] + step * d_slack[n], _LEAST)
            push[n] = max(push[n] + step * d_push[n], _LEAST)
    return x, coefficient, y, rounds


def warm_up():
    """Compile every kernel."""
    dynamics, first = np.zeros((3, 3, 6, 6)), np.array([0, 0, 1, 1])
    dynamics[:, 1] = np.eye(6)
    path = (dynamics, np.zeros((3, 6)), np.ones(3))
    legs = (np.array([1]), np.ones((1, 3)), np.ones(1), np.ones(1))
    solve_plan(np.ones((3, 3, 6)), path, (first, np.ones((1, 6)), np.ones(1)), legs, 1e-6, 2)
