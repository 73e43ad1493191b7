"""The container of glTF: JSON, buffers and accessors, each checked against the bytes that are really there.

It is read with ``json`` and ``struct`` instead of a glTF library: a stranger's file may lie about every length and
index, and the libraries take such files at their word.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import numpy as np

from kinetune.errors import MalformedFileError
from kinetune.formats.text.number_text import usable
from kinetune.input_files import contained_path, open_input, read_input
from kinetune.rotations import Floats

_MAGIC = b"glTF"
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_MOST_VALUES = 1_000_000  # of accessors that no bytes stand behind


_Known = TypeVar("_Known", int, str)


class GltfFile:
    """A ``.glb`` or ``.gltf``: its JSON and, on demand, its accessors as arrays."""

    def __init__(self, path: Path, data: bytes | None = None, beside: Mapping[str, bytes] | None = None) -> None:
        self.path = path
        self.blob: bytes | None = None
        self.data = read_input(path) if data is None else data
        self.beside = beside
        self.size = len(self.data)  # with what is outside of it
        self._values = 0  # of all accessors that were read
        self.is_glb = self.data[:4] == _MAGIC
        encoded = self._unpack(self.data) if self.is_glb else self.data
        try:
            self.text = encoded.decode("utf-8-sig")
            content = json.loads(self.text)
        except (ValueError, RecursionError):
            raise self.fail("its JSON cannot be read.", "Is it cut off, or not a glTF file at all?") from None
        if not isinstance(content, dict) or not isinstance(content.get("asset"), dict):
            raise self.fail('it has no "asset", so this is not a glTF file.')
        version = content["asset"].get("version")
        if not (isinstance(version, str) and version.startswith("2.")):
            raise self.fail(f"it is glTF version {version!r:.60}, and only version 2 is read.")
        self.content: dict[str, Any] = content
        self._buffers: dict[int, bytes] = {}
        self._accessors: dict[int, Floats] = {}

    def fail(self, problem: str, advice: str | None = None) -> MalformedFileError:
        """The error to raise for something wrong in the file."""
        return MalformedFileError(self.path, problem, advice=advice)

    def _unpack(self, data: bytes) -> bytes:
        if len(data) < 20:
            raise self.fail("the file ends inside the GLB header.")
        version, length = struct.unpack_from("<II", data, 4)
        if version != 2:
            raise self.fail(f"it is GLB version {version}, and only version 2 is read.")
        if length > len(data):
            raise self.fail(f"the GLB header declares {length} bytes but the file has {len(data)}.", "Is it cut off?")
        text = None
        at = 12
        while at + 8 <= length:
            size, kind = struct.unpack_from("<II", data, at)
            if at + 8 + size > length:
                raise self.fail(f"a GLB chunk declares {size} bytes but {length - at - 8} are left.", "Is it cut off?")
            chunk = data[at + 8 : at + 8 + size]
            if kind == _JSON and text is None:
                text = chunk
            elif kind == _BIN and self.blob is None:
                self.blob = chunk
            at += 8 + size
        if text is None:
            raise self.fail("the GLB has no JSON chunk.")
        return text

    # JSON values, each of the right type or an error that names it

    def listed(self, key: str) -> list[dict[str, Any]]:
        """A list of objects at the top of the file, empty when absent."""
        return self.objects(self.content, key, key)

    def objects(self, holder: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
        """A list of objects under a key."""
        value = holder.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.fail(f'"{where}" must be a list of objects.')
        return value

    def index(self, holder: Mapping[str, Any], key: str, limit: int, where: str) -> int:
        """A reference to one of ``limit`` things."""
        value = holder.get(key)
        if not isinstance(value, int) or not self.is_index(value, limit):
            raise self.fail(f'{where}: "{key}" is {value!r:.60}, but must be a whole number below {limit}.')
        return value

    @staticmethod
    def is_index(value: object, limit: int) -> bool:
        """Whether a JSON value is a whole number from 0 to ``limit`` - 1."""
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit

    @staticmethod
    def _one_of(table: Mapping[Any, _Known], holder: Mapping[str, Any], key: str) -> _Known | None:
        """What a table says of a number or a word, None where it does not know it."""
        value = holder.get(key)
        return table.get(value) if isinstance(value, int | str) else None

    def count(self, holder: Mapping[str, Any], key: str, where: str, default: int | None = None) -> int:
        """A whole number that is not negative."""
        value = holder.get(key, default)
        if not isinstance(value, int) or not self.is_index(value, 1 << 62):
            raise self.fail(f'{where}: "{key}" is {value!r:.60}, but must be a whole number.')
        return value

    def numbers(self, holder: Mapping[str, Any], key: str, size: int, where: str) -> Floats | None:
        """A list of numbers, or None when absent."""
        value = holder.get(key)
        if value is None:
            return None
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            array = np.empty(0)
        if array.shape != (size,) or not usable(array).all():
            raise self.fail(f'{where}: "{key}" must be {size} numbers of sensible size.')
        return array

    # Bytes

    def buffer(self, number: int) -> bytes:
        """The bytes of a buffer."""
        if number in self._buffers:
            return self._buffers[number]
        buffer = self.listed("buffers")[number]
        where = f"buffer {number}"
        length = self.count(buffer, "byteLength", where)
        uri = buffer.get("uri")
        if uri is None:
            if number != 0 or self.blob is None:
                raise self.fail(f"{where} has no data in this file.")
            data = self.blob
        elif isinstance(uri, str) and uri.startswith("data:"):
            try:
                data = base64.b64decode(uri.partition(",")[2])
            except (binascii.Error, ValueError):
                raise self.fail(f"{where}: its embedded base64 data is damaged.") from None
        else:
            data = self._outside(str(uri), length, where)
        if len(data) < length:
            raise self.fail(f"{where} declares {length} bytes but {len(data)} are there.", "Is the file cut off?")
        self._buffers[number] = data
        return data

    def files_beside(self) -> dict[str, bytes]:
        """The files in its folder that it refers to (buffers, textures), by URI; those elsewhere are left out."""
        files = {}
        for uri in self.outside_uris():
            path = self.path_beside(uri)
            if path is not None and path.is_file():
                files[uri] = read_input(path)
        return files

    def outside_uris(self) -> list[str]:
        """What it refers to outside of itself: buffers and textures."""
        uris = [holder.get("uri") for holder in (*self.listed("buffers"), *self.listed("images"))]
        return [uri for uri in uris if isinstance(uri, str) and not uri.startswith("data:")]

    def path_beside(self, uri: str) -> Path | None:
        """The file that a URI names in the folder of this one or below it, or None for any other."""
        return None if "://" in uri else contained_path(unquote(uri), self.path.parent)

    def outside(self) -> list[Path]:
        """The files that hold its buffers, whether they are there or not."""
        uris = [buffer.get("uri") for buffer in self.listed("buffers")]
        return [self._beside(uri) for uri in uris if isinstance(uri, str) and not uri.startswith("data:")]

    def _beside(self, uri: str) -> Path:
        """A file that the glTF names: in its own folder or below, since a stranger's file may ask for any other."""
        path = self.path_beside(uri)
        if path is None:
            raise self.fail(
                f'it asks for "{uri[:80]}", which is not in its own folder.', "Put that file beside it under that name."
            )
        return path

    def _outside(self, uri: str, length: int, where: str) -> bytes:
        if self.beside is not None and len(self.beside.get(uri, b"")) >= length:
            self.size += length
            return self.beside[uri][:length]
        beside = self._beside(uri)
        if not beside.is_file():
            raise self.fail(
                f'{where} lies in "{uri[:80]}", which is not beside this file.', "Put it there and try again."
            )
        if beside.stat().st_size < length:
            raise self.fail(f'{where} declares {length} bytes but "{uri[:80]}" is shorter.', "Is it cut off?")
        with open_input(beside) as stream:
            data = stream.read(length)
        self.size += len(data)
        return data

    def _view(self, number: int, offset: int, count: int, size: int, where: str) -> tuple[bytes, int, int]:
        """(bytes, start, stride) of ``count`` items of ``size`` bytes in a buffer view, or an error."""
        views = self.listed("bufferViews")
        view = views[number]
        extensions = view.get("extensions")
        if isinstance(extensions, dict) and "EXT_meshopt_compression" in extensions:
            raise self.fail(f"{where} is compressed with meshopt, which is not read.", "Export it without compression.")
        data = self.buffer(self.index(view, "buffer", len(self.listed("buffers")), f"bufferView {number}"))
        start = self.count(view, "byteOffset", f"bufferView {number}", 0)
        length = self.count(view, "byteLength", f"bufferView {number}")
        stride = self.count(view, "byteStride", f"bufferView {number}", size)
        needed = offset + (count - 1) * stride + size
        if start + length > len(data) or needed > length or stride < size:
            raise self.fail(f"{where} reaches beyond bufferView {number}, which has {length} bytes.")
        return data, start + offset, stride

    def accessor(self, number: int) -> Floats:
        """An accessor as (count, components) numbers; normalized integers come as fractions."""
        if number not in self._accessors:
            self._accessors[number] = self._read_accessor(number)
        return self._accessors[number]

    def _read_accessor(self, number: int) -> Floats:
        accessor = self.listed("accessors")[number]
        where = f"accessor {number}"
        kind, width = self._one_of(_COMPONENTS, accessor, "componentType"), self._one_of(_WIDTHS, accessor, "type")
        if kind is None or width is None:
            raise self.fail(f"{where} has an unknown component type or type.")
        count = self.count(accessor, "count", where)
        if count == 0:
            raise self.fail(f"{where} is empty.")
        self._values += count * width
        dtype = np.dtype(kind)
        if accessor.get("bufferView") is not None:
            values = self._strided(accessor, dtype, count, width, where)
            self._check_values(where)
        else:
            self._check_values(where)
            values = np.zeros((count, width), dtype)
        if accessor.get("sparse") is not None:
            values = self._sparse(accessor["sparse"], values, where)
        if dtype.kind != "f" and accessor.get("normalized", False):
            top = float(np.iinfo(dtype).max)
            return np.maximum(values.astype(float) / top, -1.0)
        return values.astype(float)

    def _check_values(self, where: str) -> None:
        """Raise where accessors share so many bytes, or do without, that the file would grow out of proportion."""
        if self._values > _MOST_VALUES + self.size:
            raise self.fail(f"{where} and those before declare {self._values:,} numbers, too many for their bytes.")

    def _strided(self, holder: Mapping[str, Any], dtype: np.dtype[Any], count: int, width: int, where: str) -> Floats:
        view = self.index(holder, "bufferView", len(self.listed("bufferViews")), where)
        offset = self.count(holder, "byteOffset", where, 0)
        data, start, stride = self._view(view, offset, count, width * dtype.itemsize, where)
        return np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize))

    def _sparse(self, sparse: object, values: Floats, where: str) -> Floats:
        if not isinstance(sparse, dict) or not all(isinstance(sparse.get(k), dict) for k in ("indices", "values")):
            raise self.fail(f'{where}: "sparse" needs indices and values.')
        changed = self.count(sparse, "count", where)
        kind = self._one_of(_COMPONENTS, sparse["indices"], "componentType")
        if not 0 < changed <= len(values) or kind not in ("<u1", "<u2", "<u4"):
            raise self.fail(f'{where}: "sparse" changes {changed} of {len(values)} items, or its indices are invalid.')
        places = self._strided(sparse["indices"], np.dtype(kind), changed, 1, where)[:, 0]
        if int(places.max()) >= len(values):
            raise self.fail(f'{where}: a "sparse" index is beyond the {len(values)} items.')
        values = values.copy()
        values[places] = self._strided(sparse["values"], values.dtype, changed, values.shape[1], where)
        return values
