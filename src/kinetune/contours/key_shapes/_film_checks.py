"""What a player will show, held against the film: how far it is off, and whether it crosses itself."""

from __future__ import annotations

import numpy as np

from kinetune.contours.key_shapes.bezier_films import bernstein
from kinetune.contours.key_shapes.key_times import Keys
from kinetune.contours.outlines import Complex, all_simple
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.contours.key_shapes.bezier_fit_kernels")

_FINE = bernstein(np.arange(16) / 16)
_STEPS = bernstein(np.arange(8) / 8)


def film_error(samples: Complex, drawn: np.ndarray, shapes: Complex, keys: Keys) -> float:
    """The Hausdorff distance between a moving curve (frames, n) and what is shown of it, in the worst frame."""
    shown = _lines(shapes, keys, np.flatnonzero(drawn).astype(float), _FINE)
    there = np.ascontiguousarray(samples[drawn])
    kernels = _kernels.load()
    return max(float(kernels.farthest(there, shown)), float(kernels.farthest(shown, there)))


def film_is_simple(points: Complex, closed: bool, drawn: np.ndarray, shapes: Complex, keys: Keys) -> bool:
    """Whether what is shown crosses itself nowhere, also half way between frames, where the film does not either."""
    if points.shape[1] < 3:
        return True
    fine = drawn.copy()
    fine[drawn] = all_simple(points[drawn], closed)
    between = fine[1:] & fine[:-1]
    times = np.concatenate([np.flatnonzero(fine), 0.5 + np.flatnonzero(between)]).astype(float)
    if not len(times):
        return True
    lines = _lines(shapes, keys, times, _STEPS)
    straight = np.all(np.abs(shapes[..., 1] - shapes[..., 0]) + np.abs(shapes[..., 2] - shapes[..., 3]) == 0.0, axis=0)
    needed = np.ones((len(straight), len(_STEPS)), dtype=bool)
    needed[straight, 1:] = False
    chosen = np.append(needed.ravel(), not closed)
    return bool(all_simple(lines[:, chosen], closed).all())


def _lines(shapes: Complex, keys: Keys, times: Floats, steps: Floats) -> Complex:
    """The paths at some times as polylines (times, points), the last point included."""
    weights = keys.weights(times)
    cubics = (weights @ shapes.reshape(len(keys), -1)).reshape(len(times), *shapes.shape[1:])
    lines = (cubics @ steps.T).reshape(len(times), -1)
    return np.ascontiguousarray(np.concatenate([lines, cubics[:, -1, 3:]], axis=1))
