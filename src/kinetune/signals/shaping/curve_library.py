"""A library of shaping curves, each made from a name and a few numbers.

===========  ===============================================================================
SHAPES       name to how it is made
SHAPE_TEXTS  name to a description
make         a curve from a text such as "cosine" or "cap(-0.5, 0.8)"
===========  ===============================================================================

The curves are control points like any other: make one, then add, move or delete points.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.shaping.shaping_curve import NARROW, ShapingCurve, ShapingPoint

_CALL = re.compile(r"\s*([a-z][a-z_ -]*?)\s*(?:\(([^()]*)\))?\s*", re.IGNORECASE)
_KNEE = np.array(
    [-0.1, 0.0, 0.1, 0.25, 0.45, 0.75, 1.1, 1.5, 2.0, 2.6, 3.3, 4.1, 5.0, 6.0, 7.0, 8.0]
)  # where a soft limit gets its points, in softnesses


def identity() -> ShapingCurve:
    """Nothing changes."""
    return ShapingCurve(_corners([(-1.0, -1.0), (1.0, 1.0)]), ends="chord")


def scale(factor: float = 1.5, offset: float = 0.0) -> ShapingCurve:
    """Everything larger or smaller, and shifted."""
    return ShapingCurve(_corners([(-1.0, offset - factor), (1.0, offset + factor)]), ends="chord")


def cap(low: float = -0.5, high: float = 0.5) -> ShapingCurve:
    """Values beyond the limits stop there."""
    _in_order(low, high)
    beyond = max(1.0, abs(low), abs(high))
    points = [(min(low - beyond, -1.0), low), (low, low), (high, high), (max(high + beyond, 1.0), high)]
    return ShapingCurve(_corners(points), ends="chord")


def soft_limit(low: float = -0.8, high: float = 0.8, softness: float = 0.3) -> ShapingCurve:
    """Values approach the limits and never pass them."""
    _in_order(low, high)
    if not 0.0 < softness <= 0.5 * (high - low):
        raise ParameterError(
            f"softness is {softness:g}; it lies above 0 and is at most half of what is between the limits, "
            f"{0.5 * (high - low):g} here."
        )
    # With s = softness: f(h - s + u) = h - s exp(-u / s), of slope 1 where it leaves the identity.
    rise = softness * np.where(_KNEE > 0.0, 1.0 - np.exp(-_KNEE), _KNEE)
    upper = [(high - softness + softness * u, high - softness + r) for u, r in zip(_KNEE, rise, strict=True)]
    lower = [(low + softness - softness * u, low + softness - r) for u, r in zip(_KNEE, rise, strict=True)]
    if upper[0][0] - lower[0][0] <= 0.0:  # the two knees meet: nothing between them
        lower, upper = lower[1:], upper[2:] if upper[1][0] - lower[1][0] < NARROW else upper[1:]
    return ShapingCurve(_plain([*reversed(lower), *upper]), ends="zero")


def cosine() -> ShapingCurve:
    """Half a cosine from minimum to maximum: -cos(pi (x + 1) / 2)."""
    x = np.linspace(-1.0, 1.0, 17)
    return ShapingCurve(_plain(zip(x, np.sin(0.5 * np.pi * x), strict=True)), ends="zero")


def step(at: float = 0.0, edge: float = 0.0) -> ShapingCurve:
    """Two values only."""
    half = 0.5 * _width(edge)
    reach = max(1.0, abs(at)) + 1.0 + half
    points = [(-reach, -1.0), (at - half, -1.0), (at + half, 1.0), (reach, 1.0)]
    return ShapingCurve(_ramps(points, edge), ends="zero")


def quantize(levels: int = 4, edge: float = 0.0) -> ShapingCurve:
    """Stairs."""
    if levels != int(levels) or not 2 <= levels <= 1000:
        raise ParameterError(f"levels is a whole number from 2 to 1000, not {levels}.")
    if edge > 1.0:
        raise ParameterError(f"edge is the part of a stair that is a ramp, 0 to 1, not {edge}.")
    count = int(levels)
    heights = np.linspace(-1.0, 1.0, count)
    width = 2.0 / count
    half = 0.5 * _width(edge * width)
    points = [(-2.0, -1.0)]
    for k in range(count - 1):
        wall = -1.0 + (k + 1) * width
        points += [(wall - half, heights[k]), (wall + half, heights[k + 1])]
    points = _without_doubles([*points, (2.0, 1.0)])
    return ShapingCurve(_ramps(points, edge), ends="zero")


def undulate(waves: float = 3.0, depth: float = 0.15) -> ShapingCurve:
    """Waves around the identity: x + depth sin(pi waves (x + 1))."""
    if not 0.0 < waves <= 100.0:
        raise ParameterError(f"waves lies above 0 and is at most 100, not {waves}.")
    x = np.linspace(-1.0, 1.0, 2 * int(np.ceil(8 * waves)) + 1)
    return ShapingCurve(_plain(zip(x, x + depth * np.sin(np.pi * waves * (x + 1.0)), strict=True)))


def expander(ratio: float = 1.6) -> ShapingCurve:
    """Small movements smaller: x |x|^(ratio - 1)."""
    if not 0.1 <= ratio <= 10.0:
        raise ParameterError(f"ratio must be from 0.1 to 10, not {ratio}.")
    u = np.linspace(0.0, 1.0, 14)[1:] ** (3.0 if ratio < 1.0 else 1.0)  # more points where the curve is steep
    x = np.concatenate([-u[::-1], [0.0], u])
    return ShapingCurve(_plain(zip(x, np.sign(x) * np.abs(x) ** ratio, strict=True)))


_MAKERS: dict[str, Callable[..., ShapingCurve]] = {
    maker.__name__: maker for maker in (identity, scale, cap, soft_limit, cosine, step, quantize, undulate, expander)
}
SHAPES: Mapping[str, Callable[..., ShapingCurve]] = MappingProxyType(_MAKERS)
"""Name to function."""

SHAPE_TEXTS: Mapping[str, str] = MappingProxyType({name: (maker.__doc__ or "") for name, maker in _MAKERS.items()})
"""Name to a description."""


def make(formula: str) -> ShapingCurve:
    """A curve of the library: its name, with or without numbers, as in "cap(-0.5, 0.8)" or "soft limit"."""
    call = _CALL.fullmatch(formula)
    name = "" if call is None else re.sub(r"[\s-]+", "_", call.group(1).casefold())
    if call is None or name not in SHAPES:
        raise UnknownNameError(
            "shaping curve", formula.partition("(")[0].strip(), SHAPES, advice=f"The library has: {', '.join(SHAPES)}."
        )
    maker = SHAPES[name]
    texts = [text.strip() for text in (call.group(2) or "").split(",") if text.strip()]
    most = len(inspect.signature(maker).parameters)
    if len(texts) > most:
        takes = ", ".join(inspect.signature(maker).parameters) or "no numbers"
        raise ParameterError(f'The curve "{name}" takes {takes}; "{formula.strip()}" gives more.')
    numbers = []
    for text in texts:
        try:
            number = float(text)
        except ValueError:
            raise ParameterError(f'"{text}" in "{formula.strip()}" is not a number.') from None
        if not np.isfinite(number):
            raise ParameterError(f'"{text}" in "{formula.strip()}" is not a finite number.')
        numbers.append(number)
    said = f"{name}({', '.join(f'{_short(n)}' for n in numbers)})" if numbers else name
    return replace(maker(*numbers), made=said)


def _short(number: float) -> str:
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def _plain(points: object) -> tuple[ShapingPoint, ...]:
    return tuple(ShapingPoint(float(x), float(y)) for x, y in points)  # type: ignore[attr-defined]


def _corners(points: list[tuple[float, float]]) -> tuple[ShapingPoint, ...]:
    return tuple(ShapingPoint(x, y, continuity=-1.0) for x, y in points)


def _ramps(points: list[tuple[float, float]], edge: float) -> tuple[ShapingPoint, ...]:
    """Stairs whose ramps are straight where they are walls, and eased where they have a width."""
    return _corners(points) if edge <= 0.0 else tuple(ShapingPoint(x, y, tension=1.0) for x, y in points)


def _without_doubles(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Merge neighbours at one position and height: full ramps meet end to end."""
    merged = points[:1]
    for point in points[1:]:
        if point[0] - merged[-1][0] > 2 * NARROW or point[1] != merged[-1][1]:
            merged.append(point)
    return merged


def _width(edge: float) -> float:
    if edge < 0.0:
        raise ParameterError(f"edge is a width, 0 or more, not {edge}.")
    return max(edge, 4 * NARROW)


def _in_order(low: float, high: float) -> None:
    if not low < high:
        raise ParameterError(f"The lower limit ({low:g}) must lie below the upper one ({high:g}).")
