"""Messages through a pipe: a JSON header and the bytes of arrays, so that numbers arrive as they were sent.

Both ends use this module: the extension, and the process that runs Kinetune (:mod:`worker`).
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any

import numpy as np

_ARRAY = "array/"
_MOST = 1 << 34


def send(pipe: IO[bytes], message: dict[str, Any]) -> None:
    """Write a message: a mapping of plain values, lists, mappings and arrays."""
    blocks: list[bytes] = []
    header = json.dumps(_packed(message, blocks)).encode()
    pipe.write(struct.pack("<QQ", len(header), sum(map(len, blocks))))
    pipe.write(header)
    for block in blocks:
        pipe.write(block)
    pipe.flush()


def receive(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Read the next message; None when the other side has gone."""
    sizes = _exactly(pipe, 16)
    if sizes is None:
        return None
    header_size, data_size = struct.unpack("<QQ", sizes)
    if header_size + data_size > _MOST:
        raise ValueError("The other side of the pipe sent something else than messages.")
    header, data = _exactly(pipe, header_size), _exactly(pipe, data_size)
    if header is None or data is None:
        return None
    message: dict[str, Any] = _unpacked(json.loads(header), data)
    return message


def _packed(value: Any, blocks: list[bytes]) -> Any:
    if isinstance(value, np.ndarray):
        start = sum(map(len, blocks))
        blocks.append(np.ascontiguousarray(value).tobytes())
        return {_ARRAY: [start, value.dtype.str, list(value.shape)]}
    if isinstance(value, dict):
        return {str(name): _packed(each, blocks) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(each, blocks) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def _unpacked(value: Any, data: bytes) -> Any:
    if isinstance(value, dict):
        if _ARRAY in value:
            start, kind, shape = value[_ARRAY]
            count = int(np.prod(shape, dtype=np.int64))
            return np.frombuffer(data, dtype=np.dtype(kind), count=count, offset=start).reshape(shape)
        return {name: _unpacked(each, data) for name, each in value.items()}
    return [_unpacked(each, data) for each in value] if isinstance(value, list) else value


def _exactly(pipe: IO[bytes], count: int) -> bytes | None:
    parts = []
    while count:
        part = pipe.read(count)
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
