"""Arrays of joint positions (``.npy``, ``.npz``): (frames, joints, 3), as pose estimators and models write them.

The array holds no names: the user gives them (``joints``). Arrays of 22 joints, or of 263 features, are HumanML3D's
unless names are given (:mod:`kinetune.formats.learned.humanml3d`). Several motions in one array, (motions, frames,
joints, 3) or (motions, joints, 3, frames), are chosen by number (``animation``). Of an ``.npz`` the array called
positions, joints and so on is taken, or else the only one of that shape.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding, guessed
from kinetune.formats.file_limits import check_joints, check_poses, is_frame_rate
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.npz.npz_arrays import array_shapes, read_array, read_arrays
from kinetune.formats.positions.clip_from_positions import NamedPositions, clip_from_positions
from kinetune.rotations import Floats

_USUAL = (
    "positions",
    "joints",
    "joints3d",
    "joints_3d",
    "posed_joints",
    "keypoints3d",
    "keypoints_3d",
    "xyz",
    "motion",
)
_RATES = ("fps", "frame_rate", "framerate", "mocap_framerate", "mocap_frame_rate")
PLAIN_FPS = 30.0


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from an array of joint positions and the names that the user gives, or of HumanML3D."""
    from kinetune.formats.learned import humanml3d

    findings: list[Finding] = []
    if path.suffix.lower() == ".npz":
        shapes = array_shapes(path)
        name = _position_array(path, shapes)
        check_poses(path, math.prod(shapes[name]) // 3, 1, path.stat().st_size)
        arrays = read_arrays(path, (name,), spare=_RATES)
        array, rate = arrays[name], next((arrays[key] for key in _RATES if key in arrays), None)
    else:
        array, rate = read_array(path), None
    if array.dtype.kind not in "iuf":
        raise MalformedFileError(path, f"the array is of type {array.dtype}, not numbers.")
    if options.joints is None and array.ndim == 2 and array.shape[1] == humanml3d.FEATURES and len(array):
        return humanml3d.clip_from_features(path, array, options, findings)
    positions = _one_motion(path, array, options)
    if options.joints is None and positions.shape[1] == humanml3d.JOINTS:
        message = "22 joints without names are taken as those of HumanML3D, at 20 frames per second."
        findings.append(guessed("joints", message))
        return humanml3d.clip_from_joints(path, positions, options, findings)
    names = _names(path, positions, options)
    fps = _fps(path, rate, options, findings)
    return clip_from_positions(NamedPositions(path, "positions", names, positions, fps, findings=findings), options)


def _one_motion(path: Path, array: NDArray[Any], options: ReadOptions) -> Floats:
    """Positions (frames, joints, 3) of the motion that is asked for."""
    shape = array.shape
    if array.ndim == 4 and 3 in shape[2:]:
        chosen = options.animation if options.animation is not None else 0 if shape[0] == 1 else None
        if not isinstance(chosen, int) or not 0 <= chosen < shape[0]:
            raise MalformedFileError(
                path,
                f"the array holds {shape[0]} motions.",
                advice=f"Choose one by its number, 0 to {shape[0] - 1}, with animation= (--animation 0).",
            )
        array = array[chosen]
    if array.ndim == 2 and array.shape[1] % 3 == 0:
        array = array.reshape(len(array), -1, 3)
    if array.ndim == 3 and array.shape[1] == 3 != array.shape[2]:  # (joints, 3, frames), as MDM writes it
        array = array.transpose(2, 0, 1)
    if array.ndim != 3 or array.shape[2] != 3 or array.size == 0:
        raise MalformedFileError(
            path, f"the array has shape {shape}; joint positions have (frames, joints, 3), HumanML3D (frames, 263)."
        )
    check_joints(path, array.shape[1])
    return np.array(array, dtype=float)


def _names(path: Path, positions: Floats, options: ReadOptions) -> tuple[str, ...]:
    count = positions.shape[1]
    if options.joints is None:
        raise MalformedFileError(
            path,
            f"the array holds {count} joints without names.",
            advice='Name them in order with joints= (--joints "Hips,Spine,Head,LeftShoulder,...").',
        )
    if len(options.joints) != count:
        raise MalformedFileError(path, f"it holds {count} joints, but {len(options.joints)} names were given.")
    return options.joints


def _position_array(path: Path, shapes: dict[str, tuple[int, ...]]) -> str:
    fitting = [name for name, shape in shapes.items() if _fits(shape)]
    for name in _USUAL:
        for spelled in fitting:
            if spelled.lower() == name:
                return spelled
    if len(fitting) == 1:
        return fitting[0]
    problem = (
        f"which of its arrays {', '.join(fitting[:5])} holds the joints is not clear."
        if fitting
        else ("it holds no array of joint positions (frames, joints, 3).")
    )
    raise MalformedFileError(path, problem, advice='Save the one to read as "positions".')


def _fits(shape: tuple[int, ...]) -> bool:
    if len(shape) == 4 and shape[0] > 0:
        shape = shape[1:]
    return len(shape) == 3 and ((shape[2] == 3 and shape[1] > 3) or (shape[1] == 3 and shape[0] > 3))


def _fps(path: Path, rate: NDArray[Any] | None, options: ReadOptions, findings: list[Finding]) -> float:
    if options.fps is not None:
        return options.fps
    if rate is not None and rate.dtype.kind in "iuf" and rate.size == 1 and is_frame_rate(float(rate.reshape(-1)[0])):
        return float(rate.reshape(-1)[0])
    findings.append(guessed("fps", f"The file states no frame rate, so {PLAIN_FPS:g} frames per second are assumed."))
    return PLAIN_FPS


def recognize(path: Path, start: bytes) -> bool:
    """Whether a file holds positions: any array file, an archive with an array of that shape."""
    return path.suffix.lower() == ".npy" or any(_fits(shape) for shape in array_shapes(path).values())


FORMAT = Format(
    "positions",
    (".npy", ".npz"),
    "array of joint positions (frames, joints, 3)",
    read=read,
    recognize=recognize,
)
