"""The tree of joints in a BVH file, read one statement at a time, whatever exporter wrote it.

The parser keeps no more than a stack of open braces, so that depth and size do not matter. What it cannot understand it
skips or mends, and says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kinetune.errors import MalformedFileError
from kinetune.findings import Finding

MOST_JOINTS = 10_000
MOST_STRAYS = 40
_WIDEST_INDENT = 1 << 16
_STATEMENT = re.compile(
    r"(?i)(?P<blank>[\s\x00]+)|(?P<open>\{)|(?P<close>\})|(?P<head>HIERARCHY\b)|(?P<joint>(?:ROOT|JOINT)\b)"
    r"|(?P<site>End[ \t_]*Site\b)|(?P<offset>OFFSET\b)|(?P<channels>CHANNELS\b)|(?P<stray>[^\s{}]+)"
)
_NAME = re.compile(r"[ \t]*([^\r\n{}]*)")
_POINT_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_COMMA_NUMBER = r"[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?"
_OFFSETS = tuple(
    re.compile(rf"[ \t]*({number}){gap}({number}){gap}({number})(?=[\s}}]|\Z)")
    for number, gap in ((_POINT_NUMBER, r"(?:\s+|[ \t]*[,;][ \t]*|(?=[+-]))"), (_COMMA_NUMBER, r"(?:\s+|;[ \t]*)"))
)
_COUNT = re.compile(r"[ \t]*(\d*)")
_CHANNEL = re.compile(r"(?i)[\s,]*([a-z]\w*(?:position|rotation|translation|scale|rot|pos|scaling))\b")


@dataclass
class Node:
    """A joint or an End Site while it is being read."""

    is_joint: bool
    keyword: str
    name: str
    parent: int
    line: int
    depth: int  # columns by which its line is indented, -1 when it does not begin a line
    channels: list[str] = field(default_factory=list)
    offset: tuple[str, str, str] | None = None
    has_children: bool = False


class Hierarchy:
    """The statements of a HIERARCHY, put together."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.nodes: list[Node] = []
        self.strays: list[tuple[int, str]] = []
        self.findings: list[Finding] = []
        self.has_commas = False
        self._open: list[int] = []  # nodes whose brace is open; -1 for a brace that belongs to nobody
        self._waiting: int | None = None  # a node whose brace is yet to come
        self._too_many = self._too_few = 0
        self._line, self._line_at = 1, 0
        self._breaks = "\n" if "\n" in text else "\r"

    def read(self) -> None:
        at = 0
        while at < len(self.text):
            found = _STATEMENT.match(self.text, at)
            assert found is not None  # the pattern takes any character
            at = found.end()
            kind = found.lastgroup
            if kind == "open":
                self._open.append(-1 if self._waiting is None else self._waiting)
                self._waiting = None
            elif kind == "close":
                self._close()
            elif kind == "joint" or kind == "site":
                at = self._begin(found, kind == "joint")
            elif kind == "offset":
                at = self._read_offset(at)
            elif kind == "channels":
                at = self._read_channels(at)
            elif kind == "stray":
                self._skip(found.start(), found.group())
        self._mend_braces()

    def line_of(self, at: int) -> int:
        """The line of a place; places must be asked for in order."""
        self._line += self.text.count(self._breaks, self._line_at, at)
        self._line_at = at
        return self._line

    def repair(self, message: str) -> None:
        self.findings.append(Finding("repaired-hierarchy", message))

    def _close(self) -> None:
        self._waiting = None
        if self._open:
            self._open.pop()
        else:
            self._too_many += 1

    def _begin(self, found: re.Match[str], is_joint: bool) -> int:
        name = _NAME.match(self.text, found.end())
        assert name is not None
        keyword = found.group()
        if keyword.upper() == "ROOT" and self._open:
            self._too_few += len(self._open)
            self._open.clear()
        parent = next((node for node in reversed(self._open) if node >= 0), -1)
        if parent < 0 and self.nodes and keyword.upper() != "ROOT":
            parent = 0
        start = max(self.text.rfind("\n", 0, found.start()) + 1, found.start() - _WIDEST_INDENT)
        before = self.text[start : found.start()]
        depth = len(before.expandtabs(8)) if not before.strip() else -1
        line = self.line_of(found.start())
        if parent >= 0:
            self.nodes[parent].has_children = True
        self.nodes.append(Node(is_joint, keyword, name.group(1).strip(), parent, line, depth))
        if len(self.nodes) > 2 * MOST_JOINTS:
            raise MalformedFileError(
                self.path,
                f"the hierarchy has more than {MOST_JOINTS} joints.",
                line=line,
                advice="Is it really a BVH file of one figure? Split it into several files.",
            )
        self._waiting = len(self.nodes) - 1
        return name.end()

    def _current(self, what: str, at: int) -> Node | None:
        """The node that a statement belongs to; a missing brace is mended."""
        if self._waiting is not None:
            node = self.nodes[self._waiting]
            self.repair(f'Line {self.line_of(at)}: the "{{" of {describe(node)} is missing.')
            self._open.append(self._waiting)
            self._waiting = None
        if self._open and self._open[-1] >= 0:
            return self.nodes[self._open[-1]]
        self._skip(at, what)
        return None

    def _read_offset(self, at: int) -> int:
        node = self._current("OFFSET", at)
        for pattern in _OFFSETS:
            found = pattern.match(self.text, at)
            if found is None:
                continue
            x, y, z = (number.replace(",", ".") for number in found.groups())
            if node is not None:
                self.has_commas |= "," in "".join(found.groups())
                node.offset = (x, y, z)
            return found.end()
        rest = self.text[at : at + 60].partition("\n")[0].strip()
        raise MalformedFileError(
            self.path,
            f'the OFFSET of {describe(node) if node else "a joint"} is "{rest}", not three numbers.',
            line=self.line_of(at),
            advice="Correct that line in a text editor.",
        )

    def _read_channels(self, at: int) -> int:
        node = self._current("CHANNELS", at)
        count = _COUNT.match(self.text, at)
        assert count is not None
        at = count.end()
        listed = []
        while (found := _CHANNEL.match(self.text, at)) is not None:
            listed.append(found.group(1))
            at = found.end()
        if node is not None:
            node.channels.extend(listed)
            if count.group(1) and int(count.group(1)[:9]) != len(listed):
                self.repair(
                    f"Line {self.line_of(at)}: {describe(node)} declares {count.group(1)} channels and names "
                    f"{len(listed)}; the names count."
                )
        return at

    def _skip(self, at: int, what: str) -> None:
        self.strays.append((self.line_of(at), what))
        if len(self.strays) > MOST_STRAYS:
            raise MalformedFileError(
                self.path,
                f'more than {MOST_STRAYS} words of the hierarchy make no sense, such as "{self.strays[0][1][:40]}".',
                line=self.strays[0][0],
                advice="Is it really a BVH file?",
            )

    def _mend_braces(self) -> None:
        self._too_few += len(self._open)
        if not self._too_many and not self._too_few:
            return
        closing = self._too_many > self._too_few
        what = "closing braces than opening ones" if closing else "opening braces than closing ones"
        depths = [node.depth for node in self.nodes]
        if -1 not in depths and len(set(depths)) > 1 and depths[0] == min(depths):
            self._nest_by_indent()
            self.repair(f"The hierarchy has more {what}; the indentation of the lines says how joints hang together.")
        else:
            self.repair(f"The hierarchy has more {what}; joints may hang together wrongly.")

    def _nest_by_indent(self) -> None:
        for node in self.nodes:
            node.has_children = False
        path: list[int] = []
        for index, node in enumerate(self.nodes):
            while path and self.nodes[path[-1]].depth >= node.depth:
                path.pop()
            node.parent = path[-1] if path and node.keyword.upper() != "ROOT" else -1
            if node.parent >= 0:
                self.nodes[node.parent].has_children = True
            path.append(index)


def describe(node: Node) -> str:
    """A node in words."""
    return f'joint "{node.name}"' if node.is_joint else "an End Site"
