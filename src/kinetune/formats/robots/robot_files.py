"""Robot files (``.xml``, ``.mjcf``, ``.urdf``) as a clip of one frame: the robot at rest, or in a keyframe."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.robots.robot import Robot, RobotLayout
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError, ParameterError
from kinetune.findings import Finding
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.robots._mjcf_reader import robot_from_mjcf
from kinetune.formats.robots._urdf_reader import robot_from_urdf
from kinetune.formats.robots.xml_nodes import read_xml
from kinetune.rotations import Floats

SUFFIXES = (".xml", ".mjcf", ".urdf")
_PLAIN_FPS = 30.0


def read_robot(path: str | os.PathLike[str]) -> Robot:
    """A robot from an MJCF or URDF file: skeleton, hinges with limits, masses. Meshes are not needed.

    Examples
    --------
    >>> robot = read_robot("g1.xml")
    >>> robot.skeleton.index("left foot")
    7
    """
    return load_robot(Path(path), None, [])[0]


def load_robot(path: Path, key: str | int | None, findings: list[Finding]) -> tuple[Robot, Floats]:
    """The robot of a file, and a row of joint values: those of a keyframe, or at rest."""
    top = read_xml(path)
    try:
        if top.tag == "mujoco":
            robot, row = robot_from_mjcf(top, findings, key)
        elif top.tag == "robot":
            robot = robot_from_urdf(top, findings)
            row = robot.home
        else:
            part = top.tag == "mujocoinclude"
            raise MalformedFileError(
                path,
                f"its outermost element is <{top.tag[:40]}>, not <mujoco> or <robot>.",
                advice="Open the file that includes it." if part else "Open the MJCF or URDF file of a robot.",
            )
    except ParameterError as problem:
        raise MalformedFileError(path, str(problem)) from None
    return robot, row


def read(path: Path, options: ReadOptions) -> Clip:
    """The robot as a clip of one frame."""
    if options.unit is not None or options.up is not None:
        raise FileError(
            path, "robots are in metres with Z up by definition.", advice="Leave out the unit and the axis."
        )
    findings: list[Finding] = []
    robot, row = load_robot(path, options.animation, findings)
    source = Source("robot", str(path), up="z", findings=tuple(findings), layout=RobotLayout(robot))
    return robot_clip(robot, row[None], options.fps or _PLAIN_FPS, source)


def robot_clip(robot: Robot, rows: Floats, fps: float, source: Source) -> Clip:
    """A clip from rows of joint values."""
    root, rotations, translations = robot.pose(np.asarray(rows, dtype=float))
    return Clip(robot.skeleton, fps, root, rotations, translations, source=source)


FORMAT = Format("robot", SUFFIXES, "robots: MuJoCo MJCF and URDF, as skeletons", read=read)
