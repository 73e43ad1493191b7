"""What a file must say of bones so that Blender moves them as other programs do.

Blender makes a bone of where a joint was bound, and lays its motion over that. Of two kinds of bones it is wrong:

- A last bone that neither a skin nor a bind pose names is put at its parent's bind, without its scale, but its motion
  is measured from where the node is without one. Here such bones get a bind pose.
- A bone that begins at the tail of its parent, both bound and without a motion, is tied to it and never moves away.
  Blender puts the tail along Y, as far as the bones below are on average. Where the motion stretches such a bone, the
  node begins a third of a millimetre beside it without a motion.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.formats.fbx.encoding.records import Record
from kinetune.formats.fbx.node_transforms import TRANSLATION, static_value
from kinetune.formats.fbx.scene_objects import FbxObject, FbxScene, as_matrix
from kinetune.formats.scene_nodes import NodeTransform, SceneTree
from kinetune.rotations import Floats

BONES = ("LimbNode", "Limb", "Root")
APART = 3e-4
"""Metres by which a bone that moves is away from the tail of its parent: Blender ties those within 0.1 mm."""
_ALONG = 0.01  # of the length of a bone: one that is further off its parent's axis is not at its tail


def at_tail(offset: Floats, lengths: Sequence[float]) -> bool:
    """Whether a bone at an offset (3,) is where Blender puts the tail of a parent whose children are that far."""
    length = float(np.mean(lengths))
    return bool(np.abs(offset - (0.0, length, 0.0)).max() <= _ALONG * length)


def pose_record(matrices: Mapping[int, Floats]) -> list[Record]:
    """The children of a bind pose: number of a node -> where it was bound, (4, 4)."""
    nodes = [
        Record("PoseNode", (), [Record("Node", (np.int64(number),)), Record("Matrix", (matrix.T.ravel(),))])
        for number, matrix in matrices.items()
    ]
    return [Record("Type", ("BindPose",)), Record("Version", (100,)), Record("NbPoseNodes", (len(nodes),)), *nodes]


def missing_binds(
    scene: FbxScene,
    models: Sequence[FbxObject],
    tree: SceneTree,
    moved: Collection[int],
    stretched: Collection[int],
) -> dict[int, Floats]:
    """Number of a node -> its bind (4, 4), for last bones that have none and move, and the bones above them.

    Those that are ``stretched`` are bound a little beside where they are, so that none is tied to a tail.
    """
    bound = _binds(scene)
    bones = {node for node, model in enumerate(models) if model.subtype in BONES}
    inner = {tree.parents[node] for node in bones}
    ends = [n for n in sorted(bones - inner) if models[n].number in moved and models[n].number not in bound]
    matrices: dict[int, Floats] = {-1: np.eye(4)}
    astray = {-1: False}
    for node in sorted(tree.with_ancestors(ends)):
        number, parent = models[node].number, tree.parents[node]
        local = _matrix(tree.rest[node])
        if number in stretched and node in ends:
            local[0, 3] += _ALONG * np.linalg.norm(local[:3, 3])
        matrices[node] = bound.get(number, matrices[parent] @ local)
        scaled = node in bones and np.ptp([*tree.rest[node].scale[0], 1.0]) > 1e-6
        astray[node] = astray[parent] or number in bound or scaled
    needed = bones & tree.with_ancestors([node for node in ends if astray[node]])
    return {models[node].number: matrices[node] for node in sorted(needed)}


def starts_apart(
    models: Sequence[FbxObject],
    tree: SceneTree,
    travels: Mapping[int, float],
    lengths: Mapping[int, float],
    others: Sequence[FbxObject],
) -> dict[int, Floats]:
    """Number of a node -> its translation (3,) without a motion, for bones that begin at a tail and leave it.

    Parameters
    ----------
    models, tree : the nodes of the file
    travels : mapping
        Number of a node -> how far the motion takes it from its offset, in the unit of the file.
    lengths : mapping
        Number of a node -> its distance from the joint above, in metres.
    others : sequence
        The other takes; none of them may need the old translation.
    """
    bones = [node for node, model in enumerate(models) if model.subtype in BONES]
    reach = {node: float(np.linalg.norm(tree.rest[node].translation)) for node in bones}
    starts = {}
    for node in bones:
        parent, model, offset = tree.parents[node], models[node], tree.rest[node].translation[0]
        if parent not in reach or model.number not in travels or reach[node] == 0.0:
            continue
        metres = lengths.get(model.number, 0.0) / reach[node]
        beside = [reach[other] for other in bones if tree.parents[other] == parent]
        leaves = metres * travels[model.number] > APART / 6 and at_tail(offset, beside)
        if leaves and all(model.number in _translated(stack) for stack in others):
            starts[model.number] = static_value(model, TRANSLATION)[0] + (APART / metres, 0.0, 0.0)
    return starts


def _binds(scene: FbxScene) -> dict[int, Floats]:
    """Number of a node -> where it was bound, by bind poses and, before them, skins."""
    binds: dict[int, Floats] = {}
    for pose in scene.of_kind("Pose"):
        if pose.record.value("Type") != "BindPose":
            continue
        for record in pose.record.all("PoseNode"):
            matrix = as_matrix(record.array("Matrix"))
            if matrix is not None and isinstance(record.value("Node"), int):
                binds[record.value("Node")] = matrix
    for cluster in scene.of_kind("Deformer"):
        link = as_matrix(cluster.record.array("TransformLink")) if cluster.subtype == "Cluster" else None
        if link is not None:
            binds |= {model.number: link for model in cluster.children("Model")}
    return binds


def _translated(stack: FbxObject) -> set[int]:
    """The numbers of the nodes whose translation has curves in a take."""
    return {
        target.number
        for layer in stack.children("AnimationLayer")
        for node in layer.children("AnimationCurveNode")
        if any(node.children("AnimationCurve"))
        for target, name in node.above
        if name == TRANSLATION
    }


def _matrix(transform: NodeTransform) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3] = rot.to_matrix(transform.rotation[0]) * transform.scale[0]
    matrix[:3, 3] = transform.translation[0]
    return matrix
