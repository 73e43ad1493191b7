"""AMASS and other SMPL motion (``.npz``): rotations of the joints of a body model.

==========================================  ===============================================================
poses (frames, 3 x joints)                  rotation vectors, pelvis first (or root_orient, pose_body ..., or
                                            global_orient, body_pose ...)
trans (frames, 3)                           metres
mocap_framerate, mocap_frame_rate           frames per second
betas, gender                               the body's shape; kept, and used with a body file
==========================================  ===============================================================

The world has Z up; the joints' own frames are those of the model's T-pose, which has Y up and looks along +Z, as ours.
Bones come from the user's own body file (``skeleton``: an SMPL ``.npz`` with ``J``, or with ``J_regressor`` and
``v_template``, shaped by betas where it has ``shapedirs``) or from :mod:`kinetune.formats.npz._smpl_skeleton`.

In the model the pelvis rests at J₀, not at the origin, and rotates about it: it is at J₀ + trans. The generic character
has J₀ = 0, which moves the whole clip by that constant and changes nothing else.

Writing uses the suffix ``.amass.npz``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import FASTEST_FPS, SLOWEST_FPS, Clip
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding, guessed
from kinetune.formats.file_limits import check_poses, is_frame_rate
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.moving_joints import fixed_skeleton
from kinetune.formats.npz._smpl_skeleton import (
    BODY_NAMES,
    MODELS,
    generic_skeleton,
    model_of,
    parent_indices,
    parent_of,
)
from kinetune.formats.npz.npz_arrays import array_names, array_shapes, pack_arrays, read_arrays
from kinetune.formats.text.number_text import usable
from kinetune.formats.unit_and_up import Up, parse_unit, parse_up, stand_upright, turn_vectors_from_y, world_rotation
from kinetune.rotations import Floats

_POSES = ("poses", "smpl_poses")
_PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")
_SMPLX_PARTS = (  # as the library of the body models names them
    *("global_orient", "body_pose", "jaw_pose", "leye_pose", "reye_pose", "left_hand_pose", "right_hand_pose"),
)
_TRANS = ("trans", "transl", "smpl_trans")
_RATES = ("mocap_framerate", "mocap_frame_rate", "frame_rate", "fps")
_SHAPE = ("betas", "gender")
_PLAIN_FPS = 30.0


@dataclass(frozen=True)
class AmassLayout:
    """What an AMASS file says beside the motion: the body's shape, and where the model's pelvis rests."""

    betas: Floats
    gender: str
    pelvis: Floats

    def sliced(self, frames: slice) -> AmassLayout:
        """The same body for any frames."""
        return self

    def euler_orders(self, skeleton: Skeleton) -> None:
        """The file has no Euler channels that edits could use."""


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from an AMASS or SMPL ``.npz``."""
    for name, shape in array_shapes(path).items():
        if name in (*_POSES, *_PARTS, *_SMPLX_PARTS) and shape:
            check_poses(path, shape[0], math.prod(shape[1:]) // 3, path.stat().st_size)
    arrays = read_arrays(path, (*_POSES, *_PARTS, *_SMPLX_PARTS, *_TRANS), spare=(*_RATES, *_SHAPE))
    findings: list[Finding] = []
    poses = _poses(path, arrays)
    frames, joints = poses.shape[:2]
    model = model_of(joints)
    if model is None:
        known = ", ".join(f"{3 * len(names)} ({name})" for name, names in MODELS.items())
        raise MalformedFileError(path, f"its poses have {3 * joints} numbers a frame; expected {known}.")
    trans = _trans(path, arrays, frames, findings)
    good = usable(poses).all(axis=(1, 2)) & usable(trans).all(axis=1)
    if not good.all():
        frame = int(np.argmin(good))
        raise MalformedFileError(path, f"frame {frame} has a value that is not a number or is far too large.")
    betas = _betas(arrays)
    skeleton = _skeleton(model, betas, options, findings)
    pelvis = skeleton.offsets[0]
    rotations = rot.exp(poses)
    unit, metres = ("m", 1.0) if options.unit is None else parse_unit(options.unit)
    root = trans * metres + pelvis
    up = _up(skeleton, rotations, options, findings)
    root, rotations[:, 0] = stand_upright(root, rotations[:, 0], up)
    layout = AmassLayout(betas, _gender(arrays), pelvis)
    return Clip(
        skeleton,
        _fps(path, arrays, options, findings),
        root,
        rotations,
        source=Source("amass", str(path), unit, metres, up, tuple(findings), layout),
    )


def _poses(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Floats:
    """Rotation vectors (frames, joints, 3)."""
    array = next((arrays[name] for name in _POSES if name in arrays), None)
    if array is None:
        names = next((names for names in (_PARTS, _SMPLX_PARTS) if {*names[:2]} <= arrays.keys()), None)
        if names is None:
            raise MalformedFileError(path, 'it has no "poses" (nor "root_orient" and "pose_body"), so it is not AMASS.')
        parts = [arrays[name] for name in names if name in arrays]
        if any(p.ndim < 2 or len(p) != len(parts[0]) for p in parts):
            raise MalformedFileError(path, "the parts of its poses do not have the same number of frames.")
        flat = [_numbers(path, "poses", part).reshape(len(part), -1) for part in parts]
        if names is _SMPLX_PARTS and sum(part.shape[1] for part in flat) != 165:
            flat = flat[:2]  # without a whole face and hands, the body alone
        array = np.concatenate(flat, axis=1)
    poses = _numbers(path, "poses", array)
    if poses.ndim < 2 or len(poses) == 0 or poses[0].size % 3:
        raise MalformedFileError(path, f"poses must have shape (frames, 3 x joints), not {poses.shape}.")
    return poses.reshape(len(poses), -1, 3)


def _numbers(path: Path, name: str, array: NDArray[Any]) -> Floats:
    if array.dtype.kind not in "iuf":
        raise MalformedFileError(path, f'"{name}" is of type {array.dtype}, not numbers.')
    return array.astype(float)


def _trans(path: Path, arrays: Mapping[str, NDArray[Any]], frames: int, findings: list[Finding]) -> Floats:
    array = next((arrays[name] for name in _TRANS if name in arrays), None)
    if array is None:
        findings.append(Finding("no-root-motion", 'There is no "trans", so the character stays where it is.'))
        return np.zeros((frames, 3))
    trans = _numbers(path, "trans", array)
    if trans.shape != (frames, 3):
        raise MalformedFileError(path, f"trans has shape {trans.shape}, but {frames} poses take ({frames}, 3).")
    return trans


def _betas(arrays: Mapping[str, NDArray[Any]]) -> Floats:
    betas = arrays.get("betas")
    if betas is None or betas.dtype.kind not in "iuf" or betas.size == 0:
        return np.zeros(16)
    return np.array(betas.reshape(-1, betas.shape[-1])[0] if betas.ndim else betas.reshape(1), dtype=float)


def _gender(arrays: Mapping[str, NDArray[Any]]) -> str:
    gender = arrays.get("gender")
    if gender is None or gender.size == 0:
        return "neutral"
    word = gender.reshape(-1)[0]
    return word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)


def _fps(path: Path, arrays: Mapping[str, NDArray[Any]], options: ReadOptions, findings: list[Finding]) -> float:
    if options.fps is not None:
        return options.fps
    rate = next((arrays[name] for name in _RATES if name in arrays), None)
    if rate is None:
        message = f"The file states no frame rate, so {_PLAIN_FPS:g} frames per second are assumed."
        findings.append(guessed("fps", message))
        return _PLAIN_FPS
    if rate.dtype.kind not in "iuf" or rate.size != 1 or not is_frame_rate(float(rate.reshape(-1)[0])):
        problem = f"its frame rate is not a number from {SLOWEST_FPS:g} to {FASTEST_FPS:,.0f}."
        raise MalformedFileError(path, problem, advice="Give another with fps=.")
    return float(rate.reshape(-1)[0])


def _skeleton(model: str, betas: Floats, options: ReadOptions, findings: list[Finding]) -> Skeleton:
    if options.skeleton is not None:
        positions = body_joints(options.skeleton, len(MODELS[model]), betas, findings)
        parents = parent_indices(model)
        offsets = positions - np.where(np.array(parents)[:, None] >= 0, positions[parents], 0.0)
        return Skeleton(MODELS[model], np.array(parents), offsets)
    message = (
        "AMASS files hold no bone lengths; a generic character of 1.75 m stands in. For the real ones give the path of "
        "your SMPL body file."
    )
    findings.append(guessed("skeleton", message))
    return generic_skeleton(model)


def body_joints(path: Path, joints: int, betas: Floats, findings: list[Finding]) -> Floats:
    """Where the joints of a body file rest, (joints, 3), shaped by betas if the file can be."""
    if not path.is_file():
        raise FileError(path, "this body file does not exist.", advice="Check the path given as skeleton.")
    if path.suffix.lower() != ".npz":
        raise FileError(
            path, "only .npz body files are read: a .pkl could run code.", advice="Save its arrays with numpy.savez."
        )
    arrays = read_arrays(path, ("J", "J_regressor", "v_template", "shapedirs"))
    positions = _joint_positions(path, arrays, betas, findings)
    fits = positions.ndim == 2 and (len(positions) == joints or (joints == len(BODY_NAMES) and len(positions) > joints))
    if not fits or positions.shape[1] != 3 or not usable(positions).all():
        raise MalformedFileError(
            path,
            f"its joints have shape {positions.shape}, but the motion has {joints} joints.",
            advice="Use the body of the same model (SMPL 24, SMPL+H 52, SMPL-X 55 joints).",
        )
    return positions[:joints]


def _joint_positions(path: Path, arrays: Mapping[str, NDArray[Any]], betas: Floats, findings: list[Finding]) -> Floats:
    if "J_regressor" in arrays and "v_template" in arrays:
        vertices = _numbers(path, "v_template", arrays["v_template"])
        regressor = _numbers(path, "J_regressor", arrays["J_regressor"])
        if vertices.ndim != 2 or vertices.shape[1] != 3 or regressor.shape[1:] != vertices.shape[:1]:
            raise MalformedFileError(path, "J_regressor and v_template do not fit together.")
        if "shapedirs" in arrays:
            directions = _numbers(path, "shapedirs", arrays["shapedirs"])
            if directions.shape[:2] != vertices.shape or directions.ndim != 3:
                raise MalformedFileError(path, "shapedirs and v_template do not fit together.")
            used = min(len(betas), directions.shape[2])
            vertices = vertices + directions[:, :, :used] @ betas[:used]
        positions: Floats = regressor @ vertices
    elif "J" in arrays:
        positions = _numbers(path, "J", arrays["J"])
        if np.any(betas):
            findings.append(
                Finding("shape-not-applied", "The body file holds joints only, so the shape (betas) is not applied.")
            )
    else:
        raise MalformedFileError(path, "it has neither J nor J_regressor and v_template, so it is not an SMPL body.")
    return positions


def _up(skeleton: Skeleton, rotations: Floats, options: ReadOptions, findings: list[Finding]) -> Up:
    """Z, as AMASS has it, unless asked otherwise or the character clearly stands along Y."""
    if options.up is not None:
        return parse_up(options.up)
    positions, _ = forward(skeleton, np.zeros((len(rotations), 3)), rotations)
    feet = positions[:, [skeleton.names.index("left_foot"), skeleton.names.index("right_foot")]].mean(axis=1)
    _, y, z = np.abs((positions[:, skeleton.names.index("head")] - feet).mean(axis=0)).tolist()
    if y > 3.0 * z:
        findings.append(guessed("up", "AMASS has Z up, but this character stands along Y, so Y is taken as up."))
        return "y"
    return "z"


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of an AMASS archive, for a clip with the joints of an SMPL model."""
    model, order = _model_joints(clip.skeleton, path)
    skeleton = fixed_skeleton(clip, path, "AMASS")
    _check_rest(skeleton, order, path)
    layout = clip.source.layout if isinstance(clip.source.layout, AmassLayout) else None
    up: Up = clip.source.up if layout else "z"
    unit = clip.source.metres_per_unit if layout else 1.0
    pelvis = layout.pelvis if layout else np.zeros(3)
    rotations = clip.rotations[:, order].copy()
    rotations[:, 0] = rot.multiply(rot.inverse(world_rotation(up)), rotations[:, 0])
    poses = rot.log(rotations)
    arrays: dict[str, NDArray[Any]] = {
        "trans": (turn_vectors_from_y(clip.root, up) - pelvis) / unit,
        "gender": np.array(layout.gender if layout else "neutral"),
        "mocap_framerate": np.array(clip.fps),
        "betas": layout.betas if layout else np.zeros(16),
        "poses": poses.reshape(len(clip), -1),
        "surface_model_type": np.array(model.lower().replace("+", "").replace("-", "")),
    }
    return {path: pack_arrays(path, arrays)}


def _canonical(name: str) -> str:
    """The model's spelling of a joint name: "L_Hip" is "left_hip"."""
    folded = name.rpartition(":")[2].lower()
    for short, side in (("l_", "left_"), ("r_", "right_")):
        if folded.startswith(short):
            return side + folded[2:]
    return folded


def _model_joints(skeleton: Skeleton, path: Path) -> tuple[str, list[int]]:
    """The richest model whose joints are all there, and where they are."""
    joints = {_canonical(name): joint for joint, name in reversed(list(enumerate(skeleton.names)))}
    for model in ("SMPL-X", "SMPL+H", "SMPL", "body"):
        if all(name in joints for name in MODELS[model]):
            order = [joints[name] for name in MODELS[model]]
            above = [-1 if n == "pelvis" else joints[parent_of(n)] for n in MODELS[model]]
            if skeleton.parents[order].tolist() == above and order[0] == 0:
                return model, order
    raise FileError(
        path,
        "AMASS takes the joints of an SMPL body (pelvis, left_hip, right_hip, spine1 ...), which these are not.",
        advice="Write .bvh, .glb or plain .npz instead.",
    )


def _check_rest(skeleton: Skeleton, order: list[int], path: Path) -> None:
    """The rest pose must be the model's T-pose, or the same numbers would mean another pose."""
    positions = {name: skeleton.rest_positions[joint] for name, joint in zip(BODY_NAMES, order, strict=False)}
    directions = (
        ("left_hip", "left_knee", (0, -1, 0)),
        ("left_shoulder", "left_elbow", (1, 0, 0)),
        ("right_shoulder", "right_elbow", (-1, 0, 0)),
        ("spine3", "neck", (0, 1, 0)),
    )
    straight = rot.angle_between(skeleton.rest, rot.identity()).max() < 1e-3
    for start, end, direction in directions:
        along = positions[end] - positions[start]
        straight = straight and bool(along @ np.array(direction) > 0.8 * np.linalg.norm(along))
    if not straight:
        raise FileError(
            path,
            "the skeleton's rest pose is not the SMPL T-pose (Y up, looking along +Z), on which AMASS poses are based.",
        )


def recognize(path: Path, start: bytes) -> bool:
    """Whether an archive holds SMPL poses."""
    names = array_names(path, start)
    return "kinetune" not in names and bool(
        names & {*_POSES, *_PARTS, *_SMPLX_PARTS, *_TRANS, "mocap_framerate", "mocap_frame_rate"}
    )


FORMAT = Format(
    "amass",
    (".amass.npz", ".npz"),
    "AMASS / SMPL poses (.amass.npz to write)",
    read=read,
    write=write,
    recognize=recognize,
)
