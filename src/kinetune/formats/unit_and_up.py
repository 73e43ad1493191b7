"""Units and up axes: given by the user, or guessed from the size and the poses of the character.

Guesses are reported as findings and can be overridden. Inside Kinetune lengths are in metres and Y is up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.body.roles.from_names import read_name
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, did_you_mean, nearest
from kinetune.findings import Finding, guessed
from kinetune.rotations import Floats

Up = Literal["x", "y", "z"]

METRES_PER_UNIT = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "cmu": 0.0254 / 0.45}
"""Units by name; "cmu" is the unit of the CMU and HDM05 recordings (an ASF length of .45 inches)."""

_ADULT = 1.7  # metres; the most likely size of a character
_GUESSED = ("m", "dm", "cmu", "in", "cm", "mm")
_FRAMES = 48  # the number of poses that are looked at
_FEW_JOINTS = 8  # fewer joints do not show a size
_ARM_AND_LEG = 1.3  # the longest path along the bones (hand to foot, or hand to hand) over the height
_HALF = np.sqrt(0.5)
_WORLD_ROTATIONS = {"y": (1.0, 0.0, 0.0, 0.0), "z": (_HALF, -_HALF, 0.0, 0.0), "x": (_HALF, 0.0, 0.0, _HALF)}


# --- what the user says


def parse_unit(unit: str | float) -> tuple[str, float]:
    """(name, metres per unit) of a unit that the user gave by name or as a number of metres."""
    if isinstance(unit, str):
        folded = unit.strip().lower()
        if folded in METRES_PER_UNIT:
            return folded, METRES_PER_UNIT[folded]
        try:
            unit = float(folded)
        except ValueError:
            hint = did_you_mean(nearest(folded, METRES_PER_UNIT, 1), mark="")
            known = ", ".join(METRES_PER_UNIT)
            raise ParameterError(
                f'"{unit}" is not a unit.{hint} Give one of {known}, or metres per unit as a number.'
            ) from None
    if not (np.isfinite(unit) and unit > 0):
        raise ParameterError(f"A unit must be a positive number of metres, not {unit}.")
    same = (name for name, metres in METRES_PER_UNIT.items() if math.isclose(metres, unit, rel_tol=1e-5))
    return next(same, f"{unit:g} m"), float(unit)


def parse_up(up: str) -> Up:
    """The up axis that the user gave."""
    folded = up.strip().lower()
    if folded == "x" or folded == "y" or folded == "z":
        return folded  # type: ignore[return-value]
    raise ParameterError(f'"{up}" is not an up axis. Give x, y or z.')


# --- guesses


@dataclass(frozen=True)
class UnscaledMotion:
    """A motion in the unit and axes of its file, before either is known."""

    skeleton: Skeleton
    root: Floats
    rotations: Floats
    translations: Floats | None = None


def settle_unit_and_up(
    motion: UnscaledMotion, unit: str | float | None, up: str | None
) -> tuple[str, float, Up, tuple[Finding, ...]]:
    """(name of the unit, metres per unit, up axis, guesses); ``unit`` and ``up`` replace a guess."""
    findings: list[Finding] = []
    if unit is not None:
        name, metres = parse_unit(unit)
    else:
        name, metres, finding = unit_of_skeleton(motion.skeleton)
        findings.append(finding)
    if up is not None:
        return name, metres, parse_up(up), tuple(findings)
    axis, guess = up_of_motion(motion)
    if guess is not None:
        findings.append(guess)
    return name, metres, axis, tuple(findings)


def guess_unit(size: float) -> tuple[str, float, Finding]:
    """The unit in which a character of ``size`` file units (height, or span in T-pose) is closest to an adult."""
    if not (np.isfinite(size) and size > 0):
        return "cm", 0.01, guessed("unit", "The character has no size, so centimetres are assumed.")
    name = min(_GUESSED, key=lambda unit: abs(np.log(size * METRES_PER_UNIT[unit] / _ADULT)))
    metres = size * METRES_PER_UNIT[name]
    taken = "the unit of CMU" if name == "cmu" else name
    message = f"The file states no unit; at {size:.4g} units the character is {metres:.2f} m tall in {taken}."
    return name, METRES_PER_UNIT[name], guessed("unit", message)


def guess_up(head_over_feet: ArrayLike) -> tuple[Up, Finding | None]:
    """The axis along which the head is above the feet; Y, the usual answer, comes without a finding."""
    v = np.abs(np.asarray(head_over_feet, dtype=float))
    if not np.any(v > 0):
        return "y", guessed("up", "Nothing shows which axis is up, so Y is assumed.")
    best = int(np.argmax(v))
    if best == 2 and v[2] > 1.5 * v[1]:
        return "z", guessed("up", "The character stands along Z, so Z is taken as up.")
    if best == 0 and v[0] > 3.0 * max(v[1], v[2]):
        return "x", guessed("up", "The character stands along X, so X is taken as up.")
    return "y", None


def unit_of_skeleton(skeleton: Skeleton) -> tuple[str, float, Finding]:
    """The unit in which the character is as tall as an adult; centimetres where the skeleton is not a person's."""
    roles = skeleton.roles
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    feet = [roles[foot] for foot in ("left foot", "right foot") if foot in roles]
    if "head" in roles and feet:
        return guess_unit(max(_head_to_foot(skeleton, lengths, roles["head"], foot) for foot in feet))
    if len(skeleton) < _FEW_JOINTS:
        message = f"A skeleton of {len(skeleton)} joints does not show its size, so centimetres are assumed."
        return "cm", 0.01, guessed("unit", message)
    return guess_unit(_longest_path(skeleton, lengths) / _ARM_AND_LEG)


def _head_to_foot(skeleton: Skeleton, lengths: Floats, head: int, foot: int) -> float:
    """From the top of the head to the ankle along the bones: about the height, in any pose."""
    above, below = skeleton.chain(head), skeleton.chain(foot)
    shared = sum(1 for a, b in zip(above, below, strict=False) if a == b)
    tip = max((float(np.linalg.norm(s.offset)) for s in skeleton.end_sites if s.parent == head), default=0.0)
    return tip + float(lengths[[*above[shared:], *below[shared:]]].sum())


def _longest_path(skeleton: Skeleton, lengths: Floats) -> float:
    """The longest path between two tips along the bones."""
    reach = np.zeros(len(skeleton))  # from a joint down to its farthest tip
    for site in skeleton.end_sites:
        reach[site.parent] = max(reach[site.parent], float(np.linalg.norm(site.offset)))
    longest = 0.0
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = int(skeleton.parents[joint])
        if parent < 0:
            continue
        down = reach[joint] + lengths[joint]
        longest = max(longest, reach[parent] + down)
        reach[parent] = max(reach[parent], down)
    return float(max(longest, reach.max()))


def up_of_motion(motion: UnscaledMotion) -> tuple[Up, Finding | None]:
    """The axis along which the head is above the feet in most poses, or along which the floor is level."""
    skeleton = motion.skeleton
    roles = skeleton.roles
    frames = sorted(set(np.linspace(0, len(motion.root) - 1, _FRAMES).astype(int).tolist()))
    translations = None if motion.translations is None else motion.translations[frames]
    positions, _ = forward(skeleton, motion.root[frames], motion.rotations[frames], translations)
    feet = [roles[foot] for foot in ("left foot", "right foot") if foot in roles]
    lowest = _median(positions.min(axis=1))
    if "head" not in roles or not feet:
        return _up_from_floor(positions)
    up, guess = guess_up(_median(positions[:, roles["head"]] - positions[:, feet].mean(axis=1)))
    rest = skeleton.rest_positions
    rest_up, _ = guess_up(rest[roles["head"]] - rest[feet].mean(axis=0))
    if up == "z" and rest_up == "y" and abs(lowest[2]) > abs(lowest[1]):
        return "y", guessed("up", "The character seems to lie along Z on a floor with Y up.")
    return up, guess


def _median(values: Floats) -> Floats:
    """The median over the first axis, without ``numpy.ma``, which ``np.median`` imports (as ``np.unique`` does)."""
    ordered, middle = np.sort(values, axis=0), len(values) // 2
    first = middle if len(values) % 2 else middle - 1
    return 0.5 * np.asarray(ordered[first] + ordered[middle])


def _up_from_floor(positions: Floats) -> tuple[Up, Finding | None]:
    """For a skeleton without a known head: Z when its lowest point keeps one level along Z only."""
    size = float(np.ptp(positions, axis=1).max())
    lows = positions.min(axis=1)  # (frames, 3)
    travel = np.ptp(lows, axis=0)
    walks = positions.shape[1] >= _FEW_JOINTS and travel[1] > 0.2 * size and travel[2] < 0.1 * travel[1]
    if walks and abs(_median(lows)[2]) < 0.1 * size:
        return "z", guessed("up", "The character keeps one level along Z only, so Z is taken as up.")
    return guess_up((0.0, 0.0, 0.0))


def head_over_feet(names: Sequence[str], positions: Floats) -> Floats | None:
    """From the feet (or else the hips) to the head (or else the neck) of positions (..., joints, 3), by joint names.

    The mean over all frames; None when the names do not say where the head and the feet are.
    """
    mean = positions.reshape(-1, len(names), 3).mean(axis=0)
    parts: dict[str | None, list[int]] = {}
    for joint, name in enumerate(names):
        parts.setdefault(read_name(name).kind, []).append(joint)
    high = parts.get("head") or parts.get("neck")
    low = parts.get("foot") or parts.get("ankle") or parts.get("hips") or parts.get("root")
    return None if not high or not low else np.asarray(mean[high].mean(axis=0) - mean[low].mean(axis=0))


# --- from the axes of a file to ours and back: exact, since axes are only exchanged


def turn_vectors_to_y(vectors: Floats, up: Up) -> Floats:
    """Vectors (..., 3) of a world with that axis up, in ours."""
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
    """Rotations (..., 4) seen in our axes: the same angle about the renamed axis."""
    if up == "y":
        return quaternions
    return np.concatenate([quaternions[..., :1], turn_vectors_to_y(quaternions[..., 1:], up)], axis=-1)


def turn_rotations_from_y(quaternions: Floats, up: Up) -> Floats:
    """The inverse of :func:`turn_rotations_to_y`."""
    if up == "y":
        return quaternions
    return np.concatenate([quaternions[..., :1], turn_vectors_from_y(quaternions[..., 1:], up)], axis=-1)


def world_rotation(up: Up) -> Floats:
    """The rotation that brings a world with that axis up into ours, as :func:`turn_vectors_to_y` does for vectors."""
    return np.array(_WORLD_ROTATIONS[up])


def stand_upright(positions: Floats, rotations: Floats, up: Up) -> tuple[Floats, Floats]:
    """World positions (..., 3) and rotations (..., 4) of root joints whose frames are their own, in our world."""
    if up == "y":
        return positions, rotations
    return turn_vectors_to_y(positions, up), rot.multiply(world_rotation(up), rotations)
