"""What a player will show, held against the film: how far it is off, and whether it crosses itself."""

from __future__ import annotations

import numpy as np

from kinetune.contours.key_shapes.bezier_films import BezierFilm, bernstein
from kinetune.contours.key_shapes.key_times import Keys
from kinetune.contours.outlines import Complex, all_simple
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.contours.key_shapes.bezier_fit_kernels")

_FINE = bernstein(np.arange(24) / 24)
_STEPS = (bernstein(np.arange(12) / 12), bernstein(np.arange(32) / 32))  # a quick look, and a close one
_BETWEEN = (0.25, 0.5, 0.75)  # of the way from a frame to the next, where crossings are looked for


def film_error(samples: Complex, drawn: np.ndarray, shapes: Complex, keys: Keys) -> float:
    """The Hausdorff distance between a moving curve (frames, n) and what is shown of it, in the worst frame."""
    if not drawn.any():
        return 0.0
    shown = _lines(shapes, keys, np.flatnonzero(drawn).astype(float), _FINE)
    there = np.ascontiguousarray(samples[drawn])
    kernels = _kernels.load()
    return max(float(kernels.farthest(there, shown)), float(kernels.farthest(shown, there)))


def film_is_simple(film: BezierFilm, drawn: np.ndarray, shapes: Complex, keys: Keys) -> np.ndarray:
    """Whether what is shown of a curve does not cross itself where the film does not either.

    (frames,) for the frames, then (frames - 1,) for the way from each to the next.
    """
    count = len(drawn)
    simple = np.ones(2 * count - 1, dtype=bool)
    fine = drawn & film.simple
    if film.samples.shape[1] < 3 + film.closed or not fine.any():
        return simple
    quiet = fine | ~drawn  # what is not drawn is a point, from which a curve grows
    between = np.flatnonzero(quiet[1:] & quiet[:-1] & (fine[1:] | fine[:-1]))
    times = np.concatenate([np.flatnonzero(fine), *(between + share for share in _BETWEEN)])
    places = np.concatenate([np.flatnonzero(fine), *([count + between] * len(_BETWEEN))])
    straight = np.all((shapes[..., 1] == shapes[..., 0]) & (shapes[..., 2] == shapes[..., 3]), axis=0)
    for steps in _STEPS:
        lines = _lines(shapes, keys, times.astype(float), steps)
        needed = np.ones((len(straight), len(steps)), dtype=bool)
        needed[straight, 1:] = steps is _STEPS[1]  # only a close look sees what touches an edge between its ends
        chosen = np.append(needed.ravel(), not film.closed)
        simple[places[~all_simple(lines[:, chosen], film.closed)]] = False
        if not simple.all():
            break
    return simple


def _lines(shapes: Complex, keys: Keys, times: Floats, steps: Floats) -> Complex:
    """The paths at some times as polylines (times, points), the last point included."""
    weights = keys.weights(times)
    cubics = (weights @ shapes.reshape(len(keys), -1)).reshape(len(times), *shapes.shape[1:])
    lines = (cubics @ steps.T).reshape(len(times), -1)
    return np.ascontiguousarray(np.concatenate([lines, cubics[:, -1, 3:]], axis=1))
