"""Binary frames: ``u32 length | JSON header | zeros up to a multiple of 8 | raw float32``, little-endian.

The browser reads each array as a ``Float32Array`` on the frame itself, without a copy.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGNED = 8


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """One frame of a header and named arrays of any shape; numbers become float32."""
    listed: list[dict[str, Any]] = []
    parts: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array, dtype="<f4")
        listed.append({"name": name, "shape": list(data.shape), "offset": offset})
        gap = -data.nbytes % _ALIGNED
        parts += [data.tobytes(), bytes(gap)]
        offset += data.nbytes + gap
    text = plain_json({**header, "arrays": listed}).encode()
    return b"".join((struct.pack("<I", len(text)), text, bytes(-(4 + len(text)) % _ALIGNED), *parts))


def unpack(frame: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
    """The header and the arrays of a frame, as the browser sees them."""
    (length,) = struct.unpack_from("<I", frame)
    header = json.loads(frame[4 : 4 + length])
    start = 4 + length + -(4 + length) % _ALIGNED
    arrays = {}
    for listed in header["arrays"]:
        count = int(np.prod(listed["shape"]))
        flat = np.frombuffer(frame, "<f4", count, start + listed["offset"])
        arrays[listed["name"]] = flat.reshape(listed["shape"])
    return header, arrays


def plain_json(value: Any) -> str:
    """JSON as a browser reads it: what is not a number becomes null."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
