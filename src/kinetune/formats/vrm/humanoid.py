"""What the joints of a VRM avatar or a VRM animation mean, as its file says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetune.formats.gltf.container import GltfFile

ANIMATION, AVATAR, OLD_AVATAR = "VRMC_vrm_animation", "VRMC_vrm", "VRM"
"""Extensions of VRM animations (.vrma), of VRM 1.0 and of VRM 0.x."""

_TRUNK = {"hips": "hips", "spine": "spine", "neck": "neck", "head": "head"}
_LIMBS = {
    "Shoulder": "collar",
    "UpperArm": "upper arm",
    "LowerArm": "lower arm",
    "Hand": "hand",
    "UpperLeg": "upper leg",
    "LowerLeg": "lower leg",
    "Foot": "foot",
    "Toes": "toes",
}
ROLE_OF_BONE: Mapping[str, str] = {
    **_TRUNK,
    **{f"{side}{bone}": f"{side} {role}" for side in ("left", "right") for bone, role in _LIMBS.items()},
}
"""Human bone of VRM -> role; chest and upperChest are decided together."""
REQUIRED = (
    "hips",
    "spine",
    "head",
    *(
        f"{side}{bone}"
        for side in ("left", "right")
        for bone in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
    ),
)
"""The bones that every avatar and animation has."""


def human_bones(file: GltfFile) -> dict[str, int]:
    """Human bone to node, as the file says; empty for a file that is no VRM."""
    extensions = file.content.get("extensions")
    if not isinstance(extensions, dict):
        return {}
    for name in (ANIMATION, AVATAR):
        if name in extensions:
            return _checked(file, _of(_of(extensions[name], "humanoid"), "humanBones"))
    listed = _of(_of(extensions.get(OLD_AVATAR), "humanoid"), "humanBones")
    if isinstance(listed, list):
        named = {item["bone"]: item for item in listed if isinstance(item, dict) and isinstance(item.get("bone"), str)}
        return _checked(file, named)
    return {}


def is_animation(file: GltfFile) -> bool:
    """Whether it is a VRM animation."""
    extensions = file.content.get("extensions")
    return isinstance(extensions, dict) and ANIMATION in extensions


def is_old(file: GltfFile) -> bool:
    """Whether it is VRM 0.x, whose avatars look along -Z."""
    extensions = file.content.get("extensions")
    return isinstance(extensions, dict) and OLD_AVATAR in extensions and AVATAR not in extensions


def _of(holder: object, key: str) -> Any:
    return holder.get(key) if isinstance(holder, dict) else None


def _checked(file: GltfFile, bones: object) -> dict[str, int]:
    if bones is None:
        return {}
    if not isinstance(bones, dict):
        raise file.fail('"humanBones" must be an object.')
    count = len(file.listed("nodes"))
    nodes: dict[str, int] = {}
    for bone, item in bones.items():
        if not isinstance(item, dict):
            raise file.fail(f'the human bone "{bone[:60]}" must be an object.')
        node = file.index(item, "node", count, f'human bone "{bone[:60]}"')
        if node in nodes.values():
            raise file.fail(f"node {node} is assigned to two human bones.")
        nodes[bone] = node
    return nodes


def stated_roles(bones: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Roles of human bones (bone to joint): the last joint of the trunk is the chest."""
    roles = {role: bones[bone] for bone, role in ROLE_OF_BONE.items() if bone in bones}
    chest = next((bones[bone] for bone in ("upperChest", "chest", "spine") if bone in bones), None)
    if chest is not None:
        roles["chest"] = chest
    return tuple(roles.items())
