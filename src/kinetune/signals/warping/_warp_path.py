"""Applying, smoothing and interpolating the path of a time warp; and the window around the diagonal."""

from __future__ import annotations

import math

import numpy as np

from kinetune.rotations import Floats
from kinetune.signals.warping.table import WarpWindow

_LEAST_SPEED = 1e-3
"""A clock never runs slower than this part of its mean speed, so that it can be inverted."""


def apply_path(path: np.ndarray, x: Floats) -> Floats:
    """A signal that runs with b, brought to the frames of a by substitution, deletion and insertion."""
    if x.dtype != np.float32:
        x = x.astype(float, copy=False)
    i, j = path[:, 0], path[:, 1]
    first = np.flatnonzero(np.diff(i, prepend=-1))  # where each frame of a begins on the path
    count = np.diff(first, append=len(path))
    column = (-1, *(1,) * (x.ndim - 1))
    result = np.add.reduceat(x[j], first, axis=0)
    result /= count.astype(x.dtype).reshape(column)

    # Frames of a that share their only frame of b with others: the run of that frame of b is drawn out.
    alone = j[first]
    runs = np.bincount(j, minlength=len(x))  # how many frames of a each frame of b has
    begins = np.searchsorted(j, np.arange(len(x)))
    stretched = np.flatnonzero((count == 1) & (runs[alone] > 1))
    if len(stretched):
        b = alone[stretched]
        offset_in_run = (first[stretched] - begins[b] + 0.5) / runs[b] - 0.5
        value = np.zeros((len(b), *x.shape[1:]), x.dtype)
        for offset in range(-2, 3):
            weight = _cubic_b_spline(offset_in_run - offset).astype(x.dtype).reshape(column)
            value += weight * x[np.clip(b + offset, 0, len(x) - 1)]
        result[stretched] = value
    return np.asarray(result)


def _cubic_b_spline(t: Floats) -> Floats:
    """The uniform cubic B-spline, centred at 0: 2/3 there, 1/6 at -1 and 1, nothing from -2 and 2 on."""
    d = np.abs(t)
    near = 2.0 / 3.0 - d * d * (1.0 - 0.5 * d)
    far = np.maximum(2.0 - d, 0.0) ** 3 / 6.0
    return np.asarray(np.where(d < 1.0, near, far))


def intermediate_timing(path: np.ndarray, s: float, smoothing: float) -> tuple[Floats, Floats]:
    """Where to read a and b, frame by frame, on a clock that runs from a's (s = 0) to b's timing (s = 1)."""
    steps = path.astype(float)
    clock = (1.0 - s) * (steps[:, 0] - steps[0, 0]) + s * (steps[:, 1] - steps[0, 1])
    begins = np.flatnonzero(np.diff(clock, prepend=-1.0) > 0.0)
    shared = np.diff(begins, append=len(clock))
    nodes = np.add.reduceat(steps, begins, axis=0) / shared[:, None]
    end = float(clock[-1])
    count = math.floor(end + 0.5) + 1
    if count == 1:
        middle = steps.mean(axis=0)
        return middle[:1], middle[1:]
    nodes[0], nodes[-1] = steps[0], steps[-1]
    ticks = np.linspace(0.0, end, count)
    a, b = (_strictly(np.interp(ticks, clock[begins], nodes[:, k]), smoothing) for k in (0, 1))
    return a, b


def _strictly(times: Floats, smoothing: float) -> Floats:
    """Times that increase strictly, with evened speeds, between the same ends."""
    start, end = times[0], times[-1]
    if end <= start:
        return times
    speed = np.diff(times)
    reach = min(math.ceil(smoothing), len(speed))
    if reach > 0:
        kernel = np.cos(np.arange(-reach, reach + 1) * (0.5 * np.pi / (smoothing + 1.0))) ** 2
        kernel /= kernel.sum()
        around = np.concatenate([speed[:reach][::-1], speed, speed[len(speed) - reach :][::-1]])
        speed = np.convolve(around, kernel, mode="valid")
    mean = (end - start) / len(speed)
    speed = (1.0 - _LEAST_SPEED) * speed + _LEAST_SPEED * mean
    result = np.empty_like(times)
    result[0] = 0.0
    np.cumsum(speed, out=result[1:])
    result *= (end - start) / result[-1]
    result += start
    result[0], result[-1] = start, end
    return result


def sakoe_chiba(frames_a: int, frames_b: int, window: float) -> WarpWindow:
    """The frames of b that each frame of a may be matched with, at most ``window`` frames of the longer one apart.

    Where the two lengths differ so much that no path would fit, the window is as wide as it takes.
    """
    n, m = frames_a - 1, frames_b - 1
    if n == 0 or m == 0:
        return WarpWindow(np.zeros(frames_a, np.int64), np.full(frames_a, m, np.int64))
    reach = max(math.floor(min(window, max(n, m)) * min(n, m)), -(-max(n, m) // 2))
    i = np.arange(frames_a, dtype=np.int64)
    first = np.maximum(-((reach - i * m) // n), 0)
    last = np.minimum((i * m + reach) // n, m)
    return WarpWindow(first, last)
