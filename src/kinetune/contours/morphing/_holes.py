"""Curves that stay inside a changing outline: holes in a shape, islands in a hole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from kinetune.contours.morphing.safe_films import Finish
from kinetune.contours.outlines import Complex, Outline, ring_centroid
from kinetune.rotations import Floats

_SHRINK = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98, 0.995])
_FASTEST = 4.0  # sizes of its outline that a hole may travel in the time of a film
_ROUNDS = 30  # of shrinking a circle
_CAP, _CORNER = 4.0, 1.5  # radii along the curve and from the centre, within which a corner goes to a circle
_REACH = 0.3  # of the film: how long before and after it is needed a change begins and ends


def carried(point: complex, key: Complex, frames: Complex) -> Complex:
    """Where a point goes (times,) that keeps its mean value coordinates in an outline (n,) that becomes (times, n)."""
    return carried_curve(np.array([point]), key, frames)[:, 0]


def carried_curve(z: Complex, key: Complex, frames: Complex) -> Complex:
    """Where all points of a curve (m,) go, (times, m), each as :func:`carried`.

    Notes
    -----
    M. Floater, Mean value coordinates, 2003: w_i = (tan(a_{i-1} / 2) + tan(a_i / 2)) / r_i, with the angle a_i that
    edge i subtends. At a vertex or on an edge the point rides on it.
    """
    spokes = key - z[:, None]
    radius = np.abs(spokes)
    angle = np.angle(np.roll(spokes, -1, axis=1) * np.conj(spokes))
    tangent = np.tan(0.5 * np.clip(angle, -np.pi + 1e-6, np.pi - 1e-6))
    weights = (np.roll(tangent, 1, axis=1) + tangent) / np.maximum(radius, 1e-300)
    on_vertex = radius.min(axis=1) < 1e-9 * radius.max(axis=1)
    weights[on_vertex] = np.eye(len(key))[np.argmin(radius[on_vertex], axis=1)]
    paths: Complex = frames @ (weights / weights.sum(axis=1, keepdims=True)).T
    return paths


def is_bent(outline: Outline) -> bool:
    """Whether a closed outline, made smaller about its centre, leaves itself, as the letter U does."""
    import shapely

    z = outline.points
    plate, half = (shapely.polygons(np.stack([p.real, p.imag], axis=-1)) for p in (z, 0.5 * (z + outline.centre)))
    return not bool(shapely.covers(plate, half))


def to_middle_line(z: Complex) -> Complex:
    """For each point of a closed curve (n,) of positive area, the centre of a circle inside that is large and near.

    That is the largest one that touches it there, but beside corners, where only small ones do.

    Notes
    -----
    The shrinking balls of J. Ma, S. Bae, S. Choi, 3D medial axis point approximation using nearest neighbors and the
    normal field, 2012. On their way there, no two points meet.
    """
    along = np.roll(z, -1) - np.roll(z, 1)
    inward = 1j * along / np.maximum(np.abs(along), 1e-300)
    radius = np.full(len(z), float(np.abs(z - z[0]).max()))
    for _ in range(_ROUNDS):
        to = z - (z + radius * inward)[:, None]
        nearest = np.argmin(np.abs(to), axis=1)
        spoke = z[nearest] - z
        depth = (spoke * np.conj(inward)).real
        inside = np.abs(to).min(axis=1) < radius * (1.0 - 1e-6)
        smaller = np.abs(spoke) ** 2 / (2.0 * np.maximum(depth, 1e-300))
        radius = np.where(inside & (depth > 0.0), np.minimum(radius, smaller), radius)
    middle = z + radius * inward
    apart = np.abs(z[:, None] - middle)
    at = np.cumsum(np.abs(np.diff(z, prepend=z[-1:])))
    along_curve = np.abs(at[:, None] - at)
    near = (np.minimum(along_curve, at[-1] - along_curve) <= _CAP * radius) & (apart <= _CORNER * radius)
    best = np.argmax(np.where(near | np.eye(len(z), dtype=bool), radius - 0.5 * apart, -np.inf), axis=1)
    chosen: Complex = middle[best]
    return chosen


Stay = Literal["stays", "leaves", "comes"]
"""Whether a curve is there all the time, shrinks to a point, or grows from one."""


def keep_inside(around: Complex, inner: Sequence[tuple[Complex, Stay]], times: Floats, finish: Finish) -> list[Complex]:
    """Films of curves inside an outline, changed so that each stays inside and none touches another.

    Parameters
    ----------
    around : (times, n), simple closed curves.
    inner : (times, m) each, simple closed curves, and whether they stay.

    Returns
    -------
    list
        As ``inner``. A frame in which a curve found no room is not-a-number.

    Notes
    -----
    Each curve shrinks about its centre, as far as it must and around the frames where it must. Where its centre itself
    gets outside, it moves towards the deepest point of the outline, if there is a steady path to it.
    Curves that stay come first. Of one that leaves and one that comes, the first gives way in the second half of the
    film and the second in the first half, so that both are whole when they are near their own drawing.
    """
    plates = _plates(finish(around))
    early = times < 0.5
    films: list[Complex] = [film for film, _ in inner]

    def settle(number: int, others: Sequence[np.ndarray]) -> np.ndarray:
        film, _ = inner[number]

        def fits(tried: Complex) -> np.ndarray:
            return _fits(plates, others, finish(tried))

        films[number] = _one_inside(film, around, times, fits, number, len(inner))
        return _plates(finish(films[number]))

    numbers = {stay: [k for k, (_, kind) in enumerate(inner) if kind == stay] for stay in ("stays", "leaves", "comes")}
    placed: list[np.ndarray] = []
    for number in numbers["stays"]:
        placed.append(settle(number, placed))
    leaving = list(placed)
    for number in numbers["leaves"] if numbers["comes"] else ():
        leaving.append(settle(number, leaving))
    coming = placed + [_only(early, plate) for plate in leaving[len(placed) :]]
    for number in numbers["comes"]:
        coming.append(settle(number, coming))
    placed += coming[len(leaving) :]
    for number in numbers["leaves"]:
        placed.append(settle(number, placed))
    return films


def _only(where: np.ndarray, plates: np.ndarray) -> np.ndarray:
    """The plates of some frames, none in the others."""
    shown = plates.copy()
    shown[~where] = None
    return shown


def is_steady(film: Complex, around: Complex, times: Floats) -> bool:
    """Whether a curve inside an outline is drawn in every frame and never leaps from one part of it to another."""
    return not np.isnan(film[:, 0]).any() and _steady(ring_centroid(film), around, times)


def _steady(centre: Complex, around: Complex, times: Floats) -> bool:
    """Whether a path inside an outline has no leap: it takes a quarter of the film at least to cross the outline."""
    known = ~np.isnan(around[:, 0])
    shown = around[known]
    extent = np.maximum(np.ptp(shown.real, axis=1), np.ptp(shown.imag, axis=1)).max(initial=0.0)
    order = np.argsort(times[known], kind="stable")
    steps = np.abs(np.diff(centre[known][order]))
    return bool(np.all(steps <= _FASTEST * extent * np.diff(times[known][order]) + 1e-9 * extent))


def _plates(rings: Complex) -> np.ndarray:
    import shapely

    known = ~np.isnan(rings[:, 0])
    plates: np.ndarray = np.full(len(rings), None, dtype=object)
    points = np.stack([rings.real, rings.imag], axis=-1)
    plates[known] = shapely.polygons(points[known])
    return plates


def _fits(plates: np.ndarray, others: Sequence[np.ndarray], rings: Complex) -> np.ndarray:
    """In which frames a curve lies strictly inside and apart from the others, (times,)."""
    import shapely

    inner = _plates(rings)
    good: np.ndarray = shapely.contains_properly(plates, inner)
    for other in others:
        good &= ~shapely.intersects(inner, other)  # what is not drawn meets nothing
    good = good | shapely.is_missing(inner) | shapely.is_missing(plates)
    return good


def _one_inside(
    film: Complex,
    around: Complex,
    times: Floats,
    fits: Callable[[Complex], np.ndarray],
    number: int,
    count: int,
) -> Complex:
    centre = ring_centroid(film)
    shape = film - centre[:, None]
    tried, good = _shrunk(centre, shape, times, fits)
    if good.all():
        return tried
    deep, room = _deepest(around)
    if count > 1:  # several curves on their way to the same point keep apart on a ring round it
        deep = deep + 0.5 * room * np.exp(2j * np.pi * number / count)
    share = _spread(np.where(good, 0.0, 1.0), times)
    moved = (1.0 - share) * centre + share * np.where(np.isnan(deep), centre, deep)
    if _steady(moved, around, times):
        tried, good = _shrunk(moved, shape, times, fits)
    return np.where(good[:, None], tried, np.nan)


def _shrunk(
    centre: Complex, shape: Complex, times: Floats, fits: Callable[[Complex], np.ndarray]
) -> tuple[Complex, np.ndarray]:
    """Curves shrunk about their centres where they must be, and in which frames that was enough."""

    def at(amounts: Floats) -> Complex:
        return centre[:, None] + (1.0 - amounts)[:, None] * shape

    need = np.full(len(times), len(_SHRINK) - 1)
    for rung in range(len(_SHRINK) - 1, -1, -1):
        need = np.where(fits(at(np.full(len(times), _SHRINK[rung]))), rung, need)
        if rung == 0 and np.all(need == 0):
            return at(np.zeros(len(times))), np.ones(len(times), dtype=bool)
    for _ in range(len(_SHRINK)):
        tried = at(np.maximum(_spread(_SHRINK[need], times), _SHRINK[need]))
        good = fits(tried)
        if good.all() or np.all(need[~good] == len(_SHRINK) - 1):
            break
        need = np.where(good, need, np.minimum(need + 1, len(_SHRINK) - 1))
    return tried, good


def _spread(amounts: Floats, times: Floats) -> Floats:
    """Amounts that come and go softly around the frames that need them."""
    near = np.minimum(np.abs(times[:, None] - times) / _REACH, 1.0)
    spread: Floats = np.max(amounts * np.cos(0.5 * np.pi * near) ** 2, axis=1)
    return spread


def _deepest(around: Complex) -> tuple[Complex, Floats]:
    """The centre of the largest circle inside each curve (times,), and its radius; not-a-number where none is drawn."""
    import shapely

    known = ~np.isnan(around[:, 0])
    shown = around[known]
    extent = np.maximum(np.ptp(shown.real, axis=1), np.ptp(shown.imag, axis=1))
    circles = shapely.maximum_inscribed_circle(_plates(shown), 0.01 * extent)
    spokes = shapely.get_coordinates(circles).reshape(-1, 2, 2)
    centre, radius = np.full(len(around), np.nan, dtype=complex), np.full(len(around), np.nan)
    centre[known] = spokes[:, 0, 0] + 1j * spokes[:, 0, 1]
    radius[known] = np.linalg.norm(spokes[:, 1] - spokes[:, 0], axis=1)
    return centre, radius
