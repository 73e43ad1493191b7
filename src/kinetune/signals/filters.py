r"""Low-pass filters that shift nothing in time and treat the ends of a clip honestly.

==============  ============================================================================
butterworth     the filter of biomechanics: flat below its cutoff in Hz, falling beyond
gaussian        the softest smoothing, by a standard deviation in seconds; never overshoots
weigh           any other filter, given as a gain for each frequency
==============  ============================================================================

Signals have shape (frames, ...), time on axis 0; all channels are filtered at once, in any unit. The filters are
linear, their kernels symmetric: nothing is delayed. They work on any number of frames from one up.

What lies beyond the ends is a choice. ``ends="reflect"`` continues the motion by a half turn about its end point, so
that a hand in full swing keeps swinging. ``ends="held"`` freezes the first and the last pose, as [bruderlin] does.
``ends="cycle"`` goes on with the motion from its start, for a signal whose last frame repeats the first, further on.

Notes
-----
A signal that is reflected about both of its ends is periodic, and a sine series represents it exactly (after a
straight line is taken off). So a filter is a gain for each term of that series: it needs no warm-up, no padding length
to choose, and no SciPy, whose ``scipy.signal`` takes ten times as long to import as NumPy.
Reflecting about the first sample itself would pin the curve to the jitter of that sample. The end point is
therefore read off a cubic fitted to the frames around; what falls in one frame falls out of the fit.

[bruderlin] A. Bruderlin, "Using signal processing for animating human figures", section 2.1, footnote 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Ends = Literal["reflect", "held", "cycle"]
Gain = Callable[[Floats], Floats]
"""Frequencies in Hz (n,) to factors (n,)."""

_FEWEST = 8
"""A cubic through fewer frames than this follows their jitter: the end sample itself is as good."""
_END_CYCLES = 1.2
"""How many periods of the cutoff frequency the fit at an end looks at."""
_HALF_POWER = 0.13250
"""sigma times the frequency at which a Gaussian has fallen to 1/sqrt(2): sqrt(ln 2) / (2 pi)."""


def butterworth(
    signal: ArrayLike,
    fps: float,
    cutoff_hz: float,
    *,
    order: int = 2,
    ends: Ends = "reflect",
    end_s: float | None = None,
) -> Floats:
    r"""Smooth curves below a cutoff frequency without delay: jitter goes, the motion stays.

    Parameters
    ----------
    signal : array, shape (frames, ...)
    fps : frames per second.
    cutoff_hz : the frequency at which the *result* has lost 3 dB (a factor of 0.707). At or beyond half of ``fps``
        nothing is filtered.
    order : the order of one pass; the result falls as steeply as a filter of twice that order.
    ends : what lies beyond the ends, see the module.
    end_s : how many seconds next to a reflected end determine where it is; by default 1.2 periods of the cutoff, which
        gives the trend there. A short time keeps the end where it is.

    Notes
    -----
    Equals a digital Butterworth filter run forwards and backwards. Two passes would move the 3 dB point down to
    :math:`(\sqrt 2 - 1)^{1/2n}` of the design frequency (0.80 for order 2, a slip that is common in published
    motion data); here the design frequency is raised so that the cutoff is where it is asked for.
    Laws: a constant and a straight line pass unchanged, the filter is linear, it agrees with
    ``scipy.signal.sosfiltfilt`` away from the ends (``tests/signals/test_filters.py``).
    """
    _check(fps, cutoff_hz, "cutoff_hz")
    if order < 1:
        raise ParameterError(f"The order of a Butterworth filter must be at least 1, not {order}.")
    if cutoff_hz >= 0.5 * fps:
        return np.array(signal, dtype=float)
    # The bilinear transform maps frequency f to tan(pi f / fps); correcting there keeps the design below Nyquist.
    corner = np.tan(np.pi * cutoff_hz / fps) / (np.sqrt(2.0) - 1.0) ** (0.5 / order)

    def gain(hz: Floats) -> Floats:
        cosine, sine = np.cos(np.pi * hz / fps), np.sin(np.pi * hz / fps)
        low, high = (corner * np.abs(cosine)) ** (2 * order), np.abs(sine) ** (2 * order)
        return np.asarray(low / (low + high))

    reach = _END_CYCLES / cutoff_hz
    return weigh(signal, fps, gain, ends=ends, reach_s=reach if end_s is None else min(reach, end_s))


def gaussian(
    signal: ArrayLike, fps: float, sigma_s: float, *, ends: Ends = "reflect", end_s: float | None = None
) -> Floats:
    """Blend every frame with its neighbours by a bell curve; sigma_s is its standard deviation in seconds.

    The 3 dB point lies at ``0.1325 / sigma_s`` Hz. Two passes of 3 and 4 make one of 5 (``test_filters.py``).
    ``ends`` and ``end_s`` are those of :func:`butterworth`.
    """
    _check(fps, sigma_s, "sigma_s")

    def gain(hz: Floats) -> Floats:
        return np.asarray(np.exp(-0.5 * (2.0 * np.pi * hz * sigma_s) ** 2))

    reach = _END_CYCLES * sigma_s / _HALF_POWER
    return weigh(signal, fps, gain, ends=ends, reach_s=reach if end_s is None else min(reach, end_s))


def weigh(signal: ArrayLike, fps: float, gain: Gain, *, ends: Ends = "reflect", reach_s: float = 0.0) -> Floats:
    """Scale every frequency of a signal by a factor, without delay.

    Parameters
    ----------
    signal : array, shape (frames, ...)
    gain : factor for each frequency in Hz, from 0 to half of ``fps``; ``gain(0)`` should be 1.
    ends : see the module.
    reach_s : how many seconds next to an end determine its value where it is reflected; 0 takes the end sample itself.
        Held ends: how long the end pose lasts, at least.
    """
    x = np.array(signal, dtype=float)
    if ends == "held":
        return _weigh_held(x, fps, gain, reach_s)
    if ends not in ("reflect", "cycle"):
        raise ParameterError(f'ends must be "reflect", "held" or "cycle", not "{ends}".')
    if len(x) < 3:
        return x
    if ends == "cycle":
        return _weigh_cycle(x, fps, gain)
    first, last = end_values(x, fps, reach_s)
    line = straight(first, last, len(x))
    x -= line
    x[0] = x[-1] = 0.0
    spectrum = np.fft.rfft(reflected(x), axis=0)
    factors = gain(np.arange(len(spectrum)) * (0.5 * fps / (len(x) - 1)))
    spectrum *= factors.reshape(-1, *(1,) * (x.ndim - 1))
    return np.asarray(np.fft.irfft(spectrum, 2 * (len(x) - 1), axis=0)[: len(x)] + line)


def end_values(x: Floats, fps: float, reach_s: float) -> tuple[Floats, Floats]:
    """Where a curve begins and ends once its jitter is disregarded: a cubic fitted to ``reach_s`` seconds.

    The fit gives little weight to the end sample itself, which is why jitter far above ``1 / reach_s`` drops out.
    Clips too short for it (half of their frames are fewer than 8) keep their end samples.
    """
    count = min(len(x) // 2, int(np.floor(reach_s * fps + 1e-9)) + 1)
    if count < _FEWEST:
        return x[0], x[-1]
    moments = np.arange(count) / count
    weight = np.sin(np.pi * (moments + 0.5 / count))
    powers = np.vander(moments, 4, increasing=True)
    weighted = powers * weight[:, None]
    take = np.linalg.solve(powers.T @ weighted, weighted.T)[0]
    return np.tensordot(take, x[:count], axes=1), np.tensordot(take, x[: -count - 1 : -1], axes=1)


def straight(first: Floats, last: Floats, frames: int) -> Floats:
    """The straight line between two values, (frames, ...)."""
    u = np.linspace(0.0, 1.0, frames).reshape(-1, *(1,) * np.ndim(first))
    return np.asarray(first + u * (last - first))


def reflected(x: Floats) -> Floats:
    """One period (2 (frames - 1), ...) of a curve that is zero at both ends, continued by half turns about them."""
    return np.concatenate([x[:-1], -x[:0:-1]])


def _weigh_cycle(x: Floats, fps: float, gain: Gain) -> Floats:
    # What is left of a closed cycle once its steady progress is taken off begins anew with every round.
    line = straight(x[0], x[-1], len(x))
    spectrum = np.fft.rfft((x - line)[:-1], axis=0)
    factors = gain(np.arange(len(spectrum)) * (fps / (len(x) - 1)))
    spectrum *= factors.reshape(-1, *(1,) * (x.ndim - 1))
    smooth = np.fft.irfft(spectrum, len(x) - 1, axis=0)
    return np.asarray(np.concatenate([smooth, smooth[:1]]) + line)


def _weigh_held(x: Floats, fps: float, gain: Gain, reach_s: float) -> Floats:
    # Poses held for twice the kernel's reach; a mirror image behind them makes the whole periodic without a step.
    held = int(np.ceil(2.0 * reach_s * fps)) + 1
    padded = np.concatenate([np.repeat(x[:1], held, axis=0), x, np.repeat(x[-1:], held, axis=0)])
    spectrum = np.fft.rfft(np.concatenate([padded, padded[-2:0:-1]]), axis=0)
    factors = gain(np.arange(len(spectrum)) * (0.5 * fps / (len(padded) - 1)))
    spectrum *= factors.reshape(-1, *(1,) * (x.ndim - 1))
    smooth = np.fft.irfft(spectrum, 2 * (len(padded) - 1), axis=0)
    return np.asarray(smooth[held : held + len(x)])


def _check(fps: float, value: float, name: str) -> None:
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}.")
    if not (np.isfinite(value) and value > 0):
        raise ParameterError(f"{name} must be a positive number, not {value}.")
