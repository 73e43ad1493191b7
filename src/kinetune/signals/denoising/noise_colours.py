"""Colours of noise: how its power is spread over frequencies, as autoregressive models.

White jitter comes from cameras and markers; pose networks and filters leave noise that wanders or that is smooth from
frame to frame. A colour takes the form that a banded solver needs: a precision matrix with few diagonals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kinetune.rotations import Floats

WHITE = "white"
SMOOTHED = "smoothed"
"""How the names of colours begin that are smooth from frame to frame; those with power near 0 Hz would be motion."""
ORDER = 3
"""Of the difference that a spline keeps small; it sets how many diagonals a precision has at least."""
_AR_ORDER = 4
_BINS = 513


@dataclass(frozen=True, eq=False)
class Colour:
    """Autoregressive noise whose innovations have variance 1.

    name : what people call it.
    slowness : log of its power at 0 Hz over its mean power: how much of it could be slow motion.
    phi : (order + 1,) its whitening filter, beginning with 1.
    power : its variance.
    smooth : whether it is smooth from frame to frame: high differences show none of it.
    precision : (frames, bands); [t, d] couples frames t and t + d.
    log_determinant : of the precision.
    """

    name: str
    slowness: float
    phi: Floats
    power: float
    smooth: bool
    precision: Floats
    log_determinant: float


def spectra(fps: float) -> dict[str, Floats]:
    """The library: power over frequencies from 0 to half of ``fps``, by name."""
    hz = np.linspace(0.0, 0.5 * fps, _BINS)
    library: dict[str, Floats] = {WHITE: np.ones_like(hz), "pink": 1.0 / np.maximum(hz, 0.5)}
    for corner, floor in ((8, 0.03), (4, 0.003), (4, 0.03), (2, 0.003), (2, 0.03), (4, 0.2)):
        library[f"wandering slower than {corner} Hz, {floor:g} white"] = 1.0 / (1.0 + (hz / corner) ** 2) + floor
    library[f"{SMOOTHED} between 4 and 12 Hz"] = (1.0 - 0.97 / (1.0 + (hz / 4) ** 8)) / (1.0 + (hz / 12) ** 8) + 1e-4
    return library


@lru_cache(maxsize=64)
def colours(fps: float, frames: int) -> tuple[Colour, ...]:
    """The colours of the library for a clip, white first."""
    return tuple(_model(name, power, frames) for name, power in spectra(fps).items())


def _model(name: str, spectrum: Floats, frames: int) -> Colour:
    """The autoregressive model with the autocorrelation of a spectrum (Yule-Walker)."""
    order = 0 if name == WHITE else min(_AR_ORDER, frames // 8)
    r = np.fft.irfft(spectrum)[: order + 1]
    r = r / r[0]
    at = np.arange(order)
    correlation = r[np.abs(at[:, None] - at)] if order else np.zeros((0, 0))
    a = np.linalg.solve(correlation + 1e-6 * np.eye(order), r[1:])
    phi, power = np.concatenate([[1.0], -a]), float(1.0 / (1.0 - a @ r[1:]))
    precision = np.zeros((frames, max(ORDER, order) + 1))
    for i in range(order + 1):
        for j in range(i + 1):
            precision[order - i : frames - i, i - j] += phi[i] * phi[j]
    log_determinant = 0.0
    if order:
        start = np.linalg.inv(correlation * power)
        log_determinant = float(np.linalg.slogdet(start)[1])
        for i in range(order):
            for j in range(i + 1):
                precision[j, i - j] += start[i, j]
    slowness = float(np.log(spectrum[0] / spectrum.mean()))
    return Colour(name, slowness, phi, power, name.startswith(SMOOTHED), precision, log_determinant)
