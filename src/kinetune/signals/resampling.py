"""Curves at other rates and other times, without aliasing and without ringing.

================  =========================================================================
resample          the same motion at another number of frames per second
sample_at         the motion at any times, evenly spaced or not (slow motion, time warps)
interpolate       a smooth curve through the samples, read between the frames
limit_band        remove the frequencies that a lower rate cannot represent
sample_times      at which seconds the frames of a resampled clip lie
================  =========================================================================

Signals have shape (frames, ...), time on axis 0, any unit. Rotations go through
:func:`kinetune.signals.rotation_curves.rotations_to_curves` first.

A fast tremor that is sampled too seldom does not vanish: it comes back as a slow wobble that was never there
(aliasing, like the wagon wheel that spins backwards). So a rate is lowered in two steps: what is too fast for the new
rate is filtered out, then a smooth curve is read at the new times. Raising it needs the second step only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.filters import reflected, weigh

_PASS = 0.6
"""The part of the new band that is kept untouched; the rest falls off gently, so that impacts do not ring."""
_END_CYCLES = 2.4
"""How many periods of the new Nyquist frequency determine where a curve ends (see :func:`filters.end_values`)."""
LONGEST_END_S = 0.16
"""The longest time that does: a leg that runs swings back within twice that, and would be cut short."""
_LEVELS_PER_OCTAVE = 2
_SAME_FRAME = 1e-9


def sample_times(frames: int, fps: float, new_fps: float) -> Floats:
    """The seconds at which the frames of a resampled clip lie; the last does not exceed the clip's last frame."""
    count = int(np.floor((frames - 1) / fps * new_fps + 1e-6)) + 1
    return np.minimum(np.arange(count) / new_fps, (frames - 1) / fps)


def resample(signal: ArrayLike, fps: float, new_fps: float) -> Floats:
    """The same motion at another number of frames per second; ratios need not be whole (119.88 to 24).

    Parameters
    ----------
    signal : array, shape (frames, ...)

    Notes
    -----
    Laws (``tests/signals/test_resampling.py``): up and down again is the identity, lines stay lines, tremor beyond
    the new band leaves no alias.
    """
    x = np.asarray(signal, dtype=float)
    _check(x, fps)
    if not (np.isfinite(new_fps) and new_fps > 0):
        raise ParameterError(f"new_fps must be a positive number, not {new_fps}.")
    if new_fps < fps:
        x = limit_band(x, fps, 0.5 * new_fps)
    return interpolate(x, sample_times(len(x), fps, new_fps) * fps)


def sample_at(signal: ArrayLike, fps: float, times: ArrayLike) -> Floats:
    """The motion at given seconds; where they rush through it, what becomes too fast to show is filtered out.

    Parameters
    ----------
    signal : array, shape (frames, ...)
    times : array, shape (n,), seconds. Those beyond the clip get its first or last pose.

    Notes
    -----
    The distance between neighbouring times is how fast the motion is played. Several copies of the signal, each
    half an octave slower than the one before, are mixed according to it.
    """
    x = np.asarray(signal, dtype=float)
    _check(x, fps)
    t = np.asarray(times, dtype=float)
    if t.ndim != 1 or not np.isfinite(t).all():
        raise ParameterError(f"times must be finite numbers of shape (n,), not an array of shape {t.shape}.")
    frames = np.clip(t * fps, 0.0, len(x) - 1.0)
    stride = np.abs(np.gradient(frames)) if len(t) > 1 else np.ones(1)
    octaves = np.log2(np.maximum(stride, 1.0))
    if np.ptp(octaves) < 1e-3:
        top = float(octaves.max())
        return interpolate(x if top < 1e-6 else limit_band(x, fps, 0.5 * fps / 2.0**top), frames)
    level = octaves * _LEVELS_PER_OCTAVE
    result = np.zeros((len(t), *x.shape[1:]))
    for step in range(int(np.ceil(level.max())) + 1):
        share = np.maximum(1.0 - np.abs(level - step), 0.0)
        if not share.any():
            continue
        slow = x if step == 0 else limit_band(x, fps, 0.5 * fps / 2.0 ** (step / _LEVELS_PER_OCTAVE))
        result += share.reshape(-1, *(1,) * (x.ndim - 1)) * interpolate(slow, frames)
    return result


def limit_band(signal: ArrayLike, fps: float, highest_hz: float) -> Floats:
    """Remove everything from ``highest_hz`` up; below six tenths of it nothing changes, between it falls off."""
    if highest_hz >= 0.5 * fps:
        return np.array(signal, dtype=float)

    def gain(hz: Floats) -> Floats:
        u = np.clip((hz / highest_hz - _PASS) / (1.0 - _PASS), 0.0, 1.0)
        return np.asarray(0.5 + 0.5 * np.cos(np.pi * u))

    return weigh(signal, fps, gain, reach_s=min(_END_CYCLES / highest_hz, LONGEST_END_S))


def interpolate(signal: ArrayLike, frames: ArrayLike) -> Floats:
    """A smooth curve through all samples, read at fractional frames (n,); outside it stays at its ends.

    Notes
    -----
    A spline of degree 5, continuous up to its fourth derivative. Beyond its ends the signal is continued by half
    turns, after a cubic with its end values and end curvatures is taken off, which makes the ends as smooth as the
    rest. At 30 fps a motion of 2 Hz is met to 1e-5 of its amplitude and one of 6 Hz to 1e-3; between the first two
    and the last two frames to 1e-3 and 0.07.
    """
    x = np.asarray(signal, dtype=float)
    u = np.clip(np.asarray(frames, dtype=float), 0.0, len(x) - 1.0)
    u = np.where(np.abs(u - np.round(u)) < _SAME_FRAME, np.round(u), u)
    whole = np.floor(u).astype(int)
    if len(x) < 3:
        return _between(x, u, whole)
    if np.array_equal(u, whole):
        return np.asarray(x[whole])
    curvature = _end_curvatures(x)
    coefficients = _quintic_coefficients(x - _cubic(x, curvature, np.arange(len(x), dtype=float)))
    part = u - whole
    period = len(coefficients)
    result = _cubic(x, curvature, u)
    for step, weight in zip(range(-2, 4), _quintic_weights(part), strict=True):
        result += weight.reshape(-1, *(1,) * (x.ndim - 1)) * coefficients[(whole + step) % period]
    return result


def _between(x: Floats, u: Floats, whole: np.ndarray) -> Floats:
    part = (u - whole).reshape(-1, *(1,) * (x.ndim - 1))
    return np.asarray(x[whole] * (1.0 - part) + x[np.minimum(whole + 1, len(x) - 1)] * part)


def _end_curvatures(x: Floats) -> tuple[Floats, Floats]:
    """Second differences at the first and the last frame, from the three or four samples next to them."""
    if len(x) == 3:
        middle = x[0] - 2.0 * x[1] + x[2]
        return middle, middle
    return 2 * x[0] - 5 * x[1] + 4 * x[2] - x[3], 2 * x[-1] - 5 * x[-2] + 4 * x[-3] - x[-4]


def _cubic(x: Floats, curvature: tuple[Floats, Floats], frames: Floats) -> Floats:
    """The cubic that has the signal's values and curvatures at both ends, at any frames."""
    last = len(x) - 1.0
    b = (frames / last).reshape(-1, *(1,) * (x.ndim - 1))
    a = 1.0 - b
    bend = (a**3 - a) * curvature[0] + (b**3 - b) * curvature[1]
    return np.asarray(a * x[0] + b * x[-1] + bend * (last * last / 6.0))


def _quintic_coefficients(x: Floats) -> Floats:
    """The coefficients of the quintic B-spline through a curve that is zero at both ends, over one period."""
    x = x.copy()
    x[0] = x[-1] = 0.0
    spectrum = np.fft.rfft(reflected(x), axis=0)
    w = np.pi * np.arange(len(spectrum)) / (len(x) - 1)
    response = (66.0 + 52.0 * np.cos(w) + 2.0 * np.cos(2.0 * w)) / 120.0
    spectrum /= response.reshape(-1, *(1,) * (x.ndim - 1))
    return np.asarray(np.fft.irfft(spectrum, 2 * (len(x) - 1), axis=0))


def _quintic_weights(part: Floats) -> list[Floats]:
    """The weights of the six coefficients around a time; ``part`` is the fraction from one frame to the next."""
    weights = []
    for distance in (part + 2, part + 1, part, 1 - part, 2 - part, 3 - part):
        d = np.abs(distance)
        weights.append(
            (np.maximum(3 - d, 0) ** 5 - 6 * np.maximum(2 - d, 0) ** 5 + 15 * np.maximum(1 - d, 0) ** 5) / 120.0
        )
    return weights


def _check(x: Floats, fps: float) -> None:
    if x.ndim == 0 or len(x) == 0:
        raise ParameterError("A signal to be resampled needs at least one frame.")
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}.")
