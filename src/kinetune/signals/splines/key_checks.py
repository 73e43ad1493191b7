"""Checks of the keys, parameters and ends of a curve, and their error messages.

====================  ==============================================================================
finite_numbers        an array of finite floats
check_times           times that increase
check_knob            one number for all keys, or one per key
check_ends            the names and velocities that may end an open curve
check_counts          numbers of inbetweens
====================  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.splines.tangents import End

Ends = str | Sequence[str | ArrayLike]

END_NAMES = ("natural", "zero", "half chord", "chord")


def check_ends(ends: Ends, shape: tuple[int, ...]) -> tuple[End, End]:
    """The two ends of an open curve, each a name or a velocity of the given shape."""
    if isinstance(ends, str):
        name = _end_name(ends)
        return name, name
    pair = list(ends) if isinstance(ends, Sequence | np.ndarray) else []
    if len(pair) != 2:
        raise ParameterError(
            f"ends must be {', '.join(repr(n) for n in END_NAMES)}, or a pair (start, end) of such names or of "
            "velocities."
        )
    first, last = (_end_name(e) if isinstance(e, str) else _end_velocity(e, shape) for e in pair)
    return first, last


def _end_name(name: str) -> str:
    folded = name.replace("_", " ").replace("-", " ").casefold()
    if folded not in END_NAMES:
        raise ParameterError(f'ends="{name}" is unknown; it must be one of {", ".join(END_NAMES)}, or a velocity.')
    return folded


def _end_velocity(value: ArrayLike, shape: tuple[int, ...]) -> Floats:
    velocity = finite_numbers("The velocity at an end", value)
    if velocity.ndim and velocity.shape != shape:
        raise ParameterError(f"The velocity at an end must be one number or have shape {shape}, not {velocity.shape}.")
    return np.broadcast_to(velocity, shape)


def finite_numbers(what: str, values: ArrayLike) -> Floats:
    """A fresh array of finite floats."""
    try:
        raw = np.asarray(values)
    except ValueError:
        raise ParameterError(f"{what} must all have the same shape.") from None
    if raw.dtype.kind not in "biuf" and raw.size:
        raise ParameterError(f"{what} must be real numbers, not {raw.dtype}.")
    array = np.array(raw, dtype=float)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ParameterError(
            f"{what} must be finite numbers, but item {where[0] if len(where) == 1 else where} is not."
        )
    return array


def check_times(times: ArrayLike) -> Floats:
    moments = finite_numbers("times", times)
    if moments.ndim != 1:
        raise ParameterError(f"times must be a list of numbers, one per key; got shape {moments.shape}.")
    late = np.flatnonzero(moments[1:] <= moments[:-1])
    if late.size:
        i = int(late[0])
        raise ParameterError(
            f"times must increase from key to key, but key {i + 1} at {moments[i + 1]:g} follows key {i} at "
            f"{moments[i]:g}. Sort the keys, and give each time only once."
        )
    return moments


def check_knob(name: str, value: ArrayLike, keys: int, repeated: bool) -> float | Floats:
    """A parameter as one number for all keys, or one per key."""
    if isinstance(value, int | float) and np.isfinite(value):
        return float(value)
    array = finite_numbers(name, value)
    if array.ndim == 0:
        return float(array)
    if repeated and array.shape == (keys + 1,):
        if array[0] != array[-1]:
            raise ParameterError(
                f"The last key repeats the first, so its {name} must be {array[0]:g}, not {array[-1]:g}."
            )
        array = array[:-1]
    if array.shape != (keys,):
        raise ParameterError(f"{name} must be one number, or one per key ({keys} of them); got shape {array.shape}.")
    array.setflags(write=False)
    return array


def check_counts(inbetweens: int | Sequence[int], intervals: int) -> NDArray[np.int_]:
    raw = np.asarray(inbetweens)
    if raw.dtype.kind not in "iu" and not (raw.size == 0 and raw.ndim == 1):
        raise ParameterError("inbetweens must be whole numbers, one per interval or one for all.")
    if raw.ndim > 1 or (raw.ndim == 1 and len(raw) != intervals):
        raise ParameterError(f"There are {intervals} intervals, but inbetweens has shape {raw.shape}.")
    counts = np.broadcast_to(raw.astype(int), intervals)
    if np.any(counts < 0):
        raise ParameterError("An interval cannot have fewer than 0 inbetweens.")
    return counts
