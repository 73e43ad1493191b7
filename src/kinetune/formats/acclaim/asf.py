"""Acclaim skeletons (``.asf``): bones with a direction, a length and axes of their own.

An Acclaim bone rotates about its start and its children begin at its end, so each bone becomes one joint at its start,
with the name of the bone; the tips of the last bones become end sites. All directions and axes in the file are those
of the world in the rest pose, and so are ours: the rest pose has no rotation anywhere.

With C the rotation of a bone's own axes and M its motion (the degrees of freedom applied about fixed axes, first listed
first), the local rotation of the joint is C M C⁻¹.

Notes
-----
M. Schafer, "Acclaim Skeleton File Definition V1.10", 1995. It says that lengths are to be multiplied by the ``length``
unit; the CMU and HDM05 recordings, nearly all the Acclaim files there are, must be divided by it and are in inches
(mocap.cs.cmu.edu, questions and answers), so one unit is 0.0254 / length metres: 5.644 cm for the usual 0.45.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.body.source import Source
from kinetune.errors import MalformedFileError, excerpt
from kinetune.findings import Finding, guessed
from kinetune.formats.file_limits import check_joints
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.text.number_text import LARGEST_NUMBER, read_text
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

INCH = 0.0254
OURS = "kinetune: "
"""The start of the line under ``:documentation`` that holds what Kinetune adds to a skeleton, as JSON."""

_DOFS = ("rx", "ry", "rz", "tx", "ty", "tz", "l")
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class AsfBone:
    """One bone: lengths in file units, the rotation of its axes in radians, its degrees of freedom in file order."""

    name: str
    direction: Triple
    length: float
    axis: Triple = (0.0, 0.0, 0.0)
    axis_order: str = "XYZ"
    dof: tuple[str, ...] = ()

    @property
    def vector(self) -> Floats:
        """From its start to its end in the rest pose, in file units."""
        return np.array(self.direction) * self.length

    @property
    def axes(self) -> Floats:
        """C: the rotation from the world's axes to the bone's; the file lists x, y, z and their order."""
        return fixed_axes([self.axis["XYZ".index(letter)] for letter in self.axis_order], self.axis_order)


@dataclass(frozen=True)
class AsfSkeleton:
    """What an ``.asf`` says.

    bones : the root (without length) first, parents before children.
    parents : index into bones, -1 for the root.
    length : the ``length`` unit.
    degrees : whether angles are in degrees.
    ours : for a file that Kinetune wrote, what an Acclaim file cannot hold: "names" of joints by bone,
        "dummies" that only bridge a gap between two bones, "tips" (names of end sites).
    findings : what was odd.
    """

    bones: tuple[AsfBone, ...]
    parents: tuple[int, ...]
    length: float = 1.0
    degrees: bool = True
    position: Triple = (0.0, 0.0, 0.0)
    ours: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def find(self, name: str) -> int | None:
        """The index of a bone, in upper or lower case."""
        by_name, by_folded = self._by_name
        return by_name.get(name, by_folded.get(name.casefold()))

    @cached_property
    def _by_name(self) -> tuple[dict[str, int], dict[str, int]]:
        bones = list(reversed(list(enumerate(self.bones))))  # the first of several counts
        return {bone.name: i for i, bone in bones}, {bone.name.casefold(): i for i, bone in bones}

    @property
    def joints(self) -> tuple[int, ...]:
        """The bones that are joints: all but the dummies of a file of ours."""
        dummies = set(self.ours.get("dummies", ()))
        return tuple(i for i, bone in enumerate(self.bones) if bone.name not in dummies)


def fixed_axes(angles: Iterable[float] | Floats, order: str) -> Floats:
    """The rotation by angles (..., n) about the fixed axes of the world, in that order."""
    return rot.from_euler(np.asarray(angles, dtype=float)[..., ::-1], order[::-1])


def parse_asf(text: str, path: Path) -> AsfSkeleton:
    """Read the text of an ``.asf``; ``path`` is for messages."""
    return _AsfParser(path).parse(text)


class _AsfParser:
    """Goes through the lines once; a section begins at a line with a colon."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.length = 1.0
        self.degrees = True
        self.root = AsfBone("root", (0.0, 0.0, 0.0), 0.0, dof=("tx", "ty", "tz", "rx", "ry", "rz"))
        self.position: Triple = (0.0, 0.0, 0.0)
        self.bones: dict[str, AsfBone] = {}
        self.bone: AsfBone | None = None
        self.children: dict[str, list[str]] = {}
        self.ours: dict[str, Any] = {}
        self.findings: list[Finding] = []

    def fail(self, problem: str, advice: str | None = None) -> MalformedFileError:
        return MalformedFileError(self.path, problem, line=self.line or None, advice=advice)

    def parse(self, text: str) -> AsfSkeleton:
        section = ""
        for self.line, raw in enumerate(text.splitlines(), 1):
            if section == ":documentation" and raw.strip().startswith(OURS):
                self._ours(raw.strip()[len(OURS) :])
                continue
            fields = re.split(r"[\s,()]+", raw.partition("#")[0].strip(" \t,()"))
            if not fields[0]:
                continue
            if fields[0].startswith(":"):
                section = fields[0].lower()
                if section == ":hierarchy":
                    self._finish_bone()
                continue
            key, values = fields[0].lower(), fields[1:]
            if section == ":units":
                self._unit(key, values)
            elif section == ":root":
                self._root(key, values)
            elif section == ":bonedata":
                self._bone(key, values)
            elif section == ":hierarchy" and key not in ("begin", "end"):
                self.children.setdefault(fields[0], []).extend(fields[1:])
        self.line = 0
        self._finish_bone()
        if not self.bones or not self.children:
            missing = ":bonedata" if not self.bones else ":hierarchy"
            raise self.fail(f"there is no {missing} section, so this is not a complete Acclaim skeleton.")
        return self._body()

    def _ours(self, text: str) -> None:
        try:
            ours = json.loads(text)
        except (ValueError, RecursionError):
            ours = None
        good = isinstance(ours, dict) and all(isinstance(ours.get(k, {}), dict) for k in ("names", "tips"))
        if not good or not isinstance(ours.get("dummies", []), list):
            raise self.fail("the line that Kinetune left in :documentation is damaged.", "Delete it to read the rest.")
        self.ours = ours

    def _numbers(self, key: str, values: list[str], count: int) -> list[float]:
        try:
            numbers = [float(v) for v in values[:count]]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(abs(n) < LARGEST_NUMBER for n in numbers):
            raise self.fail(f'"{key}" takes {count} numbers, not "{excerpt(" ".join(values), 60)}".')
        return numbers

    def _angles(self, key: str, values: list[str]) -> Triple:
        x, y, z = self._numbers(key, values, 3)
        return (math.radians(x), math.radians(y), math.radians(z)) if self.degrees else (x, y, z)

    def _order(self, values: list[str]) -> str:
        order = "".join(values).upper()
        if sorted(order) != ["X", "Y", "Z"]:
            raise self.fail(f'"{excerpt(order, 60)}" is not an order of axes; it takes X, Y and Z once each.')
        return order

    def _unit(self, key: str, values: list[str]) -> None:
        if key == "length":
            (self.length,) = self._numbers(key, values, 1)
            if self.length <= 0:
                raise self.fail(f"the length unit must be positive, not {self.length:g}.")
        elif key == "angle":
            self.degrees = not (values and values[0].lower().startswith("rad"))

    def _root(self, key: str, values: list[str]) -> None:
        if key == "order":
            self.root = replace(self.root, dof=self._dof(values))
        elif key == "axis":
            self.root = replace(self.root, axis_order=self._order(values))
        elif key == "orientation":
            self.root = replace(self.root, axis=self._angles(key, values))
        elif key == "position":
            x, y, z = self._numbers(key, values, 3)
            self.position = (x, y, z)

    def _dof(self, values: list[str]) -> tuple[str, ...]:
        dof = tuple(v.lower() for v in values)
        if not set(dof) <= set(_DOFS) or len(set(dof)) != len(dof):
            raise self.fail(
                f'"{excerpt(" ".join(values), 60)}" are not degrees of freedom; each is one of {", ".join(_DOFS)}.'
            )
        return dof

    def _bone(self, key: str, values: list[str]) -> None:
        if key == "begin":
            self._finish_bone()
            self.bone = AsfBone("", (0.0, 0.0, 0.0), 0.0)
        elif key == "end":
            self._finish_bone()
        elif self.bone is None:
            return
        elif key == "name":
            if not values:
                raise self.fail("a bone has no name.")
            self.bone = replace(self.bone, name=values[0])
        elif key == "direction":
            x, y, z = self._numbers(key, values, 3)
            self.bone = replace(self.bone, direction=(x, y, z))
        elif key == "length":
            self.bone = replace(self.bone, length=self._numbers(key, values, 1)[0])
        elif key == "axis":
            order = self._order(values[3:]) if values[3:] else "XYZ"
            self.bone = replace(self.bone, axis=self._angles(key, values), axis_order=order)
        elif key == "dof":
            self.bone = replace(self.bone, dof=self._dof(values))

    def _finish_bone(self) -> None:
        if self.bone is None:
            return
        if not self.bone.name:
            raise self.fail("a bone has no name.")
        if self.bone.name in self.bones:
            raise self.fail(f'two bones are called "{self.bone.name}".')
        self.bones[self.bone.name] = self.bone
        self.bone = None

    def _body(self) -> AsfSkeleton:
        known = {name.casefold(): name for name in self.bones}
        below = {parent.casefold(): children for parent, children in self.children.items()}
        check_joints(self.path, len(known))
        bones, parents = [self.root], [-1]
        placed = {"root"}
        todo = [(0, name) for name in reversed(below.get("root", []))]
        while todo:
            parent, spelled = todo.pop()
            folded = spelled.casefold()
            if folded not in known:
                raise self.fail(f'the hierarchy names "{spelled}", which :bonedata does not define.')
            if folded in placed:
                raise self.fail(f'the hierarchy gives "{spelled}" two parents.')
            placed.add(folded)
            bones.append(self.bones[known[folded]])
            parents.append(parent)
            todo += [(len(bones) - 1, name) for name in reversed(below.get(folded, []))]
        bones, parents = _in_file_order(bones, parents, list(self.bones))
        loose = [name for folded, name in known.items() if folded not in placed]
        if loose:
            message = f"{len(loose)} bones such as {loose[0]} have no parent and are left out."
            self.findings.append(Finding("loose-bones", message))
        return AsfSkeleton(
            tuple(bones), tuple(parents), self.length, self.degrees, self.position, self.ours, tuple(self.findings)
        )


def _in_file_order(bones: list[AsfBone], parents: list[int], listed: list[str]) -> tuple[list[AsfBone], list[int]]:
    """The bones as ``:bonedata`` lists them, where that puts parents before children."""
    rank = {name: i for i, name in enumerate(listed, 1)}
    order = [0, *sorted(range(1, len(bones)), key=lambda i: rank[bones[i].name])]
    place = {old: new for new, old in enumerate(order)}
    moved = [-1 if parents[old] < 0 else place[parents[old]] for old in order]
    if any(parent >= i for i, parent in enumerate(moved)):
        return bones, parents
    return [bones[old] for old in order], moved


def metres_per_unit(asf: AsfSkeleton, unit: str | float | None) -> tuple[str, float, Finding | None]:
    """The unit of a skeleton: the one asked for, the one its ``length`` means, or a guess from its size."""
    if unit is not None:
        return *parse_unit(unit), None
    metres = INCH / asf.length
    height = skeleton_of(asf, 1.0, "y").height
    if asf.ours or 0.4 < height * metres < 4.0:
        usual = math.isclose(asf.length, 0.45)
        return "cmu" if usual else f"{metres:.4g} m", metres, None
    name, guessed_metres, finding = guess_unit(height)
    message = f"Its length unit of {asf.length:g} would make the character {height * metres:.3g} m tall. "
    return name, guessed_metres, guessed("unit", message + finding.message)


def up_axis(asf: AsfSkeleton, up: str | None) -> tuple[Up, Finding | None]:
    """The up axis asked for, or the one along which the head is over the feet in the rest pose (nearly always Y)."""
    if up is not None:
        return parse_up(up), None
    skeleton = skeleton_of(asf, 1.0, "y")
    standing = head_over_feet(skeleton.names, skeleton.rest_positions)
    return ("y", None) if standing is None else guess_up(standing)


def skeleton_of(asf: AsfSkeleton, metres: float, up: Up) -> Skeleton:
    """Our skeleton from an Acclaim one, with ``metres`` per file unit."""
    joints = {bone: joint for joint, bone in enumerate(asf.joints)}
    inner = set(asf.parents)
    starts, owners = [np.array(asf.position)], [-1]  # of each bone: from where in which joint's frame it starts
    sites = []
    for i in range(1, len(asf.bones)):
        parent = asf.parents[i]
        bridged = parent not in joints
        starts.append(asf.bones[parent].vector + (starts[parent] if bridged else 0.0))
        owners.append(owners[parent] if bridged else joints[parent])
        if i not in inner and (i not in joints or asf.bones[i].length != 0.0):
            at = asf.bones[i].vector + (0.0 if i in joints else starts[i])
            owner = joints.get(i, owners[i])
            name = asf.ours.get("tips", {}).get(asf.bones[i].name)
            sites.append(EndSite(owner, as_offset(turn_vectors_to_y(at * metres, up)), name))
    offsets = turn_vectors_to_y(np.array([starts[i] for i in joints]) * metres, up)
    parents = np.array([owners[i] for i in joints])
    renamed = asf.ours.get("names", {})
    names = distinct_names(str(renamed.get(asf.bones[i].name, asf.bones[i].name)) for i in joints)
    return Skeleton(names, parents, offsets, tuple(sites))


def read(path: Path, options: ReadOptions) -> Clip:
    """The skeleton alone, as one frame of its rest pose."""
    asf = parse_asf(read_text(path, "ASF"), path)
    unit, metres, guess = metres_per_unit(asf, options.unit)
    up, up_guess = up_axis(asf, options.up)
    skeleton = skeleton_of(asf, metres, up)
    note = Finding("no-animation", "A skeleton file holds no motion, so the clip is one frame of its rest pose.")
    findings = (*asf.findings, *(finding for finding in (guess, up_guess) if finding), note)
    return Clip(
        skeleton,
        120.0 if options.fps is None else options.fps,
        skeleton.offsets[:1],
        rot.identity(1, len(skeleton)),
        source=Source("asf", str(path), unit, metres, up, findings),
    )


FORMAT = Format("asf", (".asf",), "Acclaim skeleton alone (rest pose)", read=read)
