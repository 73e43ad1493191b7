"""Samples that do not belong to a curve: spikes, short flips and dropouts.

===============  ==========================================================================================
find_excursions  short runs that jump away and come back
find_dropouts    short runs in which a track stands still that never does otherwise
bridge           tracks with such samples interpolated from the good ones on both sides
===============  ==========================================================================================

Tracks are (frames, tracks, 4) unit quaternions wxyz or (frames, tracks, n) vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

Bools = NDArray[np.bool_]

_kernels = Kernels("kinetune.signals.denoising.excursion_kernels")

LONGEST_S = 0.07
_NEARBY_S = 0.25
_TREND_S = 0.06
_FRAMES_OF_TREND = 3.0  # a trend of fewer frames takes a strike for one that comes back
_LIMITS = (4.0, 1.8, 0.6, 2.0, 3.0)  # see the kernel
_AT_LOW_RATES = (4.0, 1.8, 0.9, 2.0, 3.0)  # a limb moves on by more while a spike of some frames of 1/30 s lasts
_PLAIN, _PASSES = 2, 5
_SAME = 1e-7
_ROUNDED = 2.5  # steps of a grid that a jump makes at least: values that were rounded jump by one, and back
_STILL, _FEW_STEPS, _ALIKE, _OFTEN = 1e-6, 20, 0.03, 0.15
_CATCHES_UP = 1.5
_HELD_S, _HELD = 0.1, 6


def find_excursions(x: Floats, fps: float, floor: float) -> Bools:
    """Where (frames, tracks) a track jumps away and comes back within 70 ms, or within three frames.

    Parameters
    ----------
    x : array, shape (frames, tracks, 4) or (frames, tracks, n)
        Unit quaternions or vectors.
    fps : float
        Frames per second.
    floor : float
        The least jump that counts, in radians or in the unit of the vectors.

    Notes
    -----
    The jumps in and out must be far larger than the track's usual step *and* than most steps nearby, and what lies
    before the run must be close to what lies after it: a kick is neither. A jump is sudden: the steps just outside of
    the run are far smaller. And the run is off the course that leads from one side to the other, on which a limb lies
    that swings out and back. Large excursions are looked for
    first; then, with those bridged, smaller ones that the motion had hidden, in what is left without the trend.
    """
    frames = len(x)
    outside = np.zeros(x.shape[:2], dtype=bool)
    if frames < 5:
        return outside
    kernels = _kernels.load()
    half = min(max(4, int(_NEARBY_S * fps)), frames - 2)
    longest = min(max(3, round(LONGEST_S * fps)), frames - 2)
    now = np.require(x, float, ("C", "W"))
    turned = x.shape[2] == 4
    floor = max(floor, _ROUNDED * _grid_step(_steps(x)))
    slow = turned and _TREND_S * fps < _FRAMES_OF_TREND
    passes, limits = (_PLAIN, _AT_LOW_RATES) if slow else (_PASSES, _LIMITS)
    for number in range(passes):
        plain = number < _PLAIN and turned
        track = now if plain else kernels.without_trend(now, max(_TREND_S * fps, 1.0))
        new = kernels.find_excursions(track, half, longest, floor, limits) & ~outside
        if not new.any():
            if plain:
                continue
            break
        outside |= new
        now = bridge(x, outside)
    return outside


def find_dropouts(x: Floats, fps: float) -> Bools:
    """Where (frames, tracks) a track repeats its last sample for up to a tenth of a second, but moves otherwise.

    A dropout ends with a jump that catches up with the motion. A joint that rests at its limit has none; it is left
    alone, and so are tracks whose values lie on a grid and repeat all the time.
    """
    step = _steps(x)
    same = np.concatenate([np.zeros((1, x.shape[1]), dtype=bool), step < _SAME])
    share = same.mean(axis=0)
    moving = share < 0.98
    if not moving.any() or np.median(share[moving]) > 0.05:
        return np.zeros_like(same)
    same &= share < 0.15
    for track in np.flatnonzero(same.any(axis=0)).tolist():
        for start, stop in true_ranges(same[:, track]):
            after = step[stop : stop + 2, track]
            catches_up = len(after) > 0 and step[stop - 1, track] > _CATCHES_UP * after.mean()
            if stop - start > max(_HELD, _HELD_S * fps) or not catches_up:
                same[start:stop, track] = False
    return same


def _steps(x: Floats) -> Floats:
    """(frames - 1, tracks) how far each sample is from the one before."""
    if x.shape[2] == 4:
        return np.asarray(2.0 * np.arccos(np.minimum(np.abs(np.einsum("fjk,fjk->fj", x[1:], x[:-1])), 1.0)))
    return np.asarray(np.linalg.norm(np.diff(x, axis=0), axis=-1))


def _grid_step(steps: Floats) -> float:
    """The least step of tracks whose values were rounded, which is made again and again; 0 where none is."""
    made = steps[steps > _STILL]
    if len(made) < _FEW_STEPS or len(made) == steps.size:
        return 0.0
    least = float(np.quantile(made, 0.1))
    return least if np.mean(np.abs(made - least) < _ALIKE * least) > _OFTEN else 0.0


def bridge(x: Floats, gone: Bools) -> Floats:
    """Tracks with the samples marked in ``gone`` (frames, tracks) interpolated; beyond the last good one it is held."""
    whole = np.array(x, dtype=float)
    for track in np.flatnonzero(gone.any(axis=0)).tolist():
        good, at = np.flatnonzero(~gone[:, track]), np.flatnonzero(gone[:, track])
        if len(good) == 0:
            continue
        after = np.searchsorted(good, at)
        a, b = good[np.maximum(after - 1, 0)], good[np.minimum(after, len(good) - 1)]
        u = np.where(a == b, 0.0, (at - a) / np.maximum(b - a, 1))
        if x.shape[2] == 4:
            whole[at, track] = rot.normalize(rot.slerp(x[a, track], x[b, track], u))
        else:
            whole[at, track] = x[a, track] + u[:, None] * (x[b, track] - x[a, track])
    return whole
