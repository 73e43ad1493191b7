"""Few keys instead of one at every frame: cubic curves through some frames, near all the others.

A cubic with handles at a third of the way to the next key is the curve that F-curves draw. Nothing here needs Blender.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rotation_modes import Floats

_MOST_ROUNDS = 100


class BezierKeys(NamedTuple):
    """Keys at rows (keys,) with values and slopes per frame (keys, n)."""

    rows: NDArray[np.intp]
    values: Floats
    slopes: Floats

    def play(self, count: int) -> Floats:
        """The values (count, n) at every frame, held beyond the first key and the last."""
        if len(self.rows) == 1:
            return np.repeat(self.values, count, axis=0)
        at = np.clip(np.arange(count), self.rows[0], self.rows[-1])
        key, span, weights = _segments(at, self.rows)
        start, out, end, into = (weight[:, None] for weight in weights)
        length = span[:, None]
        return np.asarray(
            start * self.values[key]
            + out * length * self.slopes[key]
            + end * self.values[key + 1]
            + into * length * self.slopes[key + 1]
        )

    def handles(self) -> tuple[Floats, Floats]:
        """The left and the right handles, each (keys, 1 + n): how far from the key in frames, and in value."""
        gaps = np.diff(self.rows).astype(float) / 3.0 if len(self.rows) > 1 else np.ones(0)
        before = np.concatenate([gaps[:1] if len(gaps) else [1.0], gaps])[:, None]
        after = np.concatenate([gaps, gaps[-1:] if len(gaps) else [1.0]])[:, None]
        return (
            np.concatenate([-before, -before * self.slopes], axis=1),
            np.concatenate([after, after * self.slopes], axis=1),
        )


def fit_keys(dense: Floats, rows: Iterable[int], error: Callable[[Floats], Floats], limit: float) -> BezierKeys:
    """Keys at some frames of a channel (frames, n), with more where the curve would be too far off.

    Parameters
    ----------
    rows : the frames to begin with; the first and the last are added.
    error : how far off played values (frames, n) are at each frame.
    limit : what ``error`` may be at most.
    """
    count = len(dense)
    chosen = {0, count - 1, *rows}
    for _ in range(_MOST_ROUNDS):
        keys = _fitted(dense, np.array(sorted(chosen), dtype=np.intp))
        off = error(keys.play(count))
        if off.max() <= limit:
            return keys
        bad = np.concatenate([[False], off > limit, [False]]).astype(int)
        edges = np.flatnonzero(np.diff(bad))
        worst = {int(a + np.argmax(off[a:b])) for a, b in zip(edges[::2], edges[1::2], strict=True)}
        chosen |= worst if worst - chosen else {int(row) for row in np.flatnonzero(off > limit)} | {0}
    return _fitted(dense, np.arange(count))


def _fitted(dense: Floats, rows: NDArray[np.intp]) -> BezierKeys:
    """The slopes by least squares over all frames; those that no frame shows follow the neighbours."""
    values, count = dense[rows], len(rows)
    if count == 1:
        return BezierKeys(rows, values, np.zeros_like(values))
    at = np.arange(rows[0], rows[-1] + 1)
    key, span, (start, out, end, into) = _segments(at, rows)
    rest = dense[at] - start[:, None] * values[key] - end[:, None] * values[key + 1]
    normal = 1e-9 * np.eye(count)
    right = 1e-9 * np.gradient(values, rows.astype(float), axis=0)
    for column, weight in ((key, out * span), (key + 1, into * span)):
        np.add.at(right, column, weight[:, None] * rest)
        for other, again in ((key, out * span), (key + 1, into * span)):
            np.add.at(normal, (column, other), weight * again)
    return BezierKeys(rows, values, np.linalg.solve(normal, right))


def _segments(at: NDArray[np.intp], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats, tuple[Floats, ...]]:
    """The segment of each frame, its length, and the weights of values and slopes at its ends."""
    key = np.clip(np.searchsorted(rows, at, side="right") - 1, 0, len(rows) - 2)
    span = (rows[key + 1] - rows[key]).astype(float)
    u = (at - rows[key]) / span
    return key, span, (2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, 3 * u**2 - 2 * u**3, u**3 - u**2)
