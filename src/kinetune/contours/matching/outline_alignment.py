"""Where one outline begins on another, and how far it is rotated: correlation with the FFT.

==============  =======================================================
Alignment       a start point on the second curve, and a rotation
spin_cost       what a rotation costs
POOR_FIT        the misfit from which on it costs most
align           the most promising alignments of two curves, best first
straight_start  the best start point without a rotation
mirror_ends     where two curves that are symmetric alike meet their axis
cut_open        a closed curve made open, to fit a line
==============  =======================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune.contours.outlines import Outline
from kinetune.rotations import Floats

SAMPLES = 128
POOR_FIT = 0.1
"""The misfit from which on shapes are not the same shape rotated."""

_SPIN = 0.8  # what a rotation by 180 degrees costs, as a share of a perfect fit
_TIE = 0.05  # what it costs even where the fit is perfect
_FAR_ROUND = 0.5  # what it costs to rotate too far
_FAR, _FAR_PART = 0.55, 0.3  # of 180 degrees: where a shape, and a part of a drawing, begins to rotate too far
_TILT = 3.0  # what it costs a part that fits poorly to tilt by 180 degrees, in proportion to the angle
_ASYMMETRIC = 0.06  # of the size of a curve: how far its mirror image may lie from it
_FINER = 8  # times as many places as samples are tried for the ends of an axis
_APART = 4  # samples between two start points that are both worth trying


@dataclass(frozen=True)
class Alignment:
    """How the second of two curves lies to the first.

    start : the share of the second one's length that corresponds to the first point of the first.
    rotation : of the second against the first, radians in (-pi, pi].
    score : how well both fit, at most 1; less for a rotation.
    backwards : the second of two open curves is run from its end.
    """

    start: float
    rotation: float
    score: float
    backwards: bool = False


def spin_cost(rotation: Floats, misfit: Floats, upright: float | None = None) -> Floats:
    """What a rotation costs, as a share of a perfect fit: little for a shape that is merely rotated, much otherwise.

    A film must not spin without need. A shape rotates only where that makes it fit much better, and hardly ever by
    more than 90 degrees: a smile becomes a frown by bending, not by standing on its head. A part of a drawing hardly
    ever rotates by 90 degrees: a wide box becomes a tall one by stretching, not by lying on its side.

    Parameters
    ----------
    misfit : 0 where the shapes are alike when rotated, 0.1 or more where they are not.
    upright : of a part of a drawing: by how much what it lies on rotates, 0 where it lies on nothing. It should rotate
        along, and small deviations count, too: a door that tilts looks wrong, a shape by itself that does so does not.
    """
    half_turns = np.abs(rotation if upright is None else np.angle(np.exp(1j * (rotation - upright)))) / np.pi
    poor = np.clip(np.asarray(misfit) / POOR_FIT, 0.0, 1.0)
    far = np.clip((half_turns - (_FAR if upright is None else _FAR_PART)) / 0.2, 0.0, 1.0)
    cost: Floats = half_turns**2 * (_TIE + _SPIN * poor) + _FAR_ROUND * far
    return cost if upright is None else cost + _TILT * half_turns * poor


def align(a: Outline, b: Outline, count: int = 8, upright: float | None = None) -> list[Alignment]:
    r"""The start points and rotations at which two curves fit best, best first.

    Both are closed or both open. Of open curves only the two directions are compared.

    Notes
    -----
    With samples as complex numbers about their mean, :math:`c = F^{-1}(\overline{F a} \cdot F b)` holds for every
    start point s the sum :math:`\sum \bar a_i b_{i+s}`; its modulus says how well the curves fit when one is rotated
    by its argument. Rotations are discouraged, see :func:`spin_cost`, which also explains ``upright``.
    """
    if not a.closed:
        both = [_fit_open(a, b, upright, backwards=backwards) for backwards in (False, True)]
        return sorted(both, key=lambda alignment: -alignment.score)
    ring = np.arange(SAMPLES) / SAMPLES
    za, zb = _normal(a.along(ring)), _normal(b.along(ring))
    fit = np.fft.ifft(np.conj(np.fft.fft(za)) * np.fft.fft(zb))
    rotations = np.angle(fit)
    scores = np.abs(fit) - spin_cost(rotations, 1.0 - np.abs(fit), upright)
    chosen = _peaks(scores, count)
    return [Alignment(s / SAMPLES, float(rotations[s]), float(scores[s])) for s in chosen]


def straight_start(a: Outline, b: Outline) -> float:
    """Where the second of two closed curves fits the first best without a rotation, as a share of its length."""
    ring = np.arange(SAMPLES) / SAMPLES
    fit = np.fft.ifft(np.conj(np.fft.fft(_normal(a.along(ring)))) * np.fft.fft(_normal(b.along(ring))))
    return int(np.argmax(fit.real)) / SAMPLES


def mirror_ends(a: Outline, b: Outline) -> tuple[tuple[float, float], ...]:
    """Where two closed curves meet their axis of symmetry, the upper or left end first: shares of both lengths.

    The axes of both are upright, or both level; nothing where the curves are not symmetric alike. A symmetric shape
    that becomes another stays symmetric if these points become each other.
    """
    for axis in (1j, 1.0):
        on_a = _axis_ends(a, axis)
        on_b = None if on_a is None else _axis_ends(b, axis)
        if on_a is not None and on_b is not None:
            return tuple(zip(on_a, on_b, strict=True))
    return ()


def _axis_ends(curve: Outline, axis: complex) -> tuple[float, float] | None:
    """Where a closed curve meets an axis through its middle, if it is symmetric about that."""
    ring = np.arange(SAMPLES) / SAMPLES
    z = curve.along(ring)
    z = (z - z.mean()) / axis
    mirrored = np.conj(np.roll(z[::-1], 1))  # run the same way round again
    spectrum = np.conj(np.fft.fft(mirrored)) * np.fft.fft(z)
    fine = np.zeros(_FINER * SAMPLES, dtype=complex)
    fine[np.fft.fftfreq(SAMPLES, 1 / SAMPLES).astype(int)] = spectrum
    shift = int(np.argmax(np.fft.ifft(fine).real)) / len(fine)
    moved = curve.along(ring + shift) / axis
    apart = np.abs(moved - moved.mean() - mirrored)
    if apart.max() > _ASYMMETRIC * np.sqrt(np.mean(np.abs(z) ** 2)):
        return None
    ends = np.array([0.5 * shift, 0.5 * shift + 0.5])
    corners = curve.corners[0]
    for k, end in enumerate(ends):
        gaps = np.abs((corners - end + 0.5) % 1.0 - 0.5) if len(corners) else np.ones(1)
        if gaps.min() < 1.0 / SAMPLES:
            ends[k] = corners[np.argmin(gaps)]
    ends %= 1.0
    first, second = ends[np.argsort((curve.along(ends) / axis).real)].tolist()
    return first, second


def _normal(z: np.ndarray) -> np.ndarray:
    z = z - z.mean()
    return z / max(float(np.sqrt(np.sum(np.abs(z) ** 2))), 1e-300)


def _peaks(scores: Floats, count: int) -> list[int]:
    """The best positions on a ring of scores, no two of them close together."""
    free = np.ones(len(scores), dtype=bool)
    peaks = []
    for index in np.argsort(-scores, kind="stable").tolist():
        if free[index]:
            peaks.append(index)
            free[np.arange(index - _APART + 1, index + _APART) % len(scores)] = False
            if len(peaks) == count:
                break
    return peaks


def cut_open(ring: Outline, line: Outline) -> Outline:
    """A closed curve cut open where, run in one direction or the other, it fits an open one best."""
    at = np.arange(SAMPLES) / (SAMPLES - 1)
    target = _normal(line.along(at))
    best, cut = -np.inf, ring
    for curve in (ring, ring.reversed()):
        for start in (np.arange(SAMPLES) / SAMPLES).tolist():
            fit = np.vdot(target, _normal(curve.along(start + at)))
            score = _score(fit)
            if score > best:
                best = score
                inside = start + (curve.shares[:-1] - start) % 1.0
                shares = np.concatenate([[start], np.sort(inside[inside > start + 1e-9]), [start + 1.0]])
                cut = Outline(curve.along(shares), closed=False)
    return cut


def _fit_open(a: Outline, b: Outline, upright: float | None, *, backwards: bool) -> Alignment:
    line = np.linspace(0.0, 1.0, SAMPLES)
    za, zb = _normal(a.along(line)), _normal(b.along(line[::-1] if backwards else line))
    fit = np.vdot(za, zb)
    return Alignment(0.0, float(np.angle(fit)), _score(fit, upright), backwards)


def _score(fit: complex, upright: float | None = None) -> float:
    return abs(fit) - float(spin_cost(np.array(np.angle(fit)), np.array(1.0 - abs(fit)), upright))
