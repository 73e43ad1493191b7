"""Where an FBX node is in its parent: eleven properties, from which come a translation, a rotation and a scale.

Local = T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹ on columns. The middle is a rotation
Q = Rpre R Rpost⁻¹, so that the whole is a rotation Q, a scale S, and the translation
T + Roff + Rp + Q (Soff + Sp - S Sp - Rp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.formats.angles.euler_angles import parity, quaternions_from_degrees
from kinetune.formats.fbx.scene_objects import FbxObject
from kinetune.formats.scene_nodes import Inherits, NodeTransform
from kinetune.kernels.arena import Spare
from kinetune.rotations import Floats

TRANSLATION, ROTATION, SCALING = "Lcl Translation", "Lcl Rotation", "Lcl Scaling"
ANIMATED = (
    TRANSLATION,
    ROTATION,
    SCALING,
    "RotationOffset",
    "RotationPivot",
    "ScalingOffset",
    "ScalingPivot",
    "PreRotation",
    "PostRotation",
)
"""Properties that move a node and may have curves."""
ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
"""The axes in the order in which they are turned about: "XYZ" is Rz Ry Rx. A seventh, spheric, is read as XYZ."""
SPHERIC = 6
_spare = Spare()


def default_of(name: str) -> float:
    """The value of a property that the file leaves out."""
    return 1.0 if name == SCALING else 0.0


def static_value(model: FbxObject, name: str) -> Floats:
    """A property of a node at rest, (1, 3)."""
    return model.vector_of(name, default_of(name))[None]


def rotation_order(model: FbxObject) -> int:
    """The number of its rotation order; XYZ unless rotation is active."""
    return int(model.number_of("RotationOrder", 0)) if is_active(model) else 0


def is_active(model: FbxObject) -> bool:
    """Whether pre-rotation, post-rotation and the rotation order count."""
    active, limit_only = model.property("RotationActive"), model.property("RotationSpaceForLimitOnly")
    if active is None and limit_only is None:
        return True
    return bool(active and active[0]) and not (limit_only and limit_only[0])


def from_degrees(degrees: Floats, order: int) -> Floats:
    """Quaternions (n, 4) of FBX angles (n, 3) about X, Y and Z, turned about in a rotation order."""
    return quaternions_from_degrees(degrees, *_plan([order]))[:, 0]


def _plan(orders: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Columns, axes and parity for :func:`quaternions_from_degrees`, of nodes with three angles each.

    An FBX order names the axis first that is turned about first in the frame of the parent, so it is read backwards.
    """
    axes = np.array([["XYZ".index(axis) for axis in reversed(_axes(order))] for order in orders])
    return 3 * np.arange(len(orders))[:, None] + axes, axes, parity(axes)


def _turned(angles: Sequence[Floats], orders: Sequence[int]) -> list[Floats]:
    """Quaternions (n, 4) of the angles (n, 3) of each node, all nodes that have as many together."""
    quaternions: list[Floats] = list(angles)
    for count in {len(values) for values in angles}:
        nodes = [node for node, values in enumerate(angles) if len(values) == count]
        shape = (count, 3 * len(nodes))
        degrees = _spare.array(count * shape[1], np.dtype(float))[: count * shape[1]].reshape(shape)
        np.concatenate([angles[node] for node in nodes], axis=1, out=degrees)
        together = quaternions_from_degrees(degrees, *_plan([orders[node] for node in nodes]))
        for place, node in enumerate(nodes):
            quaternions[node] = together[:, place]
    return quaternions


def to_degrees(quaternions: Floats, order: int, *, smooth: bool = True) -> Floats:
    """FBX angles (n, ..., 3) about X, Y and Z of quaternions (n, ..., 4); ``smooth``: no flips along the first axis."""
    axes = _axes(order)[::-1]
    radians = rot.to_euler(quaternions, axes)
    angles = np.degrees(rot.unroll(radians, axes) if smooth else radians)
    degrees = np.empty_like(angles)
    degrees[..., ["XYZ".index(axis) for axis in axes]] = angles
    return degrees


def _axes(order: int) -> str:
    return ORDERS[order if 0 <= order < len(ORDERS) else 0]


def pre_and_post(model: FbxObject, moving: Mapping[str, Floats]) -> tuple[Floats, Floats] | None:
    """Pre-rotation and inverse post-rotation of a node, (n, 4) each; None where they do not count."""
    if not is_active(model):
        return None
    pre, post = (_value(model, moving, name) for name in _AROUND)
    return from_degrees(pre, 0), rot.inverse(from_degrees(post, 0))


def node_transforms(
    models: Sequence[FbxObject], moving: Sequence[Mapping[str, Floats]] | None = None
) -> list[NodeTransform]:
    """Translation, rotation and scale of nodes; ``moving`` holds the properties (n, 3) of each that have curves."""
    moving = moving or [{}] * len(models)
    pairs = list(zip(models, moving, strict=True))
    rotations = _turned([_value(*pair, ROTATION) for pair in pairs], [rotation_order(model) for model in models])
    around = [node for node, pair in enumerate(pairs) if _has(*pair, _AROUND) and is_active(models[node])]
    pre, post = (_turned([_value(*pairs[n], name) for n in around], [0] * len(around)) for name in _AROUND)
    for node, before, after in zip(around, pre, post, strict=True):
        rotations[node] = _between(before, rotations[node], rot.inverse(after))
    transforms = []
    for (model, moved), rotation in zip(pairs, rotations, strict=True):
        scale, translation = _value(model, moved, SCALING), _value(model, moved, TRANSLATION)
        if _has(model, moved, _PIVOTS):
            first, then = pivots(model, moved, scale)
            translation = translation + first + rot.rotate(rotation, then)
        transforms.append(NodeTransform(translation, rotation, scale))
    return transforms


def _between(before: Floats, rotation: Floats, after: Floats) -> Floats:
    """The product of three rotations (n, 4); still ones are put around the one in the middle, in its place."""
    if len(before) == len(after) == 1:
        rotation[:] = rotation @ rot.multiply(rot.multiply(before, np.eye(4)), after)
        return rotation
    return rot.multiply(rot.multiply(before, rotation), after)


_AROUND = ("PreRotation", "PostRotation")
_PIVOTS = ("RotationOffset", "RotationPivot", "ScalingOffset", "ScalingPivot")


def _has(model: FbxObject, moving: Mapping[str, Floats], names: Sequence[str]) -> bool:
    """Whether any of some properties moves or is not zero."""
    return any(name in moving or any(model.property(name) or ()) for name in names)


def pivots(model: FbxObject, moving: Mapping[str, Floats], scale: Floats) -> tuple[Floats, Floats]:
    """What pivots and offsets add to the translation of a node: before and after its rotation, (n, 3) each."""
    rotation_offset, pivot, scaling_offset, scaling_pivot = (_value(model, moving, name) for name in _PIVOTS)
    return rotation_offset + pivot, scaling_offset + scaling_pivot - scale * scaling_pivot - pivot


def inheritance(model: FbxObject) -> Inherits:
    """How the scale of its parent reaches a node; fully, where neither it nor its template says."""
    kind = int(model.number_of("InheritType", Inherits.FULLY.value))
    return Inherits(kind) if kind in (0, 1, 2) else Inherits.FULLY


def _value(model: FbxObject, moving: Mapping[str, Floats], name: str) -> Floats:
    moved = moving.get(name)
    return static_value(model, name) if moved is None else moved
