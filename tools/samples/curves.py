"""Small curves that everything in the samples is drawn with: eases, joins, noise that repeats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

Path = Callable[[Floats], Floats]
"""A curve as a function of time: (n,) to (n, ...)."""


def min_jerk(u: ArrayLike) -> Floats:
    """From 0 at u = 0 to 1 at u = 1 as smoothly as hands do it (Flash and Hogan 1985); flat outside."""
    v = np.clip(np.asarray(u, dtype=float), 0.0, 1.0)
    return v**3 * (10.0 - 15.0 * v + 6.0 * v**2)


def bump(u: ArrayLike) -> Floats:
    """From 0 up to 1 at u = 0.5 and back to 0 at u = 1, starting and stopping without a jerk; 0 outside."""
    v = np.clip(np.asarray(u, dtype=float), 0.0, 1.0)
    return 64.0 * (v * (1.0 - v)) ** 3


def moves(times: Floats, start: ArrayLike, *targets: tuple[float, float, ArrayLike]) -> Floats:
    """A curve that goes from one value to the next: each target is (when it starts, when it arrives, the value).

    Moves may overlap: a move that starts before the last one has arrived flows out of it. Values may be vectors.
    """
    value = np.asarray(start, dtype=float)
    curve = np.broadcast_to(value, (len(times), *value.shape)).copy()
    for begin, arrive, target in targets:
        step = np.asarray(target, dtype=float) - value
        ease = min_jerk((times - begin) / (arrive - begin))
        curve += ease.reshape(-1, *(1,) * value.ndim) * step
        value = np.asarray(target, dtype=float)
    return curve


def keyed(times: Floats, *keys: tuple[float, float], tension: float = 0.0, bias: float = 0.0) -> Floats:
    """A TCB curve through keys of (when, value); equal neighbours hold, and it is at rest at both ends."""
    when, values = zip(*keys, strict=True)
    return np.asarray(TCB(when, values, tension=tension, bias=bias, ends="zero", holds="flat")(times))


def quintic(times: Floats, begin: Floats | float, end: Floats | float, start: Floats, stop: Floats) -> Floats:
    """The polynomial with given value, slope and curvature at both ends of a span, (n, ...).

    Parameters
    ----------
    times : (n,). begin, end : the span, numbers or (n,).
    start, stop : (3, ...) value, first and second derivative at its ends; or (3, n, ...), each time its own.
    """
    first, last = np.asarray(start, dtype=float), np.asarray(stop, dtype=float)
    separate = first.ndim > 1 and first.shape[1] == len(times) and np.ndim(begin) > 0
    tail = (1,) * (first.ndim - 2 if separate else first.ndim - 1)
    length = np.broadcast_to(np.asarray(end, dtype=float) - begin, times.shape).reshape(-1, *tail)
    u = (times - begin).reshape(-1, *tail) / length
    p0, v0, a0 = first[0], first[1] * length, first[2] * length**2
    p1, v1, a1 = last[0], last[1] * length, last[2] * length**2
    d = p1 - p0
    c3 = 10 * d - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * d + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * d - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1
    return np.asarray(p0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5)))))


def spline(knots: Floats, values: Floats) -> Path:
    """The smoothest curve through points: cubic pieces that agree to the second derivative, straight at the ends.

    Parameters
    ----------
    knots : (n,), increasing. values : (n,) or (n, ...).
    """
    step = np.diff(knots)
    flat = values.reshape(len(knots), -1)
    slope = np.diff(flat, axis=0) / step[:, None]
    # The second derivatives solve a tridiagonal system: forwards, then back.
    bend = np.zeros(flat.shape)
    share = np.zeros(len(knots))
    for k in range(1, len(knots) - 1):
        pivot = 2.0 * (step[k - 1] + step[k]) - step[k - 1] * share[k - 1]
        share[k] = step[k] / pivot
        bend[k] = (6.0 * (slope[k] - slope[k - 1]) - step[k - 1] * bend[k - 1]) / pivot
    for k in range(len(knots) - 2, 0, -1):
        bend[k] -= share[k] * bend[k + 1]

    def curve(times: Floats) -> Floats:
        k = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, len(step) - 1)
        h = step[k][:, None]
        a, b = (knots[k + 1] - times)[:, None] / h, (times - knots[k])[:, None] / h
        cubic = ((a**3 - a) * bend[k] + (b**3 - b) * bend[k + 1]) * h**2 / 6.0
        return np.asarray(a * flat[k] + b * flat[k + 1] + cubic).reshape(len(times), *values.shape[1:])

    return curve


def cyclic_spline(values: Floats) -> Path:
    """The smoothest curve of period 1 through evenly spaced values of one cycle, (n,) or (n, ...)."""
    count = len(values)
    around = 16  # what lies farther away than this has no influence left
    knots = np.arange(-around, count + around + 1) / count
    inner = spline(knots, values[np.arange(-around, count + around + 1) % count])
    return lambda times: inner(times % 1.0)


def state(path: Path, times: ArrayLike, step: float = 1e-3) -> Floats:
    """Value, slope and curvature of a path at one time or at (n,), by central differences: (3, ...) or (3, n, ...)."""
    when = np.atleast_1d(np.asarray(times, dtype=float))
    around = path(np.concatenate([when - step, when, when + step]))
    before, here, after = around.reshape(3, len(when), *around.shape[1:])
    values = np.stack([here, (after - before) / (2 * step), (after - 2 * here + before) / step**2])
    return values if np.ndim(times) else values[:, 0]


def drift(times: Floats, seed: int, low_hz: float = 0.15, high_hz: float = 0.5, count: int = 4) -> Floats:
    """Slow noise of about unit size, the same for the same seed: a few sines of unrelated frequencies."""
    rng = np.random.default_rng(seed)
    hertz = np.linspace(low_hz, high_hz, count) * rng.uniform(0.85, 1.15, count)
    phase = rng.uniform(0, 2 * np.pi, count)
    size = rng.uniform(0.6, 1.0, count)
    waves = size * np.sin(2 * np.pi * hertz * times[:, None] + phase)
    return np.asarray(waves.sum(axis=-1) / np.sqrt(0.5 * np.sum(size**2)))


def breath(times: Floats, hertz: float = 0.25, phase: float = 0.0) -> Floats:
    """Breathing in [0, 1]: in faster than out, with a short rest."""
    u = (times * hertz + phase) % 1.0
    return np.asarray(np.where(u < 0.40, min_jerk(u / 0.40), 1.0 - min_jerk((u - 0.40) / 0.50)))
