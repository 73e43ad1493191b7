"""Writing glTF: joints as nodes, one animation, and a stick figure as the skin.

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

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError
from kinetune.formats.characters.character import CharacterFile
from kinetune.formats.characters.sparse_keys import choose_tracks
from kinetune.formats.clip_notes import clip_notes
from kinetune.formats.gltf.blocks import FLOAT, Block, animation_record, glb_bytes
from kinetune.formats.stick_figure_mesh import StickFigureMesh, bind_positions, build_stick_figure, loose_joints
from kinetune.rotations import Floats

_BYTE, _SHORT, _INT = 5121, 5123, 5125
_VERTICES, _INDICES = 34962, 34963
_COLOUR = [0.42, 0.56, 0.72, 1.0]


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
    mesh = _mesh(block, build_stick_figure(skeleton, clip.root[0], loose_joints(clip)), joints)
    binds = _inverse_binds(skeleton, clip.root[0])
    bind = block.accessor(block.view(binds.astype("<f4")), "MAT4", FLOAT, joints)
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
                "pbrMetallicRoughness": {"baseColorFactor": _COLOUR, "metallicFactor": 0.0, "roughnessFactor": 0.6},
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


def _inverse_binds(skeleton: Skeleton, root: Floats) -> Floats:
    """World to joint in the rest pose, (joints, 4, 4) stored by columns as glTF wants them."""
    back = rot.to_matrix(rot.inverse(rot.normalize(skeleton.rest_rotations)))
    by_columns = np.zeros((len(skeleton), 4, 4))
    by_columns[:, :3, :3] = np.swapaxes(back, 1, 2)
    by_columns[:, 3, :3] = -np.einsum("jab,jb->ja", back, bind_positions(skeleton, root))
    by_columns[:, 3, 3] = 1.0
    return by_columns


def _mesh(block: Block, figure: StickFigureMesh, joints: int) -> dict[str, Any]:
    points = figure.points.astype("<f4")
    count = len(points)
    small_joints, small_faces = joints <= 256, count <= 65535
    owners = np.zeros((count, 4), "<u1" if small_joints else "<u2")
    owners[:, 0] = figure.joints
    weights = np.zeros((count, 4), "<u1")
    weights[:, 0] = 255
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    faces = figure.triangles.astype("<u2" if small_faces else "<u4").reshape(-1)
    attributes = {
        "POSITION": block.accessor(block.view(points, _VERTICES), "VEC3", FLOAT, count, min=low, max=high),
        "NORMAL": block.accessor(block.view(figure.normals.astype("<f4"), _VERTICES), "VEC3", FLOAT, count),
        "JOINTS_0": block.accessor(block.view(owners, _VERTICES), "VEC4", _BYTE if small_joints else _SHORT, count),
        "WEIGHTS_0": block.accessor(block.view(weights, _VERTICES), "VEC4", _BYTE, count, normalized=True),
    }
    indices = block.accessor(block.view(faces, _INDICES), "SCALAR", _SHORT if small_faces else _INT, len(faces))
    return {"name": "Figure", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}


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
