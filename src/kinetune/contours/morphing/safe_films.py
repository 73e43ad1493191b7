"""Films of one curve becoming another in which no frame crosses itself.

Several films are tried, the cheapest and most faithful first: intrinsic interpolation from the best start point, from
other start points where the shape crosses itself or must work hard, then the guard. Only what is written is judged:
the frames as they come out of ``finish``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kinetune.contours.interpolation.intrinsic_interpolation import interpolate, rigid_rotation, strain
from kinetune.contours.matching.correspondence import Correspondence, Pins, correspondences, matched_vertices
from kinetune.contours.matching.outline_alignment import align, mirror_ends
from kinetune.contours.morphing._curve_shortening import interpolate_smoothed
from kinetune.contours.outlines import Complex, Outline, all_simple
from kinetune.rotations import Floats

How = Literal["first", "start", "guard", "held", "free"]
"""How a film was found: at the first try, from another start point, by the guard, with frames held; or unguarded."""

Finish = Callable[[Complex], Complex]
"""Frames (times, n) as they are written: on the canvas of each time, rounded as the file rounds."""

_FLOWING = 320  # even vertices of a curve that the guard smooths
_UNROLL = np.linspace(0.1, 1.0, 10)  # shares of all bends that the guard of open curves opens
_EASY = 0.6  # strain up to which the first film is taken; above it, the least strained of all is looked for
_SYMMETRIC = 0.7  # by which those count that keep a symmetry: what becomes lopsided looks wrong
_BY_LENGTH = 1.15  # by which matches by arc length count as more strained, as they do not know bends


@dataclass(frozen=True, eq=False)
class CurveFilm:
    """One curve over time.

    frames : (times, n).
    a, b : (n,), the matched key curves between which the frames lie.
    smoothing : how much detail the guard took away, 0 for none.
    """

    frames: Complex
    a: Complex
    b: Complex
    closed: bool
    how: How
    smoothing: float = 0.0


def safe_ring(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    elastic: bool = True,
    pins: Pins = (),
    guard: bool = True,
    choosy: bool = True,
    upright: float | None = None,
) -> CurveFilm:
    """Frames between two closed curves, none of which crosses itself if neither of the two does.

    Parameters
    ----------
    times : strictly between 0 and 1.
    elastic : match similar bends, see :func:`~kinetune.contours.matching.correspondence.correspondences`.
    guard : False takes the first film as it comes, for curves that cross themselves from the start.
    choosy : look for a less strained film where the first that does not cross is strained; False saves time.
    upright : of a part of a drawing, by how much what it lies on rotates: it should rotate along.

    Notes
    -----
    Where even the guard fails, a frame that crosses is replaced by the nearest one that does not: the film then
    stands still or jumps there, and says so ("held").
    """
    first: CurveFilm | None = None
    best: tuple[float, CurveFilm] | None = None
    for knots, handicap in _ways(a, b, elastic, pins, upright):
        za, zb = matched_vertices(a, b, knots)
        strained = handicap * strain(za, zb, upright) if choosy and guard else 0.0
        if best is not None and strained >= best[0]:
            continue
        frames = interpolate(za, zb, times, sized=guard)
        film = CurveFilm(frames, za, zb, True, "start" if first else "first")
        if not guard:
            return replace(film, how="free")
        first = first or film
        if _sound(finish(frames), closed=True):
            best = strained, film
            if strained <= _EASY:
                break
    if best is not None:
        return best[1]
    assert first is not None
    for by_bends in (True, False)[not elastic :]:
        knots = next(correspondences(a, b, elastic=by_bends, pins=pins, upright=upright))
        candidate = _guarded(*matched_vertices(a, b, knots, even=_FLOWING, apart=0.25 / _FLOWING), times, finish)
        if candidate is not None:
            return candidate
    return _held(first, times, finish)


def _guarded(za: Complex, zb: Complex, times: Floats, finish: Finish) -> CurveFilm | None:
    rotation = rigid_rotation(za, zb)
    smoothed = interpolate_smoothed(
        za,
        zb,
        times,
        lambda x, y, t: interpolate(x, y, t, rotation=rotation),
        lambda frames: _sound(finish(frames), closed=True),
    )
    return None if smoothed is None else CurveFilm(smoothed[0], za, zb, True, "guard", smoothed[1])


def _ways(
    a: Outline, b: Outline, elastic: bool, pins: Pins, upright: float | None
) -> Iterator[tuple[Correspondence, float]]:
    """Elastic matches that keep a symmetry first, then others, then those by arc length, which rarely cross.

    Each comes with the factor by which its strain counts.
    """
    if elastic:
        ends = () if pins else mirror_ends(a, b)
        if ends:
            yield next(correspondences(a, b, elastic=True, pins=ends)), _SYMMETRIC
        yield from ((knots, 1.0) for knots in correspondences(a, b, elastic=True, pins=pins, upright=upright))
    handicap = _BY_LENGTH if elastic else 1.0
    yield from ((knots, handicap) for knots in correspondences(a, b, elastic=False, pins=pins, upright=upright))


def _sound(frames: Complex, closed: bool) -> bool:
    return bool(all_simple(frames, closed).all())


def _held(film: CurveFilm, times: Floats, finish: Finish) -> CurveFilm:
    """Replace every frame that crosses itself by the nearest in time that does not, the keys among them."""
    everything = np.concatenate([film.a[None], film.frames, film.b[None]])
    # A key is held as it lies, on the canvas of the frame that shows it.
    fine = np.concatenate([[True], all_simple(finish(film.frames), film.closed), [True]])
    moments = np.concatenate([[0.0], times, [1.0]])
    good = np.flatnonzero(fine)
    nearest = good[np.argmin(np.abs(times[:, None] - moments[good]), axis=1)]
    return CurveFilm(everything[nearest], film.a, film.b, film.closed, "held")


def safe_line(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    elastic: bool = True,
    pins: Pins = (),
    guard: bool = True,
    upright: float | None = None,
) -> CurveFilm:
    """Frames between two open curves, none of which crosses itself if neither of the two does.

    The second is run backwards where that fits better, or where nothing else helps. The guard of open curves unrolls
    both on the way: every bend opens, as far as it must, and closes again.
    """
    matches = [_matched_lines(a, b, by_bends, pins, upright, other=False) for by_bends in (True, False)[not elastic :]]
    za, zb = matches[0]
    first = CurveFilm(interpolate(za, zb, times, closed=False), za, zb, False, "first")
    if not guard or not (all_simple(za[None], False)[0] and all_simple(zb[None], False)[0]):
        return replace(first, how="free")
    match_sets = [matches] if len(pins) > 1 else [matches, [_matched_lines(a, b, elastic, pins, upright, other=True)]]
    for number, matches_tried in enumerate(match_sets):
        for za, zb in matches_tried:
            film = CurveFilm(interpolate(za, zb, times, closed=False), za, zb, False, "start")
            if _sound(finish(film.frames), closed=False):
                return film if number or za is not matches[0][0] else first
        for quick, most in itertools.product((1.2, 2.5), _UNROLL.tolist()):
            bent = 1.0 - most * np.minimum(1.0, quick * np.sin(np.pi * times)) ** 2
            for za, zb in matches_tried:
                frames = interpolate(za, zb, times, closed=False, bent=bent)
                if _sound(finish(frames), closed=False):
                    return CurveFilm(frames, za, zb, False, "guard", most)
    return _held(first, times, finish)


def _matched_lines(
    a: Outline, b: Outline, elastic: bool, pins: Pins, upright: float | None, *, other: bool
) -> tuple[Complex, Complex]:
    """Two open curves matched in the direction that fits best, or in the other one."""
    backwards = align(a, b, upright=upright)[0].backwards != other
    if len(pins) > 1:  # the order of the pins decides
        backwards = sum(np.diff([on_b for _, on_b in sorted(pins)])) < 0.0
    if backwards:
        b, pins = b.reversed(), tuple((on_a, 1.0 - on_b) for on_a, on_b in pins)
    return matched_vertices(a, b, next(correspondences(a, b, elastic=elastic, pins=pins)))
