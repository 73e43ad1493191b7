"""Compiled: short runs of samples that jump away and come back, and curves without their trend."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.rotations import Floats


@njit(**INNER)
def _apart(x, a, b, j):
    """The angle between two unit quaternions, or the distance between two vectors."""
    total = 0.0
    if x.shape[2] == 4:
        for k in range(4):
            total += x[a, j, k] * x[b, j, k]
        return 2.0 * np.arccos(min(abs(total), 1.0))
    for k in range(x.shape[2]):
        total += (x[a, j, k] - x[b, j, k]) ** 2
    return np.sqrt(total)


@njit(**INNER)
def _limit(step, t, half, least, nearby, room):
    """How large a step must be to stand out: more than most steps within ``half`` of it, mirrored at the ends."""
    count = len(step)
    for k in range(2 * half + 1):
        s = t + k - half
        s = -s if s < 0 else s
        room[k] = step[2 * (count - 1) - s if s >= count else s]
    ordered = np.sort(room)
    at = 0.75 * (2 * half)
    k = min(int(at), 2 * half - 1)
    return max(least, nearby * (ordered[k] + (at - k) * (ordered[k + 1] - ordered[k])))


@njit(**INNER)
def _sudden(step, t, side, times):
    """Whether a step is a jump: far larger than one of the two next to it on a side."""
    least = np.inf
    for k in range(1, 3):
        s = t + k * side
        if 0 <= s < len(step):
            least = min(least, step[s])
    return least == np.inf or step[t] > times * least


@njit(**INNER)
def _off_course(x, t, run, j):
    """How far a run is, on average, from the cubic that leads from the samples before it to those after it."""
    frames, size = len(x), x.shape[2]
    h = run + 1.0
    total = 0.0
    for s in range(t + 1, t + run + 1):
        u = (s - t) / h
        apart = 0.0
        for k in range(size):
            signs = np.ones(4)
            ends = (max(t - 2, 0), t, t + run + 1, min(t + run + 3, frames - 1))
            if size == 4:  # q and -q are the same rotation
                for e in range(4):
                    dot = 0.0
                    for i in range(4):
                        dot += x[ends[e], j, i] * x[s, j, i]
                    signs[e] = 1.0 if dot >= 0.0 else -1.0
            before, a, b, after = (
                signs[0] * x[ends[0], j, k],
                signs[1] * x[ends[1], j, k],
                signs[2] * x[ends[2], j, k],
                signs[3] * x[ends[3], j, k],
            )
            va = h * (a - before) / max(ends[1] - ends[0], 1)
            vb = h * (after - b) / max(ends[3] - ends[2], 1)
            course = (
                (1.0 + 2.0 * u) * (1.0 - u) ** 2 * a
                + u * (1.0 - u) ** 2 * va
                + u * u * (3.0 - 2.0 * u) * b
                + u * u * (u - 1.0) * vb
            )
            apart += (x[s, j, k] - course) ** 2
        total += np.sqrt(apart) * (2.0 if size == 4 else 1.0)
    return total / run


@njit(cache=True, nogil=True)
def find_excursions(
    x: Floats, half: int, longest: int, floor: float, limits: tuple[float, float, float, float, float]
) -> Any:
    """Where (frames, tracks) tracks jump away for up to ``longest`` frames and come back.

    x : (frames, tracks, 4) unit quaternions or (frames, tracks, n) vectors.
    half : how many steps on either side are nearby. floor : the least step that counts.
    limits : how often a step must exceed the track's median and the upper quartile nearby, and how near to each other
        what lies before and after a run must be, in steps; how often it must exceed the two steps outside the run;
        and how often, at an end of the clip, all of this.
    """
    typical, nearby, back, sudden, at_ends = limits
    frames, tracks = x.shape[:2]
    outside = np.zeros((frames, tracks), dtype=np.bool_)
    step, limit, room = np.empty(frames - 1), np.empty(frames - 1), np.empty(2 * half + 1)
    for j in range(tracks):
        for t in range(frames - 1):
            step[t] = _apart(x, t, t + 1, j)
        least = max(typical * np.median(step), floor)
        large = False
        for t in range(frames - 1):
            limit[t] = np.inf
            if step[t] > least:
                limit[t] = _limit(step, t, half, least, nearby, room)
                large = True
        if not large:
            continue
        for run in range(1, longest + 1):
            for t in range(frames - 1 - run):
                small = min(step[t], step[t + run])
                if small <= max(limit[t], limit[t + run]) or _apart(x, t, t + run + 1, j) >= back * small:
                    continue
                if not (_sudden(step, t, -1, sudden) and _sudden(step, t + run, 1, sudden)):
                    continue
                if _off_course(x, t, run, j) > 0.5 * small:
                    for s in range(t + 1, t + run + 1):
                        outside[s, j] = True
        for run in range(1, longest + 1):  # a clip may begin or end elsewhere
            t = run - 1
            if step[t] > at_ends * limit[t] and _sudden(step, t, 1, sudden):
                outside[:run, j] = True
            t = frames - 1 - run
            if step[t] > at_ends * limit[t] and _sudden(step, t, -1, sudden):
                outside[frames - run :, j] = True
    return outside


@njit(cache=True, nogil=True)
def without_trend(x: Floats, width: float) -> Floats:
    """What is left of vectors (frames, tracks, n) when a bell curve of ``width`` frames is taken off; rotations: the
    rotation vectors (frames, tracks, 3) from the blurred rotation to the one that is there."""
    frames, tracks, size = x.shape
    reach = int(3.0 * width + 0.5)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    turned = size == 4
    rest = np.empty((frames, tracks, 3 if turned else size))
    mean = np.empty(size)
    for j in range(tracks):
        for t in range(frames):
            mean[:] = 0.0
            total = 0.0
            for k in range(max(0, t - reach), min(frames, t + reach + 1)):
                sign, w = 1.0, bell[k - t + reach]
                if turned:
                    dot = 0.0
                    for i in range(size):
                        dot += x[k, j, i] * x[t, j, i]
                    sign = 1.0 if dot >= 0.0 else -1.0
                for i in range(size):
                    mean[i] += w * sign * x[k, j, i]
                total += w
            if not turned:
                for i in range(size):
                    rest[t, j, i] = x[t, j, i] - mean[i] / total
                continue
            w0, x0, y0, z0 = mean[0], -mean[1], -mean[2], -mean[3]
            w1, x1, y1, z1 = x[t, j, 0], x[t, j, 1], x[t, j, 2], x[t, j, 3]
            w = w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1
            a = w0 * x1 + x0 * w1 + y0 * z1 - z0 * y1
            b = w0 * y1 - x0 * z1 + y0 * w1 + z0 * x1
            c = w0 * z1 + x0 * y1 - y0 * x1 + z0 * w1
            sine = np.sqrt(a * a + b * b + c * c)
            scale = 2.0 * np.arctan2(sine, abs(w)) / sine if sine > 1e-12 else 0.0
            scale = scale if w >= 0.0 else -scale
            rest[t, j, 0], rest[t, j, 1], rest[t, j, 2] = scale * a, scale * b, scale * c
    return rest


def warm_up() -> None:
    """Compile every kernel."""
    for size in (3, 4):
        x = np.zeros((8, 1, size))
        x[..., 0] = 1.0
        find_excursions(x, 4, 2, 1.0, (4.0, 1.8, 0.6, 2.0, 2.0))
        without_trend(x, 1.0)
