"""A motion back into the FBX file that it came from: the curves of its joints are replaced, all else stays.

Objects that are not touched are copied bit by bit, whichever version, byte order or spelling the file has.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import local_translations
from kinetune.findings import Finding, report_finding
from kinetune.formats.characters.sparse_keys import CubicTrack, choose_tracks
from kinetune.formats.clip_notes import clip_notes
from kinetune.formats.fbx._blender_bones import missing_binds, pose_record, starts_apart
from kinetune.formats.fbx.curve_records import MotionRecords, property_record, track_curves
from kinetune.formats.fbx.encoding.binary_writer import CREATION_TIME, BinaryWriter
from kinetune.formats.fbx.encoding.records import FbxFile, PatchedRecord, Record
from kinetune.formats.fbx.fbx_character import FbxCharacter, to_file_axes
from kinetune.formats.fbx.fbx_reader import model_tree, scene_tree
from kinetune.formats.fbx.fbx_writer import NOTES, settings_records, takes_record, time_mode
from kinetune.formats.fbx.node_transforms import (
    ANIMATED,
    ROTATION,
    SCALING,
    TRANSLATION,
    from_degrees,
    node_transforms,
    pivots,
    pre_and_post,
    rotation_order,
    static_value,
    to_degrees,
)
from kinetune.formats.fbx.scene_objects import CUSTOM_RATE, FbxObject, FbxScene
from kinetune.formats.fbx.takes import read_take, sample_take
from kinetune.formats.scene_nodes import SceneTree, place_joints
from kinetune.rotations import Floats

_AFTER_SETTINGS = ("Documents", "References", "Definitions", "Objects")
_STATED = ("UpAxis", "UpAxisSign", "FrontAxis", "FrontAxisSign", "CoordAxis", "CoordAxisSign", "UnitScaleFactor",
          "TimeMode", "CustomFrameRate")  # fmt: skip
"""Settings without which two programs may read a file differently."""
_STILL = 1e-7  # radians: a joint that turns less has no curve
_MOVED = frozenset(ANIMATED) - {SCALING}
"""Properties whose curves the motion replaces."""


def put_back(clip: Clip, path: Path, character: FbxCharacter) -> Mapping[Path, bytes]:
    """The file that holds the character with this motion; a guest becomes a take beside those of the file."""
    with np.errstate(all="ignore"):  # numbers out of range are reported where they would be written
        return _put_back(clip, path, character)


def _put_back(clip: Clip, path: Path, character: FbxCharacter) -> Mapping[Path, bytes]:
    file = FbxFile(Path(character.name), character.data)
    scene = FbxScene(file)
    models, parents = model_tree(scene)
    tree = scene_tree(models, parents)
    stack = None if character.is_guest or character.stack is None else scene.objects[character.stack]
    places = {model.number: node for node, model in enumerate(models)}
    nodes = [places[number] for number in character.joints]
    times = _times(clip, character, stack)
    scales = _scales(scene, stack, tree, models, nodes, times, clip.fps)
    values = _values(clip, character, tree, models, nodes, scales)
    title = path.stem or "motion"
    work = MotionRecords(number for number in count(1_000_000_000) if number not in scene.objects)
    sparse = _sparse(clip, character, scene, values)
    changing = {} if sparse else {node: scale for node, scale in scales.items() if np.ptp(scale, axis=0).any()}
    values += [(models[node], SCALING, scale) for node, scale in changing.items()]
    replaced = _replaced(
        stack, {models[node].number for node in tree.with_ancestors(nodes)}, {models[node].number for node in changing}
    )
    ticks = np.round(times * scene.ticks).astype("i8")
    layer = None if stack is None else next(_layers(stack), None)
    if stack is None:
        number = work.add_take(title, int(ticks[0]), int(ticks[-1]))
    else:
        number = np.int64(layer.number) if layer is not None else work.add_layer(np.int64(stack.number))
    for model, name, curve in values:
        if not np.isfinite(curve.astype("f4")).all():
            raise file.fail(f'the {name} of "{model.name}" would have keys that are no numbers.', "It is damaged.")
        curves = track_curves(curve, ticks, clip.fps, sparse.get((model.number, name)))
        work.add_track(number, np.int64(model.number), name, curves, curve[0])
    stated = {(model.number, name) for model, name, _ in values} | _tracks(stack, replaced)
    elsewhere = set().union(*(_tracks(other) for other in scene.of_kind("AnimationStack") if other is not stack))
    for model in (models[node] for node in sorted(tree.with_ancestors(nodes))):
        for name in (TRANSLATION, ROTATION, SCALING):
            if (model.number, name) in elsewhere - stated:  # some programs leave it there unless this take puts it back
                still = np.repeat(static_value(model, name), 2, axis=0)
                curves = track_curves(still, ticks[[0, -1]], clip.fps, None)
                work.add_track(number, np.int64(model.number), name, curves, still[0])
    moved = {number for number, _ in stated | elsewhere}
    binds = missing_binds(scene, models, tree, moved, {m.number for m, name, _ in values if name == TRANSLATION})
    if binds:
        work.add("Pose", "BIND_POSES", "BindPose", pose_record(binds))
    notes = json.dumps(clip_notes(clip), ensure_ascii=False)
    edit = _Edit(scene, work, replaced, stack, (int(ticks[0]), int(ticks[-1])), title, clip.fps, notes)
    edit.starts = _starts(clip, character, scene, models, tree, values, stack)
    return {path: edit.file_bytes()}


def _starts(
    clip: Clip,
    character: FbxCharacter,
    scene: FbxScene,
    models: Sequence[FbxObject],
    tree: SceneTree,
    values: Sequence[tuple[FbxObject, str, Floats]],
    stack: FbxObject | None,
) -> dict[int, Floats]:
    """Number of a node -> the translation (3,) that it has without a motion from now on."""
    travels = {
        model.number: float(np.abs(curve - static_value(model, TRANSLATION)).max())
        for model, name, curve in values
        if name == TRANSLATION
    }
    lengths = dict(zip(character.joints, np.linalg.norm(clip.skeleton.offsets, axis=1).tolist(), strict=True))
    others = [other for other in scene.of_kind("AnimationStack") if other is not stack]
    return starts_apart(models, tree, travels, lengths, others)


def _times(clip: Clip, character: FbxCharacter, stack: FbxObject | None) -> Floats:
    """When each frame is in the file: where it was, or from the start of the take on."""
    if character.is_guest:
        return clip.times
    if len(clip) == len(character.times):
        step = np.diff(character.times[:2]) if len(clip) > 1 else np.array([1.0 / clip.fps])
        if abs(float(step[0]) * clip.fps - 1.0) < 1e-6:
            return character.times
    if stack is not None and _keeps_curves(stack, set(character.joints)):
        message = "Scales, shape keys and other nodes keep the timing of the file; the length of the motion is new."
        report_finding(Finding("kept-timing", message), warn=True)
    return np.asarray(character.times[0] + clip.times)


def _keeps_curves(stack: FbxObject, joints: set[int]) -> bool:
    return any(
        target.kind != "AnimationLayer" and not (target.number in joints and name in _MOVED)
        for layer in stack.children("AnimationLayer")
        for node in layer.children("AnimationCurveNode")
        if any(node.children("AnimationCurve"))
        for target, name in node.above
    )


def _layers(stack: FbxObject) -> Any:
    return (layer for layer in stack.children("AnimationLayer") if not layer.number_of("Mute", 0))


def _tracks(stack: FbxObject | None, gone: Container[int] = ()) -> set[tuple[int, str]]:
    """(number of a node, property) for what has curves in a take, besides curve nodes that are gone."""
    return {
        (target.number, name)
        for layer in (stack.children("AnimationLayer") if stack is not None else ())
        for node in layer.children("AnimationCurveNode")
        if node.number not in gone and any(node.children("AnimationCurve"))
        for target, name in node.above
    }


def _scales(
    scene: FbxScene,
    stack: FbxObject | None,
    tree: SceneTree,
    models: Sequence[FbxObject],
    nodes: Sequence[int],
    times: Floats,
    fps: float,
) -> dict[int, Floats]:
    """Node -> its animated scale (frames, 3), which keeps its values."""
    if stack is None:
        return {}
    needed = sorted(tree.with_ancestors(nodes))
    sampled = sample_take(scene, read_take(scene, stack), [models[node] for node in needed], times, 1.0 / fps)
    return {
        node: sampled[models[node].number][SCALING]
        for node in needed
        if SCALING in sampled.get(models[node].number, {})
    }


def _values(
    clip: Clip,
    character: FbxCharacter,
    tree: SceneTree,
    models: Sequence[FbxObject],
    nodes: Sequence[int],
    scales: Mapping[int, Floats],
) -> list[tuple[FbxObject, str, Floats]]:
    """(node, property, values (frames, 3)) that bring the joints where the clip has them."""
    positions, rotations = to_file_axes(
        local_translations(clip) / clip.source.metres_per_unit,
        clip.rotations,
        list(clip.skeleton.roots),
        character.axes,
    )
    scaled = node_transforms([models[node] for node in scales], [{SCALING: scale} for scale in scales.values()])
    moving = dict(zip(scales, scaled, strict=True))
    values: list[tuple[FbxObject, str, Floats]] = []
    for node, (translation, rotation) in place_joints(tree, nodes, positions, rotations, moving).items():
        model = models[node]
        before, after = pivots(model, {}, scales.get(node, static_value(model, SCALING)))
        translation = translation - before - rot.rotate(rotation, after)
        around = pre_and_post(model, {})
        if around is not None:
            rotation = rot.multiply(rot.multiply(rot.inverse(around[0]), rotation), rot.inverse(around[1]))
        order = rotation_order(model)
        at_rest = from_degrees(static_value(model, ROTATION), order)
        if node == nodes[0] or rot.angle_between(rotation, at_rest).max() > _STILL:
            values.append((model, ROTATION, to_degrees(rotation, order)))
        still = static_value(model, TRANSLATION)
        if node == nodes[0] or np.abs(translation - still).max() > 1e-6 * (1.0 + np.abs(still).max()):
            values.append((model, TRANSLATION, translation))
    return values


def _sparse(
    clip: Clip, character: FbxCharacter, scene: FbxScene, values: Sequence[tuple[FbxObject, str, Floats]]
) -> dict[tuple[int, str], CubicTrack]:
    """(number of the node, property) -> its keys, for a motion that has few.

    A node differs from its joint by constant rotations and stretches: the joint turns by what its angles turn, seen
    past the post-rotation, and moves by as much as the node does, scaled.
    """
    joint_of = {number: joint for joint, number in enumerate(character.joints)}
    kinds = {ROTATION: "rotation", TRANSLATION: "translation"}
    dense = {(joint_of[model.number], kinds[name]): curve for model, name, curve in values}
    past, moved = {}, local_translations(clip)
    for number, joint in joint_of.items():
        around = pre_and_post(scene.objects[number], {})
        past[joint] = rot.identity(1) if around is None else around[1]

    def rebuild(target: tuple[int, str], played: Floats) -> Floats:
        joint, kind = target
        if kind == "translation":
            track, place = dense[target], moved[:, joint]
            linear = np.linalg.lstsq(track - track.mean(axis=0), place - place.mean(axis=0), rcond=None)[0]
            return np.asarray(place + (played - track) @ linear)
        order = rotation_order(scene.objects[character.joints[joint]])
        turn = rot.multiply(rot.inverse(from_degrees(dense[target], order)), from_degrees(played, order))
        seen = rot.multiply(rot.multiply(rot.inverse(past[joint]), turn), past[joint])
        return rot.multiply(clip.rotations[:, joint], seen)

    chosen = choose_tracks(clip, dense, rebuild, straight=True) or {}
    names = {kind: name for name, kind in kinds.items()}
    return {(character.joints[joint], names[kind]): track for (joint, kind), track in chosen.items()}


def _replaced(stack: FbxObject | None, models: set[int], scaled: set[int]) -> set[int]:
    """The numbers of the curve nodes and curves that the motion replaces: those of the joints and of what is above.

    ``scaled`` are the nodes whose scale is written too.
    """
    gone: set[int] = set()
    for layer in stack.children("AnimationLayer") if stack is not None else ():
        for node in layer.children("AnimationCurveNode"):
            targets = [(other.number, name) for other, name in node.above if other.kind == "Model"]
            ours = (n in models and (name in _MOVED or (name == SCALING and n in scaled)) for n, name in targets)
            if targets and all(ours):
                gone.add(node.number)
                gone.update(curve.number for curve in node.children("AnimationCurve"))
    return gone


class _Edit:
    """The file with other curves: its records, changed where the motion needs it."""

    def __init__(
        self,
        scene: FbxScene,
        work: MotionRecords,
        gone: set[int],
        stack: FbxObject | None,
        span: tuple[int, int],
        title: str,
        fps: float,
        notes: str,
    ) -> None:
        self.scene, self.work, self.gone, self.stack, self.span = scene, work, gone, stack, span
        self.title, self.fps, self.notes = title, fps, notes
        self.starts: Mapping[int, Floats] = {}

    def file_bytes(self) -> bytes:
        """The whole file in the spelling of the old one."""
        file = self.scene.file
        changes = {
            "Objects": self._objects,
            "Connections": self._connections,
            "Definitions": self._definitions,
            "GlobalSettings": self._settings,
            "Takes": self._takes,
            "Documents": self._documents,
        }
        listed = list(file.root.children)
        if file.root.child("GlobalSettings") is None:
            place = next((n for n, r in enumerate(listed) if r.name in _AFTER_SETTINGS), 0)
            listed.insert(
                place, Record("GlobalSettings", (), [Record("Version", (1000,)), Record("Properties70", (), [])])
            )
        records = [changes[r.name](r) if r.name in changes else r for r in listed]
        if not file.order:
            from kinetune.formats.fbx.encoding.text_writer import TextWriter

            return TextWriter(file.version).file(records, file)
        created = file.root.value("CreationTime", CREATION_TIME)
        return BinaryWriter(file.version, file.order).file(records, str(created))

    def _objects(self, record: Record) -> Record:
        objects = [self._start(item) for item in record.children if not (item.values and item.values[0] in self.gone)]
        if self.stack is not None:
            objects = [self._stack(item) if item is self.stack.record else item for item in objects]
            return PatchedRecord(record, [*objects, *self.work.objects])
        self.work.objects[0] = self._stack(self.work.objects[0])
        return PatchedRecord(record, [*self.work.objects, *objects])

    def _start(self, record: Record) -> Record:
        start = self.starts.get(record.number or 0)
        if start is None:
            return record
        return _with_properties(
            record, {TRANSLATION: property_record(TRANSLATION, TRANSLATION, "", "A", *start.tolist())}
        )

    def _stack(self, record: Record) -> Record:
        ends = (("Start", self.span[0]), ("Stop", self.span[1]))
        names = [(f"{kind}{side}", np.int64(ticks)) for kind in ("Local", "Reference") for side, ticks in ends]
        properties = {name: property_record(name, "KTime", "Time", "", ticks) for name, ticks in names}
        properties[NOTES] = property_record(NOTES, "KString", "", "U", self.notes)
        return _with_properties(record, properties)

    def _connections(self, record: Record) -> Record:
        connections = [item for item in record.children if not (self.gone & set(_ends(item)))]
        return PatchedRecord(record, [*connections, *self.work.connections])

    def _definitions(self, record: Record) -> Record:
        change = Counter(item.name for item in self.work.objects)
        change.subtract(self.scene.objects[number].kind for number in self.gone)
        listed = {str(kind.values[0]) for kind in record.all("ObjectType") if kind.values}
        children: list[Record] = []
        for item in record.children:
            name = str(item.values[0]) if item.values else ""
            if item.name == "ObjectType" and change[name]:
                counted = [_count(r, change[name]) if r.name == "Count" else r for r in item.children]
                children.append(PatchedRecord(item, counted))
            elif item.name == "Count":
                children.append(_count(item, sum(change.values())))
            else:
                children.append(item)
        fresh = [(name, number) for name, number in change.items() if name not in listed and number > 0]
        children += [Record("ObjectType", (name,), [Record("Count", (number,))]) for name, number in fresh]
        return PatchedRecord(record, children)

    def _settings(self, record: Record) -> Record:
        """With the rate of the motion, and with axes and unit where the file leaves them to what a program assumes."""
        mode = time_mode(self.fps)
        renewed = () if abs(self.scene.fps - self.fps) < 1e-9 else ("TimeMode", "CustomFrameRate")
        known = {name for name in self.scene.settings if name not in renewed}
        known |= set() if mode == CUSTOM_RATE else {"CustomFrameRate"}
        properties = {str(item.values[0]): item for item in settings_records(mode, self.fps, *self.span)}
        missing = {name: properties[name] for name in _STATED if name not in known}
        return _with_properties(record, missing) if missing else record

    def _takes(self, record: Record) -> Record:
        name = self.title if self.stack is None else self.stack.name
        ours = list(takes_record(name, [(name, *self.span)]).all("Take"))
        takes = [item for item in record.children if item.name != "Take" or list(item.values[:1]) != [name]]
        if self.stack is None:
            takes = [Record("Current", (name,)) if item.name == "Current" else item for item in takes]
        return PatchedRecord(record, [*takes, *ours])

    def _documents(self, record: Record) -> Record:
        if self.stack is not None:
            return record
        active = {"ActiveAnimStackName": property_record("ActiveAnimStackName", "KString", "", "", self.title)}
        children = [_with_properties(item, active) if item.name == "Document" else item for item in record.children]
        return PatchedRecord(record, children)


def _ends(record: Record) -> Sequence[Any]:
    return record.values[1:3]


def _count(record: Record, change: int) -> Record:
    old = record.values[0] if record.values and isinstance(record.values[0], int) else 0
    return Record(record.name, (max(0, old + change),))


def _with_properties(record: Record, properties: Mapping[str, Record]) -> Record:
    """A record with some properties set, each where it was or at the end."""
    holder = record.child("Properties70") or Record("Properties70", (), [])
    left = dict(properties)
    listed = [left.pop(str(item.values[0]), item) if item.values else item for item in holder.children]
    changed = PatchedRecord(holder, [*listed, *left.values()])
    children = [changed if item is holder else item for item in record.children]
    return PatchedRecord(record, children if record.child("Properties70") else [changed, *record.children])
