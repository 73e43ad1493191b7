"""The residuals of a robot's motion and their derivatives, compiled.

A frame has the unknowns x: three moves of the base, three of its rotation (a rotation vector after the one that it
should have), then the joint values. Every point of the robot moves with the joints above it only, so that a residual
touches few columns. Of the normal equations (:mod:`kinetune.trajectory`) the lower triangles are filled. The records
that are passed in, such as ``HingeTree`` and ``HingeLimits``, are those of :mod:`kinetune.body.robots.hinge_problem`.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER

BASE = 6


@njit(**INNER)
def _turn(axis, angle, into):
    """The rotation matrix about an axis of unit length."""
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    k = 1.0 - c
    into[0, 0], into[0, 1], into[0, 2] = c + x * x * k, x * y * k - z * s, x * z * k + y * s
    into[1, 0], into[1, 1], into[1, 2] = y * x * k + z * s, c + y * y * k, y * z * k - x * s
    into[2, 0], into[2, 1], into[2, 2] = z * x * k - y * s, z * y * k + x * s, c + z * z * k


@njit(**INNER)
def _multiply(a, b, into):
    for i in range(3):
        for j in range(3):
            into[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@njit(**INNER)
def _apply(a, v, into):
    x, y, z = v[0], v[1], v[2]
    for i in range(3):
        into[i] = a[i, 0] * x + a[i, 1] * y + a[i, 2] * z


@njit(**INNER)
def _exp(v, turn, jacobian):
    """exp(v) as a matrix, and J of ``exp(v + d) = exp(v) exp(J d)``."""
    angle = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if angle < 1e-6:
        a, b, c, d = 1.0, 0.5, 0.5, 1.0 / 6.0
    else:
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / (angle * angle)
        c, d = b, (angle - np.sin(angle)) / (angle * angle * angle)
    x, y, z = v[0], v[1], v[2]
    k = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for i in range(3):
        for j in range(3):
            square = v[i] * v[j] - (angle * angle if i == j else 0.0)
            same = 1.0 if i == j else 0.0
            turn[i, j] = same + a * k[i][j] + b * square
            jacobian[i, j] = same - c * k[i][j] + d * square


@njit(**INNER)
def _log(a, goal, into):
    """The rotation vector of ``a goal^T``."""
    trace = 0.0
    for i in range(3):
        for j in range(3):
            trace += a[i, j] * goal[i, j]
    x = y = z = 0.0
    for j in range(3):
        x += a[2, j] * goal[1, j] - a[1, j] * goal[2, j]
        y += a[0, j] * goal[2, j] - a[2, j] * goal[0, j]
        z += a[1, j] * goal[0, j] - a[0, j] * goal[1, j]
    sine = 0.5 * np.sqrt(x * x + y * y + z * z)
    angle = np.arctan2(sine, 0.5 * (trace - 1.0))
    scale = 0.5 if sine < 1e-9 else 0.5 * angle / sine
    into[0], into[1], into[2] = scale * x, scale * y, scale * z


@njit(**INNER)
def _pose(x, place, base, tree, frame):
    """Positions and rotations of all joints, and the axes and anchors of all columns."""
    local, other = frame.scratch[0], frame.scratch[1]
    _exp(x[3:6], local, other)
    world, positions, axes, anchors = frame.world, frame.positions, frame.axes, frame.anchors
    _multiply(base, local, world[0])
    for i in range(3):
        positions[0, i] = place[i] + x[i]
        for j in range(3):
            axes[i, j] = 1.0 if i == j else 0.0
            axes[3 + j, i] = world[0, i, 0] * other[0, j] + world[0, i, 1] * other[1, j] + world[0, i, 2] * other[2, j]
        anchors[3, i] = anchors[4, i] = anchors[5, i] = positions[0, i]
    moved = frame.moved
    for n in range(len(tree.parents)):
        if n > 0:
            above = tree.parents[n]
            _apply(world[above], tree.offsets[n], moved)
            for i in range(3):
                positions[n, i] = positions[above, i] + moved[i]
            _multiply(world[above], tree.rest[n], world[n])
        for d in range(tree.first[n], tree.first[n + 1]):
            column = tree.columns[d]
            value = tree.constants[d] + (tree.factors[d] * x[column] if column >= 0 else 0.0)
            _apply(world[n], tree.axes[d], axes[BASE + d])
            if tree.slides[d]:
                for i in range(3):
                    positions[n, i] += axes[BASE + d, i] * value
            else:
                _turn(tree.axes[d], value, local)
                _multiply(world[n], local, other)
                world[n, :, :] = other
        for d in range(tree.first[n], tree.first[n + 1]):
            for i in range(3):
                anchors[BASE + d, i] = positions[n, i]


@njit(**INNER)
def _point(node, offset, frame, into):
    _apply(frame.world[node], offset, into)
    for i in range(3):
        into[i] += frame.positions[node, i]


@njit(**INNER)
def _columns(node, point, sign, tree, frame, start):
    """Append the derivatives of a point on a joint, times a sign, to the list of columns; returns its new length."""
    count = start
    columns, rows = frame.columns, frame.rows
    for i in range(3):
        columns[count] = i
        for k in range(3):
            rows[count, k] = sign if i == k else 0.0
        count += 1
    for link in range(-3, tree.chain_first[node + 1] - tree.chain_first[node]):
        if link < 0:
            d, columns[count], factor, slide = link + BASE, link + BASE, sign, False
        else:
            dof = tree.chain[tree.chain_first[node] + link]
            d, columns[count] = BASE + dof, tree.columns[dof]
            factor, slide = sign * tree.factors[dof], tree.slides[dof]
        a = frame.axes[d]
        if slide:
            for k in range(3):
                rows[count, k] = factor * a[k]
        else:
            o = frame.anchors[d]
            x, y, z = point[0] - o[0], point[1] - o[1], point[2] - o[2]
            rows[count, 0] = factor * (a[1] * z - a[2] * y)
            rows[count, 1] = factor * (a[2] * x - a[0] * z)
            rows[count, 2] = factor * (a[0] * y - a[1] * x)
        count += 1
    return count


@njit(**INNER)
def _pull_point(load, offset, residual, weight):
    """Add ``weight residual^2`` of a point to the load of its joint.

    A load is what the goals of a joint and of all below it ask of a twist of theirs, a velocity v of the base's
    position and a rotation w: sums over points p, counted from there, of the weights, of the weighted p and of
    |p|^2 - p p', whose upper triangle has six entries, then the force and the moment of the weighted residuals.
    """
    x, y, z = offset[0], offset[1], offset[2]
    load[0] += weight
    load[1] += weight * x
    load[2] += weight * y
    load[3] += weight * z
    load[4] += weight * (y * y + z * z)
    load[5] += weight * (x * x + z * z)
    load[6] += weight * (x * x + y * y)
    load[7] -= weight * x * y
    load[8] -= weight * x * z
    load[9] -= weight * y * z
    a, b, c = weight * residual[0], weight * residual[1], weight * residual[2]
    load[10] += a
    load[11] += b
    load[12] += c
    load[13] += y * c - z * b
    load[14] += z * a - x * c
    load[15] += x * b - y * a


@njit(**INNER)
def _pull_turn(load, residual, weight):
    """Add ``weight residual^2`` of an orientation to the load of its joint."""
    for i in range(3):
        load[4 + i] += weight
        load[13 + i] += weight * residual[i]


@njit(**INNER)
def _answer(load, twist, into):
    """Force and moment with which a load answers a twist."""
    m, cx, cy, cz = load[0], load[1], load[2], load[3]
    vx, vy, vz, wx, wy, wz = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    into[0] = m * vx + wy * cz - wz * cy
    into[1] = m * vy + wz * cx - wx * cz
    into[2] = m * vz + wx * cy - wy * cx
    into[3] = cy * vz - cz * vy + load[4] * wx + load[7] * wy + load[8] * wz
    into[4] = cz * vx - cx * vz + load[7] * wx + load[5] * wy + load[9] * wz
    into[5] = cx * vy - cy * vx + load[8] * wx + load[9] * wy + load[6] * wz


@njit(**INNER)
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@njit(**INNER)
def _find_twists(tree, frame):
    """How the robot below each column moves with it: the velocity of the base's position, and the rotation."""
    twists, axes, anchors, origin = frame.twists, frame.axes, frame.anchors, frame.positions[0]
    for i in range(3):
        for k in range(3):
            twists[i, k] = axes[i, k]
            twists[3 + i, 3 + k] = axes[3 + i, k]
    for d in range(len(tree.axes)):
        twist, a, factor = twists[BASE + d], axes[BASE + d], tree.factors[d]
        if tree.slides[d]:
            for k in range(3):
                twist[k] = factor * a[k]
        else:
            o = anchors[BASE + d]
            x, y, z = o[0] - origin[0], o[1] - origin[1], o[2] - origin[2]
            twist[0] = factor * (y * a[2] - z * a[1])
            twist[1] = factor * (z * a[0] - x * a[2])
            twist[2] = factor * (x * a[1] - y * a[0])
            for k in range(3):
                twist[3 + k] = factor * a[k]


@njit(**INNER)
def _spread_loads(h, gradient, tree, frame):
    """Add the loads of all joints to the normal equations: those of a joint act on it and on all above it.

    This is the composite-rigid-body algorithm (Featherstone, Rigid Body Dynamics Algorithms, 6.2) with weights of
    goals in place of masses.
    """
    loads, twists, answer = frame.loads, frame.twists, frame.answer
    for n in range(len(tree.parents) - 1, -1, -1):
        load = loads[n]
        if load[0] == 0.0 and load[4] == 0.0:
            continue
        start, stop = tree.chain_first[n], tree.chain_first[n + 1]
        for link in range(stop - 1, start - 1, -1):
            d = tree.chain[link]
            if d < tree.first[n]:
                break
            row = tree.columns[d]
            twist = twists[BASE + d]
            gradient[row] += _dot(twist, load[10:])
            _answer(load, twist, answer)
            for i in range(BASE):
                h[row, i] += _dot(twists[i], answer)
            for other in range(start, link):
                e = tree.chain[other]
                column = tree.columns[e]
                product = _dot(twists[BASE + e], answer)
                if column < row:
                    h[row, column] += product
                elif column > row:
                    h[column, row] += product
                else:  # two entries of one unknown, where a joint follows another
                    h[row, row] += 2.0 * product
            h[row, row] += _dot(twist, answer)
        if n > 0:
            above = loads[tree.parents[n]]
            for i in range(16):
                above[i] += load[i]
    for i in range(BASE):
        gradient[i] += _dot(twists[i], loads[0, 10:])
        _answer(loads[0], twists[i], answer)
        for j in range(i + 1):
            h[i, j] += _dot(twists[j], answer)


@njit(**INNER)
def _gather_along(h, gradient, columns, rows, count, normal, residual, weight):
    """Add ``weight residual^2`` of one row, the rows' part along a normal."""
    for i in range(count):
        a = weight * (rows[i, 0] * normal[0] + rows[i, 1] * normal[1] + rows[i, 2] * normal[2])
        row = columns[i]
        gradient[row] += a * residual
        for j in range(count):
            column = columns[j]
            if column <= row:
                h[row, column] += a * (rows[j, 0] * normal[0] + rows[j, 1] * normal[1] + rows[j, 2] * normal[2])


@njit(**INNER)
def _closest(a, b, c, d, p, q):
    """Closest points p of the segment a b and q of the segment c d (Ericson, Real-Time Collision Detection, 5.1.9)."""
    aa = ee = f = g = bb = 0.0
    for i in range(3):
        u, v, w = b[i] - a[i], d[i] - c[i], a[i] - c[i]
        aa += u * u
        ee += v * v
        bb += u * v
        f += v * w
        g += u * w
    s = t = 0.0
    if aa > 1e-12 and ee > 1e-12:
        det = aa * ee - bb * bb
        s = min(max((bb * f - g * ee) / det, 0.0), 1.0) if det > 1e-12 else 0.0
        t = (bb * s + f) / ee
        if t < 0.0:
            t, s = 0.0, min(max(-g / aa, 0.0), 1.0)
        elif t > 1.0:
            t, s = 1.0, min(max((bb - g) / aa, 0.0), 1.0)
    elif aa > 1e-12:
        s = min(max(-g / aa, 0.0), 1.0)
    elif ee > 1e-12:
        t = min(max(f / ee, 0.0), 1.0)
    for i in range(3):
        p[i] = a[i] + s * (b[i] - a[i])
        q[i] = c[i] + t * (d[i] - c[i])


@njit(**INNER)
def _gap(pairs, k, frame):
    """The gap between two capsules, the closest points of their axes and the direction from the second to the first."""
    ends = frame.ends
    for i in range(2):
        _point(pairs.nodes[k, 0], pairs.ends[k, i], frame, ends[i])
        _point(pairs.nodes[k, 1], pairs.ends[k, 2 + i], frame, ends[2 + i])
    p, q, normal = frame.near[0], frame.near[1], frame.near[2]
    _closest(ends[0], ends[1], ends[2], ends[3], p, q)
    size = np.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)
    for i in range(3):
        normal[i] = (p[i] - q[i]) / max(size, 1e-9)
    return size - pairs.radii[k]


@njit(cache=True, nogil=True)
def linearize(h, gradient, x, tree, base, goals, limits, frame):
    """Add all residuals at x (frames, size) to the normal equations; returns their sum of squares."""
    frames, size = x.shape
    total = 0.0
    residual, point = frame.residual, frame.point
    for t in range(frames):
        ht, gt = h[t, 0], gradient[t]
        _pose(x[t], base.places[t], base.turns[t], tree, frame)
        frame.loads[:] = 0.0
        for k in range(len(goals.point_nodes)):
            weight = goals.point_weights[t, k]
            if weight > 0.0:
                node = goals.point_nodes[k]
                _point(node, goals.point_offsets[k], frame, point)
                for i in range(3):
                    residual[i] = point[i] - goals.points[t, k, i]
                    total += weight * residual[i] * residual[i]
                for i in range(3):
                    point[i] -= frame.positions[0, i]
                _pull_point(frame.loads[node], point, residual, weight)
        for k in range(len(goals.turn_nodes)):
            weight = goals.turn_weights[t, k]
            if weight > 0.0:
                node = goals.turn_nodes[k]
                _log(frame.world[node], goals.turns[t, k], residual)
                for i in range(3):
                    total += weight * residual[i] * residual[i]
                _pull_turn(frame.loads[node], residual, weight)
        _find_twists(tree, frame)
        _spread_loads(ht, gt, tree, frame)
        normal = frame.near[2]
        for k in range(len(limits.floor_nodes)):
            node = limits.floor_nodes[k]
            _point(node, limits.floor_offsets[k], frame, point)
            clear = point[1] - limits.floors[t, k]
            active = clear < 0.0 or (limits.floor_active[t, k] and clear < limits.margins[0])
            limits.floor_active[t, k] = active
            if active:
                total += limits.weights[0] * clear * clear
                normal[0], normal[1], normal[2] = 0.0, 1.0, 0.0
                count = _columns(node, point, 1.0, tree, frame, np.int64(0))
                _gather_along(ht, gt, frame.columns, frame.rows, count, normal, clear, limits.weights[0])
        for k in range(len(limits.pairs.nodes)):
            clear = _gap(limits.pairs, k, frame) - limits.pairs.clearance
            active = clear < 0.0 or (limits.pair_active[t, k] and clear < limits.margins[0])
            limits.pair_active[t, k] = active
            if active:
                total += limits.weights[1] * clear * clear
                count = _columns(limits.pairs.nodes[k, 0], frame.near[0], 1.0, tree, frame, np.int64(0))
                count = _columns(limits.pairs.nodes[k, 1], frame.near[1], -1.0, tree, frame, count)
                _gather_along(ht, gt, frame.columns, frame.rows, count, frame.near[2], clear, limits.weights[1])
        for i in range(BASE, size):
            for side in range(2):
                clear = x[t, i] - limits.low[i] if side == 0 else limits.high[i] - x[t, i]
                active = clear < 0.0 or (limits.range_active[t, i, side] and clear < limits.margins[1])
                limits.range_active[t, i, side] = active
                if active:
                    total += limits.weights[2] * clear * clear
                    ht[i, i] += limits.weights[2]
                    gt[i] += limits.weights[2] * clear * (1.0 if side == 0 else -1.0)
            if t > 0 and limits.steps[i] < np.inf:
                step = x[t, i] - x[t - 1, i]
                clear = limits.steps[i] - abs(step)
                active = clear < 0.0 or (limits.speed_active[t, i] and clear < limits.margins[2] * limits.steps[i])
                limits.speed_active[t, i] = active
                if active:
                    weight = limits.weights[3]
                    total += weight * clear * clear
                    push = -weight * clear * (1.0 if step > 0.0 else -1.0)
                    gradient[t, i] += push
                    gradient[t - 1, i] -= push
                    h[t, 0, i, i] += weight
                    h[t - 1, 0, i, i] += weight
                    h[t, 1, i, i] -= weight
    return total


@njit(cache=True, nogil=True)
def gaps(x, tree, base, pairs, frame):
    """The gaps (frames, pairs) between capsules; negative where they overlap."""
    out = np.empty((len(x), len(pairs.nodes)))
    for t in range(len(x)):
        _pose(x[t], base.places[t], base.turns[t], tree, frame)
        for k in range(len(pairs.nodes)):
            out[t, k] = _gap(pairs, k, frame)
    return out


@njit(cache=True, nogil=True)
def near_pairs(x, tree, base, pairs, frame, within):
    """Which pairs of capsules (pairs,) come nearer than a distance.

    Pairs whose middles are too far apart for that are not looked at closely.
    """
    near = np.zeros(len(pairs.nodes), dtype=np.bool_)
    reach, middles = np.empty(len(pairs.nodes)), np.empty((len(pairs.nodes), 2, 3))
    for k in range(len(pairs.nodes)):
        reach[k] = within + pairs.radii[k]
        for side in range(2):
            square = 0.0
            for i in range(3):
                a, b = pairs.ends[k, 2 * side, i], pairs.ends[k, 2 * side + 1, i]
                middles[k, side, i] = 0.5 * (a + b)
                square += (a - b) * (a - b)
            reach[k] += 0.5 * np.sqrt(square)
    p, q = frame.ends[0], frame.ends[1]
    for t in range(len(x)):
        _pose(x[t], base.places[t], base.turns[t], tree, frame)
        for k in range(len(pairs.nodes)):
            if not near[k]:
                _point(pairs.nodes[k, 0], middles[k, 0], frame, p)
                _point(pairs.nodes[k, 1], middles[k, 1], frame, q)
                apart = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2
                near[k] = apart < reach[k] * reach[k] and _gap(pairs, k, frame) < within
    return near


@njit(cache=True, nogil=True)
def poses(x, tree, base, frame, positions, world):
    """Fill in world positions (frames, joints, 3) and rotation matrices (frames, joints, 3, 3)."""
    for t in range(len(x)):
        _pose(x[t], base.places[t], base.turns[t], tree, frame)
        positions[t] = frame.positions
        world[t] = frame.world


def warm_up():
    """Compile every kernel."""
    from kinetune.body.robots.hinge_problem import tiny_problem

    tiny_problem().compile()
