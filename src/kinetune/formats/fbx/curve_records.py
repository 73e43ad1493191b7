"""A motion as records: an animation stack with one layer, a curve node for each property, and its curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from kinetune.formats.characters.sparse_keys import CubicTrack
from kinetune.formats.fbx.encoding.records import Record
from kinetune.formats.fbx.key_curves import CUBIC, LINEAR, USER
from kinetune.formats.fbx.node_transforms import ROTATION, SCALING, TRANSLATION
from kinetune.formats.fbx.scene_objects import TICKS
from kinetune.rotations import Floats

_LETTERS = {TRANSLATION: "T", ROTATION: "R", SCALING: "S"}
_DEFAULT_WEIGHTS = np.array([0x0D050D05], "<u4").view("<f4")[0]  # two handles of a third


@dataclass
class MotionRecords:
    """Records of one take, collected: objects and connections."""

    numbers: Iterator[int] = field(default_factory=lambda: count(1_000_000_000))
    objects: list[Record] = field(default_factory=list)
    connections: list[Record] = field(default_factory=list)

    def add(self, kind: str, name: str, subtype: str, children: list[Record], label: str | None = None) -> np.int64:
        """Add an object; its number."""
        number = np.int64(next(self.numbers))
        self.objects.append(Record(kind, (number, f"{name}\0\1{label or kind}", subtype), children))
        return number

    def connect(self, child: np.int64, parent: np.int64, name: str | None = None) -> None:
        """Connect an object to another, or to a property of it."""
        values = ("OO", child, parent) if name is None else ("OP", child, parent, name)
        self.connections.append(Record("C", values))

    def add_take(self, name: str, start: int, stop: int) -> np.int64:
        """Add a stack and its layer; the number of the layer."""
        span = [
            record
            for side, ticks in (("Start", start), ("Stop", stop))
            for record in (
                property_record(f"Local{side}", "KTime", "Time", "", np.int64(ticks)),
                property_record(f"Reference{side}", "KTime", "Time", "", np.int64(ticks)),
            )
        ]
        stack = self.add("AnimationStack", name, "", [Record("Properties70", (), span)], "AnimStack")
        return self.add_layer(stack)

    def add_layer(self, stack: np.int64) -> np.int64:
        """Add a layer to a stack; its number."""
        layer = self.add("AnimationLayer", "BaseLayer", "", [], "AnimLayer")
        self.connect(layer, stack)
        return layer

    def add_track(
        self, layer: np.int64, node: np.int64, name: str, curves: Mapping[str, Record], first: Floats
    ) -> None:
        """Animate a property of a node: the keys of each axis ("X"), and the values (3,) where there are none."""
        values = [property_record(f"d|{a}", "Number", "", "A", float(v)) for a, v in zip("XYZ", first, strict=True)]
        stated = Record("Properties70", (), values)
        track = self.add("AnimationCurveNode", _LETTERS[name], "", [stated], "AnimCurveNode")
        self.connect(track, layer)
        self.connect(track, node, name)
        for axis, record in curves.items():
            number = np.int64(next(self.numbers))
            self.objects.append(Record("AnimationCurve", (number, "\0\1AnimCurve", ""), record.children))
            self.connect(number, track, f"d|{axis}")


def dense_curve(times: np.ndarray[Any, Any], values: Floats) -> Record:
    """A linear key at every one of the times (n,), in ticks; the record has the children of an AnimationCurve."""
    return curve_record(times, values, _RUN_FLAGS, _RUN_DATA, np.array([len(times)], "i4"))


def cubic_curve(times: np.ndarray[Any, Any], values: Floats, slopes: Floats) -> Record:
    """Cubic keys at times (n,) in ticks, with slopes (n,) per second that a person may change."""
    flags = np.full(len(times), CUBIC | USER, "i4")
    ahead = np.append(slopes[1:], 0.0)
    weights = np.full(len(times), _DEFAULT_WEIGHTS)
    data = np.stack([slopes, ahead, weights, np.zeros(len(times))], axis=1).astype("f4")
    return curve_record(times, values, flags, data.ravel(), np.ones(len(times), "i4"))


def track_curves(
    values: Floats, ticks: np.ndarray[Any, Any], fps: float, sparse: CubicTrack | None
) -> dict[str, Record]:
    """The curves of the three axes of a property: a key on every frame (n, 3), or sparse cubic ones."""
    if sparse is None:
        return {axis: dense_curve(ticks, values[:, number]) for number, axis in enumerate("XYZ")}
    times = ticks[sparse.frames]
    return {
        axis: cubic_curve(times, sparse.values[:, number], fps * sparse.slopes[:, number])
        for number, axis in enumerate("XYZ")
    }


def curve_record(
    times: np.ndarray[Any, Any],
    values: Floats,
    flags: np.ndarray[Any, Any],
    data: np.ndarray[Any, Any],
    counts: np.ndarray[Any, Any],
) -> Record:
    """The children of an AnimationCurve: keys, and what they are like in runs."""
    return Record(
        "AnimationCurve",
        (),
        [
            Record("Default", (float(values[0]),)),
            Record("KeyVer", (4008,)),
            Record("KeyTime", (times,)),
            Record("KeyValueFloat", (values.astype("f4"),)),
            Record("KeyAttrFlags", (flags,)),
            Record("KeyAttrDataFloat", (data,)),
            Record("KeyAttrRefCount", (counts,)),
        ],
    )


_RUN_FLAGS = np.array([LINEAR], "i4")
_RUN_DATA = np.array([0.0, 0.0, _DEFAULT_WEIGHTS, 0.0], "f4")


def frame_ticks(frames: int, fps: float, start: int = 0) -> np.ndarray[Any, Any]:
    """The time (frames,) of each frame in ticks."""
    return start + np.round(np.arange(frames) * (TICKS / fps)).astype("i8")


def property_record(name: str, kind: str, label: str, flags: str, *values: Any) -> Record:
    """A property of an object."""
    return Record("P", (name, kind, label, flags, *values))
