"""The wavelet descriptor of a contour: a few control points that carry its sweep, and detail at every scale.

Notes
-----
[chuang] section 2.2: x(t) and y(t) are split by the periodized wavelet transform, Equations 2.10 to 2.12.
An open contour is continued through its ends by turning it about them; see
:func:`kinetune.signals.wavelets.split_scales`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.drawing import Contour, Drawing
from kinetune.contours.outlines import Outline, as_contour
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import Scales, join_scales, most_levels, split_scales


@dataclass(frozen=True, eq=False)
class Descriptor:
    """A contour as control points and details.

    Parameters
    ----------
    scales : Scales
        The wavelet coefficients of its points, (n, 2).
    """

    scales: Scales

    @property
    def levels(self) -> int:
        """How often the contour was halved."""
        return self.scales.levels

    @property
    def control_points(self) -> Floats:
        """(n, 2) the points that carry the sweep, in the drawing."""
        return self.scales.control_points

    @property
    def control_places(self) -> Floats:
        """(n,) the (broken) index of the sample near which each control point acts; beyond the ends for a few of an
        open contour."""
        return self.scales.control_places

    def contour(self) -> Contour:
        """The contour with all its details."""
        return Contour(join_scales(self.scales), self.scales.closed)

    def sweep(self) -> Contour:
        """The contour without any detail."""
        return self.approximation(self.levels)

    def approximation(self, level: int) -> Contour:
        """The contour from 1 / 2^level of its coefficients: the ``level`` finest details left out."""
        if not 0 <= level <= self.levels:
            raise ParameterError(f"level must lie between 0 and {self.levels}, not be {level}.")
        return Contour(join_scales(self.scales.without_details(self.levels - level)), self.scales.closed)

    def with_control_points(self, points: ArrayLike) -> Descriptor:
        """Another sweep under the same coefficients of detail; see :mod:`.scale_editing`."""
        return Descriptor(self.scales.with_control_points(points))

    def with_gains(self, gains: ArrayLike) -> Descriptor:
        """Details made larger or smaller: one factor for all, or one for each level, the coarsest first."""
        return Descriptor(self.scales.with_gains(gains))


def describe(
    contour: Contour, wavelet: str = "spline8", levels: int | None = None, *, control_points: int | None = None
) -> Descriptor:
    """Split a contour into control points and details.

    Parameters
    ----------
    contour : Contour
        Of 2^k samples if it is closed; see :func:`kinetune.contours.sampling.sample_evenly`.
    wavelet : str
        "spline8" is the smoothest to edit with; "db4" and up and "coif2" and up are orthogonal.
    levels : int or None
        How often it is halved; by default until 4 control points are left.
    control_points : int or None
        Instead of levels, the number of control points a closed contour should have.
    """
    if control_points is not None:
        if levels is not None:
            raise ParameterError("Say how many levels or how many control points, not both.")
        levels = _levels_for(contour, control_points)
    return Descriptor(split_scales(contour.points, wavelet, levels, closed=contour.closed))


def approximate(
    contour: Contour, level: int | None = None, wavelet: str = "db4", *, control_points: int | None = None
) -> Contour:
    """A contour without its finest details: from 1 / 2^level of its coefficients, or from some control points.

    The result has as many samples as the input. [chuang] Figures 2, 7 and 14.
    """
    if (level is None) == (control_points is None):
        raise ParameterError("Say either which level or how many control points are kept.")
    if control_points is not None:
        level = _levels_for(contour, control_points)
    return describe(contour, wavelet, level).sweep()


def _levels_for(contour: Contour, control_points: int) -> int:
    if not contour.closed:
        raise ParameterError("Only a closed contour can be asked for a number of control points; say levels instead.")
    levels = 0
    while control_points > 0 and control_points << levels < len(contour):
        levels += 1
    if control_points < 1 or control_points << levels != len(contour):
        most = most_levels(len(contour))
        raise ParameterError(
            f"A contour of {len(contour)} samples can be halved to {len(contour) >> most}, ..., {len(contour) // 2} or "
            f"{len(contour)} control points, not to {control_points}."
        )
    return levels


_SAMPLES = 256


def at_resolution(drawing: Drawing, points: int, wavelet: str = "spline8") -> Drawing:
    """A drawing whose curves are drawn from only so many control points each, as [chuang] Figure 14 with 4, 16 and 64.

    Parameters
    ----------
    points : int
        A power of two from 4 to 256. An open curve takes a few more, for its ends.
    """
    if not (4 <= points <= _SAMPLES and points & (points - 1) == 0):
        raise ParameterError(f"resolution must be a power of two from 4 to {_SAMPLES}, not {points}.")
    return drawing.map_contours(lambda contour: _coarse(contour, points, wavelet))


def _coarse(contour: Contour, points: int, wavelet: str) -> Contour:
    outline = Outline.of(contour)
    if outline is None:
        return contour
    z = outline.along(np.linspace(0.0, 1.0, _SAMPLES, endpoint=not contour.closed))
    levels = min(round(math.log2(_SAMPLES / points)), most_levels(_SAMPLES, wavelet, closed=contour.closed))
    return describe(as_contour(z, contour.closed), wavelet, levels).sweep()
