"""Films of one curve becoming another by their wavelet coefficients, as in the paper; nothing keeps them from crossing.

===============  =============================================================================
linear_film      all coefficients, or only the coarse ones, in proportion
schedule_film    details of the first shape out, coarse shapes morphed, details of the second in
even_samples     two matched curves at the same number of even samples
===============  =============================================================================
"""

from __future__ import annotations

import math

import numpy as np

from kinetune.contours.matching.correspondence import Pins, even_knots
from kinetune.contours.matching.outline_alignment import align, straight_start
from kinetune.contours.morphing.intrinsic import rigid_turn
from kinetune.contours.morphing.safe_films import CurveFilm, Finish
from kinetune.contours.outlines import Complex, Outline
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import Scales, join_scales, most_levels, split_scales

_LEAST_SAMPLES, _MOST_SAMPLES = 256, 1024
_SWEEP = 16  # coefficients that the schedule calls coarse


def even_samples(a: Outline, b: Outline, pins: Pins = (), *, turning: bool = False) -> tuple[Complex, Complex]:
    """Two curves at the same power of two of even samples, from the start points that fit best.

    turning : whether the second may be turned to fit.
    """
    wanted = 2 * max(len(a.points), len(b.points))
    count = 2 ** math.ceil(math.log2(min(max(wanted, _LEAST_SAMPLES), _MOST_SAMPLES)))
    if not a.closed:
        if align(a, b)[0].backwards and not pins:
            b = b.turned_back()
        start = 0.0
    else:
        start = align(a, b, 1)[0].start if turning else straight_start(a, b)
    knots = even_knots(a, b, start, pins)
    u = np.linspace(0.0, 1.0, count, endpoint=not a.closed) * knots.middle[-1]
    return a.along(np.interp(u, knots.middle, knots.a)), b.along(np.interp(u, knots.middle, knots.b))


def linear_film(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    pins: Pins = (),
    guard: bool = False,
    wavelet: str = "db4",
    coefficients: int | None = None,
) -> CurveFilm:
    r"""The paper's linear morph: every wavelet coefficient in proportion.

    Parameters
    ----------
    coefficients : how many coarse coefficients are morphed, the others left out; None for all.

    Notes
    -----
    [chuang] section 4.1, Equation 4.1: :math:`A(\tau) = (1 - \tau) A^s + \tau A^d`. With all coefficients this is the
    linear morph of the samples, since the transform is linear: the promised freedom from crossings does not follow.
    """
    za, zb = even_samples(a, b, pins)
    levels = _levels(len(za), coefficients, a.closed, wavelet)
    split_a, split_b = _split(za, a.closed, wavelet, levels), _split(zb, a.closed, wavelet, levels)
    if coefficients is not None:
        split_a, split_b = split_a.without_details(), split_b.without_details()
    one, other = split_a.vector(), split_b.vector()
    frames = np.empty((len(times), len(za)), dtype=complex)
    for k, t in enumerate(times.tolist()):
        frames[k] = _join(split_a.with_vector((1.0 - t) * one + t * other))
    return CurveFilm(frames, za, zb, a.closed, "free")


def schedule_film(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    pins: Pins = (),
    guard: bool = False,
    wavelet: str = "db4",
) -> CurveFilm:
    """Details of the first shape fade out, the finest first; the coarse shapes morph; details of the second fade in.

    Half as many shapes cross themselves on the way as in the linear morph.
    """
    za, zb = even_samples(a, b, pins, turning=True)
    turn = rigid_turn(za, zb, a.closed)
    levels = _levels(len(za), _SWEEP, a.closed, wavelet)
    split_a = _split(za, a.closed, wavelet, levels)
    split_b = _split(zb * np.exp(-1j * turn), a.closed, wavelet, levels)
    frames = np.empty((len(times), len(za)), dtype=complex)
    for k, t in enumerate(times.tolist()):
        share = _soft((t - 0.2) / 0.6)
        coarse = (1.0 - share) * split_a.coarse + share * split_b.coarse
        out, back = _gains(t, levels), _gains(1.0 - t, levels)
        details = [x * g + y * h for x, g, y, h in zip(split_a.details, out, split_b.details, back, strict=True)]
        vector = np.concatenate([coarse, *details])
        frames[k] = np.exp(1j * turn * share) * _join(split_a.with_vector(vector))
    return CurveFilm(frames, za, zb, a.closed, "free")


def _gains(t: float, levels: int) -> list[float]:
    """How much of each level of detail is left, the coarsest first: the finest goes first, all are gone half way."""
    ends = np.linspace(0.5, 0.25, levels)
    return [1.0 - _soft(t / end) for end in ends.tolist()]


def _soft(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def _levels(count: int, coefficients: int | None, closed: bool, wavelet: str) -> int:
    most = most_levels(count, wavelet, closed=closed)
    if coefficients is None:
        return most
    if not (4 <= coefficients <= _MOST_SAMPLES and coefficients & (coefficients - 1) == 0):
        raise ParameterError(f"coefficients must be a power of two from 4 to {_MOST_SAMPLES}, not {coefficients}.")
    return min(most, max(0, round(math.log2(count / coefficients))))


def _split(z: Complex, closed: bool, wavelet: str, levels: int) -> Scales:
    return split_scales(np.stack([z.real, z.imag], axis=-1), wavelet, levels, closed=closed)


def _join(scales: Scales) -> Complex:
    points = join_scales(scales)
    return points[:, 0] + 1j * points[:, 1]
