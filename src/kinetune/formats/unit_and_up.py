"""Units and up axes that files do not name: guessed from the figure's size and pose, reported, overridable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.body.roles.from_names import read_name
from kinetune.body.skeleton import Skeleton
from kinetune.body.source import Finding
from kinetune.errors import ParameterError, nearest
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
        return "cm", 0.01, Finding("guess", "The figure has no size, so centimetres are assumed.", "unit")
    name = min(_GUESSED, key=lambda unit: abs(np.log(size * METRES_PER_UNIT[unit] / _ADULT)))
    metres = size * METRES_PER_UNIT[name]
    words = f"The file names no unit; at {size:.4g} units the figure is {metres:.2f} m in {name}."
    return name, METRES_PER_UNIT[name], Finding("guess", words, "unit")


def guess_up(head_over_feet: ArrayLike) -> tuple[Up, Finding | None]:
    """The axis along which the head is above the feet; Y without a remark when that is the answer.

    Parameters
    ----------
    head_over_feet : vector from the lowest to the highest part of the body, in file axes.
    """
    v = np.abs(np.asarray(head_over_feet, dtype=float))
    if not np.any(v > 0):
        return "y", Finding("guess", "Nothing shows which axis is up, so Y is assumed.", "up")
    best = int(np.argmax(v))
    if best == 2 and v[2] > 1.5 * v[1]:
        return "z", Finding("guess", "The figure stands along Z, so Z is taken as up.", "up")
    if best == 0 and v[0] > 3.0 * max(v[1], v[2]):
        return "x", Finding("guess", "The figure stands along X, so X is taken as up.", "up")
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


_FRAMES = 48  # as many poses are looked at
_FEW_JOINTS = 8  # no figure whose size would tell a unit
_ARM_AND_LEG = 1.3  # the longest way along the bones (hand to foot, or hand to hand) over the height


@dataclass(frozen=True)
class Figure:
    """A clip in the unit and axes of its file."""

    skeleton: Skeleton
    root: Floats
    rotations: Floats
    translations: Floats | None = None


def understand(figure: Figure, unit: str | float | None, up: str | None) -> tuple[str, float, Up, tuple[Finding, ...]]:
    """(name of the unit, metres per unit, up axis, what was guessed); ``unit`` and ``up`` win where they are given."""
    findings: list[Finding] = []
    if unit is not None:
        name, metres = parse_unit(unit)
    else:
        name, metres, finding = guess_size(figure.skeleton)
        findings.append(finding)
    if up is not None:
        return name, metres, parse_up(up), tuple(findings)
    axis, remark = guess_axis(figure)
    if remark is not None:
        findings.append(remark)
    return name, metres, axis, tuple(findings)


def guess_size(skeleton: Skeleton) -> tuple[str, float, Finding]:
    """The unit in which the figure has the size of an adult; centimetres for a figure that is nobody."""
    roles = skeleton.roles
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    feet = [roles[foot] for foot in ("left foot", "right foot") if foot in roles]
    if "head" in roles and feet:
        return guess_unit(max(_along_bones(skeleton, lengths, roles["head"], foot) for foot in feet))
    if len(skeleton) < _FEW_JOINTS:
        words = f"A figure of {len(skeleton)} joints does not show its size, so centimetres are assumed."
        return "cm", 0.01, Finding("guess", words, "unit")
    return guess_unit(_longest_way(skeleton, lengths) / _ARM_AND_LEG)


def _along_bones(skeleton: Skeleton, lengths: Floats, head: int, foot: int) -> float:
    """From the top of the head to the ankle along the bones: about the height, in any pose."""
    above, below = skeleton.chain(head), skeleton.chain(foot)
    shared = sum(1 for a, b in zip(above, below, strict=False) if a == b)
    tip = max((float(np.linalg.norm(s.offset)) for s in skeleton.end_sites if s.parent == head), default=0.0)
    return tip + float(lengths[[*above[shared:], *below[shared:]]].sum())


def _longest_way(skeleton: Skeleton, lengths: Floats) -> float:
    """The longest way between two tips along the bones."""
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


def guess_axis(figure: Figure) -> tuple[Up, Finding | None]:
    """The axis along which the head is above the feet in most poses, or on which the figure keeps one floor."""
    skeleton = figure.skeleton
    roles = skeleton.roles
    chosen = np.unique(np.linspace(0, len(figure.root) - 1, _FRAMES).astype(int))
    moved = None if figure.translations is None else figure.translations[chosen]
    positions, _ = forward(skeleton, figure.root[chosen], figure.rotations[chosen], moved)
    feet = [roles[foot] for foot in ("left foot", "right foot") if foot in roles]
    lowest = np.median(positions.min(axis=1), axis=0)
    if "head" not in roles or not feet:
        return _by_floor(positions)
    standing = np.median(positions[:, roles["head"]] - positions[:, feet].mean(axis=1), axis=0)
    up, remark = guess_up(standing)
    rest = skeleton.rest_positions
    upright, _ = guess_up(rest[roles["head"]] - rest[feet].mean(axis=0))
    if up == "z" and upright == "y" and abs(lowest[2]) > abs(lowest[1]):
        return "y", Finding("guess", "The figure seems to lie along Z on a floor with Y up.", "up")
    return up, remark


def _by_floor(positions: Floats) -> tuple[Up, Finding | None]:
    """For a figure without a known head: Z when its lowest point keeps one level along Z only."""
    size = float(np.ptp(positions, axis=1).max())
    lows = positions.min(axis=1)  # (frames, 3)
    wander = np.ptp(lows, axis=0)
    walks = positions.shape[1] >= _FEW_JOINTS and wander[1] > 0.2 * size and wander[2] < 0.1 * wander[1]
    if walks and abs(np.median(lows[:, 2])) < 0.1 * size:
        return "z", Finding("guess", "The figure keeps one level along Z only, so Z is taken as up.", "up")
    return guess_up((0.0, 0.0, 0.0))


_HALF = np.sqrt(0.5)
_TURNS = {"y": (1.0, 0.0, 0.0, 0.0), "z": (_HALF, -_HALF, 0.0, 0.0), "x": (_HALF, 0.0, 0.0, _HALF)}


def world_turn(up: Up) -> Floats:
    """The rotation that brings a world with that axis up into ours, as ``turn_vectors_to_y`` does for vectors."""
    return np.array(_TURNS[up])


def stand(positions: Floats, rotations: Floats, up: Up) -> tuple[Floats, Floats]:
    """World positions (..., 3) and rotations (..., 4) of root joints in our world."""
    if up == "y":
        return positions, rotations
    return turn_vectors_to_y(positions, up), rot.multiply(world_turn(up), rotations)


def head_over_feet(names: Sequence[str], places: Floats) -> Floats | None:
    """From the feet (or else the hips) to the head (or else the neck), by joint names; None when names do not tell.

    Parameters
    ----------
    names : of the joints.
    places : (..., joints, 3); the mean is taken over all but the last two axes.
    """
    mean = places.reshape(-1, len(names), 3).mean(axis=0)
    found: dict[str | None, list[int]] = {}
    for joint, name in enumerate(names):
        found.setdefault(read_name(name).kind, []).append(joint)
    high = found.get("head") or found.get("neck")
    low = found.get("foot") or found.get("ankle") or found.get("hips") or found.get("root")
    return None if not high or not low else np.asarray(mean[high].mean(axis=0) - mean[low].mean(axis=0))
