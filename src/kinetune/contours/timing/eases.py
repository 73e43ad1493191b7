"""How time runs between two keys: eases by name, by CSS's functions, by points, or any function.

==================================  =====================================================================
linear, smooth, in, out             even; slow at both ends; slow at first; slow at last
ease, ease-in, ease-out ...         as CSS has them
back, elastic, bounce               past the end and back; swinging; bouncing; also -in, -out and -in-out
cubic-bezier(x1, y1, x2, y2)        the curve of CSS, After Effects and Lottie
steps(n)                            n jumps
curve(0 0, 0.4 1.1, 1 1)            a smooth curve through points (time, progress), without overshoot between them
==================================  =====================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Curve = Callable[[Floats], Floats]
Ease = str | Callable[[Floats], ArrayLike]

_BACK = 1.70158  # overshoots by a tenth
_MOST_POINTS = 200
_call = re.compile(r"([a-z-]+)\s*\(([^()]*)\)")


def cubic_bezier(x1: float, y1: float, x2: float, y2: float) -> Curve:
    """The ease of CSS: from (0, 0) to (1, 1) with two handles whose x lie between 0 and 1."""
    if not (0.0 <= x1 <= 1.0 and 0.0 <= x2 <= 1.0 and np.isfinite([y1, y2]).all()):
        raise ParameterError(f"The handles of a cubic-bezier lie between 0 and 1 in time; got {x1:g} and {x2:g}.")

    def curve(t: Floats) -> Floats:
        low, high = np.zeros_like(t), np.ones_like(t)
        for _ in range(52):  # x grows with its parameter, so that halving finds it to the last bit
            s = 0.5 * (low + high)
            before = _cubic(s, x1, x2) < t
            low, high = np.where(before, s, low), np.where(before, high, s)
        return _cubic(0.5 * (low + high), y1, y2)

    return curve


def _cubic(s: Floats, one: float, other: float) -> Floats:
    return 3.0 * s * (1.0 - s) ** 2 * one + 3.0 * s * s * (1.0 - s) * other + s**3


def _steps(count: float) -> Curve:
    if not 1 <= count <= 10_000 or count != int(count):
        raise ParameterError(f"steps takes a whole number from 1 on, not {count:g}.")
    return lambda t: np.floor(t * count + 1e-9) / count


def _through(text: str) -> Curve:
    """A smooth curve through points: Fritsch-Carlson, so that it never swings beyond them."""
    from scipy.interpolate import PchipInterpolator

    rows = [_numbers(part, "curve") for part in text.split(",")]
    if not 2 <= len(rows) <= _MOST_POINTS or any(len(row) != 2 for row in rows):
        raise ParameterError('A curve takes two or more points "time progress", such as curve(0 0, 0.4 1.1, 1 1).')
    times, values = np.array(rows).T
    if times[0] != 0.0 or times[-1] != 1.0 or np.any(np.diff(times) <= 0.0):
        raise ParameterError("The times of a curve grow from 0 to 1.")
    between = PchipInterpolator(times, values)
    return lambda t: np.asarray(between(t))


def _numbers(text: str, name: str) -> list[float]:
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = []
    if not numbers or not np.isfinite(numbers).all():
        raise ParameterError(f'"{text.strip()}" in {name}(...) is not a number.')
    return numbers


def _back_out(t: Floats) -> Floats:
    u = t - 1.0
    return 1.0 + (_BACK + 1.0) * u**3 + _BACK * u**2


def _elastic_out(t: Floats) -> Floats:
    return np.where(
        (t <= 0.0) | (t >= 1.0), t, 1.0 + 2.0 ** (-10.0 * t) * np.sin((10.0 * t - 0.75) * 2.0 * np.pi / 3.0)
    )


def _bounce_out(t: Floats) -> Floats:
    x = 2.75 * t
    middles = np.where(x < 1.0, 0.0, np.where(x < 2.0, 1.5, np.where(x < 2.5, 2.25, 2.625)))
    floors = np.where(x < 1.0, 0.0, np.where(x < 2.0, 0.75, np.where(x < 2.5, 0.9375, 0.984375)))
    return (x - middles) ** 2 + floors


def _turned(out: Curve) -> Curve:
    """An ease-in from an ease-out."""
    return lambda t: 1.0 - out(1.0 - t)


def _both(out: Curve) -> Curve:
    """An ease-in for the first half and the ease-out for the second."""
    return lambda t: np.where(t < 0.5, 0.5 - 0.5 * out(1.0 - 2.0 * t), 0.5 + 0.5 * out(2.0 * t - 1.0))


EASES: Mapping[str, Curve] = {
    "linear": lambda t: t,
    "smooth": lambda t: t * t * (3.0 - 2.0 * t),
    "in": lambda t: t * t,
    "out": lambda t: t * (2.0 - t),
    "ease": cubic_bezier(0.25, 0.1, 0.25, 1.0),
    "ease-in": cubic_bezier(0.42, 0.0, 1.0, 1.0),
    "ease-out": cubic_bezier(0.0, 0.0, 0.58, 1.0),
    "ease-in-out": cubic_bezier(0.42, 0.0, 0.58, 1.0),
} | {
    f"{name}{ending}": curve
    for name, out in (("back", _back_out), ("elastic", _elastic_out), ("bounce", _bounce_out))
    for ending, curve in (("", out), ("-in", _turned(out)), ("-out", out), ("-in-out", _both(out)))
}


def ease_curve(text: str) -> Curve:
    """The function that an ease names."""
    name = text.strip().lower()
    if name in EASES:
        return EASES[name]
    call = _call.fullmatch(name)
    if call is None or call[1] not in ("cubic-bezier", "steps", "curve"):
        raise ParameterError(
            f'There is no ease "{text[:60]}". Take one of {", ".join(EASES)}, or cubic-bezier(x1, y1, x2, y2), '
            "steps(n) or curve(0 0, 0.5 0.8, 1 1)."
        )
    if call[1] == "curve":
        return _through(call[2])
    numbers = [number for part in call[2].split(",") for number in _numbers(part, call[1])]
    count = {"cubic-bezier": 4, "steps": 1}[call[1]]
    if len(numbers) != count:
        raise ParameterError(f"{call[1]} takes {count} numbers; got {len(numbers)}.")
    return cubic_bezier(*numbers) if count == 4 else _steps(numbers[0])


def eased(times: Floats, ease: Ease) -> Floats:
    """Times from 0 to 1 as an ease bends them; 0 and 1 stay. An ease may swing below 0 and beyond 1 on the way."""
    times = np.asarray(times, dtype=float)
    bent = np.array((ease_curve(ease) if isinstance(ease, str) else ease)(times), dtype=float)
    if bent.shape != times.shape or not np.isfinite(bent).all():
        raise ParameterError("The ease must give one finite number for every time that it is asked for.")
    bent[times == 0.0], bent[times == 1.0] = 0.0, 1.0
    return bent
