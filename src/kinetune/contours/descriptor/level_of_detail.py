"""Drawings at several resolutions: every curve drawn with a few control points only."""

from __future__ import annotations

import math

import numpy as np

from kinetune.contours.descriptor.wavelet_descriptor import describe
from kinetune.contours.drawing import Contour, Drawing
from kinetune.contours.outlines import Outline, as_contour
from kinetune.errors import ParameterError
from kinetune.signals.wavelets import most_levels

_SAMPLES = 256


def at_resolution(drawing: Drawing, points: int, wavelet: str = "spline8") -> Drawing:
    """A drawing whose curves are drawn from only so many control points each, as [chuang] Figure 14 with 4, 16 and 64.

    Parameters
    ----------
    points : a power of two from 4 to 256. An open curve takes a few more, for its ends.
    """
    if not (4 <= points <= _SAMPLES and points & (points - 1) == 0):
        raise ParameterError(f"resolution must be a power of two from 4 to {_SAMPLES}, not {points}.")
    return drawing.replace_layers(
        tuple(
            layer.replace_contours(tuple(_coarse(c, points, wavelet) for c in layer.contours))
            for layer in drawing.layers
        )
    )


def _coarse(contour: Contour, points: int, wavelet: str) -> Contour:
    outline = Outline.of(contour)
    if outline is None:
        return contour
    z = outline.along(np.linspace(0.0, 1.0, _SAMPLES, endpoint=not contour.closed))
    levels = min(round(math.log2(_SAMPLES / points)), most_levels(_SAMPLES, wavelet, closed=contour.closed))
    return describe(as_contour(z, contour.closed), wavelet, levels).sweep()
