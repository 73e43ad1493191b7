r"""Noise taken out of curves that keep their snap: smoothing splines whose stiffness follows the motion.

==========  ==========================================================================
denoise     tracks without their noise
Denoised    the tracks, and what was learnt about their noise
==========  ==========================================================================

A track is a curve of three numbers: the rotation vector of a joint, or a position. Each of its axes is seen as
:math:`y = x + n`. The third difference of the motion x has variance :math:`s p_t`, where the scale s belongs to the
axis and the profile p, which changes over time, to the track; the noise n has a level :math:`\sigma^2` and a colour
(:mod:`kinetune.signals.denoising.noise_colours`) with precision P. Then x solves the banded system

.. math:: (P / \sigma^2 + D^T \operatorname{diag}(1 / s p_t) D)\, x = P y / \sigma^2 .

Scale, profile and level are learnt from the clip by a few rounds of solving and looking: a difference counts with the
share :math:`\gamma_t` that the data decided (empirical Bayes, after MacKay). The level is read where the track is calm,
since fast motion looks like noise at a low frame rate. A joint at rest is so smoothed a lot and a striking one hardly,
nothing is delayed, and the ends need no padding.

Values that were rounded to a grid say something else: the truth lies anywhere within half a step. There each sample
counts as a normal number with the moments of what is left of the box, given all other samples (expectation
propagation, after Minka), and nothing leaves its box.

Notes
-----
Paper to code: D -> ``np.diff(x, 3)``, P -> ``Colour.precision``, :math:`\sigma^2` -> ``level``, :math:`\gamma` ->
``freedom``. White noise is as strong in eighth differences as in fourth ones and motion is not: the former bound
its level, and where they show little of it the tracks stay as they are. Laws:
``tests/signals/denoising/test_adaptive_spline.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.denoising.noise_colours import ORDER, SMOOTHED, WHITE, Colour, colours
from kinetune.signals.filters import butterworth, gaussian

Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

_kernels = Kernels("kinetune.signals.denoising.spline_kernels")

FEWEST = 12
"""Frames: shorter clips are left alone."""
_LANES = 8
_PROFILE_S = 0.12  # how fast the stiffness may change
_PRIOR = 3.0  # pull of the profile towards an even one, in samples
_POOL = 0.25  # how much of the profile all tracks share
_ROUNDS, _TRIAL_ROUNDS = 8, 6
_LEVEL_S = 0.3  # the noise is read in windows of this length,
_CALM, _CALM_Z = 0.2, -0.84162  # at this quantile of them, and where that lies on a bell curve
_START, _START_Z = 0.3, -0.52440  # the same for the first guess
_ROUGH_S = 0.06
_VOTERS = 0.2  # share of the tracks, the calmest, that decide on the colour
_MARGIN = 0.02  # nats a sample by which a colour must beat white, and again for each unit of slowness
_SURE = 0.5  # of that margin is waived where high differences prove that there is noise: then only its colour is open
_SHORT = 1.0  # and this much over the root of the number of samples: a short clip proves little
_CEILING = 1.2  # times the level that high differences show
_MOTION, _NOISE = 0.78, 0.9  # the level in high differences against low ones, where all is motion or all is noise
_TINY = 1e-13
_STILL = 1e-7
_SILENT = 1e-4  # noise below this share of the motion is left alone, to the bit
_REPEATS = (0.05, 0.999)
_LEAST_MOVE, _SHORTEST = 0.2, 0.05
_NEAR_GRID, _ON_GRID = 0.2, 0.7
_RAMPS = 0.8  # of the moves of a track are followed by the same one: no motion keeps to one speed for so long
_ROOM = 1.1  # times half a step around a rounded value: grids are seldom those of our axes, but nearly so
_ROUNDED_ROUNDS, _DAMPING = 10, 0.7
_CERTAIN = 0.9  # of what the full rate shows, on average, and nothing else is looked for
_ALIKE = 5.0  # noise that is smooth comes from one filter or solver: no track has this many times the usual
_SLOW_FPS = 30.0  # at this rate noise between 4 and 12 Hz is no longer smooth from frame to frame,
_SLOW_HZ = 14.0  # and nothing above this is known about it


class Denoised(NamedTuple):
    """Tracks without their noise.

    values : (frames, tracks, 3).
    noise : (tracks,) standard deviation of the noise about each axis; 0 for a track that stands still.
    colour : "white", or how the noise wanders.
    rounded : whether the values lay on a grid.
    """

    values: Floats
    noise: Floats
    colour: str
    rounded: bool = False


class _Fit(NamedTuple):
    """x (frames, axes), level and freedom (tracks,), evidence (axes,)."""

    x: Floats
    level: Floats
    freedom: Floats
    evidence: Floats


@dataclass(frozen=True, eq=False)
class _Tracks:
    """y (frames, axes) about its mean, and whether each axis moves (axes,).

    missing : (frames, tracks) as 0 and 1. turning : (tracks,) whether X and Z may be turned into each other.
    """

    y: Floats
    live: Bools
    missing: Floats
    turning: Bools
    fps: float

    def some(self, tracks: list[int]) -> _Tracks:
        axes = np.concatenate([np.arange(3 * k, 3 * k + 3) for k in tracks])
        return _Tracks(self.y[:, axes], self.live[axes], self.missing[:, tracks], self.turning[tracks], self.fps)

    def calm_level(self, squares: Floats, freedom: float) -> Floats:
        """A first noise variance (tracks,) from squares (frames, axes), read where they are small."""
        count = min(max(round(_LEVEL_S * self.fps), 6), len(squares))
        live = self.live.reshape(-1, 3)
        mean = (squares.reshape(len(squares), -1, 3) * live).sum(axis=2) / np.maximum(live.sum(axis=1), 1)
        total = np.cumsum(np.pad(mean, ((1, 0), (0, 0))), axis=0)
        windows = (total[count:] - total[:-count]) / count
        usual: Floats = np.quantile(windows, _START, axis=0)
        return np.asarray(np.maximum(usual / _quantile(freedom * count, _START_Z), _TINY))

    @cached_property
    def low_level(self) -> Floats:
        """The variance of white noise (tracks,) that fourth differences show."""
        return self.calm_level(np.diff(self.y, 4, axis=0) ** 2 / 70.0, 1.5)

    @cached_property
    def high_level(self) -> Floats:
        """The same in eighth differences, which show less of motion."""
        return self.calm_level(np.diff(self.y, 8, axis=0) ** 2 / 12870.0, 0.83)

    @cached_property
    def rough_level(self) -> Floats:
        """The variance of what a light smoothing takes off, for noise that is not white."""
        smooth = gaussian(self.y, self.fps, max(_ROUGH_S, 1.0 / self.fps), ends="held")
        return self.calm_level((self.y - smooth) ** 2, 1.5)


def denoise(
    values: Floats,
    fps: float,
    missing: Bools | None = None,
    *,
    turning: Bools | None = None,
    strength: float = 1.0,
    colour: str | None = None,
) -> Denoised:
    """Take the noise out of tracks, as much as they have, and keep their snap.

    Parameters
    ----------
    values : array, shape (frames, tracks, 3)
        Sampled at a fixed rate, in any unit.
    fps : float
        Frames per second.
    missing : bool array, shape (frames, tracks), optional
        Samples that say nothing; they are filled in from the others.
    turning : bool array, shape (tracks,), optional
        Tracks that are positions in a scene: turning them about Y before or after comes to the same.
    strength : float
        How much noise to assume, in units of what is found.
    colour : str, optional
        The noise is white or of this colour; where it is left out, all colours are tried.
    """
    full = _denoise(values, fps, missing, turning, strength, colour)
    if full.denoised.colour.startswith(SMOOTHED):
        full = full._replace(denoised=_without_odd_ones(full.denoised, values))
    step = int(fps // _SLOW_FPS)
    if step < 2 or len(values) < FEWEST * step or np.mean(full.certainty) > _CERTAIN:
        return full.denoised
    slow = _denoise_slowly(values, fps, step, missing, turning, strength, colour)
    share = full.certainty[:, None]
    mixed = values + share * (full.denoised.values - values) + (1.0 - share) * (slow.values - values)
    noise = np.where(full.certainty > 0.5, full.denoised.noise, slow.noise)
    return Denoised(mixed, noise, full.denoised.colour if np.mean(full.certainty) > 0.5 else slow.colour)


class _Answer(NamedTuple):
    """What is seen at one rate, and how certain (tracks,) it is, from 0 to 1: smooth noise hides at a high rate."""

    denoised: Denoised
    certainty: Floats


def _denoise_slowly(
    values: Floats,
    fps: float,
    step: int,
    missing: Bools | None,
    turning: Bools | None,
    strength: float,
    colour: str | None,
) -> Denoised:
    """Take out noise that is smooth from frame to frame, at a rate at which it is not: every ``step``-th frame.

    Each of the ``step`` ways to begin is a set of tracks of its own; what they take off is joined and smoothed.
    """
    frames, count = values.shape[:2]
    rows = -(-frames // step)
    gone = np.ones((rows * step, count), dtype=bool)
    gone[:frames] = False if missing is None else missing
    padded = np.concatenate([values, np.repeat(values[-1:], rows * step - frames, axis=0)])
    turned = None if turning is None else np.tile(turning, step)
    slow = _denoise(
        padded.reshape(rows, step * count, 3), fps / step, gone.reshape(rows, step * count), turned, strength, colour
    )
    if not slow.denoised.colour.startswith(SMOOTHED):  # other noise would show at the full rate as well
        return Denoised(values, np.zeros(count), slow.denoised.colour)
    change = (slow.denoised.values.reshape(-1, count, 3) - padded)[:frames]
    noise = slow.denoised.noise.reshape(step, count).mean(axis=0)
    smooth = Denoised(values + butterworth(change, fps, _SLOW_HZ), noise, slow.denoised.colour)
    return _without_odd_ones(smooth, values)


def _without_odd_ones(smooth: Denoised, values: Floats) -> Denoised:
    """Tracks that have far more of a smooth noise than the others strike, shake or were planted: as they were."""
    moving = (np.ptp(values, axis=0) > _STILL).any(axis=1)
    odd = smooth.noise > _ALIKE * np.median(smooth.noise[moving])
    return Denoised(np.where(odd[:, None], values, smooth.values), np.where(odd, 0.0, smooth.noise), smooth.colour)


def _denoise(
    values: Floats,
    fps: float,
    missing: Bools | None,
    turning: Bools | None,
    strength: float,
    colour: str | None,
) -> _Answer:
    frames, count = values.shape[:2]
    flat = np.asarray(values, dtype=float).reshape(frames, 3 * count)
    live = flat.std(axis=0) > _STILL
    turned = np.zeros(count, dtype=bool) if turning is None else np.asarray(turning)
    live.reshape(-1, 3)[:, ::2] |= turned[:, None] & live.reshape(-1, 3)[:, ::2].any(axis=1, keepdims=True)
    if frames < FEWEST or not live.any():
        return _Answer(Denoised(values, np.zeros(count), "white"), np.ones(count))
    mean = flat.mean(axis=0)
    gone = np.zeros((frames, count)) if missing is None else np.asarray(missing, dtype=float)
    tracks = _Tracks(flat - mean, live, gone, turned, fps)
    half = _half_steps(tracks)
    floor = np.square(half).reshape(-1, 3).mean(axis=1) / 3.0  # the variance of what rounding adds
    white, *others = (one for one in colours(fps, frames) if colour in (None, one.name) or one.name == WHITE)
    fit, chosen = _fit(tracks, white, tracks.low_level, floor), white
    moving = live.reshape(-1, 3).any(axis=1)
    loud = moving & (fit.level > _SILENT**2 * np.square(tracks.y).reshape(frames, -1, 3).sum(axis=2).mean(axis=0))
    if not loud.any():
        return _Answer(Denoised(values, np.zeros(count), white.name), np.zeros(count))
    on_grid = np.mean(floor[moving] > 0.0) > 0.3
    if on_grid:
        fit = fit._replace(x=_fit_rounded(tracks, white, half * strength, fit.level * strength**2))
    else:
        chosen = _choose_colour(tracks, loud, white, others, fit) if others else white
        if chosen is not white or strength != 1.0:
            start = tracks.low_level if chosen is white else tracks.rough_level
            fit = _fit(tracks, chosen, start, floor, strength=strength)
    share = loud * 1.0 if chosen.smooth or on_grid else _noise_share(tracks, loud)
    smooth = np.where(live & np.repeat(share > 0.0, 3), flat + np.repeat(share, 3) * (mean + fit.x - flat), flat)
    noise = np.sqrt(fit.level * chosen.power) * share
    denoised = Denoised(smooth.reshape(values.shape), noise, chosen.name, bool(on_grid))
    return _Answer(denoised, np.where(moving, share * (not chosen.smooth), 1.0))


def _in_lanes(tracks: _Tracks) -> tuple[Floats, Indices, Indices]:
    """The axes of tracks as channels in blocks of eight, the track of each, and the one whose scale it shares."""
    frames, axes = tracks.y.shape
    padded = -(-axes // _LANES) * _LANES
    y, owner = np.zeros((frames, padded)), np.full(padded, -1)
    y[:, :axes] = tracks.y
    owner[:axes] = np.where(tracks.live, np.arange(axes) // 3, -1)
    partner = np.arange(padded)
    for track in np.flatnonzero(tracks.turning).tolist():
        partner[3 * track], partner[3 * track + 2] = 3 * track + 2, 3 * track
    return y, owner, partner


def _fit(
    tracks: _Tracks, colour: Colour, start: Floats, floor: Floats, *, rounds: int = _ROUNDS, strength: float = 1.0
) -> _Fit:
    frames, axes = tracks.y.shape
    y, owner, partner = _in_lanes(tracks)
    window = min(max(round(_LEVEL_S * tracks.fps), 6), frames - ORDER)
    width = max(_PROFILE_S * tracks.fps, 1.0)
    bias = _quantile(2.0 * window, _CALM_Z)
    ceiling = np.full(len(start), np.inf)
    if len(colour.phi) == 1:  # white noise is as strong in high differences as in low ones; motion is not
        ceiling = _CEILING * tracks.high_level
    x, level, freedom, evidence = _kernels.load().fit_splines(
        y,
        owner,
        partner,
        np.ascontiguousarray(tracks.missing),
        (colour.precision, colour.phi, colour.log_determinant),
        (start / colour.power, np.maximum(floor / colour.power, 0.1 * _TINY), ceiling),
        (rounds, width, _PRIOR, _POOL, window, _CALM, bias, strength),
    )
    return _Fit(x[:, :axes], level, freedom, evidence[:axes])


def _noise_share(tracks: _Tracks, loud: Bools) -> Floats:
    """How much (tracks,) of what a fit takes off is noise, from 0 to 1: all where high differences show as much of it.

    Fast motion at a low rate, and motion that the solver of a capture has smoothed, pass for noise in low differences
    alone. Rotations are judged together, and so are positions.
    """
    low, high = tracks.low_level, tracks.high_level
    share = np.zeros(len(low))
    for group in (loud & tracks.turning, loud & ~tracks.turning):
        if group.any():
            share[group] = np.clip((np.median(high[group] / low[group]) - _MOTION) / (_NOISE - _MOTION), 0.0, 1.0)
    return share


def _quantile(freedom: float, z: float) -> float:
    """A quantile of the mean of that many squared normal numbers, by Wilson and Hilferty."""
    spread = 2.0 / (9.0 * freedom)
    return float((1.0 - spread + z * np.sqrt(spread)) ** 3)


def _half_steps(tracks: _Tracks) -> Floats:
    """Half a step (axes,) of values that were rounded to a grid; 0 for values that were not.

    Some of the tracks on a grid repeat their values and show its step; then all whose moves are multiples of it are on
    it. Rotations are judged together, and so are positions. A track that makes the same move again and again is
    interpolated between keys, whose ramps are multiples of a step only by chance.
    """
    signed = np.diff(tracks.y, axis=0)
    moves = np.abs(signed)
    repeats = np.mean(moves < _STILL, axis=0)
    half = np.zeros(tracks.y.shape[1])
    for group in (tracks.turning, ~tracks.turning):
        axes = np.repeat(group, 3) & tracks.live
        slow = axes & (repeats > _REPEATS[0]) & (repeats < _REPEATS[1])
        steps = [_step(moves[:, axis]) for axis in np.flatnonzero(slow).tolist()]
        step = float(np.median(steps)) if steps else 0.0
        for axis in np.flatnonzero(axes).tolist() if step > 0.0 else ():
            moved = moves[:, axis] > _LEAST_MOVE * step
            steps_made = moves[moved, axis] / step
            on_it = np.abs(steps_made - np.round(steps_made)) < _NEAR_GRID
            again = (np.abs(np.diff(signed[:, axis])) < _NEAR_GRID * step)[moved[:-1]]
            rounded = on_it.sum() > _ON_GRID * len(on_it) and again.sum() < _RAMPS * max(len(again), 1)
            half[axis] = 0.5 * step if rounded else 0.0
    return half


def _step(moves: Floats) -> float:
    """The step of a grid, from the moves between samples on it."""
    large = moves[moves > max(_STILL, _LEAST_MOVE * float(moves.max()))]
    return float(np.quantile(large, _SHORTEST)) if len(large) else 0.0


def _fit_rounded(tracks: _Tracks, white: Colour, half: Floats, level: Floats) -> Floats:
    """Smooth tracks (frames, axes) within half a step of values that were rounded; other tracks have white noise."""
    y, owner, partner = _in_lanes(tracks)
    constants = (_ROUNDED_ROUNDS, max(_PROFILE_S * tracks.fps, 1.0), _PRIOR, _POOL, _DAMPING)
    sites = np.zeros(y.shape[1]), np.ones(y.shape[1])
    axes = len(half)
    sites[0][:axes], sites[1][:axes] = half * _ROOM, np.repeat(np.maximum(level, _TINY), 3)
    missing = np.ascontiguousarray(tracks.missing)
    x = _kernels.load().fit_rounded(y, owner, partner, missing, (white.precision, *sites), constants)
    return np.asarray(x[:, :axes])


def _choose_colour(tracks: _Tracks, loud: Bools, white: Colour, others: Sequence[Colour], fit: _Fit) -> Colour:
    """The colour that explains the calmest of the tracks with noise best; white unless another is clearly better."""
    calmest = np.flatnonzero(loud)[np.argsort(fit.freedom[loud])].tolist()
    voters = sorted(calmest[: max(3, round(_VOTERS * len(calmest)))])
    part = tracks.some(voters)
    samples = len(part.y) * int(part.live.sum())
    start, floor = part.rough_level, np.zeros(len(voters))
    best, chosen = fit.evidence.reshape(-1, 3)[voters].sum() / samples, white
    margin = _MARGIN * (1.0 - _SURE * float(np.median(_noise_share(tracks, loud)[loud])))
    for colour in others:
        evidence = _fit(part, colour, start, floor, rounds=_TRIAL_ROUNDS).evidence.sum() / samples
        proof = evidence - margin * (1.0 + colour.slowness) - _SHORT / np.sqrt(samples)
        if proof > best:
            best, chosen = proof, colour
    return chosen
