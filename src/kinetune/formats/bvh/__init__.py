"""BVH (Biovision hierarchy, ``.bvh``) in every dialect seen so far: the format in which motion capture is exchanged.

===========  ================================================================================================
bvh_reader   A clip from a BVH file
hierarchy    Everything before the numbers: the tree of joints, the declared frames and the frame time
channels     Which column rotates or moves which joint, and the rotations and positions that the columns mean
motion_rows  The rows of numbers, with the frame rate; what to do when rows are damaged
layout       What a clip remembers of its file, to be written back digit for digit
bvh_writer   BVH text from a clip
===========  ================================================================================================

The dialects are described in ``docs/formats/bvh.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kinetune.body.clip import Clip
from kinetune.formats.format import Format, ReadOptions


def read(path: Path, options: ReadOptions) -> Clip:
    """Read a BVH file."""
    from kinetune.formats.bvh.bvh_reader import read

    return read(path, options)


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """Return the bytes of a BVH file."""
    from kinetune.formats.bvh.bvh_writer import write

    return write(clip, path)


FORMAT = Format("bvh", (".bvh",), "Biovision hierarchy: motion capture as text", read, write)
