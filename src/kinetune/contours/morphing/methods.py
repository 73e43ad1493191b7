"""The methods of a morph: how two curves become a film.

=============  ================================================================================
film_maker     the function that films two curves by a method
linear_film    all wavelet coefficients in proportion, or only the coarse ones, as in the paper
schedule_film  detail of the first shape out, coarse shapes morphed, detail of the second in
physical_film  a curve that springs into the shape of another, like rubber that is let go
swing_clock    how far such a film has got at its times
swing_s        how long it is
=============  ================================================================================

The method "safe" is in :mod:`kinetune.contours.morphing.safe_films`. Nothing keeps "linear" and
"schedule" from crossing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from kinetune.contours.interpolation.intrinsic_interpolation import rigid_rotation
from kinetune.contours.matching.correspondence import Pins, even_knots
from kinetune.contours.matching.outline_alignment import align, straight_start
from kinetune.contours.morphing.layer_films import FilmMaker
from kinetune.contours.morphing.safe_films import CurveFilm, Finish, safe_line, safe_ring
from kinetune.contours.outlines import Complex, Outline, all_simple, ring_area, ring_centroid
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import Scales, join_scales, most_levels, split_scales

if TYPE_CHECKING:
    from kinetune.contours.elastic.materials import Material
    from kinetune.contours.elastic.relaxation import Elastic

Method = Literal["safe", "linear", "schedule", "physical"]

_SMALL = 0.02  # of the canvas: smaller curves are matched by arc length, and the first film without a crossing is taken
_ALIKE = 0.998  # curves that fit each other this well already have their bends in the same positions
_MOST_CAREFUL = 60  # curves of a morph that are matched with more care than that
_LEAST_SAMPLES, _MOST_SAMPLES = 256, 1024
_SWEEP = 16  # coefficients that the schedule calls coarse
_STEPS = 33  # of the way from one shape to the other, along which the modes of a physical film swing
_AREA = 1.15  # by how much the area of a physical film may differ from that between both shapes
_LAST = 0.15  # the part of a physical film in which the remaining swing is faded out
_LONGEST_S = 8.0


def film_maker(
    method: Method,
    *,
    canvas: float,
    elastic: bool = True,
    coefficients: int | None = None,
    wavelet: str = "db4",
    preset: str = "jelly",
    seconds: float | None = None,
) -> FilmMaker:
    """The function that films two curves by a method; options as in :func:`~kinetune.contours.morphing.morph.morph`.

    canvas : the longer side of the canvas.
    """
    if method not in get_args(Method):
        raise ParameterError(f'method must be one of {", ".join(get_args(Method))}, not "{method}".')
    if coefficients is not None and method != "linear":
        raise ParameterError(f'coefficients are an option of the method "linear", not of "{method}".')
    if method == "linear":
        return partial(linear_film, wavelet=wavelet, coefficients=coefficients)
    if method == "schedule":
        return partial(schedule_film, wavelet=wavelet)
    if method == "physical":
        return partial(physical_film, elastic=elastic, preset=preset, seconds=seconds)
    careful_left = _MOST_CAREFUL

    def safe(a: Outline, b: Outline, *args: Any, **options: Any) -> CurveFilm:
        nonlocal careful_left
        careful = careful_left > 0 and max(a.size, b.size) > _SMALL * canvas
        careful_left -= careful
        stretch = elastic and careful and align(a, b, 1)[0].score < _ALIKE
        if a.closed:
            return safe_ring(a, b, *args, elastic=stretch, choosy=careful, **options)
        return safe_line(a, b, *args, elastic=stretch, **options)

    return safe


def _even_samples(a: Outline, b: Outline, pins: Pins = (), *, rotating: bool = False) -> tuple[Complex, Complex]:
    """Two curves at the same power of two of even samples, from the start points that fit best.

    rotating : whether the second may be rotated to fit.
    """
    ideal = 2 * max(len(a.points), len(b.points))
    count = 2 ** math.ceil(math.log2(min(max(ideal, _LEAST_SAMPLES), _MOST_SAMPLES)))
    if not a.closed:
        if align(a, b)[0].backwards and not pins:
            b = b.reversed()
        start = 0.0
    else:
        start = align(a, b, 1)[0].start if rotating else straight_start(a, b)
    knots = even_knots(a, b, start, pins)
    u = np.linspace(0.0, 1.0, count, endpoint=not a.closed) * knots.middle[-1]
    return a.along(np.interp(u, knots.middle, knots.a)), b.along(np.interp(u, knots.middle, knots.b))


def linear_film(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    pins: Pins = (),
    guard: bool = False,
    upright: float | None = None,
    wavelet: str = "db4",
    coefficients: int | None = None,
) -> CurveFilm:
    r"""The paper's linear morph: every wavelet coefficient in proportion.

    Parameters
    ----------
    coefficients : how many coarse coefficients are morphed, the others left out; None for all.

    Notes
    -----
    [chuang] section 4.1, Equation 4.1: :math:`A(\tau) = (1 - \tau) A^s + \tau A^d`. With all coefficients this is the
    linear morph of the samples, since the transform is linear: the promised freedom from crossings does not follow.
    """
    za, zb = _even_samples(a, b, pins)
    levels = _levels(len(za), coefficients, a.closed, wavelet)
    split_a, split_b = _split(za, a.closed, wavelet, levels), _split(zb, a.closed, wavelet, levels)
    if coefficients is not None:
        split_a, split_b = split_a.without_details(), split_b.without_details()
    one, other = split_a.vector(), split_b.vector()
    frames = np.empty((len(times), len(za)), dtype=complex)
    for k, t in enumerate(times.tolist()):
        frames[k] = _join(split_a.with_vector((1.0 - t) * one + t * other))
    return CurveFilm(frames, za, zb, a.closed, "free")


def schedule_film(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    pins: Pins = (),
    guard: bool = False,
    upright: float | None = None,
    wavelet: str = "db4",
) -> CurveFilm:
    """Detail of the first shape fades out, the finest first; the coarse shapes morph; detail of the second fades in.

    Half as many shapes cross themselves on the way as in the linear morph.
    """
    za, zb = _even_samples(a, b, pins, rotating=True)
    rotation = rigid_rotation(za, zb, a.closed)
    levels = _levels(len(za), _SWEEP, a.closed, wavelet)
    split_a = _split(za, a.closed, wavelet, levels)
    split_b = _split(zb * np.exp(-1j * rotation), a.closed, wavelet, levels)
    frames = np.empty((len(times), len(za)), dtype=complex)
    for k, t in enumerate(times.tolist()):
        share = _smoothstep((t - 0.2) / 0.6)
        coarse = (1.0 - share) * split_a.coarse + share * split_b.coarse
        out, back = _gains(t, levels), _gains(1.0 - t, levels)
        details = [x * g + y * h for x, g, y, h in zip(split_a.details, out, split_b.details, back, strict=True)]
        vector = np.concatenate([coarse, *details])
        frames[k] = np.exp(1j * rotation * share) * _join(split_a.with_vector(vector))
    return CurveFilm(frames, za, zb, a.closed, "free")


def _gains(t: float, levels: int) -> list[float]:
    """How much of each level of detail is left, the coarsest first: the finest goes first, all are gone half way."""
    return [1.0 - _smoothstep(t / end) for end in np.linspace(0.5, 0.25, levels).tolist()]


def _smoothstep(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def _levels(count: int, coefficients: int | None, closed: bool, wavelet: str) -> int:
    most = most_levels(count, wavelet, closed=closed)
    if coefficients is None:
        return most
    if not (4 <= coefficients <= _MOST_SAMPLES and coefficients & (coefficients - 1) == 0):
        raise ParameterError(f"coefficients must be a power of two from 4 to {_MOST_SAMPLES}, not {coefficients}.")
    return min(most, max(0, round(math.log2(count / coefficients))))


def _split(z: Complex, closed: bool, wavelet: str, levels: int) -> Scales:
    return split_scales(np.stack([z.real, z.imag], axis=-1), wavelet, levels, closed=closed)


def _join(scales: Scales) -> Complex:
    points = join_scales(scales)
    return points[:, 0] + 1j * points[:, 1]


def physical_film(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    pins: Pins = (),
    guard: bool = True,
    upright: float | None = None,
    elastic: bool = True,
    preset: str | Material = "jelly",
    seconds: float | None = None,
) -> CurveFilm:
    """The first shape let go with the second as its shape at rest; no frame crosses itself if neither of the two does.

    Parameters
    ----------
    guard : False takes the film as it comes, for curves that cross themselves from the start.
    upright : as in :func:`~kinetune.contours.morphing.safe_films.safe_ring`.
    elastic : match similar bends.
    preset : the material.
    seconds : how long the film is; by default until the shape has come to rest, at most 8.

    Notes
    -----
    [chuang] section 4.2 lets every mode of the curve swing from its first to its last value along a straight line, at
    its pace: what is left of it after a time is that of the exact solution. Straight lines shrink a shape that rotates
    and may make it cross itself, so here every mode goes the way that it goes in the "safe" film, at the pace of the
    paper, and straight on beyond the second shape where the material swings past it. The slowest wobble keeps the same
    time in all curves, open or closed (:func:`swing_clock`).

    Where a frame still crosses itself, first all modes of the film keep the time of the slowest, then the material
    swings past by less, and at last the film is the "safe" one at that time. The area stays within 15% of that between
    both shapes, or of how far the material swings past (``test_methods.py::test_physical_films_keep_their_area``).
    """
    from kinetune.contours.elastic.relaxation import Elastic

    make = partial(safe_ring, choosy=False) if a.closed else safe_line
    slow = swing_clock(times, preset, seconds)
    # The way: the safe film at even steps, and at the times that the slowest wobble keeps.
    steps = np.concatenate([np.linspace(0.0, 1.0, _STEPS)[1:-1], np.clip(slow, 1e-9, 1.0 - 1e-9)])
    safe = make(a, b, steps, lambda frames: frames, elastic=elastic, pins=pins, guard=guard, upright=upright)
    za, zb = safe.a, safe.b
    way = np.concatenate([za[None], safe.frames[: _STEPS - 2], zb[None]])
    in_step = safe.frames[_STEPS - 2 :] + np.maximum(slow - 1.0, 0.0)[:, None] * (zb - za)
    curve = Elastic(len(za), a.closed)
    scale = 1.0 if a.closed else 4.0  # one wave along an open curve is half a wave round a closed one
    pace = swing_clock(times, preset, seconds, scale * curve.spectrum)
    modal = _along_the_way(curve, way, pace)
    tries = ((0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.5), (1.0, 0.0)) if guard else ((0.0, 1.0),)
    for together, past in tries:
        beyond = (1.0 - past) * np.maximum(slow - 1.0, 0.0)
        frames = (1.0 - together) * modal + together * (in_step - beyond[:, None] * (zb - za))
        if a.closed and guard:
            frames = _with_area(frames, za, zb, slow - beyond)
        film = replace(safe, frames=frames, how=safe.how if guard else "free")
        if not guard or bool(all_simple(finish(frames), a.closed).all()):
            return film
    return make(a, b, np.clip(slow, 1e-9, 1.0 - 1e-9), finish, elastic=elastic, pins=pins, upright=upright)


def _along_the_way(curve: Elastic, way: Complex, pace: Floats) -> Complex:
    """Frames in which every mode is as far along its way as its pace says.

    way : (steps, n), even steps from the first shape to the second.
    pace : (times, modes), 0 at the first and 1 at the second shape, beyond 1 where the material swings past.
    """
    modes = np.array([curve.modes(np.stack([z.real, z.imag], axis=-1)) for z in way])  # (steps, period)
    last = len(way) - 1
    frames = np.empty((len(pace), way.shape[1]), dtype=complex)
    numbers = np.arange(modes.shape[1])
    for k, half in enumerate(pace):
        progress = curve.mirrored(half)
        at = np.clip(progress, 0.0, 1.0) * last
        below = np.minimum(at.astype(int), last - 1)
        share = at - below
        now = (1.0 - share) * modes[below, numbers] + share * modes[below + 1, numbers]
        now += np.maximum(progress - 1.0, 0.0) * (modes[-1] - modes[0])
        points = curve.samples(now)
        frames[k] = points[:, 0] + 1j * points[:, 1]
    return frames


def _with_area(frames: Complex, za: Complex, zb: Complex, slow: Floats) -> Complex:
    """Closed curves made smaller or larger where their area is far from that between both shapes."""
    size_a, size_b = (float(np.sqrt(abs(ring_area(z)))) for z in (za, zb))
    target = np.maximum((1.0 - slow) * size_a + slow * size_b, 0.1 * min(size_a, size_b))
    sizes = np.sqrt(np.maximum(np.abs(ring_area(frames)), 1e-300))
    most = np.sqrt(_AREA)
    factor = np.clip(sizes, target / most, target * most) / sizes
    centre = ring_centroid(frames)[:, None]
    resized: Complex = centre + factor[:, None] * (frames - centre)
    return resized


def swing_clock(
    times: Floats, preset: str | Material, seconds: float | None = None, stiffness: Floats | None = None
) -> Floats:
    """How far a shape has got on its way at times from 0 to 1: 0 at the start, 1 at rest, above 1 past it.

    What has not come to rest at the end of the film fades out in its last part.

    Parameters
    ----------
    stiffness : of modes; the result is then (times, modes). Without it, that of the slowest wobble of any curve.
    """
    from kinetune.contours.elastic.materials import SLOWEST, find_material
    from kinetune.contours.elastic.single_mode import release

    material, length = find_material(preset), swing_s(preset, seconds)
    stiffnesses = np.array([SLOWEST]) if stiffness is None else np.maximum(stiffness, SLOWEST)
    fade = np.clip((1.0 - times) / _LAST, 0.0, 1.0)
    fade = fade * fade * (3.0 - 2.0 * fade)
    left = np.array([release(material.e0 * stiffnesses, material, length * t) for t in times.tolist()]).reshape(
        len(times), -1
    )
    clock: Floats = 1.0 - fade[:, None] * left
    return clock[:, 0] if stiffness is None else clock


def swing_progress(preset: str | Material, seconds: float | None = None) -> Callable[[Floats], Floats]:
    """The clock of everything that does not swing itself in a physical film: as :func:`swing_clock`, never past 1."""

    def clock(times: Floats) -> Floats:
        return np.clip(swing_clock(times, preset, seconds), 0.0, 1.0)

    return clock


def swing_s(preset: str | Material, seconds: float | None = None) -> float:
    """How long a shape swings in a film: ``seconds`` if given, otherwise until it has come to rest, at most 8."""
    from kinetune.contours.elastic.materials import find_material

    if seconds is None:
        return min(find_material(preset).settle_s, _LONGEST_S)
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise ParameterError(f"seconds must be above 0, not {seconds}.")
    return seconds
