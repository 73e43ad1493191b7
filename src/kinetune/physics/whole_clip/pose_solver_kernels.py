"""Kinematics of a body over a whole clip, with exact derivatives, and its normal equations, compiled.

Poses are ``reference * exp(x)``: x[t] holds the shift of the root, then rotation vectors of the joints that may move,
in the axes of their segments. Symbols as in docs/derivations/whole_clip.md.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.physics.whole_clip.pose_rows import BodyTree, PoseGoals, PoseState


@njit(**INNER)
def _exp(v, matrix, right):
    """The rotation of a vector as a matrix, and its right Jacobian."""
    x, y, z = v
    square = x * x + y * y + z * z
    if square < 1e-10:
        a, b, c = 1.0 - square / 6.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        angle = np.sqrt(square)
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / square
        c = (1.0 - a) / square
    for i in range(3):
        for j in range(3):
            both = v[i] * v[j]
            matrix[i, j] = b * both
            right[i, j] = c * both
        matrix[i, i] += 1.0 - b * square
        right[i, i] += 1.0 - c * square
    for i, j, value in ((0, 1, -z), (0, 2, y), (1, 2, -x)):
        matrix[i, j] += a * value
        matrix[j, i] -= a * value
        right[i, j] -= b * value
        right[j, i] += b * value


@njit(**INNER)
def _product(a, b, out):
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@njit(cache=True, nogil=True)
def place_body(tree, reference, root, x, state):
    """Fill ``state`` with the poses of ``x`` (frames, unknowns).

    reference : (frames, segments, 3, 3) rotations against the segments that carry them. root : (frames, 3).
    """
    frames, segments = reference.shape[0], reference.shape[1]
    points = len(tree.point_segment)
    small, right, local, v = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
    for t in range(frames):
        for i in range(3):
            state.com[t, i] = 0.0
        for k in range(segments):
            first, last = tree.first[k], tree.first[k + 1]
            above = tree.parents[k]
            if last > first:
                for i in range(3):
                    v[i] = 0.0
                    for n in range(first, last):
                        v[i] += x[t, n] * tree.axes[n, i]
                _exp(v, small, right)
                _product(reference[t, k], small, local)
            else:
                local[:] = reference[t, k]
            if above < 0:
                state.turn[t, k] = local
                for i in range(3):
                    state.place[t, k, i] = root[t, i] + x[t, i]
            else:
                _product(state.turn[t, above], local, state.turn[t, k])
                for i in range(3):
                    total = state.place[t, above, i]
                    for j in range(3):
                        total += state.turn[t, above, i, j] * tree.offsets[k, j]
                    state.place[t, k, i] = total
            if last > first:
                _product(state.turn[t, k], right, small)
                for n in range(first, last):
                    for i in range(3):
                        state.axis[t, n, i] = (
                            small[i, 0] * tree.axes[n, 0]
                            + small[i, 1] * tree.axes[n, 1]
                            + small[i, 2] * tree.axes[n, 2]
                        )
            for i in range(3):
                total = state.place[t, k, i]
                for j in range(3):
                    total += state.turn[t, k, i, j] * tree.centres[k, j]
                state.centre[t, k, i] = total
                state.com[t, i] += tree.masses[k] * total / tree.mass
        for p in range(points):
            k = tree.point_segment[p]
            for i in range(3):
                total = state.place[t, k, i]
                for j in range(3):
                    total += state.turn[t, k, i, j] * tree.point_offset[p, j]
                state.points[t, p, i] = total


@njit(cache=True, nogil=True)
def half_step_momentum(tree, state, rate, spin, inertia):
    """Fill the angular momentum (frames - 1, 3) about the centre of mass between frames, and the inertia there.

    ``L[t+1/2] = 1/dt sum m r[t] x r[t+1] + axial(R[t] S R[t+1]')`` with ``S = tr(I)/2 - I``.
    """
    frames, segments = state.centre.shape[0], state.centre.shape[1]
    e, half = np.zeros((3, 3)), np.zeros((3, 3))
    spin[:] = 0.0
    inertia[:] = 0.0
    for t in range(frames):
        for k in range(segments):
            _product(state.turn[t, k], tree.second[k], half)
            for i in range(3):
                for j in range(3):
                    moment = tree.masses[k] * (state.centre[t, k, i] - state.com[t, i])
                    moment *= state.centre[t, k, j] - state.com[t, j]
                    for n in range(3):
                        moment += half[i, n] * state.turn[t, k, j, n]
                    # each frame counts half for the steps before and after it
                    for s in range(max(t - 1, 0), min(t, frames - 2) + 1):
                        inertia[s, i, j] -= 0.5 * moment
                        if i == j:
                            for n in range(3):
                                inertia[s, n, n] += 0.5 * moment
            if t == frames - 1:
                continue
            _segment_e(tree, state, t, k, half, e)
            a, b = state.centre[t, k] - state.com[t], state.centre[t + 1, k] - state.com[t + 1]
            m = tree.masses[k]
            spin[t, 0] += rate * (m * (a[1] * b[2] - a[2] * b[1]) + e[1, 2] - e[2, 1])
            spin[t, 1] += rate * (m * (a[2] * b[0] - a[0] * b[2]) + e[2, 0] - e[0, 2])
            spin[t, 2] += rate * (m * (a[0] * b[1] - a[1] * b[0]) + e[0, 1] - e[1, 0])


@njit(**INNER)
def _segment_e(tree, state, t, k, half, e):
    """``e = R[t] S R[t+1]'`` of a segment."""
    _product(state.turn[t, k], tree.second[k], half)
    for i in range(3):
        for j in range(3):
            e[i, j] = (
                half[i, 0] * state.turn[t + 1, k, j, 0]
                + half[i, 1] * state.turn[t + 1, k, j, 1]
                + half[i, 2] * state.turn[t + 1, k, j, 2]
            )


@njit(**INNER)
def _momentum_rows(tree, state, t, rate, before, after):
    """Fill the derivatives (3, unknowns) of the angular momentum between t and t + 1 by the poses of both."""
    segments = state.centre.shape[1]
    # Sums over the part of the tree that each segment carries: m x r'ᵀ, m r', and R S R' of both frames.
    outer = np.zeros((2, segments, 3, 3))
    lever = np.zeros((2, segments, 3))
    e, half = np.zeros((3, 3)), np.zeros((3, 3))
    inner = np.zeros((segments, 3, 3))
    for k in range(segments - 1, -1, -1):
        m = tree.masses[k]
        _segment_e(tree, state, t, k, half, e)
        for i in range(3):
            now, later = state.centre[t, k, i] - state.com[t, i], state.centre[t + 1, k, i] - state.com[t + 1, i]
            lever[0, k, i] += m * later
            lever[1, k, i] += m * now
            for j in range(3):
                outer[0, k, i, j] += m * state.centre[t, k, i] * (state.centre[t + 1, k, j] - state.com[t + 1, j])
                outer[1, k, i, j] += m * state.centre[t + 1, k, i] * (state.centre[t, k, j] - state.com[t, j])
                inner[k, i, j] += e[i, j]
        above = tree.parents[k]
        if above >= 0:
            for i in range(3):
                for s in range(2):
                    lever[s, above, i] += lever[s, k, i]
                for j in range(3):
                    for s in range(2):
                        outer[s, above, i, j] += outer[s, k, i, j]
                    inner[above, i, j] += inner[k, i, j]
    d = np.zeros((3, 3))
    for k in range(segments):
        if tree.first[k + 1] == tree.first[k]:
            continue
        trace_e = inner[k, 0, 0] + inner[k, 1, 1] + inner[k, 2, 2]
        for s in range(2):
            for i in range(3):
                for j in range(3):
                    d[i, j] = outer[s, k, i, j] - state.place[t + s, k, i] * lever[s, k, j]
            trace = d[0, 0] + d[1, 1] + d[2, 2]
            for n in range(tree.first[k], tree.first[k + 1]):
                for i in range(3):
                    total = 0.0
                    for j in range(3):
                        a = state.axis[t + s, n, j]
                        if s == 0:
                            total += (d[i, j] + inner[k, i, j]) * a
                        else:
                            total -= (d[i, j] + inner[k, j, i]) * a
                    at_joint = state.axis[t + s, n, i] * (trace + trace_e)
                    if s == 0:
                        before[i, n] = rate * (total - at_joint)
                    else:
                        after[i, n] = rate * (total + at_joint)


@njit(cache=True, nogil=True)
def add_body(h, gradient, tree, state, goals, rate):
    """Add the squares of all that poses should meet to the normal equations; returns their sum."""
    frames, unknowns = gradient.shape
    segments, points = state.centre.shape[1], len(tree.point_segment)
    total = 0.0
    carried, weighed = np.zeros(segments), np.zeros((segments, 3))
    rows = np.zeros((3, unknowns))
    before, after = np.zeros((3, unknowns)), np.zeros((3, unknowns))
    chain_rows = np.zeros((3, unknowns))
    for t in range(frames):
        # the centre of mass
        carried[:] = 0.0
        weighed[:] = 0.0
        for k in range(segments - 1, -1, -1):
            carried[k] += tree.masses[k]
            for i in range(3):
                weighed[k, i] += tree.masses[k] * state.centre[t, k, i]
            above = tree.parents[k]
            if above >= 0:
                carried[above] += carried[k]
                for i in range(3):
                    weighed[above, i] += weighed[k, i]
        for i in range(3):
            rows[i, i] = 1.0
        for k in range(segments):
            x, y, z = (weighed[k] - carried[k] * state.place[t, k]) / tree.mass
            for n in range(tree.first[k], tree.first[k + 1]):
                a, b, c = state.axis[t, n]
                rows[0, n], rows[1, n], rows[2, n] = b * z - c * y, c * x - a * z, a * y - b * x
        for i in range(3):
            miss = state.com[t, i] - goals.com[t, i]
            total += goals.com_weight * miss * miss
            for n in range(unknowns):
                slope = goals.com_weight * rows[i, n]
                if slope != 0.0:
                    gradient[t, n] += slope * miss
                    block = h[t, 0, n]
                    for m in range(unknowns):
                        block[m] += slope * rows[i, m]
        # contact points
        for p in range(points):
            k = tree.point_segment[p]
            count = tree.chain_length[k]
            columns = tree.chain[k]
            for c in range(count):
                n = columns[c]
                if n < 3:
                    for i in range(3):
                        chain_rows[i, c] = 1.0 if i == n else 0.0
                    continue
                o = tree.segment_of[n]
                x = state.points[t, p, 0] - state.place[t, o, 0]
                y = state.points[t, p, 1] - state.place[t, o, 1]
                z = state.points[t, p, 2] - state.place[t, o, 2]
                a, b, d = state.axis[t, n]
                chain_rows[0, c], chain_rows[1, c], chain_rows[2, c] = b * z - d * y, d * x - a * z, a * y - b * x
            for i in range(3):
                w = goals.point_weight[t, p, i]
                if w == 0.0:
                    continue
                miss = state.points[t, p, i] - goals.points[t, p, i]
                total += w * miss * miss
                for c in range(count):
                    slope = w * chain_rows[i, c]
                    if slope != 0.0:
                        gradient[t, columns[c]] += slope * miss
                        block = h[t, 0, columns[c]]
                        for m in range(count):
                            block[columns[m]] += slope * chain_rows[i, m]
        # angular momentum
        if t == frames - 1:
            continue
        _momentum_rows(tree, state, t, rate, before, after)
        for i in range(3):
            miss = goals.spin_miss[t, i]
            w = goals.spin_weight
            total += w * miss * miss
            for n in range(3, unknowns):
                early, late = w * before[i, n], w * after[i, n]
                gradient[t, n] += early * miss
                gradient[t + 1, n] += late * miss
                here, there, between = h[t, 0, n], h[t + 1, 0, n], h[t + 1, 1, n]
                for m in range(3, unknowns):
                    here[m] += early * before[i, m]
                    there[m] += late * after[i, m]
                    between[m] += late * before[i, m]
    return total


def warm_up():
    """Compile every kernel."""
    tree = BodyTree(
        np.array([-1]),
        np.zeros((1, 3)),
        np.ones(1),
        np.zeros((1, 3)),
        np.ones((1, 3, 3)),
        1.0,
        np.array([3, 6]),
        np.vstack([np.zeros((3, 3)), np.eye(3)]),
        np.zeros(6, dtype=np.int64),
        np.arange(6)[None],
        np.array([6]),
        np.array([0]),
        np.zeros((1, 3)),
    )
    state = PoseState.empty(2, 1, 6, 1)
    place_body(tree, np.tile(np.eye(3), (2, 1, 1, 1)), np.zeros((2, 3)), np.zeros((2, 6)), state)
    half_step_momentum(tree, state, 60.0, np.zeros((1, 3)), np.zeros((1, 3, 3)))
    goals = PoseGoals(np.zeros((2, 3)), 1.0, np.zeros((2, 1, 3)), np.ones((2, 1, 3)), np.zeros((1, 3)), 1.0)
    add_body(np.zeros((2, 3, 6, 6)), np.zeros((2, 6)), tree, state, goals, 60.0)
