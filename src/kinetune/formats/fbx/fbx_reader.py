"""Reading FBX: the bones of a character, one take of its motion, and the rest of the file for writing it back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.body.source import Source
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.findings import Finding, guessed
from kinetune.formats.characters.bind_pose import rest_at_bind
from kinetune.formats.fbx._blender_bones import BONES
from kinetune.formats.fbx.encoding.records import FbxFile
from kinetune.formats.fbx.fbx_character import read_character, to_our_axes
from kinetune.formats.fbx.fbx_writer import END_SITE, NOTES
from kinetune.formats.fbx.node_transforms import SPHERIC, inheritance, node_transforms, rotation_order
from kinetune.formats.fbx.scene_objects import FbxObject, FbxScene, as_matrix
from kinetune.formats.fbx.takes import Take, moved_nodes, read_take, sample_take
from kinetune.formats.file_limits import most_poses
from kinetune.formats.format import ReadOptions
from kinetune.formats.scene_nodes import (
    MOST_POSES,
    NodeTransform,
    SceneTree,
    first_busy_motion,
    joint_arrays,
    locate_nodes,
    scene_clip,
)
from kinetune.formats.unit_and_up import Up, parse_unit, parse_up, stand_upright
from kinetune.input_files import read_input
from kinetune.rotations import Floats

_NO_JOINTS = ("Camera", "Light", "CameraSwitcher", "Optical", "IKEffector", "FKEffector")
_LIKELY = (0.2, 6.0)  # metres: outside of it the unit of a file is doubtful
_ON_KEY = 0.02  # of a frame


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from an ``.fbx``, binary or text."""
    file = FbxFile(path, read_input(path))
    try:
        with np.errstate(all="ignore"):  # numbers out of range are reported once the clip is complete
            return _read(file, options)
    except ParameterError as problem:
        raise file.fail(str(problem)) from None


def _read(file: FbxFile, options: ReadOptions) -> Clip:
    scene = FbxScene(file)
    findings: list[Finding] = []
    models, parents = model_tree(scene)
    tips = [node for node, model in enumerate(models) if END_SITE in model.own_properties and parents[node] >= 0]
    joints = choose_joints(scene, models, set(tips), findings)
    notes = _notes(models[joints[0]])
    take = _choose_take(scene, [models[node].number for node in joints], options, findings)
    rank = {node: joint for joint, node in enumerate(joints)}
    tree = scene_tree(models, parents)
    if any(rotation_order(models[node]) == SPHERIC for node in joints):
        findings.append(Finding("spheric-rotation", 'The rotation order "spheric" is read as XYZ.'))
    fps, start, frames = _timing(scene, take, options, len(joints), findings)
    resting, rest_sheared = locate_nodes(tree, [*joints, *tips], rank, {})
    moving: dict[int, Any] = {}
    at = start + np.arange(frames) / fps
    if take is not None:
        needed = sorted(tree.with_ancestors(joints))
        sampled = sample_take(scene, take, [models[node] for node in needed], at, 1.0 / fps)
        moved = [node for node in needed if models[node].number in sampled]
        properties = [sampled[models[node].number] for node in moved]
        moving = dict(zip(moved, node_transforms([models[node] for node in moved], properties), strict=True))
    located, sheared = locate_nodes(tree, joints, rank, moving)
    if rest_sheared or sheared:
        message = "Nodes are scaled unevenly; the positions of the joints are right but their shear is lost."
        findings.append(Finding("uneven-scale", message))
    joints_above = tree.joints_above(rank)
    joint_parents = [rank.get(joints_above[node], -1) for node in joints]
    unit, metres = _unit(scene, options)
    up, axes = _axes(scene, options)
    roots = [joint for joint, parent in enumerate(joint_parents) if parent < 0]
    offsets, rest = to_our_axes(*joint_arrays(resting, joints, joint_parents, 1, "y"), roots, axes)
    positions, rotations = to_our_axes(*joint_arrays(located, joints, joint_parents, frames, "y"), roots, axes)
    names = distinct_names(tree.names[node] or f"node_{node}" for node in joints)
    sites = tuple(
        EndSite(rank[parents[node]], as_offset(resting[node][0][0] * metres), _tip_name(models[node]))
        for node in tips
        if parents[node] in rank
    )
    skeleton = Skeleton(names, np.array(joint_parents), offsets[0] * metres, sites, rot.normalize(rest[0]))
    findings += _unusual_size(skeleton, options)
    character = None
    bound = skeleton
    if not notes:
        bound = _at_bind(scene, skeleton, [models[node] for node in joints], axes, metres)
        stack = None if take is None else take.stack
        character = read_character(scene, skeleton, [models[node] for node in joints], stack, at, axes)
    source = Source("fbx", str(file.path), unit, metres, up, tuple(findings), character)
    stored = notes or (_notes(take.stack) if take is not None else {})
    return scene_clip(bound, fps, positions, rotations, source, stored, exact=bool(notes))


# --- nodes


def model_tree(scene: FbxScene) -> tuple[list[FbxObject], list[int]]:
    """The nodes of the scene, parents first, children in the order of the file; and the parent of each, or -1."""
    models = scene.of_kind("Model")
    parent_of: dict[int, FbxObject | None] = {}
    children: dict[int, list[FbxObject]] = {0: []}
    for model in models:
        parent = next(
            (above for above, name in model.above if not name and above.kind in ("Model", "Scene")), scene.root
        )
        parent_of[model.number] = parent
    for holder in [scene.root, *models]:
        below = dict.fromkeys(other.number for other, name in holder.below if other.kind == "Model" and not name)
        children[holder.number] = [scene.objects[number] for number in below if parent_of[number] is holder]
    known = {model.number for siblings in children.values() for model in siblings}
    children[0] += [model for model in models if model.number not in known]
    ordered: list[FbxObject] = []
    parents: list[int] = []
    stack: list[tuple[FbxObject, int]] = [(model, -1) for model in reversed(children[0])]
    while stack:
        model, parent_index = stack.pop()
        parents.append(parent_index)
        ordered.append(model)
        stack += [(child, len(ordered) - 1) for child in reversed(children[model.number])]
    if len(ordered) != len(models):
        lost = next(model for model in models if model not in ordered)
        raise scene.file.fail(f'the node "{lost.name}" is its own ancestor.', "The file is damaged.", "Connections")
    return ordered, parents


def scene_tree(models: Sequence[FbxObject], parents: Sequence[int]) -> SceneTree:
    """The nodes as a tree, at rest."""
    return SceneTree(
        tuple(model.name for model in models),
        tuple(parents),
        tuple(range(len(models))),
        tuple(node_transforms(models)),
        inherits=tuple(inheritance(model) for model in models),
    )


def choose_joints(scene: FbxScene, models: Sequence[FbxObject], tips: set[int], findings: list[Finding]) -> list[int]:
    """The nodes that are joints: bones and what skins hang on; in a scene without any, all its nodes."""
    skinned = {
        model.number
        for cluster in scene.of_kind("Deformer")
        if cluster.subtype == "Cluster"
        for model in cluster.children("Model")
    }
    joints = [
        node
        for node, model in enumerate(models)
        if (model.subtype in BONES and node not in tips) or model.number in skinned
    ]
    if joints:
        return joints
    joints = [node for node, model in enumerate(models) if model.subtype not in _NO_JOINTS]
    if not joints:
        raise scene.file.fail("there is no node in it that could be a joint.", "Export it with its skeleton.")
    findings.append(Finding("no-bones", "There are no bones, so all nodes are taken as joints."))
    return joints


def _at_bind(scene: FbxScene, skeleton: Skeleton, models: Sequence[FbxObject], axes: Floats, metres: float) -> Skeleton:
    """The skeleton with the rotations that its joints had when the skin was bound to them, its pose of rest."""
    joint_of = {model.number: joint for joint, model in enumerate(models)}
    links: dict[int, Floats] = {}
    for cluster in scene.of_kind("Deformer"):
        link = as_matrix(cluster.record.array("TransformLink")) if cluster.subtype == "Cluster" else None
        if link is not None:
            links |= {joint_of[model.number]: link for model in cluster.children("Model") if model.number in joint_of}

    def to_ours(local: NodeTransform, _: list[int]) -> tuple[Floats, Floats]:
        return to_our_axes(metres * local.translation[None], local.rotation[None], skeleton.roots, axes)

    return rest_at_bind(skeleton, links, to_ours)


def _tip_name(model: FbxObject) -> str | None:
    value = model.own_properties[END_SITE][0]
    return None if value == "unnamed" else str(value)


def _notes(model: FbxObject) -> dict[str, Any]:
    """What Kinetune left in a file that it wrote."""
    value = model.own_properties.get(NOTES, ("",))[0]
    try:
        notes = json.loads(value) if isinstance(value, str) and value else {}
    except (ValueError, RecursionError):
        notes = {}
    return notes if isinstance(notes, dict) else {}


# --- takes and time


def _choose_take(scene: FbxScene, joints: Sequence[int], options: ReadOptions, findings: list[Finding]) -> Take | None:
    stacks = scene.of_kind("AnimationStack")
    names = [stack.name for stack in stacks]
    asked = options.animation
    if not stacks:
        if asked is not None:
            raise UnknownNameError("take", str(asked), [], advice="The file has none.")
        return None
    if asked is not None:
        if str(asked) in names:
            return read_take(scene, stacks[names.index(str(asked))])
        if str(asked).isdecimal() and int(asked) < len(stacks):
            return read_take(scene, stacks[int(asked)])
        advice = f"The file has {', '.join(names[:12])}; a number from 0 to {len(names) - 1} works too."
        raise UnknownNameError("take", str(asked), names, advice=advice)
    number = first_busy_motion((moved_nodes(stack) for stack in stacks), set(joints)) if len(stacks) > 1 else 0
    chosen = stacks[number or 0]
    if len(stacks) > 1:
        listing = ", ".join(f'"{name}"' for name in names[:12]) + (" ..." if len(names) > 12 else "")
        which = "the first" if number is None else "the first that moves the character"
        message = f'The file has {len(stacks)} takes ({listing}); "{chosen.name}" is read, {which}.'
        findings.append(guessed("take", message, tuple(names)))
    return read_take(scene, chosen)


def _timing(
    scene: FbxScene, take: Take | None, options: ReadOptions, joints: int, findings: list[Finding]
) -> tuple[float, float, int]:
    """(frames per second, time of the first frame, number of frames)."""
    fps = options.fps or scene.fps
    if take is None or not take.moved:
        message = "There is no animation of the character, so the clip is one frame of its rest pose."
        findings.append(Finding("no-animation", message))
        return fps, 0.0 if take is None else take.start, 1
    length = take.stop - take.start
    if not 0 <= length * fps * joints <= min(MOST_POSES, most_poses(len(scene.file.data))):
        raise scene.file.fail(
            f'the take "{take.name}" lasts {length:.6g} s, which is {length * fps:.3g} frames of {joints} joints at '
            f"{fps:g} per second, more than can be read.",
            "Ask for a lower rate with fps=.",
        )
    return fps, take.start, max(1, int(np.ceil(length * fps - _ON_KEY)) + 1)


# --- unit and axes


def _unit(scene: FbxScene, options: ReadOptions) -> tuple[str, float]:
    if options.unit is not None:
        return parse_unit(options.unit)
    centimetres = scene.setting("UnitScaleFactor", 1.0)
    if not 1e-6 < centimetres < 1e9:
        raise scene.file.fail(f"its unit is {centimetres:g} cm.", "Give another with unit=.", "GlobalSettings")
    return parse_unit(0.01 * centimetres)


def _unusual_size(skeleton: Skeleton, options: ReadOptions) -> list[Finding]:
    extent = float(np.ptp(skeleton.rest_positions, axis=0).max())
    if options.unit is not None or len(skeleton) < 8 or _LIKELY[0] <= extent <= _LIKELY[1]:
        return []
    size = skeleton.height  # of the body alone, which takes longer to find
    if size == 0.0 or _LIKELY[0] <= size <= _LIKELY[1]:
        return []
    return [Finding("unusual-size", f"In the unit of the file the character is {size:.3g} m tall.", "unit")]


def _axes(scene: FbxScene, options: ReadOptions) -> tuple[Up, Floats]:
    """The axis that points up, and the matrix (3, 3) from the axes of the file to ours."""
    if options.up is not None:
        up = parse_up(options.up)
        columns, _ = stand_upright(np.eye(3), rot.identity(3), up)
        return up, columns.T
    matrix = np.zeros((3, 3))
    chosen = []
    for row, (name, usual) in enumerate((("CoordAxis", 0), ("UpAxis", 1), ("FrontAxis", 2))):
        axis = int(scene.setting(name, usual))
        sign = -1.0 if scene.setting(f"{name}Sign", 1) < 0 else 1.0
        chosen.append(axis)
        if 0 <= axis <= 2:
            matrix[row, axis] = sign
    if sorted(chosen) != [0, 1, 2]:
        return "y", np.eye(3)
    letters: tuple[Up, Up, Up] = ("x", "y", "z")
    return letters[chosen[1]], matrix
