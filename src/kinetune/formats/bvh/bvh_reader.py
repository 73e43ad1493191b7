"""Reading BVH: what exporters write is understood, and what is unusual, guessed or repaired becomes a finding."""

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
from kinetune.formats.bvh.channels import Channels, parse_positions, relative_joints, resting_positions
from kinetune.formats.bvh.hierarchy import BvhHeader, find_motion, parse_header
from kinetune.formats.bvh.layout import BvhLayout, numbers
from kinetune.formats.bvh.motion_rows import MotionReader, parse_frame_time
from kinetune.formats.format import ReadOptions
from kinetune.formats.unit_and_up import UnscaledMotion, settle_unit_and_up, turn_rotations_to_y
from kinetune.input_files import open_input

LARGEST_HEADER = 1 << 24
_AFTER_MOTION = 1024  # bytes in which "Frames:" and "Frame Time:" must come


def read(path: Path, options: ReadOptions) -> Clip:
    """Read a BVH file."""
    name = str(path)
    relative_option = parse_positions(options.positions)
    with open_input(path) as file:
        stream, size, encoding_findings = _one_byte_text(file)
        header = parse_header(_read_head(stream, name), name)
        channels = Channels(header.channels)
        rows = MotionReader(header, channels, name, options.partial).read(stream, size)
    rows.values.setflags(write=False)
    fps, rate_findings = parse_frame_time(header.frame_time)
    offsets = np.array([numbers(texts) for texts in header.offsets])
    relative, relative_findings = relative_joints(channels, header.parents, offsets, rows.values, relative_option)
    layout = BvhLayout(
        names=header.names,
        parents=header.parents,
        channels=channels,
        offsets=header.offsets,
        sites=header.sites,
        rest=offsets,
        moving=(),
        relative=relative,
        values=rows.values,
        metres_per_unit=1.0,
        up="y",
        frame_time=header.frame_time or "",
        fps=fps,
        decimals=rows.decimals,
        newline=header.newline,
        indent=header.indent,
        encoding=header.encoding,
    )
    positions = {joint: layout.positions(joint) for joint, columns in enumerate(channels.position_columns) if columns}
    rest, moving, rest_findings = resting_positions(positions, offsets, header.parents)
    layout = replace(layout, rest=rest, moving=moving)
    root, rotations, translations = layout.motion()
    unscaled = UnscaledMotion(layout.skeleton(), root, rotations, translations)
    unit, metres, up, guesses = settle_unit_and_up(unscaled, options.unit, options.up)
    layout = replace(layout, metres_per_unit=metres, up=up)
    findings = (
        *encoding_findings,
        *header.findings,
        *rows.findings,
        *(() if options.fps is not None else rate_findings),
        *_remarks(header, channels),
        *relative_findings,
        *rest_findings,
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


def _one_byte_text(file: BinaryIO) -> tuple[BinaryIO, int, tuple[Finding, ...]]:
    """The file as text of one byte per character, with its size; UTF-16 becomes UTF-8."""
    start = file.read(2)
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if start not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return file, size, ()
    text = file.read().decode("utf-16", errors="replace").encode()
    return io.BytesIO(text), len(text), (Finding("utf-16", "The file is written in UTF-16."),)


def _read_head(stream: BinaryIO, path: str) -> bytes:
    """The first bytes of a file, enough to hold everything before its numbers."""
    data = b""
    while True:
        more = stream.read(max(1 << 16, len(data)))
        data += more
        motion = find_motion(data)
        if not more or (motion >= 0 and len(data) - motion > _AFTER_MOTION):
            return data
        if motion < 0 and len(data) > LARGEST_HEADER:
            parse_header(data[: 1 << 16], path)  # has the better message when this is no BVH at all
            raise MalformedFileError(
                path,
                f"there is no MOTION in the first {LARGEST_HEADER >> 20} MB.",
                advice="Is it really a BVH file of one character?",
            )


def _remarks(header: BvhHeader, channels: Channels) -> Iterator[Finding]:
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
            "unused-channels", f'Channels such as "{channels.unknown[0]}" neither rotate nor move and are not used.'
        )
