"""Motion of a robot as rows of joint values, MuJoCo's ``qpos``: ``.csv`` with the robot's file, ``.npz``.

A row is x y z, a quaternion, then the joints in the order of the robot's file (``skeleton="g1.xml"``). MuJoCo writes
metres, w x y z and radians; tables from elsewhere have x y z w, degrees or centimetres, which is detected and reported.
Written are MuJoCo's conventions.

============  ===========================================================================
``.qpos.csv``  one row a frame below a header with the names of the columns
``.qpos.npz``  qpos (frames, size), fps, joint_names, model
============  ===========================================================================

A clip of a robot is also written so as ``.csv``. An ``.npz`` is recognized by an array "qpos", or by root_pos, root_rot
and dof_pos, as tools that retarget to robots write them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.robot import Robot, RobotLayout, robot_of
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding, guessed, report_finding
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.npz.npz_arrays import array_names, pack_arrays, read_arrays
from kinetune.formats.robots.robot_files import SUFFIXES, load_robot, robot_clip
from kinetune.formats.text.number_text import read_text, usable
from kinetune.formats.unit_and_up import parse_unit
from kinetune.rotations import Floats

_PLAIN_FPS = 30.0
_BASE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_PART_NAMES = (("root_pos", "root_trans_offset", "root_trans"), ("root_rot",), ("dof_pos", "dof"))
_PARTS = tuple(name for names in _PART_NAMES for name in names)
_LEADING = {"frame", "frames", "time", "t", "timestamp", "index", "#", ""}
_TURN = 2.0 * np.pi + 0.2  # radians beyond which joint values are degrees
_FAR = 12.0  # metres of height at which a base is rather in centimetres
_UPRIGHT = 0.002  # difference of mean cosines that tells two orders apart
_AXIS_MISSED = np.radians(0.05)
_ADVICE = "Give the robot's MJCF or URDF file with skeleton= (--model g1.xml)."


def takes_robot(options: ReadOptions) -> bool:
    """Whether the user named a robot as the body of a file."""
    return options.skeleton is not None and options.skeleton.suffix.lower() in SUFFIXES


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from rows of joint values and the robot that they move."""
    if not takes_robot(options):
        raise FileError(path, "joint values (qpos) mean nothing without their robot.", advice=_ADVICE)
    findings: list[Finding] = []
    assert options.skeleton is not None
    robot, _ = load_robot(options.skeleton, None, findings)
    rate = None
    if path.suffix.lower() == ".npz":
        arrays = read_arrays(path, ("qpos", *_PARTS), spare=("fps", "frequency", "joint_names"))
        table = _joined(path, arrays)
        titles = [*_BASE] if {"joint_names", "qpos"} <= arrays.keys() else None  # ours say what they hold
        rate = arrays.get("fps", arrays.get("frequency"))
    else:
        titles, table = _read_table(path)
    rows = _rows(path, robot, table, None if path.suffix.lower() == ".npz" else titles)
    if not usable(rows).all():
        frame = int(np.argmin(usable(rows).all(axis=1)))
        raise MalformedFileError(path, f"frame {frame} has a value that is not a number or is far too large.")
    unit, metres = _settle(path, robot, rows, titles, options, findings)
    fps = _fps(path, rate, options, findings)
    source = Source("qpos", str(path), unit, metres, "z", tuple(findings), RobotLayout(robot))
    return robot_clip(robot, rows, fps, source)


def _joined(path: Path, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """The rows of an archive, which may hold them in parts: root_pos, root_rot and dof_pos."""
    if "qpos" in arrays:
        return arrays["qpos"]
    parts = [next((arrays[name] for name in names if name in arrays), None) for names in _PART_NAMES]
    if any(part is None for part in parts):
        raise MalformedFileError(
            path,
            'there is no array "qpos" in it, nor "root_pos", "root_rot" and "dof_pos".',
            advice="Save the rows under these names.",
        )
    tables = [part.reshape(len(part), -1) for part in parts if part is not None and part.ndim >= 2]
    if len(tables) < len(parts) or len({len(table) for table in tables}) != 1:
        raise MalformedFileError(path, "its root_pos, root_rot and dof_pos do not have the same number of frames.")
    if any(table.dtype.kind not in "iuf" for table in tables):
        raise MalformedFileError(path, "its root_pos, root_rot or dof_pos are not numbers.")
    return np.concatenate(tables, axis=1)


def _read_table(path: Path) -> tuple[list[str] | None, Floats]:
    """(titles, rows) of a table with or without a header."""
    lines = [line for line in read_text(path, "CSV").splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise MalformedFileError(path, "there is no row in it.")
    delimiter = max(",;\t ", key=lines[0].count)
    cells = next(csv.reader([lines[0]], delimiter=delimiter, skipinitialspace=True))
    titles = None if _numbers(cells) is not None else [cell.strip() for cell in cells]
    rows: list[list[float]] = []
    for number, line in enumerate(lines[0 if titles is None else 1 :], 1 if titles is None else 2):
        row = _numbers(line.split(delimiter) if delimiter != " " else line.split())
        if row is None or (rows and len(row) != len(rows[0])):
            raise MalformedFileError(path, f"row {number} is not {len(rows[0]) if rows else 'a row of'} numbers.")
        rows.append(row)
    if not rows:
        raise MalformedFileError(path, "there is a header but no row of numbers.")
    return titles, np.array(rows)


def _numbers(cells: Sequence[str]) -> list[float] | None:
    try:
        return [float(cell) for cell in cells if cell.strip()]
    except ValueError:
        return None


def _rows(path: Path, robot: Robot, table: NDArray[Any], titles: list[str] | None) -> Floats:
    """Rows (frames, size) in the robot's order, with the base at home where the table lacks it.

    A table may also lack the joints that follow others.
    """
    if table.dtype.kind not in "iuf" or table.ndim != 2 or len(table) == 0:
        raise MalformedFileError(path, f"qpos has shape {table.shape}; it takes (frames, {robot.size}) numbers.")
    values = np.array(table, dtype=float)
    if titles is not None and len(titles) == values.shape[1]:
        by_name = _by_name(robot, titles, values)
        if by_name is not None:
            return by_name
        columns = [k for k, title in enumerate(titles) if title.lower() not in _LEADING]
        values = values[:, columns]
    counting = values.shape[1] == robot.size + 1 and len(values) > 1 and bool(np.all(np.diff(values[:, 0]) > 0))
    if counting:
        values = values[:, 1:]
    if values.shape[1] == robot.size:
        return values
    rows = np.tile(robot.home, (len(values), 1))
    base_columns = [robot.base_column + k for k in range(7)] if robot.floating else []
    followers = [joint.column for joint in robot.joints if joint.mimic is not None]
    for absent in (base_columns, followers, [*base_columns, *followers]):
        if absent and values.shape[1] == robot.size - len(absent):
            rows[:, [k for k in range(robot.size) if k not in absent]] = values
            return rows
    base = "x y z, a quaternion and " if robot.floating else ""
    raise MalformedFileError(
        path,
        f"a row has {values.shape[1]} values, but the robot {robot.name} takes {robot.size}: {base}"
        f"{len(robot.joints)} joints.",
        advice="Is this the robot that the motion was made for?",
    )


def _by_name(robot: Robot, titles: list[str], values: Floats) -> Floats | None:
    """Rows whose columns are found by the names of the joints; None when some are not there."""
    plain = [title.lower().removesuffix("_dof").removesuffix("_pos").removesuffix("_joint") for title in titles]
    rows = np.tile(robot.home, (len(values), 1))
    for joint in robot.joints:
        name = joint.name.lower().removesuffix("_joint")
        if name not in plain and joint.mimic is not None:
            continue
        if name not in plain or joint.kind == "ball":
            return None
        rows[:, joint.column] = values[:, plain.index(name)]
    if robot.floating:
        named = {joint.name.lower().removesuffix("_joint") for joint in robot.joints}
        others = [k for k, title in enumerate(plain) if title not in named and title not in _LEADING]
        if len(others) not in (0, 7):
            return None
        if others:
            rows[:, robot.base_column : robot.base_column + 7] = values[:, others]
    return rows


def _settle(
    path: Path,
    robot: Robot,
    rows: Floats,
    titles: list[str] | None,
    options: ReadOptions,
    findings: list[Finding],
) -> tuple[str, float]:
    """Bring rows to MuJoCo's conventions in place; the unit of their lengths."""
    hinges = [joint.column for joint in robot.joints if joint.kind == "hinge"]
    if hinges and np.abs(rows[:, hinges]).max() > _TURN and _fit_as_degrees(robot, rows):
        rows[:, hinges] *= np.pi / 180.0
        findings.append(
            Finding("degrees", "Joint values are in degrees; they are converted to radians.", severity="info")
        )
    unit, metres = ("m", 1.0) if options.unit is None else parse_unit(options.unit)
    if not robot.floating:
        return unit, metres
    base = rows[:, robot.base_column : robot.base_column + 7]
    if options.unit is None and np.median(np.abs(base[:, 2])) > _FAR:
        unit, metres = "cm", 0.01
        message = f"The base is {np.median(base[:, 2]):.3g} units high, so lengths are taken as centimetres."
        findings.append(guessed("unit", message))
    base[:, :3] *= metres
    size = np.linalg.norm(base[:, 3:], axis=1)
    if not np.all((size > 0.5) & (size < 2.0)):
        frame = int(np.argmin((size > 0.5) & (size < 2.0)))
        raise MalformedFileError(
            path,
            f"the quaternion of frame {frame} has length {size[frame]:.3g}, not 1.",
            advice="Columns 4 to 7 of a row hold the rotation of the base.",
        )
    if _is_xyzw(base[:, 3:], titles):
        base[:, 3:] = base[:, [6, 3, 4, 5]]
        message = "The quaternions of the base are read as x y z w (MuJoCo has w x y z): then the robot stands upright."
        remedy = "To decide otherwise, name the columns in a header: qw, qx, qy, qz."
        findings.append(Finding("guessed-quaternions", message, severity="info", remedy=remedy))
    return unit, metres


def _fit_as_degrees(robot: Robot, rows: Floats) -> bool:
    """Whether more values lie within the limits as degrees than as radians."""
    limited = [joint for joint in robot.joints if joint.kind == "hinge" and np.isfinite(joint.upper - joint.lower)]
    if not limited:
        return True
    values = rows[:, [joint.column for joint in limited]]
    lower, upper = (np.array([getattr(joint, end) for joint in limited]) for end in ("lower", "upper"))
    inside = [np.mean((lower - 0.01 <= v) & (v <= upper + 0.01)) for v in (values, np.radians(values))]
    return bool(inside[1] > inside[0])


def _is_xyzw(quaternions: Floats, titles: list[str] | None) -> bool:
    """Whether the last number of a quaternion is w: by the titles, else if that leaves the robot more upright.

    A pure yaw read in the wrong order is a half turn that leans by that yaw. Where both orders stand equally upright,
    the robot faces either straight ahead or straight back, and ahead is taken.
    """
    if titles is not None:
        ends = [title.lower()[-2:] for title in titles]
        order = [end for end in ends if end in ("qw", "qx", "qy", "qz")][:4]
        if "qw" in order:
            return order[-1] == "qw"
    q = rot.normalize(quaternions)
    upright = [float(np.mean(1.0 - 2.0 * (q[:, k] ** 2 + q[:, k + 1] ** 2))) for k in (1, 0)]
    if abs(upright[1] - upright[0]) > _UPRIGHT:
        return upright[1] > upright[0]
    return bool(np.mean(q[:, 3] ** 2) > np.mean(q[:, 0] ** 2))


def _fps(path: Path, rate: NDArray[Any] | None, options: ReadOptions, findings: list[Finding]) -> float:
    if options.fps is not None:
        return options.fps
    if rate is not None and rate.dtype.kind in "iuf" and rate.size == 1 and 0 < float(rate.reshape(-1)[0]) < 1e6:
        return float(rate.reshape(-1)[0])
    findings.append(guessed("fps", f"The file states no frame rate, so {_PLAIN_FPS:g} frames per second are assumed."))
    return _PLAIN_FPS


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a table or an archive of joint values, for a clip of a robot."""
    robot = robot_of(clip)
    if robot is None:
        raise FileError(
            path,
            "joint values (qpos) belong to a robot, and this clip is not a robot's.",
            advice="Read it with the robot's MJCF or URDF file (skeleton=), or write .npz, .bvh or .glb.",
        )
    rows, missed = robot.qpos(clip)
    if missed.max() > _AXIS_MISSED:
        from kinetune.body.robots.onto_hinges import bring_onto_hinges

        result = bring_onto_hinges(clip, robot)
        rows = result.rows
        message = f"The motion turns joints about axes that the robot does not have. On its hinges, {result.summary()}."
        report_finding(Finding("onto-hinges", message), warn=True)
    names = [joint.name for joint in robot.joints]
    if path.suffix.lower() == ".npz":
        arrays: dict[str, NDArray[Any]] = {
            "qpos": rows,
            "fps": np.array(clip.fps),
            "joint_names": np.array(names),
            "model": np.array(robot.name),
        }
        return {path: pack_arrays(path, arrays)}
    titles = [f"value{k}" for k in range(robot.size)]
    if robot.floating:
        titles[robot.base_column : robot.base_column + 7] = _BASE
    for joint in robot.joints:
        ends = ("_w", "_x", "_y", "_z") if joint.kind == "ball" else ("",)
        titles[joint.column : joint.column + len(ends)] = [joint.name + end for end in ends]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(titles)
    for row in rows.tolist():
        text.write(",".join(map(repr, row)) + "\n")
    return {path: text.getvalue().encode()}


def recognize(path: Path, start: bytes) -> bool:
    """Whether a file holds joint values: by its name, or an archive with an array "qpos"."""
    name = path.name.lower()
    arrays = array_names(path, start)
    return name.endswith((".qpos.csv", ".qpos.npz")) or "qpos" in arrays or bool(arrays & set(_PART_NAMES[2]))


FORMAT = Format(
    "qpos",
    (".qpos.csv", ".qpos.npz", ".npz"),
    "joint values of a robot (MuJoCo qpos), with the robot's file",
    read=read,
    write=write,
    recognize=recognize,
)
