"""Whether the lists of a USD text file have the shape that their types declare, before a library parses them.

USD keeps an error for each element whose brackets do not fit the type, each with the text of the whole list: 60 kB with
one bracket too many took it two gigabytes. What is refused here it would refuse as well, at the first element.
"""

from __future__ import annotations

import re

import numpy as np

from kinetune.formats.usd._crate_values import DamagedUsdError

_DEEPEST = 500
_HIDDEN = re.compile(  # strings, assets and comments, in which brackets mean nothing
    rb'"""(?:[^\\]|\\.)*?"""|'
    rb"'''(?:[^\\]|\\.)*?'''|"
    rb'"(?:[^"\\\n]|\\.)*"|'
    rb"'(?:[^'\\\n]|\\.)*'|"
    rb"@@@.*?@@@|@[^@\n]*@|#[^\n]*|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)
_LIST = re.compile(rb"\b([a-zA-Z]\w*)\s*\[\s*\]\s*([^\s=(){}\[\],]+)\s*=\s*([\[{])")
_SCALAR = re.compile(rb"bool|uchar|u?int(?:64)?|half|float|double|timecode|string|token|asset")
_TUPLE = re.compile(rb"(?:int|half|float|double|(?:point|vector|normal|color|texCoord)(?=..?[dfh]))([234])[dfh]?")
_MATRIX = re.compile(rb"(?:matrix|frame)([234])d")
_SAMPLE = re.compile(rb"[\[}]")
_STEPS = bytes.maketrans(b"([{)]}", b"\x01\x01\x01\xff\xff\xff")
_NOT_NESTING = bytes(set(range(256)) - set(b"([{)]}"))
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[],"))


def check_text(data: bytes) -> None:
    """Raise for brackets that lie too deep in each other, and for lists that do not have the shape of their type."""
    text = _HIDDEN.sub(b"_", data)
    _check_nesting(text)
    for match in _LIST.finditer(text):
        shape = _shape(match[1])
        if shape is None or match[2].endswith(b".connect"):  # whose values are paths
            continue
        if match[3] == b"[":
            _check_list(text, match.end(), shape)
            continue
        at = match.end()
        while (sample := _SAMPLE.search(text, at)) and sample[0] == b"[":
            at = _check_list(text, sample.end(), shape)


def _check_nesting(text: bytes) -> None:
    steps = np.frombuffer(text.translate(_STEPS, _NOT_NESTING), np.int8)
    if np.cumsum(steps, dtype=np.int64).max(initial=0) > _DEEPEST:
        raise DamagedUsdError(f"its brackets are nested more than {_DEEPEST} levels deep.")


def _shape(kind: bytes) -> bytes | None:
    """The brackets and commas of a value of a type; nothing for types that are not known here."""
    if kind.startswith(b"quat"):
        return b"(,,,)"
    if match := _MATRIX.fullmatch(kind):
        size = int(match[1])
        return b"(%b)" % b",".join([b"(%b)" % (b"," * (size - 1))] * size)
    if match := _TUPLE.fullmatch(kind):
        return b"(%b)" % (b"," * (int(match[1]) - 1))
    return b"" if _SCALAR.fullmatch(kind) else None


def _check_list(text: bytes, start: int, shape: bytes) -> int:
    """The place behind the list whose content begins at ``start``."""
    stop = text.find(b"]", start)
    if stop < 0:
        raise DamagedUsdError("a list in it has no end.")
    brackets = text[start:stop].translate(None, _NO_BRACKETS)
    if (brackets.replace(shape, b"") if shape else brackets).strip(b","):
        raise DamagedUsdError("a list in it does not have the shape that its type declares.")
    return stop + 1
