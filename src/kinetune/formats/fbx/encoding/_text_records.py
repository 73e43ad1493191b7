"""FBX as text (ASCII): the same records, read from words."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune.formats.fbx.encoding.records import Record

if TYPE_CHECKING:
    from kinetune.formats.fbx.encoding.records import FbxFile

_TOKEN = re.compile(
    r"""[\s,]*+(?:;[^\n]*+[\s,]*+)*+         # space, comments, stray commas
    (?: "(?P<text>[^"]*+)"
      | (?P<name>[^\W\d][\w|]*+)\s*+:(?!:)
      | (?P<number>[-+]?(?:(?:\d++\.?\d*+|\.\d++)(?:e[-+]?\d++)?|1\.\#(?:INF|IND|QNAN)|nan|inf)(?=[\s,{}]|$))
      | \*(?P<count>\d++)\s*+\{\s*+a\s*+:
      | (?P<mark>[{}])
      | (?P<word>[^\s,{}":]++)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_VERSION = re.compile(r";\s*FBX\s+(\d+)\.(\d+)")
_DEEPEST = 64
_LONGEST_INTEGER = 20  # characters, of 64 bits with a sign; what is longer is measured, not counted


def parse_text(file: FbxFile) -> tuple[int, Record]:
    """(version, a record that holds all others) of an FBX file that is text."""
    text = file.data.decode("utf-8", "replace")
    stated = _VERSION.search(text[:512])
    header = re.search(r"FBXVersion\s*:\s*(\d+)", text)
    if header is None and stated is None:
        raise file.fail("this is not an FBX file.", "Is it damaged, or another format with the wrong suffix?")
    version = 1000 * int(stated[1][:3]) + 100 * int(stated[2][:1]) if stated else int(header[1][:9])  # type: ignore[index]
    if not 7000 <= version < 8000:
        return version, Record("", (), [])  # refused by its number
    return version, _Parser(file, text).parse()


class TextRecord(Record):
    """A record in a text: it begins at ``begin``, its records at ``inside``, and it ends at ``end``."""

    __slots__ = ("_text", "begin", "end", "inside")

    def __init__(self, text: str, name: str, begin: int, end: int) -> None:
        super().__init__(name, [])
        self._text, self.begin, self.inside, self.end = text, begin, end, end

    def as_text(self) -> str:
        """The record as it is written, with everything inside."""
        return self._text[self.begin : self.end]

    def head_text(self) -> str:
        """Its name and values, up to the brace that opens."""
        return self._text[self.begin : self.inside]


class _Parser:
    def __init__(self, file: FbxFile, text: str) -> None:
        self.file, self.text = file, text

    def parse(self) -> Record:
        """The records of the whole text."""
        text, at = self.text, 0
        top = TextRecord(text, "", 0, 0)
        top._children = []
        stack: list[TextRecord] = [top]
        current: TextRecord | None = None
        end = len(text)
        while True:
            token = _TOKEN.match(text, at)
            if token is None:
                rest = text[at:].lstrip(" \t\r\n,\0")
                if rest and not rest.startswith(";"):
                    raise self._fail(stack, f"cannot read {rest[:20]!r}.", at)
                break
            at = token.end()
            kind = token.lastgroup
            if kind == "name":
                current = TextRecord(text, token["name"], token.start("name"), at)
                stack[-1]._children.append(current)  # type: ignore[union-attr]
            elif kind == "mark" and token["mark"] == "{":
                if current is None or len(stack) > _DEEPEST:
                    raise self._fail(stack, "a brace opens where no record begins.", at)
                current._children = []
                current.inside = current.end = at
                stack.append(current)
                current = None
            elif kind == "mark":
                if len(stack) == 1:
                    raise self._fail(stack, "a brace closes that was never opened.", at)
                stack.pop().end = at
                current = None
            elif current is None:
                raise self._fail(stack, f"a value stands outside of a record: {token[0].strip()[:20]!r}.", at)
            elif kind == "count":
                close = text.find("}", at)
                if close < 0:
                    raise self._fail(stack, "an array is not closed.", end)
                current._values.append(self._array(stack, text[at:close], int(token["count"][:12]), at))  # type: ignore
                current.end = current.inside = at = close + 1
            else:
                current._values.append(_value(kind, token))  # type: ignore[union-attr]
                current.end = current.inside = at
        if len(stack) > 1:
            raise self._fail(stack, "a brace is not closed.", end)
        return stack[0]

    def _fail(self, stack: list[TextRecord], problem: str, at: int) -> Exception:
        path = "/".join(record.name for record in stack[1:]) or "top level"
        where = f"{path}, line {_line(self.text, at)} (byte {len(self.text[:at].encode())})"
        return self.file.fail(problem, "Is the file cut off or damaged?", where)

    def _array(self, stack: list[TextRecord], text: str, count: int, at: int) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                numbers = np.fromstring(text, sep=",") if text.strip() else np.empty(0)
        except (DeprecationWarning, ValueError):
            raise self._fail(stack, "an array holds something that is not a number.", at) from None
        if len(numbers) != count:
            raise self._fail(stack, f"an array declares {count} numbers but holds {len(numbers)}.", at)
        return numbers


def _value(kind: str | None, token: re.Match[str]) -> Any:
    if kind == "text":
        return token["text"].replace("&quot;", '"')
    if kind == "word":
        return token["word"]
    number = token["number"]
    try:
        return int(number) if len(number) <= _LONGEST_INTEGER else float(number)
    except ValueError:
        try:
            return float(number)
        except ValueError:  # 1.#INF and its like
            return float("nan")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
