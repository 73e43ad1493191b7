"""The binary block of a glTF file under construction: numbers, the views and accessors into them, and animations."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.formats.characters.sparse_keys import CubicTrack
from kinetune.rotations import Floats

FLOAT = 5126
_KINDS = {3: "VEC3", 4: "VEC4"}


class Block:
    """New bytes of a buffer, with the views and accessors into them.

    Parameters
    ----------
    buffer : int
        The number of the buffer.
    start : int
        How many bytes it has already; a multiple of 4.
    views, accessors : int
        How many views and accessors the file has already.
    """

    def __init__(self, buffer: int = 0, start: int = 0, views: int = 0, accessors: int = 0) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self._buffer, self._start, self._views, self._accessors = buffer, start, views, accessors

    def view(self, array: NDArray[Any], target: int | None = None) -> int:
        """Append the bytes of an array as a buffer view."""
        data = np.ascontiguousarray(array).tobytes()
        padded = data + b"\0" * (-len(data) % 4)
        view = {"buffer": self._buffer, "byteOffset": self._start + self.size, "byteLength": len(data)}
        self.views.append(view if target is None else {**view, "target": target})
        self.parts.append(padded)
        self.size += len(padded)
        return self._views + len(self.views) - 1

    def accessor(self, view: int, kind: str, component: int, count: int, **more: Any) -> int:
        """Declare an accessor into a view."""
        self.accessors.append({"bufferView": view, "componentType": component, "type": kind, "count": count, **more})
        return self._accessors + len(self.accessors) - 1


def animation_record(
    block: Block,
    tracks: Mapping[tuple[int, str], Floats],
    times: Floats,
    keys: Mapping[tuple[int, str], CubicTrack] | None = None,
) -> dict[str, Any]:
    """Samplers and channels with a key at every one of the times: (node, path) -> values (frames, n), xyzw if 4.

    Tracks in ``keys`` have these keys only, as cubic splines.
    """
    sparse = keys or {}
    stamps = times.astype("<f4")
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def add(target: tuple[int, str], time: int, output: int, interpolation: str) -> None:
        channels.append({"sampler": len(samplers), "target": {"node": target[0], "path": target[1]}})
        samplers.append({"input": time, "output": output, "interpolation": interpolation})

    dense = {target: values for target, values in tracks.items() if target not in sparse}
    every = _time(block, stamps) if dense else -1
    for group in _by_shape(dense):
        view = block.view(np.stack(list(group.values())).astype("<f4"))
        for row, (target, values) in enumerate(group.items()):
            kind, count = ("SCALAR", values.size) if target[1] == "weights" else (_KINDS[values.shape[1]], len(times))
            add(target, every, block.accessor(view, kind, FLOAT, count, byteOffset=row * values.size * 4), "LINEAR")
    known: dict[bytes, int] = {}
    seconds = float(times[1] - times[0]) if len(times) > 1 else 1.0
    for target, track in sparse.items():
        raw = track.frames.tobytes()
        if raw not in known:
            known[raw] = _time(block, stamps[track.frames])
        if len(track.frames) == 1:  # a spline takes two keys at least
            view = block.view(track.values.astype("<f4"))
            add(target, known[raw], block.accessor(view, _KINDS[track.values.shape[1]], FLOAT, 1), "STEP")
            continue
        slopes = track.slopes / seconds
        values = np.stack([slopes, track.values, slopes], axis=1).astype("<f4")  # (keys, 3, n)
        kind = _KINDS[values.shape[2]]
        add(target, known[raw], block.accessor(block.view(values), kind, FLOAT, 3 * len(track.frames)), "CUBICSPLINE")
    return {"samplers": samplers, "channels": channels}


def _time(block: Block, stamps: NDArray[np.floating]) -> int:
    low, high = [float(stamps[0])], [float(stamps[-1])]
    return block.accessor(block.view(stamps), "SCALAR", FLOAT, len(stamps), min=low, max=high)


def _by_shape(tracks: Mapping[tuple[int, str], Floats]) -> list[dict[tuple[int, str], Floats]]:
    """Tracks that can lie in one view, because all have the same width and the same kind."""
    groups: dict[tuple[int, bool], dict[tuple[int, str], Floats]] = {}
    for target, values in tracks.items():
        groups.setdefault((values.shape[1], target[1] == "weights"), {})[target] = values
    return list(groups.values())


def glb_bytes(text: str, block: bytes | None) -> bytes:
    """A ``.glb`` of its JSON and its binary block."""
    encoded = text.encode()
    encoded += b" " * (-len(encoded) % 4)
    chunks = struct.pack("<II", len(encoded), 0x4E4F534A) + encoded
    if block is not None:
        block += bytes(-len(block) % 4)
        chunks += struct.pack("<II", len(block), 0x004E4942) + block
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
