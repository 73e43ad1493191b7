"""Writing VRM animations: human bones in a T-pose without rotations, so that any avatar can play the motion.

A bone of a VRM animation has a rest rotation, and what is played on an avatar is how far the bone is turned from its
T-pose, in world axes. Here every rest rotation is the identity, so that what is written is that turn itself. An avatar
(.vrm) rests in its T-pose. For any other clip the T-pose comes from the anatomical frames of its segments
(:mod:`kinetune.body.kinematics.anatomy`): legs and trunk as they stand, arms raised sideways.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.anatomy import find_frames
from kinetune.errors import FileError
from kinetune.findings import Finding, report_finding
from kinetune.formats.clip_notes import clip_notes
from kinetune.formats.gltf.blocks import Block, animation_record, glb_bytes
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.gltf.gltf_character import GltfCharacter
from kinetune.formats.stick_figure_mesh import bind_positions
from kinetune.formats.vrm.humanoid import ANIMATION, REQUIRED, ROLE_OF_BONE, human_bones, is_old
from kinetune.rotations import Floats

_ANKLE = 0.074  # leg lengths above the sole
_HALF_TURN = rot.about_y(np.pi)
_EYES = ("leftEye", "rightEye")  # VRM animations turn them by lookAt


class _TPose(NamedTuple):
    """Human bones of a clip and how they are turned from the T-pose.

    bones : bone to joint, parents first.
    positions : (bones, 3) in the T-pose, looking along +Z.
    back : (bones, 4) from the frame of a joint to its frame in the T-pose, world axes.
    """

    bones: Mapping[str, int]
    positions: Floats
    back: Floats


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a ``.vrma``; one that the clip was read from keeps its expressions and its gaze."""
    layout = clip.source.layout
    if isinstance(layout, GltfCharacter) and layout.format == "vrma" and layout.fits(clip):
        from kinetune.formats.gltf._gltf_character_writer import put_back

        return put_back(clip, path, layout)
    pose = _t_pose(clip, path)
    joints = list(pose.bones.values())
    above = _human_parents(clip, joints)
    turned = rot.multiply(clip.world_rotations()[:, joints], pose.back[None])  # from the T-pose, in the world
    local = turned.copy()
    for number, parent in enumerate(above):
        if parent >= 0:
            local[:, number] = rot.multiply(rot.inverse(turned[:, parent]), turned[:, number])
    xyzw = rot.continuous(rot.normalize(local))[..., [1, 2, 3, 0]]
    block = Block()
    tracks = {(number, "rotation"): xyzw[:, number] for number in range(len(joints))}
    tracks[0, "translation"] = clip.positions()[:, joints[0]]
    animation = animation_record(block, tracks, clip.times, {})
    title = path.stem or "motion"
    content: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "Kinetune"},
        "extensionsUsed": [ANIMATION],
        "scene": 0,
        "scenes": [{"name": title, "nodes": [0]}],
        "nodes": _nodes(pose, above),
        "animations": [{"name": title, **animation, "extras": {"kinetune": clip_notes(clip)}}],
        "accessors": block.accessors,
        "bufferViews": block.views,
        "extensions": {
            ANIMATION: {
                "specVersion": "1.0",
                "humanoid": {"humanBones": {bone: {"node": number} for number, bone in enumerate(pose.bones)}},
            }
        },
    }
    data = b"".join(block.parts)
    content["buffers"] = [{"byteLength": len(data)}]
    return {path: glb_bytes(json.dumps(content, ensure_ascii=False, separators=(",", ":")), data)}


def _nodes(pose: _TPose, above: list[int]) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for number, bone in enumerate(pose.bones):
        parent = above[number]
        offset = pose.positions[number] - (0.0 if parent < 0 else pose.positions[parent])
        nodes.append({"name": bone, "translation": offset.tolist()})
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(number)
    return nodes


def _human_parents(clip: Clip, joints: list[int]) -> list[int]:
    """The human bone above each, or -1: joints between two of them are folded into the lower one."""
    rank = {joint: number for number, joint in enumerate(joints)}
    above = []
    for joint in joints:
        parent = int(clip.skeleton.parents[joint])
        while parent >= 0 and parent not in rank:
            parent = int(clip.skeleton.parents[parent])
        above.append(rank.get(parent, -1))
    return above


def _t_pose(clip: Clip, path: Path) -> _TPose:
    avatar = _avatar_bones(clip)
    bones = _bones_by_role(clip) if avatar is None else avatar[0]
    missing = [bone for bone in REQUIRED if bone not in bones]
    if missing:
        listed = ", ".join(missing[:4]) + (" ..." if len(missing) > 4 else "")
        raise FileError(
            path,
            f"a VRM animation needs joints that this skeleton does not show: {listed}.",
            advice="Retarget the motion to a VRM avatar first: kinetune retarget FILE --to AVATAR.vrm",
        )
    bones = {bone: joint for bone, joint in sorted(bones.items(), key=lambda item: item[1]) if bone not in _EYES}
    joints = list(bones.values())
    if joints[0] != bones["hips"]:
        raise FileError(path, "the hips are not the first human bone of the skeleton.")
    skeleton = clip.skeleton
    if avatar is not None:
        to_ahead = _HALF_TURN if avatar[1] else rot.identity()
        rest = bind_positions(skeleton, skeleton.offsets[0])[joints]
        back = rot.multiply(rot.inverse(rot.normalize(skeleton.rest_rotations[joints])), to_ahead)
        return _TPose(bones, rot.rotate(rot.inverse(to_ahead), rest), back)
    return _anatomical(clip, bones, joints)


def _anatomical(clip: Clip, bones: Mapping[str, int], joints: list[int]) -> _TPose:
    """The T-pose of a character whose rest pose may be any."""
    frames = find_frames(clip)
    raised = {
        "left": rot.from_axis_angle([0.0, 0.0, 1.0], np.pi / 2),
        "right": rot.from_axis_angle([0.0, 0.0, 1.0], -np.pi / 2),
    }
    back = np.empty((len(joints), 4))
    for number, (bone, joint) in enumerate(bones.items()):
        side = next((side for side in raised if bone.startswith(side)), None)
        is_arm = side is not None and any(part in bone for part in ("Arm", "Hand"))
        goal = raised[side] if side is not None and is_arm else rot.identity()
        anatomical = rot.multiply(rot.inverse(frames.world[joint]), frames.of(joint))
        back[number] = rot.multiply(anatomical, rot.inverse(goal))
    above = _human_parents(clip, joints)
    world, turned = clip.positions(), clip.world_rotations()
    positions = np.zeros((len(joints), 3))
    for number, joint in enumerate(joints):
        parent = above[number]
        if parent >= 0:
            frame = rot.multiply(turned[:, joints[parent]], back[parent])
            seen = rot.rotate(rot.inverse(frame), world[:, joint] - world[:, joints[parent]])
            positions[number] = positions[parent] + np.median(seen, axis=0)
    feet = [number for number, bone in enumerate(bones) if bone in ("leftFoot", "rightFoot")]
    leg = -float(positions[feet, 1].mean())
    positions[:, 1] += leg * (1.0 + _ANKLE)
    return _TPose(bones, positions, back)


def _avatar_bones(clip: Clip) -> tuple[dict[str, int], bool] | None:
    """The human bones of the avatar that a clip was read with, and whether it looks along -Z; None without one."""
    layout = clip.source.layout
    if not isinstance(layout, GltfCharacter) or not layout.fits(clip):
        return None
    file = GltfFile(Path(layout.name), layout.data, layout.beside)
    rank = {node: joint for joint, node in enumerate(layout.joints)}
    bones = {bone: rank[node] for bone, node in human_bones(file).items() if node in rank}
    return (bones, is_old(file)) if bones else None


def _bones_by_role(clip: Clip) -> dict[str, int]:
    roles, skeleton = clip.skeleton.roles, clip.skeleton
    bones = {bone: roles[role] for bone, role in ROLE_OF_BONE.items() if role in roles}
    if "spine" in roles and "chest" in roles and roles["chest"] != roles["spine"]:
        between = [joint for joint in skeleton.chain(roles["chest"], roles["spine"]) if joint != roles["chest"]]
        if between:
            bones |= {"chest": between[len(between) // 2], "upperChest": roles["chest"]}
        else:
            bones["chest"] = roles["chest"]
    fingers = [name for name in skeleton.names if "thumb" in name.casefold() or "index" in name.casefold()]
    if fingers:
        message = "The VRM animation has no fingers: their names are not those of VRM."
        report_finding(Finding("fingers-left-out", message), warn=True)
    return bones
