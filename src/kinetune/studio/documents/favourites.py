"""The clips that a user has marked with a star: samples and files, kept beside the documents."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from kinetune.errors import KinetuneError
from kinetune.formats.atomic_write import write_files
from kinetune.input_files import read_input

_MOST = 10_000
_KINDS = ("sample", "path")


class Favourites:
    """Favourite clips, the newest first.

    file : where they are kept. One that is damaged counts as empty, and is overwritten by the next star.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._lines = self._read()

    def _read(self) -> list[dict[str, str]]:
        if not self._file.is_file():
            return []
        try:
            plain = json.loads(read_input(self._file))
        except (KinetuneError, ValueError, RecursionError):
            return []
        lines = plain if isinstance(plain, list) else []
        return [line for line in lines if _is_line(line)][:_MOST]

    @property
    def lines(self) -> list[dict[str, str]]:
        """What each is: a ``sample`` or the ``path`` of a file."""
        return list(self._lines)

    def mark(self, kind: str, name: str, on: bool) -> None:
        """Give a clip its star, or take it away."""
        line = {kind: name}
        with self._lock:
            others = [each for each in self._lines if each != line]
            self._lines = ([line, *others] if on else others)[:_MOST]
            write_files({self._file: json.dumps(self._lines, indent=1).encode()}, private=True)


def _is_line(line: Any) -> bool:
    return (
        isinstance(line, dict) and len(line) == 1 and all(k in _KINDS and isinstance(v, str) for k, v in line.items())
    )
