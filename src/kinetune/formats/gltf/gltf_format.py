"""glTF 2.0 (``.glb``, ``.gltf``): read from skinned characters, written with a stick figure to look at.

glTF is in metres with Y up, as we are. See :mod:`kinetune.formats.gltf.gltf_reader` and
:mod:`kinetune.formats.gltf.gltf_writer`.
"""

from __future__ import annotations

from kinetune.formats.format import Format
from kinetune.formats.gltf.gltf_reader import read
from kinetune.formats.gltf.gltf_writer import write

FORMAT = Format("gltf", (".glb", ".gltf"), "glTF 2.0 scene: Blender, web viewers, game engines", read=read, write=write)
