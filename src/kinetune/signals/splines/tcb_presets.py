"""Named settings of tension, continuity and bias, and the numbers that other programs show for them.

====================  ===================================================================================
TCB_PRESETS           name to (tension, continuity, bias)
PRESET_DESCRIPTIONS   name to a description
preset                the parameters of one preset, or of one per key: ``TCB(times, values, **preset("bounce"))``
from_max, to_max      convert from and to the scale of 3ds Max, where 25 is neutral
====================  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import UnknownNameError
from kinetune.signals.splines.key_checks import finite_numbers


class Preset(NamedTuple):
    """Tension, continuity and bias of a key."""

    tension: float
    continuity: float
    bias: float


_TABLE: dict[str, tuple[float, float, float, str]] = {
    "smooth": (0.0, 0.0, 0.0, "Passes through without a corner or a stop: the Catmull-Rom spline."),
    "natural": (
        -0.25,
        0.0,
        0.0,
        "A little slack, amid the -0.1 to -0.4 that animators of the 1984 test called natural.",
    ),
    "slack": (-1.0, 0.0, 0.0, "Swings wide around the key, at twice the default speed."),
    "tight": (0.5, 0.0, 0.0, "Slows down at the key and keeps close to the straight line."),
    "stop": (1.0, 0.0, 0.0, "Comes to rest at the key: eases in and out."),
    "corner": (0.0, -1.0, 0.0, "Straight in and straight out, with a corner and no slowing down."),
    "linear": (
        0.0,
        -1.0,
        0.0,
        'A corner by another name: straight lines between such keys; if unevenly spaced, with step="none".',
    ),
    "notch": (0.0, 1.0, 0.0, "A corner turned inside out: it swings past on both sides of the key."),
    "bounce": (-1.0, -1.0, 0.0, "Hits at full speed and springs back: between smooth tops it falls as a stone does."),
    "overshoot": (-0.3, 0.0, 1.0, "Follows through past the key, then turns: the preset that the paper names."),
    "undershoot": (-0.3, 0.0, -1.0, "Turns before the key is reached, for an exaggerated start of what follows."),
}

TCB_PRESETS: Mapping[str, Preset] = MappingProxyType({name: Preset(t, c, b) for name, (t, c, b, _) in _TABLE.items()})
"""Name to (tension, continuity, bias)."""

PRESET_DESCRIPTIONS: Mapping[str, str] = MappingProxyType({name: text for name, (*_, text) in _TABLE.items()})
"""Name to a description of what an animator sees."""


def preset(names: str | Sequence[str]) -> dict[str, Any]:
    """The parameters of a preset as keyword arguments of a curve: one name for all keys, or one name per key."""
    if isinstance(names, str):
        return _find(names)._asdict()
    chosen = np.array([_find(name) for name in names], dtype=float).reshape(-1, 3)
    return dict(zip(Preset._fields, chosen.T, strict=True))


def _find(name: str) -> Preset:
    if name not in TCB_PRESETS:
        raise UnknownNameError("preset", name, TCB_PRESETS, advice=f"It is one of {', '.join(TCB_PRESETS)}.")
    return TCB_PRESETS[name]


def from_max(shown: ArrayLike) -> Any:
    """Convert a TCB parameter of 3ds Max to the units of ``kt.TCB``.

    Parameters
    ----------
    shown : float or array
        Tension, continuity or bias as 3ds Max shows it: 0 to 50, neutral at 25.

    Returns
    -------
    float or array
        -1 to 1, neutral at 0, as in the paper.
    """
    return _plain(finite_numbers("Values of 3ds Max", shown) / 25.0 - 1.0)


def to_max(value: ArrayLike) -> Any:
    """Convert a TCB parameter to the scale of 3ds Max; the inverse of :func:`from_max`.

    Parameters
    ----------
    value : float or array
        Tension, continuity or bias: -1 to 1, neutral at 0.
    """
    return _plain(25.0 * (finite_numbers("TCB values", value) + 1.0))


def _plain(values: np.ndarray) -> Any:
    return values if values.ndim else float(values)
