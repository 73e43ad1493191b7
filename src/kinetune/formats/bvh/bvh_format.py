"""BVH (Biovision hierarchy) files, in every dialect that has been seen: what motion capture is handed around in.

Reading understands what exporters write and reports what is odd, guessed or mended as the clip's findings. Writing
gives back the file that was read, digit for digit, wherever the clip still has its motion; see ``docs/formats/bvh.md``.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import distinct_names
from kinetune.body.source import Source
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.bvh.bvh_writer import write
from kinetune.formats.bvh.channels import Channels
from kinetune.formats.bvh.header import Header, find_motion, parse_header
from kinetune.formats.bvh.layout import BvhLayout, numbers
from kinetune.formats.bvh.motion_rows import MotionReader
from kinetune.formats.bvh.position_channels import parse_positions, relative_joints, rest_places
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.guess.guessing import turn_rotations_to_y
from kinetune.formats.guess.unit_and_up import Figure, understand
from kinetune.formats.text.frame_time import rate_of

LARGEST_HEADER = 1 << 24
_AFTER_MOTION = 1024  # bytes in which "Frames:" and "Frame Time:" must come


def read(path: Path, options: ReadOptions) -> Clip:
    """Read a BVH file."""
    name = str(path)
    positions = parse_positions(options.positions)
    with open(path, "rb", buffering=0) as file:
        stream, size, notes = _plain_text(file)
        header = parse_header(_read_head(stream, name), name)
        channels = Channels(header.channels)
        motion = MotionReader(header, channels, name, options.partial).read(stream, size)
    motion.values.setflags(write=False)
    fps, rate_notes = rate_of(header.frame_time)
    offsets = np.array([numbers(texts) for texts in header.offsets])
    relative, position_notes = relative_joints(channels, header.parents, offsets, motion.values, positions)
    layout = BvhLayout(
        names=header.names,
        parents=header.parents,
        channels=channels,
        offsets=header.offsets,
        sites=header.sites,
        rest=offsets,
        moving=(),
        relative=relative,
        values=motion.values,
        metres_per_unit=1.0,
        up="y",
        frame_time=header.frame_time or "",
        fps=fps,
        decimals=motion.decimals,
        newline=header.newline,
        indent=header.indent,
        encoding=header.encoding,
    )
    placed = {joint: layout.positions(joint) for joint, moves in enumerate(channels.moves) if moves}
    rest, moving, place_notes = rest_places(placed, offsets, header.parents)
    layout = replace(layout, rest=rest, moving=moving)
    root, rotations, translations = layout.motion()
    figure = Figure(layout.skeleton(), root, rotations, translations)
    unit, metres, up, guesses = understand(figure, options.unit, options.up)
    layout = replace(layout, metres_per_unit=metres, up=up)
    findings = (
        *notes,
        *header.findings,
        *motion.findings,
        *(() if options.fps is not None else rate_notes),
        *_remarks(header, channels),
        *position_notes,
        *place_notes,
        *guesses,
    )
    rotations = turn_rotations_to_y(rotations, up)
    rotations.setflags(write=False)
    return Clip(
        layout.skeleton(),
        fps if options.fps is None else options.fps,
        layout.to_metres(root),
        rotations,
        None if translations is None else layout.to_metres(translations),
        source=Source("bvh", name, unit, metres, up, findings, layout),
    )


def _plain_text(file: BinaryIO) -> tuple[BinaryIO, int, tuple[Finding, ...]]:
    """The file as text of one byte per character, with its size; one in UTF-16 is turned into UTF-8."""
    start = file.read(2)
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if start not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return file, size, ()
    text = file.read().decode("utf-16", errors="replace").encode()
    return io.BytesIO(text), len(text), (Finding("utf-16", "The file is written in UTF-16."),)


def _read_head(stream: BinaryIO, path: str) -> bytes:
    """The first bytes of a file, enough to hold all that comes before its numbers."""
    data = b""
    while True:
        more = stream.read(max(1 << 16, len(data)))
        data += more
        motion = find_motion(data)
        if not more or (motion >= 0 and len(data) - motion > _AFTER_MOTION):
            return data
        if motion < 0 and len(data) > LARGEST_HEADER:
            parse_header(data[: 1 << 16], path)  # says it better when this is no BVH at all
            raise MalformedFileError(
                path,
                f"there is no MOTION in the first {LARGEST_HEADER >> 20} MB.",
                advice="Is it really a BVH file of one figure?",
            )


def _remarks(header: Header, channels: Channels) -> Iterator[Finding]:
    """What is unusual about joints and channels, though understood."""
    distinct = distinct_names(header.names)
    renamed = [new for old, new in zip(header.names, distinct, strict=True) if old != new]
    if renamed:
        listed = ", ".join(f'"{name}"' for name in renamed[:3]) + (" ..." if len(renamed) > 3 else "")
        yield Finding("shared-names", f"Several joints share a name; the later ones are called {listed} here.")
    orders = sorted({order for order in channels.orders if len(order) == 3})
    if len(orders) > 1:
        yield Finding("mixed-rotation-orders", f"Joints have different rotation orders: {', '.join(orders)}.")
    if channels.unknown:
        yield Finding(
            "unused-channels", f'Channels such as "{channels.unknown[0]}" neither turn nor move and are not used.'
        )


def _recognize(_path: Path, start: bytes) -> bool:
    return b"HIERARCHY" in start[:4096].upper()


FORMAT = Format(
    name="bvh",
    suffixes=(".bvh",),
    description="Biovision hierarchy: motion capture as text",
    read=read,
    write=write,
    recognize=_recognize,
)
