"""What a clip keeps of the FBX file it came from: the whole file, and which of its objects are the joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.skeleton import Skeleton
from kinetune.body.source import Source
from kinetune.formats.characters.character import CharacterFile
from kinetune.formats.characters.skinned_mesh import SkinnedMesh
from kinetune.formats.fbx.scene_objects import FbxObject, FbxScene
from kinetune.rotations import Floats


@dataclass(frozen=True, eq=False)
class FbxCharacter(CharacterFile):
    """An ``.fbx`` as it was read.

    stack : the number of the take that was read, None when there was none
    axes : (3, 3) from the axes of the file to ours
    """

    stack: int | None
    axes: Floats

    def mesh(self, source: Source) -> SkinnedMesh | None:
        """The meshes that hang on the joints."""
        from kinetune.formats.fbx._fbx_mesh import read_mesh

        return read_mesh(self, source)


def read_character(
    scene: FbxScene,
    skeleton: Skeleton,
    joints: Sequence[FbxObject],
    stack: FbxObject | None,
    times: Floats,
    axes: Floats,
) -> FbxCharacter:
    """The file as a character."""
    file = scene.file
    return FbxCharacter(
        "fbx",
        file.path.name,
        file.data,
        skeleton,
        tuple(joint.number for joint in joints),
        _contents(scene),
        tuple(take.name for take in scene.of_kind("AnimationStack")),
        len(times),
        times,
        None if stack is None else stack.number,
        axes,
    )


_COUNTED = ("Geometry", "Deformer", "Material", "Texture")


def _contents(scene: FbxScene) -> tuple[str, ...]:
    kinds: dict[tuple[str, str], int] = {}
    for item in scene.objects.values():
        if item.kind in _COUNTED:
            kinds[item.kind, item.subtype] = kinds.get((item.kind, item.subtype), 0) + 1
    counts = [
        (kinds.get(("Geometry", "Mesh"), 0), "mesh", "meshes"),
        (kinds.get(("Deformer", "Skin"), 0), "skin", "skins"),
        (kinds.get(("Deformer", "BlendShapeChannel"), 0), "shape key", "shape keys"),
        (sum(number for (kind, _), number in kinds.items() if kind == "Material"), "material", "materials"),
        (sum(number for (kind, _), number in kinds.items() if kind == "Texture"), "texture", "textures"),
    ]
    return tuple(f"{number} {one if number == 1 else many}" for number, one, many in counts if number)


def to_our_axes(positions: Floats, rotations: Floats, roots: Sequence[int], axes: Floats) -> tuple[Floats, Floats]:
    """Joints (n, joints, 3) and (n, joints, 4) of a world with these axes, in ours; a left-handed one is mirrored."""
    if np.linalg.det(axes) < 0:
        positions, rotations, axes = positions * _MIRROR, rotations * _MIRRORED, axes * _MIRROR
    return _turned(positions, rotations, roots, axes)


def to_file_axes(positions: Floats, rotations: Floats, roots: Sequence[int], axes: Floats) -> tuple[Floats, Floats]:
    """The inverse of :func:`to_our_axes`."""
    mirrored = bool(np.linalg.det(axes) < 0)
    proper = axes * _MIRROR if mirrored else axes
    positions, rotations = _turned(positions, rotations, roots, proper.T)
    return (positions * _MIRROR, rotations * _MIRRORED) if mirrored else (positions, rotations)


_MIRROR, _MIRRORED = np.array([-1.0, 1.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0])


def _turned(positions: Floats, rotations: Floats, roots: Sequence[int], axes: Floats) -> tuple[Floats, Floats]:
    if np.array_equal(axes, np.eye(3)):
        return positions, rotations
    positions, rotations = positions.copy(), rotations.copy()
    positions[:, roots] = positions[:, roots] @ axes.T
    rotations[:, roots] = rot.multiply(rot.from_matrix(axes), rotations[:, roots])
    return positions, rotations
