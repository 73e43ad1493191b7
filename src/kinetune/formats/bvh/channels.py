"""Channels of a BVH file: which column rotates or moves which joint, and the rotations and positions that they mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.findings import Finding, guessed
from kinetune.formats.angles.euler_angles import half_sine_cosine, parity, quaternions_from_degrees
from kinetune.rotations import Floats

Kind = Literal["rotation", "position", "other"]


def channel_meaning(name: str) -> tuple[Kind, int]:
    """What a channel does, and about or along which axis (0, 1, 2)."""
    folded = name.lower()
    axis = "xyz".find(folded[:1])
    if axis < 0:
        return "other", 0
    rest = folded[1:].lstrip("_-")
    if rest in ("rotation", "rot"):
        return "rotation", axis
    return ("position", axis) if rest in ("position", "translation", "pos") else ("other", 0)


@dataclass(frozen=True)
class Channels:
    """The channels of every joint, as the file spells and orders them; one column of motion for each."""

    names: tuple[tuple[str, ...], ...]

    @cached_property
    def width(self) -> int:
        """How many columns there are."""
        return sum(map(len, self.names))

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The first column of each joint."""
        ends = np.cumsum([0, *map(len, self.names)])
        return tuple(ends[:-1].tolist())

    def _columns(self, joint: int, kind: Kind) -> list[tuple[int, int]]:
        """(column, axis) of the channels of one kind."""
        meanings = enumerate(map(channel_meaning, self.names[joint]), start=self.first[joint])
        return [(column, axis) for column, (what, axis) in meanings if what == kind]

    @cached_property
    def rotation_columns(self) -> tuple[tuple[int, ...], ...]:
        """The columns that rotate each joint, in the order in which they apply."""
        return tuple(tuple(c for c, _ in self._columns(joint, "rotation")) for joint in range(len(self.names)))

    @cached_property
    def orders(self) -> tuple[str, ...]:
        """The Euler order of each joint, such as "ZXY"; empty for one that does not rotate."""
        return tuple("".join("XYZ"[a] for _, a in self._columns(joint, "rotation")) for joint in range(len(self.names)))

    @cached_property
    def position_columns(self) -> tuple[dict[int, int], ...]:
        """The columns that move each joint, by axis."""
        return tuple({axis: c for c, axis in self._columns(joint, "position")} for joint in range(len(self.names)))

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Channels that neither rotate nor move."""
        return tuple(n for names in self.names for n in names if channel_meaning(n)[0] == "other")

    def channel_at(self, column: int) -> tuple[int, str]:
        """The joint that a column belongs to, and the channel's name."""
        joint = int(np.searchsorted(self.first, column, side="right")) - 1
        while not self.names[joint]:
            joint -= 1
        return joint, self.names[joint][column - self.first[joint]]

    @cached_property
    def _plan(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """Columns (joints, 3), axes (joints, 3) and parity (joints,) of up to three different axes.

        An axis about which a joint has no channel gets the column after the last, which stands for an angle of 0.
        """
        columns = np.full((len(self.names), 3), self.width, dtype=np.intp)
        axes = np.empty((len(self.names), 3), dtype=np.intp)
        for joint, (order, rotating) in enumerate(zip(self.orders, self.rotation_columns, strict=True)):
            full = full_order(order) if is_plain(order) else "XYZ"
            axes[joint] = ["XYZ".index(axis) for axis in full]
            if is_plain(order):
                columns[joint, : len(rotating)] = rotating
        return columns, axes, parity(axes)


def is_plain(order: str) -> bool:
    """Whether an order has at most three axes, all of them different."""
    return len(order) == len(set(order))


def full_order(order: str, preferred: str = "ZXY") -> str:
    """An order of all three axes that begins with ``order``; the missing ones follow as in ``preferred``."""
    return order + "".join(axis for axis in preferred if axis not in order)


# --- rotations


def rotations_from_channels(values: Floats, channels: Channels) -> Floats:
    """Local rotations (frames, joints, 4) wxyz from channels (frames, width) in degrees."""
    out = quaternions_from_degrees(values, *channels._plan)
    for joint, order in enumerate(channels.orders):
        if not is_plain(order):
            out[:, joint] = _compose(values[:, list(channels.rotation_columns[joint])], order)
    return out


def _compose(degrees: Floats, order: str) -> Floats:
    """Rotations about any number of axes, one after the other, (frames, 4)."""
    half_sine, half_cosine = half_sine_cosine(np.fmod(degrees, 720.0))
    q = rot.identity(len(degrees))
    for column, axis in enumerate(order):
        step = np.zeros_like(q)
        step[:, 0] = half_cosine[:, column]
        step[:, 1 + "XYZ".index(axis)] = half_sine[:, column]
        q = rot.multiply(q, step)
    return q


# --- positions


def positions_from_channels(values: Floats, columns: dict[int, int], offset: Iterable[float], relative: bool) -> Floats:
    """Positions (frames, 3) of one joint in its parent's frame, in file units.

    A position channel replaces the offset along its axis, or adds to it when it is relative.
    """
    positions = np.tile(np.array(list(offset), dtype=float), (len(values), 1))
    for axis, column in columns.items():
        positions[:, axis] = positions[:, axis] + values[:, column] if relative else values[:, column]
    return positions


def parse_positions(positions: str | None) -> bool | None:
    """The option ``positions`` as "are they relative?"; None leaves it to a guess."""
    if positions is None:
        return None
    folded = positions.strip().lower()
    if folded not in ("absolute", "relative"):
        raise ParameterError(
            f'positions="{positions}" is unknown. Give "absolute" (position channels replace the offset) or "relative" '
            "(they add to it)."
        )
    return folded == "relative"


def relative_joints(
    channels: Channels, parents: tuple[int, ...], offsets: Floats, values: Floats, relative: bool | None
) -> tuple[tuple[bool, ...], list[Finding]]:
    """Whether the position channels of each joint add to its offset, and the findings; ``relative`` replaces the guess.

    They replace the offset, as in most files. Where those of a joint that is not a root are 0 all the time although its
    offset is not, the file counts from the offset; if no other joint contradicts, all joints but the roots do.
    """
    columns = channels.position_columns
    joints = [j for j, by_axis in enumerate(columns) if by_axis]
    if relative is not None:
        return tuple(relative and j in joints for j in range(len(parents))), []
    inner = [j for j in joints if parents[j] >= 0 and np.any(offsets[j] != 0)]
    zero = [j for j in inner if not np.any(values[:, list(columns[j].values())])]
    findings = []
    if joints and joints[0] == 0 and np.any(offsets[0] != 0):
        away = np.median(np.linalg.norm(values[:, list(columns[0].values())], axis=1))
        message = "The root has an OFFSET and position channels; the channels replace it"
        if away < 0.5 * np.linalg.norm(offsets[0]):
            findings.append(guessed('positions="relative"', f"{message}, though they stay close to 0."))
        else:
            findings.append(Finding("offset-replaced", f"{message}."))
    if not zero:
        return (False,) * len(parents), findings
    contradict = [j for j in inner if j not in zero and _near_offset(values, columns[j], offsets[j])]
    chosen = set(zero if contradict else [j for j in joints if parents[j] >= 0])
    message = f"The position channels of {len(chosen)} joints are counted from their offsets, since {len(zero)} are 0."
    findings.append(guessed('positions="absolute"', message))
    return tuple(j in chosen for j in range(len(parents))), findings


def _near_offset(values: Floats, columns: dict[int, int], offset: Floats) -> bool:
    """Whether a joint is about where its offset says, when its channels are taken as they are."""
    middle = np.array([np.median(values[:, columns[axis]]) if axis in columns else offset[axis] for axis in range(3)])
    return bool(np.linalg.norm(middle - offset) < 0.5 * np.linalg.norm(offset))


def resting_positions(
    positions: dict[int, Floats], offsets: Floats, parents: tuple[int, ...]
) -> tuple[Floats, tuple[int, ...], list[Finding]]:
    """Where joints rest (joints, 3), which of them move, and a finding when channels hold the geometry.

    ``positions`` are (frames, 3) for every joint that has position channels.
    """
    rest = offsets.copy()
    moving = []
    replaced = 0
    for joint, path in positions.items():
        if joint == 0:
            continue
        still = bool(np.all(path == path[0]))
        if not still:
            moving.append(joint)
        if still or (parents[joint] >= 0 and not np.any(offsets[joint])):
            rest[joint] = path[0] if still else np.median(path, axis=0)
            replaced += bool(np.any(rest[joint] != offsets[joint]))
    findings = []
    if replaced:
        message = f"{replaced} joints are placed by position channels and not by their OFFSET; the channels are used."
        findings.append(Finding("offset-replaced", message))
    return rest, tuple(moving), findings
