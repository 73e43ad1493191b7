r"""Frequency bands of motion curves: a graphic equalizer for signals with time on axis 0.

===============  ==========================================================
split_bands      a signal into detail bands and a base; their sum is the signal
join_bands       the sum again, each band with its gain
equalize         both in one go, without storing a band
equalize_batch   the same for many signals of one length
low_pass         one step of the sequence below
count_bands      how many bands a signal of some length has
band_centres_hz  the frequency at which each band responds most
===============  ==========================================================

[bruderlin] section 2.1: the signal is low-passed again and again by the five-tap B-spline kernel, whose taps move apart
by a factor of two each time; a band is the difference of two neighbours in that sequence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.errors import ParameterError
from kinetune.kernels.arena import Spare
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_SIXTEENTH = 0.0625  # w_1 = [c b a b c] = [1/16, 1/4, 3/8, 1/4, 1/16], the coefficients of (1 + z)^4 / 16
_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)
_NOT_A_NUMBER = "A gain is not a number."
_NUMPY_S_PER_VALUE = 5e-9  # what one number costs per band in NumPy, in seconds

_kernels = Kernels("kinetune.signals.bands.pyramid_kernels")
_spare = Spare()


@dataclass(frozen=True, eq=False)
class Bands:
    """A signal as frequency bands.

    details : one array per band, each as long as the signal; band 0 holds the fastest wiggles.
    base : what is left, the slow pose underneath.
    """

    details: tuple[Floats, ...]
    base: Floats

    @property
    def count(self) -> int:
        """How many detail bands there are."""
        return len(self.details)


def count_bands(frames: int) -> int:
    """The number of bands of a signal: n with 2^n <= frames < 2^(n+1); none for one frame.

    The paper's text allows two answers at powers of two (2^n <= m <= 2^(n+1)); the larger n is taken, so that 256
    frames have 8 bands.
    """
    return max(frames, 1).bit_length() - 1


def split_bands(signal: ArrayLike) -> Bands:
    r"""Split motion curves into frequency bands, from jitter to posture.

    Band 0 holds the fastest wiggles and the base the slow pose underneath; their sum is the input again.

    Parameters
    ----------
    signal : array, shape (frames, ...)
        Sampled at a fixed rate, time on axis 0. Any unit; it is kept. float32 stays float32.

    Returns
    -------
    Bands
        ``details``, one array of the signal's shape for each band, and the ``base``.

    Notes
    -----
    Paper to code: :math:`G_k` -> ``low``, :math:`L_k` -> ``details[k]``, :math:`w` -> :func:`low_pass`.
    [bruderlin] section 2.1. Ends are held, as in its footnote 1.
    Law: the bands sum to the input (``test_bands.py::test_bands_sum_to_the_signal``).

    Examples
    --------
    >>> from kinetune import sample
    >>> bands = split_bands(sample("walk").root)
    >>> bands.count, bands.base.shape
    (8, (402, 3))
    """
    low = _as_signal(signal)
    details = []
    for k in range(count_bands(len(low))):
        lower = low_pass(low, 1 << k)
        details.append(low - lower)
        low = lower
    return Bands(tuple(details), low if details else low.copy())


def join_bands(bands: Bands, gains: ArrayLike | None = None, *, base: ArrayLike = 1.0) -> Floats:
    """Add bands up again, each multiplied by its gain.

    Parameters
    ----------
    bands : of :func:`split_bands`.
    gains : one per band from band 0 up; or (bands, frames) for gains that change over time. Bands without a gain keep
        1, gains without a band are left out, so that one setting serves clips of any length. Negative gains invert
        a band. None: all 1.
    base : the gain of the base, a number or (frames,).

    Returns
    -------
    array, shape (frames, ...)
        The signal again where all gains are 1.

    Examples
    --------
    >>> import numpy as np
    >>> from kinetune import sample
    >>> path = sample("walk").root
    >>> bool(np.allclose(join_bands(split_bands(path)), path))
    True
    >>> calmer = join_bands(split_bands(path), gains=[0, 0.5])
    """
    frames = len(bands.base)
    g = _gain_matrix(gains, base, bands.count, frames)
    result = _along_time(g[-1], bands.base) * bands.base
    for k in range(bands.count - 1, -1, -1):
        result += _along_time(g[k], bands.base) * bands.details[k]
    return result


def equalize(
    signal: ArrayLike, gains: ArrayLike | None = None, *, base: ArrayLike = 1.0, out: Floats | None = None
) -> Floats:
    r"""The signal with each frequency band turned up or down, as ``join_bands(split_bands(signal), gains)``.

    Parameters
    ----------
    signal : array, shape (frames, ...), time on axis 0. float32 stays float32.
    gains, base : as in :func:`join_bands`.
    out : where the result goes, of the signal's shape and type, sharing no memory with it; a new array when left out.

    Notes
    -----
    No band is stored: with :math:`L_k = G_k - G_{k+1}`,
    :math:`g_0 G_0 + \sum_k (g_k - g_{k-1}) G_k + (g_{base} - g_{fb-1}) G_{fb}` needs one running sum.
    Law: equal to splitting and joining (``test_bands.py::test_equalize_is_split_gain_join``).
    """
    x = _as_signal(signal)
    return _equalize(x, (1, len(x), math.prod(x.shape[1:])), gains, base, out)


def equalize_batch(
    signals: ArrayLike, gains: ArrayLike | None = None, *, base: ArrayLike = 1.0, out: Floats | None = None
) -> Floats:
    """Equalize many signals of one length at once: ``[equalize(x, gains) for x in signals]``, without the overhead.

    Parameters
    ----------
    signals : array, shape (clips, frames, ...)
        Each clip is equalized on its own.
    gains, base, out
        As in :func:`equalize`; the same gains apply to all clips.
    """
    x = _as_signal(signals)
    if x.ndim < 2 or x.shape[1] == 0:
        raise ParameterError(f"A batch of signals has shape (clips, frames, ...); got {x.shape}.")
    return _equalize(x, (x.shape[0], x.shape[1], math.prod(x.shape[2:])), gains, base, out)


def band_centres_hz(count: int, fps: float) -> Floats:
    """The frequency at which each band responds most, in Hz, from band 0 (fastest) up.

    The response of band k is that of band 0 squeezed by 2^k and multiplied by the low-pass before it; the peaks are
    found on the exact transfer function.
    """
    if count == 0:
        return np.zeros(0)
    omega = np.exp(np.linspace(np.log(np.pi) - np.log(2.0) * (count + 3), np.log(np.pi), 400 * (count + 3)))
    before = np.ones_like(omega)
    centres = []
    for k in range(count):
        after = before * np.cos(0.5 * (omega * 2.0**k)) ** 4
        centres.append(omega[np.argmax(before - after)] * fps / (2.0 * np.pi))
        before = after
    return np.array(centres)


def _equalize(
    x: Floats, shape: tuple[int, int, int], gains: ArrayLike | None, base: ArrayLike, out: Floats | None
) -> Floats:
    frames = shape[1]
    count = count_bands(frames)
    weights = _weights(gains, base, count, frames, x.dtype)
    result = np.empty(x.shape, x.dtype) if out is None else _checked_out(out, x)
    source, target = np.ascontiguousarray(x).reshape(shape), result.reshape(shape)
    if x.size == 0:
        return result
    if count == 0:
        np.multiply(weights[0, 0], source, out=target)
        return result
    fast = _kernels.get(cost_s=_NUMPY_S_PER_VALUE * x.size * count)
    if fast is not None:
        if not source.flags.writeable:
            source = source.copy()  # kernels are compiled for arrays that may be written to
        split, block, size = fast.plan(frames, x.itemsize)
        fast.equalize(source, weights, target, split, block, _spare.array(size, x.dtype))
        return result
    for one, to in zip(source, target, strict=True):
        to[...] = _equalize_numpy(one, weights)
    return result


def _checked_out(out: Floats, x: Floats) -> Floats:
    if out.shape != x.shape or out.dtype != x.dtype or not out.flags.c_contiguous:
        raise ParameterError(f"out must be a C-ordered array of shape {x.shape} and type {x.dtype}.")
    if np.may_share_memory(out, x):
        raise ParameterError("out must not share memory with the signal: the filter reads around each sample.")
    return out


def _as_signal(signal: ArrayLike) -> Floats:
    x = np.asarray(signal)
    if x.ndim == 0 or len(x) == 0:
        raise ParameterError(f"A signal needs at least one frame on axis 0; got shape {x.shape}.")
    return x if x.dtype is _DOUBLE or x.dtype is _SINGLE else x.astype(float)


def _weights(gains: ArrayLike | None, base: ArrayLike, count: int, frames: int, dtype: np.dtype[Any]) -> Floats:
    """What the signal and its low-passed copies are multiplied by: (count + 1, 1) or (count + 1, frames).

    Gains that do not change over time take a short cut: on a cold cache NumPy takes longer for ten numbers than the
    kernel for a hundred frames.
    """
    g = None if gains is None else np.asarray(gains, dtype=float)
    if isinstance(base, float) and (g is None or g.ndim == 1):
        values = [] if g is None else g[:count].tolist()
        values += [*[1.0] * (count - len(values)), base]
        if not all(map(math.isfinite, values)):
            raise ParameterError(_NOT_A_NUMBER)
        weights: Floats = np.empty((count + 1, 1), dtype)
        before = 0.0
        for k, value in enumerate(values):
            weights[k, 0] = value - before
            before = value
        return weights
    matrix = _gain_matrix(g, base, count, frames)
    weights = np.empty(matrix.shape, dtype)
    weights[0] = matrix[0]
    np.subtract(matrix[1:], matrix[:-1], out=weights[1:])
    return weights


def _gain_matrix(gains: ArrayLike | None, base: ArrayLike, count: int, frames: int) -> NDArray[np.float64]:
    """Gains as (count + 1, 1) or (count + 1, frames), the base last, missing bands at 1."""
    g = np.ones((0, 1)) if gains is None else np.asarray(gains, dtype=float)
    if g.ndim == 1:
        g = g[:, None]
    if g.ndim != 2 or g.shape[1] not in (1, frames):
        raise ParameterError(f"Gains are (bands,) or (bands, {frames}) for this signal; got shape {g.shape}.")
    b = np.asarray(base, dtype=float)
    if b.shape not in ((), (1,), (frames,)):
        raise ParameterError(f"The base's gain is a number or ({frames},) for this signal; got shape {b.shape}.")
    whole = np.ones((count + 1, max(g.shape[1], b.size)))
    known = min(len(g), count)
    whole[:known] = g[:known]
    whole[count] = b
    if not (math.isfinite(whole.sum()) or np.isfinite(whole).all()):
        raise ParameterError(_NOT_A_NUMBER)
    return whole


def _along_time(gain: Floats, like: Floats) -> Floats:
    return gain.reshape(gain.shape + (1,) * (like.ndim - 1)).astype(like.dtype)


def low_pass(x: Floats, step: int) -> Floats:
    """One pass of the five taps, ``step`` frames apart, ends held.

    The taps 1 4 6 4 1 are (1 + z)^4: every sample is added to its neighbour, and the sums again, four times in all.
    """
    frames = len(x)
    sums = np.empty((frames + 4 * step, *x.shape[1:]), x.dtype)
    sums[: 2 * step] = x[0]
    sums[2 * step : 2 * step + frames] = x
    sums[2 * step + frames :] = x[-1]
    spare = np.empty_like(sums)
    for n in range(frames + 3 * step, frames - 1, -step):
        np.add(sums[:n], sums[step : step + n], out=spare[:n])
        sums, spare = spare, sums
    return np.multiply(sums[:frames], x.dtype.type(_SIXTEENTH))


def _equalize_numpy(x: Floats, weights: Floats) -> Floats:
    """The running sum, level by level; the same operations in the same order as the kernel."""
    low = x
    result: Floats = weights[0][:, None] * x
    for k in range(len(weights) - 1):
        low = low_pass(low, 1 << k)
        result += weights[k + 1][:, None] * low
    return result
