import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.floor_clearance import find_depth
from kinetune.body.feet.planting import find_stances
from kinetune.body.kinematics.joint_limits import find_excess
from kinetune.body.quality.measures import measure
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.formats import read
from kinetune.operations.limit import JointRange, Limit
from tests.body import walkers
from tests.body.kinematics.test_anatomy import X, Y, bending, posed
from tests.operations import making


def test_a_walk_is_not_touched():
    walk = walkers.WALK.clip()
    assert Limit()(walk) is walk


def test_knees_do_not_bend_backwards():
    clip = posed(LeftLeg=(-X, 60), RightLeg=(X, 60))
    step = Limit(soft_deg=0.0)
    (excess,) = find_excess(clip, step.find(clip))
    assert (excess.joint, excess.turn) == ("LeftLeg", "flexion")
    assert excess.worst_deg == pytest.approx(55.0, abs=0.1)
    assert find_excess(step(clip), step.find(clip)) == []


def test_softness_lets_a_joint_give_a_little():
    clip = posed(LeftLeg=(-X, 60), RightLeg=(X, 60))
    step = Limit(soft_deg=10.0, keep_feet=False)
    (excess,) = find_excess(step(clip), step.find(clip))
    assert 9.0 < excess.worst_deg < 10.0


def test_a_stiff_figure():
    clip = bending()
    assert Limit()(clip) is clip
    stiff = Limit(scale=0.5, soft_deg=0.0)(clip)
    assert np.rad2deg(rot.angle(stiff.rotations[-1, clip.skeleton.index("LeftLeg")])) == pytest.approx(77.5, abs=0.1)


def test_only_the_chosen_joints_are_limited():
    clip = posed(LeftLeg=(-X, 60), Head=(Y, 170), RightLeg=(X, 60))
    result = Limit(joints="head")(clip)
    knee = clip.skeleton.index("LeftLeg")
    assert np.array_equal(result.rotations[:, knee], clip.rotations[:, knee])
    assert not result.same_motion(clip)


@pytest.mark.parametrize("angles", ["vector", "ZXY"])
def test_limits_by_name(angles):
    clip = posed(LeftFoot=(X, 50), RightFoot=(X, 50))
    given = JointRange(joint="LeftFoot", x=(-5.0, 20.0), angles=angles)
    result = Limit(preset="none", limits=(given,), soft_deg=0.0, keep_feet=False)(clip)
    turned = np.rad2deg(rot.angle(result.rotations))
    assert turned[:, clip.skeleton.index("LeftFoot")].max() == pytest.approx(20.0)
    assert turned[:, clip.skeleton.index("RightFoot")].max() == pytest.approx(50.0)


def test_a_chain_takes_limits_by_name_but_no_preset():
    clip = making.pendulums()
    with pytest.raises(ParameterError, match="No part of this skeleton"):
        Limit()(clip)
    result = Limit(preset="none", limits=[{"joint": "bone2", "x": [-10, 10], "z": [-5, 5]}], soft_deg=0.0)(clip)
    vectors = np.rad2deg(rot.log(result.rotations[:, 2]))
    assert np.abs(vectors[:, 0]).max() < 10.001
    assert np.abs(vectors[:, 2]).max() < 5.001
    assert np.abs(vectors[:, 1]).max() > 5.0


def test_strength():
    clip = posed(LeftLeg=(-X, 65), RightLeg=(X, 60))
    half = Limit(amount=0.5, soft_deg=0.0, keep_feet=False)(clip)
    assert np.rad2deg(rot.angle(half.rotations[-1, clip.skeleton.index("LeftLeg")])) == pytest.approx(35.0, abs=0.1)


def test_what_cannot_be_limited_is_said():
    walk = making.walker()
    with pytest.raises(ParameterError, match="no limit for any of the chosen joints"):
        Limit(preset="none")(walk)
    with pytest.raises(UnknownNameError, match="LeftFoot"):
        Limit(limits=[{"joint": "LeftFoott", "x": [0, 1]}])(walk)
    with pytest.raises(ParameterError, match="the lesser first"):
        Limit(limits=[{"joint": "Head", "x": [10, -10]}])
    with pytest.raises(ParameterError, match="limits"):
        Limit(limits=[{"joint": "Head", "x": [10, 20, 30]}])


def test_capture_defects_are_brought_back(shared_data):
    clip = read(shared_data / "cmu" / "74_05.bvh")[1:]
    step = Limit()
    before = find_excess(clip, step.find(clip))
    assert before[0].worst_deg > 100.0
    assert find_excess(step(clip), step.find(clip))[0].worst_deg <= 5.0


def test_limited_legs_keep_their_feet_within_the_limits(shared_data):
    walk, step = read(shared_data / "cmu" / "82_12.bvh")[1:], Limit(scale=0.5)
    bare, kept = step.model_copy(update={"keep_feet": False})(walk), step(walk)
    ground = find_ground(walk)
    contacts = find_stances(walk, ground)
    assert find_excess(kept, step.find(walk))[0].worst_deg <= step.soft_deg
    slides = [measure(each, ground=ground, contacts=contacts)["foot_slide_mm"] for each in (bare, kept)]
    assert slides[1] < 0.3 * slides[0]


def test_someone_who_may_crouch_less_stays_above_the_floor(shared_data):
    """Legs that may bend less are longer: feet went 11 cm into the floor, and 22 cm under a human's own limits."""
    for name, scale in (("hdm05/HDM_bd_depositFloorR_001_120.amc", 0.8), ("odd_bvh/20tab_mocapbank.bvh", 1.0)):
        clip = kt.read(shared_data / name)
        ground = find_ground(clip)
        limited = kt.Limit(scale=scale)(clip)
        deepest = [find_depth(each, ground.floor, ground).max() for each in (clip, limited)]
        assert deepest[1] < deepest[0] + 1e-4
        bare = kt.Limit(scale=scale, keep_feet=False)(clip)
        assert find_depth(bare, ground.floor, ground).max() > deepest[0] + 0.08
