"""Writing FBX 7.4: the skeleton as limb nodes, a bind pose, and one take with a key on every frame.

The list of records is the one that Autodesk's own programs write, complete, although some readers ask for less.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import local_translations
from kinetune.body.skeleton import Skeleton, distinct_names
from kinetune.formats.characters.sparse_keys import choose_tracks
from kinetune.formats.clip_notes import clip_notes
from kinetune.formats.fbx._blender_bones import APART, at_tail, pose_record
from kinetune.formats.fbx.curve_records import MotionRecords, frame_ticks, property_record, track_curves
from kinetune.formats.fbx.encoding.binary_writer import CREATION_TIME, VERSION, BinaryWriter, file_id
from kinetune.formats.fbx.encoding.records import Record
from kinetune.formats.fbx.fbx_character import FbxCharacter
from kinetune.formats.fbx.node_transforms import ROTATION, SCALING, TRANSLATION, from_degrees, to_degrees
from kinetune.formats.fbx.scene_objects import CUSTOM_RATE, RATES
from kinetune.rotations import Floats

CREATOR = "Kinetune"
NOTES, END_SITE = "kinetune", "kinetune_end_site"
"""User properties: on the first joint the notes of a clip as JSON, on an end bone whether its tip has a name."""
_UNITS = 100.0  # centimetres in a metre
_ROOT = np.int64(0)


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of an ``.fbx``; of its own character, if it has one."""
    character = clip.source.layout
    if isinstance(character, FbxCharacter) and character.fits(clip):
        from kinetune.formats.fbx._fbx_character_writer import put_back

        return put_back(clip, path, character)
    title = path.stem or "motion"
    scene = MotionRecords()
    times = frame_ticks(len(clip), clip.fps)
    joints = _add_skeleton(scene, clip)
    layer = scene.add_take(title, 0, int(times[-1]))
    _animate(scene, layer, clip, joints, times)
    records = _document(scene, clip, title, int(times[-1]))
    return {path: BinaryWriter().file(records)}


# --- what moves


def _add_skeleton(scene: MotionRecords, clip: Clip) -> list[np.int64]:
    """The joints, then the end sites, and the bind pose; the numbers of the joints."""
    skeleton = clip.skeleton
    notes = json.dumps({**clip_notes(clip), "root_offset": skeleton.offsets[0].tolist()}, ensure_ascii=False)
    pre = to_degrees(rot.normalize(skeleton.rest), 0, smooth=False)
    numbers: list[np.int64] = []
    for joint, name in enumerate(skeleton.names):
        position = clip.root[0] if joint == 0 else skeleton.offsets[joint]
        more = [property_record(NOTES, "KString", "", "U", notes)] if joint == 0 else []
        numbers.append(_add_limb(scene, name, _UNITS * position, pre[joint], more))
    parents = [_ROOT if parent < 0 else numbers[parent] for parent in skeleton.parents.tolist()]
    tips = [site.name or f"{skeleton.names[site.parent]}_end" for site in skeleton.end_sites]
    for name, site in zip(distinct_names([*skeleton.names, *tips])[len(skeleton) :], skeleton.end_sites, strict=True):
        mark = property_record(END_SITE, "KString", "", "U", "unnamed" if site.name is None else site.name)
        numbers.append(_add_limb(scene, name, _UNITS * np.array(site.offset), np.zeros(3), [mark]))
        parents.append(numbers[site.parent])
    for number, parent in zip(numbers, parents, strict=True):
        scene.connect(number, parent)
    _add_bind_pose(scene, skeleton, clip.root[0], numbers, _moving(clip))
    return numbers[: len(skeleton)]


def _add_limb(scene: MotionRecords, name: str, position: Floats, pre: Floats, more: list[Record]) -> np.int64:
    length = property_record("Size", "double", "Number", "", 1.0)
    attribute = scene.add(
        "NodeAttribute", name, "LimbNode", [Record("Properties70", (), [length]), Record("TypeFlags", ("Skeleton",))]
    )
    properties = [
        property_record("RotationActive", "bool", "", "", 1),
        property_record("PreRotation", "Vector3D", "Vector", "", *pre.tolist()),
        property_record("InheritType", "enum", "", "", 1),
        property_record("ScalingMax", "Vector3D", "Vector", "", 0.0, 0.0, 0.0),
        property_record("DefaultAttributeIndex", "int", "Integer", "", 0),
        property_record(TRANSLATION, TRANSLATION, "", "A", *position.tolist()),
        property_record(ROTATION, ROTATION, "", "A", 0.0, 0.0, 0.0),
        property_record(SCALING, SCALING, "", "A", 1.0, 1.0, 1.0),
        *more,
    ]
    children = [
        Record("Version", (232,)),
        Record("Properties70", (), properties),
        Record("Shading", (True,)),
        Record("Culling", ("CullingOff",)),
    ]
    number = scene.add("Model", name, "LimbNode", children)
    scene.connect(attribute, number)
    return number


def _add_bind_pose(
    scene: MotionRecords, skeleton: Skeleton, root: Floats, numbers: list[np.int64], moving: list[int]
) -> None:
    """Where all nodes are at rest; joints that ``moving`` takes off the tail of a bone are bound a little off it."""
    offsets = np.array(skeleton.offsets)
    for joint in moving:
        parent = int(skeleton.parents[joint])
        beside = [*skeleton.offsets[skeleton.parents == parent]]
        beside += [np.array(site.offset) for site in skeleton.end_sites if site.parent == parent]
        if at_tail(skeleton.offsets[joint], [float(np.linalg.norm(other)) for other in beside]):
            offsets[joint] += (APART, 0.0, 0.0)
    bound = replace(skeleton, offsets=offsets)
    places, frames = _UNITS * (bound.rest_positions + root), rot.to_matrix(bound.rest_rotations)
    joints = [*range(len(skeleton)), *(site.parent for site in skeleton.end_sites)]
    tips = [np.zeros(3)] * len(skeleton) + [_UNITS * np.array(site.offset) for site in skeleton.end_sites]
    matrices = {}
    for number, joint, tip in zip(numbers, joints, tips, strict=True):
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = frames[joint], places[joint] + frames[joint] @ tip
        matrices[int(number)] = matrix
    scene.add("Pose", "BIND_POSES", "BindPose", pose_record(matrices))


def _moving(clip: Clip) -> list[int]:
    """The joints, other than the first, that move in the frame of their parent."""
    if clip.translations is None:
        return []
    travel = np.abs(clip.translations - clip.skeleton.offsets).max(axis=(0, 2))
    return [int(joint) + 1 for joint in np.flatnonzero(travel[1:] > 0)]


def _animate(
    scene: MotionRecords, layer: np.int64, clip: Clip, joints: list[np.int64], times: np.ndarray[Any, Any]
) -> None:
    rest = rot.normalize(clip.skeleton.rest)
    degrees = to_degrees(rot.multiply(rot.inverse(rest), clip.rotations), 0)  # (frames, joints, 3)
    tracks: dict[tuple[int, str], Floats] = {(joint, "rotation"): degrees[:, joint] for joint in range(len(joints))}
    tracks[0, "translation"] = _UNITS * clip.root
    offsets = local_translations(clip)
    for joint in _moving(clip):
        tracks[joint, "translation"] = _UNITS * offsets[:, joint]

    def rebuild(target: tuple[int, str], played: Floats) -> Floats:
        joint, kind = target
        return rot.multiply(rest[joint], from_degrees(played, 0)) if kind == "rotation" else played / _UNITS

    sparse = choose_tracks(clip, tracks, rebuild, straight=True) or {}
    for (joint, kind), values in tracks.items():
        name = ROTATION if kind == "rotation" else TRANSLATION
        curves = track_curves(values, times, clip.fps, sparse.get((joint, kind)))
        scene.add_track(layer, joints[joint], name, curves, values[0])


# --- what a file must have besides


def _document(scene: MotionRecords, clip: Clip, title: str, stop: int) -> list[Record]:
    settings = Record("Properties70", (), settings_records(time_mode(clip.fps), clip.fps, 0, stop))
    counts = Counter(record.name for record in scene.objects)
    return [
        _header(),
        Record("FileId", (file_id(CREATION_TIME),)),
        Record("CreationTime", (CREATION_TIME,)),
        Record("Creator", (CREATOR,)),
        Record("GlobalSettings", (), [Record("Version", (1000,)), settings]),
        Record(
            "Documents",
            (),
            [
                Record("Count", (1,)),
                Record(
                    "Document",
                    (np.int64(next(scene.numbers)), "Scene", "Scene"),
                    [
                        Record(
                            "Properties70",
                            (),
                            [
                                property_record("SourceObject", "object", "", ""),
                                property_record("ActiveAnimStackName", "KString", "", "", title),
                            ],
                        ),
                        Record("RootNode", (_ROOT,)),
                    ],
                ),
            ],
        ),
        Record("References", (), []),
        _definitions(counts),
        Record("Objects", (), scene.objects),
        Record("Connections", (), scene.connections),
        takes_record(title, [(title, 0, stop)]),
    ]


def takes_record(current: str, takes: list[tuple[str, int, int]]) -> Record:
    """The list of takes: name, start and stop in ticks."""
    listed = []
    for name, start, stop in takes:
        span = (np.int64(start), np.int64(stop))
        children = [Record("FileName", (f"{name}.tak",)), Record("LocalTime", span), Record("ReferenceTime", span)]
        listed.append(Record("Take", (name,), children))
    return Record("Takes", (), [Record("Current", (current,)), *listed])


def _header() -> Record:
    date = {"Version": 1000, "Year": 1970, "Month": 1, "Day": 1, "Hour": 10, "Minute": 0, "Second": 0, "Millisecond": 0}
    meta = [Record("Version", (100,))]
    meta += [Record(name, ("",)) for name in ("Title", "Subject", "Author", "Keywords", "Revision", "Comment")]
    properties = [
        property_record("DocumentUrl", "KString", "Url", "", ""),
        property_record("SrcDocumentUrl", "KString", "Url", "", ""),
    ]
    for group in ("Original", "LastSaved"):
        properties += [
            property_record(group, "Compound", "", ""),
            property_record(f"{group}|ApplicationVendor", "KString", "", "", CREATOR),
            property_record(f"{group}|ApplicationName", "KString", "", "", CREATOR),
            property_record(f"{group}|ApplicationVersion", "KString", "", "", "1"),
            property_record(f"{group}|DateTime_GMT", "DateTime", "", "", "01/01/1970 10:00:00.000"),
        ]
    info = [
        Record("Type", ("UserData",)),
        Record("Version", (100,)),
        Record("MetaData", (), meta),
        Record("Properties70", (), properties),
    ]
    return Record(
        "FBXHeaderExtension",
        (),
        [
            Record("FBXHeaderVersion", (1003,)),
            Record("FBXVersion", (VERSION,)),
            Record("EncryptionType", (0,)),
            Record("CreationTimeStamp", (), [Record(name, (value,)) for name, value in date.items()]),
            Record("Creator", (CREATOR,)),
            Record("SceneInfo", ("GlobalInfo\0\1SceneInfo", "UserData"), info),
        ],
    )


def settings_records(mode: int, fps: float, start: int, stop: int) -> list[Record]:
    """The properties of complete global settings: centimetres, Y up, a frame rate, and the span of a motion."""
    axes = [("UpAxis", 1), ("UpAxisSign", 1), ("FrontAxis", 2), ("FrontAxisSign", 1), ("CoordAxis", 0)]
    axes += [("CoordAxisSign", 1), ("OriginalUpAxis", 1), ("OriginalUpAxisSign", 1)]
    return [
        *(property_record(name, "int", "Integer", "", value) for name, value in axes),
        property_record("UnitScaleFactor", "double", "Number", "", 100.0 / _UNITS),
        property_record("OriginalUnitScaleFactor", "double", "Number", "", 100.0 / _UNITS),
        property_record("AmbientColor", "ColorRGB", "Color", "", 0.0, 0.0, 0.0),
        property_record("DefaultCamera", "KString", "", "", "Producer Perspective"),
        property_record("TimeMode", "enum", "", "", mode),
        property_record("TimeSpanStart", "KTime", "Time", "", np.int64(start)),
        property_record("TimeSpanStop", "KTime", "Time", "", np.int64(stop)),
        property_record("CustomFrameRate", "double", "Number", "", float(fps) if mode == CUSTOM_RATE else -1.0),
    ]


def time_mode(fps: float) -> int:
    """The number by which a file names a frame rate."""
    return next((mode for mode, rate in RATES.items() if rate == fps), CUSTOM_RATE)


_ZERO = (0.0, 0.0, 0.0)
_TEMPLATES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "NodeAttribute": (
        "FbxSkeleton",
        [
            ("Color", "ColorRGB", "Color", "", 0.8, 0.8, 0.8),
            ("Size", "double", "Number", "", 100.0),
            ("LimbLength", "double", "Number", "H", 1.0),
        ],
    ),
    "Model": (
        "FbxNode",
        [
            ("QuaternionInterpolate", "enum", "", "", 0),
            ("RotationOffset", "Vector3D", "Vector", "", *_ZERO),
            ("RotationPivot", "Vector3D", "Vector", "", *_ZERO),
            ("ScalingOffset", "Vector3D", "Vector", "", *_ZERO),
            ("ScalingPivot", "Vector3D", "Vector", "", *_ZERO),
            ("TranslationActive", "bool", "", "", 0),
            ("RotationOrder", "enum", "", "", 0),
            ("RotationSpaceForLimitOnly", "bool", "", "", 0),
            ("PreRotation", "Vector3D", "Vector", "", *_ZERO),
            ("PostRotation", "Vector3D", "Vector", "", *_ZERO),
            ("RotationActive", "bool", "", "", 0),
            ("InheritType", "enum", "", "", 0),
            ("ScalingActive", "bool", "", "", 0),
            ("GeometricTranslation", "Vector3D", "Vector", "", *_ZERO),
            ("GeometricRotation", "Vector3D", "Vector", "", *_ZERO),
            ("GeometricScaling", "Vector3D", "Vector", "", 1.0, 1.0, 1.0),
            ("Show", "bool", "", "", 1),
            ("NegativePercentShapeSupport", "bool", "", "", 1),
            ("DefaultAttributeIndex", "int", "Integer", "", -1),
            ("Freeze", "bool", "", "", 0),
            ("LODBox", "bool", "", "", 0),
            (TRANSLATION, TRANSLATION, "", "A", *_ZERO),
            (ROTATION, ROTATION, "", "A", *_ZERO),
            (SCALING, SCALING, "", "A", 1.0, 1.0, 1.0),
            ("Visibility", "Visibility", "", "A", 1.0),
            ("Visibility Inheritance", "Visibility Inheritance", "", "", 1),
        ],
    ),
    "AnimationStack": (
        "FbxAnimStack",
        [
            ("Description", "KString", "", "", ""),
            *((f"{a}{b}", "KTime", "Time", "", np.int64(0)) for a in ("Local", "Reference") for b in ("Start", "Stop")),
        ],
    ),
    "AnimationLayer": (
        "FbxAnimLayer",
        [
            ("Weight", "Number", "", "A", 100.0),
            ("Mute", "bool", "", "", 0),
            ("Solo", "bool", "", "", 0),
            ("Lock", "bool", "", "", 0),
            ("Color", "ColorRGB", "Color", "", 0.8, 0.8, 0.8),
            ("BlendMode", "enum", "", "", 0),
            ("RotationAccumulationMode", "enum", "", "", 0),
            ("ScaleAccumulationMode", "enum", "", "", 0),
            ("BlendModeBypass", "ULongLong", "", "", np.int64(0)),
        ],
    ),
    "AnimationCurveNode": ("FbxAnimCurveNode", [("d", "Compound", "", "")]),
}


def _definitions(counts: Mapping[str, int]) -> Record:
    kinds = [Record("ObjectType", ("GlobalSettings",), [Record("Count", (1,))])]
    for kind, number in counts.items():
        children = [Record("Count", (number,))]
        if kind in _TEMPLATES:
            name, properties = _TEMPLATES[kind]
            listed = Record("Properties70", (), [property_record(*item) for item in properties])
            children.append(Record("PropertyTemplate", (name,), [listed]))
        kinds.append(Record("ObjectType", (kind,), children))
    total = 1 + sum(counts.values())
    return Record("Definitions", (), [Record("Version", (100,)), Record("Count", (total,)), *kinds])
