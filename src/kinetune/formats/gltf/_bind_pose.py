"""The rest pose of a glTF character from the bind matrices of its skins.

The nodes of a file may hold the pose of any frame. Bind matrices say where joints were, in the space of the mesh; what
that space is in the world the standard leaves open: that of the mesh's node in files from some programs, the world in
others. The one in which the joints are turned most like their nodes is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinetune import rotations as rot
from kinetune.body.skeleton import Skeleton
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.characters.bind_pose import rest_at_bind
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.scene_nodes import NodeTransform, SceneTree
from kinetune.formats.unit_and_up import Up, stand_upright
from kinetune.rotations import Floats


def bound_skeleton(
    file: GltfFile, tree: SceneTree, skeleton: Skeleton, joints: Mapping[int, int], up: Up, findings: list[Finding]
) -> Skeleton:
    """The skeleton, at rest as its skins were bound; ``joints`` holds the joint of each node."""
    binds: dict[int, Floats] = {}
    spaces = [rot.identity()]
    for number, skin in enumerate(file.listed("skins")):
        matrices = _bind_matrices(file, skin, number, findings)
        for node, matrix in zip(skin.get("joints", []), matrices, strict=False):
            if node in joints and np.isfinite(matrix).all() and np.linalg.det(matrix) != 0.0:
                binds.setdefault(joints[node], np.linalg.inv(matrix))
        spaces += [_world_rotation(tree, n) for n, node in enumerate(tree.nodes) if node.get("skin") == number]

    def to_ours(local: NodeTransform, inner: list[int]) -> tuple[Floats, Floats]:
        offsets, rest = np.array(local.translation), np.array(local.rotation)
        lengths = np.linalg.norm(offsets[inner], axis=1)
        usual = np.linalg.norm(skeleton.offsets[inner], axis=1)
        known = (lengths > 0) & (usual > 0)
        if known.any():
            offsets *= float(np.median(usual[known] / lengths[known]))
        roots = [root for root in skeleton.roots if root in binds]
        if known.any() and len(roots):
            rest[roots] = _in_world(skeleton, rest, roots, spaces, up)
        else:
            rest[roots] = np.nan  # a bind without bones shows nothing
        return offsets[None], rest[None]

    return rest_at_bind(skeleton, binds, to_ours)


def _bind_matrices(file: GltfFile, skin: Mapping[str, object], number: int, findings: list[Finding]) -> Floats:
    """Matrices (joints, 4, 4) from the space of the mesh to the joints, on columns; none where the file has none."""
    if skin.get("inverseBindMatrices") is None:
        return np.empty((0, 4, 4))
    try:
        place = file.index(skin, "inverseBindMatrices", len(file.listed("accessors")), f"skin {number}")
        values = file.accessor(place)
    except MalformedFileError as problem:
        message = (
            f"The bind matrices of skin {number} cannot be read: {problem.problem} The rest pose is that of the nodes."
        )
        findings.append(Finding("unread-bind-pose", message))
        return np.empty((0, 4, 4))
    return values.reshape(-1, 4, 4).swapaxes(1, 2) if values.shape[1] == 16 else np.empty((0, 4, 4))


def _world_rotation(tree: SceneTree, node: int) -> Floats:
    rotation = rot.identity()
    while node >= 0:
        rotation = rot.multiply(tree.rest[node].rotation[0], rotation)
        node = tree.parents[node]
    return rotation


def _in_world(skeleton: Skeleton, rest: Floats, roots: list[int], spaces: list[Floats], up: Up) -> Floats:
    """Rotations (roots, 4) of the roots at the bind, in the space in which most joints are turned like their nodes."""
    chosen, least = rest[roots], np.inf
    for space in spaces:
        turned = np.array(rest)
        turned[roots] = rot.multiply(space, rest[roots])
        _, turned[roots] = stand_upright(np.zeros((len(roots), 3)), turned[roots], up)
        world = np.array(turned)
        for joint, parent in enumerate(skeleton.parents.tolist()):
            if parent >= 0:
                world[joint] = rot.multiply(world[parent], turned[joint])
        away = float(np.median(rot.angle_between(world, skeleton.rest_rotations)))
        if away < least - 1e-9:
            chosen, least = turned[roots], away
    return chosen
