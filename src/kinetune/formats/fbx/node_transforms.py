"""Where an FBX node is in its parent: eleven properties, from which come a translation, a rotation and a scale.

Local = T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹ on columns. The middle is a rotation
Q = Rpre R Rpost⁻¹, so that the whole is a rotation Q, a scale S, and the translation
T + Roff + Rp + Q (Soff + Sp - S Sp - Rp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.formats.fbx.scene_objects import FbxObject
from kinetune.formats.scene_nodes import Inherits, NodeTransform
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
    """Quaternions (n, 4) of FBX angles (n, 3) about X, Y and Z, turned about in a rotation order.

    The product Rc Rb Ra of turns about three axes, written out; e is 1 where a, b, c is an even order of X, Y, Z.
    """
    a, b, c = ("XYZ".index(axis) for axis in _axes(order))
    e = 1.0 if (b - a) % 3 == 1 else -1.0
    half = (0.5 * np.pi / 180.0) * degrees
    cosines, sines = np.cos(half), np.sin(half)
    ca, cb, cc = cosines[..., a], cosines[..., b], cosines[..., c]
    sa, sb, sc = sines[..., a], sines[..., b], sines[..., c]
    quaternions = np.empty((*half.shape[:-1], 4))
    quaternions[..., 0] = ca * cb * cc + e * (sa * sb * sc)
    quaternions[..., 1 + a] = sa * cb * cc - e * (ca * sb * sc)
    quaternions[..., 1 + b] = ca * sb * cc + e * (sa * cb * sc)
    quaternions[..., 1 + c] = ca * cb * sc - e * (sa * sb * cc)
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


def node_transform(model: FbxObject, moving: Mapping[str, Floats]) -> NodeTransform:
    """Translation, rotation and scale of a node; ``moving`` holds the properties (n, 3) that have curves."""
    rotation = from_degrees(_value(model, moving, ROTATION), rotation_order(model))
    around = pre_and_post(model, moving) if _has(model, moving, _AROUND) else None
    if around is not None:
        pre, post = around
        rotation = rotation if _is_identity(pre) else rot.multiply(pre, rotation)
        rotation = rotation if _is_identity(post) else rot.multiply(rotation, post)
    scale = _value(model, moving, SCALING)
    translation = _value(model, moving, TRANSLATION)
    if _has(model, moving, _PIVOTS):
        before, after = pivots(model, moving, scale)
        translation = translation + before + rot.rotate(rotation, after)
    return NodeTransform(translation, rotation, scale)


def _is_identity(quaternions: Floats) -> bool:
    return len(quaternions) == 1 and abs(quaternions[0, 0]) == 1.0


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
    """How the scale of its parent reaches a node."""
    kind = int(model.number_of("InheritType", 0))
    return Inherits(kind) if kind in (0, 1, 2) else Inherits.FULLY


def _value(model: FbxObject, moving: Mapping[str, Floats], name: str) -> Floats:
    moved = moving.get(name)
    return static_value(model, name) if moved is None else moved
