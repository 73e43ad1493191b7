"""Waveshaping: send the values of a signal through a curve, independent of time.

==============  ====================================================================================
ShapingCurve    the curve: control points, edits that return another curve, a library of shapes
shape_signal    a signal through a curve, scaled to [-1, 1] first or as it is
==============  ====================================================================================

[bruderlin] section 4: a signal x, scaled to the range from -1 to 1, is replaced by f(x). The identity changes nothing;
a curve with a flat end caps a joint's angle; half a cosine widens the middle and softens the extremes; stairs quantize.
The library of shapes is in :mod:`kinetune.signals.shaping.curve_library`, files of curves in
:mod:`kinetune.signals.shaping.curve_files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

Normalise = Literal["range", "degrees"]
KNOBS = ("tension", "continuity", "bias")
NARROW = 1e-9
"""Two control points closer than this would make a wall that no curve can climb."""
_MOST_POINTS = 10_000
_SLOPE = 1e-3  # of the reach of a rounded corner: where slopes are read
_LARGEST = 1e9  # of a coordinate


@dataclass(frozen=True)
class ShapingPoint:
    """A control point: where it is, and how the curve bends there (tension, continuity, bias as in ``kt.TCB``)."""

    x: float
    y: float
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0

    @property
    def is_corner(self) -> bool:
        """Whether the curve comes in straight and goes out straight: continuity -1 and nothing else."""
        return self.continuity == -1.0 and self.tension == 0.0 and self.bias == 0.0


@dataclass(frozen=True)
class ShapingCurve:
    """A curve through control points that says what becomes of each value of a signal.

    ``curve(x)`` evaluates it. Beyond its points it goes straight on. A curve never changes: :meth:`added`,
    :meth:`moved` and :meth:`deleted` return another one. Curves of equal points are equal.

    Parameters
    ----------
    points : control points in order of x, at least two. Pairs (x, y) are taken as well, and (x, y, tension, continuity,
        bias).
    ends : slope at both ends: "natural", "zero", "chord" or "half chord", as in ``kt.TCB``.
    made : how the library would make it again, such as "cap(-0.5, 0.8)"; empty for a curve of your own.
    rounding : how far corners are rounded, as a share of half the way from the first corner to the last; 0 keeps them.

    Notes
    -----
    [bruderlin] section 4 takes interpolating cubic splines [kochanek] too. A point with continuity -1 (and no tension
    or bias) is a corner and cuts the curve: between two corners it is exactly straight, so that a hard cap is one.
    Law: the curve meets its points (``tests/signals/shaping/test_shaping_curve.py``).

    Examples
    --------
    >>> curve = ShapingCurve([(-1, -1), (0, 0.2), (1, 1)])
    >>> float(curve(0.0))
    0.2
    """

    points: tuple[ShapingPoint, ...]
    ends: str = "natural"
    made: str = field(default="", compare=False)
    rounding: float = 0.0

    def __post_init__(self) -> None:
        points = tuple(_as_point(number, given) for number, given in enumerate(self.points))
        if not 2 <= len(points) <= _MOST_POINTS:
            raise ParameterError(f"A shaping curve has 2 to {_MOST_POINTS:,} control points, not {len(points)}.")
        order = sorted(points, key=lambda point: point.x)
        for before, after in pairwise(order):
            if after.x - before.x < NARROW:
                raise ParameterError(
                    f"Two control points lie at x = {before.x:g}; a curve has one value there. Move one of them."
                )
        object.__setattr__(self, "points", tuple(order))
        if self.ends not in ("natural", "zero", "chord", "half chord"):
            raise ParameterError(f'ends is "natural", "zero", "chord" or "half chord", not {self.ends!r:.60}.')

    @cached_property
    def _pieces(self) -> tuple[TCB, ...]:
        """The curve cut at its corners, each piece a smooth curve of its own."""
        last = len(self.points) - 1
        cuts = [0, *(k for k in range(1, last) if self.points[k].is_corner), last]
        pieces = []
        for start, stop in pairwise(cuts):
            part = self.points[start : stop + 1]
            x, y, t, c, b = np.array([(p.x, p.y, p.tension, p.continuity, p.bias) for p in part]).T
            ends = ["chord" if p.is_corner else self.ends for p in (part[0], part[-1])]
            pieces.append(TCB(x, y, t, c, b, ends=ends, holds="flat", outside="extrapolate"))
        return tuple(pieces)

    def __call__(self, x: ArrayLike) -> Any:
        """The curve at x: a number for a number, an array of the same shape for an array."""
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0](x)
        if self.rounding > 0.0:
            sharp = replace(self, rounding=0.0)
            return sharp(x) + self._rounded_off(np.asarray(x, dtype=float))
        asked = np.asarray(x, dtype=float)
        which = np.searchsorted([piece.start for piece in pieces[1:]], asked, side="right")
        result = np.empty(asked.shape)
        for number, piece in enumerate(pieces):
            result[which == number] = piece(asked[which == number])
        return result if result.ndim else float(result)

    def rounded(self, rounding: float) -> ShapingCurve:
        """The curve with its corners rounded; beyond their neighbourhood it stays as it is."""
        return replace(self, rounding=rounding)

    def _rounded_off(self, x: Floats) -> Floats:
        """What rounding adds: each corner is blended with what is around it, by the weights of a parabola."""
        change = np.zeros(x.shape)
        for corner, reach, amount in self.rounded_corners():
            u = np.clip((x - corner) / reach, -1.0, 1.0)
            change += amount * ((1.0 + u) ** 3 * (3.0 - u) / 16.0 - np.maximum(u, 0.0))
        return change

    def rounded_corners(self) -> list[tuple[float, float, float]]:
        """Where each corner is, how far its rounding reaches, and its change of slope times that; none where sharp."""
        corners = [piece.start for piece in self._pieces[1:]]
        if self.rounding <= 0.0 or not corners:
            return []
        edges = [self.points[0].x, *corners, self.points[-1].x]
        half = 0.5 * (corners[-1] - corners[0]) or 0.5 * (edges[-1] - edges[0])
        rounded = []
        for number, corner in enumerate(corners):
            room = 0.5 * min(corner - edges[number], edges[number + 2] - corner)
            reach = min(self.rounding * half, room)
            near = _SLOPE * reach
            value = float(self._pieces[number](corner))
            before = (value - float(self._pieces[number](corner - near))) / near
            after = (float(self._pieces[number + 1](corner + near)) - value) / near
            rounded.append((corner, reach, (after - before) * reach))
        return rounded

    def cubics(self) -> tuple[Floats, Floats, tuple[tuple[float, float], tuple[float, float]]]:
        """The sharp curve as cubics between breaks: breaks (n + 1,), coefficients (n, 4), value and slope at both ends.

        Law: they give the curve (``tests/signals/shaping/test_shaping_curve.py``).
        """
        breaks, rows = [], []
        for piece in self._pieces:
            at = np.asarray(piece.times, dtype=float)
            values = np.asarray(piece(at))
            arriving, leaving = piece.velocities()
            for k, span in enumerate(np.diff(at)):
                rise = (values[k + 1] - values[k]) / span
                out, come = leaving[k], arriving[k + 1]
                rows.append((values[k], out, (3 * rise - 2 * out - come) / span, (out + come - 2 * rise) / span**2))
            breaks.extend(at[:-1].tolist())
        last = self._pieces[-1]
        breaks.append(float(last.end))
        ends = tuple(
            (float(p(t)), float(p.derivative(t))) for p, t in ((self._pieces[0], breaks[0]), (last, breaks[-1]))
        )
        return np.array(breaks), np.array(rows), (ends[0], ends[1])

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Any:
        return iter(self.points)

    def added(self, x: float, y: float | None = None, **knobs: float) -> ShapingCurve:
        """A curve with one more control point, by default on the curve as it is.

        Parameters
        ----------
        knobs : ``tension``, ``continuity`` and ``bias`` of the new point.
        """
        height = float(self(x)) if y is None else y
        return replace(self, points=(*self.points, ShapingPoint(x, height, **_checked_knobs(knobs))), made="")

    def moved(self, number: int, x: float | None = None, y: float | None = None, **knobs: float) -> ShapingCurve:
        """A curve whose control point ``number`` (from 0; -1 is the last) has another position or other parameters."""
        at = self._index(number)
        old = self.points[at]
        new = replace(old, x=old.x if x is None else x, y=old.y if y is None else y, **_checked_knobs(knobs))
        return replace(self, points=(*self.points[:at], new, *self.points[at + 1 :]), made="")

    def deleted(self, number: int) -> ShapingCurve:
        """A curve without its control point ``number`` (from 0; -1 is the last)."""
        at = self._index(number)
        if len(self.points) == 2:
            raise ParameterError("A shaping curve needs at least two control points; these are its last.")
        return replace(self, points=(*self.points[:at], *self.points[at + 1 :]), made="")

    def _index(self, number: int) -> int:
        if not -len(self.points) <= number < len(self.points):
            raise ParameterError(f"There is no control point {number}; the curve has 0 to {len(self.points) - 1}.")
        return number % len(self.points)

    def to_plain(self) -> dict[str, Any]:
        """The curve as a JSON-ready mapping."""
        rows = []
        for p in self.points:
            knobs = [p.tension, p.continuity, p.bias]
            rows.append([p.x, p.y, *knobs] if any(knobs) else [p.x, p.y])
        return {"points": rows} | ({} if self.ends == "natural" else {"ends": self.ends})

    @classmethod
    def from_plain(cls, given: Any) -> ShapingCurve:
        """The inverse of :meth:`to_plain`; also takes a bare list of points."""
        if isinstance(given, dict):
            unknown = sorted(set(given) - {"points", "ends"})
            if unknown or "points" not in given:
                raise ParameterError(
                    "A shaping curve is a mapping with points and optional ends"
                    + (f'; "{unknown[0]}" is neither.' if unknown else ".")
                )
            return cls(_as_points(given["points"]), given.get("ends", "natural"))
        return cls(_as_points(given))

    # --- the library, see kinetune.signals.shaping.curve_library

    @classmethod
    def make(cls, formula: str) -> ShapingCurve:
        """A curve of the library by its name, with or without numbers: "cosine", "cap(-0.5, 0.8)"."""
        from kinetune.signals.shaping.curve_library import make

        return make(formula)

    @classmethod
    def identity(cls) -> ShapingCurve:
        """Nothing changes."""
        return cls.make("identity")

    @classmethod
    def scale(cls, factor: float = 1.5, offset: float = 0.0) -> ShapingCurve:
        """Everything larger or smaller by a factor, and shifted."""
        return cls.make(f"scale({factor!r}, {offset!r})")

    @classmethod
    def cap(cls, low: float = -0.5, high: float = 0.5) -> ShapingCurve:
        """Values below ``low`` or above ``high`` stop there, hard: the paper's Figure 8."""
        return cls.make(f"cap({low!r}, {high!r})")

    @classmethod
    def soft_limit(cls, low: float = -0.8, high: float = 0.8, softness: float = 0.3) -> ShapingCurve:
        """Values approach the limits ever more reluctantly and never pass them; ``softness`` is where that begins."""
        return cls.make(f"soft_limit({low!r}, {high!r}, {softness!r})")

    @classmethod
    def cosine(cls) -> ShapingCurve:
        """Half a cosine: exaggerated in the middle, attenuated at the extremes."""
        return cls.make("cosine")

    @classmethod
    def step(cls, at: float = 0.0, edge: float = 0.0) -> ShapingCurve:
        """Two values only, -1 below ``at`` and 1 above; ``edge`` is the width of the ramp between them."""
        return cls.make(f"step({at!r}, {edge!r})")

    @classmethod
    def quantize(cls, levels: int = 4, edge: float = 0.0) -> ShapingCurve:
        """Stairs: a few values only, evenly spread; ``edge`` is the part of a stair that is a ramp, 0 to 1."""
        return cls.make(f"quantize({levels!r}, {edge!r})")

    @classmethod
    def undulate(cls, waves: float = 3.0, depth: float = 0.15) -> ShapingCurve:
        """Waves from one extreme to the other: the paper's Figure 9."""
        return cls.make(f"undulate({waves!r}, {depth!r})")

    @classmethod
    def expander(cls, ratio: float = 1.6) -> ShapingCurve:
        """Small movements smaller, large ones as they are; a ratio below 1 does the opposite (a compressor)."""
        return cls.make(f"expander({ratio!r})")


def shape_signal(
    signal: ArrayLike,
    curve: ShapingCurve,
    normalise: Normalise = "range",
    limits: tuple[Floats, Floats] | None = None,
) -> Floats:
    """A signal sent through a shaping curve, channel by channel.

    Parameters
    ----------
    signal : array, shape (frames, ...); radians for "degrees".
    normalise : "range" scales each channel to [-1, 1] by its own least and greatest value, as the paper does, and back
        afterwards. "degrees" takes the values as angles: the curve's x and y are degrees.
    limits : for "range", the least and the greatest value of each channel, where the signal is a part of a longer one.

    Notes
    -----
    A channel that never changes has no range and stays as it is under "range".
    """
    x = np.asarray(signal, dtype=float)
    if normalise == "degrees":
        return np.asarray(np.radians(curve(np.degrees(x))))
    if normalise != "range":
        raise ParameterError(f'normalise must be "range" or "degrees", not "{normalise}".')
    if len(x) == 0:
        return x.copy()
    low, high = (x.min(axis=0), x.max(axis=0)) if limits is None else limits
    half = 0.5 * (high - low)
    moving = half > 0
    safe = np.where(moving, half, 1.0)
    middle = low + half
    shaped = middle + half * np.asarray(curve((x - middle) / safe))
    return np.where(moving, shaped, x)


def _as_points(given: Any) -> tuple[Any, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ParameterError(f"points is a list of control points such as [[-1, -0.5], [1, 0.8]], not {given!r:.60}.")
    return tuple(given)


def _as_point(number: int, given: Any) -> ShapingPoint:
    if not isinstance(given, ShapingPoint):
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) not in (2, 3, 4, 5):
            raise ParameterError(
                f"Control point {number} is {given!r:.60}; it takes x and y, and up to three more numbers for tension, "
                "continuity and bias."
            )
        given = ShapingPoint(*given)
    numbers = (given.x, given.y, given.tension, given.continuity, given.bias)
    if not all(isinstance(n, int | float) and abs(n) <= _LARGEST for n in numbers):
        raise ParameterError(f"Control point {number} has a value that is not a number.")
    return ShapingPoint(*(float(n) for n in numbers))


def _checked_knobs(knobs: dict[str, float]) -> dict[str, float]:
    unknown = [name for name in knobs if name not in KNOBS]
    if unknown:
        raise ParameterError(f'A control point has no "{unknown[0]}"; it has x, y, {", ".join(KNOBS)}.')
    return knobs
