"""Elastic matching of two curves: each may run slower and faster along itself, so that similar bends meet.

The cost compares square-root velocities: where one curve runs p and the other q steps, their directions t and s cost
p + q - 2 sqrt(p q) cos(t - s). Points that lie apart, about the middles of both curves and in units of their size,
cost something too, so that a bend does not go to the other end of the shape to meet a similar one.
The cheapest path is found by dynamic programming, compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune.contours.matching.outline_alignment import spin_cost
from kinetune.contours.outlines import Complex, Outline
from kinetune.kernels.loader import Kernels

SAMPLES = 128
_STEPS = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2), (1, 4), (4, 1), (3, 4), (4, 3))
_UNEVEN = 0.02  # what running unevenly costs
_DISTANCE = 0.3  # what it costs to lie apart by the size of the curve
_AGAIN = 2  # tries that are matched once more with a better rotation

# A step (p, q) passes max(p, q) pairs of single steps, these; it costs _FIXED - _FACTOR * (the sum of their likeness).
_PASSED = np.array(
    [
        [
            (int((r + 0.5) * p / max(p, q)), int((r + 0.5) * q / max(p, q))) if r < max(p, q) else (0, 0)
            for r in range(4)
        ]
        for p, q in _STEPS
    ]
)
_FIXED = np.array([p + q + _UNEVEN * (p - q) ** 2 / (p + q) for p, q in _STEPS])
_FACTOR = np.array([2.0 * np.sqrt(p * q) / max(p, q) for p, q in _STEPS])
_PRICES = (np.array(_STEPS), _PASSED, _FIXED, _FACTOR)

_kernels = Kernels("kinetune.contours.matching.elastic_match_kernels")


@dataclass(frozen=True, eq=False)
class Steps:
    """A part of a curve in :data:`SAMPLES` even steps.

    along : (n,) unit directions.
    at : (n,) their middles, about the middle of the curve and in units of its size.
    """

    along: Complex
    at: Complex

    @classmethod
    def of(cls, curve: Outline, start: float = 0.0, stop: float = 1.0) -> Steps:
        points = curve.along(np.linspace(start, stop, SAMPLES + 1))
        if curve.closed and stop - start == 1.0:
            points[-1] = points[0]
        steps = np.diff(points)
        middles = 0.5 * (points[1:] + points[:-1])
        whole = curve.along((np.arange(SAMPLES) + 0.5) / SAMPLES)
        size = np.sqrt(np.mean(np.abs(whole - whole.mean()) ** 2))
        return cls(steps / np.maximum(np.abs(steps), 1e-300), (middles - whole.mean()) / max(float(size), 1e-300))

    def halved(self) -> Steps:
        """Half as many steps, each in the place of two."""
        along = self.along[::2] + self.along[1::2]
        along[np.abs(along) < 1e-9] = 1.0  # there and back: no direction is better than another
        along /= np.abs(along)
        return Steps(along, 0.5 * (self.at[::2] + self.at[1::2]))


@dataclass(frozen=True, eq=False)
class ElasticMatch:
    """The cheapest match of two curves.

    a, b : (k,) knots in steps, from 0 to their number; those of b from its start point on.
    start : the start point of the second curve, in steps.
    rotation : of the second curve against the first in this match, radians.
    cost : of the path.
    """

    a: np.ndarray
    b: np.ndarray
    start: int
    rotation: float
    cost: float

    def price(self, upright: float | None = None) -> float:
        """The cost, and something for the rotation (see ``spin_cost``)."""
        return self.cost + float(spin_cost(np.array(self.rotation), np.array(0.5 * self.cost), upright))


def elastic_match(
    a: Steps, b: Steps, starts: Sequence[int], rotations: Sequence[float], upright: float | None = None
) -> list[ElasticMatch]:
    """Match two curves from several start points of the second at once; the cheapest match comes first.

    Parameters
    ----------
    starts : how many steps the second is rolled, for each try.
    rotations : of the second, for each try.
    upright : see :func:`~kinetune.contours.matching.outline_alignment.spin_cost`.

    Notes
    -----
    Half as many steps show which tries are the best. The rotation is estimated again from what was matched, and these
    are matched once more with it, in all steps.
    """

    def price(match: ElasticMatch) -> float:
        return match.price(upright)

    coarse = _matched(a.halved(), b.halved(), [start // 2 for start in starts], rotations)
    once = [replace(match, a=2 * match.a, b=2 * match.b, start=k) for match, k in zip(coarse, starts, strict=True)]
    once.sort(key=price)
    best, rest = once[:_AGAIN], once[_AGAIN:]
    again = _matched(a, b, [match.start for match in best], [match.rotation for match in best])
    return sorted(again, key=price) + rest


def _matched(a: Steps, b: Steps, starts: Sequence[int], rotations: Sequence[float]) -> list[ElasticMatch]:
    kernels = _kernels.load()
    n = len(b.along)
    rolled = (np.array(starts) + np.arange(n)[:, None]) % n
    along = b.along[rolled]  # (n, tries)
    undo = np.exp(-1j * np.array(rotations))
    likeness = kernels.likenesses(a.along, a.at, along * undo, b.at[rolled] * undo, 0.5 * _DISTANCE)
    cost, back = kernels.cheapest(likeness, *_PRICES)
    path = np.empty((2 * n + 1, 2), dtype=np.int64)
    matches = []
    for k, start in enumerate(starts):
        knots = path[kernels.walk_back(back, k, _PRICES[0], path) :].copy()
        rotation = kernels.mean_rotation(a.along, along, k, knots)
        matches.append(ElasticMatch(knots[:, 0], knots[:, 1], start, rotation, float(cost[k])))
    return matches
