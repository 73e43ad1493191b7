"""Moving curves as Bezier paths of one topology: the same knots in every frame.

===========  ========================================================================
BezierFilm   control points of one path over time, and the samples they were fitted to
fit_curve    a moving curve as a BezierFilm
bernstein    the four weights of a cubic at some parameters
===========  ========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune.contours.outlines import Complex, all_simple
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.contours.key_shapes.bezier_fit_kernels")

_CORNER = np.radians(28.0)  # a sample that turns by more in any frame is a knot whose handles are free
_SEEN_OVER = 0.006  # of the page: the reach over which turns are seen
_DENSE = 0.012  # of the page: samples are at least this close, or a cubic swings out between them unnoticed
_MOST_PARTS = 12  # into which an edge is cut
_AGREE = np.radians(40.0)  # handles that disagree by less than this in every frame are made to agree
_GIVE = 1.3  # times the bound: the error that smooth joints may cost
_STRAIGHT = 0.25  # of the bound: a segment that bends less in all frames has no handles


@dataclass(frozen=True, eq=False)
class BezierFilm:
    """One path over time.

    cubics : (frames, segments, 4), the control points.
    samples : (frames, n), the curve that was fitted; a closed one ends where it begins.
    knots : (segments + 1,), which samples the segments begin and end at.
    simple : (frames,), whether the curve neither crosses nor touches itself.
    """

    cubics: Complex
    samples: Complex
    knots: np.ndarray
    closed: bool
    simple: np.ndarray


def bernstein(t: Floats) -> Floats:
    """The weights of the four control points of a cubic, (..., 4)."""
    s = 1.0 - t
    return np.stack([s**3, 3.0 * s * s * t, 3.0 * s * t * t, t**3], axis=-1)


def fit_curve(points: Complex, closed: bool, bound: float, page: float) -> BezierFilm:
    """Fit one topology of cubic segments to all frames of a curve.

    Parameters
    ----------
    points : (frames, n), finite.
    bound : how far the path may lie from the curve, both ways.
    page : the longer side of the canvas.
    """
    z = _densified(points, closed, _DENSE * page)
    corners = _corners(z, closed, page)
    n = z.shape[1]
    if closed:
        start = corners[0] if len(corners) else _sharpest(z)
        z = np.roll(z, -start, axis=1)
        z = np.concatenate([z, z[:, :1]], axis=1)
        corners = np.append(corners - start if len(corners) else 0, n)
    else:
        corners = np.unique([0, *corners, n - 1])
    z = np.ascontiguousarray(z)
    kernels = _kernels.load()
    knots = kernels.choose_knots(z, corners.astype(np.int64), bound)
    simple = all_simple(points, closed) if points.shape[1] > 2 else np.ones(len(points), dtype=bool)
    film = BezierFilm(kernels.fit_segments(z, knots), z, knots, closed, simple)
    _join_smoothly(film, np.isin(knots, corners), bound)
    _straighten(film, bound)
    return film


def _densified(z: Complex, closed: bool, most: float) -> Complex:
    """Samples with more of them along edges that are long in some frame, alike in all frames."""
    path = np.concatenate([z, z[:, :1]], axis=1) if closed else z
    longest = np.abs(np.diff(path, axis=1)).max(axis=0)
    parts = np.clip(np.ceil(longest / most), 1, _MOST_PARTS).astype(int)
    low = np.repeat(np.arange(len(parts)), parts)
    share = (np.arange(len(low)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[low]
    dense: Complex = (1.0 - share) * path[:, low] + share * path[:, low + 1]
    return dense if closed else np.concatenate([dense, path[:, -1:]], axis=1)


def _corners(z: Complex, closed: bool, page: float) -> np.ndarray:
    """Samples that turn sharply in some frame; of two neighbours, the sharper one."""
    n = z.shape[1]
    turns = _kernels.load().sharpest_turns(np.ascontiguousarray(z), closed, _SEEN_OVER * page, _CORNER)
    chosen: list[int] = []
    for index in np.argsort(-turns, kind="stable")[: np.count_nonzero(turns)].tolist():
        gaps = (abs(index - other) for other in chosen)
        if all((min(gap, n - gap) if closed else gap) > 1 for gap in gaps):
            chosen.append(index)
    return np.array(sorted(chosen), dtype=int)


def _sharpest(z: Complex) -> int:
    """Where a smooth closed curve bends most."""
    bends = np.angle((np.roll(z, -1, axis=1) - z) * np.conj(z - np.roll(z, 1, axis=1)))
    return int(np.argmax(np.abs(bends).mean(axis=0)))


def _join_smoothly(film: BezierFilm, corner: np.ndarray, bound: float) -> None:
    """Give both handles of a smooth joint one direction, where the path stays near the curve."""
    cubics, count = film.cubics, film.cubics.shape[1]
    for k in range(count if film.closed else count - 1):
        after = (k + 1) % count
        if corner[k + 1] or after == k:
            continue
        left, right = cubics[:, k], cubics[:, after]
        back, out = left[:, 3] - left[:, 2], right[:, 1] - right[:, 0]
        if np.abs(np.angle(out * np.conj(back))).max() > _AGREE:
            continue
        along = back + out
        along = along / np.maximum(np.abs(along), 1e-300)
        smooth = left.copy(), right.copy()
        smooth[0][:, 2] = left[:, 3] - along * np.abs(back)
        smooth[1][:, 1] = right[:, 0] + along * np.abs(out)
        if all(_off(film, j, each) <= _GIVE * bound for j, each in zip((k, after), smooth, strict=True)):
            cubics[:, k], cubics[:, after] = smooth


def _straighten(film: BezierFilm, bound: float) -> None:
    """Take the handles from segments that are straight in every frame."""
    for k in range(film.cubics.shape[1]):
        straight = film.cubics[:, k].copy()
        straight[:, 1], straight[:, 2] = straight[:, 0], straight[:, 3]
        if _off(film, k, straight) <= _STRAIGHT * bound:
            film.cubics[:, k] = straight


def _off(film: BezierFilm, segment: int, cubics: Complex) -> float:
    """How far the samples of a segment lie from cubics (frames, 4), in the worst frame."""
    samples = film.samples[:, film.knots[segment] : film.knots[segment + 1] + 1]
    line = cubics @ bernstein(np.linspace(0.0, 1.0, 17)).T
    return float(_kernels.load().farthest(np.ascontiguousarray(samples), np.ascontiguousarray(line)))
