"""Rotations fitted to the 22 joints of HumanML3D never twist a bone more than its positions demand.

A joint with one child leaves its twist open: what counts as a jump is its rotation about the bone, in the frame of its
parent, beyond the least rotation that takes the bone from one frame to the next. (In the frame of the world, arms twist
by what the chest turns, which the positions do demand.) A joint with several children has no choice; SciPy's best
rotation of its bones from frame to frame says what they demand.
"""

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetune as kt
from kinetune import rotations as rot
from kinetune.formats.format import ReadOptions
from kinetune.formats.learned.humanml3d import clip_from_joints
from kinetune.formats.positions import pose_fit
from tests.conftest import data_folder

SAME_JOINTS = (
    "Hips", "LeftUpLeg", "RightUpLeg", "Spine", "LeftLeg", "RightLeg", "Spine1", "LeftFoot", "RightFoot", "Spine2",
    "LeftToeBase", "RightToeBase", "Neck", "LeftShoulder", "RightShoulder", "Head", "LeftArm", "RightArm",
    "LeftForeArm", "RightForeArm", "LeftHand", "RightHand",
)  # fmt: skip
FOLDER = data_folder()
REAL = sorted((FOLDER / "humanml3d").glob("*_joints.npy")) if FOLDER else []
JUMP = 10.0  # degrees a frame


def sample_joints(name):
    """The joints of a sample clip as HumanML3D has them, at its 20 frames a second."""
    clip = kt.sample(name)
    numbers = [clip.skeleton.names.index(joint) for joint in SAME_JOINTS]
    return clip.positions()[:: round(clip.fps / 20.0), numbers]


def undemanded_twist(clip):
    """The largest twist of each joint from frame to frame that its positions do not demand, in degrees."""
    excess = {}
    for joint, name in enumerate(clip.skeleton.names):
        offsets = clip.skeleton.offsets[clip.skeleton.parents == joint]
        if len(offsets) == 0:
            continue
        turns = clip.rotations[:, joint]
        bones = rot.rotate(turns[:, None], offsets)  # in the frame of the parent
        if len(offsets) == 1:
            unit = bones[:, 0] / np.linalg.norm(bones[:, 0], axis=1, keepdims=True)
            demanded = rot.between(unit[:-1], unit[1:])
        else:
            best = [Rotation.align_vectors(after, before)[0] for before, after in itertools.pairwise(bones)]
            demanded = np.array([one.as_quat(scalar_first=True) for one in best])
        excess[name] = float(np.degrees(rot.angle_between(rot.multiply(demanded, turns[:-1]), turns[1:])).max())
    return excess


def fitted(joints):
    return clip_from_joints(Path("a.npy"), joints, ReadOptions(), [])


@pytest.mark.parametrize("name", ["walk", "run", "kick-1", "drumming", "sit-and-drink", "reach-04", "walk-stagger"])
def test_no_bone_twists_more_than_its_positions_demand(name):
    excess = undemanded_twist(fitted(sample_joints(name)))
    assert max(excess.values()) < JUMP, excess


@pytest.mark.skipif(not REAL, reason="no generated motion here: set KINETUNE_DATA")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_no_bone_of_a_real_file_twists_more_than_its_positions_demand(path):
    excess = undemanded_twist(kt.read(path))
    assert max(excess.values()) < JUMP, excess


def test_swing_alone_would_jump(monkeypatch):
    """The measure finds what it is for: with the least rotation from rest, kicking legs and feet flip."""
    monkeypatch.setattr(pose_fit, "_aim", lambda rest, seen, fps: rot.between(np.broadcast_to(rest, seen.shape), seen))
    jumps = [max(undemanded_twist(fitted(sample_joints(name))).values()) for name in ("run", "kick-1", "drumming")]
    assert max(jumps) > JUMP
