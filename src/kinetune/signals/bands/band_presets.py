"""Named settings of the equalizer, at the same frequencies for every frame rate.

====================  ===================================================================================
BAND_PRESETS          name to gains by frequency
PRESET_DESCRIPTIONS   name to a description
preset_gains          the gains of a preset for a signal of any rate
gains_at              the gains for a signal of any rate that are given by frequency
band_hz               the frequency that stands for each band
====================  ===================================================================================

Bands halve: band k of a signal at 120 frames a second lies two octaves above band k of one at 30. The paper counts its
bands at the rate of its capture, which it does not state; at 30 frames a second its bands 2 to 4 are 2, 1 and 0.5 Hz,
where a walk has its strides, and its bands 5 and 6 (0.25 and 0.12 Hz) lie below them, as the examples have it. So the
presets are written in Hz, as at that rate. Gains given band by band remain literal: band 2 is band 2.

[bruderlin] A. Bruderlin, "Using signal processing for animating human figures", section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats

_BAND_0 = 3.75  # frames in a period of what band 0 stands for, where bands are an octave apart

_TABLE: dict[str, tuple[dict[float, float], str]] = {
    "exaggerate": (
        {2.0: 1.5, 1.0: 1.5, 0.5: 1.5},
        "Larger, rounder movement: 0.5 to 2 Hz up, the paper's bands 2 to 4.",
    ),
    "nervous": ({8.0: 4.0}, "A twitch: 8 Hz up. It enlarges the jitter that is there and invents none."),
    "subdued": (
        {8.0: 0.5, 4.0: 0.5, 2.0: 0.5, 1.0: 0.5, 0.5: 0.6, 0.25: 1.3, 0.125: 1.3},
        "An attenuated, constrained movement: 0.125 and 0.25 Hz up, all faster bands down.",
    ),
    "anticipation": (
        {2.0: 1.0, 1.0: 1.5, 0.5: 2.2, 0.25: -0.3},
        "Swings back before an action and beyond it after: 0.25 Hz negative, as in the paper's knock.",
    ),
}

BAND_PRESETS: Mapping[str, Mapping[float, float]] = MappingProxyType(
    {name: MappingProxyType(gains) for name, (gains, _) in _TABLE.items()}
)
"""Name to gains by frequency in Hz; see :func:`gains_at`."""

PRESET_DESCRIPTIONS: Mapping[str, str] = MappingProxyType({name: text for name, (_, text) in _TABLE.items()})
"""Name to a description of what an animator sees."""


def band_hz(count: int, fps: float) -> Floats:
    """The frequency in Hz that stands for each band where gains are given by frequency, (count,), fastest first."""
    return np.asarray(fps / (_BAND_0 * 2.0 ** np.arange(count)))


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
    Band k stands for ``fps / (3.75 * 2**k)`` Hz (:func:`band_hz`): 8, 4, 2, 1 ... at 30 frames a second. The fastest
    band reaches on up to half of the frame rate.
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
    """
    if name not in BAND_PRESETS:
        raise UnknownNameError("preset", name, BAND_PRESETS, advice=f"It is one of {', '.join(BAND_PRESETS)}.")
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}.")
    return gains_at(BAND_PRESETS[name], count, fps)
