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
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.formats.bvh.euler_kernels")
_NUMPY_S_PER_CHANNEL = 1.2e-7
_BLOCK = 2048  # frames that the NumPy body takes at a time

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
        """Columns (joints, 3), quaternion components (joints, 3) and parity (joints,) of up to three different axes.

        An axis about which a joint has no channel gets the column after the last, which stands for an angle of 0.
        """
        columns = np.full((len(self.names), 3), self.width, dtype=np.intp)
        axes = np.empty((len(self.names), 3), dtype=np.intp)
        for joint, (order, rotating) in enumerate(zip(self.orders, self.rotation_columns, strict=True)):
            full = full_order(order) if is_plain(order) else "XYZ"
            axes[joint] = ["XYZ".index(axis) for axis in full]
            if is_plain(order):
                columns[joint, : len(rotating)] = rotating
        even = (axes[:, 1] - axes[:, 0]) % 3 == 1
        return columns, axes + 1, np.where(even, 1.0, -1.0)


def is_plain(order: str) -> bool:
    """Whether an order has at most three axes, all of them different."""
    return len(order) == len(set(order))


def full_order(order: str, preferred: str = "ZXY") -> str:
    """An order of all three axes that begins with ``order``; the missing ones follow as in ``preferred``."""
    return order + "".join(axis for axis in preferred if axis not in order)


# --- rotations


def rotations_from_channels(values: Floats, channels: Channels) -> Floats:
    """Local rotations (frames, joints, 4) wxyz from channels (frames, width) in degrees.

    Notes
    -----
    For three different axes i, j, k with half angles a, b, c and e = 1 for XYZ, YZX, ZXY, else -1:
    w = cos a cos b cos c - e sin a sin b sin c, the component of i = sin a cos b cos c + e cos a sin b sin c, of
    j = cos a sin b cos c - e sin a cos b sin c, of k = cos a cos b sin c + e sin a sin b cos c.
    Law: the NumPy and the compiled body give the same bits (``test_channels.py::test_both_bodies_agree``).
    """
    frames = len(values)
    columns, axes, parity = channels._plan
    out = np.empty((frames, len(channels.names), 4))
    values = np.ascontiguousarray(values).view()
    values.setflags(write=False)  # a kernel is compiled for each kind of array, so there is only one kind
    fast = _kernels.get(values.size * _NUMPY_S_PER_CHANNEL)
    fill = _quaternions_numpy if fast is None else fast.quaternions
    if fill(values, columns, axes, parity, out):
        values = np.fmod(values, 720.0)
        values.setflags(write=False)
        fill(values, columns, axes, parity, out)
    for joint, order in enumerate(channels.orders):
        if not is_plain(order):
            out[:, joint] = _compose(values[:, list(channels.rotation_columns[joint])], order)
    return out


def _quaternions_numpy(
    degrees: Floats, columns: NDArray[np.intp], axes: NDArray[np.intp], parity: Floats, out: Floats
) -> bool:
    """Fill ``out`` (frames, joints, 4); returns whether some angle is too large for the result to be any good."""
    joints = np.arange(len(columns))
    for start in range(0, len(degrees), _BLOCK):
        half_sine, half_cosine = half_sine_cosine(degrees[start : start + _BLOCK])
        none = np.zeros((len(half_sine), 1))
        s1, s2, s3 = np.moveaxis(np.hstack([half_sine, none])[:, columns], -1, 0)
        c1, c2, c3 = np.moveaxis(np.hstack([half_cosine, none + 1.0])[:, columns], -1, 0)
        block = out[start : start + _BLOCK]
        block[:, :, 0] = c1 * c2 * c3 - parity * (s1 * s2 * s3)
        block[:, joints, axes[:, 0]] = s1 * c2 * c3 + parity * (c1 * s2 * s3)
        block[:, joints, axes[:, 1]] = c1 * s2 * c3 - parity * (s1 * c2 * s3)
        block[:, joints, axes[:, 2]] = c1 * c2 * s3 + parity * (s1 * s2 * c3)
    return bool(np.any(np.abs(degrees) >= LARGEST_ANGLE))


def _compose(degrees: Floats, order: str) -> Floats:
    """Rotations about any number of axes, one after the other, (frames, 4)."""
    half_sine, half_cosine = half_sine_cosine(degrees)
    q = rot.identity(len(degrees))
    for column, axis in enumerate(order):
        step = np.zeros_like(q)
        step[:, 0] = half_cosine[:, column]
        step[:, 1 + "XYZ".index(axis)] = half_sine[:, column]
        q = rot.multiply(q, step)
    return q


# Sine and cosine of half an angle, written so that NumPy and euler_kernels give the same bits. The angle is folded in
# degrees, where full circles are exact numbers: multiples of 90 degrees give exact zeros and ones. The rest, at most
# 45 degrees after halving, goes into the polynomials of fdlibm (k_sin.c and k_cos.c).

FOLD = 1.5 * 2.0**52
"""Adding and subtracting it rounds a number below 2 ** 51 to a whole one."""

PER_HALF_CIRCLE = 1.0 / 180.0
RADIANS = np.pi / 360.0
LARGEST_ANGLE = 1e9
"""Degrees; larger angles must be folded before."""

SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def half_sine_cosine(degrees: Floats) -> tuple[Floats, Floats]:
    """Sine and cosine of degrees / 2; the angles must lie below :data:`LARGEST_ANGLE` in size."""
    half_circles = (degrees * PER_HALF_CIRCLE + FOLD) - FOLD
    x = (degrees - half_circles * 180.0) * RADIANS
    z = x * x
    s1, s2, s3, s4, s5, s6 = SINE
    c1, c2, c3, c4, c5, c6 = COSINE
    s = x + x * z * (s1 + z * (s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)))))
    c = 1.0 - (0.5 * z - z * z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6))))))
    quarter = half_circles - 4.0 * ((half_circles * 0.25 + FOLD) - FOLD)
    crossed = np.abs(quarter) == 1.0
    opposite = np.abs(quarter) == 2.0
    s, c = np.where(crossed, c, s), np.where(crossed, s, c)
    return np.where(opposite | (quarter == -1.0), -s, s), np.where(opposite | (quarter == 1.0), -c, c)


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
