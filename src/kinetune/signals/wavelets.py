r"""Curves split into scales by periodized wavelets: a coarse sweep, and detail from large to small.

=================  ==================================================================
find_wavelet       a wavelet by name: "db4" and up, "coif2" and up, "spline" and "spline8"
split_scales       samples to coefficients
join_scales        coefficients to samples
synthesis_matrix   the same as one sparse matrix
=================  ==================================================================

The sequence axis is axis 0. Filters come from PyWavelets, except those of the cubic B-spline, which it does not have
(its "bior3.x" is the quadratic spline and "bior4.4" the CDF 9/7 pair).

Notes
-----
[chuang] section 2.1. Paper to code: :math:`h_n, g_n` -> ``Wavelet.low, Wavelet.high``, :math:`c^{M}` ->
``Scales.coarse``, :math:`d^{m}` -> ``Scales.details``, both indexed as in Equations 2.8 and 2.9, whose filters have
period :math:`2^{|m|}` (the paper prints :math:`2^{|m+1|}` in 2.9).
Law: joining what was split gives the input to 1e-12 (``test_wavelets.py::test_perfect_reconstruction``).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.extras import require
from kinetune.rotations import Floats

require("drawings")


if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SPLINES = {"spline": 2, "spline4": 4, "spline6": 6, "spline8": 8}  # vanishing moments of the analysis side
NAMES = (*_SPLINES, *(f"db{n}" for n in range(4, 39)), *(f"coif{n}" for n in range(2, 18)))
_ROUGH = re.compile(r"haar|db[1-3]|coif1|sym\d+")
_LEAST_COARSE = 4


@dataclass(frozen=True)
class Wavelet:
    r"""The filters of one wavelet, as the synthesis formula 2.9 uses them.

    name : such as "db4".
    low : (n,) :math:`h_k`, the refinement filter, from index ``low_start`` on; its sum is the root of 2.
    high : (n,) :math:`g_k`, from index ``high_start`` on.
    orthogonal : whether analysis is the transpose of synthesis; not for the spline.
    bank : the filters as PyWavelets has them.
    shift : by how many samples its indexing differs from the paper's.
    """

    name: str
    low: Floats
    low_start: int
    high: Floats
    high_start: int
    orthogonal: bool
    bank: Any
    shift: int

    @property
    def symmetric(self) -> bool:
        """Whether the filters read the same backwards: then an open sequence needs no extra coefficients."""
        return not self.orthogonal

    @property
    def centre(self) -> float:
        """Where the scaling function sits: its mean, in samples from its own index."""
        return float(np.sum((self.low_start + np.arange(len(self.low))) * self.low) / np.sum(self.low))


@lru_cache(maxsize=64)
def find_wavelet(name: str) -> Wavelet:
    """The wavelet of that name.

    Those with a derivative rough enough to make stiffness meaningless (db1 to db3, coif1) are not offered, nor are
    symlets, whose filters in PyWavelets are exact to 1e-12 only.
    """
    if name not in NAMES:
        if _ROUGH.fullmatch(name):
            raise ParameterError(
                f'The wavelet "{name}" is too rough or too inexact for curves. '
                'Take "db4" or higher, "coif2" or higher, or "spline8".'
            )
        raise UnknownNameError(
            "wavelet", name, NAMES, advice='There are "spline8", "db4" to "db38", "coif2" to "coif17".'
        )
    import pywt

    if name in _SPLINES:
        wavelet = _cubic_spline(name)
    else:
        bank = pywt.Wavelet(name)
        low = np.array(bank.rec_lo)
        k = np.arange(2 - len(low), 2)
        high = (1 - 2 * (k % 2)) * low[1 - k]  # (2.2)
        wavelet = Wavelet(name, low, 0, high, 2 - len(low), True, bank, len(low) // 2 - 1)
    wavelet.low.setflags(write=False)  # it is shared
    wavelet.high.setflags(write=False)
    return wavelet


def _cubic_spline(name: str) -> Wavelet:
    r"""The cubic B-spline with a dual of Cohen, Daubechies and Feauveau; coefficient n sits at sample 2 n.

    The dual filter is :math:`\sqrt 2 \cos^{m}(\omega/2) \sum_k \binom{K-1+k}{k} \sin^{2k}(\omega/2)`, K = 2 + m/2.
    "spline" (m = 2, seven taps) is exact but not stable: its condition number grows by 1.8 with every level, and small
    wiggles alias into the sweep. "spline8" stays below 13 for any number of levels; the splines are the same.
    """
    import pywt

    moments = _SPLINES[name]
    half = 2 + moments // 2
    cosine, sine = np.array([1.0, 2.0, 1.0]) / 4, np.array([-1.0, 2.0, -1.0]) / 4  # squares of cos and sin of w / 2
    dual, power = np.zeros(2 * half - 1), np.ones(1)
    for k in range(half):
        dual[half - 1 - k : half + k] += math.comb(half - 1 + k, k) * power
        power = np.convolve(power, sine)
    for _ in range(moments // 2):
        dual = np.convolve(dual, cosine)
    reach = len(dual) // 2
    # PyWavelets wants filters of one even length: the low one in the middle, the dual one place later.
    size = len(dual) + 1
    low, analysis = np.zeros(size), np.zeros(size)
    low[size // 2 - 3 : size // 2 + 2] = np.sqrt(2.0) * np.array([1, 4, 6, 4, 1]) / 16
    analysis[size // 2 - reach : size // 2 + reach + 1] = np.sqrt(2.0) * dual
    sign = (1 - 2 * (np.arange(size) % 2)) * (1 - 2 * (size // 2 % 2))
    bank = pywt.Wavelet(f"cubic {name}", filter_bank=[analysis, -sign * low, low, sign * analysis])
    high = (sign * analysis)[size // 2 - reach : size // 2 + reach + 1]
    return Wavelet(name, low[size // 2 - 3 : size // 2 + 2], -2, high, 1 - reach, False, bank, 0)


@dataclass(frozen=True, eq=False)
class Scales:
    """A sequence in wavelet coefficients.

    coarse : (n, ...) approximation coefficients of the coarsest level.
    details : detail coefficients, the coarsest level first.
    wavelet : by name.
    count : samples of the sequence.
    closed : whether the sequence is periodic.
    """

    coarse: Floats
    details: tuple[Floats, ...]
    wavelet: str
    count: int
    closed: bool = True

    @property
    def levels(self) -> int:
        return len(self.details)

    @property
    def control_points(self) -> Floats:
        """The coarse coefficients at the size of the samples: near the curve, and movable like its points."""
        return np.asarray(self.coarse * 2.0 ** (-0.5 * self.levels))

    @property
    def control_places(self) -> Floats:
        """Where each control point acts, as a (broken) index of a sample; a closed curve wraps round."""
        span, basis = 2**self.levels, find_wavelet(self.wavelet)
        if self.closed:
            return np.asarray((span * np.arange(len(self.coarse)) + (span - 1) * basis.centre) % self.count)
        lead = 1.0 if basis.symmetric else _open_lead(basis)
        return np.asarray(span * np.arange(len(self.coarse)) + (span - 1) * (1.0 - lead))

    def with_control_points(self, points: ArrayLike) -> Scales:
        """The same details on another sweep."""
        moved = np.asarray(points, dtype=float)
        if moved.shape != self.coarse.shape:
            raise ParameterError(f"There are {self.coarse.shape} control points; got {moved.shape}.")
        return replace(self, coarse=moved * 2.0 ** (0.5 * self.levels))

    def with_gains(self, gains: ArrayLike) -> Scales:
        """The same sweep with details made larger or smaller: one factor for each level, the coarsest first, or one."""
        factors = np.broadcast_to(np.asarray(gains, dtype=float), (self.levels,))
        return replace(self, details=tuple(g * d for g, d in zip(factors, self.details, strict=True)))

    def without_details(self, coarsest: int = 0) -> Scales:
        """Only the coarse part, with the ``coarsest`` levels of detail."""
        return self.with_gains(np.arange(self.levels) < coarsest)

    def vector(self) -> Floats:
        r"""All coefficients in one column, global to local: :math:`q_w` of [chuang] section 3.2."""
        return np.concatenate([self.coarse, *self.details])

    def with_vector(self, vector: ArrayLike) -> Scales:
        """The coefficients of another sequence of the same shape, from one column."""
        values = np.asarray(vector, dtype=float)
        sizes = [len(self.coarse), *map(len, self.details)]
        if len(values) != sum(sizes):
            raise ParameterError(f"A vector of {sum(sizes)} coefficients belongs here; got {len(values)}.")
        coarse, *details = np.split(values, np.cumsum(sizes)[:-1])
        return replace(self, coarse=coarse, details=tuple(details))


def split_scales(signal: ArrayLike, wavelet: str = "db4", levels: int | None = None, *, closed: bool = True) -> Scales:
    """Split a sequence into a coarse part and details.

    Parameters
    ----------
    signal : (n, ...) samples. A closed sequence must be divisible by 2 ``levels`` times: take a power of two.
    levels : how often it is halved; by default until 4 coefficients are left (open: until the filters outgrow them).
    closed : periodic, or open. An open sequence is continued through its ends by turning it about them, which keeps
        value and slope. With a spline it has as many coefficients as samples and its ends are control points; it must
        have one sample more than a multiple of 2^levels: take 2^k + 1. With other wavelets any number of samples will
        do, and a few more coefficients are needed.
    """
    values = np.asarray(signal, dtype=float)
    basis = find_wavelet(wavelet)
    if values.ndim == 0 or len(values) < 2:
        raise ParameterError("A sequence of at least two samples can be split into scales.")
    count = len(values)
    if levels is None:
        levels = most_levels(count, wavelet, closed=closed)
        if levels == 0 and count > 2 * _LEAST_COARSE:
            advice = "2^k samples" if closed else "2^k + 1 samples" if basis.symmetric else "more, or a shorter wavelet"
            raise ParameterError(f"A sequence of {count} samples cannot be halved with {wavelet}: take {advice}.")
    _check_levels(count, levels, wavelet, closed)
    details: list[Floats] = []
    for _ in range(levels):
        values, detail = _split_once(values, basis, closed)
        details.insert(0, detail)
    return Scales(values, tuple(details), wavelet, count, closed)


def join_scales(scales: Scales) -> Floats:
    """The sequence of some coefficients."""
    basis = find_wavelet(scales.wavelet)
    values = scales.coarse
    for detail in scales.details:
        values = _join_once(values, detail, basis, scales.closed)
    return values[: scales.count]


def most_levels(count: int, wavelet: str = "db4", *, closed: bool = True) -> int:
    """How often a sequence is halved by default."""
    basis = find_wavelet(wavelet)
    if not closed and not basis.symmetric:
        import pywt

        return max(0, int(pywt.dwt_max_level(count, basis.bank.dec_len)))
    steps, levels = count if closed else count - 1, 0
    while steps % 2 == 0 and steps // 2 >= _LEAST_COARSE:
        steps, levels = steps // 2, levels + 1
    return levels


def _check_levels(count: int, levels: int, wavelet: str, closed: bool) -> None:
    if levels < 0:
        raise ParameterError(f"levels must be 0 or more, not {levels}.")
    if closed and (levels > 60 or count % 2**levels):
        raise ParameterError(
            f"{count} samples cannot be halved {levels} times. "
            "Sample the curve at a power of two, or take fewer levels."
        )
    if closed:
        return
    if find_wavelet(wavelet).symmetric:
        if levels > 60 or (count - 1) % 2**levels:
            raise ParameterError(
                f"{count} samples of an open curve cannot be halved {levels} times with {wavelet}. "
                "Sample it at 2^k + 1, or take fewer levels."
            )
    elif levels > (most := most_levels(count, wavelet, closed=False)):
        raise ParameterError(f"{count} samples of an open curve have {most} levels of {wavelet}, not {levels}.")


def _split_once(values: Floats, basis: Wavelet, closed: bool) -> tuple[Floats, Floats]:
    import pywt

    if closed:
        low, high = pywt.dwt(np.roll(values, -basis.shift, axis=0), basis.bank, mode="periodization", axis=0)
        return low, np.roll(high, basis.shift, axis=0)
    if not basis.symmetric:
        low, high = pywt.dwt(values, basis.bank, mode="antireflect", axis=0)
        return low, high
    # Less its chord, the sequence is 0 at both ends; turned about them it is odd and periodic, like its coefficients.
    chord = _chord(values[0], values[-1], len(values))
    low, high = pywt.dwt(_odd_period(values - chord), basis.bank, mode="periodization", axis=0)
    half = len(values) // 2
    return np.sqrt(2.0) * chord[::2] + low[: half + 1], high[:half]


def _join_once(coarse: Floats, detail: Floats, basis: Wavelet, closed: bool) -> Floats:
    import pywt

    if closed:
        high = np.roll(detail, -basis.shift, axis=0)
        return np.roll(pywt.idwt(coarse, high, basis.bank, mode="periodization", axis=0), basis.shift, axis=0)
    if not basis.symmetric:
        return np.asarray(pywt.idwt(coarse[: len(detail)], detail, basis.bank, mode="antireflect", axis=0))
    low = _odd_period(coarse - _chord(coarse[0], coarse[-1], len(coarse)))
    high = np.concatenate([detail, -detail[::-1]])
    count = 2 * len(detail) + 1
    joined = pywt.idwt(low, high, basis.bank, mode="periodization", axis=0)[:count]
    return np.asarray(joined + _chord(coarse[0], coarse[-1], count) / np.sqrt(2.0))


def _chord(start: Floats, end: Floats, count: int) -> Floats:
    """The straight line from start to end in equal steps, (count, ...)."""
    part = np.linspace(0.0, 1.0, count).reshape(-1, *np.ones(np.ndim(start), dtype=int))
    return (1.0 - part) * start + part * end


def _odd_period(values: Floats) -> Floats:
    """A sequence that is 0 at both ends, and its negative on the way back."""
    return np.concatenate([values, -values[-2:0:-1]])


def _open_lead(basis: Wavelet) -> float:
    """By how many samples the first coefficient of an open level lies before the first sample of the finer one."""
    return (
        len(basis.bank.rec_lo)
        - 1
        - float(np.sum(np.arange(len(basis.bank.rec_lo)) * np.array(basis.bank.rec_lo)) / np.sqrt(2.0))
    )


def synthesis_matrix(count: int, wavelet: str = "db4", levels: int = 1) -> csr_array:
    """The sparse matrix S that joins the coefficients of a closed sequence: ``samples = S @ scales.vector()``.

    For an orthogonal wavelet its transpose splits them.
    """
    from scipy.sparse import block_diag, csr_array, eye_array, hstack

    _check_levels(count, levels, wavelet, True)
    basis = find_wavelet(wavelet)
    result = csr_array(eye_array(count, format="csr"))
    size = count
    for _ in range(levels):
        once = hstack([_upsampler(size, basis.low, basis.low_start), _upsampler(size, basis.high, basis.high_start)])
        rest = count - size
        step = block_diag([once, eye_array(rest)], format="csr") if rest else once
        result = csr_array(result @ step)
        size //= 2
    return result


def _upsampler(size: int, taps: Floats, start: int) -> csr_array:
    """(size, size / 2): tap k of column l stands in row 2 l + k, round the period."""
    from scipy.sparse import csr_array

    columns = np.repeat(np.arange(size // 2), len(taps))
    offsets = np.tile(start + np.arange(len(taps)), size // 2)
    rows = (2 * columns + offsets) % size
    return csr_array((np.tile(taps, size // 2), (rows, columns)), shape=(size, size // 2))
