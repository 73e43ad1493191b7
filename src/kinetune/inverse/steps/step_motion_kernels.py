"""What makes a step (compiled): blend, ease in, lock, plant.

What each does is documented where it is called: :mod:`.step_blend`, :mod:`.step_motion` and :mod:`.foot_locks`.
The laws are in ``tests/inverse/steps/test_step_motion.py``.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from kinetune.inverse.steps.step_pools import LegArrays
from kinetune.kernels.loader import INNER
from kinetune.kernels.unit_quaternions import exp, inverse, log, multiply, rotate

_SOFTNESS = 0.001  # share of a leg's length over which it slows down before it is straight
_SLIGHT_BEND = 0.15  # as in kinetune.body.kinematics.limb_ik


@njit(cache=True, nogil=True, error_model="numpy")
def blend(stacked, used, weights, node, part, turns, result):  # type: ignore[no-untyped-def]
    """Blend (n, GRID, m) at frames: result (frames, m); the first ``turns`` numbers are quaternions of length 1."""
    size = result.shape[1]
    for frame in range(result.shape[0]):
        at, late = node[frame], part[frame]
        row = result[frame]
        for k in range(size):
            row[k] = 0.0
        for j in range(used.shape[0]):
            before, after = weights[frame, j] * (1.0 - late), weights[frame, j] * late
            if before == 0.0 and after == 0.0:
                continue
            first, second = stacked[used[j], at], stacked[used[j], at + 1]
            for k in range(size):
                row[k] += before * first[k] + after * second[k]
        for k in range(0, turns, 4):
            length = math.sqrt(
                row[k] * row[k] + row[k + 1] * row[k + 1] + row[k + 2] * row[k + 2] + row[k + 3] * row[k + 3]
            )
            for c in range(4):
                row[k + c] /= length


@njit(cache=True, nogil=True, error_model="numpy")
def ease_in(rotations, last, before, moving, count):  # type: ignore[no-untyped-def]
    """See :func:`kinetune.inverse.steps.step_motion.ease_in`; rotations (n, k, 4) are changed in place."""
    for joint in range(rotations.shape[1]):
        gap = log(multiply(inverse(rotations[0, joint]), last[joint]))
        sx = sy = sz = 0.0
        if moving:
            goes = log(multiply(inverse(rotations[0, joint]), rotations[1, joint]))
            came = log(multiply(inverse(before[joint]), last[joint]))
            sx, sy, sz = count * (came[0] - goes[0]), count * (came[1] - goes[1]), count * (came[2] - goes[2])
        for frame in range(count):
            u = frame / count
            hold, lean = (1.0 + 2.0 * u) * (1.0 - u) ** 2, u * (1.0 - u) ** 2
            offset = exp((hold * gap[0] + lean * sx, hold * gap[1] + lean * sy, hold * gap[2] + lean * sz))
            turned = multiply(rotations[frame, joint], offset)
            for c in range(4):
                rotations[frame, joint, c] = turned[c]


@njit(cache=True, nogil=True, error_model="numpy")
def level_turn(carrier, ahead):  # type: ignore[no-untyped-def]
    """Turn rotations (n, 4) about the vertical, in place, so that ``ahead`` points along z."""
    for frame in range(carrier.shape[0]):
        x, _, z = rotate(carrier[frame], ahead)
        half = -0.5 * math.atan2(x, z)
        turned = multiply((math.cos(half), 0.0, math.sin(half), 0.0), carrier[frame])
        for c in range(4):
            carrier[frame, c] = turned[c]


@njit(cache=True, nogil=True, error_model="numpy")
def keep_heading(feet, ahead, heading):  # type: ignore[no-untyped-def]
    """Turn ankle and toes (n, 2, 4) about the vertical, in place, so that the toes point along ``heading``."""
    for frame in range(feet.shape[0]):
        x, _, z = rotate(feet[frame, 1], ahead)
        half = 0.5 * (heading - math.atan2(x, z))
        for part in range(2):
            turned = multiply((math.cos(half), 0.0, math.sin(half), 0.0), feet[frame, part])
            for c in range(4):
                feet[frame, part, c] = turned[c]


@njit(cache=True, nogil=True, error_model="numpy")
def lock_support(rotations, carrier, heading, lock, own_lock, to_root, offsets, root, turned):  # type: ignore[no-untyped-def]
    """See :func:`kinetune.inverse.steps.foot_locks.lock_support`; root (n, 3) and turned (n, 4) are filled."""
    facing = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
    for frame in range(carrier.shape[0]):
        turn = multiply(facing, carrier[frame])
        away = rotate(turn, own_lock)
        x, y, z = lock[0] - away[0], lock[1] - away[1], lock[2] - away[2]
        for joint in to_root:
            turn = multiply(turn, inverse(rotations[frame, joint]))
            away = rotate(turn, offsets[joint])
            x, y, z = x - away[0], y - away[1], z - away[2]
        root[frame, 0], root[frame, 1], root[frame, 2] = x, y, z
        for c in range(4):
            turned[frame, c] = turn[c]


@njit(cache=True, nogil=True, error_model="numpy")
def follow(root, rotations, chain, ankle, offsets, places, feet):  # type: ignore[no-untyped-def]
    """See :func:`kinetune.inverse.steps.foot_locks.follow`; places (n, 3) and feet (n, 2, 4) are filled."""
    for frame in range(rotations.shape[0]):
        x, y, z = root[frame, 0], root[frame, 1], root[frame, 2]
        turn = multiply((1.0, 0.0, 0.0, 0.0), rotations[frame, chain[0]])
        for k in range(1, chain.shape[0]):
            step = rotate(turn, offsets[chain[k]])
            x, y, z = x + step[0], y + step[1], z + step[2]
            turn = multiply(turn, rotations[frame, chain[k]])
            if chain[k] == ankle:
                for c in range(4):
                    feet[frame, 0, c] = turn[c]
        places[frame, 0], places[frame, 1], places[frame, 2] = x, y, z
        for c in range(4):
            feet[frame, 1, c] = turn[c]


@njit(**INNER, error_model="numpy")
def _between(a, b):  # type: ignore[no-untyped-def]
    """The shortest rotation from one unit vector to another that is not opposite."""
    w = 1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length


@njit(**INNER, error_model="numpy")
def _unit(v):  # type: ignore[no-untyped-def]
    length = max(math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 1e-12)
    return v[0] / length, v[1] / length, v[2] / length


@njit(**INNER, error_model="numpy")
def _dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(**INNER, error_model="numpy")
def _cross(a, b):  # type: ignore[no-untyped-def]
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(**INNER, error_model="numpy")
def _bend_leg(upper, lower, goal, hinge):  # type: ignore[no-untyped-def]
    """How thigh and shank (vectors) rotate so that their end meets a goal seen from the hip, as solve_limb does."""
    whole = (upper[0] + lower[0], upper[1] + lower[1], upper[2] + lower[2])
    u, v = math.sqrt(_dot(upper, upper)), math.sqrt(_dot(lower, lower))
    now, distance = math.sqrt(_dot(whole, whole)), math.sqrt(_dot(goal, goal))
    start = min(max((1.0 - _SOFTNESS) * (u + v), now), u + v)
    room = u + v - start
    reach = distance
    if distance > start:
        reach = start - (room * math.expm1(-(distance - start) / room) if room > 0.0 else 0.0)
    along = _unit(whole)
    share = _dot(hinge, along)
    across = _unit((hinge[0] - share * along[0], hinge[1] - share * along[1], hinge[2] - share * along[2]))
    normal = _cross(_unit(upper), _unit(lower))
    axis = _unit(
        (
            normal[0] + _SLIGHT_BEND * across[0],
            normal[1] + _SLIGHT_BEND * across[1],
            normal[2] + _SLIGHT_BEND * across[2],
        )
    )
    constant = _dot(upper, axis) * _dot(lower, axis)
    cosine, sine = _dot(upper, lower) - constant, _dot(upper, _cross(axis, lower))
    size = math.hypot(cosine, sine)
    before = -math.atan2(sine, cosine)
    cosine_of_bend = (0.5 * (reach * reach - u * u - v * v) - constant) / size
    bend = math.acos(min(max(cosine_of_bend, -1.0), 1.0))
    if before < 0.0:
        bend = min(max(2.0 * bend + 3.0 * before, -bend), bend)
    half = 0.5 * (bend - before)
    flex = (math.cos(half), math.sin(half) * axis[0], math.sin(half) * axis[1], math.sin(half) * axis[2])
    shank = rotate(flex, lower)
    swing = _between(_unit((upper[0] + shank[0], upper[1] + shank[1], upper[2] + shank[2])), _unit(goal))
    return swing, multiply(swing, flex)


@njit(cache=True, nogil=True, error_model="numpy")
def plant(root, rotations, leg, share, before, after):  # type: ignore[no-untyped-def]
    """See :func:`kinetune.inverse.steps.foot_locks.plant_swing`; rotations are changed in place.

    leg : the fields of a :class:`LegArrays`. share : (n,) how far the landing counts.
    before, after : points (n, 3) and rotations of ankle and toes (n, 2, 4).
    """
    leg = LegArrays(*leg)
    chain, offsets, ahead, lock, pivot = leg.chain, leg.offsets, leg.ahead, leg.lock, leg.pivot
    before_point, before_feet = before
    after_point, after_feet = after
    frames, length = rotations.shape[0], chain.shape[0]
    hip, knee, ankle, toes = leg.joints[0], leg.joints[1], leg.joints[2], leg.joints[3]
    places, turns, change = np.empty((frames, length, 3)), np.empty((frames, length, 4)), np.empty((2, frames, 9))
    for frame in range(frames):
        places[frame, 0] = root[frame]
        turns[frame, 0] = rotations[frame, chain[0]]
        for k in range(1, length):
            step = rotate(turns[frame, k - 1], offsets[chain[k]])
            turn = multiply(turns[frame, k - 1], rotations[frame, chain[k]])
            for c in range(3):
                places[frame, k, c] = places[frame, k - 1, c] + step[c]
            for c in range(4):
                turns[frame, k, c] = turn[c]
    ball = rotate(turns[frames - 1, toes], pivot)
    x, _, z = rotate(turns[frames - 1, toes], ahead)
    tx, _, tz = rotate(after_feet[frames - 1, 1], ahead)
    facing = 0.5 * (math.atan2(x, z) - math.atan2(tx, tz))
    landing = (math.cos(facing), 0.0, math.sin(facing), 0.0)
    place = (places[frames - 1, toes, 0] + ball[0], 0.0, places[frames - 1, toes, 2] + ball[2])
    for frame in range(frames):
        for side in range(2):
            if side == 0:
                point = (before_point[frame, 0], before_point[frame, 1], before_point[frame, 2])
                foot = multiply((1.0, 0.0, 0.0, 0.0), before_feet[frame, 0])
                tips = multiply((1.0, 0.0, 0.0, 0.0), before_feet[frame, 1])
                away = rotate(tips, lock)
            else:
                seen = rotate(landing, after_point[frame])
                point = (place[0] + seen[0], place[1] + seen[1], place[2] + seen[2])
                foot = multiply(landing, after_feet[frame, 0])
                tips = multiply(landing, after_feet[frame, 1])
                away = rotate(tips, pivot)
            reach = (0.0, 0.0, 0.0)
            if ankle != toes:
                reach = rotate(foot, offsets[chain[toes]])
            turn_foot = log(multiply(foot, inverse(turns[frame, ankle])))
            turn_toes = log(multiply(tips, inverse(turns[frame, toes])))
            for c in range(3):
                change[side, frame, c] = point[c] - away[c] - reach[c] - places[frame, ankle, c]
                change[side, frame, 3 + c] = turn_foot[c]
                change[side, frame, 6 + c] = turn_toes[c]
    mixed = np.empty(9)
    for frame in range(frames):
        for c in range(9):
            mixed[c] = (1.0 - share[frame]) * change[0, frame, c] + share[frame] * change[1, frame, c]
        a, b, e = places[frame, hip], places[frame, knee], places[frame, ankle]
        goal = (e[0] + mixed[0] - a[0], e[1] + mixed[1] - a[1], e[2] + mixed[2] - a[2])
        upper, lower = _bend_leg(
            (b[0] - a[0], b[1] - a[1], b[2] - a[2]),
            (e[0] - b[0], e[1] - b[1], e[2] - b[2]),
            goal,
            rotate(turns[frame, hip], leg.hinge),
        )
        above = turns[frame, hip - 1]
        thigh = multiply(inverse(above), multiply(upper, turns[frame, hip]))
        above_knee = multiply(upper, turns[frame, knee - 1])
        shank = multiply(inverse(above_knee), multiply(lower, turns[frame, knee]))
        above_ankle = multiply(lower, turns[frame, ankle - 1])
        foot = multiply(exp((mixed[3], mixed[4], mixed[5])), turns[frame, ankle])
        local = multiply(inverse(above_ankle), foot)
        tips = multiply(inverse(foot), multiply(exp((mixed[6], mixed[7], mixed[8])), turns[frame, toes]))
        for c in range(4):
            rotations[frame, chain[hip], c] = thigh[c]
            rotations[frame, chain[knee], c] = shank[c]
            rotations[frame, chain[ankle], c] = local[c]
            if toes != ankle:
                rotations[frame, chain[toes], c] = tips[c]


def warm_up() -> None:
    """Compile or load all of them for arrays of float64."""
    turns = np.zeros((4, 5, 4))
    turns[..., 0] = 1.0
    three, four = np.zeros((4, 3)), np.ascontiguousarray(turns[:, 0])
    ahead = np.array([0.0, 0.0, 1.0])
    blend(turns.reshape(1, 4, 20), np.zeros(1, np.intp), np.ones((4, 1)), np.zeros(4, np.intp), np.zeros(4), 20,
          np.empty((4, 20)))  # fmt: skip
    ease_in(turns, turns[0], turns[0], True, 2)
    level_turn(four, ahead)
    keep_heading(turns[:, :2].copy(), ahead, 0.0)
    offsets = np.tile([0.0, -0.4, 0.1], (5, 1))
    lock_support(turns, four, 0.0, ahead, ahead, np.array([2, 1]), offsets, three, four.copy())
    follow(three, turns, np.arange(5), 3, offsets, three.copy(), np.empty((4, 2, 4)))
    leg = (np.arange(5), np.array([1, 2, 3, 4]), np.array([1.0, 0.0, 0.0]), offsets, ahead, ahead, ahead)
    track = (three, turns[:, :2].copy())
    plant(three, turns, leg, np.zeros(4), track, track)
