"""A clip from joint positions and names: the tree, the unit, the up axis, bones of constant length, rotations."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton, distinct_names
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.format import ReadOptions
from kinetune.formats.positions._tree_from_names import guess_parents, parents_first
from kinetune.formats.positions.pose_fit import fit_rotations, misfit, rest_offsets
from kinetune.formats.text.number_text import usable
from kinetune.formats.unit_and_up import (
    Up,
    guess_unit,
    guess_up,
    head_over_feet,
    parse_unit,
    parse_up,
    turn_vectors_to_y,
)
from kinetune.rotations import Floats

_REPORTED = 1e-4  # metres between given and fitted joints that are worth a word


@dataclass(frozen=True)
class NamedPositions:
    """Joint positions as a file holds them, and what it says about them.

    Parameters
    ----------
    path : Path
        The file.
    format : str
        The name of its format.
    names : tuple of str
        One for each joint.
    positions : array, shape (frames, joints, 3)
        In the unit and the axes of the file.
    fps : float
        Frames per second.
    parents : list of int, optional
        The parent of each joint, -1 for the one root; read from the names when left out.
    like : array, shape (joints, 3), optional
        Offsets of a rest pose in our axes whose directions are taken; else the pose of the first frame.
    unit, up : str, optional
        What the file says; guessed when left out.
    findings : list of Finding
        What was found so far.
    """

    path: Path
    format: str
    names: tuple[str, ...]
    positions: Floats
    fps: float
    parents: list[int] | None = None
    like: Floats | None = None
    unit: str | None = None
    up: Up | None = None
    findings: list[Finding] = field(default_factory=list)


def clip_from_positions(named: NamedPositions, options: ReadOptions) -> Clip:
    """A clip whose joints come closest to the positions with bones of constant length."""
    check_positions(named.path, named.names, named.positions)
    findings = list(named.findings)
    parents = named.parents
    if parents is None:
        parents = tree_of(named.path, named.names, named.positions, findings)
    order = parents_first(parents)
    above = reordered(parents, order)
    names = distinct_names(named.names[old] for old in order.tolist())
    unit, metres, up = settle_units(named, options, findings)
    positions = turn_vectors_to_y(named.positions[:, order], up) * metres
    offsets = rest_offsets(above, positions, None if named.like is None else named.like[order])
    skeleton = Skeleton(names, above, offsets)
    rotations = fit_rotations(above, offsets, positions, named.fps)
    mean, most = misfit(skeleton, positions[:, 0], rotations, positions)
    if most > _REPORTED:
        message = (
            "Bones change their length in the file. They are constant here: joints are "
            f"{1000 * mean:.2g} mm from their positions on average, {1000 * most:.3g} mm at most."
        )
        findings.append(Finding("changing-bones", message, severity="info" if mean < 0.002 else "warning"))
    source = Source(named.format, str(named.path), unit, metres, up, tuple(findings))
    return Clip(skeleton, named.fps, positions[:, 0], rotations, source=source)


def check_positions(path: Path, names: tuple[str, ...], positions: Floats) -> None:
    """Raise where a value is not a number."""
    good = usable(positions)
    if not good.all():
        row, joint, _ = np.argwhere(~good)[0]
        problem = f'row {row + 1}, joint "{names[joint]}" has a value that is not a number or is far too large.'
        raise MalformedFileError(path, problem)


def reordered(parents: list[int], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The parents of joints that are put in another order."""
    rank = {int(old): new for new, old in enumerate(order)}
    return np.array([-1 if parents[old] < 0 else rank[parents[old]] for old in order.tolist()], dtype=np.intp)


def tree_of(path: Path, names: tuple[str, ...], positions: Floats, findings: list[Finding]) -> list[int]:
    """The parent of each joint, from the names and, where they say nothing, from steady distances."""
    tree = guess_parents(names, positions)
    if tree is None:
        raise FileError(
            path,
            f"the table does not say which of its {len(names)} joints are connected, and their names do not show it.",
            advice='Add a first line "# kinetune parents: -1 0 1 ..." with the number of each joint\'s parent to a '
            ".csv, or use joint names such as Hips, Spine, LeftUpLeg.",
        )
    parents, loose = tree
    message = "The table does not say which joints are connected; that is taken from their names"
    if loose:
        message += f", and from distances for {len(loose)} of them such as {names[loose[0]]!r}"
    findings.append(Finding("guessed-hierarchy", f"{message}.", severity="info"))
    return parents


def settle_units(named: NamedPositions, options: ReadOptions, findings: list[Finding]) -> tuple[str, float, Up]:
    """(name of the unit, metres per unit, up axis): the user's word, the file's, or a guess."""
    asked = options.unit if options.unit is not None else named.unit
    if asked is not None:
        unit, metres = parse_unit(asked)
    else:
        unit, metres, guess = guess_unit(float(np.median(np.ptp(named.positions, axis=1).max(axis=1))))
        findings.append(guess)
    if options.up is not None:
        return unit, metres, parse_up(options.up)
    if named.up is not None:
        return unit, metres, named.up
    standing = head_over_feet(named.names, named.positions)
    if standing is None:
        return unit, metres, "y"
    up, odd = guess_up(standing)
    findings += [odd] if odd else []
    return unit, metres, up
