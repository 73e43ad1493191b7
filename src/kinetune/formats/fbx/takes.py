"""Takes of an FBX file: animation stacks, their layers, and what the layers make of every property together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.formats.fbx.key_curves import CurveSampler, KeyCurve, KeyTimes, read_curve
from kinetune.formats.fbx.node_transforms import (
    ANIMATED,
    ROTATION,
    SCALING,
    from_degrees,
    rotation_order,
    static_value,
    to_degrees,
)
from kinetune.formats.fbx.scene_objects import FbxObject, FbxScene, as_number
from kinetune.rotations import Floats

_AXES = {"d|X": 0, "d|Y": 1, "d|Z": 2}
ADDITIVE, OVERRIDE = 0, 1
_NO_VALUE = np.full(3, np.nan)  # where all axes have curves
_STILL = 1e-4  # units or degrees: keys that differ less are a baked value with rounding


@dataclass(frozen=True, eq=False)
class TakeLayer:
    """One layer of a take: what it animates, and how it joins the layers below it.

    tracks : (number of the node, property) -> (a curve or None for each axis, the value where there is none)
    """

    node: FbxObject
    tracks: Mapping[tuple[int, str], tuple[tuple[KeyCurve | None, ...], Floats]]
    weight: KeyCurve | float
    mode: int
    composes_rotation: bool
    composes_scale: bool


@dataclass(frozen=True, eq=False)
class Take:
    """One take: its layers from the lowest up, and when it begins and ends in seconds."""

    name: str
    stack: FbxObject
    layers: tuple[TakeLayer, ...]
    start: float
    stop: float

    @property
    def moved(self) -> set[int]:
        """The numbers of the nodes that have keys."""
        return {
            number
            for layer in self.layers
            for (number, _), (curves, _) in layer.tracks.items()
            if any(curve is not None for curve in curves)
        }

    def curves(self) -> Iterator[KeyCurve]:
        """All curves that move nodes."""
        for layer in self.layers:
            for curves, _ in layer.tracks.values():
                yield from (curve for curve in curves if curve is not None)


def moved_nodes(stack: FbxObject) -> set[int]:
    """The numbers of the nodes that a take moves: those with a curve whose keys differ."""
    return {
        target.number
        for layer in stack.children("AnimationLayer")
        for node in layer.children("AnimationCurveNode")
        for target, name in node.above
        if target.kind == "Model" and name in ANIMATED
        if any(_varies(curve.record.array("KeyValueFloat")) for curve in node.children("AnimationCurve"))
    }


def _varies(values: Floats | None) -> bool:
    return values is not None and len(values) > 1 and not np.ptp(values) <= _STILL


def read_take(scene: FbxScene, stack: FbxObject) -> Take:
    """A take with its curves."""
    times: KeyTimes = {}
    layers = [_read_layer(scene, layer, times) for layer in stack.children("AnimationLayer")]
    alone = [layer for layer in layers if layer.node.number_of("Solo", 0)]
    heard = tuple(layer for layer in alone or layers if not layer.node.number_of("Mute", 0))
    take = Take(stack.name, stack, heard, 0.0, 0.0)
    start, stop = _range(scene, take)
    return Take(stack.name, stack, heard, start, stop)


def _read_layer(scene: FbxScene, layer: FbxObject, times: KeyTimes) -> TakeLayer:
    tracks: dict[tuple[int, str], tuple[tuple[KeyCurve | None, ...], Floats]] = {}
    weight: KeyCurve | float = layer.number_of("Weight", 100.0) / 100.0
    for node, of_layer in layer.below:
        if node.kind != "AnimationCurveNode":
            continue
        if of_layer == "Weight":
            curves = [read_curve(scene.file, c.record, scene.ticks, times) for c in node.children("AnimationCurve")]
            weight = next((curve for curve in curves if curve is not None), weight)
        for target, name in node.above:
            if target.kind == "Model" and name in ANIMATED:
                tracks[target.number, name] = _read_track(scene, node, target, name, times)
    return TakeLayer(
        layer,
        tracks,
        weight,
        int(layer.number_of("BlendMode", 0)),
        layer.number_of("RotationAccumulationMode", 0) == 0,
        layer.number_of("ScaleAccumulationMode", 0) == 0,
    )


def _read_track(
    scene: FbxScene, node: FbxObject, model: FbxObject, name: str, times: KeyTimes
) -> tuple[tuple[KeyCurve | None, ...], Floats]:
    curves: list[KeyCurve | None] = [None, None, None]
    for curve, axis in node.below:
        if curve.kind == "AnimationCurve" and axis in _AXES:
            curves[_AXES[axis]] = read_curve(scene.file, curve.record, scene.ticks, times)
    if None not in curves:
        return tuple(curves), _NO_VALUE
    still = static_value(model, name)[0].copy()
    for axis, number in _AXES.items():
        values = node.property(axis)
        if values and isinstance(values[0], int | float):
            still[number] = values[0]
    return tuple(curves), still


def _ticks_of(values: Sequence[Any] | None) -> float:
    return as_number(values[0], 0.0) if values else 0.0


def _range(scene: FbxScene, take: Take) -> tuple[float, float]:
    """When a take begins and ends: as it says itself, as the list of takes says, or from its first key to its last."""
    stack, ticks = take.stack, scene.ticks
    properties = stack.own_properties
    for names in (("LocalStart", "LocalStop"), ("ReferenceStart", "ReferenceStop")):
        start, stop = (_ticks_of(properties.get(n)) / ticks for n in names)
        if stop > start:
            return start, stop
    listed = scene.file.root.child("Takes")
    for record in listed.all("Take") if listed else ():
        if record.values and str(record.values[0]) == take.name:
            for name in ("LocalTime", "ReferenceTime"):
                times = record.child(name)
                start, stop = (_ticks_of(times.values[n : n + 1] if times else None) / ticks for n in (0, 1))
                if stop > start:
                    return start, stop
    curves = list(take.curves())
    if not curves:
        start = _ticks_of(properties.get("LocalStart")) / ticks
        return start, start
    return min(float(c.times[0]) for c in curves), max(float(c.times[-1]) for c in curves)


def sample_take(
    scene: FbxScene, take: Take, models: Sequence[FbxObject], at: Floats, frame: float
) -> dict[int, dict[str, Floats]]:
    """Number of a node -> property -> values (frames, 3) at times (frames,), all layers together."""
    by_number = {model.number: model for model in models}
    moving: dict[int, dict[str, Floats]] = {}
    sampler = CurveSampler(at, frame)
    for number_of_layer, layer in enumerate(take.layers):
        weight = np.full((1, 1), layer.weight)
        if isinstance(layer.weight, KeyCurve):
            weight = np.asarray(sampler(layer.weight) / 100.0)[:, None]
        for (number, name), (curves, still) in layer.tracks.items():
            model = by_number.get(number)
            if model is None:
                continue
            properties = moving.setdefault(number, {})
            values = _sample(curves, still, sampler)
            if number_of_layer == 0:
                properties[name] = values
                continue
            below = properties.get(name)
            if below is None:
                below = np.broadcast_to(static_value(model, name), (len(at), 3))
            properties[name] = _join(layer, model, name, below, values, weight)
    return moving


def _sample(curves: tuple[KeyCurve | None, ...], still: Floats, sampler: CurveSampler) -> Floats:
    values = np.empty((len(sampler.at), 3))
    for axis, curve in enumerate(curves):
        values[:, axis] = still[axis] if curve is None else sampler(curve)
    return values


def _join(layer: TakeLayer, model: FbxObject, name: str, below: Floats, values: Floats, weight: Floats) -> Floats:
    """The layers below and one more: added, put over, or mixed."""
    if layer.mode == OVERRIDE:
        return values
    if name == ROTATION and layer.composes_rotation:
        order, share = rotation_order(model), np.broadcast_to(weight[:, 0], len(values))
        lower, upper = from_degrees(below, order), from_degrees(values, order)
        if layer.mode == ADDITIVE:
            upper = rot.multiply(lower, upper)
        return to_degrees(rot.slerp(lower, upper, share), order)
    if name == SCALING and layer.composes_scale:
        lower = below if layer.mode == ADDITIVE else _power(below, 1.0 - weight)
        return np.asarray(lower * _power(values, weight))
    if layer.mode != ADDITIVE:
        return np.asarray(below + weight * (values - below))
    return np.asarray(below + weight * values)


def _power(scale: Floats, share: Floats) -> Floats:
    """A scale taken to a share from 0, where it is 1, to 1; a mirror stays one at any share but 0."""
    return np.asarray(np.where((share > 0.0) & (scale < 0.0), -1.0, 1.0) * np.abs(scale) ** share)
