"""glTF 2.0 (``.glb``, ``.gltf``): read from skinned characters, written with a body as the skin.

===================  =================================================================================
gltf_reader          A clip from a glTF file: skinned characters, animated nodes, or a rest pose alone
_animation_sampling  Animations sampled at a fixed frame rate
_bind_pose           The rest pose from the bind matrices of skins
container            JSON, buffers and accessors, each checked against the bytes that are really there
gltf_writer          Joints as nodes, one animation, and a body as the skin
===================  =================================================================================

glTF is in metres with Y up, as Kinetune is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kinetune.body.clip import Clip
from kinetune.formats.format import Format, ReadOptions


def read(path: Path, options: ReadOptions) -> Clip:
    """Read a ``.glb`` or ``.gltf`` file."""
    from kinetune.formats.gltf.gltf_reader import read

    return read(path, options)


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """Return the bytes of a ``.glb``, or of a ``.gltf`` with its data embedded."""
    from kinetune.formats.gltf.gltf_writer import write

    return write(clip, path)


def companions(path: Path, options: ReadOptions) -> tuple[Path, ...]:
    """The files that hold the buffers of a ``.gltf``."""
    from kinetune.formats.gltf.container import GltfFile

    return tuple(GltfFile(path).outside()) if path.suffix.lower() == ".gltf" else ()


FORMAT = Format(
    "gltf",
    (".glb", ".gltf", ".vrm"),
    "glTF 2.0 scene: Blender, web viewers, game engines, VRM avatars",
    read,
    write,
    companions=companions,
)
