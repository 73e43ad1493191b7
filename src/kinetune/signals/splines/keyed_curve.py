"""The base class of keyed curves: keys in time, tension, continuity and bias at each key, and edits of a curve.

The keys of :class:`kinetune.signals.splines.tcb.TCB` are numbers, those of
:class:`kinetune.signals.splines.rotation_tcb.RotationTCB` quaternions; both take their tangents from
:mod:`kinetune.signals.splines.tangents`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.key_checks import Ends, check_counts, check_ends, check_knob, check_times
from kinetune.signals.splines.tangents import End, Step, step_factors

Knob = float | ArrayLike
Holds = Literal["free", "flat"]
Outside = Literal["hold", "extrapolate", "error"]

CHOICES = {
    "step": ("corrected", "printed", "none"),
    "holds": ("free", "flat"),
    "outside": ("hold", "extrapolate", "error"),
}
KNOBS = ("tension", "continuity", "bias")
SAME = 1e-9
"""Two keys closer than this part of the range are one: for holds, closed curves and finding a key by its time."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
class KeyedCurve(ABC):
    """Keys in time with tension, continuity and bias; the base of ``TCB`` and ``RotationTCB``.

    A curve never changes: every edit returns another one.
    """

    times: Floats
    values: Floats
    tension: float | Floats
    continuity: float | Floats
    bias: float | Floats
    ends: tuple[End, End]
    closed: bool
    step: Step
    period: float | None
    holds: Holds
    outside: Outside
    frame: float

    def __init__(
        self,
        times: ArrayLike,
        values: ArrayLike,
        tension: Knob = 0.0,
        continuity: Knob = 0.0,
        bias: Knob = 0.0,
        *,
        ends: Ends = "natural",
        closed: bool = False,
        step: Step = "corrected",
        period: float | None = None,
        holds: Holds = "free",
        outside: Outside = "hold",
        frame: float = 1.0,
    ) -> None:
        for name, value in (("step", step), ("holds", holds), ("outside", outside)):
            if value not in CHOICES[name]:
                raise ParameterError(f"{name}={value!r} is unknown; it must be one of {', '.join(CHOICES[name])}.")
        if not (np.isfinite(frame) and frame > 0):
            raise ParameterError(f"frame is the time from one frame to the next: a positive number, not {frame}.")
        keys = self._check_values(values)
        moments = check_times(times)
        if closed:
            moments, keys, period, repeated = self._close(moments, keys, period, float(frame))
        elif len(moments) != len(keys):
            raise ParameterError(f"There are {len(moments)} times for {len(keys)} keys; give one time per key.")
        elif period is not None:
            raise ParameterError("period is for closed curves; pass closed=True as well.")
        else:
            repeated = False
        for array in (moments, keys):
            array.setflags(write=False)
        settings: dict[str, Any] = {
            "times": moments,
            "values": keys,
            "tension": check_knob("tension", tension, len(keys), repeated),
            "continuity": check_knob("continuity", continuity, len(keys), repeated),
            "bias": check_knob("bias", bias, len(keys), repeated),
            "ends": check_ends(ends, self._velocity_shape(keys)),
            "closed": bool(closed),
            "step": step,
            "period": period,
            "holds": holds,
            "outside": outside,
            "frame": float(frame),
        }
        for name, value in settings.items():
            object.__setattr__(self, name, value)
        if step == "printed":
            step_factors(self._spans, self._spans, step, self.frame)  # rejects spans that it cannot count

    @abstractmethod
    def _check_values(self, values: ArrayLike) -> Floats:
        """Key values as finite floats, (keys, ...)."""

    @abstractmethod
    def _velocity_shape(self, keys: Floats) -> tuple[int, ...]:
        """The shape of the velocity at one key."""

    @abstractmethod
    def _same_key(self, one: Floats, other: Floats, keys: Floats) -> bool:
        """Whether two keys hold the same value, measured by the range of all."""

    @abstractmethod
    def _tangent_rows(self) -> tuple[Floats, Floats]:
        """Leaving and arriving tangents per unit of s, each (intervals, ...)."""

    @abstractmethod
    def __call__(self, t: ArrayLike) -> Any:
        """The curve at some times."""

    def _close(
        self, times: Floats, keys: Floats, period: float | None, frame: float
    ) -> tuple[Floats, Floats, float, bool]:
        """Times and values of the distinct keys, the period, and whether the last key repeated the first."""
        count = len(keys)
        span = float(times[-1] - times[0])
        if len(times) == count + 1:
            if period is not None and not np.isclose(period, span, rtol=SAME, atol=0.0):
                raise ParameterError(f"The times come round after {span:g}, but period={period:g}. Give one of them.")
            return times[:-1], keys, span, False
        if len(times) != count:
            raise ParameterError(
                f"There are {len(times)} times for {count} keys; give one time per key, and at most one more, at which "
                "the curve comes round to the first key."
            )
        repeated = count > 1 and self._same_key(keys[0], keys[-1], keys)
        if repeated and (period is None or np.isclose(period, span, rtol=SAME, atol=0.0)):
            return times[:-1], keys[:-1], span, True
        if period is None:
            gaps = np.diff(times)
            if count > 1 and np.ptp(gaps) > SAME * span:
                raise ParameterError(
                    "A closed curve with unevenly spaced keys must say when it comes round: repeat the first key at "
                    "the end, add one more time, or pass period=."
                )
            return times, keys, span + (float(gaps[0]) if count > 1 else frame), False
        if not (np.isfinite(period) and period > span):
            raise ParameterError(
                f"period={period:g} is too short: the keys span {span:g}, and the return to the first takes time too."
            )
        return times, keys, float(period), False

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        shape = "x".join(str(n) for n in self.values.shape[1:]) or "1"
        kind = f"closed, period {self.period:g}" if self.closed else f"{self.start:g} to {self.end:g}"
        return f"<{type(self).__name__} of {len(self)} keys, {shape} channels, {kind}>"

    @property
    def start(self) -> float:
        """The time of the first key."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """The time of the last key, or when a closed curve comes round to the first one."""
        return float(self.times[-1]) if self.period is None else float(self.times[0] + self.period)

    @property
    def _knots(self) -> Floats:
        """The ends of all intervals, (intervals + 1,)."""
        return np.append(self.times, self.end) if self.closed else self.times

    @property
    def _spans(self) -> Floats:
        """How long each interval lasts, (intervals,)."""
        return np.asarray(self._knots[1:] - self._knots[:-1])

    def _queries(self, t: ArrayLike) -> tuple[Floats, Floats | None, tuple[int, ...]]:
        """Times moved into the range of the keys, flat; how far outside each was (None: none); the shape to return."""
        times = np.asarray(t, dtype=float)
        x = np.ascontiguousarray(times).reshape(-1)
        if not np.isfinite(x).all():
            raise ParameterError(
                f"A time at which the curve is evaluated is not a number (item {int(np.argmin(np.isfinite(x)))})."
            )
        if self.closed:
            return self.start + np.mod(x - self.start, self.end - self.start), None, times.shape
        inside = np.clip(x, self.start, self.end)
        if self.outside == "hold":
            return inside, None, times.shape
        beyond = x - inside
        if not beyond.any():
            return inside, None, times.shape
        if self.outside == "error":
            raise ParameterError(
                f"Time {x[np.argmax(np.abs(beyond))]:g} lies outside the keys, which span {self.start:g} to "
                f'{self.end:g}. Pass outside="hold" or outside="extrapolate" to allow it.'
            )
        return inside, beyond, times.shape

    def velocities(self) -> tuple[Floats, Floats]:
        """The incoming and outgoing velocity of every key, each (keys, ...), per unit of time.

        They differ where continuity is not 0. At the ends of an open curve both are the one that the curve has.
        """
        shape = (len(self), *self._velocity_shape(self.values))
        if len(self) == 1:
            return np.zeros(shape), np.zeros(shape)
        out, into = ((rows.T / self._spans).T for rows in self._tangent_rows())
        if self.closed:
            into = np.roll(into, 1, axis=0)
        else:
            into, out = np.concatenate([out[:1], into]), np.concatenate([out, into[-1:]])
        return into.reshape(shape), out.reshape(shape)

    @classmethod
    def from_inbetweens(cls, values: ArrayLike, inbetweens: int | Sequence[int], **options: Any) -> Self:
        """A curve timed in frames, by how many inbetweens lie between its keys.

        Parameters
        ----------
        values : (keys, ...), as for the class.
        inbetweens : N_i, one per interval (a closed curve has one more, back to the first key), or one for all.
        **options : everything else that the class takes.

        Notes
        -----
        The first key is at time 0 and one frame is one unit of time, so that key i+1 follows N_i + 1 later.
        """
        count = len(np.asarray(values))
        intervals = count if options.get("closed") else max(count - 1, 0)
        frames = check_counts(inbetweens, intervals) + 1
        return cls(np.concatenate([[0.0], np.cumsum(frames)]), values, **options)

    def inbetweens(self, counts: int | Sequence[int] | None = None) -> Floats:
        """All frames in order: each key, then its inbetweens, at s = 1/(N+1), 2/(N+1) ... of the interval.

        Parameters
        ----------
        counts : N_i, one per interval or one for all. None: as many as fit at one per ``frame``, which asks for keys
            that are a whole number of frames apart.

        Returns
        -------
        array, shape (sum of (N_i + 1) + 1, ...). A closed curve does not repeat its first key at the end.

        Notes
        -----
        The tangents belong to the times of the keys. Counts that do not follow those times play the intervals at
        other speeds; :meth:`from_inbetweens` times the keys by their counts.
        """
        spans = self._spans
        if counts is None:
            exact = spans / self.frame - 1.0
            whole = np.rint(exact).astype(int)
            if np.any(np.abs(exact - whole) > 1e-6) or np.any(whole < 0):
                raise ParameterError(
                    f"The keys are not a whole number of frames apart ({self.frame=:g}); pass the number of inbetweens "
                    "of each interval."
                )
        else:
            whole = check_counts(counts, len(spans))
        parts = [t + np.arange(n + 1) * (h / (n + 1)) for t, n, h in zip(self.times, whole, spans, strict=False)]
        moments = np.concatenate([*parts, [] if self.closed else [self.end]])
        return np.asarray(self(moments))

    def with_key(
        self,
        time: float,
        value: ArrayLike,
        *,
        tension: float | None = None,
        continuity: float | None = None,
        bias: float | None = None,
    ) -> Self:
        """A curve with one more key, or with another value where there is a key at that time.

        A replaced key keeps the tension, continuity and bias that are left out; a new one takes those of the curve, or
        0 where they are set key by key.
        """
        moment = self._wrapped(time)
        span = self.end - self.start
        at = np.flatnonzero(np.abs(self.times - moment) <= SAME * span)
        if at.size:
            return self.moved(int(at[0]), value=value, tension=tension, continuity=continuity, bias=bias)
        index = int(np.searchsorted(self.times, moment))
        changes: dict[str, Any] = {
            "times": np.insert(self.times, index, moment),
            "values": np.insert(self.values, index, self._one_value(value), axis=0),
        }
        for name, new in (("tension", tension), ("continuity", continuity), ("bias", bias)):
            column = getattr(self, name)
            if np.ndim(column) or new is not None:
                changes[name] = np.insert(np.broadcast_to(column, len(self)), index, 0.0 if new is None else new)
        return replace(self, **changes)

    def without_key(self, index: int) -> Self:
        """A curve without its key number ``index`` (counted from 0; -1 is the last)."""
        i = self._index(index)
        if len(self) == 1:
            raise ParameterError("A curve needs at least one key; this is its last.")
        changes: dict[str, Any] = {"times": np.delete(self.times, i), "values": np.delete(self.values, i, axis=0)}
        for name in KNOBS:
            if np.ndim(getattr(self, name)):
                changes[name] = np.delete(getattr(self, name), i)
        return replace(self, **changes)

    def moved(
        self,
        index: int,
        *,
        time: float | None = None,
        value: ArrayLike | None = None,
        tension: float | None = None,
        continuity: float | None = None,
        bias: float | None = None,
    ) -> Self:
        """A curve whose key number ``index`` has another time, value or parameter; keys are sorted by time again."""
        i = self._index(index)
        times, values = np.array(self.times), np.array(self.values)
        if time is not None:
            times[i] = self._wrapped(time)
        if value is not None:
            values[i] = self._one_value(value)
        order = np.argsort(times, kind="stable")
        changes: dict[str, Any] = {"times": times[order], "values": values[order]}
        for name, new in (("tension", tension), ("continuity", continuity), ("bias", bias)):
            if np.ndim(getattr(self, name)) or new is not None:
                column = np.array(np.broadcast_to(getattr(self, name), len(self)))
                column[i] = column[i] if new is None else new
                changes[name] = column[order]
        return replace(self, **changes)

    def _wrapped(self, time: float) -> float:
        """A key's time, taken round into the period of a closed curve."""
        if not np.isfinite(time):
            raise ParameterError(f"The time of a key must be a number, not {time}.")
        return float(self.start + (time - self.start) % (self.end - self.start)) if self.closed else float(time)

    def _one_value(self, value: ArrayLike) -> Floats:
        one = np.asarray(value, dtype=float)
        if one.shape != self.values.shape[1:]:
            raise ParameterError(f"A key of this curve has shape {self.values.shape[1:]}, not {one.shape}.")
        return one

    def _index(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise ParameterError(f"There is no key {index}; the curve has keys 0 to {len(self) - 1}.")
        return index % len(self)
