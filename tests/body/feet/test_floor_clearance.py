import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, find_ground
from kinetune.body.feet.floor_clearance import find_depth, keep_hands_out, lift_above_floor
from kinetune.body.kinematics.forward import tips
from kinetune.body.quality.measures import mean_jerk, measure
from kinetune.errors import ParameterError
from kinetune.formats import read
from tests.body import walkers
from tests.body.feet.test_planting import skating
from tests.operations import making

FLAT = Floor(0.0)


def lowest(clip):
    """The lowest joint or end site, (frames,); written out here beside find_depth."""
    heights = clip.positions()[..., 1].min(axis=1)
    return np.minimum(heights, tips(clip)[..., 1].min(axis=1)) if clip.skeleton.end_sites else heights


def sunk(by=0.03, **kind):
    walk = walkers.WALK.clip(**kind)
    return walk, skating(walk, along=0.0, up=by)


# --- what it does


@pytest.mark.parametrize("figure", [walkers.skeleton(), walkers.skeleton(toes=False), walkers.skeleton(sites=False)])
@pytest.mark.parametrize("fps", [30.0, 120.0])
@pytest.mark.parametrize("lift", ["limbs", "figure"])
def test_nothing_is_below_the_floor(figure, fps, lift):
    walk, clip = sunk(fps=fps, figure=figure)
    ground = find_ground(walk)
    assert find_depth(clip, ground.floor, ground).max() > 0.02
    result = lift_above_floor(clip, ground=ground, lift=lift)
    assert find_depth(result, ground.floor, ground).max() < 1e-6
    assert measure(result, ground=ground)["penetration_mm"] < 0.001


def test_what_is_above_the_floor_is_left_as_it_is():
    clip = making.walker()
    assert lift_above_floor(clip) is clip
    raised = clip.replace(root=clip.root + np.array([0.0, 1.0, 0.0]))
    assert lift_above_floor(raised, floor=0.0) is raised


def test_again_changes_nothing():
    walk, clip = sunk()
    once = lift_above_floor(clip, ground=find_ground(walk))
    assert lift_above_floor(once, ground=find_ground(walk)).same_motion(once, 1e-6)


def test_frames_far_from_the_floor_keep_their_bits():
    clip = walkers.stand(240, 60.0)
    ground = find_ground(clip)
    dip = np.zeros((240, 3))
    dip[100:140, 1] = -0.04 * np.sin(np.linspace(0.0, np.pi, 40)) ** 2
    result = lift_above_floor(clip.replace(root=clip.root + dip), ground=ground)
    assert np.array_equal(result.rotations[:60], clip.rotations[:60])
    assert np.array_equal(result.rotations[180:], clip.rotations[180:])
    assert np.array_equal(result.root, clip.root + dip)


def test_feet_are_lifted_straight_up_and_keep_their_turn():
    walk, clip = sunk()
    result = lift_above_floor(clip, ground=find_ground(walk))
    assert np.array_equal(result.root, clip.root)
    for name in ("LeftFoot", "RightFoot"):
        moved = result.joint(name).positions - clip.joint(name).positions
        assert np.abs(moved[:, [0, 2]]).max() < 1e-9
        assert moved[:, 1].min() > -1e-9
        joint = clip.skeleton.index(name)
        assert rot.angle_between(result.world_rotations()[:, joint], clip.world_rotations()[:, joint]).max() < 1e-7


@pytest.mark.slow
def test_lifts_are_smooth():
    walk, clip = sunk(0.05)
    result = lift_above_floor(clip, ground=find_ground(walk))
    assert mean_jerk(result) < 1.2 * mean_jerk(clip)
    assert measure(result, ground=find_ground(walk))["flips"] == 0


def test_toes_bend_before_the_foot_is_lifted():
    clip = walkers.stand(60, 60.0)
    ground = find_ground(clip)
    rotations = np.array(clip.rotations)
    toes = clip.skeleton.index("LeftToeBase")
    rotations[:, toes] = rot.from_axis_angle((1.0, 0.0, 0.0), np.full(60, 0.3))
    result = lift_above_floor(clip.replace(rotations=rotations), ground=ground)
    assert np.allclose(result.joint("LeftFoot").positions, clip.joint("LeftFoot").positions, atol=1e-6)
    assert rot.angle(result.rotations[:, toes]).max() < 0.02
    assert find_depth(result, ground.floor, ground).max() < 1e-6


def test_hands_are_lifted_by_their_arms():
    clip = making.walker(60)
    rotations = np.array(clip.rotations)
    rotations[:, clip.skeleton.index("Spine")] = rot.exp([1.6, 0.0, 0.0])
    arm, fore = clip.skeleton.index("LeftArm"), clip.skeleton.index("LeftForeArm")
    rotations[:, arm] = rot.exp([0.0, -1.4, 0.0])
    rotations[:, fore] = rot.exp([0.0, -0.3, 0.0])
    reaching = clip.replace(rotations=rotations, root=clip.root - np.array([0.0, 0.45, 0.0]), contacts=clip.contacts)
    assert lowest(reaching)[30] < -0.02
    hand = clip.skeleton.index("LeftHand")
    result = lift_above_floor(reaching, floor=0.0)
    assert lowest(result).min() > -1e-6
    moved = result.positions()[:, hand] - reaching.positions()[:, hand]
    assert np.all(moved[:, 1] >= -1e-9)


def test_a_knee_in_the_floor_lifts_the_figure():
    clip = walkers.stand(90, 60.0)
    rotations = np.array(clip.rotations)
    for side in ("Left", "Right"):
        rotations[:, clip.skeleton.index(f"{side}Leg")] = rot.exp([2.2, 0.0, 0.0])
        rotations[:, clip.skeleton.index(f"{side}UpLeg")] = rot.identity()
    kneeling = clip.replace(rotations=rotations, root=clip.root * [1.0, 0.0, 1.0] + np.array([0.0, 0.40, 0.0]))
    result = lift_above_floor(kneeling, floor=0.0)
    assert np.all(result.root[:, 1] - kneeling.root[:, 1] > 0.02)
    assert lowest(result).min() > -1e-6


@pytest.mark.parametrize("clearance", [0.02, -0.005])
def test_clearance_keeps_a_distance_or_lets_soles_sink(clearance):
    walk, clip = sunk()
    ground = find_ground(walk)
    result = lift_above_floor(clip, ground=ground, clearance=clearance)
    above = [ground.floor.above(foot.positions(result)).min() for foot in ground.feet]
    assert min(above) == pytest.approx(clearance, abs=1e-6)


def test_strength_lifts_in_part():
    walk, clip = sunk()
    ground = find_ground(walk)
    before = find_depth(clip, ground.floor, ground).max()
    half = find_depth(lift_above_floor(clip, ground=ground, strength=0.5), ground.floor, ground).max()
    assert 0.4 * before < half < 0.6 * before
    assert lift_above_floor(clip, strength=0.0) is clip


@pytest.mark.slow
def test_a_floor_that_leans():
    walk, clip = sunk()
    leaning = Floor(0.0, (0.01, 0.03), (0.0, 1.0))
    result = lift_above_floor(clip, ground=find_ground(walk), floor=leaning)
    assert find_depth(result, leaning, find_ground(walk)).max() < 1e-6


# --- figures of other kinds


def test_a_figure_without_feet_needs_a_floor():
    clip = making.pendulums()
    with pytest.raises(ParameterError, match="floor_m"):
        lift_above_floor(clip)
    floor = float(lowest(clip).min()) + 0.1
    result = lift_above_floor(clip, floor=floor)
    assert lowest(result).min() >= floor - 1e-6
    assert np.array_equal(result.rotations, clip.rotations)


def test_several_roots_rise_together():
    clip = making.two_roots()
    result = lift_above_floor(clip, floor=0.3)
    assert lowest(result).min() >= 0.3 - 1e-6
    assert np.allclose(np.diff(result.positions()[:, [0, 2]], axis=1), np.diff(clip.positions()[:, [0, 2]], axis=1))


def test_a_root_that_stands_still_stays():
    clip = making.still_root()
    result = lift_above_floor(clip, floor=0.05, lift="figure")
    assert np.array_equal(result.root, clip.root)
    assert result.joint("LeftFoot").positions[:, 1].min() > 0.05


def test_a_root_below_the_floor_is_no_part_of_the_body():
    """Upstairs, above a root that stays at the origin."""
    walk = walkers.WALK.clip()
    upstairs = making.below_still_root(walk.replace(root=walk.root + np.array([0.0, 2.5, 0.0])))
    ground = find_ground(upstairs)
    assert ground.floor.height > 2.0
    assert find_depth(upstairs, ground.floor, ground).max() < 0.01
    assert measure(upstairs)["penetration_mm"] < 10.0


def test_a_t_pose_in_front_is_left_alone():
    walk, clip = sunk(0.02)
    pose = np.tile(rot.from_axis_angle((0.0, 0.0, 1.0), np.array(1.5)), (len(walk.skeleton), 1))
    with_pose = Clip(
        clip.skeleton,
        clip.fps,
        np.concatenate([[[0.0, -0.5, 0.0]], clip.root]),
        np.concatenate([pose[None], clip.rotations]),
    )
    result = lift_above_floor(with_pose, ground=find_ground(walk))
    assert np.array_equal(result.root[0], with_pose.root[0])
    assert np.array_equal(result.rotations[0], with_pose.rotations[0])
    assert np.abs(result.root[1:] - clip.root).max() < 0.05


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_few_frames_work(frames):
    clip = making.walker(frames)
    result = lift_above_floor(clip, floor=0.05)
    assert lowest(result).min() >= 0.05 - 1e-6


@pytest.mark.parametrize("knobs", [{"clearance": -1.0}, {"blend_s": np.inf}, {"strength": 2.0}])
def test_numbers_out_of_range_are_refused(knobs):
    with pytest.raises(ParameterError, match=next(iter(knobs))):
        lift_above_floor(making.walker(), **knobs)


@pytest.mark.parametrize(
    "name",
    ["cmu/82_12.bvh", "cmu/143_18.bvh", "accad/Male1_A5_PickUpBox.bvh", "hdm05/HDM_bd_depositFloorR_001_120.amc"],
)
def test_captures_come_out_of_the_floor(shared_data, name):
    clip = read(shared_data / name)
    clip = clip[1:] if name.startswith("cmu/") else clip
    ground = find_ground(clip)
    result = lift_above_floor(clip, ground=ground)
    assert find_depth(clip, ground.floor, ground).max() > 0.01
    assert find_depth(result, ground.floor, ground).max() < 1e-4
    assert mean_jerk(result) < 1.05 * mean_jerk(clip)
    assert measure(result, ground=ground)["flips"] <= measure(clip, ground=ground)["flips"]


# --- hands after an edit


def hand_heights(clip):
    """Of the lowest joint of both hands, (frames,)."""
    below = [j for side in ("left", "right") for j in clip.skeleton.subtree(clip.skeleton.roles[f"{side} hand"])]
    return clip.positions()[:, below, 1].min(axis=1)


def test_hands_that_rest_on_the_floor_do_not_sink_when_they_swing_farther():
    walk = making.walker(121)
    floor = Floor(float(hand_heights(walk).min()))
    edited = kt.Equalize(preset="exaggerate", amount=2.0, joints="arms", keep_feet=False)(walk)
    assert hand_heights(edited).min() < floor.height - 0.005
    out = keep_hands_out(edited, walk, floor)
    assert hand_heights(out).min() > floor.height - 1e-5
    others = [j for j in range(len(walk.skeleton)) if j not in set(walk.skeleton.select("arms"))]
    assert np.array_equal(out.rotations[:, others], edited.rotations[:, others])
    assert keep_hands_out(edited, walk, Floor(floor.height - 0.5)) is edited
    assert keep_hands_out(edited, edited, floor) is edited  # as deep as before


@pytest.mark.parametrize("name", ["depositFloorR_001", "depositFloorR_003"])
def test_an_exaggerated_capture_puts_its_hand_on_the_floor_and_not_into_it(shared_data, name):
    clip = read(shared_data / "hdm05" / f"HDM_bd_{name}_120.amc")
    ground = find_ground(clip)
    edited = kt.Equalize(preset="exaggerate")(clip)
    hand = clip.skeleton.subtree(clip.skeleton.roles["right hand"])
    heights = ground.floor.above(edited.positions()[:, list(hand)])
    assert -1e-3 < heights.min() < 0.05
    assert edited.contacts is not None
