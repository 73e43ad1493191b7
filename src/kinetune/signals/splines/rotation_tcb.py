"""Smooth turning through key rotations, with tension, continuity and bias at each key.

====================  ===================================================================================
RotationTCB           the curve: ``curve(t)`` gives quaternions, ``curve.derivative(t)`` angular velocities
====================  ===================================================================================

A chord is the rotation vector from one key to the next, which has the same three components in the frames of both
keys. So the blends of chords that [kochanek] takes at a key are taken in the frame of that key, and nothing depends on
how the world or the joint is oriented.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.key_checks import finite_numbers
from kinetune.signals.splines.keyed_curve import SAME, KeyedCurve
from kinetune.signals.splines.tangents import tangents

_TURN = 2.0 * np.pi


class _Segments(NamedTuple):
    """One row for each interval: its two keys and the three legs of its control polygon, as rotation vectors."""

    knots: Floats  # (intervals + 1,)
    starts: Floats  # (intervals, ..., 4)
    finishes: Floats  # (intervals, ..., 4)
    leaving: Floats  # (intervals, ..., 3), tangents per unit of s
    arriving: Floats
    middle: Floats  # (intervals, ..., 3), from the second control rotation to the third


class RotationTCB(KeyedCurve):
    r"""Smooth turning through key rotations, bent at each key by tension, continuity and bias.

    The parameters are those of :class:`kinetune.signals.splines.tcb.TCB`.

    Parameters
    ----------
    times : (keys,), increasing.
    values : (keys, 4) or (keys, ..., 4), quaternions wxyz; many joints turn in parallel. They are brought to unit
        length, and q and -q mean the same. From key to key a joint turns the short way, by less than 180 degrees: set
        a key between for more.
    ends : as for ``TCB``; a velocity is an angular velocity (..., 3) in the frame of the joint itself, in radians per
        unit of time.
    tension, continuity, bias, closed, step, period, holds, outside, frame : as for ``TCB``.

    Notes
    -----
    An interval is the cubic Bezier curve on the control rotations q_i, q_i exp(DD_i / 3), q_{i+1} exp(-DS_{i+1} / 3)
    and q_{i+1}, evaluated by de Casteljau's algorithm with slerp. Each slerp follows a rotation vector that changes
    smoothly and may be longer than half a turn, so that wide swings (beyond 180 degrees between control rotations) stay
    smooth and a turn about one axis is exactly the TCB curve of its angle.
    A natural end puts its control rotation half-way to the next but one, where the angular acceleration vanishes.
    Laws: turning all keys turns the curve; reversing the keys (and bias) reverses it; a turn about one axis agrees with
    ``TCB`` (``test_rotation_splines.py``).

    Examples
    --------
    >>> turn = RotationTCB([0, 1, 2], [(1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0)])
    >>> turn(0.5).shape
    (4,)
    """

    def _check_values(self, values: ArrayLike) -> Floats:
        keys = finite_numbers("values", values)
        if keys.ndim < 2 or keys.shape[-1] != 4 or len(keys) == 0:
            raise ParameterError(
                f"Key rotations are quaternions wxyz of shape (keys, 4) or (keys, joints, 4), not {keys.shape}."
            )
        length = np.linalg.norm(keys, axis=-1)
        if np.any(length == 0):
            where = tuple(int(i) for i in np.argwhere(length == 0)[0])
            raise ParameterError(f"The quaternion at {where} is zero, which is no rotation.")
        return rot.continuous(keys / length[..., None])

    def _velocity_shape(self, keys: Floats) -> tuple[int, ...]:
        return (*keys.shape[1:-1], 3)

    def _same_key(self, one: Floats, other: Floats, keys: Floats) -> bool:
        return bool(np.all(rot.angle_between(one, other) <= SAME * _TURN))

    def _tangent_rows(self) -> tuple[Floats, Floats]:
        return self._segments.leaving, self._segments.arriving

    @cached_property
    def _segments(self) -> _Segments:
        keys = rot.continuous(np.concatenate([self.values, self.values[:1]])) if self.closed else self.values
        turns = rot.multiply(rot.inverse(keys[:-1]), keys[1:])
        chords = rot.log(turns)
        still = np.linalg.norm(chords, axis=-1, keepdims=True) <= SAME * _TURN
        leaving, arriving = tangents(
            chords,
            self._spans,
            (self.tension, self.continuity, self.bias),
            closed=self.closed,
            step=self.step,
            frame=self.frame,
            ends=self.ends,
            natural=_natural,
            flat=np.broadcast_to(still, chords.shape) if self.holds == "flat" else None,
        )
        first, last = leaving / 3.0, arriving / 3.0
        there = rot.multiply(rot.multiply(rot.exp(-first), rot.exp(chords)), rot.exp(-last))
        middle = _log_near(there, chords - first - last)
        return _Segments(self._knots, keys[:-1], keys[1:], leaving, arriving, middle)

    def __call__(self, t: ArrayLike) -> Floats:
        """The rotations at time t: unit quaternions of shape t.shape + (..., 4)."""
        moments, beyond, shape = self._queries(t)
        turned = self._turned(moments)
        if beyond is not None:
            further = beyond.reshape((-1,) + (1,) * (turned.ndim - 1)) * self._velocities(moments)
            turned = rot.multiply(turned, rot.exp(further))
        return turned.reshape(shape + self.values.shape[1:])

    def derivative(self, t: ArrayLike) -> Floats:
        """The angular velocity at time t, shape t.shape + (..., 3), in the frame of the joint itself.

        In radians per unit of time: q' = q * (0, velocity) / 2. At a key it is the outgoing one.
        """
        moments, beyond, shape = self._queries(t)
        speeds = self._velocities(moments)
        if not self.closed and beyond is None:
            asked = np.asarray(t, dtype=float).reshape(-1)
            speeds[(asked < self.start) | (asked > self.end)] = 0.0
        return speeds.reshape(shape + self._velocity_shape(self.values))

    def _legs(self, moments: Floats) -> tuple[np.ndarray, Floats, Floats, list[Floats]]:
        """The interval of each moment, its length, s, and the three legs of its control polygon."""
        segments = self._segments
        knots = segments.knots
        at = np.clip(np.searchsorted(knots, moments, side="right") - 1, 0, len(knots) - 2)
        span = knots[at + 1] - knots[at]
        column = (-1,) + (1,) * (self.values.ndim - 1)
        s = ((moments - knots[at]) / span).reshape(column)
        legs = [segments.leaving[at] / 3.0, segments.middle[at], segments.arriving[at] / 3.0]
        return at, span.reshape(column), s, legs

    def _turned(self, moments: Floats) -> Floats:
        if len(self) == 1:
            return np.broadcast_to(self.values[0], (len(moments), *self.values.shape[1:])).copy()
        at, _, s, (first, middle, last) = self._legs(moments)
        early_leg, late_leg = _blend(first, middle, s), _blend(middle, last, s)
        whole = _blend(early_leg, late_leg, s)
        # Measured from the nearer key, so that keys are met exactly.
        early = s < 0.5
        x = np.where(early, s, s - 1.0)
        q = np.where(early, self._segments.starts[at], self._segments.finishes[at])
        for leg in (np.where(early, first, last), np.where(early, early_leg, late_leg), whole):
            q = rot.multiply(q, rot.exp(x * leg))
        return np.asarray(q)

    def _velocities(self, moments: Floats) -> Floats:
        if len(self) == 1:
            return np.zeros((len(moments), *self._velocity_shape(self.values)))
        _, span, s, (first, middle, last) = self._legs(moments)
        still = np.zeros_like(first)
        early_leg, late_leg = _blend(first, middle, s), _blend(middle, last, s)
        early_rate = _blend_rate(first, still, middle, still, s, early_leg)
        late_rate = _blend_rate(middle, still, last, still, s, late_leg)
        whole = _blend(early_leg, late_leg, s)
        whole_rate = _blend_rate(early_leg, early_rate, late_leg, late_rate, s, whole)
        speed = first
        for leg, rate in ((early_leg, early_rate), (whole, whole_rate)):
            speed = rot.rotate(rot.exp(-s * leg), speed) + _speed(s * leg, leg + s * rate)
        return speed / span


def _natural(chord: Floats, other: Floats, at_start: bool) -> Floats:
    """The tangent without angular acceleration: its control rotation lies half-way to the one after it."""
    turns = (rot.exp(chord), rot.exp(-other / 3.0))
    turn = rot.multiply(*(turns if at_start else turns[::-1]))
    return 1.5 * _log_near(turn, chord - other / 3.0)


def _log_near(q: Floats, guess: Floats) -> Floats:
    """The rotation vector whose exponential is q, sign included, and which lies nearest to a guess.

    A product of exponentials moves smoothly among quaternions of both signs, so the vector does too: it may be longer
    than half a turn. Only beyond two half turns does the guess decide.
    """
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])  # 0 to one turn
    reach = np.linalg.norm(guess, axis=-1, keepdims=True)
    tiny = sine < 1e-12
    axis = np.where(tiny, guess / np.where(reach > 0, reach, 1.0), q[..., 1:] / np.where(tiny, 1.0, sine))
    vector = np.where(tiny & (q[..., :1] > 0), 2.0 * q[..., 1:], angle * axis)
    turns = np.rint((np.sum(axis * guess, axis=-1, keepdims=True) - angle) / (2.0 * _TURN))
    return np.asarray(vector + 2.0 * _TURN * turns * axis)


def _blend(a: Floats, b: Floats, s: Floats) -> Floats:
    """One step of de Casteljau: the leg between the points at s of two legs that follow each other."""
    return _log_near(rot.multiply(rot.exp((1.0 - s) * a), rot.exp(s * b)), (1.0 - s) * a + s * b)


def _blend_rate(a: Floats, a_rate: Floats, b: Floats, b_rate: Floats, s: Floats, leg: Floats) -> Floats:
    """How fast the leg that :func:`_blend` gives changes with s."""
    carried = rot.rotate(rot.exp(-s * b), _speed((1.0 - s) * a, (1.0 - s) * a_rate - a))
    return _rate(leg, carried + _speed(s * b, b + s * b_rate))


def _speed(vector: Floats, rate: Floats) -> Floats:
    """The angular velocity, in the turned frame, of exp(vector) when the vector changes at a rate."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    first = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
    second = np.where(small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    across = np.cross(vector, rate)
    return np.asarray(rate - first * across + second * np.cross(vector, across))


def _rate(vector: Floats, speed: Floats) -> Floats:
    """The inverse of :func:`_speed`: how a rotation vector changes when what it stands for turns at a speed."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = angle < 1e-4
    half = 0.5 * np.where(small, 1.0, angle)
    second = np.where(small, 1.0 / 12.0 + angle**2 / 720.0, (1.0 - half / np.tan(half)) / (4.0 * half**2))
    across = np.cross(vector, speed)
    return speed + 0.5 * across + second * np.cross(vector, across)
