"""What an ``.amc`` holds, as rotations and translations of joints, and what it takes to write it back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.skeleton import Skeleton
from kinetune.findings import Finding
from kinetune.formats.acclaim.asf import AsfBone, AsfSkeleton, fixed_axes, skeleton_of
from kinetune.formats.unit_and_up import Up
from kinetune.rotations import Floats

RATE_KEYS = (":samples-per-second", ":smpl", ":fps", ":frame-rate", ":framerate")
"""Header lines that some programs write for the frame rate."""


@dataclass(frozen=True)
class AmcMotion:
    """What an ``.amc`` says: the values of all frames, and which columns belong to which bone."""

    values: Floats  # (frames, columns), angles in the file's unit
    columns: tuple[tuple[int, slice], ...]  # (bone, its columns), in file order
    header: tuple[str, ...]
    degrees: bool
    fps: float | None
    digits: int
    findings: tuple[Finding, ...]


def bone_rotation(bone: AsfBone, values: Floats, degrees: bool) -> Floats:
    """C M C⁻¹ for the values (frames, dof) of a bone."""
    axes = [(d[1].upper(), i) for i, d in enumerate(bone.dof) if d[0] == "r"]
    angles = values[:, [i for _, i in axes]]
    motion = fixed_axes(np.deg2rad(angles) if degrees else angles, "".join(axis for axis, _ in axes))
    return rot.multiply(rot.multiply(bone.axes, motion), rot.inverse(bone.axes))


def bone_shift(bone: AsfBone, values: Floats) -> Floats:
    """The translation (frames, 3) of a bone's start along its own axes, in file units and world axes."""
    moved = np.zeros((len(values), 3))
    for column, dof in enumerate(bone.dof):
        if dof[0] == "t":
            moved[:, "xyz".index(dof[1])] = values[:, column]
    return rot.rotate(np.broadcast_to(bone.axes, (len(values), 4)), moved)


def motion_arrays(asf: AsfSkeleton, motion: AmcMotion) -> tuple[Floats, Floats, Floats]:
    """Root (frames, 3), rotations (frames, joints, 4) and translations (frames, joints, 3), in file units and axes."""
    frames = len(motion.values)
    skeleton = skeleton_of(asf, 1.0, "y")
    joints = {bone: joint for joint, bone in enumerate(asf.joints)}
    rotations = rot.identity(frames, len(skeleton))
    translations = np.tile(skeleton.offsets, (frames, 1, 1))
    for index, columns in motion.columns:
        bone, values = asf.bones[index], motion.values[:, columns]
        if index not in joints:
            continue
        joint = joints[index]
        rotations[:, joint] = bone_rotation(bone, values, motion.degrees)
        # the root moves along the world's axes and not along its own
        shift = bone_shift(AsfBone("root", (0, 0, 0), 0, dof=bone.dof) if index == 0 else bone, values)
        translations[:, joint] += shift
        if "l" in bone.dof and index != 0:
            longer = values[:, bone.dof.index("l")] - bone.length
            for child in skeleton.children[joint]:
                translations[:, child] += longer[:, None] * np.array(bone.direction)
    return translations[:, 0].copy(), rotations, translations


@dataclass(frozen=True)
class AmcLayout:
    """The files that a clip was read from, to write it back as it was."""

    asf_text: str
    asf: AsfSkeleton
    motion: AmcMotion
    skeleton: Skeleton
    metres: float
    up: Up
    newline: str = "\n"

    def sliced(self, frames: slice) -> AmcLayout:
        """The same files with some of the frames."""
        return replace(self, motion=replace(self.motion, values=self.motion.values[frames]))

    def euler_orders(self, skeleton: Skeleton) -> None:
        """The file has no Euler channels that edits could use."""
