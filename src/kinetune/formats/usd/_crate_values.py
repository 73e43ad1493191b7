"""Whether a binary USD file (a crate) can hold what it declares, before a library takes memory for it.

A crate is a header, blocks of values, and sections with tables: tokens, strings, fields, sets of fields, paths, specs.
Its header names the place of the table of sections: how many there are, then the name, start and size of each. A
section begins with how many entries it has; that of the tokens goes on with how many bytes they unpack to.
A field ends in 64 bits that give its value or name the place of it, where arrays and lists begin with their length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from mmap import mmap

import numpy as np
from numpy.typing import NDArray

from kinetune.input_files import most_unpacked

_ENTRY = 16  # bytes of the largest entry of a section
_PLACE = (1 << 48) - 1
_ARRAY, _INLINED, _PACKED = (np.uint64(1 << bit) for bit in (63, 62, 61))
_SHORTEST_PACKED = 16  # shorter arrays are never packed
_SIZES = np.zeros(256, dtype=np.uint64)  # of an element, by type
_SIZES[1:31] = [1, 1, 4, 4, 8, 8, 2, 4, 8, 4, 4, 4, 32, 72, 128, 32, 16, 8, 16, 8, 4, 8, 24, 12, 6, 12, 32, 16, 8, 16]
_SIZES[56] = 8  # time codes
_DICTIONARY, _TIME_SAMPLES = 31, 46
_LISTS = {40: 4, 41: 4, 48: 8, 49: 16, 50: 4}  # of paths, tokens, doubles, layer offsets, strings
_OPERATIONS = {32: 4, 33: 4, 34: 4, 35: 32, 36: 4, 37: 8, 38: 4, 39: 8, 55: 8}  # on lists: add, remove ...

Bits = NDArray[np.uint64]


class DamagedUsdError(Exception):
    """Raised with what is wrong, as the end of a message."""


def check_crate(data: mmap | bytes) -> None:
    """Raise for a crate whose parts lie outside of it, or declare more than its bytes can hold."""
    try:
        _check_sections(data)
    except (struct.error, OverflowError, IndexError, ValueError):
        raise DamagedUsdError("its sections lie outside of it.") from None


def _check_sections(data: mmap | bytes) -> None:
    (table,) = struct.unpack_from("<Q", data, 16)
    (count,) = struct.unpack_from("<Q", data, table)
    sections = [struct.unpack_from("<16sQQ", data, table + 8 + 32 * k) for k in range(min(count, len(data)))]
    unpacked = 0
    for title, start, size in sections:
        if start + size > len(data):
            raise struct.error
        entries, more = struct.unpack_from("<QQ", data, start)
        unpacked += more + entries if title.startswith(b"TOKENS") else _ENTRY * entries
    _check_unpacked(data, unpacked)
    for title, start, _ in sections:
        if title.rstrip(b"\0") == b"FIELDS":
            _check_values(data, _fields(data, start))


def _check_unpacked(data: mmap | bytes, size: float) -> None:
    if size > most_unpacked(len(data)):
        raise DamagedUsdError(f"it declares {size:.3g} bytes, more than {len(data):,} bytes can hold.")


def _fields(data: mmap | bytes, start: int) -> Bits:
    """The values of all fields, each a place in the file or the value itself."""
    (count,) = struct.unpack_from("<Q", data, start)
    if _version(data) < (0, 4, 0):
        return _words(data, start + 8, 2 * count)[1::2]
    (names,) = struct.unpack_from("<Q", data, start + 8)
    (packed,) = struct.unpack_from("<Q", data, start + 16 + names)
    begin = start + 24 + names
    return _words(_unpacked(_bytes(data, begin, packed), 8 * count), 0, count)


def _bytes(data: mmap | bytes, place: int, size: int) -> bytes:
    """A copy, so that the file can be closed."""
    if not 0 <= place <= place + size <= len(data):
        raise struct.error
    return data[place : place + size]


def _words(data: mmap | bytes, place: int, count: int) -> Bits:
    return np.frombuffer(_bytes(data, place, 8 * count), "<u8")


def _numbers(data: mmap | bytes, places: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    """The whole numbers of so many bytes at some places."""
    if places.max(initial=0) + width > len(data):
        raise struct.error
    octets = np.frombuffer(data, np.uint8)
    numbers = octets[places[:, None] + np.arange(width)].view(f"<u{width}")[:, 0]
    return np.asarray(numbers, dtype=float)


def _version(data: mmap | bytes) -> tuple[int, ...]:
    return tuple(data[8:11])


def _unpacked(packed: bytes, size: int) -> bytes:
    """Chunks in the block format of LZ4: how many there are, none for a single one without a size of its own."""
    if not packed or packed[0] == 0:
        return _unpacked_block(packed[1:], size)
    whole, at = b"", 1
    for _ in range(packed[0]):
        (length,) = struct.unpack_from("<i", packed, at)
        whole += _unpacked_block(packed[at + 4 : at + 4 + length], size - len(whole))
        at += 4 + length
    return whole


def _unpacked_block(packed: bytes, size: int) -> bytes:
    """Runs of new bytes, each followed by a repetition of bytes before; at most ``size`` bytes."""
    out, at = bytearray(), 0
    while at < len(packed):
        token, at = packed[at], at + 1
        new, at = _run_length(packed, at, token >> 4)
        out += packed[at : at + new]
        at += new
        if at >= len(packed):
            break
        back = packed[at] | packed[at + 1] << 8
        again, at = _run_length(packed, at + 2, token & 15)
        again += 4
        if not 0 < back <= len(out) or len(out) + again > size:
            raise struct.error
        out += (bytes(out[-back:]) * (again // back + 1))[:again]
    return bytes(out)


def _run_length(packed: bytes, at: int, length: int) -> tuple[int, int]:
    if length == 15:
        while packed[at] == 255:
            length, at = length + 255, at + 1
        length, at = length + packed[at], at + 1
    return length, at


def _check_values(data: mmap | bytes, values: Bits) -> None:
    """Raise where an array or a list goes on beyond the file, or unpacks to more than the file justifies."""
    seen: set[int] = set()
    waiting = [values]
    while waiting:
        outside = np.unique(np.concatenate(waiting))
        outside = outside[outside & _INLINED == 0]
        waiting = []
        kinds = (outside >> np.uint64(48)) & np.uint64(255)
        is_array = outside & _ARRAY != 0
        _check_arrays(data, outside[is_array], _SIZES[kinds[is_array]])
        places = (outside[~is_array] & np.uint64(_PLACE)).tolist()
        for kind, place in zip(kinds[~is_array].tolist(), places, strict=True):
            if kind in _LISTS:
                _listed(data, place, _LISTS[kind])
            elif kind in _OPERATIONS:
                _check_operations(data, place, kind)
            elif kind in (_DICTIONARY, _TIME_SAMPLES) and place not in seen:
                seen.add(place)
                waiting += _NESTED[kind](data, place)


def _check_arrays(data: mmap | bytes, arrays: Bits, sizes: Bits) -> None:
    places = (arrays & np.uint64(_PLACE)).astype(np.int64)
    arrays, sizes, places = arrays[places > 0], sizes[places > 0], places[places > 0]  # at 0: empty
    version = _version(data)
    width = 8 if version >= (0, 7, 0) else 4
    places += 4 if version < (0, 5, 0) else 0  # the number of dimensions, always one
    counts = _numbers(data, places, width)
    taken = counts * np.maximum(sizes, 1)
    packed = (arrays & _PACKED != 0) & (counts >= _SHORTEST_PACKED)
    if np.any((places + width + taken)[~packed] > len(data)):
        raise DamagedUsdError("an array of it goes on beyond its end.")
    _check_unpacked(data, taken[packed].max(initial=0.0))


def _listed(data: mmap | bytes, place: int, size: int) -> tuple[int, int]:
    """(how many items a list has, the place after it)."""
    (count,) = struct.unpack_from("<Q", data, place)
    end = place + 8 + size * count
    if end > len(data):
        raise DamagedUsdError("a list in it goes on beyond its end.")
    return count, end


def _check_operations(data: mmap | bytes, place: int, kind: int) -> None:
    """The first byte says which of six lists follow: bits 1 to 6, bit 0 is something else."""
    lists, place = data[place] >> 1, place + 1
    for _ in range(lists.bit_count()):
        count, place = _listed(data, place, _OPERATIONS[kind])
        if count and kind in (35, 55):
            return  # references and payloads have no size in common


def _times(data: mmap | bytes, place: int) -> Iterator[Bits]:
    """The value of the times, and the values at them; each follows how far away it is."""
    place = _step(data, place)
    yield _words(data, place, 1)
    place = _step(data, place + 8)
    count, _ = _listed(data, place, 8)
    yield _words(data, place + 8, count)


def _step(data: mmap | bytes, place: int) -> int:
    (step,) = struct.unpack_from("<q", data, place)
    if step < 8:
        raise struct.error
    return int(place + step)


def _entries(data: mmap | bytes, place: int) -> Iterator[Bits]:
    """The values of a dictionary; each follows its key and how far away it is."""
    count, _ = _listed(data, place, 20)
    place += 8
    for _ in range(count):
        place = _step(data, place + 4)
        yield _words(data, place, 1)
        place += 8


_NESTED: dict[int, Callable[[mmap | bytes, int], Iterator[Bits]]] = {_DICTIONARY: _entries, _TIME_SAMPLES: _times}
