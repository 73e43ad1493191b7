"""HumanML3D and T2M: 22 joints (frames, 22, 3) or 263 features a frame; 20 frames per second, metres, Y up.

Features of a frame::

    0          half the yaw step of the root to the next frame
    1:3        steps of the root along x and z, in its own heading
    3          height of the root
    4:67       positions of the other 21 joints, in the heading of the root
    67:193     rotations (6 numbers each), which are not used: their twist is arbitrary
    193:259    velocities
    259:263    contacts: left ankle, left toes, right ankle, right toes

Joints come from both; rotations are fitted to them on a body in T-pose with the bones of the clip
(:mod:`kinetune.formats.positions.pose_fit`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.format import ReadOptions
from kinetune.formats.learned.contact_labels import contacts_from_labels
from kinetune.formats.npz._smpl_skeleton import BODY_NAMES, generic_skeleton, parent_indices
from kinetune.formats.positions.clip_from_positions import NamedPositions, clip_from_positions
from kinetune.formats.text.number_text import usable
from kinetune.rotations import Floats

FPS = 20.0
FEATURES = 263
JOINTS = len(BODY_NAMES)


def clip_from_joints(path: Path, joints: Floats, options: ReadOptions, findings: list[Finding]) -> Clip:
    """A clip from the 22 joints of HumanML3D, (frames, 22, 3)."""
    named = NamedPositions(
        path,
        "humanml3d",
        BODY_NAMES,
        joints,
        options.fps or FPS,
        parents=parent_indices("body"),
        like=generic_skeleton("body").offsets,
        unit="m",
        up="y",
        findings=findings,
    )
    clip = clip_from_positions(named, options)
    tips = generic_skeleton("body", clip.skeleton.height).end_sites
    return clip.replace(skeleton=replace(clip.skeleton, end_sites=tips))


def clip_from_features(path: Path, features: NDArray[Any], options: ReadOptions, findings: list[Finding]) -> Clip:
    """A clip from 263 features a frame."""
    if features.dtype.kind != "f" or not usable(features).all():
        raise MalformedFileError(path, "the features have a value that is not a number or is far too large.")
    values = features.astype(float)
    labels = values[:, 259:263]
    if float(np.median(values[:, 3])) < 0.1 or np.abs(labels - 0.5).max() > 1.0:
        raise MalformedFileError(
            path,
            "these features look normalized: the root is not above the floor or contacts are not between 0 and 1.",
            advice="Undo it first with the model's files: features * np.load('Std.npy') + np.load('Mean.npy')",
        )
    clip = clip_from_joints(path, joints_from_features(values), options, findings)
    return clip.replace(contacts=contacts_from_labels(clip.skeleton, labels))


def joints_from_features(features: Floats) -> Floats:
    """World positions (frames, 22, 3) of features (frames, 263)."""
    frames = len(features)
    yaw = np.concatenate([[0.0], np.cumsum(2.0 * features[:-1, 0])])
    turned = rot.about_y(-yaw)
    steps = np.zeros((frames, 3))
    steps[1:, [0, 2]] = features[:-1, 1:3]
    root = np.cumsum(rot.rotate(turned, steps), axis=0)
    root[:, 1] = features[:, 3]
    joints = np.empty((frames, JOINTS, 3))
    joints[:, 0] = root
    around = rot.rotate(turned[:, None], features[:, 4:67].reshape(frames, JOINTS - 1, 3))
    joints[:, 1:] = around + root[:, None] * (1.0, 0.0, 1.0)
    return joints
