"""The tree of an SVG file, read so that a hostile file can do nothing.

The parser is Expat, from Python's standard library. Entities that a file declares in itself are read, as drawing
programs write them; those that lie in other files or would grow the file beyond bounds are refused where they are
declared, before anything could expand. Nothing outside the file is opened; elements, depth and
size are bounded. Scripts are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from kinetune.errors import MalformedFileError
from kinetune.input_files import read_input

MOST_BYTES = 128 << 20
MOST_ELEMENTS = 200_000
MOST_DEPTH = 200
MOST_ENTITIES = 256
MOST_IN_ENTITY = 4096  # characters
MOST_EXPANDED = 64 << 20  # characters of all entities together, if every "&" in the file were the longest one
_SVG = "http://www.w3.org/2000/svg"
_CHUNK = 1 << 16
_reference = re.compile(r"&([^;#\s]+);")


@dataclass
class SvgNode:
    """One element: its tag without namespace ("" for an element of another language), attributes, children.

    attributes : by local name; ``xlink:href`` is ``href`` unless there is a plain one, ``inkscape:label`` is ``label``.
    line : where it stands in the file, from 1.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    parent: SvgNode | None = None
    children: list[SvgNode] = field(default_factory=list)
    text: str = ""

    def everything(self) -> Iterator[SvgNode]:
        """This element and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


class _Builder:
    def __init__(self, name: str, parser: expat.XMLParserType, references: int) -> None:
        self.name, self.parser, self.references = name, parser, references
        self.entities: dict[str, int] = {}  # the length of each when it is expanded
        self.root: SvgNode | None = None
        self.open: list[SvgNode] = []
        self.count = 0

    def fail(self, problem: str, advice: str | None = None) -> MalformedFileError:
        return MalformedFileError(self.name, problem, line=self.parser.CurrentLineNumber, advice=advice)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise self.fail(f"it has more than {MOST_ELEMENTS:,} elements.", "Split the drawing into several files.")
        if len(self.open) >= MOST_DEPTH:
            raise self.fail(f"its elements lie more than {MOST_DEPTH} deep in each other.")
        parent = self.open[-1] if self.open else None
        space, _, local = name.rpartition(" ")
        # A file without any namespace is common enough, and means SVG.
        node = SvgNode(local if space in (_SVG, "") else "", _local(attributes), self.parser.CurrentLineNumber, parent)
        if parent is None:
            self.root = node
        else:
            parent.children.append(node)
        self.open.append(node)

    def end(self, name: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open and self.open[-1].tag in ("style", "title"):
            self.open[-1].text += text

    def entity(self, name: str, parameter: int, value: str | None, *elsewhere: object) -> None:
        """Let Expat expand a short entity of the file itself; refuse any other."""
        problem = None
        if parameter or value is None:
            problem = "that lies elsewhere"
        else:
            inner = _reference.findall(value)
            size = len(value) + sum(self.entities.get(other, MOST_IN_ENTITY) for other in inner)
            self.entities.setdefault(name, size)
            if (
                len(self.entities) > MOST_ENTITIES
                or size > MOST_IN_ENTITY
                or size * (self.references + 1) > MOST_EXPANDED
            ):
                problem = "that refers to others too often or is too long"
        if problem is not None:
            raise self.fail(
                f'it declares the XML entity "{name}", {problem}, which is not expanded.',
                "Save it as plain SVG from the program that drew it.",
            )


def _local(attributes: dict[str, str]) -> dict[str, str]:
    named: dict[str, str] = {}
    for name, value in attributes.items():
        space, _, local = name.rpartition(" ")
        if not space:
            named[local] = value
        elif local in ("href", "label"):
            named.setdefault(local, value)
    return named


_AS_PICTURE = "Save it, or one of its frames, as PNG."
_AS_SVG = "Export it as SVG."
_OTHER_KINDS = (
    (b"\x1f\x8b", "it is compressed (SVGZ).", "Unpack it first: gunzip -S .svgz FILE"),
    (b"PK\x03\x04", "it is a ZIP archive, as .lottie files are.", "Unpack it and read the .json file in animations/."),
    (b"GIF8", "GIF pictures are not read.", _AS_PICTURE),
    (b"RIFF", "WebP pictures are not read.", _AS_PICTURE),
    (b"\x89PNG", "it is a PNG picture.", "Give it the extension .png."),
    (b"\xff\xd8\xff", "it is a JPEG picture.", "Give it the extension .jpg."),
    (b"%PDF", "it is a PDF document.", _AS_SVG),
    (b"%!PS", "it is a PostScript file.", _AS_SVG),
)


def read_tree(path: Path) -> SvgNode:
    """The root element of an SVG file."""
    return parse_tree(read_input(path, largest=MOST_BYTES, what="a drawing"), str(path))


def parse_tree(data: bytes, name: str = "SVG") -> SvgNode:
    """The root element of SVG text."""
    for signature, problem, advice in _OTHER_KINDS:
        if data.startswith(signature):
            raise MalformedFileError(name, problem, advice=advice)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.buffer_text = True
    builder = _Builder(name, parser, data.count(b"&"))
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.EntityDeclHandler = builder.entity
    try:
        for start in range(0, len(data), _CHUNK):
            parser.Parse(data[start : start + _CHUNK], False)
        parser.Parse(b"", True)
    except (ValueError, LookupError):  # of the encoding that the first line names
        raise MalformedFileError(
            name, "it is in an encoding that is not read.", line=1, advice="Save it as UTF-8."
        ) from None
    except expat.ExpatError as failure:
        problem = "it is empty." if not data.strip() else f"it is not XML ({expat.errors.messages[failure.code]})."
        raise MalformedFileError(
            name, problem, line=failure.lineno, advice="Is it an SVG file, and whole?"
        ) from failure
    root = builder.root
    if root is None or root.tag != "svg":
        outermost = root.tag if root is not None and root.tag else "something else"
        raise MalformedFileError(name, f"its outermost element is {outermost}, not svg.", advice="Is it an SVG file?")
    return root
