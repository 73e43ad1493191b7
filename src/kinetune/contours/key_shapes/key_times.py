"""Key shapes of a film: the fewest between which everything moves straight, with one cubic ease at a time.

============  ====================================================
Keys          when the keys are, and the eases between them
choose_keys   the fewest keys of some paths, and the shapes at them
KeyedValues   numbers that run straight from key to key
keyed_values  the fewest keys of such numbers
keyed_point   the fewest keys of a point, each moved to where it serves best
============  ====================================================

Notes
-----
An ease is a cubic Bezier from (0, 0) to (1, 1) whose inner points have x = 1/3 and 2/3: it then is the cubic polynomial
of its two heights, so that these follow from linear least squares. They lie between 0 and 1, as SMIL wants them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinetune.contours.key_shapes.bezier_films import BezierFilm, bernstein
from kinetune.contours.outlines import Complex
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.contours.key_shapes.key_time_kernels")

EASE_X = (0.333, 0.667)
"""The x of the inner points of an ease, as files have them."""

_PROBES = bernstein(np.linspace(0.0, 1.0, 9))  # where segments are compared
_SLACKS = (2.0, 1.7, 1.4, 1.2, 1.0)  # times the bound of the search: moving the keys makes up for it
_ROUNDS = 4  # of moving keys, each with more regard for the frames that are off most
_BASE = 0.2  # what a frame without an error still counts in the next round
_STILL = 0.02  # of the bound: frames that differ by less look alike
_ALL_OF_IT = 0.7  # of a deviation counts where no direction is better than another


@dataclass(frozen=True, eq=False)
class Keys:
    """When the key shapes of a film are.

    frames : (keys,), the numbers of their frames; the first and the last of the film are keys.
    eases : (keys - 1, 2), the heights of the ease to the next key; not-a-number where the key is held until then.
    """

    frames: np.ndarray
    eases: Floats

    def __len__(self) -> int:
        return len(self.frames)

    def weights(self, times: Floats) -> Floats:
        """How much each key counts at some times, in frames: (times, keys)."""
        if len(self) == 1:
            return np.ones((len(times), 1))
        span = np.clip(np.searchsorted(self.frames, times, side="right") - 1, 0, len(self) - 2)
        begin, end = self.frames[span], self.frames[span + 1]
        s = np.clip((times - begin) / (end - begin), 0.0, 1.0)
        heights = np.concatenate([np.zeros((len(span), 1)), self.eases[span], np.ones((len(span), 1))], axis=1)
        eased = np.sum(bernstein(s) * heights, axis=1)
        eased = np.where(np.isnan(eased), (s >= 1.0).astype(float), eased)
        weights = np.zeros((len(times), len(self)))
        rows = np.arange(len(times))
        weights[rows, span] += 1.0 - eased
        weights[rows, span + 1] += eased
        return weights


def choose_keys(films: Sequence[BezierFilm], bound: float) -> tuple[Keys, list[Complex]]:
    """The fewest keys within the bound, and the shapes at them: for each path, (keys, segments, 4).

    Parameters
    ----------
    films : paths that share their keys, of as many frames each.
    bound : how far points may lie from where they should be, across the curve.

    Notes
    -----
    Keys are frames of the film first (dynamic programming), then moved by least squares. An arc cut by chords lies on
    one side of them, so that moved keys nearly halve the error; the search therefore starts with a wider bound.
    """
    q, normal = _probes(films)
    count = len(q)
    middle = q - q.mean(axis=0)
    flat = np.concatenate([middle.real, middle.imag], axis=1)
    gram = flat @ flat.T
    still = np.concatenate([[False], np.abs(np.diff(q, axis=0)).max(axis=1) <= _STILL * bound])
    times = np.arange(count, dtype=float)
    for slack in _SLACKS:
        keys = _backtracked(*_kernels.load().cheapest_keys(q, normal, gram, still, slack * bound))
        counts = np.ones(count)
        for _ in range(_ROUNDS):
            weights = keys.weights(times)
            shapes = [_moved(film.cubics, weights, keys.frames, counts) for film in films]
            at_keys = np.concatenate([(shape @ _PROBES.T).reshape(len(keys), -1) for shape in shapes], axis=1)
            off = np.max(_seen(weights @ at_keys - q, normal), axis=1, initial=0.0)
            if off.max() <= bound:
                return keys, shapes
            if len(keys) == count:
                break
            counts *= off / off.mean() + _BASE
            counts *= count / counts.sum()
            keys = _eased(keys, at_keys, q)
    return keys, [film.cubics[keys.frames] for film in films]


def _probes(films: Sequence[BezierFilm]) -> tuple[Complex, Complex]:
    """Points along all segments (frames, points), and the direction across the curve there, 0 at vertices."""
    points, normals = [], []
    for film in films:
        q = film.cubics @ _PROBES.T
        along = np.gradient(q, axis=-1)
        normal = 1j * along / np.maximum(np.abs(along), 1e-300)
        normal[..., [0, -1]] = 0.0
        points.append(q.reshape(len(q), -1))
        normals.append(normal.reshape(len(q), -1))
    return np.concatenate(points, axis=1), np.concatenate(normals, axis=1)


def _seen(off: Complex, normal: Complex) -> Floats:
    """What the eye sees of a deviation: what lies across the line; without a direction, most of it."""
    return np.where(normal == 0.0, _ALL_OF_IT * np.abs(off), np.abs((off * np.conj(normal)).real))


def _backtracked(before: Floats, eases: Floats) -> Keys:
    frames = [len(before) - 1]
    while frames[-1] > 0:
        frames.append(int(before[frames[-1]]))
    frames.reverse()
    return Keys(np.array(frames), eases[frames[1:]].reshape(-1, 2))


def _moved(cubics: Complex, weights: Floats, frames: np.ndarray, counts: Floats) -> Complex:
    """Key shapes by least squares over all frames, each as often as it counts; the first and the last stay."""
    flat = cubics.reshape(len(cubics), -1)
    shapes = flat[frames]
    if len(frames) > 2:
        rest = flat - weights[:, [0, -1]] @ shapes[[0, -1]]
        inner = weights[:, 1:-1]
        counted = (counts[:, None] * inner).T
        shapes[1:-1] = np.linalg.solve(counted @ inner, counted @ rest)
    moved: Complex = shapes.reshape(len(frames), *cubics.shape[1:])
    return moved


def _eased(keys: Keys, at_keys: Complex, q: Complex) -> Keys:
    """The keys with the eases that carry points (frames, points) best between the shapes at them."""
    eases = keys.eases.copy()
    for k, (i, j) in enumerate(zip(keys.frames[:-1].tolist(), keys.frames[1:].tolist(), strict=True)):
        way = at_keys[k + 1] - at_keys[k]
        size = float(np.sum(np.abs(way) ** 2))
        if j - i < 3 or np.isnan(eases[k, 0]) or size <= 0.0:
            continue
        done = ((q[i + 1 : j] - at_keys[k]) @ np.conj(way)).real / size
        basis = bernstein(np.arange(1, j - i) / (j - i))
        heights = np.linalg.lstsq(basis[:, 1:3], done - basis[:, 3], rcond=None)[0]
        eases[k] = np.clip(np.round(heights, 3), 0.0, 1.0)
    return Keys(keys.frames, eases)


@dataclass(frozen=True, eq=False)
class KeyedValues:
    """Numbers that run from key to key, with one ease at a time.

    keys : one for what never changes.
    values : (keys, m).
    """

    keys: Keys
    values: Floats

    def changed(self, values: Floats) -> KeyedValues:
        """Other values at the same keys."""
        return KeyedValues(self.keys, values)

    def at(self, times: Floats) -> Floats:
        """The values at some times (times, m); the first also holds before, and the last after."""
        return self.keys.weights(times) @ self.values


def keyed_values(values: Floats, bound: float, start: int) -> KeyedValues:
    """The fewest keys of values (frames, m) from frame ``start`` on, within a bound."""
    keys, at_keys = _fewest_keys(values.astype(complex), bound, start)
    return KeyedValues(keys, np.clip(at_keys.real, values.min(axis=0), values.max(axis=0)))


def keyed_point(path: Complex, bound: float, start: int) -> KeyedValues:
    """The fewest keys, x and y (keys, 2), of a point over frames from ``start`` on, within a bound."""
    keys, at_keys = _fewest_keys(path[:, None], bound, start)
    return KeyedValues(keys, np.stack([at_keys[:, 0].real, at_keys[:, 0].imag], axis=-1))


def _fewest_keys(tracks: Complex, bound: float, start: int) -> tuple[Keys, Complex]:
    """The fewest keys of some tracks (frames, m), and their values; the first also hold before, the last after."""
    if _resting(tracks, bound) == len(tracks) - 1:
        return Keys(np.array([start]), np.empty((0, 2))), tracks[:1]
    first, last = _moving_span(tracks, bound)
    if np.any(np.abs(np.diff(tracks[first : last + 1], axis=0)).max(axis=1) <= _STILL * bound):
        # It stops on the way, as on twos: the moments at which it goes on are kept, and how long it rests before.
        first, last = _moving_span(tracks, _STILL * bound)
        first = max(first - 1, 0)
    moving = tracks[first : last + 1].copy()
    moving[0], moving[-1] = tracks[0], tracks[-1]
    cubics = np.broadcast_to(moving[:, :, None], (*moving.shape, 4)).copy()
    knots = np.zeros(tracks.shape[1] + 1, dtype=int)
    film = BezierFilm(cubics, moving, knots, False, np.ones(len(moving), dtype=bool))
    keys, (shapes,) = choose_keys([film], _ALL_OF_IT * bound)
    at_keys = shapes[:, :, 0]
    if not np.isnan(keys.eases[0, 0]) and np.abs(at_keys[1] - at_keys[0]).max() <= _STILL * bound:
        keys, at_keys = Keys(keys.frames[1:], keys.eases[1:]), at_keys[1:]
    return Keys(start + first + keys.frames, keys.eases), at_keys


def _moving_span(tracks: Complex, bound: float) -> tuple[int, int]:
    """The last frame that is like the first within a bound, and the first that is like the last."""
    first = _resting(tracks, bound)
    return first, max(len(tracks) - 1 - _resting(tracks[::-1], bound), first + 1)


def _resting(tracks: Complex, bound: float) -> int:
    """The last frame until which nothing has left its first value by more than a bound."""
    away = np.abs(tracks - tracks[0]).max(axis=1) > bound
    return int(np.argmax(away)) - 1 if away.any() else len(tracks) - 1
