"""Cubic segments fitted to a moving curve, compiled.

A segment runs from sample i to sample j of the curve in every frame. Its handles follow from least squares over the
samples between, each at its parameter; parameters start as shares of the chord length and are improved by Newton
steps. Errors bound the distance both ways: from each sample to the cubic at its parameter, and from the cubic half way
between two parameters to the chord between the two samples.

``test_bezier_films.py`` holds the fit against a dense least-squares solution.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.loader import INNER

Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_ROUNDS = 5
_ALONG = 0.1
_RIDGE = 1e-5  # towards the thirds of the chord: handles of short and straight segments stay still over time


@njit(**INNER)
def _point(p0: complex, p1: complex, p2: complex, p3: complex, t: float) -> complex:
    s = 1.0 - t
    return s * s * s * p0 + 3.0 * s * s * t * p1 + 3.0 * s * t * t * p2 + t * t * t * p3


@njit(**INNER)
def _distance(z: complex, a: complex, b: complex) -> float:
    """From a point to a straight segment."""
    d = b - a
    length = d.real * d.real + d.imag * d.imag
    share = 0.0
    if length > 0.0:
        share = ((z - a) * d.conjugate()).real / length
        share = min(max(share, 0.0), 1.0)
    return abs(z - a - share * d)


@njit(**INNER)
def _chord_parameters(z: Complexes, i: int, j: int, t: Array) -> None:
    t[0] = 0.0
    for k in range(i + 1, j + 1):
        t[k - i] = t[k - i - 1] + abs(z[k] - z[k - 1])
    length = t[j - i]
    for k in range(1, j - i + 1):
        t[k] = t[k] / length if length > 0.0 else k / (j - i)
    t[j - i] = 1.0


@njit(**INNER)
def _handles(z: Complexes, i: int, j: int, p1: complex, p2: complex, t: Array, along: float) -> tuple[complex, complex]:
    """The two handles by least squares; samples weigh as much as the edges beside them.

    along : what deviations along the curve with handles p1 and p2 count beside those across it. Parameters follow the
        handles, so that such deviations are no errors; at 1 they are taken as ones.
    """
    p0, p3 = z[i], z[j]
    h = np.zeros((4, 4))
    r = np.zeros(4)
    for k in range(1, j - i):
        u = t[k]
        s = 1.0 - u
        weight = 0.5 * (t[k + 1] - t[k - 1])
        b1, b2 = 3.0 * s * s * u, 3.0 * s * u * u
        rest = z[i + k] - s * s * s * p0 - u * u * u * p3
        v = s * s * (p1 - p0) + 2.0 * s * u * (p2 - p1) + u * u * (p3 - p2)
        speed = abs(v)
        x, y = (-v.imag / speed, v.real / speed) if speed > 0.0 else (0.0, 0.0)
        free = (1.0 - along) if speed > 0.0 else 0.0
        xx, xy, yy = along + free * x * x, free * x * y, along + free * y * y
        if speed == 0.0:
            xx = yy = 1.0
        rx, ry = xx * rest.real + xy * rest.imag, xy * rest.real + yy * rest.imag
        w11, w12, w22 = weight * b1 * b1, weight * b1 * b2, weight * b2 * b2
        h[0, 0] += w11 * xx
        h[1, 0] += w11 * xy
        h[1, 1] += w11 * yy
        h[2, 0] += w12 * xx
        h[2, 1] += w12 * xy
        h[3, 0] += w12 * xy
        h[3, 1] += w12 * yy
        h[2, 2] += w22 * xx
        h[3, 2] += w22 * xy
        h[3, 3] += w22 * yy
        r[0] += weight * b1 * rx
        r[1] += weight * b1 * ry
        r[2] += weight * b2 * rx
        r[3] += weight * b2 * ry
    third = (p3 - p0) / 3.0
    one, two = p0 + third, p3 - third
    for k in range(4):
        h[k, k] += _RIDGE
    r[0] += _RIDGE * one.real
    r[1] += _RIDGE * one.imag
    r[2] += _RIDGE * two.real
    r[3] += _RIDGE * two.imag
    _solve(h, r)
    return complex(r[0], r[1]), complex(r[2], r[3])


@njit(**INNER)
def _solve(h: Array, r: Array) -> None:
    """Solve a small symmetric system in place, by Cholesky's factors of the lower triangle."""
    n = len(r)
    for k in range(n):
        for m in range(k):
            h[k, k] -= h[k, m] * h[k, m]
        h[k, k] = np.sqrt(max(h[k, k], 1e-300))
        for row in range(k + 1, n):
            for m in range(k):
                h[row, k] -= h[row, m] * h[k, m]
            h[row, k] /= h[k, k]
    for k in range(n):
        for m in range(k):
            r[k] -= h[k, m] * r[m]
        r[k] /= h[k, k]
    for k in range(n - 1, -1, -1):
        for m in range(k + 1, n):
            r[k] -= h[m, k] * r[m]
        r[k] /= h[k, k]


@njit(**INNER)
def _improve(z: Complexes, i: int, j: int, p1: complex, p2: complex, t: Array) -> None:
    """A Newton step of every parameter towards the nearest point of the cubic; they stay in order."""
    p0, p3 = z[i], z[j]
    for k in range(1, j - i):
        u = t[k]
        s = 1.0 - u
        off = _point(p0, p1, p2, p3, u) - z[i + k]
        v = 3.0 * (s * s * (p1 - p0) + 2.0 * s * u * (p2 - p1) + u * u * (p3 - p2))
        a = 6.0 * (s * (p2 - 2.0 * p1 + p0) + u * (p3 - 2.0 * p2 + p1))
        speed = v.real * v.real + v.imag * v.imag
        slope = max(speed + (off * a.conjugate()).real, 0.25 * speed)
        if slope > 0.0:
            u = u - (off * v.conjugate()).real / slope
        t[k] = min(max(u, t[k - 1]), 1.0)


@njit(**INNER)
def _error(z: Complexes, i: int, j: int, p1: complex, p2: complex, t: Array) -> float:
    p0, p3 = z[i], z[j]
    worst = 0.0
    for k in range(1, j - i + 1):
        if k < j - i:
            worst = max(worst, abs(_point(p0, p1, p2, p3, t[k]) - z[i + k]))
        middle = _point(p0, p1, p2, p3, 0.5 * (t[k - 1] + t[k]))
        worst = max(worst, _distance(middle, z[i + k - 1], z[i + k]))
    return worst


@njit(**INNER)
def _fit(z: Complexes, i: int, j: int, t: Array) -> tuple[complex, complex, float]:
    """Handles and error of the cubic from sample i to sample j of one frame."""
    chord = z[j] - z[i]
    p1, p2 = z[i] + chord / 3.0, z[i] + 2.0 * chord / 3.0
    if j - i < 2:
        return p1, p2, 0.0
    _chord_parameters(z, i, j, t)
    for turn in range(_ROUNDS):
        p1, p2 = _handles(z, i, j, p1, p2, t, _ALONG if turn else 1.0)
        _improve(z, i, j, p1, p2, t)
    return p1, p2, _error(z, i, j, p1, p2, t)


@njit(**INNER)
def _fits(z: Complexes, i: int, j: int, bound: float, order: NDArray[np.int64], t: Array) -> bool:
    """Whether one cubic from i to j is within the bound in every frame; a frame that fails is asked first next time."""
    for number in range(len(order)):
        frame = order[number]
        if _fit(z[frame], i, j, t)[2] > bound:
            for k in range(number, 0, -1):
                order[k] = order[k - 1]
            order[0] = frame
            return False
    return True


@njit(cache=True, nogil=True)
def choose_knots(z: Complexes, corners: NDArray[np.int64], bound: float) -> NDArray[np.int64]:
    """Samples that bound the segments of a moving curve (frames, n), the corners among them.

    From one corner to the next, each segment reaches as far as one cubic fits every frame.
    """
    frames, n = z.shape
    order = np.arange(frames)
    t = np.empty(n)
    knots = np.empty(n + len(corners), dtype=np.int64)
    knots[0] = corners[0]
    count = 1
    for number in range(len(corners) - 1):
        at, high = corners[number], corners[number + 1]
        while at < high:
            good = at + 1
            if _fits(z, at, high, bound, order, t):
                good = high
            else:
                bad = high
                step = 8
                while at + step < bad:  # first by doubling: long tries cost most
                    if _fits(z, at, at + step, bound, order, t):
                        good = at + step
                        step *= 2
                    else:
                        bad = at + step
                while bad - good > 1:
                    middle = (good + bad) // 2
                    if _fits(z, at, middle, bound, order, t):
                        good = middle
                    else:
                        bad = middle
            knots[count] = good
            count += 1
            at = good
    return knots[:count].copy()


@njit(cache=True, nogil=True)
def fit_segments(z: Complexes, knots: NDArray[np.int64]) -> Complexes:
    """Control points (frames, segments, 4) between knots of a moving curve (frames, n)."""
    frames, n = z.shape
    t = np.empty(n)
    cubics = np.empty((frames, len(knots) - 1, 4), dtype=np.complex128)
    for frame in range(frames):
        for k in range(len(knots) - 1):
            i, j = knots[k], knots[k + 1]
            p1, p2, _ = _fit(z[frame], i, j, t)
            cubics[frame, k, 0] = z[frame, i]
            cubics[frame, k, 1] = p1
            cubics[frame, k, 2] = p2
            cubics[frame, k, 3] = z[frame, j]
    return cubics


@njit(cache=True, nogil=True)
def sharpest_turns(z: Complexes, closed: bool, reach: float, least: float) -> Array:
    """The sharpest turn of each sample over all frames, in radians; 0 for what is no corner in any frame.

    A turn is seen over ``reach`` each way along the curve, at most 1/40 of its length; a corner turns by ``least`` or
    more and is the sharpest within one and a half times that reach.
    """
    frames, n = z.shape
    most = np.zeros(n)
    edges = n if closed else n - 1
    at = np.empty(edges + 1)
    turn = np.empty(n)
    for frame in range(frames):
        row = z[frame]
        at[0] = 0.0
        for k in range(edges):
            at[k + 1] = at[k] + abs(row[(k + 1) % n] - row[k])
        total = float(at[edges])
        if not total > 0.0:
            continue
        r: float = min(reach, total / 40.0)
        for k in range(n):
            here = at[k]
            after = _walk(row, at, edges, closed, here + r, k, 1)
            before = _walk(row, at, edges, closed, here - r, k, -1)
            one, other = after - row[k], row[k] - before
            turn[k] = 0.0
            if abs(one) > 0.3 * r and abs(other) > 0.3 * r:
                turn[k] = abs(np.angle(one * other.conjugate()))
        for k in range(n):
            if turn[k] < least:
                continue
            top = True
            for side in (-1, 1):
                other_k = k
                for _ in range(n):
                    other_k += side
                    if closed:
                        other_k %= n
                    elif other_k < 0 or other_k >= n:
                        break
                    gap = abs(at[other_k] - at[k])
                    if closed:
                        gap = min(gap, total - gap)
                    if gap > 1.5 * r or other_k == k:
                        break
                    if turn[other_k] > turn[k] or (turn[other_k] == turn[k] and other_k < k):
                        top = False
                        break
                if not top:
                    break
            if top:
                most[k] = max(most[k], turn[k])
    return most


@njit(**INNER)
def _walk(row: Complexes, at: Array, edges: int, closed: bool, place: float, k: int, side: int) -> complex:
    """The point of a polygon at a length from its first point, looked for from sample k on."""
    n, total = len(row), at[edges]
    if closed:
        if place >= total:
            place -= total
            k = 0
        elif place < 0.0:
            place += total
            k = edges - 1
    else:
        place = min(max(place, 0.0), total)
    k = min(k, edges - 1)
    if side > 0:
        while k < edges - 1 and at[k + 1] < place:
            k += 1
    else:
        while k > 0 and at[k] > place:
            k -= 1
    length = at[k + 1] - at[k]
    share = (place - at[k]) / length if length > 0.0 else 0.0
    point: complex = row[k] + share * (row[(k + 1) % n] - row[k])
    return point


@njit(cache=True, nogil=True)
def farthest(samples: Complexes, lines: Complexes) -> float:
    """The greatest distance of a sample (frames, m) from the polyline (frames, k) of its frame.

    Each sample is compared from where the one before came closest, outwards, and only until it cannot be the farthest.
    """
    frames, m = samples.shape
    edges = lines.shape[1] - 1
    worst = 0.0
    for frame in range(frames):
        line, near = lines[frame], 0
        for i in range(m):
            least = np.inf
            start = near
            for step in range(edges):
                for side in range(1 if step == 0 else 2):
                    k = start + step if side == 0 else start - step
                    k %= edges
                    off = _distance(samples[frame, i], line[k], line[k + 1])
                    if off < least:
                        least, near = off, k
                if least <= worst:
                    break
            worst = max(worst, least)
    return worst


def warm_up() -> None:
    """Compile the kernels, or load them from the cache on disk."""
    z = np.exp(2j * np.pi * np.arange(13) / 12)[None] * np.ones((2, 1))
    sharpest_turns(z[:, :12].copy(), True, 0.1, 0.5)
    fit_segments(z, choose_knots(z, np.array([0, 12]), 0.1))
    farthest(z, z)
