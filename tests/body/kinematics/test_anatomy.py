from dataclasses import replace

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.anatomy import HUMAN, find_frames, human_limits
from kinetune.body.kinematics.joint_limits import find_excess, limit_joints
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.body.timeline.mirroring import mirror
from kinetune.errors import ParameterError
from kinetune.formats import read
from tests.body import walkers
from tests.body.reframed import other_frames
from tests.operations import making

X, Y, Z = np.eye(3)


def posed(frames=40, fps=30.0, **turns):
    """The figure in a T-pose, with some joints turned about axes of the world by degrees that grow from 0."""
    figure = making.humanoid()
    rotations = rot.identity(frames, len(figure))
    share = np.linspace(0.0, 1.0, frames)
    for name, (axis, degrees) in turns.items():
        rotations[:, figure.index(name)] = rot.from_axis_angle(axis, np.deg2rad(degrees) * share)
    return Clip(figure, fps, np.tile([0.0, 0.94, 0.0], (frames, 1)), rotations)


def reading(clip, joint, like=None):
    """Flexion, rotation and abduction at the end, in degrees."""
    limits = {limit.joint: limit for limit in human_limits(clip if like is None else like)}
    index = clip.skeleton.index(joint)
    return np.rad2deg(limits[index].read(clip.rotations[:, index])[-1])


def bending():
    """All hinges bend, so that the motion shows their axes."""
    return posed(
        LeftLeg=(X, 90),
        RightLeg=(X, 90),
        LeftForeArm=(Y, -90),
        RightForeArm=(Y, 90),
        LeftUpLeg=(X, -60),
        RightUpLeg=(X, -60),
    )


@pytest.mark.parametrize(
    ("joint", "axis", "degrees", "expected"),
    [
        ("LeftUpLeg", -X, 70, (-70, 0, 0)),
        ("RightUpLeg", X, 20, (20, 0, 0)),
        ("LeftUpLeg", Z, 30, (0, 0, 30)),
        ("RightUpLeg", Z, -30, (0, 0, -30)),
        ("LeftUpLeg", Y, 25, (0, 25, 0)),
        ("LeftLeg", X, 80, (80, 0, 0)),
        ("LeftLeg", X, -12, (-12, 0, 0)),
        ("LeftForeArm", -Y, 100, (-100, 0, 0)),
        ("RightForeArm", Y, 100, (-100, 0, 0)),
        ("LeftFoot", X, 30, (30, 0, 0)),
        ("Spine", X, 40, (40, 0, 0)),
        ("Head", Y, 50, (0, 50, 0)),
        ("LeftShoulder", Z, 15, (0, 0, 15)),
    ],
)
@pytest.mark.parametrize("seed", [None, 1])
def test_readings_are_those_of_an_anatomist(joint, axis, degrees, expected, seed):
    clip, like = posed(**{joint: (axis, degrees)}), (posed() if joint == "LeftFoot" else bending())
    if seed is not None:
        clip, like = other_frames(clip, seed), other_frames(like, seed)
    assert np.allclose(reading(clip, joint, like), expected, atol=0.5)


def test_frames_of_the_file_do_not_matter():
    walk = making.walker(91)
    other = other_frames(walk, 4)
    assert np.allclose(other.positions(), walk.positions())
    stiff = [limit_joints(c, human_limits(c, scale=0.2), soft=0.1) for c in (walk, other)]
    assert not stiff[0].same_motion(walk)
    assert np.abs(stiff[0].positions() - stiff[1].positions()).max() < 1e-6


def test_a_hand_does_not_point_along_the_tail_of_a_bone_that_points_anywhere():
    plain = replace(making.humanoid(), end_sites=())
    left, right = plain.index("LeftHand"), plain.index("RightHand")
    ends = (EndSite(left, (-0.02, 0.07, 0.01)), EndSite(right, (-0.07, -0.02, 0.0)))
    frames = [find_frames(bending().replace(skeleton=body)) for body in (plain, replace(plain, end_sites=ends))]
    assert all(np.allclose(frames[0].of(hand), frames[1].of(hand)) for hand in (left, right))


def test_left_and_right_are_alike():
    walk = making.walker(91)
    stiff = limit_joints(walk, human_limits(walk, scale=0.2))
    turned = limit_joints(mirror(walk), human_limits(mirror(walk), scale=0.2))
    assert np.abs(turned.positions() - mirror(stiff).positions()).max() < 1e-6


def test_a_rest_pose_that_does_not_stand_is_replaced_by_the_mean_pose():
    walk = walkers.WALK.clip(fps=60.0)
    inner = walk.skeleton
    lying = rot.exp([np.pi / 2, 0.0, 0.0])
    rest = np.array(inner.rest)
    rest[0] = lying
    clip = Clip(
        Skeleton(inner.names, inner.parents, inner.offsets, inner.end_sites, rest), walk.fps, walk.root, walk.rotations
    )
    assert find_excess(clip, human_limits(clip)) == []
    assert np.abs(find_frames(clip).figure[1:3]).max() < 0.1  # upright again


def test_a_walk_is_within_human_limits():
    walk = walkers.WALK.clip()
    assert limit_joints(walk, human_limits(walk)) is walk


def test_knees_do_not_bend_backwards_nor_heads_turn_round():
    clip = posed(LeftLeg=(-X, 60), Head=(Y, 170), RightForeArm=(-Y, 80))
    like = bending()
    limits = human_limits(like)
    result = limit_joints(clip, limits)
    ends = {name: reading(result, name, like) for name in ("LeftLeg", "Head", "RightForeArm")}
    assert ends["LeftLeg"][0] == pytest.approx(HUMAN["lower leg"].x[0], abs=0.5)
    assert ends["RightForeArm"][0] == pytest.approx(HUMAN["lower arm"].x[1], abs=0.5)
    assert np.abs(ends["Head"][1]) == pytest.approx(HUMAN["head"].y[1], abs=0.5)
    found = {excess.joint for excess in find_excess(clip, limits)}
    assert found == {"LeftLeg", "Head", "RightForeArm"}


def test_a_knee_only_ever_seen_bent_backwards_is_recognised():
    clip = posed(LeftLeg=(-X, 60))
    assert reading(clip, "LeftLeg")[0] == pytest.approx(-60.0, abs=0.5)


def test_several_joints_share_the_range_of_the_neck():
    limits = {making.humanoid().names[limit.joint]: limit for limit in human_limits(making.walker(5))}
    assert limits["Head"].ranges == limits["Neck"].ranges
    assert np.rad2deg(limits["Head"].ranges[1][1]) <= HUMAN["head"].y[1]


def test_what_is_no_human_figure_is_refused(shared_data):
    with pytest.raises(ParameterError, match="No part of this skeleton"):
        human_limits(making.pendulums())
    with pytest.raises(ParameterError, match="stands upright"):
        human_limits(read(shared_data / "gltf" / "Fox.glb"))


@pytest.mark.parametrize(
    "name",
    ["cmu/07_01.bvh", "cmu/82_10.bvh", "cmu/82_12.bvh", "cmu/16_19.bvh", "cmu/104_02.bvh", "accad/Male1_B3_Walk.bvh",
     "odd_bvh/20tab_freebvh_mixamo-colon.bvh", "odd_bvh/olafhaag_walk01_sci.bvh", "odd_bvh/makehuman_walk1_zup.bvh",
     "cmu_asfamc/02_01.amc", "cmu_asfamc/02_03.amc"],
)  # fmt: skip
def test_captured_walks_are_not_touched(shared_data, name):
    clip = read(shared_data / name)
    clip = clip[1:] if name.startswith("cmu/") else clip
    assert find_excess(clip, human_limits(clip)) == []


def test_a_body_whose_hips_are_fitted_badly_faces_the_way_of_its_shoulders():
    clip = bending()
    figure = clip.skeleton
    offsets = np.array(figure.offsets)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        offsets[figure.index(f"{side}UpLeg")] = [-0.02 * sign, -0.05, 0.035 * sign]
    fitted = Skeleton(figure.names, figure.parents, offsets, figure.end_sites, figure.rest)
    ahead = rot.rotate(find_frames(clip.replace(skeleton=fitted)).figure, Z)
    assert ahead @ rot.rotate(find_frames(clip).figure, Z) > np.cos(np.deg2rad(10.0))
