"""Position channels of joints other than the root: absolute or relative, geometry or motion."""

from __future__ import annotations

import numpy as np

from kinetune.errors import ParameterError
from kinetune.findings import Finding, guessed
from kinetune.formats.bvh.channels import Channels
from kinetune.rotations import Floats


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
    channels: Channels, parents: tuple[int, ...], offsets: Floats, values: Floats, wanted: bool | None
) -> tuple[tuple[bool, ...], list[Finding]]:
    """Whether the position channels of each joint add to its offset, and what is worth saying about it.

    They replace the offset, as in most files. Where those of a joint that is not a root are 0 all the time although its
    offset is not, the file counts from the offset; if no other joint contradicts, all joints but the roots do.
    """
    joints = [j for j, moves in enumerate(channels.moves) if moves]
    if wanted is not None:
        return tuple(wanted and j in joints for j in range(len(parents))), []
    inner = [j for j in joints if parents[j] >= 0 and np.any(offsets[j] != 0)]
    zero = [j for j in inner if not np.any(values[:, list(channels.moves[j].values())])]
    notes = []
    if joints and joints[0] == 0 and np.any(offsets[0] != 0):
        away = np.median(np.linalg.norm(values[:, list(channels.moves[0].values())], axis=1))
        words = "The root has an OFFSET and position channels; the channels replace it"
        if away < 0.5 * np.linalg.norm(offsets[0]):
            notes.append(guessed('positions="relative"', f"{words}, though they stay close to 0."))
        else:
            notes.append(Finding("offset-replaced", f"{words}."))
    if not zero:
        return (False,) * len(parents), notes
    held = [j for j in inner if j not in zero and _near_offset(values, channels.moves[j], offsets[j])]
    chosen = set(zero if held else [j for j in joints if parents[j] >= 0])
    words = f"The position channels of {len(chosen)} joints are counted from their offsets, since {len(zero)} are 0."
    notes.append(guessed('positions="absolute"', words))
    return tuple(j in chosen for j in range(len(parents))), notes


def _near_offset(values: Floats, moves: dict[int, int], offset: Floats) -> bool:
    """Whether a joint is about where its offset says, when its channels are taken as they are."""
    middle = np.array([np.median(values[:, moves[axis]]) if axis in moves else offset[axis] for axis in range(3)])
    return bool(np.linalg.norm(middle - offset) < 0.5 * np.linalg.norm(offset))


def rest_places(
    positions: dict[int, Floats], offsets: Floats, parents: tuple[int, ...]
) -> tuple[Floats, tuple[int, ...], list[Finding]]:
    """Where joints rest (joints, 3), which of them move, and a remark when channels hold the geometry.

    Parameters
    ----------
    positions : joint to (frames, 3), for every joint that has position channels.
    """
    rest = offsets.copy()
    moving = []
    moved = 0
    for joint, places in positions.items():
        if joint == 0:
            continue
        still = bool(np.all(places == places[0]))
        if not still:
            moving.append(joint)
        if still or (parents[joint] >= 0 and not np.any(offsets[joint])):
            rest[joint] = places[0] if still else np.median(places, axis=0)
            moved += bool(np.any(rest[joint] != offsets[joint]))
    notes = []
    if moved:
        words = f"{moved} joints are placed by position channels and not by their OFFSET; the channels are used."
        notes.append(Finding("offset-replaced", words))
    return rest, tuple(moving), notes
