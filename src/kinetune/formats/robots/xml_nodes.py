"""XML from strangers: bounded in size, elements and depth; entities are refused, nothing outside the file is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload
from xml.parsers import expat

import numpy as np

from kinetune.errors import MalformedFileError
from kinetune.formats.text.number_text import LARGEST_NUMBER
from kinetune.input_files import read_input
from kinetune.rotations import Floats

MOST_BYTES = 64 << 20
MOST_ELEMENTS = 200_000
MOST_DEPTH = 150
_AROUND = b" \t\r\n\0"  # what some programs leave before and after the text


@dataclass
class XmlNode:
    """One element: its tag, attributes, children, and where it stands in which file."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    children: list[XmlNode] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[XmlNode]:
        """The children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> XmlNode | None:
        """The first child with a tag."""
        return next(self.all(tag), None)

    def error(self, problem: str, advice: str | None = None) -> MalformedFileError:
        """An error at this element."""
        return MalformedFileError(self.path, problem, line=self.line, advice=advice)


@overload
def numbers(
    node: XmlNode, text: str | None, name: str, count: int, default: tuple[float, ...], *, unbounded: bool = False
) -> Floats: ...
@overload
def numbers(node: XmlNode, text: str | None, name: str, count: int, default: None = None) -> Floats | None: ...
def numbers(
    node: XmlNode,
    text: str | None,
    name: str,
    count: int,
    default: tuple[float, ...] | None = None,
    *,
    unbounded: bool = False,
) -> Floats | None:
    """The numbers of an attribute, between spaces or commas, or the default where it is absent.

    ``unbounded``: whether one that is too large, such as the largest float, means infinity; else it is refused.
    """
    if text is None:
        return None if default is None else np.array(default)
    try:
        values = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        values = np.empty(0)
    if unbounded and values.shape == (count,) and not np.isnan(values).any():
        return np.where(np.abs(values) < LARGEST_NUMBER, values, np.copysign(np.inf, values))
    if values.shape != (count,) or not np.all(np.abs(values) < LARGEST_NUMBER):
        takes = "a number" if count == 1 else f"{count} numbers"
        raise node.error(f'{name} of <{node.tag}> takes {takes}, not "{text[:40]}".')
    return values


class _Builder:
    def __init__(self, path: Path, parser: expat.XMLParserType, skipped: int) -> None:
        self.path, self.parser = path, parser
        self.skipped = skipped  # empty lines at the start
        self.root: XmlNode | None = None
        self.open: list[XmlNode] = []
        self.count = 0

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.skipped

    def fail(self, problem: str) -> MalformedFileError:
        return MalformedFileError(self.path, problem, line=self.line)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise self.fail(f"it has more than {MOST_ELEMENTS:,} elements.")
        if len(self.open) >= MOST_DEPTH:
            raise self.fail(f"its elements lie more than {MOST_DEPTH} deep in each other.")
        node = XmlNode(tag, attributes, self.path, self.line)
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, tag: str) -> None:
        self.open.pop()

    def entity(self, name: str, *others: object) -> None:
        raise self.fail(f'it declares the XML entity "{name}", and entities are not expanded.')


def read_xml(path: Path) -> XmlNode:
    """The outermost element of an XML file."""
    whole = read_input(path, largest=MOST_BYTES, what="a robot")
    data = whole.strip(_AROUND)
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    builder = _Builder(path, parser, whole[: whole.find(data)].count(b"\n"))
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.EntityDeclHandler = builder.entity
    try:
        for start in range(0, len(data), 1 << 16):
            parser.Parse(data[start : start + (1 << 16)], False)
        parser.Parse(b"", True)
    except expat.ExpatError as failure:
        what = "it is empty." if not data else f"it is not XML ({expat.errors.messages[failure.code]})."
        line = failure.lineno + builder.skipped
        raise MalformedFileError(path, what, line=line, advice="Is the file complete?") from None
    except (ValueError, LookupError):
        raise MalformedFileError(path, "its text encoding is unknown.", advice="Save it as UTF-8.") from None
    if builder.root is None:
        raise MalformedFileError(path, "there is no element in it.")
    return builder.root
