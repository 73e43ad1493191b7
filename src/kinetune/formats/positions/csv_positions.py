"""Tables of joint positions (``.csv``): one row a frame, three columns a joint.

Ours begin with comment lines that hold the frame rate, the tree and the rest pose, so that they read back into the same
positions; rotations are solved from them (:mod:`kinetune.formats.positions.pose_fit`)::

    # kinetune fps: 120
    # kinetune parents: -1 0 1 ...
    # kinetune offsets: 0 0 0 0 0.1 0 ...
    frame,time,Hips.x,Hips.y,Hips.z,Spine.x, ...

Metres, Y up. A table from elsewhere needs joint names from which the tree can be guessed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton, distinct_names
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding, guessed
from kinetune.formats.file_limits import check_joints, is_frame_rate
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.moving_joints import moving_translations
from kinetune.formats.positions.clip_from_positions import NamedPositions, check_positions, clip_from_positions
from kinetune.formats.positions.pose_fit import rest_offsets, solve_pose
from kinetune.formats.text.number_text import read_text
from kinetune.formats.unit_and_up import parse_unit, parse_up, turn_vectors_to_y
from kinetune.rotations import Floats

_OURS = "# kinetune "
_PLAIN_FPS = 30.0
_ROBOTS = (".xml", ".mjcf", ".urdf")
_LONGEST_TITLE = 300  # letters of a column that names a joint; the patterns below take quadratic time
_AXIS_LAST = re.compile(r"^(?P<name>.*?)(?P<mark>[\s._:/|-]+|[\[(]\s*)?(?P<axis>[xyzXYZ])\s*[\])]?$")
_AXIS_FIRST = re.compile(r"^(?P<axis>[xyzXYZ])[\s._:/|-]+(?P<name>.+)$")
_UNIT = re.compile(r"\s*[\[(]\s*(?P<unit>m|dm|cm|mm|in|ft)\s*[\])]\s*$", re.IGNORECASE)
_POSITION_WORD = re.compile(r"[\s._:/|-]+(pos|position|positions|trans|translation|loc|location|t|p)$", re.IGNORECASE)
_OTHER = "rot|rotation|rotations|quat|quaternion|euler|vel|velocity|acc|acceleration|scale|dir"
_OTHER_WORD = re.compile(rf"[\s._:/|-]+({_OTHER}|q)$", re.IGNORECASE)
_GLUED_WORD = re.compile(rf"(?<=[a-z])({'|'.join(word.capitalize() for word in _OTHER.split('|'))})$")
_LAST_R = re.compile(r"(?P<stem>.*[\s._:/|-])r$", re.IGNORECASE)  # a rotation, or the right one of two
_TIMES = {"time", "t", "seconds", "sec", "timestamp", "time_s", "times"}
_FRAMES = {"frame", "frames", "frame#", "index", "idx", "id", "#", ""}


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a table of positions in metres, with the tree in comment lines; of joint values for a robot."""
    skeleton = clip.skeleton
    if clip.source.format in ("qpos", "robot"):
        from kinetune.body.robots.robot import robot_of
        from kinetune.formats.robots import qpos

        if robot_of(clip) is not None:
            return qpos.write(clip, path)
    if len(skeleton.roots) > 1:
        raise FileError(path, f"the skeleton has {len(skeleton.roots)} roots and a table of positions holds one tree.")
    offsets = np.array(skeleton.offsets)
    offsets[1:] = rot.rotate(skeleton.rest_rotations[skeleton.parents[1:]], offsets[1:])
    text = io.StringIO(newline="")
    text.write(f"{_OURS}fps: {clip.fps!r}\n")
    text.write(f"{_OURS}parents: {' '.join(map(str, skeleton.parents.tolist()))}\n")
    text.write(f"{_OURS}offsets: {' '.join(f'{v:.9g}' for v in offsets.reshape(-1).tolist())}\n")
    header = ["frame", "time", *(f"{name}.{axis}" for name in skeleton.names for axis in "xyz")]
    csv.writer(text, lineterminator="\n").writerow(header)
    row = "%d,%.9g," + ",".join(["%.9g"] * (3 * len(skeleton))) + "\n"
    table = clip.positions().reshape(len(clip), -1)
    for frame, (time, values) in enumerate(zip(clip.times.tolist(), table, strict=True)):
        text.write(row % (frame, time, *values.tolist()))
    return {path: text.getvalue().encode()}


@dataclass(frozen=True)
class _Table:
    """A parsed file: our comment lines, the columns, the numbers."""

    ours: Mapping[str, list[float]]
    columns: PositionColumns
    rows: Floats
    findings: list[Finding]

    @property
    def is_ours(self) -> bool:
        """Whether Kinetune wrote it: metres, Y up, with its rest pose."""
        return "offsets" in self.ours


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from a table of joint positions; rotations are solved from the positions.

    With a robot as the skeleton, the table holds its joint values instead.
    """
    if options.skeleton is not None and options.skeleton.suffix.lower() in _ROBOTS:
        from kinetune.formats.robots.qpos import read as read_qpos

        return read_qpos(path, options)
    table = _parse(read_text(path, "CSV"), path, options)
    names = table.columns.names
    positions = table.rows[:, np.array(table.columns.columns)]
    parents = _noted_parents(path, table)
    fps = _fps(path, table, options, table.findings)
    if table.is_ours and parents is not None:
        return _our_clip(path, table, parents, positions, fps, options)
    unit = table.columns.unit
    named = NamedPositions(path, "csv", names, positions, fps, parents, unit=unit, findings=table.findings)
    return clip_from_positions(named, options)


def _our_clip(
    path: Path, table: _Table, parents: list[int], positions: Floats, fps: float, options: ReadOptions
) -> Clip:
    """A clip that Kinetune wrote: every position is met, also by bones that change their length."""
    names = table.columns.names
    check_positions(path, names, positions)
    unit, metres = ("m", 1.0) if options.unit is None else parse_unit(options.unit)
    up = "y" if options.up is None else parse_up(options.up)
    positions = turn_vectors_to_y(positions, up) * metres
    above = np.array(parents, dtype=np.intp)
    noted = np.array(table.ours["offsets"])
    complete = noted.size == 3 * len(names) and np.isfinite(noted).all()
    offsets = noted.reshape(-1, 3) if complete else rest_offsets(above, positions)
    rotations, translations = solve_pose(above, offsets, positions, fps)
    return Clip(
        Skeleton(distinct_names(names), above, offsets),
        fps,
        positions[:, 0],
        rotations,
        moving_translations(offsets, translations, 1e-6),
        source=Source("csv", str(path), unit, metres, up, tuple(table.findings)),
    )


def _parse(text: str, path: Path, options: ReadOptions) -> _Table:
    ours: dict[str, list[float]] = {}
    findings: list[Finding] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith("#")):
        if lines[at].startswith(_OURS):
            key, _, values = lines[at][len(_OURS) :].partition(":")
            try:
                ours[key.strip()] = [float(v) for v in values.split()]
            except ValueError:
                raise MalformedFileError(path, "Kinetune's comment is damaged.", line=at + 1) from None
        elif len(next(csv.reader([lines[at]]), [])) > 3:
            break  # a header that begins with a number sign
        at += 1
    if at == len(lines):
        raise MalformedFileError(path, "there is no header in it.", advice="Is this a table of joint positions?")
    delimiter = max(",;\t", key=lines[at].count)
    header = next(csv.reader([lines[at]], delimiter=delimiter))
    columns = (our_columns(header) if "offsets" in ours else None) or read_columns(header)
    if options.joints is not None and not columns.names and _all_numbers(header):
        columns = _plain_columns(path, len(header), options.joints)
        at -= 1  # there is no header
    if not columns.names:
        raise MalformedFileError(
            path,
            "no three columns of its header are the x, y and z of a joint.",
            line=at + 1,
            advice='Name them "Hips.x", "Hips.y" ..., or give the joints of a table without a header with joints= '
            '(--joints "Hips,Spine,Head,..."), the robot of a table of joint values with skeleton= (--model g1.xml).',
        )
    check_joints(path, len(columns.names))
    body = [(number, line) for number, line in enumerate(lines[at + 1 :], at + 2) if line.strip().strip(",;")]
    if delimiter == ";" and any("," in line for _, line in body[:50]):
        findings.append(Finding("decimal-commas", "Numbers have decimal commas."))
        body = [(number, line.replace(",", ".")) for number, line in body]
    rows = []
    for number, line in body:
        cells = line.split(delimiter)
        try:
            if len(cells) != len(header):
                raise MalformedFileError(
                    path,
                    f"this row has {len(cells)} cells but the header has {len(header)}.",
                    line=number,
                    advice="Read it with partial=True (--partial) to keep the rows before.",
                )
            rows.append([_number(cell, number, path) for cell in cells])
        except MalformedFileError:
            if not options.partial or not rows:
                raise
            findings.append(
                Finding("repaired-end", f"The table is damaged at line {number}; the rows before are kept.")
            )
            break
    if not rows:
        raise MalformedFileError(path, "there is a header but no row of numbers.")
    if columns.ignored:
        example = columns.ignored[0][:40]
        message = f"{len(columns.ignored)} columns such as {example!r} are not positions and are left out."
        findings.append(Finding("unused-columns", message))
    if columns.incomplete:
        example = columns.incomplete[0][:40]
        message = f"{len(columns.incomplete)} joints such as {example!r} lack x, y or z and are left out."
        findings.append(Finding("incomplete-joints", message))
    return _Table(ours, columns, np.array(rows), findings)


def _number(cell: str, line: int, path: Path) -> float:
    plain = cell.strip().strip('"')
    try:
        return float(plain) if plain else float("nan")
    except ValueError:
        if ":" in plain:  # a clock; the time column is checked for numbers later
            return float("nan")
        raise MalformedFileError(path, f'"{cell.strip()[:40]}" is not a number.', line=line) from None


def _noted_parents(path: Path, table: _Table) -> list[int] | None:
    """The parents in Kinetune's comment lines."""
    if "parents" not in table.ours:
        return None
    parents = [int(v) if np.isfinite(v) else -2 for v in table.ours["parents"]]
    count = len(table.columns.names)
    good = len(parents) == count and parents[0] == -1
    if not good or any(not 0 <= parent < joint for joint, parent in enumerate(parents) if joint):
        raise MalformedFileError(path, f"Kinetune's list of parents does not fit {count} joints.")
    return parents


def _fps(path: Path, table: _Table, options: ReadOptions, findings: list[Finding]) -> float:
    if options.fps is not None:
        return options.fps
    noted = table.ours.get("fps")
    if noted and len(noted) == 1 and is_frame_rate(noted[0]):
        return noted[0]
    if table.columns.time is not None and len(table.rows) > 1:
        steps = np.diff(table.rows[:, table.columns.time])
        step = float(np.median(steps))
        if np.isfinite(step) and step > 0:
            rate = 1.0 / step
            snapped = float(np.round(rate))
            if rate > 5 and abs(rate - snapped) < 2e-3 * rate:
                rate = snapped
            if not is_frame_rate(rate):
                problem = f"its rows are {step:.3g} s apart, which is not a sensible frame rate."
                raise MalformedFileError(path, problem, advice="Give the rate with fps=.")
            if np.abs(steps - step).max() > 0.2 * step:
                findings.append(
                    Finding("uneven-frames", "Rows are not evenly spaced in time; they are taken as if they were.")
                )
            return rate
        raise MalformedFileError(path, "its times do not go up.", advice="Give the rate with fps=.")
    message = f"The table has no time column, so {_PLAIN_FPS:g} rows per second are assumed."
    findings.append(guessed("fps", message))
    return _PLAIN_FPS


# --- columns


@dataclass(frozen=True)
class PositionColumns:
    """Which columns of a row hold the time and the x, y, z of each joint; what was passed over."""

    names: tuple[str, ...]
    columns: tuple[tuple[int, int, int], ...]
    time: int | None
    unit: str | None
    ignored: tuple[str, ...]
    incomplete: tuple[str, ...]


def read_columns(header: Sequence[str]) -> PositionColumns:
    """Sort the columns of a header: ``Hips.x``, ``Hips_X``, ``Hips x``, ``HipsX``, ``Hips (x)``, ``x_Hips`` ..."""
    time, unit = None, None
    joints: dict[str, dict[str, int]] = {}
    ignored = []
    for column, cell in enumerate(header):
        title = cell.strip().lstrip("#").strip()
        if len(title) > _LONGEST_TITLE:
            ignored.append(f"{title[:40]}...")
            continue
        marked = _UNIT.search(title)
        if marked:
            title = title[: marked.start()].strip()
        folded = re.sub(r"\s*[\[(].*[\])]$", "", title).strip().lower()
        if folded in _TIMES and time is None:
            time = column
        elif folded not in _FRAMES:
            split = _joint_axis(title)
            if split is None:
                ignored.append(cell.strip())
                continue
            joints.setdefault(split[0], {}).setdefault(split[1], column)
            if marked:
                unit = unit or marked["unit"].lower()
    for name in [name for name in joints if _is_rotation(name, joints)]:
        ignored.extend(header[column].strip() for column in joints.pop(name).values())
    whole = {name: axes for name, axes in joints.items() if len(axes) == 3}
    columns = tuple((axes["x"], axes["y"], axes["z"]) for axes in whole.values())
    return PositionColumns(
        tuple(whole), columns, time, unit, tuple(ignored), tuple(n for n in joints if n not in whole)
    )


def _is_rotation(name: str, names: Collection[str]) -> bool:
    """Whether the r that ends a name means a rotation ("Hips.r"), not the right side ("Hand.R" beside "Hand.L")."""
    match = _LAST_R.fullmatch(name)
    folded = {other.lower() for other in names}
    return match is not None and f"{match['stem']}l".lower() not in folded


def _all_numbers(cells: Sequence[str]) -> bool:
    try:
        return all(np.isfinite(float(cell)) for cell in cells)
    except ValueError:
        return False


def _plain_columns(path: Path, width: int, names: tuple[str, ...]) -> PositionColumns:
    """Three columns a joint, of a table without a header, after perhaps a column of frames or times."""
    lead = width - 3 * len(names)
    if lead not in (0, 1):
        raise MalformedFileError(
            path, f"a row has {width} numbers, but {len(names)} joints take {3 * len(names)}: names do not fit."
        )
    columns = tuple((c, c + 1, c + 2) for c in range(lead, width, 3))
    return PositionColumns(names, columns, None, None, (), ())


def our_columns(header: Sequence[str]) -> PositionColumns | None:
    """The columns of a table that Kinetune wrote, with any joint names; None when it is another's."""
    names = tuple(cell.removesuffix(".x") for cell in header[2::3])
    if list(header) != ["frame", "time", *(f"{name}.{axis}" for name in names for axis in "xyz")]:
        return None
    return PositionColumns(names, tuple((c, c + 1, c + 2) for c in range(2, len(header), 3)), 1, "m", (), ())


def _joint_axis(title: str) -> tuple[str, str] | None:
    """(joint, axis) of a column, or None when it is not a position."""
    match = _AXIS_FIRST.match(title) or _AXIS_LAST.match(title)
    if match is None or not match["name"]:
        return None
    name = match["name"]
    glued = match.re is _AXIS_LAST and match["mark"] is None
    if glued and not (match["axis"].isupper() and name[-1:].islower()):
        return None
    if _OTHER_WORD.search(name) or _GLUED_WORD.search(name):
        return None
    return _POSITION_WORD.sub("", name).strip(), match["axis"].lower()


FORMAT = Format("csv", (".csv",), "table of joint positions in metres", read=read, write=write)
