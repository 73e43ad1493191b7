"""Changes in the text of a JSON file that leave every other character of it alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


class JsonText:
    """The text of a JSON object, and changes to it that are made together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._start = _skip(text, 0)
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, path: Sequence[str | int], value: Any) -> None:
        """Put another value at a path of keys and positions, the last of which may be a new key."""
        *above, last = path
        holder = self._span(above)
        members = list(_members(self.text, holder[0]) if isinstance(last, str) else _items(self.text, holder[0]))
        for key, start, end in members:
            if key == last:
                self._edits.append((start, end, _text(value)))
                return
        self._edits.append((holder[1] - 1, holder[1] - 1, ("," if members else "") + f"{_text(last)}:{_text(value)}"))

    def end_list(self, key: str, keep: int, values: Sequence[Any]) -> None:
        """Replace what a list at the top has after its first ``keep`` items; a list that is not there begins."""
        spans = {name: (start, end) for name, start, end in _members(self.text, self._start)}
        if key not in spans:
            if values:
                self.replace([key], list(values))
            return
        start, _ = spans[key]
        items = list(_items(self.text, start))
        begin = items[keep - 1][2] if keep else start + 1
        stop = items[-1][2] if len(items) > keep else begin
        joined = ",".join(map(_text, values))
        self._edits.append((begin, stop, ("," if keep and joined else "") + joined))

    def insert_first(self, key: str, value: Any) -> None:
        """Put a value at the beginning of a list at the top."""
        spans = {name: (start, end) for name, start, end in _members(self.text, self._start)}
        if key not in spans:
            self.replace([key], [value])
            return
        start, _ = spans[key]
        empty = next(_items(self.text, start), None) is None
        self._edits.append((start + 1, start + 1, _text(value) + ("" if empty else ",")))

    def result(self) -> str:
        """The text with all changes."""
        parts, at = [], 0
        for start, end, text in sorted(self._edits):
            parts += [self.text[at:start], text]
            at = end
        return "".join([*parts, self.text[at:]])

    def _span(self, path: Sequence[str | int]) -> tuple[int, int]:
        span = (self._start, self.text.rindex("}") + 1)
        for key in path:
            walk = _members(self.text, span[0]) if isinstance(key, str) else _items(self.text, span[0])
            span = next((start, end) for name, start, end in walk if name == key)
        return span


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """(key, start, end) of the values of an object that begins at a position."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield key, start, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _items(text: str, at: int) -> Iterator[tuple[int, int, int]]:
    """(position, start, end) of the items of a list that begins at a position."""
    at = _skip(text, at + 1)
    number = 0
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield number, at, end
        number += 1
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
