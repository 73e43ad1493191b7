"""glTF 2.0 (``.glb``, ``.gltf``): read from skinned characters, written with a stick figure to look at.

glTF is in metres with Y up, as we are. See :mod:`kinetune.formats.gltf_read` and
:mod:`kinetune.formats.gltf_write`.
"""

from __future__ import annotations

from kinetune.formats.base import Format
from kinetune.formats.gltf_read import read
from kinetune.formats.gltf_write import write

FORMAT = Format("gltf", (".glb", ".gltf"), "glTF 2.0 scene: Blender, web viewers, game engines", read=read, write=write)
