"""The unit and the up axis of a figure whose file names neither, from its bones and its poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.findings import Finding, guessed
from kinetune.formats.guess.guessing import Up, guess_unit, guess_up, parse_unit, parse_up
from kinetune.rotations import Floats

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
        return "cm", 0.01, guessed("unit", words)
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
        return "y", guessed("up", "The figure seems to lie along Z on a floor with Y up.")
    return up, remark


def _by_floor(positions: Floats) -> tuple[Up, Finding | None]:
    """For a figure without a known head: Z when its lowest point keeps one level along Z only."""
    size = float(np.ptp(positions, axis=1).max())
    lows = positions.min(axis=1)  # (frames, 3)
    wander = np.ptp(lows, axis=0)
    walks = positions.shape[1] >= _FEW_JOINTS and wander[1] > 0.2 * size and wander[2] < 0.1 * wander[1]
    if walks and abs(np.median(lows[:, 2])) < 0.1 * size:
        return "z", guessed("up", "The figure keeps one level along Z only, so Z is taken as up.")
    return guess_up((0.0, 0.0, 0.0))
