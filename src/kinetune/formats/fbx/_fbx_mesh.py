"""The meshes of an FBX character on the joints of its clip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.source import Source
from kinetune.formats.characters.skinned_mesh import MeshMaterial, MeshPart, SkinnedMesh, join_parts, rest_frames
from kinetune.formats.fbx.encoding.records import FbxFile, Record
from kinetune.formats.fbx.fbx_character import FbxCharacter
from kinetune.formats.fbx.fbx_reader import model_tree, scene_tree
from kinetune.formats.fbx.node_transforms import from_degrees
from kinetune.formats.fbx.scene_objects import FbxObject, FbxScene, as_matrix
from kinetune.formats.scene_nodes import Inherits, SceneTree
from kinetune.rotations import Floats

_MOST_BONES = 8  # that a vertex follows, the strongest
_MOST_PICTURE_BYTES = 1 << 26


def read_mesh(character: FbxCharacter, source: Source) -> SkinnedMesh | None:
    """All meshes that hang on joints of the character, skinned or not; None where there are none."""
    return _MeshReader(character, source).read()


class _MeshReader:
    def __init__(self, character: FbxCharacter, source: Source) -> None:
        self.file = FbxFile(Path(character.name), character.data)
        self.scene = FbxScene(self.file)
        self.models, self.parents = model_tree(self.scene)
        self.node_of = {model.number: node for node, model in enumerate(self.models)}
        self.rank = {self.node_of[number]: joint for joint, number in enumerate(character.joints)}
        tree = scene_tree(self.models, self.parents)
        self.above = tree.joints_above(self.rank)
        self.world = node_matrices(tree)
        axes = character.axes
        mirror = np.diag([-1.0, 1.0, 1.0]) if np.linalg.det(axes) < 0 else np.eye(3)
        to_ours = np.eye(4)
        to_ours[:3, :3] = source.metres_per_unit * (axes @ mirror if mirror[0, 0] < 0 else axes)
        self.mirror = np.eye(4)
        self.mirror[:3, :3] = mirror
        rest = rest_frames(character.skeleton, character.skeleton.offsets[0])
        self.from_file = {node: np.linalg.inv(rest[joint]) @ to_ours @ self.mirror for node, joint in self.rank.items()}
        self.bone_joints: list[int] = []
        self.binds: list[Floats] = []
        self.parts: list[MeshPart] = []
        self.materials = [MeshMaterial()]
        self.material_rows: dict[int, int] = {}

    def read(self) -> SkinnedMesh | None:
        for node, model in enumerate(self.models):
            for geometry in model.children("Geometry"):
                if geometry.subtype == "Mesh":
                    self._add(node, model, geometry)
        return join_parts(self.parts, self.bone_joints, self.binds, self.materials)

    def _bone(self, node: int, mesh_to_world: Floats) -> int:
        self.bone_joints.append(self.rank[node])
        self.binds.append(self.from_file[node] @ mesh_to_world)
        return len(self.binds) - 1

    def _add(self, node: int, model: FbxObject, geometry: FbxObject) -> None:
        where = f'the mesh "{geometry.name or model.name}"'
        vertices = self._numbers(geometry.record, "Vertices", where)
        corners = self._numbers(geometry.record, "PolygonVertexIndex", where)
        if vertices is None or corners is None or len(vertices) < 9:
            return
        points = vertices[: len(vertices) // 3 * 3].reshape(-1, 3)
        ends = corners < 0
        corners = np.where(ends, -corners - 1, corners).astype(np.int64)
        if corners.max(initial=0) >= len(points) or not np.isfinite(points).all():
            raise self.file.fail(f"{where} names vertices that it does not have.", "The file is damaged.", "Objects")
        faces, polygons = _triangulate(ends)
        carrier = node if node in self.rank else self.above[node]
        weights_of = self._weights(geometry, node, len(points), carrier, where)
        if weights_of is None:
            return
        bones, weights = weights_of
        normals = self._layer(geometry.record, "LayerElementNormal", "Normals", "NormalsIndex", 3, corners, polygons)
        uv = self._layer(geometry.record, "LayerElementUV", "UV", "UVIndex", 2, corners, polygons)
        if uv is not None:
            uv = np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1)
        if normals is None and uv is None:
            rows, triangles = np.arange(len(points)), corners[faces]
        else:  # one vertex for each different corner
            keys = [corners[:, None].astype(float), *(each for each in (normals, uv) if each is not None)]
            _, first, inverse = np.unique(
                np.concatenate(keys, axis=1).round(6), axis=0, return_index=True, return_inverse=True
            )
            rows, triangles = corners[first], inverse.reshape(-1)[faces]
            normals = None if normals is None else normals[first]
            uv = None if uv is None else uv[first]
        self.parts.append(
            MeshPart(
                points[rows],
                normals,
                uv,
                None,
                triangles,
                self._face_materials(model, geometry.record, polygons, faces),
                bones[rows],
                weights[rows],
            )
        )

    def _numbers(self, record: Record, name: str, where: str) -> NDArray[Any] | None:
        values = record.array(name)
        if values is not None and values.dtype.kind not in "fi":
            raise self.file.fail(f"{name} of {where} are not numbers.", "The file is damaged.", "Objects")
        return None if values is None else values

    def _weights(
        self, geometry: FbxObject, node: int, count: int, carrier: int, where: str
    ) -> tuple[NDArray[np.int64], Floats] | None:
        """Bones and weights (vertices, n); None for a mesh that hangs on no joint."""
        clusters = [c for skin in geometry.children("Deformer") for c in skin.children("Deformer")]
        geometric = _geometric(self.models[node])
        at_rest = self.world[node] @ geometric
        rows: list[NDArray[np.int64]] = []
        owners: list[NDArray[np.int64]] = []
        shares: list[Floats] = []
        for cluster in clusters:
            bone = next((self.node_of.get(model.number) for model in cluster.children("Model")), None)
            indices, weights = (self._numbers(cluster.record, name, where) for name in ("Indexes", "Weights"))
            if bone is None or bone not in self.rank or indices is None or weights is None:
                continue
            indices = indices.astype(np.int64)
            if len(indices) != len(weights) or (len(indices) and not 0 <= indices.min() <= indices.max() < count):
                raise self.file.fail(f"a cluster of {where} names vertices that it does not have.", "", "Objects")
            transform = as_matrix(cluster.record.array("Transform"))  # from the node of the mesh to the bone
            if transform is None:
                link = as_matrix(cluster.record.array("TransformLink"))
                transform = np.linalg.pinv(self.world[bone] if link is None else link) @ self.world[node]
            rows.append(indices)
            owners.append(np.full(len(indices), self._bone(bone, self.world[bone] @ transform @ geometric)))
            shares.append(weights.astype(float))
        if carrier < 0 and not rows:
            return None
        still = self._bone(carrier if carrier >= 0 else next(iter(self.rank)), at_rest)
        if not rows:
            return np.full((count, 1), still), np.ones((count, 1))
        return _strongest(np.concatenate(rows), np.concatenate(owners), np.concatenate(shares), count, still)

    def _layer(
        self,
        record: Record,
        layer: str,
        values: str,
        index: str,
        width: int,
        corners: NDArray[np.int64],
        polygons: NDArray[np.int64],
    ) -> Floats | None:
        """What a layer says of each corner, (corners, width); None where it says nothing that can be used."""
        element = record.child(layer)
        data = None if element is None else element.array(values)
        if element is None or data is None or data.dtype.kind != "f":
            return None
        table = data[: len(data) // width * width].reshape(-1, width)
        mapping, reference = element.value("MappingInformationType"), element.value("ReferenceInformationType")
        place = {
            "ByPolygonVertex": np.arange(len(corners)),
            "ByVertice": corners,
            "ByVertex": corners,
            "ByPolygon": polygons,
            "AllSame": np.zeros(len(corners), np.int64),
        }.get(str(mapping))
        if place is None:
            return None
        if reference in ("IndexToDirect", "Index"):
            listed = element.array(index)
            if listed is None or len(listed) <= place.max(initial=0):
                return None
            place = listed.astype(np.int64)[place]
        if place.min(initial=0) < 0 or place.max(initial=0) >= len(table) or not np.isfinite(table).all():
            return None
        return np.asarray(table[place], dtype=float)

    def _face_materials(
        self, model: FbxObject, record: Record, polygons: NDArray[np.int64], faces: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        rows = [self._material(material) for material in model.children("Material")]
        if not rows:
            return np.zeros(len(faces), np.int64)
        element = record.child("LayerElementMaterial")
        listed = None if element is None else element.array("Materials")
        by_polygon = element is not None and element.value("MappingInformationType") == "ByPolygon"
        if listed is None or not by_polygon or len(listed) <= polygons.max(initial=0):
            return np.full(len(faces), rows[0])
        chosen = np.clip(listed.astype(np.int64), 0, len(rows) - 1)[polygons[faces[:, 0]]]
        return np.array(rows)[chosen]

    def _material(self, material: FbxObject) -> int:
        if material.number not in self.material_rows:
            self.material_rows[material.number] = len(self.materials)
            name = "DiffuseColor" if material.property("DiffuseColor") else "Diffuse"
            colour = np.nan_to_num(np.clip(material.vector_of(name, 0.8), 0.0, 1.0), nan=0.8)
            picture = next(
                (
                    content
                    for texture, target in material.below
                    if texture.kind == "Texture" and target in ("DiffuseColor", "Maya|baseColor", "")
                    for video in texture.children("Video")
                    if isinstance(content := video.record.value("Content"), bytes)
                    and 0 < len(content) <= _MOST_PICTURE_BYTES
                ),
                None,
            )
            red, green, blue = (1.0, 1.0, 1.0) if picture is not None else colour.tolist()
            self.materials.append(MeshMaterial((red, green, blue), picture))
        return self.material_rows[material.number]


def _triangulate(ends: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fans of polygons as triangles of corner numbers (faces, 3), and the polygon of each corner."""
    stops = np.flatnonzero(ends) + 1
    starts = np.concatenate([[0], stops])[:-1].astype(np.int64)
    polygons = np.repeat(np.arange(len(stops)), stops - starts)
    polygons = np.concatenate([polygons, np.full(len(ends) - len(polygons), len(stops))])
    sizes = np.maximum(stops - starts - 2, 0)
    first = np.repeat(starts, sizes)
    step = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.stack([first, first + step + 1, first + step + 2], axis=1), polygons


def _strongest(
    rows: NDArray[np.int64], owners: NDArray[np.int64], shares: Floats, count: int, still: int
) -> tuple[NDArray[np.int64], Floats]:
    """The bones of each vertex with the most weight, (vertices, n); those that follow none stay with ``still``."""
    order = np.lexsort((-shares, rows))
    rows, owners, shares = rows[order], owners[order], shares[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    used = (place < _MOST_BONES) & (shares > 0)
    bones, weights = np.full((count, _MOST_BONES), still), np.zeros((count, _MOST_BONES))
    bones[rows[used], place[used]] = owners[used]
    weights[rows[used], place[used]] = shares[used]
    return bones, weights


def _geometric(model: FbxObject) -> Floats:
    """Where a mesh is in the frame of its node."""
    matrix = np.eye(4)
    turned = rot.to_matrix(from_degrees(model.vector_of("GeometricRotation", 0.0)[None], 0)[0])
    matrix[:3, :3] = turned * model.vector_of("GeometricScaling", 1.0)
    matrix[:3, 3] = model.vector_of("GeometricTranslation", 0.0)
    return matrix


def node_matrices(tree: SceneTree) -> Floats:
    """Where nodes are at rest in the world of the file, (nodes, 4, 4), with all scales.

    A node carries its frame without scale and the scale of its axes, which a child inherits as :class:`Inherits` says.
    """
    world = np.tile(np.eye(4), (len(tree.parents), 1, 1))
    bare, scales, inherited = world.copy(), np.ones((len(world), 3)), np.ones((len(world), 3))
    for node in tree.order:
        rest, parent = tree.rest[node], tree.parents[node]
        local = np.eye(4)
        local[:3, :3] = rot.to_matrix(rest.rotation[0])
        local[:3, 3] = rest.translation[0]
        scale = rest.scale[0]
        if parent < 0:
            bare[node] = local
        elif tree.inherits[node] is Inherits.FULLY:
            bare[node] = world[parent] @ local
        else:
            local[:3, 3] *= scales[parent]
            bare[node] = bare[parent] @ local
            inherited[node] = scales[parent] if tree.inherits[node] is Inherits.AXIS_BY_AXIS else inherited[parent]
            scale = scale * inherited[node]
        scales[node] = scale
        world[node] = bare[node] @ np.diag([*scale, 1.0])
    return world
