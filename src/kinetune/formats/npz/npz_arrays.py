"""NumPy archives from strangers: no pickle, no surprise in size.

``numpy.load`` trusts the sizes that an archive declares only after it has unpacked it, and an object array runs code.
Here the directory and each array's own header are checked first, and objects are refused.
"""

from __future__ import annotations

import io
import math
import os
import sys
import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import FileError, MalformedFileError
from kinetune.formats.bridges import conversion
from kinetune.formats.file_limits import most_poses
from kinetune.input_files import most_unpacked, open_input

LARGEST = 2 << 30
"""Bytes that the arrays of one archive may take when unpacked."""

_MOST_ARRAYS = 1000
_NUMBERS = 9  # of a pose, in any form

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    NotImplementedError,
    OSError,
    OverflowError,
    UnicodeDecodeError,
)


def array_names(path: Path, start: bytes = b"") -> frozenset[str]:
    """The names of the arrays in an archive, or of its first one when only the start of the file is readable."""
    try:
        with open_input(path) as file, zipfile.ZipFile(file) as archive:
            return frozenset(name.removesuffix(".npy") for name in archive.namelist())
    except _BROKEN:
        pass
    if start[:4] == b"PK\3\4" and len(start) >= 30:
        length = int.from_bytes(start[26:28], "little")
        return frozenset([start[30 : 30 + length].decode("utf-8", "replace").removesuffix(".npy")])
    return frozenset()


def array_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays in an archive, without reading them; empty when it is damaged."""
    shapes = {}
    try:
        with open_input(path) as file, zipfile.ZipFile(file) as archive:
            for member in archive.infolist()[:_MOST_ARRAYS]:
                with archive.open(member) as stream:
                    shapes[member.filename.removesuffix(".npy")] = _read_header(stream)[0]
    except (*_BROKEN, ValueError):
        pass
    return shapes


def read_array(path: Path) -> NDArray[Any]:
    """The array of an ``.npy`` file."""
    with io.BufferedReader(open_input(path)) as stream:
        try:
            shape, by_columns, dtype = _read_header(stream)
        except (ValueError, EOFError, OverflowError):
            raise MalformedFileError(path, "this is not a NumPy array.", advice="Save it with numpy.save.") from None
        if dtype.hasobject:
            raise _pickled(path, "the file")
        size = math.prod(shape) * dtype.itemsize
        if size > LARGEST:
            raise MalformedFileError(
                path, f"the array takes {size / 2**30:.1f} GiB; at most {LARGEST >> 30} GiB are read."
            )
        if size > path.stat().st_size or dtype.names is not None:
            raise MalformedFileError(path, "the array is cut off or not a plain array of numbers.")
        data = stream.read(size)
    return _shaped(path, path.name, data, shape, by_columns, dtype)


def read_arrays(path: Path, names: Collection[str], spare: Collection[str] = ()) -> dict[str, NDArray[Any]]:
    """The arrays of these names that the archive has; everything else in it stays packed.

    One that is only ``spare`` is left out, instead of being an error, when it is pickled.
    """
    try:
        with open_input(path) as file, zipfile.ZipFile(file) as archive:
            members = [m for m in archive.infolist() if m.filename.removesuffix(".npy") in {*names, *spare}]
            total = sum(member.file_size for member in members)
            size = os.fstat(file.fileno()).st_size
            if total > min(LARGEST, most_unpacked(size)):
                raise MalformedFileError(
                    path,
                    f"its arrays would unpack from {size:,} to {total:,} bytes, which is more than motion takes.",
                    advice="If you trust it, load it and save it again with numpy.savez, which does not compress.",
                )
            arrays = {m.filename.removesuffix(".npy"): _read_array(path, archive, m, size) for m in members}
    except _BROKEN as problem:
        if isinstance(problem, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise MalformedFileError(
            path, "this is not a complete .npz archive.", advice="It may be cut off; copy or download it again."
        ) from None
    pickled = [name for name, array in arrays.items() if array is None]
    if any(name not in spare for name in pickled):
        raise _pickled(path, f'"{pickled[0]}"')
    return {name: array for name, array in arrays.items() if array is not None}


def _pickled(path: Path, what: str) -> MalformedFileError:
    problem = f"{what} holds pickled Python objects, which are never loaded: they could run code."
    return MalformedFileError(path, problem, advice=conversion(path))


def _read_array(
    path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, archive_size: int
) -> NDArray[Any] | None:
    """One array, or None when it is pickled."""
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as stream:
        try:
            shape, by_columns, dtype = _read_header(stream)
        except ValueError:
            raise MalformedFileError(path, f'"{name[:60]}" is not a NumPy array.') from None
        if dtype.hasobject:
            return None
        if math.prod(shape) > _NUMBERS * most_poses(archive_size):  # small types grow when they become numbers
            raise MalformedFileError(path, f'"{name[:60]}" holds {math.prod(shape):,} numbers, more than motion takes.')
        size = math.prod(shape) * dtype.itemsize
        if size > member.file_size:
            raise MalformedFileError(path, f'"{name}" declares {size} bytes but holds at most {member.file_size}.')
        data = stream.read(size)
    return _shaped(path, name, data, shape, by_columns, dtype)


def _shaped(
    path: Path, name: str, data: bytes, shape: tuple[int, ...], by_columns: bool, dtype: np.dtype[Any]
) -> NDArray[Any]:
    if len(data) != math.prod(shape) * dtype.itemsize or dtype.names or dtype.subdtype or not dtype.itemsize:
        raise MalformedFileError(path, f'"{name}" is cut off or not a plain array of numbers.')
    array = np.frombuffer(data, dtype)
    if dtype.kind == "U" and (array.view(np.dtype("u4").newbyteorder(dtype.byteorder)) > sys.maxunicode).any():
        raise MalformedFileError(path, f'"{name[:60]}" holds text with characters that do not exist.')
    return array.reshape(shape[::-1]).T if by_columns else array.reshape(shape)


def _read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns come first, and type of an array; a ``ValueError`` for anything else."""
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, dtype = read(stream)
    except _BROKEN:
        raise
    except Exception as problem:  # NumPy parses it as Python, and tokens, syntax and types fail in ways of their own
        raise ValueError("no header") from problem
    if any(isinstance(side, bool) or side < 0 for side in shape):
        raise ValueError("negative side")
    return shape, by_columns, dtype


def pack_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a compressed archive with these arrays, the same each time."""
    total = sum(array.nbytes for array in arrays.values())
    if total > LARGEST:
        raise FileError(
            path,
            f"the clip takes {total / 2**30:.1f} GiB, and at most {LARGEST >> 30} GiB go into one .npz.",
            advice="Trim it into parts.",
        )
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    if total > most_unpacked(len(buffer.getvalue())):  # an endless rest; packed, no reader could trust its size
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()
