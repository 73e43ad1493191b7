"""Units and up axes that files do not name: guessed from the figure's size and pose, reported, overridable."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError, nearest
from kinetune.findings import Finding, guessed
from kinetune.rotations import Floats

Up = Literal["x", "y", "z"]

METRES_PER_UNIT = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "cmu": 0.0254 / 0.45}
"""Units by name; "cmu" is the unit of the CMU and HDM05 recordings (an ASF length of .45 inches)."""

_ADULT = 1.7  # metres; a figure of this size is the most likely
_GUESSED = ("m", "dm", "cmu", "in", "cm", "mm")


def parse_unit(unit: str | float) -> tuple[str, float]:
    """(name, metres per unit) of a unit that the user gave by name or as a number of metres."""
    if isinstance(unit, str):
        folded = unit.strip().lower()
        if folded in METRES_PER_UNIT:
            return folded, METRES_PER_UNIT[folded]
        try:
            unit = float(folded)
        except ValueError:
            near = nearest(folded, METRES_PER_UNIT)
            hint = f" Did you mean {near[0]}?" if near else ""
            known = ", ".join(METRES_PER_UNIT)
            raise ParameterError(
                f'"{unit}" is not a unit.{hint} Give one of {known}, or metres per unit as a number.'
            ) from None
    if not (np.isfinite(unit) and unit > 0):
        raise ParameterError(f"A unit must be a positive number of metres, not {unit}.")
    known_name = next((name for name, metres in METRES_PER_UNIT.items() if np.isclose(metres, unit)), None)
    return known_name or f"{unit:g} m", float(unit)


def parse_up(up: str) -> Up:
    """The up axis that the user gave."""
    folded = up.strip().lower()
    if folded == "x" or folded == "y" or folded == "z":
        return folded  # type: ignore[return-value]
    raise ParameterError(f'"{up}" is not an up axis. Give x, y or z.')


def guess_unit(size: float) -> tuple[str, float, Finding]:
    """The unit in which a figure of ``size`` file units is closest to an adult.

    Parameters
    ----------
    size : the largest extent of the figure in file units: its height when it stands, its span in T-pose.
    """
    if not (np.isfinite(size) and size > 0):
        return "cm", 0.01, guessed("unit", "The figure has no size, so centimetres are assumed.")
    name = min(_GUESSED, key=lambda unit: abs(np.log(size * METRES_PER_UNIT[unit] / _ADULT)))
    metres = size * METRES_PER_UNIT[name]
    words = f"The file names no unit; at {size:.4g} units the figure is {metres:.2f} m in {name}."
    return name, METRES_PER_UNIT[name], guessed("unit", words)


def guess_up(head_over_feet: ArrayLike) -> tuple[Up, Finding | None]:
    """The axis along which the head is above the feet; Y without a remark when that is the answer.

    Parameters
    ----------
    head_over_feet : vector from the lowest to the highest part of the body, in file axes.
    """
    v = np.abs(np.asarray(head_over_feet, dtype=float))
    if not np.any(v > 0):
        return "y", guessed("up", "Nothing shows which axis is up, so Y is assumed.")
    best = int(np.argmax(v))
    if best == 2 and v[2] > 1.5 * v[1]:
        return "z", guessed("up", "The figure stands along Z, so Z is taken as up.")
    if best == 0 and v[0] > 3.0 * max(v[1], v[2]):
        return "x", guessed("up", "The figure stands along X, so X is taken as up.")
    return "y", None


def turn_vectors_to_y(vectors: Floats, up: Up) -> Floats:
    """Vectors (..., 3) of a world with that axis up, in ours; exact, since only axes are exchanged."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    if up == "y":
        return vectors
    return np.stack([x, z, -y] if up == "z" else [-y, x, z], axis=-1)


def turn_vectors_from_y(vectors: Floats, up: Up) -> Floats:
    """The inverse of :func:`turn_vectors_to_y`."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    if up == "y":
        return vectors
    return np.stack([x, -z, y] if up == "z" else [y, -x, z], axis=-1)


def turn_rotations_to_y(quaternions: Floats, up: Up) -> Floats:
    """Rotations (..., 4) seen in our axes: the same turn about the renamed axis."""
    if up == "y":
        return quaternions
    return np.concatenate([quaternions[..., :1], turn_vectors_to_y(quaternions[..., 1:], up)], axis=-1)


def turn_rotations_from_y(quaternions: Floats, up: Up) -> Floats:
    """The inverse of :func:`turn_rotations_to_y`."""
    if up == "y":
        return quaternions
    return np.concatenate([quaternions[..., :1], turn_vectors_from_y(quaternions[..., 1:], up)], axis=-1)
