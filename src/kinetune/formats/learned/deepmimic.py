"""DeepMimic (``.txt``): JSON with a list of frames, and the character's own file for the skeleton.

A frame is its duration, the root's position, its rotation, and one entry a joint: four numbers w x y z for a ball, one
angle about Z for a hinge, none for a fixed joint. Metres, Y up, the character looks along +X. The skeleton is the file
given with ``skeleton``, or one beside the motion (or in ``../characters``) that fits its number of values.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton, distinct_names
from kinetune.body.source import Source
from kinetune.errors import FileError, KinetuneError, MalformedFileError, ParameterError
from kinetune.findings import Finding
from kinetune.formats.file_limits import is_frame_rate
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.text.number_text import read_text, usable
from kinetune.rotations import Floats

_SIZES = {"none": 7, "spherical": 4, "revolute": 1, "fixed": 0}
_MOST_BESIDE = 40
_MOST_CHARACTER = 4 << 20


@dataclass(frozen=True)
class _Character:
    skeleton: Skeleton
    kinds: tuple[str, ...]

    @property
    def size(self) -> int:
        return 1 + sum(_SIZES[kind] for kind in self.kinds)


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from a DeepMimic motion."""
    content = _json(path)
    frames = content.get("Frames")
    if "Skeleton" in content:
        raise FileError(
            path,
            "this is a DeepMimic character, not a motion.",
            advice="Give it as skeleton= (--model) of a motion file.",
        )
    if not isinstance(frames, list) or not frames:
        raise MalformedFileError(path, 'it has no list of "Frames".', advice="Only DeepMimic motions are read as .txt.")
    table = _table(path, frames)
    character = _character(path, table.shape[1], options)
    findings: list[Finding] = []
    rotations = _rotations(path, table, character)
    if content.get("Loop") == "wrap":
        findings.append(Finding("loops", "The file says that this motion repeats.", severity="info"))
    fps = _fps(path, table[:, 0], options, findings)
    source = Source("deepmimic", str(path), findings=tuple(findings))
    return Clip(character.skeleton, fps, table[:, 1:4], rotations, source=source)


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path, "DeepMimic"))
    except (ValueError, RecursionError):
        raise MalformedFileError(
            path,
            "this text is not a DeepMimic motion (JSON).",
            advice="Tables of joint positions are read as .csv, joint values of robots as .csv with their model.",
        ) from None
    if not isinstance(content, dict):
        raise MalformedFileError(path, "its outermost value is not a JSON object, so this is not a DeepMimic file.")
    return content


def _table(path: Path, frames: list[Any]) -> Floats:
    width = len(frames[0]) if isinstance(frames[0], list) else 0
    for number, frame in enumerate(frames):
        numbers = isinstance(frame, list) and all(type(v) in (int, float) and not abs(v) > 1e300 for v in frame)
        if not numbers or len(frame) != width:
            raise MalformedFileError(path, f"frame {number} is not a list of {width or 'some'} numbers.")
    table = np.array(frames, dtype=float)
    if width < 8 or not usable(table).all():
        frame = int(np.argmin(usable(table).all(axis=1))) if width else 0
        raise MalformedFileError(path, f"frame {frame} has too few values or one that is far too large.")
    return table


def _character(path: Path, width: int, options: ReadOptions) -> _Character:
    if options.skeleton is not None:
        character = _read_character(options.skeleton)
        if character.size != width:
            raise MalformedFileError(
                path, f"a frame has {width} values, but {options.skeleton.name} takes {character.size}."
            )
        return character
    for candidate in _beside(path):
        try:
            character = _read_character(candidate)
        except KinetuneError:
            continue
        if character.size == width:
            return character
    raise FileError(
        path,
        f"its frames have {width} values, and no character beside it takes as many.",
        advice="Give the character's file with skeleton= (--skeleton humanoid3d.txt).",
    )


def _beside(path: Path) -> list[Path]:
    """Small text files beside a motion, and in the folder of characters that DeepMimic has."""
    candidates = []
    for folder in (path.parent, path.parent.parent / "characters"):
        if folder.is_dir():
            files = sorted(file for file in folder.iterdir() if file.suffix.lower() == ".txt" and file != path)
            candidates += [file for file in files if file.is_file() and file.stat().st_size <= _MOST_CHARACTER]
    return sorted(candidates, key=lambda file: "character" not in str(file.name))[:_MOST_BESIDE]


def _read_character(path: Path) -> _Character:
    skeleton = _json(path).get("Skeleton")
    joints = skeleton.get("Joints") if isinstance(skeleton, dict) else None
    if not isinstance(joints, list) or not joints:
        raise MalformedFileError(path, 'it has no "Skeleton" with "Joints", so it is not a DeepMimic character.')
    try:
        names = distinct_names(str(joint["Name"]) for joint in joints)
        parents = [int(joint["Parent"]) for joint in joints]
        offsets = np.array([[float(joint.get(f"Attach{axis}", 0.0)) for axis in "XYZ"] for joint in joints])
        angles = np.array([[float(joint.get(f"AttachTheta{axis}", 0.0)) for axis in "ZYX"] for joint in joints])
        kinds = tuple(str(joint["Type"]) for joint in joints)
        if any(kind not in _SIZES for kind in kinds) or kinds[0] != "none" or "none" in kinds[1:]:
            raise MalformedFileError(path, "it has joints of a type other than spherical, revolute and fixed.")
        if not usable(offsets).all() or not usable(angles).all():
            raise MalformedFileError(path, "a joint is attached at a value that is far too large.")
        return _Character(Skeleton(names, np.array(parents), offsets, rest=rot.from_euler(angles, "ZYX")), kinds)
    except ParameterError as problem:
        raise MalformedFileError(path, str(problem)) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise MalformedFileError(path, "one of its joints lacks a name, a parent, a type or numbers.") from None


def _rotations(path: Path, table: Floats, character: _Character) -> Floats:
    frames, joints = len(table), len(character.kinds)
    rotations = np.tile(character.skeleton.rest, (frames, 1, 1))
    column = 4
    for joint, kind in enumerate(character.kinds):
        count = 4 if kind == "none" else _SIZES[kind]
        values = table[:, column : column + count]
        column += count
        if count == 4:
            size = np.linalg.norm(values, axis=1)
            if not np.all((size > 0.5) & (size < 2.0)):
                frame = int(np.argmin((size > 0.5) & (size < 2.0)))
                name = character.skeleton.names[joint]
                raise MalformedFileError(
                    path, f'frame {frame}: the quaternion of "{name}" has length {size[frame]:.3g}, not 1.'
                )
            rotations[:, joint] = rot.multiply(rotations[:, joint], rot.normalize(values))
        elif count == 1:
            hinge = rot.from_axis_angle((0.0, 0.0, 1.0), values[:, 0])
            rotations[:, joint] = rot.multiply(rotations[:, joint], hinge)
    assert rotations.shape == (frames, joints, 4)
    return rot.continuous(rotations)


def _fps(path: Path, durations: Floats, options: ReadOptions, findings: list[Finding]) -> float:
    if options.fps is not None:
        return options.fps
    steps = durations[:-1] if len(durations) > 1 else durations  # the last one counts for nothing
    step = float(np.median(steps))
    if not step > 0 or not is_frame_rate(1.0 / step):
        raise MalformedFileError(path, "the duration of its frames makes no sense.", advice="Give the rate with fps=.")
    if np.abs(steps - step).max() > 0.2 * step:
        message = "Frames do not all last equally long; they are taken as if they did."
        findings.append(Finding("uneven-frames", message))
    rate = 1.0 / step
    return float(round(rate)) if abs(rate - round(rate)) < 2e-3 * rate and rate > 5 else rate


FORMAT = Format("deepmimic", (".txt",), "DeepMimic motion, with the file of its character", read=read)
