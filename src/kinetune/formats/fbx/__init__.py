"""FBX (``.fbx``): Maya, MotionBuilder, 3ds Max, Blender, Mixamo and game engines.

================  ======================================================================================
fbx_reader        A clip from an FBX file: its bones and one take
fbx_writer        The skeleton as limb nodes, a bind pose and one take, in binary FBX 7.4
fbx_character     The file that a character came from
curve_records     A motion as records of animation
encoding/         The records of a file, binary or text, and back
scene_objects     Objects, what is connected to what, properties and their templates
node_transforms   Where a node is in its parent: pivots, pre- and post-rotation, rotation orders
key_curves        Curves of keys: constant, linear, cubic with all kinds of tangents, extrapolation
takes             Takes and their layers
================  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kinetune.body.clip import Clip
from kinetune.formats.format import Format, ReadOptions


def read(path: Path, options: ReadOptions) -> Clip:
    """Read an ``.fbx`` file."""
    from kinetune.formats.fbx.fbx_reader import read

    return read(path, options)


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """Return the bytes of a binary ``.fbx``, version 7.4."""
    from kinetune.formats.fbx.fbx_writer import write

    return write(clip, path)


FORMAT = Format(
    "fbx", (".fbx",), "FBX 7 scene: Maya, MotionBuilder, 3ds Max, Blender, Mixamo, game engines", read, write
)
