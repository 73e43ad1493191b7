"""The words of a BVH file: its hierarchy and the head of its motion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kinetune.errors import MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.bvh.hierarchy import Hierarchy, Node, describe

_MOTION = re.compile(rb"(?i)\bMOTION\b(?=\s*(?:Frames|Frame\s*Time|[-+.\d]|\Z))")
_FRAMES = re.compile(rb"(?i)\s*Frames[ \t]*:?[ \t]*([^\s]*)[ \t]*")
_FRAME_TIME = re.compile(rb"(?i)\s*Frame[ \t]*Time[ \t]*:?[ \t]*([^\s]*)[ \t]*")


@dataclass(frozen=True)
class SiteText:
    """An End Site as the file has it; ``place`` is the number of joints that come before it."""

    parent: int
    place: int
    keyword: str
    name: str
    offset: tuple[str, str, str]


@dataclass(frozen=True)
class Header:
    """What a BVH file says before its numbers begin.

    names, parents, channels, offsets : one for each joint, in the order of the file and in its spelling.
    sites : the End Sites.
    has_motion : whether there is a MOTION section.
    frames : the declared number of frames, None when there is none.
    frame_time : the text after "Frame Time:", None when there is none.
    numbers_at, lines_before : the byte at which the numbers begin, and how many lines end before it.
    newline, indent, encoding : how the file breaks, indents and encodes its lines.
    findings : what was odd or had to be mended.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    channels: tuple[tuple[str, ...], ...]
    offsets: tuple[tuple[str, str, str], ...]
    sites: tuple[SiteText, ...]
    has_motion: bool
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
    found = _MOTION.search(data)
    return -1 if found is None else found.start()


def parse_header(data: bytes, path: str) -> Header:
    """Read everything before the numbers from the first bytes of a file, which must hold all of it."""
    motion = find_motion(data)
    text, encoding = decode(data if motion < 0 else data[:motion])
    hierarchy = Hierarchy(text, path)
    if not re.search(r"(?i)\b(?:HIERARCHY|ROOT)\b", text):
        raise _not_bvh(data, path, motion)
    hierarchy.read()
    names, parents, channels, offsets, sites = _joints_and_sites(hierarchy)
    if not names:
        raise MalformedFileError(path, "the hierarchy has no joints.", advice="Export it again with a skeleton.")
    notes = [*_notes(hierarchy, text, parents, sites), *hierarchy.findings]
    frames = frame_time = None
    at = len(data)
    if motion >= 0:
        at = motion + len("MOTION")
        for _ in range(2):
            if (found := _FRAMES.match(data, at)) is not None:
                frames = _whole_number(found.group(1))
                at = found.end()
            elif (found := _FRAME_TIME.match(data, at)) is not None:
                frame_time = decode(found.group(1))[0]
                at = found.end()
        if frames is None:
            notes.append(
                Finding("repaired-frame-count", 'The file has no usable line "Frames:"; its rows are counted.')
            )
    returns = text.count("\r\n")
    indent = re.search(r"(?m)^([ \t]+)\S", text)
    return Header(
        names,
        parents,
        channels,
        offsets,
        sites,
        has_motion=motion >= 0,
        frames=frames,
        frame_time=frame_time,
        numbers_at=at,
        lines_before=data.count(b"\n" if b"\n" in data else b"\r", 0, at),
        newline="\r\n" if returns and 2 * returns >= text.count("\n") else "\n",
        indent=indent.group(1) if indent else "\t",
        encoding=encoding,
        findings=tuple(notes),
    )


def decode(data: bytes) -> tuple[str, str]:
    """Text and its encoding: UTF-8 with or without a byte order mark, else Latin-1."""
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


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
            "this file has rows of motion but no HIERARCHY, so nothing says which joints they turn.",
            line=1,
            advice="Put the HIERARCHY of a file from the same recording session before them.",
        )
    seen = repr(decode(start)[0][:24])
    return MalformedFileError(
        path,
        f"this is not a BVH file: it begins with {seen} and has no HIERARCHY.",
        line=1,
        advice="Was it renamed by mistake?",
    )


def _joints_and_sites(
    hierarchy: Hierarchy,
) -> tuple[
    tuple[str, ...],
    tuple[int, ...],
    tuple[tuple[str, ...], ...],
    tuple[tuple[str, str, str], ...],
    tuple[SiteText, ...],
]:
    """The nodes told apart; an End Site that has channels or children is a joint after all."""
    names: list[str] = []
    joints: list[Node] = []
    sites: list[SiteText] = []
    joint_of: dict[int, int] = {-1: -1}
    missing = []
    for index, node in enumerate(hierarchy.nodes):
        parent = joint_of[node.parent]
        if node.offset is None:
            missing.append(node)
            node.offset = ("0", "0", "0")
        if not node.is_joint and not node.channels and not node.has_children and parent >= 0:
            sites.append(SiteText(parent, len(joints), node.keyword, node.name, node.offset))
            continue
        name = node.name
        if not node.is_joint:
            name = name or (f"{names[parent]}_end" if parent >= 0 else "end")
            hierarchy.repair(f'Line {node.line}: an End Site with channels or children is read as the joint "{name}".')
        elif not name:
            name = f"joint{len(joints)}"
            hierarchy.repair(f'Line {node.line}: a joint without a name is called "{name}".')
        joint_of[index] = len(joints)
        names.append(name)
        joints.append(node)
    if missing:
        named = ", ".join(describe(node) for node in missing[:3])
        hierarchy.repair(f"No OFFSET is given for {named}{' and others' if len(missing) > 3 else ''}; 0 0 0 is used.")
    return (
        tuple(names),
        tuple(joint_of[node.parent] for node in joints),
        tuple(tuple(node.channels) for node in joints),
        tuple(node.offset or ("0", "0", "0") for node in joints),
        tuple(sites),
    )


def _notes(hierarchy: Hierarchy, text: str, parents: tuple[int, ...], sites: tuple[SiteText, ...]) -> Iterator[Finding]:
    if not re.search(r"(?i)\bHIERARCHY\b", text):
        yield Finding("repaired-hierarchy", "The word HIERARCHY is missing.")
    if hierarchy.has_commas:
        yield Finding("repaired-decimal-commas", "Decimal commas in the hierarchy are read as points.")
    for line, word in hierarchy.strays[:5]:
        yield Finding("repaired-stray-words", f'Line {line}: "{word[:40]}" is no part of a hierarchy and is skipped.')
    if len(hierarchy.strays) > 5:
        yield Finding("repaired-stray-words", f"{len(hierarchy.strays) - 5} more such words are skipped.")
    if parents.count(-1) > 1:
        yield Finding("several-roots", f"The hierarchy has {parents.count(-1)} roots.")
    open_ends = len(set(range(len(parents))) - set(parents) - {site.parent for site in sites})
    if open_ends:
        joints = "joint ends" if open_ends == 1 else "joints end"
        yield Finding("no-end-sites", f"{open_ends} {joints} without an End Site.")
