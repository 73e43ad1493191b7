"""VRM animations (``.vrma``) and the human bones of VRM avatars (``.vrm``), which are glTF files.

============  ==========================================================================================
humanoid      which node is which human bone, in VRM animations, VRM 1.0 and VRM 0.x
vrma_writer   a clip as a VRM animation: human bones in a T-pose, rotations that any avatar can play
============  ==========================================================================================

They are read as glTF is (:mod:`kinetune.formats.gltf`); what joints mean comes from the file instead of from names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kinetune.body.clip import Clip
from kinetune.formats.format import Format, ReadOptions


def read(path: Path, options: ReadOptions) -> Clip:
    """Read a ``.vrma`` file."""
    from kinetune.formats.gltf.gltf_reader import read

    return read(path, options)


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """Return the bytes of a ``.vrma``."""
    from kinetune.formats.vrm.vrma_writer import write

    return write(clip, path)


FORMAT = Format("vrma", (".vrma",), "VRM animation: avatars in VRM players and engines", read, write)
