import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.kinematics.limbs_by_role import bring_limb, find_limbs, limb_of
from tests.operations import making


def test_limbs_of_a_human_figure():
    figure = making.humanoid()
    named = [tuple(figure.names[j] for j in limb[:4]) for limb in find_limbs(figure)]
    assert named == [
        ("LeftArm", "LeftForeArm", "LeftHand", "Chest"),
        ("LeftUpLeg", "LeftLeg", "LeftFoot", "Hips"),
        ("RightArm", "RightForeArm", "RightHand", "Chest"),
        ("RightUpLeg", "RightLeg", "RightFoot", "Hips"),
    ]
    assert [limb.is_leg for limb in find_limbs(figure)] == [False, True, False, True]
    assert limb_of(figure, figure.index("RightFoot")).is_leg
    assert limb_of(figure, figure.index("Head")) is None


def test_a_chain_has_none():
    assert find_limbs(making.chain()) == ()


@pytest.mark.parametrize("keep", ["world", "local"])
def test_a_limb_follows_a_path(keep):
    clip = making.walker(61)
    limb = limb_of(clip.skeleton, clip.skeleton.index("LeftFoot"))
    path = clip.positions()[:, limb.end] + [0.02, 0.08, 0.0]
    result = bring_limb(clip, limb, path, keep=keep)
    assert np.abs(result.positions()[:, limb.end] - path).max() < 1e-6
    kept = clip.world_rotations() if keep == "world" else clip.rotations
    now = result.world_rotations() if keep == "world" else result.rotations
    assert rot.angle_between(now[:, limb.end], kept[:, limb.end]).max() < 1e-7


def test_at_full_stretch_a_soft_limb_gives_way_and_a_hard_one_does_not():
    clip = making.constant(3)
    limb = limb_of(clip.skeleton, clip.skeleton.index("LeftFoot"))
    hip = clip.positions()[:, limb.upper]
    down = clip.positions()[:, limb.end] - hip
    path = hip + 0.8599 * down / np.linalg.norm(down, axis=-1, keepdims=True)
    soft, hard = (bring_limb(clip, limb, path, keep="world", soft=s).positions()[:, limb.end] for s in (True, False))
    assert np.linalg.norm(hard - path, axis=-1).max() < 1e-6
    assert 1e-4 < np.linalg.norm(soft - path, axis=-1).max() < 5e-3
