"""Kimodo (``.npz``): joint positions, rotation matrices and foot contacts of generated motion.

=============================================  ============================================================
posed_joints (frames, joints, 3)               world positions in metres, Y up, looking along +Z
global_rot_mats (frames, joints, 3, 3)         world rotations; or local_rot_mats
foot_contacts (frames, 4)                      left ankle and toes, right ankle and toes; they become
                                               ``clip.contacts``
=============================================  ============================================================

The file holds no names: 30 or 77 joints are SOMA's, 34 the G1 robot's, 22 those of SMPL-X. It runs at 30 frames per
second. Bones are measured from positions and rotations; they are constant to a micrometre.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.body.source import Source
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.learned.contact_labels import contacts_from_labels
from kinetune.formats.npz._smpl_skeleton import BODY_NAMES, parent_indices
from kinetune.formats.npz.npz_arrays import array_names, read_arrays
from kinetune.formats.text.number_text import usable
from kinetune.rotations import Floats

FPS = 30.0
_ROTATIONS = ("global_rot_mats", "local_rot_mats")
_CONSTANT = 1e-3  # metres that bones may change before it is worth a word
_G1_HEEL = (0.0, -0.035, -0.05)  # of the robot's own collision shapes; its toes lie at the same height
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")

Tree = tuple[tuple[str, ...], list[int]]


def _tree(chains: Sequence[tuple[str, Sequence[str]]]) -> Tree:
    """Names and parents of chains of joints, each below the joint named first."""
    names: list[str] = []
    parents: list[int] = []
    for above, chain in chains:
        for name in chain:
            parents.append(names.index(above) if above else -1)
            names.append(name)
            above = name
    return tuple(names), parents


def _soma(full: bool) -> Tree:
    chains: list[tuple[str, Sequence[str]]] = [("", ("Hips", "Spine1", "Spine2", "Chest", "Neck1", "Neck2", "Head"))]
    chains += [("Head", (name,)) for name in (*(("HeadEnd",) if full else ()), "Jaw", "LeftEye", "RightEye")]
    for side in ("Left", "Right"):
        chains.append(("Chest", [f"{side}{part}" for part in ("Shoulder", "Arm", "ForeArm", "Hand")]))
        for finger in _FINGERS if full else ("Thumb", "Middle"):
            count = 0 if not full else 3 if finger == "Thumb" else 4
            ends = [*map(str, range(1, count + 1)), "End"]
            chains.append((f"{side}Hand", [f"{side}Hand{finger}{end}" for end in ends]))
    for side in ("Left", "Right"):
        toes = ("ToeBase", "ToeEnd") if full else ("ToeBase",)
        chains.append(("Hips", [f"{side}{part}" for part in ("Leg", "Shin", "Foot", *toes)]))
    return _tree(chains)


def _g1() -> Tree:
    leg = [f"{part}_skel" for part in ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")]
    leg.append("toe_base")
    arm = [f"shoulder_{axis}" for axis in ("pitch", "roll", "yaw")] + ["elbow"]
    arm += [f"wrist_{axis}" for axis in ("roll", "pitch", "yaw")] + ["hand_roll"]
    chains: list[tuple[str, Sequence[str]]] = [("", ("pelvis_skel",))]
    chains += [("pelvis_skel", [f"{side}_{part}" for part in leg]) for side in ("left", "right")]
    chains.append(("pelvis_skel", [f"waist_{axis}_skel" for axis in ("yaw", "roll", "pitch")]))
    chains += [("waist_pitch_skel", [f"{side}_{part}_skel" for part in arm]) for side in ("left", "right")]
    return _tree(chains)


def tree_of(joints: int) -> Tree | None:
    """The names and parents of the body with that many joints."""
    if joints in (30, 77):
        return _soma(full=joints == 77)
    if joints == 34:
        return _g1()
    return (BODY_NAMES, parent_indices("body")) if joints == len(BODY_NAMES) else None


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from Kimodo's archive."""
    arrays = read_arrays(path, ("posed_joints", *_ROTATIONS), spare=("foot_contacts", "fps"))
    arrays = _one_of_batch(path, arrays, options)
    positions = _array(path, arrays, "posed_joints", (3,))
    frames, joints = positions.shape[:2]
    tree = tree_of(joints)
    if tree is None:
        raise MalformedFileError(
            path, f"it has {joints} joints; known are 30 and 77 (SOMA), 34 (G1) and 22 (SMPL-X).", advice=None
        )
    names, parent_list = tree
    parents = np.array(parent_list)
    local, world = _rotations(path, arrays, positions, parents)
    bones = np.zeros((frames, joints, 3))
    bones[:, 1:] = rot.rotate(rot.inverse(world[:, parents[1:]]), positions[:, 1:] - positions[:, parents[1:]])
    offsets = bones.mean(axis=0)
    findings: list[Finding] = []
    stretch = float(np.abs(bones - offsets).max())
    if stretch > _CONSTANT:
        message = f"Bones change by up to {1000 * stretch:.3g} mm; their mean is taken."
        findings.append(Finding("changing-bones", message))
    heels = [j for j, name in enumerate(names) if name.endswith("_ankle_roll_skel")]
    skeleton = Skeleton(names, parents, offsets, tuple(EndSite(joint, _G1_HEEL) for joint in heels))
    fps = options.fps or _fps(arrays) or FPS
    source = Source("kimodo", str(path), findings=tuple(findings))
    contacts = _contacts(path, arrays, skeleton, frames)
    return Clip(skeleton, fps, positions[:, 0], local, contacts=contacts, source=source)


def _one_of_batch(path: Path, arrays: dict[str, NDArray[Any]], options: ReadOptions) -> dict[str, NDArray[Any]]:
    """The arrays of one motion where the archive holds several, (motions, frames, joints, 3)."""
    positions = arrays.get("posed_joints")
    if positions is None or positions.ndim != 4 or positions.shape[0] == 0:
        return arrays
    count = positions.shape[0]
    chosen = options.animation if options.animation is not None else 0 if count == 1 else None
    if not isinstance(chosen, int) or not 0 <= chosen < count:
        advice = f"Choose one by its number, 0 to {count - 1}, with animation= (--animation 0)."
        raise MalformedFileError(path, f"the archive holds {count} motions.", advice=advice)
    batched = ("posed_joints", *_ROTATIONS, "foot_contacts")
    fits = {name for name in batched if name in arrays and arrays[name].ndim > 2 and len(arrays[name]) == count}
    return {name: array[chosen] if name in fits else array for name, array in arrays.items()}


def _array(path: Path, arrays: dict[str, NDArray[Any]], name: str, ends: tuple[int, ...]) -> Floats:
    array = arrays.get(name)
    if array is None:
        raise MalformedFileError(path, f'there is no array "{name}" in it.', advice="Is it an output of Kimodo?")
    if array.dtype.kind != "f" or array.ndim != 2 + len(ends) or array.shape[2:] != ends or array.size == 0:
        expected = ", ".join(map(str, ends))
        raise MalformedFileError(path, f'"{name}" has shape {array.shape}, not (frames, joints, {expected}).')
    if not usable(array).all():
        frame = int(np.argmin(usable(array).reshape(len(array), -1).all(axis=1)))
        raise MalformedFileError(
            path, f'"{name}" has a value in frame {frame} that is not a number or is far too large.'
        )
    return array.astype(float)


def _rotations(
    path: Path, arrays: dict[str, NDArray[Any]], positions: Floats, parents: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Local and world rotations (frames, joints, 4)."""
    name = next((name for name in _ROTATIONS if name in arrays), _ROTATIONS[0])
    matrices = _array(path, arrays, name, (3, 3))
    if matrices.shape[:2] != positions.shape[:2]:
        raise MalformedFileError(path, f'"{name}" and "posed_joints" do not have the same frames and joints.')
    size = np.abs(np.linalg.det(matrices) - 1.0)
    if size.max() > 0.05:
        frame = int(np.argmax(size.max(axis=1)))
        raise MalformedFileError(path, f'frame {frame} of "{name}" is not a rotation matrix.')
    stored = rot.normalize(rot.from_matrix(matrices))
    if name == "local_rot_mats":
        world = stored.copy()
        for joint in range(1, len(parents)):
            world[:, joint] = rot.multiply(world[:, parents[joint]], stored[:, joint])
        return rot.continuous(stored), world
    local = stored.copy()
    local[:, 1:] = rot.multiply(rot.inverse(stored[:, parents[1:]]), stored[:, 1:])
    return rot.continuous(local), stored


def _fps(arrays: dict[str, NDArray[Any]]) -> float | None:
    rate = arrays.get("fps")
    if rate is None or rate.dtype.kind not in "iuf" or rate.size != 1:
        return None
    value = float(rate.reshape(-1)[0])
    return value if 0 < value < 1e6 else None


def _contacts(path: Path, arrays: dict[str, NDArray[Any]], skeleton: Skeleton, frames: int) -> Contacts | None:
    labels = arrays.get("foot_contacts")
    if labels is None:
        return None
    if labels.shape != (frames, 4) or labels.dtype.kind not in "biuf":
        raise MalformedFileError(path, f'"foot_contacts" has shape {labels.shape}, not ({frames}, 4).')
    return contacts_from_labels(skeleton, labels)


def recognize(path: Path, start: bytes) -> bool:
    """Whether an archive is one of Kimodo's."""
    names = array_names(path, start)
    return "posed_joints" in names and bool(names & set(_ROTATIONS))


FORMAT = Format("kimodo", (".npz",), "generated motion of Kimodo (SOMA, G1, SMPL-X)", read=read, recognize=recognize)
