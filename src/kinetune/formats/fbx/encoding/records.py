"""Records of an FBX file: a name, some values, and records inside, whichever way the file spells them.

A binary file is not read as a whole: a record knows where it lies, and its values and the records inside are taken from
the bytes when they are asked for. Meshes and textures are never unpacked, and a file that lies about a length is caught
where it does.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import MalformedFileError, excerpt
from kinetune.input_files import most_unpacked

MAGIC = b"Kaydara FBX Binary  \x00\x1a"
CONVERTER = "Convert it with Blender, or with the FBX Converter of Autodesk, to FBX 7.4."
_START = 27  # bytes of the header
_SCALARS = {ord(code): kind for code, kind in zip("YCBZILFD", "hbbbiqfd", strict=True)}
_ARRAYS = {ord("f"): "f4", ord("d"): "f8", ord("l"): "i8", ord("i"): "i4", ord("b"): "i1", ord("c"): "i1"}
_TEXT, _RAW, _LONG = ord("S"), ord("R"), ord("L")
_STRINGS = (_TEXT, _RAW)
_DEEPEST = 64
_LINK = [str, int, int]
_PLAIN_LINK = (_TEXT, 2, b"OO", ord("L"), ord("L"))  # and two numbers
_SMALL = 200  # bytes of values that are worth comparing with those already read


class Record:
    """A record that was made here, or read from text; :class:`_BinaryRecord` is one in a binary file.

    Parameters
    ----------
    name : str
        Such as "Model".
    values : sequence
        A bool is stored as C, an int as I, ``np.int64`` as L, a float as D, text as S, bytes as R, an array as such.
    children : sequence of Record or None
        The records inside; an empty list is written as an empty pair of braces, None as no braces at all.
    place : str
        Where it was read, for messages.
    """

    __slots__ = ("_children", "_values", "name", "place")

    def __init__(
        self, name: str, values: Sequence[Any] = (), children: Sequence[Record] | None = None, place: str = ""
    ) -> None:
        self.name = name
        self.place = place
        self._values: Sequence[Any] | None = values
        self._children: Sequence[Record] | None = children

    @property
    def values(self) -> Sequence[Any]:
        """The values after the name."""
        return self._values or ()

    @property
    def children(self) -> Sequence[Record]:
        """The records inside."""
        return self._children or ()

    @property
    def is_open(self) -> bool:
        """Whether it has braces, with or without records inside."""
        return self._children is not None

    def raw_values(self) -> tuple[int, bytes] | None:
        """How many values it has, and their bytes as they are in a binary file; None for a record made here."""
        return None

    def child(self, name: str) -> Record | None:
        """The first record inside that has this name."""
        for record in self.children:
            if record.name == name:
                return record
        return None

    def rows(self) -> Iterator[tuple[str, Sequence[Any]]]:
        """Name and values of the records inside, for those whose own records do not matter."""
        return ((record.name, record.values) for record in self.children)

    @property
    def number(self) -> int | None:
        """The first of several values, where that is a whole number: that of an object."""
        values = self.values
        return values[0] if len(values) > 1 and isinstance(values[0], int) else None

    def links(self) -> Iterator[tuple[int, int, str]]:
        """What the connections inside say: the object below, the one above, and of which property it is or ""."""
        for _, values in self.rows():
            if [type(value) for value in values[:3]] == _LINK and values[0] in ("OO", "OP"):
                link, lower, upper, *names = values
                yield lower, upper, str(names[0]) if link == "OP" and names else ""

    def all(self, name: str) -> Iterator[Record]:
        """The records inside that have this name."""
        return (record for record in self.children if record.name == name)

    def value(self, name: str, default: Any = None) -> Any:
        """The first value of a record inside."""
        record = self.child(name)
        return record.values[0] if record is not None and record.values else default

    def array(self, name: str) -> NDArray[Any] | None:
        """The numbers of a record inside, (n,); None when there is none."""
        return self.arrays(name)[0]

    def arrays(self, *names: str) -> list[NDArray[Any] | None]:
        """The numbers of records inside, (n,) each, None for what is not there; of two with one name, the first."""
        return [None if record is None else _as_array(record.values) for record in map(self.child, names)]


def _as_array(values: Sequence[Any]) -> NDArray[Any] | None:
    """Values that are one array, or numbers (n,); None when there are no values."""
    if not values or isinstance(values[0], np.ndarray):
        return values[0] if values else None
    return np.array([value for value in values if isinstance(value, int | float)])


class PatchedRecord(Record):
    """A record of a file with other records inside; its name and values stay as they are, bit by bit."""

    __slots__ = ("original",)

    def __init__(self, original: Record, children: Sequence[Record]) -> None:
        super().__init__(original.name, (), children)
        self.original = original

    @property
    def values(self) -> Sequence[Any]:
        return self.original.values

    def raw_values(self) -> tuple[int, bytes] | None:
        return self.original.raw_values()


class FbxFile:
    """An FBX file of version 7: its records, and how it is spelled.

    Attributes
    ----------
    path, data : the file and its bytes
    version : 7400 for FBX 7.4
    order : "<" or ">", the byte order; "" for text
    root : a record without a name that holds the others
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data = path, data
        self.root: Record
        self._unpacked = 0
        self._shared: dict[int, tuple[bytes, NDArray[Any]]] = {}
        self._known: dict[bytes, list[Any]] = {}
        if data[: len(MAGIC)] == MAGIC:
            self._open_binary()
        else:
            from kinetune.formats.fbx.encoding._text_records import parse_text

            self.order = ""
            self.version, self.root = parse_text(self)
        if not 7000 <= self.version < 8000:
            text = f"{self.version // 1000}.{self.version % 1000 // 100}"
            raise self.fail(f"it is FBX {text}, and only FBX 7 is read.", CONVERTER)

    def fail(self, problem: str, advice: str | None = None, place: str = "") -> MalformedFileError:
        """The error to raise for something wrong in the file."""
        return MalformedFileError(self.path, f"{excerpt(place)}: {problem}" if place else problem, advice=advice)

    def _open_binary(self) -> None:
        if len(self.data) < _START:
            raise self.fail("the file ends inside the FBX header.", "Is it cut off?")
        self.order = ">" if self.data[22] == 1 else "<"
        (self.version,) = struct.unpack_from(self.order + "I", self.data, 23)
        self.wide = self.version >= 7500
        self.header = struct.Struct(self.order + ("QQQB" if self.wide else "IIIB"))
        self.names: dict[bytes, str] = {}
        self.scalars = {code: struct.Struct(self.order + kind) for code, kind in _SCALARS.items()}
        self.numbered, self.link = struct.Struct(self.order + "Bq"), struct.Struct(self.order + "BI2sBqBq")
        self.arrays = {kind: np.dtype(self.order + kind) for kind in _ARRAYS.values()}
        self.length, self.array_head = struct.Struct(self.order + "I"), struct.Struct(self.order + "III")
        self.root = _BinaryRecord(self, "", "", _START, _START, 0, _START, len(self.data), 0)

    def values(self, first: int, count: int, end: int, place: str) -> list[Any]:
        """The values in the bytes from ``first`` to ``end``; small ones that are the same come as one list."""
        raw = self.data[first:end] if end - first <= _SMALL else b""
        known = self._known.get(raw)
        if known is not None and len(known) == count:
            return known
        values = self._read_values(first, count, end, place)
        if raw:
            self._known[raw] = values
        return values

    def _read_values(self, at: int, count: int, end: int, place: str) -> list[Any]:
        data, scalars = self.data, self.scalars
        values: list[Any] = []
        if count > end - at:
            raise self.fail(f"a record declares {count} values in {end - at} bytes.", place=f"{place}, byte {at}")
        try:
            for _ in range(count):
                code = data[at]
                at += 1
                if code in scalars:
                    scalar = scalars[code]
                    values += scalar.unpack_from(data, at)
                    at += scalar.size
                elif code in _STRINGS:
                    (length,) = self.length.unpack_from(data, at)
                    at += 4 + length
                    raw = data[at - length : at]
                    values.append(raw.decode("utf-8", "replace") if code == _TEXT else raw)
                elif code in _ARRAYS:
                    number, encoding, length = self.array_head.unpack_from(data, at)
                    at += 12
                    if at + length > end:
                        raise struct.error
                    raw = data[at : at + length]
                    values.append(self.unpack(_ARRAYS[code], number, raw, encoding, f"{place}, byte {at}"))
                    at += length
                else:
                    raise self.fail(f"a value has the unknown type {chr(code)!r}.", place=f"{place}, byte {at - 1}")
                if at > end:
                    raise struct.error
        except (struct.error, IndexError):
            raise self.fail(
                "the values of a record reach beyond it.", "Is it damaged?", f"{place}, byte {at}"
            ) from None
        return values

    def unpack(self, kind: str, count: int, raw: bytes, encoding: int, place: str) -> NDArray[Any]:
        """An array from its bytes; the same array again for the bytes of the last one as long: curves share times."""
        dtype = self.arrays[kind]
        size = count * dtype.itemsize
        if encoding == 0:
            if len(raw) != size:
                raise self.fail(f"an array of {count} numbers takes {size} bytes, not {len(raw)}.", place=place)
            return np.frombuffer(raw, dtype)
        if encoding != 1:
            raise self.fail(f"an array has the unknown encoding {encoding}.", place=place)
        packed, known = self._shared.get(len(raw), (b"", np.empty(0)))
        if packed == raw and known.dtype == dtype and len(known) == count:
            return known
        self._unpacked += size
        if self._unpacked > most_unpacked(len(self.data)):
            raise self.fail("the arrays unpack to more than a file of this size can mean.", place=place)
        try:
            data = zlib.decompressobj().decompress(raw, size + 1)
        except zlib.error:
            raise self.fail("an array cannot be unpacked.", "The file is damaged.", place) from None
        if len(data) != size:
            raise self.fail(f"an array of {count} numbers takes {size} bytes, not {len(data)}.", place=place)
        array = np.frombuffer(data, dtype)
        self._shared[len(raw)] = raw, array
        return array


class _BinaryRecord(Record):
    """A record in a binary file: values from ``first`` to ``inside``, records from there to ``end``."""

    __slots__ = ("_count", "_depth", "_file", "begin", "end", "first", "inside")

    def __init__(
        self,
        file: FbxFile,
        name: str,
        above: str,
        begin: int,
        first: int,
        count: int,
        inside: int,
        end: int,
        depth: int,
    ) -> None:
        self.name = name
        self.place = above
        self._values = self._children = None
        self._file, self.begin, self.first, self._count = file, begin, first, count
        self.inside, self.end, self._depth = inside, end, depth

    @property
    def is_open(self) -> bool:
        return self.inside < self.end

    def raw_values(self) -> tuple[int, bytes]:
        return self._count, self._file.data[self.first : self.inside]

    @property
    def values(self) -> Sequence[Any]:
        if self._values is None:
            self._values = self._file.values(self.first, self._count, self.inside, self.place + self.name)
        return self._values

    @property
    def children(self) -> Sequence[Record]:
        if self._children is None:
            self._children = self._read_children()
        return self._children

    def _read_children(self) -> list[Record]:
        file, above, depth = self._file, self._above, self._depth + 1
        return [
            _BinaryRecord(file, name, above, at, first, count, inside, stop, depth)
            for name, at, first, count, inside, stop in self._headers()
        ]

    def rows(self) -> Iterator[tuple[str, Sequence[Any]]]:
        if self._children is not None:
            return super().rows()
        values, above = self._file.values, self._above
        return (
            (name, values(first, count, inside, above + name)) for name, _, first, count, inside, _ in self._headers()
        )

    @property
    def number(self) -> int | None:
        file = self._file
        if self._count > 1 and self.inside - self.first > file.numbered.size:
            code, number = file.numbered.unpack_from(file.data, self.first)
            if code == _LONG:
                return int(number)
        return super().number

    def links(self) -> Iterator[tuple[int, int, str]]:
        file, known, above = self._file, self._file.link, self._above
        for name, at, first, count, inside, stop in self._headers():
            if count == 3 and inside - first == known.size:
                kind, letters, link, code, lower, other_code, upper = known.unpack_from(file.data, first)
                if (kind, letters, link, code, other_code) == _PLAIN_LINK:
                    yield lower, upper, ""
                    continue
            one = Record("", (), [_BinaryRecord(file, name, above, at, first, count, inside, stop, self._depth + 1)])
            yield from one.links()

    def arrays(self, *names: str) -> list[NDArray[Any] | None]:
        if self._children is not None:
            return super().arrays(*names)
        arrays: dict[str, NDArray[Any] | None] = {}
        for name, _, first, count, inside, _ in self._headers():
            if name in names and name not in arrays:
                arrays[name] = _as_array(self._file.values(first, count, inside, self._above + name))
                if len(arrays) == len(names):
                    break  # what comes after it is not even looked at
        return [arrays.get(name) for name in names]

    @property
    def _above(self) -> str:
        """What the records inside have as their place."""
        return f"{self.place}{self.name}/" if self.name else ""

    def _headers(self) -> Iterator[tuple[str, int, int, int, int, int]]:
        """Of each record inside its name, where it begins, its values begin, how many, where they and it end."""
        file, at, end = self._file, self.inside, self.end
        data, size, unpack, names = file.data, file.header.size, file.header.unpack_from, file.names
        if self._depth > _DEEPEST:
            raise file.fail("records are nested too deeply.", place=self._where(at))
        while at < end:
            if at + size > end:
                raise file.fail("a record is cut off.", "Is the file cut off?", self._where(at))
            stop, count, length, letters = unpack(data, at)
            if stop == 0:
                break
            first = at + size + letters
            inside = first + length
            if not inside <= stop <= end:
                raise file.fail(
                    f"a record says that it ends at byte {stop}, outside of what holds it.",
                    "Is the file cut off or damaged?",
                    self._where(at),
                )
            letters_read = data[at + size : first]
            name = names.get(letters_read)
            if name is None:
                name = names[letters_read] = letters_read.decode("utf-8", "replace")
            yield name, at, first, count, inside, stop
            at = stop

    def _where(self, at: int) -> str:
        return f"{self.place}{self.name or 'top level'}, byte {at}"
