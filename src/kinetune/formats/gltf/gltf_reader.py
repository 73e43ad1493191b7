"""Reading glTF: skinned characters, animated nodes without a skin, and files without any animation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.body.source import Source
from kinetune.errors import ParameterError
from kinetune.findings import Finding, guessed
from kinetune.formats.clip_notes import read_fps
from kinetune.formats.file_limits import check_joints, most_poses
from kinetune.formats.format import ReadOptions
from kinetune.formats.gltf._animation_sampling import (
    choose_animation,
    frame_times,
    guess_rate,
    read_channels,
    sample_transforms,
)
from kinetune.formats.gltf._bind_pose import bound_skeleton
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.gltf.gltf_character import read_character
from kinetune.formats.scene_nodes import (
    MOST_POSES,
    NodeTransform,
    SceneTree,
    joint_arrays,
    locate_nodes,
    scene_clip,
    transform_from_matrices,
)
from kinetune.formats.unit_and_up import METRES_PER_UNIT, Up, parse_unit, parse_up
from kinetune.formats.vrm.humanoid import human_bones, is_animation, stated_roles
from kinetune.rotations import Floats

_LIKELY = (0.2, 6.0)  # metres: outside of it a file's "metres" are something else


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from a ``.glb`` or ``.gltf``."""
    file = GltfFile(path)
    try:
        with np.errstate(all="ignore"):  # numbers out of range are reported once the clip is complete
            return _read(file, options)
    except ParameterError as problem:
        raise file.fail(str(problem)) from None


def _read(file: GltfFile, options: ReadOptions) -> Clip:
    tree = read_tree(file)
    bones = human_bones(file)
    number, findings = choose_animation(file, options.animation, choose_joints(file, tree, frozenset(), bones)[0])
    animation = {} if number is None else file.listed("animations")[number]
    channels, shaped, remarks = read_channels(file, animation)
    findings += remarks
    animated = frozenset(channel.node for channel in channels) or frozenset(shaped)
    joints, skins_left_out = choose_joints(file, tree, animated, bones)
    if skins_left_out:
        findings.append(
            Finding("skins-left-out", f"{skins_left_out} smaller skins with joints of their own are left out.")
        )
    check_joints(file.path, len(joints))
    if not joints:
        raise file.fail("it has no skin and no animated nodes, so there is no character in it.")
    if not file.listed("skins") and not bones:
        findings.append(Finding("no-skin", "There is no skin, so the animated nodes are taken as joints."))
    notes = _notes(file.content)  # a file that is ours alone
    stored = notes or _notes(animation)
    rank = {node: joint for joint, node in enumerate(joints)}
    joints_above = tree.joints_above(rank)
    parents = [rank.get(joints_above[node], -1) for node in joints]
    tips = _tips(tree, rank, {channel.node for channel in channels})
    above = tree.with_ancestors(joints)
    channels = [channel for channel in channels if channel.node in above]
    times = [channel.times for channel in channels] or [shaped[node] for node in joints if node in shaped]

    resting, rest_sheared = locate_nodes(tree, [*joints, *tips], rank, {})
    curved = any(channel.tangents is not None for channel in channels)
    fps, start, frames = _timing(file, times, curved, stored, options, len(above), findings)
    at = start + np.arange(frames) / fps
    moving = sample_transforms(channels, tree.rest, at)
    located, sheared = locate_nodes(tree, joints, rank, moving)
    if rest_sheared or sheared:
        message = "Nodes are scaled unevenly; the positions of the joints are right but their shear is lost."
        findings.append(Finding("uneven-scale", message))
    if any(_changes_scale(transform) for transform in moving.values()):
        message = (
            "Joints are scaled over time; what that moves is kept as joint positions, the scale stays in the file."
        )
        findings.append(Finding("animated-scale", message))

    up: Up = "y" if options.up is None else parse_up(options.up)
    offsets, rest = joint_arrays(resting, joints, parents, 1, up)
    positions, rotations = joint_arrays(located, joints, parents, frames, up)
    names = distinct_names(tree.names[node] for node in joints)
    sites = tuple(EndSite(rank[tree.parents[n]], as_offset(resting[n][0][0]), _tip_name(tree, n)) for n in tips)
    roles = stated_roles({bone: rank[node] for bone, node in bones.items()})
    skeleton = Skeleton(names, np.array(parents), offsets[0], sites, rest[0], roles)
    unit, metres, guess = _unit(skeleton, options, bool(notes))
    findings += [guess] if guess else []
    bound = skeleton if notes or bones else bound_skeleton(file, tree, skeleton, rank, up, findings)
    bound, skeleton = bound.scaled(metres), skeleton.scaled(metres)
    kind = "vrma" if is_animation(file) else "gltf"
    character = None if notes else read_character(file, kind, skeleton, joints, number, at, findings)
    source = Source(kind, str(file.path), unit, metres, up, tuple(findings), character)
    return scene_clip(bound, fps, positions, rotations, source, stored, exact=bool(notes))


def _notes(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """What Kinetune left in a file or an animation that it wrote."""
    extras = holder.get("extras")
    kinetune = extras.get("kinetune") if isinstance(extras, dict) else None
    return kinetune if isinstance(kinetune, dict) else {}


def _changes_scale(transform: NodeTransform) -> bool:
    scale = transform.scale
    return len(scale) > 1 and bool(np.ptp(scale, axis=0).max() > 1e-3 * np.abs(scale).max())


# --- nodes


def read_tree(file: GltfFile) -> SceneTree:
    """The node tree, checked: every node has at most one parent and there is no circle."""
    nodes = file.listed("nodes")
    parents = [-1] * len(nodes)
    for number, node in enumerate(nodes):
        children = node.get("children", [])
        if not isinstance(children, list) or not all(file.is_index(c, len(nodes)) for c in children):
            raise file.fail(f'node {number}: "children" must be numbers of nodes below {len(nodes)}.')
        for child in children:
            if parents[child] != -1 or child == number:
                raise file.fail(f"node {child} has two parents.")
            parents[child] = number
    order = [n for n, parent in enumerate(parents) if parent < 0]
    for number in order:
        order += nodes[number].get("children", [])
    if len(order) != len(nodes):
        raise file.fail("some nodes are their own ancestors.")
    names = tuple(str(node.get("name") or f"node_{n}") for n, node in enumerate(nodes))
    rest = tuple(_rest_transform(file, number, node) for number, node in enumerate(nodes))
    return SceneTree(names, tuple(parents), tuple(order), rest, nodes)


def _rest_transform(file: GltfFile, number: int, node: Mapping[str, Any]) -> NodeTransform:
    where = f"node {number}"
    matrix = file.numbers(node, "matrix", 16, where)
    if matrix is not None:
        return transform_from_matrices(matrix.reshape(1, 4, 4).swapaxes(1, 2))
    translation = file.numbers(node, "translation", 3, where)
    rotation = file.numbers(node, "rotation", 4, where)
    scale = file.numbers(node, "scale", 3, where)
    return NodeTransform(
        np.zeros((1, 3)) if translation is None else translation[None],
        rot.identity(1) if rotation is None else rot.normalize(rotation[None, [3, 0, 1, 2]]),
        np.ones((1, 3)) if scale is None else scale[None],
    )


def choose_joints(
    file: GltfFile, tree: SceneTree, animated: frozenset[int], bones: Mapping[str, int]
) -> tuple[list[int], int]:
    """The nodes that are joints, parents first, and how many skins are left out; empty when there is no character.

    The human bones of a VRM file are joints in any case.
    """
    skins = []
    for number, skin in enumerate(file.listed("skins")):
        joints = skin.get("joints", [])
        if not isinstance(joints, list) or not joints or not all(file.is_index(j, len(tree.nodes)) for j in joints):
            raise file.fail(f'skin {number}: "joints" must be numbers of nodes below {len(tree.nodes)}.')
        skins.append(list(dict.fromkeys(joints)))
    if not skins:
        chosen_nodes = set(bones.values()) or animated
        return [n for n in tree.order if n in chosen_nodes], 0
    skins.sort(key=len, reverse=True)
    chosen, left_out = skins[0], 0
    for others in skins[1:]:
        if set(others) & set(chosen):
            chosen = list(dict.fromkeys([*chosen, *others]))
        else:
            left_out += 1
    chosen = list(dict.fromkeys([*chosen, *bones.values()]))
    rank = {node: i for i, node in enumerate(chosen)}
    above = tree.joints_above(rank)
    if any(above[node] >= 0 and rank[above[node]] >= i for i, node in enumerate(chosen)):
        chosen = [n for n in tree.order if n in rank]
    return chosen, left_out


def _tips(tree: SceneTree, joints: Mapping[int, int], animated: set[int]) -> list[int]:
    """Still nodes below a joint that carry nothing: the ends of chains."""
    return [
        number
        for number, node in enumerate(tree.nodes)
        if number not in joints
        and number not in animated
        and tree.parents[number] in joints
        and not any(key in node for key in ("children", "mesh", "camera", "skin", "extensions"))
    ]


def _tip_name(tree: SceneTree, node: int) -> str | None:
    extras = tree.nodes[node].get("extras")
    unnamed = isinstance(extras, dict) and extras.get("kinetune") == "unnamed end site"
    return None if unnamed else tree.names[node]


# --- time and size


def _timing(
    file: GltfFile,
    times: list[Floats],
    curved: bool,
    notes: Mapping[str, Any],
    options: ReadOptions,
    joints: int,
    findings: list[Finding],
) -> tuple[float, float, int]:
    """(frames per second, time of the first frame, number of frames)."""
    if not times:
        message = "There is no animation of the character, so the clip is one frame of its rest pose."
        findings.append(Finding("no-animation", message))
        return options.fps or 30.0, 0.0, 1
    fps = options.fps or read_fps(notes)
    if fps is None:
        fps, guess = guess_rate(times, curved=curved)
        findings.append(guess)
    length = max(float(t[-1]) for t in times) - min(float(t[0]) for t in times)
    if length * fps * joints > min(MOST_POSES, most_poses(file.size)):
        raise file.fail(
            f"the animation lasts {length:.6g} s, which is {length * fps:.3g} frames of {joints} joints at {fps:g} per "
            f"second, more than can be read.",
            "Ask for a lower rate with fps=.",
        )
    start, frames = frame_times(times, fps)
    if start > 0.5 / fps:
        findings.append(Finding("late-start", f"The animation begins at {start:.4g} s; that is frame 0 of the clip."))
    return fps, start, frames


def _unit(skeleton: Skeleton, options: ReadOptions, ours: bool) -> tuple[str, float, Finding | None]:
    if options.unit is not None:
        return *parse_unit(options.unit), None
    size = skeleton.height
    if ours or size == 0.0 or _LIKELY[0] <= size <= _LIKELY[1]:
        return "m", 1.0, None
    for name in ("cm", "mm"):
        metres = METRES_PER_UNIT[name]
        if _LIKELY[0] <= size * metres <= _LIKELY[1]:
            message = f"glTF is in metres, but the character would be {size:.3g} m tall; it is taken as {name}."
            return name, metres, guessed("unit", message)
    return "m", 1.0, Finding("unusual-size", f"The character is {size:.3g} m tall.", "unit")
