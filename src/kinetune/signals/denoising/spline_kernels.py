"""Compiled: smoothing splines of many channels at once, and how their stiffness and noise are learnt.

Channels lie side by side in blocks of eight, one cache line of float64, so that every step of the banded factorization
is one vector instruction. What a block of a few hundred frames needs fits in the cache.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import line_of, load_line, store
from kinetune.rotations import Floats
from kinetune.signals.denoising.noise_colours import ORDER

LANES = 8
STENCIL = (-1.0, 3.0, -3.0, 1.0)
_LEAST = 1e-300
_LEAST_SITE = 1e-3
_FAR_OUT = 30.0
_ROOT_2, _DENSITY = math.sqrt(2.0), 1.0 / math.sqrt(2.0 * math.pi)
_FREE = (1e-4, 1.0)
_ENOUGH = 0.15


@njit(**INNER)
def _solve_block(data, results, precision, at, room):
    """Smooth the eight channels from ``at`` on.

    A = W P W / level + D' diag(stiff) D is factored as L diag(pivot) L'. Takahashi's recursion gives the band of its
    inverse; spread is the variance of D x, and variance that of x, unless it is empty. Row t of the working arrays is
    at t + width, with rows of zeros before and after.
    """
    y, weight, stiff, level = data
    x, spread, misfit, variance = results
    low, inverse, pivot, row = room
    frames, channels = y.shape
    bands = precision.shape[1]
    width, line = bands - 1, bands * LANES
    over, nothing, one = line_of(1.0) / load_line(level, at), line_of(0.0), line_of(1.0)
    missed = nothing
    low[:] = 0.0
    for t in range(frames):  # assemble, factor, and solve forwards
        here, place = (t + width) * line, t * channels + at
        right, w = nothing, load_line(weight, place) * over
        for d in range(bands):
            value = nothing
            if precision[t, d] != 0.0:
                there = place + d * channels
                value = line_of(precision[t, d]) * w * load_line(weight, there)
                right = right + value * load_line(y, there)
            store(row, d * LANES, value)
            if 0 < d <= t and precision[t - d, d] != 0.0:
                there = place - d * channels
                right = right + line_of(precision[t - d, d]) * w * load_line(weight, there) * load_line(y, there)
        for i in range(max(0, t - frames + ORDER + 1), min(ORDER, t) + 1):  # row t - i of D has entry i at frame t
            s = load_line(stiff, place - i * channels)
            for d in range(ORDER + 1 - i):
                store(row, d * LANES, load_line(row, d * LANES) + line_of(STENCIL[i] * STENCIL[i + d]) * s)
        missed = missed + load_line(y, place) * right
        for k in range(1, min(width, t) + 1):
            before = here - k * line
            entry = load_line(low, before + k * LANES)
            f = entry * load_line(pivot, before // bands)
            store(row, 0, load_line(row, 0) - entry * f)
            right = right - entry * load_line(x, place - k * channels)
            for d in range(1, bands - k):
                store(row, d * LANES, load_line(row, d * LANES) - load_line(low, before + (k + d) * LANES) * f)
        corner = load_line(row, 0)
        inside = one / corner
        store(pivot, here // bands, corner)
        store(x, place, right)
        missed = missed - right * right * inside
        for d in range(1, bands):
            store(low, here + d * LANES, load_line(row, d * LANES) * inside)
    store(misfit, at, missed)
    for t in range(frames - 1, -1, -1):  # solve backwards, and the band of the inverse
        here, place = (t + width) * line, t * channels + at
        inside = one / load_line(pivot, here // bands)
        value = load_line(x, place) * inside
        for d in range(1, min(bands, frames - t)):
            value = value - load_line(low, here + d * LANES) * load_line(x, place + d * channels)
        store(x, place, value)
        corner = inside
        for d in range(1, bands):
            value = nothing
            for e in range(1, bands):
                near, apart = min(d, e), abs(d - e)
                value = value - load_line(low, here + e * LANES) * load_line(
                    inverse, here + near * line + apart * LANES
                )
            store(inverse, here + d * LANES, value)
            corner = corner - load_line(low, here + d * LANES) * value
        store(inverse, here, corner)
        if len(variance):
            store(variance, place, corner)
    for t in range(frames - ORDER):
        here, place = (t + width) * line, t * channels + at
        value = nothing
        for i in range(ORDER + 1):
            for j in range(i + 1):
                f = STENCIL[i] * STENCIL[j] * (1.0 if i == j else 2.0)
                value = value + line_of(f) * load_line(inverse, here + j * line + (i - j) * LANES)
        store(spread, place, value)


@njit(**INNER)
def _solve(data, results, precision, log_pivots):
    """All channels; the log determinants of A are added to ``log_pivots`` (channels,) unless that is empty."""
    frames, channels = data[0].shape
    bands = precision.shape[1]
    rows = frames + 2 * bands
    low, inverse = np.zeros((rows, bands, LANES)), np.zeros((rows, bands, LANES))
    pivot, row = np.zeros((rows, LANES)), np.zeros((bands, LANES))
    for at in range(0, channels, LANES):
        _solve_block(data, results, precision, at, (low, inverse, pivot, row))
        if len(log_pivots):
            for t in range(bands - 1, frames + bands - 1):
                for c in range(LANES):
                    log_pivots[at + c] += np.log(pivot[t, c])


@njit(cache=True, nogil=True)
def solve_splines(y: Floats, precision: Floats, weight: Floats, stiff: Floats, level: Floats) -> Any:
    """Smooth channels (frames, channels), a multiple of eight.

    precision : (frames, bands) of noise of level 1: [t, d] couples frames t and t + d, and is 0 beyond the end.
    weight : (frames, channels) root of the weight of each sample, 0 where it is missing.
    stiff : (frames - 3, channels) one over the variance of the third difference.
    level : (channels,) of the noise.
    Returns x, the variance of D x, and of each channel log det A and y'Py - x'Py.
    """
    x = np.empty_like(y)
    spread, misfit = np.empty((len(y) - ORDER, y.shape[1])), np.empty(y.shape[1])
    log_pivots = np.zeros(y.shape[1])
    _solve((y, weight, stiff, level), (x, spread, misfit, np.empty((0, 0))), precision, log_pivots)
    return x, spread, log_pivots, misfit


@njit(**INNER)
def _running_mean(values, half, total, result):
    """Means over 2 half + 1 rows, fewer at the ends."""
    rows, columns = values.shape
    total[:] = 0.0
    count = min(half, rows)
    for t in range(count):
        for c in range(columns):
            total[c] += values[t, c]
    for t in range(rows):
        if t + half < rows:
            for c in range(columns):
                total[c] += values[t + half, c]
            count += 1
        if t - half - 1 >= 0:
            for c in range(columns):
                total[c] -= values[t - half - 1, c]
            count -= 1
        share = 1.0 / count
        for c in range(columns):
            result[t, c] = total[c] * share


@njit(**INNER)
def _blur(values, width):
    """Three running means: a bell curve with a standard deviation of ``width`` rows."""
    half = max(1, int((np.sqrt(4.0 * width * width + 1.0) - 1.0) / 2.0 + 0.5))
    once, total = np.empty_like(values), np.empty(values.shape[1])
    _running_mean(values, half, total, once)
    _running_mean(once, half, total, values)
    _running_mean(values, half, total, once)
    values[:] = once


@njit(**INNER)
def _quantile(values, count, share):
    """A quantile of the first ``count`` values."""
    ordered = np.sort(values[:count])
    at = share * (count - 1)
    k = min(int(at), max(count - 2, 0))
    return ordered[k] if count == 1 else ordered[k] + (at - k) * (ordered[k + 1] - ordered[k])


@njit(**INNER)
def _learn_levels(data, x, phi, freedom, owner, axes, model, level):
    """The noise of each group where the clip is calm: a low quantile, over windows, of what is left per freedom."""
    window, share, bias, floor, ceiling = model
    y, weight = data[0], data[1]
    frames, channels = y.shape
    groups, rows = len(axes), frames - ORDER
    left, free = np.zeros((rows, groups)), np.zeros((rows, groups))
    u = np.empty(channels)
    for t in range(rows):
        u[:] = 0.0
        for i in range(min(len(phi), t + ORDER + 1)):
            s = t + ORDER - i
            for c in range(channels):
                u[c] += phi[i] * (y[s, c] - x[s, c]) * weight[s, c]
        for c in range(channels):
            g = owner[c]
            if g >= 0:
                left[t, g] += u[c] * u[c]
                free[t, g] += weight[t + ORDER, c] ** 2 - freedom[t, c]
    stride = max(1, window // 4)
    ratios = np.empty(rows)
    for g in range(groups):
        if axes[g] == 0.0:
            continue
        count, a, b = 0, 0.0, 0.0
        for t in range(rows):
            a += left[t, g]
            b += free[t, g]
            if t >= window:
                a -= left[t - window, g]
                b -= free[t - window, g]
            if t >= window - 1 and (t - window + 1) % stride == 0 and b > _ENOUGH * axes[g] * window:
                ratios[count] = a / b
                count += 1
        if count * stride < window:
            estimate = left[:, g].sum() / max(free[:, g].sum(), 0.05 * rows * axes[g])
        else:
            estimate = _quantile(ratios, count, share) / bias
        level[g] = max(min(estimate, ceiling[g]), floor[g])


@njit(**INNER)
def _learn_profile(x, spread, stiff, scale, profile, owner, partner, axes, model, freedom):
    """The stiffness over time of each group, and the scale of each channel."""
    width, prior, pool, tiny = model
    rows, channels = spread.shape
    groups = len(axes)
    energy = np.empty_like(spread)
    total, freed = np.zeros(channels), np.zeros(channels)
    for t in range(rows):
        for c in range(channels):
            d = x[t + 3, c] - 3.0 * x[t + 2, c] + 3.0 * x[t + 1, c] - x[t, c]
            energy[t, c] = d * d
            freedom[t, c] = min(max(1.0 - spread[t, c] * stiff[t, c], _FREE[0]), _FREE[1])
            total[c] += energy[t, c] * stiff[t, c] * scale[c]  # over the profile, which is 1 / (stiff scale)
            freed[c] += freedom[t, c]
    share = np.zeros(channels)
    for c in range(channels):
        k = partner[c]
        scale[c] = max((total[c] + total[k]) / (freed[c] + freed[k]), tiny[c])
        if owner[c] >= 0:
            share[c] = 1.0 / (scale[c] * axes[owner[c]])
    e, f = np.zeros((rows, groups)), np.zeros((rows, groups))
    alive = max(1, np.count_nonzero(axes))
    for t in range(rows):
        for c in range(channels):
            g = owner[c]
            if g >= 0:
                e[t, g] += energy[t, c] * share[c]
                f[t, g] += freedom[t, c] / axes[g]
        all_e, all_f = pool * e[t].sum() / alive, pool * f[t].sum() / alive
        for g in range(groups):
            e[t, g] += all_e
            f[t, g] += all_f
    _blur(e, width)
    _blur(f, width)
    window = 3.54 * width * 3.0
    mean = np.zeros(groups)
    for t in range(rows):
        for g in range(groups):
            profile[t, g] = (e[t, g] * window + prior) / (f[t, g] * window + prior)
            mean[g] += profile[t, g] / rows
    for t in range(rows):
        for g in range(groups):
            profile[t, g] = max(profile[t, g] / mean[g], 1e-6)
    for c in range(channels):
        if owner[c] >= 0:
            scale[c] *= mean[owner[c]]


@njit(cache=True, nogil=True)
def fit_splines(y: Floats, owner: Any, partner: Any, missing: Floats, noise: Any, start: Any, constants: Any) -> Any:
    """Learn the stiffness and the noise of all channels, and smooth them.

    y : (frames, channels), a multiple of eight. owner : (channels,) the group of each; -1 for one that does not count.
    partner : (channels,) the channel with which each shares its scale; itself where it has none.
    missing : (frames, groups) 1 where a sample says nothing.
    noise : (precision, phi, log determinant) of the colour.
    start : (level, floor, ceiling), (groups,) each.
    constants : (rounds, width, prior, pool, window, share, bias, strength).
    Returns x, level (groups,), freedom (groups,), evidence (channels,).
    """
    precision, phi, log_determinant = noise
    first_level, floor, ceiling = start
    rounds, width, prior, pool, window, share, bias, strength = constants
    frames, channels = y.shape
    groups, rows = len(first_level), frames - ORDER
    level, profile, axes = (
        np.maximum(np.minimum(first_level, ceiling), floor),
        np.ones((rows, groups)),
        np.zeros(groups),
    )
    scale, used, tiny = np.ones(channels), np.ones(channels), np.ones(channels)
    stiff, freedom, spread = np.ones((rows, channels)), np.ones((rows, channels)), np.empty((rows, channels))
    weight = np.ones((frames, channels))
    x, misfit, log_pivots = np.empty_like(y), np.empty(channels), np.zeros(channels)
    for c in range(channels):
        if owner[c] >= 0:
            axes[owner[c]] += 1.0
            scale[c] = 1e-2 * level[owner[c]]
            for t in range(frames):
                weight[t, c] = 1.0 - missing[t, owner[c]]
    data, results = (y, weight, stiff, used), (x, spread, misfit, np.empty((0, 0)))
    for number in range(rounds):
        last = number == rounds - 1
        for c in range(channels):
            if owner[c] >= 0:
                used[c] = level[owner[c]] * (strength * strength if last else 1.0)
                tiny[c] = 1e-9 * used[c]
        for t in range(rows):
            for c in range(channels):
                if owner[c] >= 0:
                    stiff[t, c] = 1.0 / max(scale[c] * profile[t, owner[c]], _LEAST)
        _solve(data, results, precision, log_pivots if last else log_pivots[:0])
        if last:
            break
        _learn_profile(x, spread, stiff, scale, profile, owner, partner, axes, (width, prior, pool, tiny), freedom)
        if number >= 1:
            _learn_levels(data, x, phi, freedom, owner, axes, (window, share, bias, floor, ceiling), level)
    evidence, mean_freedom = np.zeros(channels), np.zeros(groups)
    for c in range(channels):
        if owner[c] >= 0:
            total = log_determinant - frames * np.log(used[c]) - log_pivots[c] - misfit[c]
            for t in range(rows):
                total += np.log(stiff[t, c])
            evidence[c] = 0.5 * total
            mean_freedom[owner[c]] += freedom[:, c].mean() / axes[owner[c]]
    return x, level, mean_freedom, evidence


@njit(**INNER)
def _moments_within(mean, variance, middle, half):
    """Mean and variance of a normal number of which is known that it is within ``half`` of ``middle``."""
    root = np.sqrt(variance)
    side = 1.0 if middle >= mean else -1.0  # mirrored, so that the box lies to the right
    away = abs(middle - mean) / root
    a, b = away - half / root, away + half / root
    if a > _FAR_OUT:  # the density falls as exp(-a u) from the edge
        return mean + side * root * min(a + 1.0 / a, b), variance / (a * a)
    at_a, at_b = np.exp(-0.5 * a * a), np.exp(-0.5 * b * b)
    mass = 0.5 * (math.erfc(a / _ROOT_2) - math.erfc(b / _ROOT_2)) / _DENSITY
    shift = (at_a - at_b) / mass
    left = 1.0 + (a * at_a - b * at_b) / mass - shift * shift
    return mean + side * root * shift, variance * min(max(left, 1e-6), 1.0)


@njit(cache=True, nogil=True)
def fit_rounded(y: Floats, owner: Any, partner: Any, missing: Floats, noise: Any, constants: Any) -> Any:
    """Learn the stiffness of channels whose values were rounded, and smooth them within the steps.

    What was rounded lies anywhere within half a step of its value. Each sample stands for a normal number whose
    moments are those of the truth within that box, given all other samples (expectation propagation).

    y, owner, partner, missing : as in :func:`fit_splines`.
    noise : (precision, half a step, level), the latter two (channels,); where the former is 0, noise is normal.
    constants : (rounds, width, prior, pool, damping).
    Returns x.
    """
    precision, half, level = noise
    rounds, width, prior, pool, damping = constants
    frames, channels = y.shape
    groups, rows = missing.shape[1], frames - ORDER
    profile, axes = np.ones((rows, groups)), np.zeros(groups)
    scale, tiny, used = np.ones(channels), np.ones(channels), np.ones(channels)
    stiff, freedom, spread = np.ones((rows, channels)), np.ones((rows, channels)), np.empty((rows, channels))
    site, weight, aim = np.ones((frames, channels)), np.ones((frames, channels)), y.copy()
    x, variance, misfit = np.empty_like(y), np.empty_like(y), np.empty(channels)
    for c in range(channels):
        if owner[c] >= 0:
            axes[owner[c]] += 1.0
            spread_of = half[c] ** 2 / 3.0 if half[c] > 0.0 else level[c]
            scale[c], tiny[c] = 1e-2 * spread_of, 1e-9 * spread_of
            for t in range(frames):
                site[t, c] = (1.0 - missing[t, owner[c]]) / spread_of
    for number in range(rounds):
        for t in range(rows):
            for c in range(channels):
                if owner[c] >= 0:
                    stiff[t, c] = 1.0 / max(scale[c] * profile[t, owner[c]], _LEAST)
        weight[:] = np.sqrt(site)
        _solve((aim, weight, stiff, used), (x, spread, misfit, variance), precision, misfit[:0])
        if number == rounds - 1:
            break
        _learn_profile(x, spread, stiff, scale, profile, owner, partner, axes, (width, prior, pool, tiny), freedom)
        for t in range(frames):
            for c in range(channels):
                w = site[t, c]
                if owner[c] < 0 or half[c] == 0.0 or w == 0.0:
                    continue
                others = 1.0 / max(1.0 / variance[t, c] - w, _LEAST_SITE / half[c] ** 2)
                middle = others * (x[t, c] / variance[t, c] - w * aim[t, c])
                mean, left = _moments_within(middle, others, y[t, c], half[c])
                new = max(1.0 / left - 1.0 / others, _LEAST_SITE / half[c] ** 2)
                site[t, c] = (1.0 - damping) * w + damping * new
                aim[t, c] = ((1.0 - damping) * w * aim[t, c] + damping * (mean / left - middle / others)) / site[t, c]
    for t in range(frames):
        for c in range(channels):
            if half[c] > 0.0 and owner[c] >= 0 and missing[t, owner[c]] == 0.0:
                x[t, c] = min(max(x[t, c], y[t, c] - half[c]), y[t, c] + half[c])
    return x


def warm_up() -> None:
    """Compile every kernel."""
    y, flat = np.zeros((12, LANES)), np.ones((12, LANES))
    y[:, 0] = np.arange(12.0) ** 2 % 7
    precision, phi = np.zeros((12, 4)), np.ones(1)
    precision[:, 0] = 1.0
    solve_splines(y, precision, flat, np.ones((9, LANES)), np.ones(LANES))
    owner = np.where(np.arange(LANES) == 0, 0, -1)
    constants = (2, 2.0, 3.0, 0.25, 6, 0.4, 1.0, 1.0)
    fit_splines(
        y,
        owner,
        np.arange(LANES),
        np.zeros((12, 1)),
        (precision, phi, 0.0),
        (np.ones(1), np.zeros(1), np.ones(1)),
        constants,
    )
    boxes = (precision, np.full(LANES, 0.5), np.ones(LANES))
    fit_rounded(y, owner, np.arange(LANES), np.zeros((12, 1)), boxes, (2, 2.0, 3.0, 0.25, 0.7))
