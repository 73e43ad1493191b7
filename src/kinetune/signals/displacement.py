"""Displacement maps: a smooth change of a signal, specified at a few frames only.

===================  ===================================================================
displacement         the change at every frame, from keys, pinned to nothing at the ends
displacement_curve   the same as a curve, to be evaluated at any frame
nearest_turn         the same rotation as a vector close to another one
===================  ===================================================================

[bruderlin] section 5: displacements at a few frames, a spline [kochanek] through them, added to the signal. "The first
and last data points are always displacement points": where no key says otherwise, nothing changes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

Ends = Literal["zero", "natural"]
_TURN = 2.0 * np.pi


class Bending(TypedDict, total=False):
    """How a displacement runs between its keys; see :func:`displacement_curve`."""

    tension: ArrayLike
    continuity: ArrayLike
    bias: ArrayLike
    ends: Ends
    window: float | None


def displacement(frames: int, at: Sequence[float], values: ArrayLike, **bending: Unpack[Bending]) -> Floats:
    """A spline through displacements, one value for each frame, (frames, ...).

    Parameters
    ----------
    frames, at, values : as in :func:`displacement_curve`; without a key nothing changes.
    bending : its tension, continuity, bias, ends and window.

    Notes
    -----
    Laws (``tests/signals/test_displacement.py``): keys are met to the last bit; the map is linear in its values;
    without a key at an end nothing changes there.
    """
    if len(at) == 0:
        return np.zeros((frames, *np.shape(values)[1:]))
    return np.asarray(displacement_curve(frames, at, values, **bending)(np.arange(frames)))


def displacement_curve(
    frames: int,
    at: Sequence[float],
    values: ArrayLike,
    *,
    tension: ArrayLike = 0.0,
    continuity: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
    ends: Ends = "zero",
    window: float | None = None,
) -> TCB:
    """The spline of :func:`displacement`, to be read at any frame; there is at least one key.

    Parameters
    ----------
    frames : how many frames the signal has.
    at : (keys,) frames of the keys, increasing, from 0 to ``frames - 1``.
    values : (keys, ...) the displacement at each.
    tension, continuity, bias : of all keys or one per key, as in ``kt.TCB``.
    ends : how the map leaves the first frame and reaches the last: "zero" at rest, so that the motion keeps its
        velocity there; "natural" without curvature.
    window : how many frames from a key its influence ends; None lets it reach to the next key or to the end of the
        signal. Keys less than two windows apart are joined directly.
    """
    moments = np.asarray(at, dtype=float)
    changes = np.asarray(values, dtype=float)
    if moments[0] < 0 or moments[-1] > frames - 1:
        raise ParameterError(f"Keys lie within the frames 0 to {frames - 1}; got {moments[0]:g} to {moments[-1]:g}.")
    settings = [np.broadcast_to(np.asarray(k, dtype=float), moments.shape) for k in (tension, continuity, bias)]
    pins = np.array([pin for pin in _pins(moments, frames, window) if pin not in moments])
    order = np.argsort(np.concatenate([moments, pins]), kind="stable")
    times = np.concatenate([moments, pins])[order]
    rows = np.concatenate([changes, np.zeros((len(pins), *changes.shape[1:]))])[order]
    t, c, b = (np.concatenate([k, np.zeros(len(pins))])[order] for k in settings)
    return TCB(times, rows, t, c, b, ends=ends, holds="flat")


def _pins(keys: Floats, frames: int, window: float | None) -> list[float]:
    """Where the displacement is nothing: both ends of the signal, and the ends of windows."""
    pins = {0.0, float(frames - 1)}
    if window is not None:
        if not (np.isfinite(window) and window > 0):
            raise ParameterError(f"A window is a positive number of frames, not {window}.")
        for before, after in zip([-np.inf, *keys], [*keys, np.inf], strict=True):
            if after - before > 2.0 * window:
                pins |= {before + window, after - window}
    return sorted(pin for pin in pins if 0.0 <= pin <= frames - 1)


def nearest_turn(vector: Floats, near: Floats) -> Floats:
    """The rotation vector (3,) of the same rotation that lies closest to another: 190 degrees next to 170, not -170."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        length = float(np.linalg.norm(near))
        turns = np.rint(length / _TURN)
        return np.asarray(vector + (turns * _TURN / length) * near) if turns else vector
    axis = vector / angle
    turns = np.rint((float(axis @ near) - angle) / _TURN)
    return np.asarray((angle + _TURN * turns) * axis)
