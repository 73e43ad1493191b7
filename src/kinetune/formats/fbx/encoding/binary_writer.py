"""Records to the bytes of a binary FBX file, with its header and footer."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetune.formats.fbx.encoding.records import MAGIC, Record

VERSION = 7400
CREATION_TIME = "1970-01-01 10:00:00:000"
"""A fixed date: the same motion gives the same bytes. The file id and the code in the footer belong to it."""
_FIRST_KEY = bytes.fromhex("58ABA9F06CA2D83F4D4749A3B4B2E73D")
_SECOND_KEY = bytes.fromhex("E24F7B5FCDE4C86DDBD8FBD74058C678")
_ENDING = bytes.fromhex("F85A8C6ADEF5D97EECE90CE3758F290B")
_PACKED_FROM = 128  # bytes: shorter arrays are stored as they are
_SAMPLE = 1024  # bytes that are packed on trial
_CODES = {"f4": b"f", "f8": b"d", "i8": b"l", "i4": b"i", "b1": b"b", "i1": b"b"}


def file_id(creation_time: str) -> bytes:
    """The 16 bytes of FileId that go with a CreationTime."""
    return _mix(_FIRST_KEY, _stamp(creation_time))


def _footer_code(creation_time: str) -> bytes:
    stamp = _stamp(creation_time)
    return _mix(_mix(_mix(_FIRST_KEY, stamp), _SECOND_KEY), stamp)


def _stamp(creation_time: str) -> bytes:
    """Sixteen digits of ``1970-01-01 10:00:00:000``: second, month, hour, day, hundredths, year, minute."""
    t = creation_time.ljust(23, "0")
    return (t[17:19] + t[5:7] + t[11:13] + t[8:10] + t[20:22] + t[0:4] + t[14:16]).encode()


def _mix(first: bytes, second: bytes) -> bytes:
    mixed, carry = bytearray(first), 64
    for place, byte in enumerate(second):
        mixed[place] ^= carry ^ byte
        carry = mixed[place]
    return bytes(mixed)


def _packs_well(data: bytes) -> bool:
    """Whether packing is worth its time: floats of a moving joint shrink by a tenth only."""
    sample = data[:_SAMPLE]
    return len(zlib.compress(sample, 1)) < 0.8 * len(sample)


class BinaryWriter:
    """Writes one file; arrays that appear several times, such as the times of keys, are packed once."""

    def __init__(self, version: int = VERSION, order: str = "<") -> None:
        self.version, self.order = version, order
        self.header = struct.Struct(order + ("QQQB" if version >= 7500 else "IIIB"))
        self._packed: dict[int, tuple[Any, bytes]] = {}

    def file(self, records: Sequence[Record], creation_time: str = CREATION_TIME) -> bytes:
        """The whole file."""
        parts = [MAGIC, b"\0" if self.order == "<" else b"\1", struct.pack(self.order + "I", self.version)]
        at = sum(map(len, parts))
        for record in records:
            parts.append(self._record(record, at))
            at += len(parts[-1])
        parts += [bytes(self.header.size), _footer_code(creation_time)]
        at += self.header.size + 16
        parts += [bytes(16 - at % 16), bytes(4), struct.pack(self.order + "I", self.version), bytes(120), _ENDING]
        return b"".join(parts)

    def _record(self, record: Record, at: int) -> bytes:
        name = record.name.encode()
        raw = record.raw_values()
        count, values = raw if raw is not None else (len(record.values), b"".join(map(self._value, record.values)))
        inside = at + self.header.size + len(name) + len(values)
        parts = []
        end = inside
        if record.is_open:
            for child in record.children:
                parts.append(self._record(child, end))
                end += len(parts[-1])
            parts.append(bytes(self.header.size))
            end += self.header.size
        head = self.header.pack(end, count, len(values), len(name))
        return b"".join([head, name, values, *parts])

    def _value(self, value: Any) -> bytes:
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, bool):
            return b"C" + (b"\1" if value else b"\0")
        if isinstance(value, np.int64):
            return struct.pack(self.order + "cq", b"L", int(value))
        if isinstance(value, int):
            return struct.pack(self.order + "ci", b"I", value)
        if isinstance(value, float):
            return struct.pack(self.order + "cd", b"D", value)
        code, data = (b"S", value.encode()) if isinstance(value, str) else (b"R", value)
        return struct.pack(self.order + "cI", code, len(data)) + data

    def _array(self, array: np.ndarray[Any, Any]) -> bytes:
        known = self._packed.get(id(array))
        if known is not None:
            return known[1]
        data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder(self.order), copy=False)).tobytes()
        packed, encoding = data, 0
        if len(data) >= _PACKED_FROM and _packs_well(data):
            packed, encoding = zlib.compress(data, 6 if array.dtype.kind == "i" else 1), 1
        code = _CODES[array.dtype.str[1:]]
        result = struct.pack(self.order + "cIII", code, array.size, encoding, len(packed)) + packed
        self._packed[id(array)] = (array, result)  # holds the array, so that its id stays its own
        return result
