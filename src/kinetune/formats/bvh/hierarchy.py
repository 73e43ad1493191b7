"""Everything before the numbers of a BVH file: the tree of joints, the declared frames and the frame time.

The tree is read one statement at a time with no more than a stack of open braces, so that depth and size do not matter.
What exporters got wrong is skipped or repaired, and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kinetune.errors import MalformedFileError, quoted
from kinetune.findings import Finding
from kinetune.formats.file_limits import MOST_JOINTS
from kinetune.formats.text.number_text import LARGEST_NUMBER, decode_text

MOST_STRAYS = 40
_WIDEST_INDENT = 1 << 16
_STATEMENT = re.compile(
    r"(?i)(?P<blank>[\s\x00]+)|(?P<open>\{)|(?P<close>\})|(?P<head>HIERARCHY\b)|(?P<joint>(?:ROOT|JOINT)\b)"
    r"|(?P<site>End[ \t_]*Site\b)|(?P<offset>OFFSET\b)|(?P<channels>CHANNELS\b)|(?P<stray>[^\s{}]+)"
)
_NAME = re.compile(r"[ \t]*([^\r\n{}]*)")
_POINT_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_COMMA_NUMBER = r"[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)?"
_OFFSETS = tuple(
    re.compile(rf"[ \t]*({number}){gap}({number}){gap}({number})(?=[\s}}]|\Z)")
    for number, gap in ((_POINT_NUMBER, r"(?:\s+|[ \t]*[,;][ \t]*|(?=[+-]))"), (_COMMA_NUMBER, r"(?:\s+|;[ \t]*)"))
)
_COUNT = re.compile(r"[ \t]*(\d*)")
_CHANNEL = re.compile(r"(?i)[\s,]*([a-z]\w*(?:position|rotation|translation|scale|rot|pos|scaling))\b")
_MOTION = re.compile(rb"(?i)\bMOTION\b(?=\s*(?:Frames|Frame\s*Time|[-+.\d]|\Z))")
_FRAMES = re.compile(rb"(?i)\s*Frames[ \t]*:?[ \t]*([^\s]*)[ \t]*")
_FRAME_TIME = re.compile(rb"(?i)\s*Frame[ \t]*Time[ \t]*:?[ \t]*([^\s]*)[ \t]*")

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class EndSiteText:
    """An End Site as the file has it; ``rank`` is the number of joints that come before it."""

    parent: int
    rank: int
    keyword: str
    name: str
    offset: Triple


@dataclass(frozen=True)
class BvhHeader:
    """What a BVH file says before its numbers begin.

    names, parents, channels, offsets : one for each joint, in the order of the file and in its spelling.
    sites : the End Sites.
    complete : whether there is a MOTION section, and before it a hierarchy whose braces close or that has channels.
    frames : the declared number of frames, None when there is none.
    frame_time : the text after "Frame Time:", None when there is none.
    numbers_at, lines_before : the byte at which the numbers begin, and how many lines end before it.
    newline, indent, encoding : how the file breaks, indents and encodes its lines.
    findings : what was unusual or had to be repaired.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    channels: tuple[tuple[str, ...], ...]
    offsets: tuple[Triple, ...]
    sites: tuple[EndSiteText, ...]
    complete: bool
    frames: int | None
    frame_time: str | None
    numbers_at: int
    lines_before: int
    newline: str
    indent: str
    encoding: str
    findings: tuple[Finding, ...]


def find_motion(data: bytes) -> int:
    """Where the word MOTION begins that ends the hierarchy, or -1."""
    match = _MOTION.search(data)
    return -1 if match is None else match.start()


def parse_header(data: bytes, path: str) -> BvhHeader:
    """Read everything before the numbers from the first bytes of a file, which must hold all of it."""
    motion = find_motion(data)
    text, encoding = decode_text(data if motion < 0 else data[:motion])
    if not re.search(r"(?i)\b(?:HIERARCHY|ROOT)\b", text):
        raise _not_bvh(data, path, motion)
    parser = _HierarchyParser(text, path)
    parser.parse()
    names, joints, parents, sites = parser.joints_and_sites()
    if not names:
        raise MalformedFileError(path, "the hierarchy has no joints.", advice="Export it again with a skeleton.")
    findings = [*parser.remarks(parents, sites), *parser.findings]
    frames = frame_time = None
    at = len(data)
    if motion >= 0:
        at = motion + len("MOTION")
        for _ in range(2):
            if (match := _FRAMES.match(data, at)) is not None:
                frames = _whole_number(match.group(1))
                at = match.end()
            elif (match := _FRAME_TIME.match(data, at)) is not None:
                frame_time = decode_text(match.group(1))[0]
                at = match.end()
        if frames is None:
            findings.append(
                Finding("repaired-frame-count", 'The file has no usable line "Frames:"; its rows are counted.')
            )
    returns = text.count("\r\n")
    indent = re.search(r"(?m)^([ \t]+)\S", text)
    return BvhHeader(
        names,
        parents,
        channels=tuple(tuple(joint.channels) for joint in joints),
        offsets=tuple(joint.offset or ("0", "0", "0") for joint in joints),
        sites=sites,
        complete=motion >= 0 and (parser.balanced or any(joint.channels for joint in joints)),
        frames=frames,
        frame_time=frame_time,
        numbers_at=at,
        lines_before=data.count(b"\n" if b"\n" in data else b"\r", 0, at),
        newline="\r\n" if returns and 2 * returns >= text.count("\n") else "\n",
        indent=indent.group(1) if indent else "\t",
        encoding=encoding,
        findings=tuple(findings),
    )


def _whole_number(text: bytes) -> int | None:
    try:
        number = float(text.replace(b",", b"."))
    except ValueError:
        return None
    return int(number) if 0 <= number < 1e18 else None


def _not_bvh(data: bytes, path: str, motion: int) -> MalformedFileError:
    start = data[:4096]
    if motion >= 0 or re.fullmatch(rb"[-+.\deE\s]+", start.rpartition(b"\n")[0] or start):
        return MalformedFileError(
            path,
            "this file has rows of motion but no HIERARCHY, so nothing says which joints they rotate.",
            line=1,
            advice="Put the HIERARCHY of a file from the same recording session before them.",
        )
    return MalformedFileError(
        path,
        f"this is not a BVH file: it begins with {decode_text(start)[0][:24]!r} and has no HIERARCHY.",
        line=1,
        advice="Was it renamed by mistake?",
    )


@dataclass
class _BvhNode:
    """A joint or an End Site while it is being read."""

    is_joint: bool
    keyword: str
    name: str
    parent: int
    line: int
    depth: int  # columns by which its line is indented, -1 when it does not begin a line
    channels: list[str] = field(default_factory=list)
    offset: Triple | None = None
    has_children: bool = False

    def __str__(self) -> str:
        return f"joint {quoted(self.name)}" if self.is_joint else "an End Site"


class _HierarchyParser:
    """The statements of a HIERARCHY, put together."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.nodes: list[_BvhNode] = []
        self.strays: list[tuple[int, str]] = []
        self.findings: list[Finding] = []
        self.has_commas = False
        self._open: list[int] = []  # nodes whose brace is open; -1 for a brace without a node
        self._waiting: int | None = None  # a node whose brace is yet to come
        self._too_many = self._too_few = 0
        self._line, self._line_at = 1, 0
        self._breaks = "\n" if "\n" in text else "\r"

    def parse(self) -> None:
        at = 0
        while at < len(self.text):
            statement = _STATEMENT.match(self.text, at)
            assert statement is not None  # the pattern takes any character
            at = statement.end()
            kind = statement.lastgroup
            if kind == "open":
                self._open.append(-1 if self._waiting is None else self._waiting)
                self._waiting = None
            elif kind == "close":
                self._close()
            elif kind == "joint" or kind == "site":
                at = self._begin(statement, kind == "joint")
            elif kind == "offset":
                at = self._read_offset(at)
            elif kind == "channels":
                at = self._read_channels(at)
            elif kind == "stray":
                self._skip(statement.start(), statement.group())
        self._mend_braces()

    def _line_of(self, at: int) -> int:
        """The line of a position in the text; positions must be asked for in order."""
        self._line += self.text.count(self._breaks, self._line_at, at)
        self._line_at = at
        return self._line

    def _repair(self, message: str) -> None:
        self.findings.append(Finding("repaired-hierarchy", message))

    def _close(self) -> None:
        self._waiting = None
        if self._open:
            self._open.pop()
        else:
            self._too_many += 1

    def _begin(self, statement: re.Match[str], is_joint: bool) -> int:
        name = _NAME.match(self.text, statement.end())
        assert name is not None
        keyword = statement.group()
        if keyword.upper() == "ROOT" and self._open:
            self._too_few += len(self._open)
            self._open.clear()
        parent = next((node for node in reversed(self._open) if node >= 0), -1)
        if parent < 0 and self.nodes and keyword.upper() != "ROOT":
            parent = 0
        start = max(self.text.rfind("\n", 0, statement.start()) + 1, statement.start() - _WIDEST_INDENT)
        before = self.text[start : statement.start()]
        depth = len(before.expandtabs(8)) if not before.strip() else -1
        line = self._line_of(statement.start())
        if parent >= 0:
            self.nodes[parent].has_children = True
        self.nodes.append(_BvhNode(is_joint, keyword, name.group(1).strip(), parent, line, depth))
        if len(self.nodes) > 2 * MOST_JOINTS:
            raise MalformedFileError(
                self.path,
                f"the hierarchy has more than {MOST_JOINTS} joints.",
                line=line,
                advice="Is it really a BVH file of one character? Split it into several files.",
            )
        self._waiting = len(self.nodes) - 1
        return name.end()

    def _current(self, keyword: str, at: int) -> _BvhNode | None:
        """The node that a statement belongs to; a missing brace is added."""
        if self._waiting is not None:
            self._repair(f'Line {self._line_of(at)}: the "{{" of {self.nodes[self._waiting]} is missing.')
            self._open.append(self._waiting)
            self._waiting = None
        if self._open and self._open[-1] >= 0:
            return self.nodes[self._open[-1]]
        self._skip(at, keyword)
        return None

    def _read_offset(self, at: int) -> int:
        node = self._current("OFFSET", at)
        for pattern in _OFFSETS:
            match = pattern.match(self.text, at)
            if match is None:
                continue
            x, y, z = (number.replace(",", ".") for number in match.groups())
            if not all(abs(float(number)) < LARGEST_NUMBER for number in (x, y, z)):
                break
            if node is not None:
                self.has_commas |= "," in "".join(match.groups())
                node.offset = (x, y, z)
            return match.end()
        rest = self.text[at : at + 60].partition("\n")[0].strip()
        raise MalformedFileError(
            self.path,
            f'the OFFSET of {node or "a joint"} is "{rest}", not three numbers of sensible size.',
            line=self._line_of(at),
            advice="Correct that line in a text editor.",
        )

    def _read_channels(self, at: int) -> int:
        node = self._current("CHANNELS", at)
        count = _COUNT.match(self.text, at)
        assert count is not None
        at = count.end()
        names = []
        while (match := _CHANNEL.match(self.text, at)) is not None:
            names.append(match.group(1))
            at = match.end()
        if node is not None:
            node.channels.extend(names)
            if count.group(1) and int(count.group(1)[:9]) != len(names):
                self._repair(
                    f"Line {self._line_of(at)}: {node} declares {count.group(1)} channels and names {len(names)}; the "
                    "names are used."
                )
        return at

    def _skip(self, at: int, word: str) -> None:
        self.strays.append((self._line_of(at), word))
        if len(self.strays) > MOST_STRAYS:
            raise MalformedFileError(
                self.path,
                f'more than {MOST_STRAYS} words of the hierarchy make no sense, such as "{self.strays[0][1][:40]}".',
                line=self.strays[0][0],
                advice="Is it really a BVH file?",
            )

    @property
    def balanced(self) -> bool:
        """Whether every brace that was opened is closed."""
        return not self._too_many and not self._too_few

    def _mend_braces(self) -> None:
        self._too_few += len(self._open)
        if self.balanced:
            return
        closing = self._too_many > self._too_few
        what = "closing braces than opening ones" if closing else "opening braces than closing ones"
        depths = [node.depth for node in self.nodes]
        if -1 not in depths and len(set(depths)) > 1 and depths[0] == min(depths):
            self._nest_by_indent()
            self._repair(
                f"The hierarchy has more {what}; the indentation of the lines decides which joint is whose child."
            )
        else:
            self._repair(f"The hierarchy has more {what}; some joints may have the wrong parent.")

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

    def joints_and_sites(self) -> tuple[tuple[str, ...], list[_BvhNode], tuple[int, ...], tuple[EndSiteText, ...]]:
        """(names, joints, parents, End Sites); an End Site that has channels or children is a joint after all."""
        names: list[str] = []
        joints: list[_BvhNode] = []
        sites: list[EndSiteText] = []
        joint_of: dict[int, int] = {-1: -1}
        missing = []
        for index, node in enumerate(self.nodes):
            parent = joint_of[node.parent]
            if node.offset is None:
                missing.append(node)
                node.offset = ("0", "0", "0")
            if not node.is_joint and not node.channels and not node.has_children and parent >= 0:
                sites.append(EndSiteText(parent, len(joints), node.keyword, node.name, node.offset))
                continue
            name = node.name
            if not node.is_joint:
                name = name or (f"{names[parent]}_end" if parent >= 0 else "end")
                self._repair(f'Line {node.line}: an End Site with channels or children is read as the joint "{name}".')
            elif not name:
                name = f"joint{len(joints)}"
                self._repair(f'Line {node.line}: a joint without a name is called "{name}".')
            joint_of[index] = len(joints)
            names.append(name)
            joints.append(node)
        if missing:
            listed = ", ".join(map(str, missing[:3])) + (" and others" if len(missing) > 3 else "")
            self._repair(f"No OFFSET is given for {listed}; 0 0 0 is used.")
        return tuple(names), joints, tuple(joint_of[node.parent] for node in joints), tuple(sites)

    def remarks(self, parents: tuple[int, ...], sites: tuple[EndSiteText, ...]) -> Iterator[Finding]:
        """What is unusual about the hierarchy as a whole."""
        if not re.search(r"(?i)\bHIERARCHY\b", self.text):
            yield Finding("repaired-hierarchy", "The word HIERARCHY is missing.")
        if self.has_commas:
            yield Finding("repaired-decimal-commas", "Decimal commas in the hierarchy are read as points.")
        for line, word in self.strays[:5]:
            yield Finding(
                "repaired-stray-words", f'Line {line}: "{word[:40]}" is not part of a hierarchy and is skipped.'
            )
        if len(self.strays) > 5:
            yield Finding("repaired-stray-words", f"{len(self.strays) - 5} more such words are skipped.")
        if parents.count(-1) > 1:
            yield Finding("several-roots", f"The hierarchy has {parents.count(-1)} roots.")
        open_ends = len(set(range(len(parents))) - set(parents) - {site.parent for site in sites})
        if open_ends:
            joints = "joint ends" if open_ends == 1 else "joints end"
            yield Finding("no-end-sites", f"{open_ends} {joints} without an End Site.")
