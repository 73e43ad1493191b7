"""Writing glTF: joints as nodes, one animation, and a body as the skin.

The JSON is built as plain dictionaries and the numbers as one block of bytes: that is the whole of the format that a
moving skeleton needs, and every byte of it is checked by the Khronos validator in ``tests/external``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError
from kinetune.formats.characters.character import CharacterFile
from kinetune.formats.characters.skinned_mesh import SkinnedMesh
from kinetune.formats.characters.sparse_keys import choose_tracks
from kinetune.formats.characters.visible_body import visible_body
from kinetune.formats.clip_notes import clip_notes
from kinetune.formats.gltf.blocks import FLOAT, Block, animation_record, glb_bytes
from kinetune.rotations import Floats

_BYTE, _SHORT, _INT = 5121, 5123, 5125
_VERTICES, _INDICES = 34962, 34963


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a ``.glb``, or of a ``.gltf`` with its data embedded; of its own character, if it has one."""
    character = clip.source.layout
    if isinstance(character, CharacterFile) and character.format == "gltf" and character.fits(clip):
        from kinetune.formats.gltf._gltf_character_writer import put_back
        from kinetune.formats.gltf.gltf_character import GltfCharacter

        assert isinstance(character, GltfCharacter)
        return put_back(clip, path, character)
    if path.suffix.lower() == ".vrm":
        raise FileError(
            path,
            "a VRM file is an avatar, and this motion has none.",
            advice="Name one with character=, or write the motion alone as .vrma.",
        )
    content, block = _document(clip, path)
    if path.suffix.lower() == ".gltf":
        data = base64.b64encode(block).decode()
        content["buffers"] = [{"byteLength": len(block), "uri": f"data:application/octet-stream;base64,{data}"}]
        return {path: json.dumps(content, ensure_ascii=False, indent=1).encode()}
    content["buffers"] = [{"byteLength": len(block)}]
    return {path: glb_bytes(json.dumps(content, ensure_ascii=False, separators=(",", ":")), block)}


def _document(clip: Clip, path: Path) -> tuple[dict[str, Any], bytes]:
    skeleton, block = clip.skeleton, Block()
    joints = len(skeleton)
    nodes = _joint_nodes(skeleton, clip.root[0])
    armature, skin = len(nodes), len(nodes) + 1
    nodes.append({"name": _fresh_name("Armature", nodes), "children": list(skeleton.roots)})
    nodes.append({"name": _fresh_name("Figure", nodes), "mesh": 0, "skin": 0})
    body = visible_body(clip)
    mesh = _mesh(block, body)
    by_columns = np.swapaxes(body.binds, 1, 2)
    bind = block.accessor(block.view(by_columns.astype("<f4")), "MAT4", FLOAT, joints)
    colour = [*body.materials[0].colour, 1.0]
    title = path.stem or "motion"
    content: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "Kinetune"},
        "scene": 0,
        "scenes": [{"name": title, "nodes": [armature, skin]}],
        "nodes": nodes,
        "meshes": [mesh],
        "materials": [
            {
                "name": "Figure",
                "pbrMetallicRoughness": {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.6},
            }
        ],
        "skins": [
            {"name": "Armature", "inverseBindMatrices": bind, "skeleton": armature, "joints": list(range(joints))}
        ],
        "animations": [{"name": title, **_animation(block, clip)}],
        "accessors": block.accessors,
        "bufferViews": block.views,
        "extras": {"kinetune": {**clip_notes(clip), "root_offset": skeleton.offsets[0].tolist()}},
    }
    return content, b"".join(block.parts)


def _joint_nodes(skeleton: Skeleton, root: Floats) -> list[dict[str, Any]]:
    """Joints in skeleton order, then the end sites; at rest, with the first joint where the clip begins."""
    nodes: list[dict[str, Any]] = []
    for joint, name in enumerate(skeleton.names):
        w, x, y, z = rot.normalize(skeleton.rest[joint]).tolist()
        position = root if joint == 0 else skeleton.offsets[joint]
        node: dict[str, Any] = {"name": name, "translation": position.tolist(), "rotation": [x, y, z, w]}
        if skeleton.children[joint]:
            node["children"] = list(skeleton.children[joint])
        nodes.append(node)
    for site in skeleton.end_sites:
        mark = "unnamed end site" if site.name is None else "end site"
        name = site.name or f"{skeleton.names[site.parent]}_end"
        tip = {"name": name, "translation": list(site.offset), "extras": {"kinetune": mark}}
        nodes[site.parent].setdefault("children", []).append(len(nodes))
        nodes.append(tip)
    return nodes


def _fresh_name(name: str, nodes: list[dict[str, Any]]) -> str:
    taken = {node["name"] for node in nodes}
    while name in taken:
        name += "_"
    return name


def _mesh(block: Block, body: SkinnedMesh) -> dict[str, Any]:
    points = body.points.astype("<f4")
    count = len(points)
    small_joints, small_faces = len(body.bone_joints) <= 256, count <= 65535
    owners, weights = _influences(body)
    owners = owners.astype("<u1" if small_joints else "<u2")
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    faces = body.triangles.astype("<u2" if small_faces else "<u4").reshape(-1)
    attributes = {
        "POSITION": block.accessor(block.view(points, _VERTICES), "VEC3", FLOAT, count, min=low, max=high),
        "NORMAL": block.accessor(block.view(body.normals.astype("<f4"), _VERTICES), "VEC3", FLOAT, count),
        "JOINTS_0": block.accessor(block.view(owners, _VERTICES), "VEC4", _BYTE if small_joints else _SHORT, count),
        "WEIGHTS_0": block.accessor(block.view(weights, _VERTICES), "VEC4", _BYTE, count, normalized=True),
    }
    if np.any(body.tints != 1.0):
        tints = np.full((count, 4), 255, "<u1")
        tints[:, :3] = np.round(255.0 * np.clip(body.tints, 0.0, 1.0))
        attributes["COLOR_0"] = block.accessor(block.view(tints, _VERTICES), "VEC4", _BYTE, count, normalized=True)
    indices = block.accessor(block.view(faces, _INDICES), "SCALAR", _SHORT if small_faces else _INT, len(faces))
    return {"name": "Figure", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}


def _influences(body: SkinnedMesh) -> tuple[NDArray[np.integer], NDArray[np.uint8]]:
    """The four joints of each vertex and their weights of 255, whose sum is exact; a joint without weight is 0."""
    weights = np.round(255.0 * body.weights).astype(np.int64)
    rows, largest = np.arange(len(weights)), body.weights.argmax(axis=1)
    weights[rows, largest] += 255 - weights.sum(axis=1)
    room = ((0, 0), (0, 4 - weights.shape[1]))
    return np.pad(np.where(weights > 0, body.bones, 0), room), np.pad(weights.astype("<u1"), room)


def _animation(block: Block, clip: Clip) -> dict[str, Any]:
    tracks = joint_tracks(clip)
    return animation_record(block, tracks, clip.times, choose_tracks(clip, tracks, played_track))


def played_track(target: tuple[int, str], played: Floats) -> Floats:
    """A track as a player reads it: rotations wxyz of unit length."""
    return rot.normalize(played[:, [3, 0, 1, 2]]) if target[1] == "rotation" else played


def joint_tracks(clip: Clip) -> dict[tuple[int, str], Floats]:
    """(joint, path) -> values at every frame: all rotations, and the translations of joints that move."""
    xyzw = rot.continuous(rot.normalize(clip.rotations))[..., [1, 2, 3, 0]]
    tracks: dict[tuple[int, str], Floats] = {(joint, "rotation"): xyzw[:, joint] for joint in range(len(clip.skeleton))}
    tracks[0, "translation"] = clip.root
    if clip.translations is not None:
        travel = np.abs(clip.translations - clip.skeleton.offsets).max(axis=(0, 2))
        for joint in np.flatnonzero(travel[1:] > 0) + 1:
            tracks[int(joint), "translation"] = clip.translations[:, joint]
    return tracks
