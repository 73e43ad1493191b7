"""Which point of one outline becomes which point of the other.

================  =======================================================================
Correspondence    knots on both curves, straight between them
correspondences   even or elastic, through pins, with corners meeting corners; best first
even_knots        even, and nothing else
matched_vertices  both curves with the same vertices, those of either kept
================  =======================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinetune.contours.matching._elastic_match import SAMPLES, Steps, elastic_match
from kinetune.contours.matching.outline_alignment import Alignment, align
from kinetune.contours.outlines import Complex, Outline
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Pins = tuple[tuple[float, float], ...]
"""Pairs of shares of the length, (on the first curve, on the second): points that must become each other."""

_EVEN = 96  # vertices added at even steps, so that long edges can bend
_NEAR = 0.02  # of the length: corners closer than this meet
_STEEPEST = 12.0  # one curve may run this much faster than the other, between knots
_MERGED = 1e-6  # of the length: vertices closer than this are one


@dataclass(frozen=True, eq=False)
class Correspondence:
    """Increasing knots (k,) on both curves, as shares of their length.

    Of closed curves the last knot is the first one after a whole round; between knots both run evenly.
    """

    a: Floats
    b: Floats

    @property
    def middle(self) -> Floats:
        """The common parameter at every knot: half way between both."""
        middle: Floats = 0.5 * (self.a - self.a[0] + self.b - self.b[0])
        return middle


def correspondences(
    a: Outline, b: Outline, *, elastic: bool = False, pins: Pins = (), count: int = 6, upright: float | None = None
) -> Iterator[Correspondence]:
    """The most promising correspondences between points of a and of b, best first.

    They differ in where b begins; corners of both that come close meet. Both curves are closed or both open; two open
    ones start at their starts (see :func:`~kinetune.contours.matching.outline_alignment.align` for the direction).

    Parameters
    ----------
    elastic : stretch both curves along themselves so that similar bends meet; otherwise both run evenly between pins.
    pins : points that must become each other; with them there is only one correspondence.
    upright : see :func:`~kinetune.contours.matching.outline_alignment.spin_cost`.
    """
    if pins or not a.closed:
        ends_a, ends_b = _between_pins(a, b, pins)
        knots = [_through(a, b, ends_a, ends_b, elastic)]
    else:
        tries = align(a, b, count, upright)
        ends_a = np.array([0.0, 1.0])
        knots = _round_trips(a, b, tries, upright) if elastic else [(ends_a, t.start + ends_a) for t in tries]
    for on_a, on_b in knots:
        yield Correspondence(*_corners_meet(a, b, on_a, on_b, np.isin(on_a, ends_a)))


def even_knots(a: Outline, b: Outline, start: float, pins: Pins = ()) -> Correspondence:
    """Both curves run evenly from a start point of the second, or between pins."""
    if pins or not a.closed:
        return Correspondence(*_between_pins(a, b, pins))
    return Correspondence(np.array([0.0, 1.0]), start + np.array([0.0, 1.0]))


def _round_trips(a: Outline, b: Outline, tries: list[Alignment], upright: float | None) -> list[tuple[Floats, Floats]]:
    """Elastic knots from several start points, the cheapest first."""
    starts = [round(t.start * SAMPLES) % SAMPLES for t in tries]
    matches = elastic_match(Steps.of(a), Steps.of(b), starts, [t.rotation for t in tries], upright)
    return [(match.a / SAMPLES, (match.start + match.b) / SAMPLES) for match in matches]


def _through(a: Outline, b: Outline, ends_a: Floats, ends_b: Floats, elastic: bool) -> tuple[Floats, Floats]:
    """Knots through fixed ones."""
    if not elastic:
        return ends_a, ends_b
    knots_a, knots_b = [ends_a[:1]], [ends_b[:1]]
    for k in range(len(ends_a) - 1):
        match = elastic_match(Steps.of(a, *ends_a[k : k + 2]), Steps.of(b, *ends_b[k : k + 2]), [0], [0.0])[0]
        knots_a.append((ends_a[k] + (ends_a[k + 1] - ends_a[k]) * match.a / SAMPLES)[1:])
        knots_b.append((ends_b[k] + (ends_b[k + 1] - ends_b[k]) * match.b / SAMPLES)[1:])
        knots_a[-1][-1], knots_b[-1][-1] = ends_a[k + 1], ends_b[k + 1]
    return np.concatenate(knots_a), np.concatenate(knots_b)


def _between_pins(a: Outline, b: Outline, pins: Pins) -> tuple[Floats, Floats]:
    """The fixed knots: the ends of the stretches between pins."""
    if not pins:
        return np.array([0.0, 1.0]), np.array([0.0, 1.0])
    shares = np.array(sorted(pins), dtype=float)
    on_a, on_b = shares[:, 0], shares[:, 1]
    if a.closed:
        on_b = on_b[0] + (on_b - on_b[0]) % 1.0
        on_a, on_b = np.append(on_a, on_a[0] + 1.0), np.append(on_b, on_b[0] + 1.0)
    else:
        on_a, on_b = (_with_ends(values) for values in (on_a, on_b))
        keep = np.concatenate([[True], (np.diff(on_a) > 1e-9) | (np.diff(on_b) > 1e-9)])
        on_a, on_b = on_a[keep], on_b[keep]
    if np.any(np.diff(on_a) < 1e-6) or np.any(np.diff(on_b) < 1e-6):
        raise ParameterError(
            "The pins do not follow each other in the same order round both curves, or two lie on one point: "
            "a pin must not jump over another. Leave one out, or exchange their partners."
        )
    return on_a, on_b


def _with_ends(values: Floats) -> Floats:
    return np.concatenate([[0.0], values, [1.0]])


def _corners_meet(a: Outline, b: Outline, knots_a: Floats, knots_b: Floats, held: np.ndarray) -> tuple[Floats, Floats]:
    """Add a knot for every pair of corners that nearly meet, and drop the knots that it replaces."""
    (at_a, angles_a), (at_b, angles_b) = a.corners, b.corners
    if len(at_a) == 0 or len(at_b) == 0:
        return knots_a, knots_b
    at_a, angles_a = _lifted(at_a, angles_a, knots_a[0], a.closed)
    at_b, angles_b = _lifted(at_b, angles_b, knots_b[0], b.closed)
    gap = np.abs(np.interp(at_a, knots_a, knots_b)[:, None] - at_b)
    gap = np.maximum(gap, np.abs(np.interp(at_b, knots_b, knots_a)[None] - at_a[:, None]))
    unlike = np.sign(angles_a)[:, None] != np.sign(angles_b)
    cost = np.where((gap > _NEAR) | unlike, np.inf, gap + 0.02 * np.abs(angles_a[:, None] - angles_b) / np.pi)
    pairs = []
    while np.isfinite(cost).any():
        i, j = np.unravel_index(np.argmin(cost), cost.shape)
        pairs.append((at_a[i], at_b[j]))
        cost[i:, : j + 1] = np.inf  # no pair may cross another, nor share its corners
        cost[: i + 1, j:] = np.inf
    if a.closed and pairs and held.sum() == 2:  # no pin: the round may begin anywhere, best at two corners that meet
        knots_a, knots_b, held, pairs = _begun_at(knots_a, knots_b, pairs)
    for on_a, on_b in sorted(pairs):
        knots_a, knots_b, held = _with_knot(knots_a, knots_b, held, float(on_a), float(on_b))
    return knots_a, knots_b


def _begun_at(
    a: Floats, b: Floats, pairs: list[tuple[float, float]]
) -> tuple[Floats, Floats, np.ndarray, list[tuple[float, float]]]:
    """Knots of the same round, and pairs of corners, from the first pair on; that pair is the start and the end."""
    (on_a, on_b), rest = pairs[0], pairs[1:]
    later = a[:-1] <= on_a
    found_a = np.concatenate([a[:-1][~later], a[:-1][later] + 1.0])
    found_b = np.concatenate([b[:-1][~later], b[:-1][later] + 1.0])
    free = ~(_steep(found_a, found_b, on_a, on_b) | _steep(found_a, found_b, on_a + 1.0, on_b + 1.0))
    found_a, found_b = (
        np.concatenate([[start], knots[free], [start + 1.0]]) for start, knots in ((on_a, found_a), (on_b, found_b))
    )
    held = np.zeros(len(found_a), dtype=bool)
    held[[0, -1]] = True
    moved = [(x, y) if x > on_a else (x + 1.0, y + 1.0) for x, y in rest]
    return found_a, found_b, held, moved


def _lifted(shares: Floats, angles: Floats, start: float, closed: bool) -> tuple[Floats, Floats]:
    """Shares of the length counted on from the first knot."""
    if not closed:
        return shares, angles
    lifted = start + (shares - start) % 1.0
    order = np.argsort(lifted, kind="stable")
    return lifted[order], angles[order]


def _with_knot(a: Floats, b: Floats, held: np.ndarray, on_a: float, on_b: float) -> tuple[Floats, Floats, np.ndarray]:
    """Knots through one more pair; free knots that would make one curve race past the other are dropped."""
    bad = _steep(a, b, on_a, on_b)
    if np.any(bad & held):
        return a, b, held
    a, b, held = a[~bad], b[~bad], held[~bad]
    here = int(np.searchsorted(a, on_a))
    return np.insert(a, here, on_a), np.insert(b, here, on_b), np.insert(held, here, True)


def _steep(a: Floats, b: Floats, on_a: float, on_b: float) -> np.ndarray:
    """Which knots cannot stand beside the knot (on_a, on_b): one curve would run backwards or race between them."""
    rise_a, rise_b = a - on_a, b - on_b
    steep: np.ndarray = (
        (rise_a * rise_b <= 0)
        | (np.abs(rise_a) > _STEEPEST * np.abs(rise_b))
        | (np.abs(rise_b) > _STEEPEST * np.abs(rise_a))
    )
    return steep


def matched_vertices(
    a: Outline, b: Outline, knots: Correspondence, *, even: int = _EVEN, apart: float = _MERGED
) -> tuple[Complex, Complex]:
    """Both curves with the same number of vertices, the i-th of one becoming the i-th of the other.

    The vertices of either curve are vertices of both, so that no corner is cut off.

    Parameters
    ----------
    even : how many vertices are added at even steps.
    apart : how far vertices are apart at least, as a share of the length.
    """
    u = knots.middle
    from_a = _parameters(a, knots.a, u)
    from_b = _parameters(b, knots.b, u)
    steps = np.linspace(0.0, u[-1], even, endpoint=not a.closed)
    vertices = _spaced(np.sort(np.concatenate([from_a, from_b, steps])), apart)
    vertices = vertices[vertices < u[-1] - apart]
    if not a.closed:
        vertices = np.append(vertices, u[-1])
    return a.along(np.interp(vertices, u, knots.a)), b.along(np.interp(vertices, u, knots.b))


def _spaced(values: Floats, apart: float) -> Floats:
    """Growing values without those that come too soon after another."""
    spaced: Floats = values[np.concatenate([[True], np.diff(values) > min(apart, _MERGED)])]
    if apart > _MERGED:
        spaced = spaced[np.unique(np.floor((spaced - spaced[0]) / apart), return_index=True)[1]]
    return spaced


def _parameters(curve: Outline, knots: Floats, u: Floats) -> Floats:
    """The common parameter at the vertices of a curve."""
    shares = curve.shares[:-1] if curve.closed else curve.shares
    if curve.closed:
        shares = knots[0] + (shares - knots[0]) % 1.0
    return np.interp(shares, knots, u)
