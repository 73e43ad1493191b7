"""Gains of the equalizer by band and time, and how a signal continues beyond its ends.

===============  ==============================================================================
equalize_curves  a signal with its bands turned up or down, beyond its ends held, mirrored or in a circle
mix_gains        gains, solo, mute, and gains that change over time, as one table
bands_of_window  the bands of a few frames, for previews with changing gains
list_bands       the bands of a signal with their frequencies
===============  ==============================================================================

The filter itself is :mod:`kinetune.signals.bands.pyramid`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import band_centres_hz, count_bands, equalize, low_pass

Ends = Literal["held", "mirror", "cycle"]
Keys = Sequence[tuple[float, float]]
"""Pairs (time in seconds, gain), in order of time."""


class Band(NamedTuple):
    """One band: its number from 0 (fastest) and the frequency at which it responds most."""

    number: int
    centre_hz: float


def list_bands(frames: int, fps: float) -> tuple[Band, ...]:
    """The bands of a signal, fastest first."""
    centres = band_centres_hz(count_bands(frames), fps)
    return tuple(Band(k, float(centre)) for k, centre in enumerate(centres))


def equalize_curves(signal: ArrayLike, gains: ArrayLike, *, ends: Ends = "held", closed: bool = False) -> Floats:
    """The signal with each band multiplied by its gain.

    Parameters
    ----------
    signal : array, shape (frames, ...)
    gains : (bands,) or (bands, frames), from band 0 up; missing bands are 1.
    ends : what lies beyond the ends. "held" keeps the first and last value, as the paper's footnote 1 does. "mirror"
        plays the motion backwards from there. "cycle" goes on with the motion from its start.
    closed : for a cycle, whether the last frame repeats the first one. It may lie elsewhere (a turn further on): the
        next round then starts from there.

    Notes
    -----
    Cut out of a longer walk, a part with mirrored ends comes a little closer to the same part of the equalized whole
    than one with held ends (1.2 against 1.7 degrees in the 0.15 s next to the cut); reflecting through the end point,
    as the low-pass filters do, is worse than both (3.9).
    Law: gains of 1 give the signal itself (``tests/signals/bands/test_gains.py``).
    """
    x = np.asarray(signal, dtype=float)
    if ends == "held" or len(x) < 2:
        return equalize(x, gains)
    wide, reach, progress = _widened(x, ends, closed)
    frames = len(x)
    g = np.asarray(gains, dtype=float)[: count_bands(frames)]
    if g.ndim == 2 and g.shape[1] != 1:
        g = np.pad(g, ((0, 0), (reach, reach)), mode="edge")
    result = equalize(wide, g)[reach : reach + frames]
    if ends == "cycle" and closed:
        result[-1] = result[0] + progress
    return result


def bands_of_window(
    signal: ArrayLike, start: int, stop: int, *, ends: Ends = "held", closed: bool = False
) -> tuple[Floats, ...]:
    """The bands of frames ``start`` to ``stop - 1`` of a signal, from band 0 up, each (stop - start, ...).

    The signal with its bands at gains g is, in these frames, ``signal + sum((g - 1) * band)``; this serves who turns
    gains often and looks at a few frames only. ``ends`` and ``closed`` are those of :func:`equalize_curves`.

    Notes
    -----
    Law: the sum above is what :func:`equalize_curves` gives, to rounding (``tests/signals/bands/test_gains.py``); but
    not in the last frame of a closed cycle with gains that change over time.
    """
    x = np.asarray(signal, dtype=float)
    count = count_bands(len(x))
    low, reach = x, 0
    if ends != "held" and len(x) >= 2:
        low, reach, _ = _widened(x, ends, closed)
    bands = []
    last = len(x) - 1 if ends == "cycle" and closed and start <= len(x) - 1 < stop else None
    for k in range(count):
        lower = low_pass(low, 1 << k)
        band = low[reach + start : reach + stop] - lower[reach + start : reach + stop]
        if last is not None:
            band[last - start] = low[reach] - lower[reach]
        bands.append(band)
        low = lower
    return tuple(bands)


def _widened(x: Floats, ends: Ends, closed: bool) -> tuple[Floats, int, Floats]:
    """A signal with what lies beyond its ends, how many frames that are on either side, and how far it gets on."""
    if ends not in ("mirror", "cycle"):
        raise ParameterError(f'ends must be "held", "mirror" or "cycle", not "{ends}".')
    frames = len(x)
    reach = 2 * (2 ** count_bands(frames) - 1)
    at = np.arange(-reach, frames + reach)
    if ends == "mirror":
        phase = at % (2 * (frames - 1))
        return x[np.minimum(phase, 2 * (frames - 1) - phase)], reach, np.zeros(x.shape[1:])
    period = frames - 1 if closed else frames
    progress = x[-1] - x[0] if closed else np.zeros(x.shape[1:])
    return x[at % period] + (at // period).reshape(-1, *(1,) * (x.ndim - 1)) * progress, reach, progress


def mix_gains(
    gains: ArrayLike,
    times: Floats,
    *,
    count: int,
    solo: Collection[int] = (),
    mute: Collection[int] = (),
    band_keys: Mapping[int | None, Keys] | None = None,
    amount: float = 1.0,
    amount_keys: Keys = (),
) -> Floats:
    """Gains (count, 1), or (count, frames) where they change over time.

    Parameters
    ----------
    gains : from band 0 up; missing bands are 1, surplus ones are left out.
    times : (frames,) seconds.
    solo : bands that play alone; all others are silent. The base, the pose underneath, always stays.
    mute : bands that are silent.
    band_keys : gains over time: band to keys. None in place of a band stands for all that have no keys of their own.
    amount : how much of all that: 0 leaves the signal alone, 1 is what the gains say, 2 is twice as far from 1.
    amount_keys : amounts over time, multiplied by ``amount``.
    """
    fixed = np.asarray(gains, dtype=float).reshape(-1)[:count]
    table = np.concatenate([fixed, np.ones(count - len(fixed))])[:, None]
    if band_keys:
        table = np.repeat(table, len(times), axis=1)
        every = band_keys.get(None)
        if every is not None:
            table[:] = _over_time(every, times)
        for band, keys in band_keys.items():
            if band is not None and band < count:
                table[band] = _over_time(keys, times)
    silent = [k for k in range(count) if k in mute or (len(solo) > 0 and k not in solo)]
    table[silent] = 0.0
    share: float | Floats = amount
    if len(amount_keys):
        share = amount * _over_time(amount_keys, times)
    return np.asarray(1.0 + share * (table - 1.0)) if not np.all(share == 1.0) else table


def _over_time(keys: Keys, times: Floats) -> Floats:
    moments, values = zip(*keys, strict=True)
    from kinetune.signals.splines.tcb import TCB

    return np.asarray(TCB(moments, values, ends="zero", holds="flat")(times))
