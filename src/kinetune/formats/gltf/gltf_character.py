"""What a clip keeps of the glTF file it came from: the whole file, and which of its nodes are the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinetune.body.skeleton import Skeleton
from kinetune.body.source import Source
from kinetune.findings import Finding
from kinetune.formats.characters.character import CharacterFile
from kinetune.formats.characters.skinned_mesh import SkinnedMesh
from kinetune.formats.gltf.container import GltfFile
from kinetune.rotations import Floats


@dataclass(frozen=True, eq=False)
class GltfCharacter(CharacterFile):
    """A ``.glb`` or ``.gltf`` as it was read.

    beside : the files next to it that it refers to, by URI
    animation : the number of the animation that was read, None when there was none
    """

    beside: Mapping[str, bytes]
    animation: int | None

    def mesh(self, source: Source) -> SkinnedMesh | None:
        """The meshes that hang on the joints."""
        from kinetune.formats.gltf._gltf_mesh import read_mesh

        return read_mesh(self, source)


def read_character(
    file: GltfFile,
    kind: str,
    skeleton: Skeleton,
    joints: Sequence[int],
    animation: int | None,
    times: Floats,
    findings: list[Finding],
) -> GltfCharacter:
    """The file as a character; what lies outside of its folder is reported, because it cannot be kept."""
    elsewhere = [uri for uri in file.outside_uris() if file.path_beside(uri) is None]
    if elsewhere:
        message = f'It refers to "{elsewhere[0][:80]}", outside of its folder; that file is not kept with the clip.'
        findings.append(Finding("file-elsewhere", message))
    names = tuple(str(a.get("name") or f"animation_{n}") for n, a in enumerate(file.listed("animations")))
    return GltfCharacter(
        kind,
        file.path.name,
        file.data,
        skeleton,
        tuple(joints),
        _contents(file),
        names,
        len(times),
        times,
        file.files_beside(),
        animation,
    )


def _contents(file: GltfFile) -> tuple[str, ...]:
    accessors = file.listed("accessors")
    vertices = targets = 0
    for mesh in file.listed("meshes"):
        for part in file.objects(mesh, "primitives", "primitives"):
            place = _of(part, "attributes").get("POSITION")
            if isinstance(place, int) and file.is_index(place, len(accessors)):
                count = accessors[place].get("count", 0)
                vertices += count if isinstance(count, int) else 0
            shapes = part.get("targets")
            targets = max(targets, len(shapes) if isinstance(shapes, list) else 0)
    meshes = len(file.listed("meshes"))
    listed = [
        f"{_count(meshes, 'mesh', 'meshes')} ({vertices:,} vertices)" if meshes else "",
        _count(len(file.listed("skins")), "skin", "skins"),
        _count(targets, "shape key", "shape keys"),
        _count(len(file.listed("materials")), "material", "materials"),
        _count(len(file.listed("images")), "texture", "textures"),
    ]
    return tuple(text for text in listed if text)


def _of(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""
