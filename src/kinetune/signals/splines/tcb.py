"""Smooth curves through keys, with tension, continuity and bias at each key (Kochanek-Bartels, "TCB").

====================  ===================================================================================
TCB                   the curve: ``curve(t)``, ``curve.derivative(t)``, ``curve.inbetweens(N)``
TCB_PRESETS, preset   named settings of the three parameters (:mod:`kinetune.signals.splines.tcb_presets`)
RotationTCB           the same for quaternions (:mod:`kinetune.signals.splines.rotation_tcb`)
====================  ===================================================================================
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.key_checks import finite_numbers
from kinetune.signals.splines.keyed_curve import SAME, KeyedCurve
from kinetune.signals.splines.tangents import kernels, tangents

_NUMPY_S = 2.0e-8  # what one number of the result costs in NumPy, in seconds


class _Segments(NamedTuple):
    """One row for each interval: where it starts, its chord, and its tangents per unit of s."""

    knots: Floats  # (intervals + 1,)
    values: Floats  # (intervals + 1, channels)
    chords: Floats  # (intervals, channels)
    leaving: Floats
    arriving: Floats


class TCB(KeyedCurve):
    r"""A smooth curve through key values, bent at each key by tension, continuity and bias.

    Tension 1 brings the motion to rest at a key and -1 swings it wide; continuity -1 makes a corner; bias 1 follows
    through past a key and -1 starts the turn before it. At 0, 0, 0 it is the Catmull-Rom spline.

    Parameters
    ----------
    times : (keys,), increasing, in any unit.
    values : (keys,) or (keys, ...): every number of a key is a curve of its own, all in parallel.
    tension, continuity, bias : one number for all keys, or one per key; usually -1 to 1. The first and the last key
        of an open curve take their tangents from ``ends`` instead.
    ends : how an open curve starts and stops. "natural" (no curvature), "zero" (at rest, as in the paper), "half
        chord", "chord" (straight at its neighbour), or a pair (start, end) of such names or of velocities.
    closed : the curve comes round to its first key and repeats for ever. When it does: at the last key, if that
        repeats the first; or at one more time than there are keys; or after ``period``; or, with evenly spaced keys
        and none of these, after one more such interval.
    step : what is done where the intervals on both sides of a key differ in length. "corrected" keeps the speed
        continuous, "printed" is the paper's Equation 10 as it stands, "none" leaves the tangents alone.
    period : how long a closed curve takes to come round.
    holds : "flat" keeps neighbouring keys of equal value flat, per channel: 0, 1, 1, 0 then stays at 1 and the
        motion comes to rest there. "free" lets the curve swing past a hold, to 1.125 in this case.
    outside : beyond the keys of an open curve, "hold" keeps the first or last value, "extrapolate" goes straight on at
        the velocity of that end, "error" refuses.
    frame : the time from one frame to the next. Only "printed" and :meth:`inbetweens` without counts ask for it,
        because they count the frames between keys: N = interval / frame - 1.

    Notes
    -----
    Paper to code: :math:`P_i` -> ``values[i]``, :math:`DD_i` -> ``_segments.leaving[i]``, :math:`DS_{i+1}` ->
    ``_segments.arriving[i]``, :math:`s` -> ``s``, :math:`N_i + 1` -> interval / ``frame``.
    [kochanek] Equations 1, 8, 9. Equation 10 as printed is wrong: for uniform motion over 10 and then 5 inbetweens it
    enters the key at .515 and leaves at 1.889 of the true speed (``test_splines.py::test_erratum_of_equation_10``).
    Laws: the curve meets its keys exactly; scaling and shifting the values scales and shifts the curve.

    Examples
    --------
    >>> curve = TCB([0, 1, 2], [0.0, 1.0, 0.0], tension=0.5)
    >>> float(curve(1.0)), float(curve(0.5))
    (1.0, 0.6875)
    """

    def _check_values(self, values: ArrayLike) -> Floats:
        keys = finite_numbers("values", values)
        if keys.ndim == 0 or len(keys) == 0:
            raise ParameterError("A curve needs at least one key: values must be a list with one entry per key.")
        return keys

    def _velocity_shape(self, keys: Floats) -> tuple[int, ...]:
        return keys.shape[1:]

    def _same_key(self, one: Floats, other: Floats, keys: Floats) -> bool:
        return bool(np.all(np.abs(one - other) <= SAME * np.ptp(keys, axis=0)))

    @cached_property
    def _segments(self) -> _Segments:
        knots = self._knots
        values = self.values.reshape(len(self), math.prod(self.values.shape[1:]))
        if self.closed:
            values = np.concatenate([values, values[:1]])
        with np.errstate(over="ignore"):  # reported below
            chords = values[1:] - values[:-1]
        if not np.isfinite(chords).all():
            raise ParameterError("Two neighbouring keys are so far apart that their difference is no longer a number.")
        ends = tuple(end if isinstance(end, str) else end.reshape(-1) for end in self.ends)
        leaving, arriving = tangents(
            chords,
            knots[1:] - knots[:-1],
            (self.tension, self.continuity, self.bias),
            closed=self.closed,
            step=self.step,
            frame=self.frame,
            ends=(ends[0], ends[1]),
            natural=_natural,
            flat=np.abs(chords) <= SAME * np.ptp(values, axis=0) if self.holds == "flat" else None,
        )
        return _Segments(knots, values, chords, leaving, arriving)

    def __call__(self, t: ArrayLike) -> Any:
        """The curve at time t: a value for a number, shape t.shape + (one key's shape) for an array of times."""
        moments, beyond, shape = self._queries(t)
        points = self._points(moments)
        if beyond is not None:
            points += beyond[:, None] * self._velocities(moments)
        return self._shaped(points, shape)

    def derivative(self, t: ArrayLike) -> Any:
        """The velocity at time t, per unit of time.

        At a key it is the outgoing one, at the last key of an open curve the incoming one; see :meth:`velocities`.
        Beyond the keys it is 0 where the curve holds.
        """
        moments, beyond, shape = self._queries(t)
        speeds = self._velocities(moments)
        if not self.closed and beyond is None:
            asked = np.asarray(t, dtype=float).reshape(-1)
            speeds[(asked < self.start) | (asked > self.end)] = 0.0
        return self._shaped(speeds, shape)

    def _tangent_rows(self) -> tuple[Floats, Floats]:
        return self._segments.leaving, self._segments.arriving

    def _shaped(self, rows: Floats, shape: tuple[int, ...]) -> Any:
        result = rows.reshape(shape + self.values.shape[1:])
        return result if result.ndim else float(result)

    def _points(self, moments: Floats) -> Floats:
        knots, values, chords, leaving, arriving = self._segments
        result = np.empty((len(moments), values.shape[1]))
        if len(chords) == 0:
            result[:] = values[0]
            return result
        fast = kernels.get(cost_s=result.size * _NUMPY_S)
        if fast is not None:
            fast.evaluate(knots, values, chords, leaving, arriving, moments, result)
            return result
        at, s = _place(knots, moments)
        u = 1.0 - s
        early = s < 0.5
        w = np.where(early, s * s * (3.0 - 2.0 * s), -(u * u * (3.0 - 2.0 * u)))[:, None]
        a = (s * u * u)[:, None]
        b = -(s * s * u)[:, None]
        # Measured from the nearer key, so that keys are met and holds are kept to the last bit.
        base = values[np.where(early, at, at + 1)]
        return np.asarray(np.add(base, (w * chords[at] + a * leaving[at]) + b * arriving[at], out=result))

    def _velocities(self, moments: Floats) -> Floats:
        knots, values, chords, leaving, arriving = self._segments
        result = np.zeros((len(moments), values.shape[1]))
        if len(chords) == 0:
            return result
        fast = kernels.get(cost_s=result.size * _NUMPY_S)
        if fast is not None:
            fast.differentiate(knots, chords, leaving, arriving, moments, result)
            return result
        at, s = _place(knots, moments)
        span = knots[at + 1] - knots[at]
        u = 1.0 - s
        w = (6.0 * s * u / span)[:, None]
        a = (u * (u - 2.0 * s) / span)[:, None]
        b = (s * (s - 2.0 * u) / span)[:, None]
        return np.asarray(np.add(w * chords[at] + a * leaving[at], b * arriving[at], out=result))


def _natural(chord: Floats, other: Floats, at_start: bool) -> Floats:
    """The tangent with which an interval has no curvature at this end: 3/2 of the chord less half the other tangent."""
    return 1.5 * chord - 0.5 * other


def _place(knots: Floats, moments: Floats) -> tuple[np.ndarray, Floats]:
    """The interval of each moment and how far through it, 0 to 1."""
    at = np.clip(np.searchsorted(knots, moments, side="right") - 1, 0, len(knots) - 2)
    return at, (moments - knots[at]) / (knots[at + 1] - knots[at])
