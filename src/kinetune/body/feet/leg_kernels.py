"""The residuals of a leg over time, and the likeliest course of a foot's states, compiled."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.body.feet.leg_solver import LegRows
from kinetune.kernels.loader import INNER

STANDALONE = True


@njit(**INNER)
def _bend(length, upper, lower, straight, most):
    """The flexion of a knee for a distance from hip to ankle and its slope; straight lines beyond both limits."""
    square = upper * upper + lower * lower
    far = np.sqrt(square + 2.0 * upper * lower * np.cos(straight))
    near = np.sqrt(square + 2.0 * upper * lower * np.cos(most))
    inside = min(max(length, near), far)
    cosine = (inside * inside - square) / max(2.0 * upper * lower, 1e-12)
    bend = np.arccos(min(max(cosine, -1.0), 1.0))
    slope = -inside / max(upper * lower * np.sin(bend), 1e-12)
    return bend + slope * (length - inside), slope


@njit(cache=True, nogil=True)
def bend_along(length, upper, lower, straight, most, bend, slope):
    """Fill in the flexion (frames,) of a knee and its slope."""
    for t in range(len(length)):
        bend[t], slope[t] = _bend(length[t], upper[t], lower[t], straight, most)


@njit(cache=True, nogil=True)
def add_leg(h, gradient, x, leg, at):
    """Add all residuals of a leg whose ankle is unknown ``at`` and the next two; returns their sum of squares.

    The unknowns 0 to 2 are the pelvis. Knees: ``firm (bend - goal)^2`` and the second difference of that; the wall and
    the floor push only where they are violated, and until they are clear by a margin.
    """
    frames = len(x)
    off, slopes, weight, spread = leg.off, leg.slopes, leg.weight, leg.spread
    total = 0.0
    for t in range(frames):
        arm_x = leg.arm[t, 0] + x[t, 0] - x[t, at]
        arm_y = leg.arm[t, 1] + x[t, 1] - x[t, at + 1]
        arm_z = leg.arm[t, 2] + x[t, 2] - x[t, at + 2]
        length = np.sqrt(arm_x * arm_x + arm_y * arm_y + arm_z * arm_z)
        bend, slope = _bend(length, leg.upper[t], leg.lower[t], leg.straight, leg.most)
        slope /= max(length, 1e-9)
        slopes[t, 0], slopes[t, 1], slopes[t, 2] = slope * arm_x, slope * arm_y, slope * arm_z
        slopes[t, 3], slopes[t, 4], slopes[t, 5] = -slope * arm_x, -slope * arm_y, -slope * arm_z
        off[t] = bend - leg.goal[t]
        room = bend - leg.least[t]
        leg.at_wall[t] = room < 0.0 or (leg.at_wall[t] and room < leg.wall_margin)
        weight[t] = leg.knee[t] * leg.firm[t]
        push = weight[t] * off[t]
        total += push * off[t]
        if leg.at_wall[t]:
            weight[t] += leg.wall
            push += leg.wall * room
            total += leg.wall * room * room
        for i in range(6):
            gradient[t, i if i < 3 else at + i - 3] += slopes[t, i] * push
        total += _add_foot(h[t, 0], gradient[t], x[t], leg, t, at)
        if t > 0:
            total += _add_slide(h, gradient, x, leg, t, at)
    # The second difference of a knee's error touches three frames: one product of slopes for each distance.
    spread[:] = 0.0
    for t in range(frames - 2):
        w = leg.smooth * leg.firm[t + 1]
        second = off[t] - 2.0 * off[t + 1] + off[t + 2]
        total += w * second * second
        spread[0, t] += w
        spread[0, t + 1] += 4.0 * w
        spread[0, t + 2] += w
        spread[1, t + 1] -= 2.0 * w
        spread[1, t + 2] -= 2.0 * w
        spread[2, t + 2] += w
        for i in range(6):
            column = i if i < 3 else at + i - 3
            gradient[t, column] += w * second * slopes[t, i]
            gradient[t + 1, column] -= 2.0 * w * second * slopes[t + 1, i]
            gradient[t + 2, column] += w * second * slopes[t + 2, i]
    for t in range(frames):
        spread[0, t] += weight[t]
        for distance in range(min(t, 2) + 1):
            scale = spread[distance, t]
            if scale == 0.0:
                continue
            block = h[t, distance]
            for i in range(6):
                row = block[i if i < 3 else at + i - 3]
                late = scale * slopes[t, i]
                for j in range(3):
                    row[j] += late * slopes[t - distance, j]
                    row[at + j] += late * slopes[t - distance, j + 3]
    return total


@njit(**INNER)
def _add_foot(block, gradient, x, leg, t, at):
    """A foot follows the pelvis, is held where it stands, and keeps above the floor in the air."""
    total = 0.0
    for i in range(3):
        apart = x[at + i] - x[i]
        w = leg.follow[t, i]
        total += w * apart * apart
        gradient[at + i] += w * apart
        gradient[i] -= w * apart
        block[at + i, at + i] += w
        block[i, i] += w
        block[at + i, i] -= w
        block[i, at + i] -= w
        w = leg.hold[t, i]
        miss = x[at + i] - leg.target[t, i]
        total += w * miss * miss
        gradient[at + i] += w * miss
        block[at + i, at + i] += w
    room = x[at + 1] - leg.rise[t]
    leg.at_floor[t] = room < 0.0 or (leg.at_floor[t] and room < leg.floor_margin)
    if leg.at_floor[t]:
        total += leg.clear * room * room
        gradient[at + 1] += leg.clear * room
        block[at + 1, at + 1] += leg.clear
    return total


@njit(**INNER)
def _add_slide(h, gradient, x, leg, t, at):
    """A foot that stands moves along the floor as its rocker does, wherever it stands."""
    w = leg.still[t]
    if w == 0.0:
        return 0.0
    total = 0.0
    for i in range(0, 3, 2):
        slide = x[t, at + i] - x[t - 1, at + i] - leg.apart[t, i] + leg.apart[t - 1, i]
        total += w * slide * slide
        gradient[t, at + i] += w * slide
        gradient[t - 1, at + i] -= w * slide
        h[t, 0, at + i, at + i] += w
        h[t - 1, 0, at + i, at + i] += w
        h[t, 1, at + i, at + i] -= w
    return total


@njit(cache=True, nogil=True)
def best_through(score, change, best, after):
    """Fill in the total score of the best course that is in each state in each frame, (frames, states).

    score : (frames, states) how well each state explains each frame. change : (states, states) the cost of a change.
    after : (frames, states) working memory.
    """
    frames, states = score.shape
    for j in range(states):
        best[0, j] = score[0, j]
        after[frames - 1, j] = 0.0
    for t in range(1, frames):
        for j in range(states):
            most = best[t - 1, 0] - change[0, j]
            for i in range(1, states):
                most = max(most, best[t - 1, i] - change[i, j])
            best[t, j] = most + score[t, j]
    for t in range(frames - 2, -1, -1):
        for i in range(states):
            most = after[t + 1, 0] + score[t + 1, 0] - change[i, 0]
            for j in range(1, states):
                most = max(most, after[t + 1, j] + score[t + 1, j] - change[i, j])
            after[t, i] = most
            best[t, i] += most


@njit(cache=True, nogil=True)
def likeliest_path(score, change, best, came_from, path):
    """Fill in the states (frames,) of the greatest total score (Viterbi).

    score : (frames, states) how well each state explains each frame. change : (states, states) the cost of a change.
    best, came_from : (frames, states) working memory.
    """
    frames, states = score.shape
    for j in range(states):
        best[0, j] = score[0, j]
    for t in range(1, frames):
        for j in range(states):
            chosen = 0
            for i in range(1, states):
                if best[t - 1, i] - change[i, j] > best[t - 1, chosen] - change[chosen, j]:
                    chosen = i
            best[t, j] = best[t - 1, chosen] - change[chosen, j] + score[t, j]
            came_from[t, j] = chosen
    path[frames - 1] = np.argmax(best[frames - 1])
    for t in range(frames - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]


def warm_up():
    """Compile every kernel."""
    states, scores = np.zeros((3, 2), np.int8), np.zeros((3, 2))
    likeliest_path(scores, np.zeros((2, 2)), scores.copy(), states, states[:, 0].copy())
    best_through(scores, np.zeros((2, 2)), scores.copy(), scores.copy())
    row, path, flags = np.ones(3), np.ones((3, 3)), np.zeros(3, np.bool_)
    bend_along(row, row, row, 0.1, 2.5, row.copy(), row.copy())
    filled = row.copy(), np.empty((3, 6)), row.copy(), path.copy()
    limits = *(1.0,) * 5, 0.1, 2.5
    leg = LegRows(path, *(row,) * 6, path, path, path, path, row, row, flags, flags.copy(), *filled, *limits)
    add_leg(np.zeros((3, 3, 6, 6)), np.zeros((3, 6)), np.zeros((3, 6)), leg, 3)
