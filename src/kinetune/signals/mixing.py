"""Weighted averages of several signals, whole or band by band.

=========  ==========================================================================
mix        one average of several signals, with weights that may change over time
mix_bands  each frequency band with weights of its own
=========  ==========================================================================

[bruderlin] section 3, multitarget interpolation, and step 4 of section 2.1. The signals must be aligned in time: see
:mod:`kinetune.signals.warping.time_warp`. They are plain numbers; rotations are averaged in :mod:`kinetune.rotations`,
or go through :mod:`kinetune.signals.rotation_curves` first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import count_bands, equalize

_NOTHING = 1e-12
"""Weights whose sum is below this part of their sizes cancel each other."""


def mix(signals: Sequence[ArrayLike], weights: ArrayLike | None = None) -> Floats:
    """The weighted average of several signals: 0.4 of a drum and 0.6 of a swaying arm.

    Parameters
    ----------
    signals : arrays of one shape (frames, ...).
    weights : (signals,), or (signals, frames) where they change over time. Only their ratios count; negative ones
        lead away from a signal. None: all the same.

    Notes
    -----
    Laws (``tests/signals/test_mixing.py``): weight 1 for one signal is that signal; equal signals stay as they are.
    """
    stack = _stack(signals)
    w = _shares(weights, len(stack), len(stack[0]), "The weights")
    result = np.zeros_like(stack[0])
    for share, x in zip(w, stack, strict=True):
        result += share.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - 1)) * x
    return result


def mix_bands(
    signals: Sequence[ArrayLike],
    weights: ArrayLike,
    *,
    base: ArrayLike | None = None,
    gains: ArrayLike | None = None,
) -> Floats:
    """The average of several signals, each frequency band with weights of its own.

    Parameters
    ----------
    signals : arrays of one shape (frames, ...).
    weights : (bands, signals), or (bands, signals, frames): for each band from 0 up, the weights as in :func:`mix`.
        Bands without weights take those of the base; weights without a band are left out.
    base : (signals,) or (signals, frames), the weights of the slow pose underneath. None: all the same.
    gains : (signals, bands), how far each signal's bands are turned up before they are mixed. None: all 1.

    Notes
    -----
    [bruderlin] section 2.1 step 4, Figure 4. Splitting, mixing and joining is linear, so each signal is equalized with
    its share of every band as the gain, and the results are added: no band is stored.
    Law: the same weights in all bands are :func:`mix`.
    """
    stack = _stack(signals)
    frames = len(stack[0])
    count = count_bands(frames)
    lowest = _shares(base, len(stack), frames, "The weights of the base")
    table = np.asarray(weights, dtype=float)
    if table.ndim not in (2, 3) or (table.size and table.shape[1] != len(stack)):
        raise ParameterError(
            f"The weights of bands are (bands, {len(stack)}) or (bands, {len(stack)}, {frames}) for these signals; "
            f"got shape {table.shape}."
        )
    shares = [
        lowest if k >= len(table) else _shares(table[k], len(stack), frames, f"The weights of band {k}")
        for k in range(count)
    ]
    levels = _band_gains(gains, len(stack), count)
    result = np.zeros_like(stack[0])
    for c, x in enumerate(stack):
        columns = np.broadcast_shapes(lowest[c].shape, *(share[c].shape for share in shares))
        signal_gains = np.empty((count, *columns))
        for k, share in enumerate(shares):
            signal_gains[k] = share[c] * levels[c, k]
        result += equalize(x, signal_gains, base=lowest[c])
    return result


def _stack(signals: Sequence[ArrayLike]) -> list[Floats]:
    stack = [np.asarray(x) for x in signals]
    if not stack:
        raise ParameterError("There is nothing to mix: give at least one signal.")
    first = stack[0].shape
    if not first or not first[0]:
        raise ParameterError(f"A signal needs at least one frame on axis 0; got shape {first}.")
    for k, x in enumerate(stack):
        if x.shape != first:
            raise ParameterError(
                f"Signals to be mixed have the same shape; the first has {first} and number {k} has {x.shape}. "
                "Bring them to one length with a time warp, or resample them."
            )
    single = all(x.dtype == np.float32 for x in stack)
    return [x.astype(np.float32 if single else float, copy=False) for x in stack]


def _shares(weights: ArrayLike | None, signals: int, frames: int, what: str) -> Floats:
    """Weights as (signals, 1) or (signals, frames) that sum to 1."""
    w = np.ones(signals) if weights is None else np.asarray(weights, dtype=float)
    if w.shape not in ((signals,), (signals, 1), (signals, frames)):
        raise ParameterError(
            f"{what} are ({signals},) or ({signals}, {frames}) for these signals; got shape {w.shape}."
        )
    if not np.isfinite(w).all():
        raise ParameterError(f"{what} hold a value that is not a finite number.")
    w = w.reshape(signals, -1)
    total = w.sum(axis=0)
    nothing = np.flatnonzero(np.abs(total) <= _NOTHING * np.abs(w).sum(axis=0))
    if len(nothing):
        where = f" in frame {nothing[0]}" if w.shape[1] > 1 else ""
        raise ParameterError(f"{what} sum to 0{where}, which leaves nothing to take an average of: raise one of them.")
    return np.asarray(w / total)


def _band_gains(gains: ArrayLike | None, signals: int, count: int) -> Floats:
    """Gains as (signals, bands), missing bands at 1."""
    whole = np.ones((signals, count))
    if gains is not None:
        g = np.asarray(gains, dtype=float)
        if g.ndim != 2 or len(g) != signals:
            raise ParameterError(f"Gains are ({signals}, bands) for these signals; got shape {g.shape}.")
        if not np.isfinite(g).all():
            raise ParameterError("A gain is not a number.")
        whole[:, : g.shape[1]] = g[:, :count]
    return whole
