"""Text files as they come: with or without a byte order mark, in UTF-8 or an old Western encoding."""

from __future__ import annotations

from pathlib import Path

from kinetune.errors import MalformedFileError


def read_text(path: Path, kind: str) -> str:
    """The text of a file; ``kind`` names what it should be, such as "AMC", when it is binary instead."""
    data = path.read_bytes()
    if b"\0" in data[:65536]:
        raise MalformedFileError(path, f"this is a binary file, not {kind} text.", advice="Was it renamed by mistake?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
