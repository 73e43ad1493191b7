"""Records back into the text of an FBX file: those that were read stay as they are written, new ones are printed."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetune.formats.fbx.encoding._text_records import TextRecord
from kinetune.formats.fbx.encoding.records import FbxFile, PatchedRecord, Record

_AS_BITS = 7200
"""From this version on the tangents of keys are printed as the bits of floats."""


class TextWriter:
    """Writes one file."""

    def __init__(self, version: int) -> None:
        self.version = version

    def file(self, records: Sequence[Record], original: FbxFile) -> bytes:
        """The whole file, with the comment at its top."""
        text = original.data.decode("utf-8", "replace")
        comment = re.match(r"(?:\s*;[^\n]*\n)*", text)
        parts = [comment[0] if comment else "", *(self._record(record, 0) for record in records)]
        return "\n".join(parts).encode()

    def _record(self, record: Record, depth: int) -> str:
        space = "\t" * depth
        if isinstance(record, TextRecord):
            return space + record.as_text() + "\n" * (depth == 0)
        if isinstance(record, PatchedRecord) and isinstance(record.original, TextRecord):
            head = record.original.head_text()
        else:
            head = f"{record.name}: {self._values(record)}" + (" {" if record.is_open else "")
        if not record.is_open:
            return space + head
        inside = "\n".join(self._record(child, depth + 1) for child in record.children)
        return f"{space}{head}\n{inside}\n{space}}}"

    def _values(self, record: Record) -> str:
        if record.values and isinstance(record.values[0], np.ndarray):
            array = record.values[0]
            if record.name == "KeyAttrDataFloat" and self.version >= _AS_BITS:
                array = array.astype("<f4").view("<i4")
            return f"*{array.size} {{\n\t\t\ta: {','.join(map(_number, array.ravel()))}\n\t\t}}"
        return ", ".join(_printed(value) for value in record.values)


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, np.integer) else repr(float(value))


def _printed(value: Any) -> str:
    if isinstance(value, str):
        name, mark, kind = value.partition("\0\1")
        text = f"{kind}::{name}" if mark else value
        return '"' + text.replace('"', "&quot;") + '"'
    if isinstance(value, bytes):
        return '"' + base64.b64encode(value).decode() + '"'
    if isinstance(value, bool):
        return "T" if value else "F"
    return str(int(value)) if isinstance(value, int | np.integer) else repr(float(value))
