"""Objects of an FBX file, what is connected to what, and properties with the defaults of their templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.formats.fbx.encoding.records import FbxFile, Record
from kinetune.rotations import Floats

TICKS = 46_186_158_000
"""Units of time in a second."""
_FEWER_TICKS = 141_120_000
RATES = {1: 120.0, 2: 100.0, 3: 60.0, 4: 50.0, 5: 48.0, 6: 30.0, 7: 30.0, 8: 30000 / 1001, 9: 30000 / 1001, 10: 25.0,
         11: 24.0, 12: 1000.0, 13: 24000 / 1001, 15: 96.0, 16: 72.0, 17: 60000 / 1001}  # fmt: skip
"""TimeMode -> frames per second; 14 is a rate of its own, 0 the default."""
CUSTOM_RATE = 14
DEFAULT_RATE = 30.0

Properties = Mapping[str, tuple[Any, ...]]
_LARGEST = 1e18  # ticks of a time; nothing is larger


def as_number(value: Any, default: float) -> float:
    """A value that is a number of sensible size, or the default."""
    return float(value) if isinstance(value, int | float) and abs(value) < _LARGEST else default


def as_matrix(values: NDArray[Any] | None) -> Floats | None:
    """Sixteen numbers as a matrix (4, 4) that acts on columns; None where they are none."""
    if values is None or len(values) != 16 or values.dtype.kind not in "fi" or not (np.abs(values) < 1e12).all():
        return None
    return values.astype(float).reshape(4, 4).T


@dataclass(eq=False)
class FbxObject:
    """One object: its number and class, and what is connected to it, in the order of the file.

    ``below`` and ``above`` hold (object, property or ""): a curve is below its curve node, at "d|X".
    """

    number: int
    kind: str
    record: Record
    template: Properties
    below: list[tuple[FbxObject, str]] = field(default_factory=list)
    above: list[tuple[FbxObject, str]] = field(default_factory=list)

    @cached_property
    def name(self) -> str:
        """Its name, without its class."""
        return plain_name(str(self.record.values[1]))

    @cached_property
    def subtype(self) -> str:
        """Such as "LimbNode" of a Model."""
        return str(self.record.values[2]) if len(self.record.values) > 2 else ""

    @cached_property
    def own_properties(self) -> Properties:
        """The properties that the object states itself."""
        return read_properties(self.record)

    def property(self, name: str) -> tuple[Any, ...] | None:
        """The values of a property, of its own or from the template; None when neither has it."""
        return self.own_properties.get(name) or self.template.get(name)

    def number_of(self, name: str, default: float) -> float:
        """A property that is a number."""
        values = self.property(name)
        return as_number(values[0], default) if values else default

    def vector_of(self, name: str, default: float) -> Floats:
        """A property of three numbers."""
        match self.property(name):
            case (int() | float() as x, int() | float() as y, int() | float() as z, *_):
                return np.array([as_number(value, np.nan) for value in (x, y, z)])
        return np.full(3, default)

    def children(self, kind: str) -> Iterator[FbxObject]:
        """The objects of a class that are connected below this one."""
        return (other for other, _ in self.below if other.kind == kind)


class FbxScene:
    """The objects of a file by number, and its settings."""

    def __init__(self, file: FbxFile) -> None:
        self.file = file
        templates = _templates(file.root.child("Definitions"))
        self.objects: dict[int, FbxObject] = {}
        listed = file.root.child("Objects")
        for record in listed.children if listed else ():
            number, kind = record.number, record.name
            if number and number not in self.objects:  # 0 is the scene itself
                self.objects[number] = FbxObject(number, kind, record, templates.get(kind, {}))
        self.root = FbxObject(0, "Scene", Record("", (0, "")), {})
        self._connect(file.root.child("Connections"))
        settings = file.root.child("GlobalSettings")
        self.settings: Properties = read_properties(settings) if settings else {}

    def _connect(self, connections: Record | None) -> None:
        known: set[tuple[int, int, str]] = set()
        ends = {**self.objects, 0: self.root}
        for link in connections.links() if connections else ():
            lower, upper, name = link
            if lower not in self.objects or upper not in ends or link in known:
                continue
            known.add(link)
            child, parent = ends[lower], ends[upper]
            parent.below.append((child, name))
            child.above.append((parent, name))

    def of_kind(self, kind: str) -> list[FbxObject]:
        """All objects of a class, in the order of the file."""
        return [item for item in self.objects.values() if item.kind == kind]

    def setting(self, name: str, default: float) -> float:
        """A number of the global settings."""
        values = self.settings.get(name)
        return as_number(values[0], default) if values else default

    @cached_property
    def ticks(self) -> float:
        """Units of time in a second."""
        header = self.file.root.child("FBXHeaderExtension")
        flags = header.child("OtherFlags") if header else None
        if header is None or flags is None or not _at_least(header.value("FBXHeaderVersion"), 1004):
            return float(TICKS)
        return float(TICKS if flags.value("TCDefinition", 127) == 127 else _FEWER_TICKS)

    @cached_property
    def fps(self) -> float:
        """Frames per second."""
        mode = int(self.setting("TimeMode", 11))
        custom = self.setting("CustomFrameRate", -1.0)
        if mode == CUSTOM_RATE and 0 < custom < 1e5:
            return custom
        return RATES.get(mode, DEFAULT_RATE)


def _at_least(value: Any, least: int) -> bool:
    return isinstance(value, int) and value >= least


def plain_name(name: str) -> str:
    """The name of an object without its class: ``Hips\\0\\1Model`` in binary, ``Model::Hips`` in text."""
    if "\0\1" in name:
        return name.partition("\0\1")[0]
    before, colons, after = name.partition("::")
    return after if colons else before


def read_properties(record: Record) -> dict[str, tuple[Any, ...]]:
    """The properties of an object: name -> values."""
    holder = record.child("Properties70")
    if holder is None:
        return {}
    properties = {}
    for name, values in holder.rows():
        if name == "P" and len(values) > 4:
            properties[str(values[0])] = tuple(values[4:])
    return properties


def _templates(definitions: Record | None) -> dict[str, Properties]:
    """Class -> the properties that its objects have unless they say otherwise."""
    templates: dict[str, Properties] = {}
    for kind in definitions.all("ObjectType") if definitions else ():
        template = kind.child("PropertyTemplate")
        if kind.values and template is not None:
            templates[str(kind.values[0])] = read_properties(template)
    return templates
