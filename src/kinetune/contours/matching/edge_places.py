"""Lines as places on the edge of a fill: wherever the edge goes, the line goes with it.

============  ==================================================================
EdgePlaces    where points lie along a ring, and how far beside it
between       the places between two lines on one moving edge
matched_line  two lines with the same vertices, run in the same direction
============  ==================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinetune.contours.matching.correspondence import even_knots, matched_vertices
from kinetune.contours.matching.curve_pairing import nearest_share
from kinetune.contours.outlines import Complex, Outline
from kinetune.rotations import Floats

_LEAP = 0.04  # of the ring: neighbours on a line whose places are further apart are on two different stretches of it
# How fast lines come to the edge, and how fast to even steps along it, one attempt after the other.
_NEARER = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 2.0), (4.0, 4.0))
_RETRACTED = ((2.0, 0.0), (2.0, 2.0), (4.0, 4.0))
_NEARLY = 0.9  # how near lines that keep their steps come: both sides of a tail would lie on each other on the edge
_BRIDGE = 0.15  # of its stretch of the edge: a line that leaps further would cross the fill as a chord


@dataclass(frozen=True, eq=False)
class EdgePlaces:
    """Points relative to a ring of n samples.

    Attributes
    ----------
    at : array, shape (m,) or (times, m)
        The place along the ring in samples. It counts on from point to point, beyond n or below 0.
    beside : array, shape (m,) or (times, m)
        The offset from that place as a complex number: the real part along the ring, the imaginary part across it.
    reach : array, shape (m,) or (times, m)
        Half the stretch of the ring, in samples, whose direction the offset refers to: about as long as the offset.
    """

    at: Floats
    beside: Complex
    reach: Floats

    @classmethod
    def of(cls, points: Complex, ring: Complex) -> EdgePlaces:
        """Where points (m,) in the order of a line lie on a ring (n,)."""
        n = len(ring)
        at = _in_order(_nearest_places(points, ring))
        offset = points - _on(ring, at)
        spacing = float(np.abs(np.diff(np.append(ring, ring[0]))).mean())
        reach = np.clip(np.abs(offset) / spacing, 1.0, n / 8)
        return cls(at, offset * np.conj(_direction(ring, at, reach)), reach)

    def on(self, frames: Complex) -> Complex:
        """The points (times, m) on a ring that moves, (times, n)."""
        rows = np.broadcast_arrays(self.at, self.beside, self.reach, np.empty((len(frames), 1)))[:3]
        points: Complex = np.array(
            [
                _on(ring, at) + beside * _direction(ring, at, reach)
                for ring, at, beside, reach in zip(frames, *rows, strict=True)
            ]
        ).reshape(len(frames), -1)
        return points

    def towards_edge(self, away: Floats, ring: int | None = None, *, retract: bool = False) -> Iterator[EdgePlaces]:
        """The places (times, m) as they are, then nearer and nearer to even steps on the edge itself on the way.

        away : how far the film is from the drawings that have the line, from 0 to 1 (times,).
        ring : the samples of the edge, of a line that goes round it.
        retract : begin with lines that are on the edge half way: what only one drawing has does not cross the other.
        """
        count = self.at.shape[-1]
        first, last = self.at[..., :1], self.at[..., -1:]
        whole = last - first if ring is None else ring * np.sign(last - first)
        even = first + np.arange(count) / (count - (ring is None)) * whole
        bridge = retract and bool(np.abs(np.diff(self.at)).max() > _BRIDGE * self.extent)
        for beside, along in (*_RETRACTED[bridge:], *_NEARER) if retract else _NEARER:
            nearest = _NEARLY if retract and not along else 1.0
            off, on = (np.minimum(most, share * away[:, None]) for share, most in ((beside, nearest), (along, 1.0)))
            yield EdgePlaces(self.at + on * (even - self.at), (1.0 - off) * self.beside, self.reach)

    @property
    def middle(self) -> float:
        """The place of the middle of the line."""
        return float(self.at.mean())

    @property
    def extent(self) -> float:
        """How many samples of the ring the line covers."""
        return float(np.ptp(self.at))


def between(a: EdgePlaces, b: EdgePlaces, times: Floats, samples: int) -> EdgePlaces:
    """The places (times, m) from a line a to a line b, both (m,), on a ring of some samples; the shorter way round."""
    t = times[:, None]
    shift = samples * np.round((a.middle - b.middle) / samples)
    return EdgePlaces(
        (1.0 - t) * a.at + t * (b.at + shift),
        (1.0 - t) * a.beside + t * b.beside,
        (1.0 - t) * a.reach + t * b.reach,
    )


def matched_line(a: Outline, b: Outline, ring_a: Complex, ring_b: Complex) -> tuple[EdgePlaces, EdgePlaces]:
    """The places of two lines with the same vertices, b run in the direction in which a runs along the edge."""
    if a.closed != b.closed:
        a, b = (Outline(line.path, closed=False) if line.closed else line for line in (a, b))
    ends = [_nearest_places(line.along(np.linspace(0.0, 1.0, 64)), ring) for line, ring in ((a, ring_a), (b, ring_b))]
    if not a.closed and (ends[0][-1] - ends[0][0]) * (ends[1][-1] - ends[1][0]) < 0.0:
        b = b.reversed()
    start = 0.0
    if a.closed:  # the round begins where a begins
        start = nearest_share(b, complex(_on(ring_b, ends[0][:1])[0]))[0]
    points = matched_vertices(a, b, even_knots(a, b, start))
    one, other = (EdgePlaces.of(z, ring) for z, ring in zip(points, (ring_a, ring_b), strict=True))
    return one, other


def _nearest_places(points: Complex, ring: Complex) -> Floats:
    """The nearest places (m,) on a ring, in samples, neighbours near to each other."""
    n = len(ring)
    step = np.diff(np.append(ring, ring[0]))
    share = np.clip(((points[:, None] - ring) * np.conj(step)).real / np.maximum(np.abs(step) ** 2, 1e-300), 0.0, 1.0)
    gap = np.abs(points[:, None] - ring - share * step)
    nearest = np.argmin(gap, axis=1)
    places = nearest + share[np.arange(len(points)), nearest]
    leaps = np.abs((np.diff(places) + n / 2) % n - n / 2)
    if leaps.size and leaps.max() > max(_LEAP * n, 2.0):
        nearest = _steady_path(gap)
        places = nearest + share[np.arange(len(points)), nearest]
    unwrapped: Floats = np.unwrap(places, period=n)
    return unwrapped


def _in_order(places: Floats) -> Floats:
    """Places that only go on in the direction of the line: one that goes back and forth would cross itself."""
    direction = 1.0 if places[-1] >= places[0] else -1.0
    ordered: Floats = direction * np.maximum.accumulate(direction * places)
    return ordered


def _steady_path(gap: Floats) -> np.ndarray:
    """The edge for every point: near to it, and near to that of its neighbours (the cheapest path)."""
    m, n = gap.shape
    far = np.abs((np.arange(n)[:, None] - np.arange(n) + n / 2) % n - n / 2) / n
    leap = gap.max() * np.minimum(far / _LEAP, 10.0) * 0.1
    cost, back = gap[0], np.zeros((m, n), dtype=int)
    for k in range(1, m):
        total = cost[:, None] + leap
        back[k] = np.argmin(total, axis=0)
        cost = total[back[k], np.arange(n)] + gap[k]
    path = np.empty(m, dtype=int)
    path[-1] = int(np.argmin(cost))
    for k in range(m - 1, 0, -1):
        path[k - 1] = back[k, path[k]]
    return path


def _on(ring: Complex, at: Floats) -> Complex:
    """The points at places along a ring (n,)."""
    n = len(ring)
    k = np.floor(at).astype(int)
    share = at - k
    points: Complex = (1.0 - share) * ring[k % n] + share * ring[(k + 1) % n]
    return points


def _direction(ring: Complex, at: Floats, reach: Floats) -> Complex:
    """The directions of a ring at places, as unit complex numbers, seen over a stretch."""
    step = _on(ring, at + reach) - _on(ring, at - reach)
    direction: Complex = step / np.maximum(np.abs(step), 1e-300)
    return direction
