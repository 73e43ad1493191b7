"""The meshes of a glTF character on the joints of its clip."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.source import Source
from kinetune.formats.characters.skinned_mesh import MeshMaterial, MeshPart, SkinnedMesh, join_parts, rest_frames
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.gltf.gltf_character import GltfCharacter
from kinetune.formats.gltf.gltf_reader import read_tree
from kinetune.formats.scene_nodes import SceneTree
from kinetune.formats.unit_and_up import world_rotation
from kinetune.rotations import Floats

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_BONES_AT_MOST = 4  # sets of four weights


def read_mesh(character: GltfCharacter, source: Source) -> SkinnedMesh | None:
    """All meshes that hang on joints of the character, skinned or not; None where there are none."""
    return _MeshReader(character, source).read()


class _MeshReader:
    def __init__(self, character: GltfCharacter, source: Source) -> None:
        self.file = GltfFile(Path(character.name), character.data, character.beside)
        self.tree = read_tree(self.file)
        self.rank = {node: joint for joint, node in enumerate(character.joints)}
        self.world = node_matrices(self.file, self.tree)
        to_ours = np.eye(4)
        to_ours[:3, :3] = source.metres_per_unit * rot.to_matrix(world_rotation(source.up))
        rest = rest_frames(character.skeleton, character.skeleton.offsets[0])
        self.from_file = {  # node of a joint -> from the world of the file to the frame of the joint at rest
            node: np.linalg.inv(rest[joint]) @ to_ours for node, joint in self.rank.items()
        }
        self.bone_joints: list[int] = []
        self.binds: list[Floats] = []
        self.parts: list[MeshPart] = []
        self.materials = [MeshMaterial()]
        self.material_rows: dict[int, int] = {}

    def read(self) -> SkinnedMesh | None:
        above = self.tree.joints_above(self.rank)
        meshes, skins = self.file.listed("meshes"), self.file.listed("skins")
        for number, node in enumerate(self.tree.nodes):
            if node.get("mesh") is None:
                continue
            where = f"node {number}"
            mesh = meshes[self.file.index(node, "mesh", len(meshes), where)]
            carrier = number if number in self.rank else above[number]
            bones = None
            if node.get("skin") is not None:
                bones = self._skin_bones(skins[self.file.index(node, "skin", len(skins), where)], where)
            elif carrier >= 0:
                bones = [self._bone(carrier, self.world[number])]
            if bones is not None:
                for part in self.file.objects(mesh, "primitives", "primitives"):
                    self._add(part, bones, node.get("skin") is not None, f"mesh of {where}")
        return join_parts(self.parts, self.bone_joints, self.binds, self.materials)

    def _bone(self, node: int, mesh_to_world: Floats) -> int:
        self.bone_joints.append(self.rank[node])
        self.binds.append(self.from_file[node] @ mesh_to_world)
        return len(self.binds) - 1

    def _skin_bones(self, skin: Mapping[str, Any], where: str) -> list[int] | None:
        """A bone for each joint of a skin; None for a skin that is not on the joints of the clip."""
        joints = skin.get("joints", [])
        if not all(node in self.rank for node in joints):
            return None
        inverse_binds: Floats = np.tile(np.eye(4), (len(joints), 1, 1))
        if skin.get("inverseBindMatrices") is not None:
            number = self.file.index(skin, "inverseBindMatrices", len(self.file.listed("accessors")), where)
            stored = self.file.accessor(number)
            if stored.shape[1] != 16 or len(stored) < len(joints):
                raise self.file.fail(f"the skin of {where} has {len(joints)} joints and {len(stored)} bind matrices.")
            inverse_binds = stored[: len(joints)].reshape(-1, 4, 4).swapaxes(1, 2)
        return [self._bone(node, self.world[node] @ back) for node, back in zip(joints, inverse_binds, strict=True)]

    def _add(self, part: Mapping[str, Any], bones: list[int], skinned: bool, where: str) -> None:
        attributes = part.get("attributes")
        extensions = part.get("extensions")
        if isinstance(extensions, dict) and "KHR_draco_mesh_compression" in extensions:
            raise self.file.fail(f"the {where} is compressed with Draco, which is not read.")
        if not isinstance(attributes, dict) or "POSITION" not in attributes:
            return
        points = self._attribute(attributes, "POSITION", 3, where)
        assert points is not None
        count = len(points)
        triangles = self._triangles(part, count, where)
        if triangles is None:
            return
        owners, weights = np.zeros((count, 1), np.int64), np.ones((count, 1))
        if skinned:
            sets = [(f"JOINTS_{k}", f"WEIGHTS_{k}") for k in range(_BONES_AT_MOST) if f"JOINTS_{k}" in attributes]
            rows = [self._attribute(attributes, joints, 4, where, count) for joints, _ in sets]
            shares = [self._attribute(attributes, share, 4, where, count) for _, share in sets]
            if not rows or any(each is None for each in (*rows, *shares)):
                raise self.file.fail(f"the {where} has a skin but no weights.")
            listed = np.concatenate([row for row in rows if row is not None], axis=1)
            if not (listed.min() >= 0 and listed.max() < len(bones)):
                raise self.file.fail(f"the {where} follows joints that its skin of {len(bones)} does not have.")
            owners = listed.astype(np.int64)
            weights = np.maximum(np.concatenate([share for share in shares if share is not None], axis=1), 0.0)
        colour = self._attribute(attributes, "COLOR_0", None, where, count)
        self.parts.append(
            MeshPart(
                points,
                self._attribute(attributes, "NORMAL", 3, where, count),
                self._attribute(attributes, "TEXCOORD_0", 2, where, count),
                None if colour is None else colour[:, :3],
                triangles,
                np.full(len(triangles), self._material(part, where)),
                np.array(bones)[owners],
                weights,
            )
        )

    def _attribute(
        self, attributes: Mapping[str, Any], name: str, width: int | None, where: str, count: int | None = None
    ) -> Floats | None:
        if name not in attributes:
            return None
        values = self.file.accessor(self.file.index(attributes, name, len(self.file.listed("accessors")), where))
        wrong_width = values.shape[1] < 3 if width is None else values.shape[1] != width
        if wrong_width or (count is not None and len(values) != count) or not np.isfinite(values).all():
            raise self.file.fail(f"{name} of the {where} does not fit its other numbers.")
        return values

    def _triangles(self, part: Mapping[str, Any], count: int, where: str) -> NDArray[np.int64] | None:
        mode = part.get("mode", _TRIANGLES)
        corners = np.arange(count)
        if part.get("indices") is not None:
            number = self.file.index(part, "indices", len(self.file.listed("accessors")), where)
            listed = self.file.accessor(number)[:, 0]
            if not (listed.min() >= 0 and listed.max() < count):
                raise self.file.fail(f"the {where} names vertices that it does not have.")
            corners = listed.astype(np.int64)
        if mode == _TRIANGLES:
            return corners[: len(corners) // 3 * 3].reshape(-1, 3)
        if mode == _STRIP:
            strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
            strip[1::2] = strip[1::2, ::-1]
            return strip
        if mode == _FAN:
            return np.stack([np.full(max(0, len(corners) - 2), corners[0]), corners[1:-1], corners[2:]], axis=1)
        return None  # points and lines

    def _material(self, part: Mapping[str, Any], where: str) -> int:
        if part.get("material") is None:
            return 0
        listed = self.file.listed("materials")
        number = self.file.index(part, "material", len(listed), where)
        if number not in self.material_rows:
            self.material_rows[number] = len(self.materials)
            look = listed[number].get("pbrMetallicRoughness")
            look = look if isinstance(look, dict) else {}
            factor = self.file.numbers(look, "baseColorFactor", 4, f"material {number}")
            red, green, blue = (1.0, 1.0, 1.0) if factor is None else np.clip(factor[:3], 0.0, 1.0).tolist()
            self.materials.append(MeshMaterial((red, green, blue), self._picture(look.get("baseColorTexture"))))
        return self.material_rows[number]

    def _picture(self, reference: object) -> bytes | None:
        """The file of a texture; None where there is none, or none that can be read."""
        textures, images = self.file.listed("textures"), self.file.listed("images")
        if not isinstance(reference, dict) or not self.file.is_index(reference.get("index"), len(textures)):
            return None
        source = textures[reference["index"]].get("source")
        if not self.file.is_index(source, len(images)):
            return None
        image = images[int(str(source))]
        uri, view = image.get("uri"), image.get("bufferView")
        if isinstance(uri, str) and uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2])
            except (binascii.Error, ValueError):
                return None
        if isinstance(uri, str):
            return (self.file.beside or {}).get(uri) or (self.file.beside or {}).get(unquote(uri))
        views = self.file.listed("bufferViews")
        if not self.file.is_index(view, len(views)):
            return None
        described = views[int(str(view))]
        data = self.file.buffer(self.file.index(described, "buffer", len(self.file.listed("buffers")), "image"))
        start = self.file.count(described, "byteOffset", "image", 0)
        return data[start : start + self.file.count(described, "byteLength", "image")]


def node_matrices(file: GltfFile, tree: SceneTree) -> Floats:
    """Where nodes are at rest in the world of the file, (nodes, 4, 4), with all scales and shears."""
    world = np.tile(np.eye(4), (len(tree.nodes), 1, 1))
    for number in tree.order:
        matrix = file.numbers(tree.nodes[number], "matrix", 16, f"node {number}")
        if matrix is not None:
            local = matrix.reshape(4, 4).T
        else:
            rest = tree.rest[number]
            local = np.eye(4)
            local[:3, :3] = rot.to_matrix(rest.rotation[0]) * rest.scale[0]
            local[:3, 3] = rest.translation[0]
        parent = tree.parents[number]
        world[number] = local if parent < 0 else world[parent] @ local
    return world
