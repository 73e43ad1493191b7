"""Named settings of the equalizer, at the same frequencies for every frame rate.

====================  ===================================================================================
BAND_PRESETS          name to gains
PRESET_DESCRIPTIONS   name to a description
preset_gains          the gains of a preset for a signal of any rate
gains_at              the gains for a signal of any rate that are given by frequency
REFERENCE_FPS         the rate at which a preset's bands are counted
====================  ===================================================================================

Bands halve: band k of a signal at 120 frames a second lies two octaves above band k of one at 30. The paper counts its
bands at the rate of its capture, which it does not state; at 30 frames a second its bands 2 to 4 are 2, 1 and 0.5 Hz,
where a walk has its strides, and its bands 5 and 6 (0.25 and 0.12 Hz) lie below them, as the examples have it. So the
presets are written for 30, and :func:`preset_gains` finds the bands of equal frequency in any other signal.
Gains given band by band remain literal: band 2 is band 2.

[bruderlin] A. Bruderlin, "Using signal processing for animating human figures", section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats

REFERENCE_FPS = 30.0
_BAND_0 = 3.75  # frames in a period of what band 0 stands for, where bands are an octave apart

_TABLE: dict[str, tuple[tuple[float, ...], str]] = {
    "exaggerate": (
        (1.0, 1.0, 1.5, 1.5, 1.5),
        "Larger, rounder movement: bands 2 to 4 up, as in the paper's walk.",
    ),
    "nervous": ((4.0,), "A twitch: band 0 up. It enlarges the jitter that is there and invents none."),
    "subdued": (
        (0.5, 0.5, 0.5, 0.5, 0.6, 1.3, 1.3),
        "An attenuated, constrained movement: bands 5 and 6 up, all faster ones down.",
    ),
    "anticipation": (
        (1.0, 1.0, 1.0, 1.5, 2.2, -0.3),
        "Swings back before an action and beyond it after: band 5 negative, as in the paper's knock.",
    ),
}

BAND_PRESETS: Mapping[str, tuple[float, ...]] = MappingProxyType({name: gains for name, (gains, _) in _TABLE.items()})
"""Name to gains from band 0 up, of a signal at :data:`REFERENCE_FPS`; further bands are 1."""

PRESET_DESCRIPTIONS: Mapping[str, str] = MappingProxyType({name: text for name, (_, text) in _TABLE.items()})
"""Name to a description of what an animator sees."""


def gains_at(by_hz: Mapping[float, float], count: int, fps: float) -> Floats:
    """The gains of a signal's bands, (count,), that have given values at given frequencies.

    Parameters
    ----------
    by_hz : mapping from float to float
        Frequencies in Hz to gains. Between two frequencies the gain changes evenly with their logarithm; an octave
        below the lowest and above the highest it is 1 again.
    count : int
        How many bands the signal has.
    fps : float
        Its frames per second.

    Notes
    -----
    Band k stands for ``fps / (3.75 * 2**k)`` Hz: 8, 4, 2, 1 ... at 30 frames a second. The fastest band reaches on up
    to half of the frame rate.
    """
    if not by_hz:
        return np.ones(count)
    at = np.log2(fps / (_BAND_0 * np.array(sorted(by_hz, reverse=True))))
    gains = [by_hz[hz] for hz in sorted(by_hz, reverse=True)]
    return np.asarray(np.interp(np.arange(count), [at[0] - 1.0, *at, at[-1] + 1.0], [1.0, *gains, 1.0]))


def preset_gains(name: str, count: int, fps: float) -> Floats:
    """The gains of a preset for the bands of a signal, (count,).

    Parameters
    ----------
    name : str
        A name of :data:`BAND_PRESETS`.
    count : int
        How many bands the signal has.
    fps : float
        Its frames per second.

    Notes
    -----
    A band's frequency halves from band to band, so that band j at ``fps`` lies where band j - log2(fps / 30) would lie
    at 30. Between two bands of the preset the gain is interpolated; beyond its first and last it returns to 1.
    """
    if name not in BAND_PRESETS:
        raise UnknownNameError("preset", name, BAND_PRESETS, advice=f"It is one of {', '.join(BAND_PRESETS)}.")
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}.")
    gains = BAND_PRESETS[name]
    at = np.arange(count) - np.log2(fps / REFERENCE_FPS)
    return np.asarray(np.interp(at, np.arange(-1, len(gains) + 1), [1.0, *gains, 1.0]))
