import numpy as np
import pytest
from tools.samples import balance

from kinetune import rotations as rot
from kinetune.samples import sample
from tests.samples.anatomy import angles
from tests.samples.soles import sole_points

TAKES = ("kick-1", "kick-2")


def moment(clip, name):
    return next(m.frame for m in clip.markers if m.name == name)


def turning(clip, joint):
    world = clip.world_rotations()[:, clip.skeleton.index(joint)]
    return np.degrees(rot.angle_between(world[1:], world[:-1])) * clip.fps


@pytest.mark.parametrize("name", TAKES)
def test_the_foot_is_fast_and_high_at_the_kick(name):
    clip = sample(name)
    foot = clip.joint("RightFoot").positions
    speed = np.linalg.norm(np.diff(foot, axis=0), axis=-1) * clip.fps
    hit = moment(clip, "kick")
    assert 10 < speed.max() < 16
    assert abs(int(np.argmax(foot[:, 1])) - hit) < 6
    assert 0.9 < foot[hit, 1] < 1.5
    assert 0 < hit - int(np.argmax(speed)) < 0.12 * clip.fps
    assert foot[hit, 2] > foot[0, 2] + 1.0


@pytest.mark.parametrize("name", TAKES)
def test_motion_runs_from_the_pelvis_to_the_foot(name):
    clip = sample(name)
    hit = moment(clip, "kick")
    order = [int(np.argmax(turning(clip, joint)[:hit])) for joint in ("Hips", "RightUpLeg", "RightLeg")]
    assert order[0] <= order[1] < order[2]


@pytest.mark.parametrize("name", TAKES)
def test_the_knee_whips_out_and_folds_again(name):
    clip = sample(name)
    knee = angles(clip)["Right knee flexion"]
    hit = moment(clip, "kick")
    assert knee[hit - 25 : hit].max() > 100
    assert knee[hit] < 20
    assert knee[hit : hit + 30].max() > 95
    assert 900 < np.abs(np.diff(knee)).max() * clip.fps < 1450


@pytest.mark.parametrize("name", TAKES)
def test_the_standing_foot_turns_on_its_ball(name):
    clip = sample(name)
    ball = clip.joint("LeftToeBase").positions
    assert np.ptp(ball, axis=0).max() < 1e-6
    heading = np.unwrap(rot.heading(clip.world_rotations()[:, clip.skeleton.index("LeftFoot")]))
    assert 90 < np.degrees(np.ptp(heading)) < 150
    assert clip.contacts.flags[:, 0].all()


@pytest.mark.parametrize("name", TAKES)
def test_the_weight_is_carried_by_the_standing_foot(name):
    clip = sample(name)
    points, _, _ = balance.pressure_points(clip)
    outside = np.linalg.norm(balance.outside_feet(clip, points), axis=-1)
    assert outside.mean() < 0.05
    hit = moment(clip, "kick")
    away = clip.root[hit] - clip.joint("LeftToeBase").positions[hit]
    assert np.hypot(away[0], away[2]) < 0.12


@pytest.mark.parametrize("name", TAKES)
def test_there_is_room_to_splice_another_kick(name):
    """The foot is in the air long enough before and after the kick for two takes to be joined there."""
    clip = sample(name)
    high = sole_points(clip, "Right")[..., 1].min(axis=1) > 0.2
    hit = moment(clip, "kick")
    assert high[hit - round(0.17 * clip.fps) : hit + round(0.2 * clip.fps)].all()
    assert hit > 0.8 * clip.fps
    assert len(clip) - hit > 0.9 * clip.fps


def test_the_takes_differ_in_timing_and_height():
    first, second = (sample(name) for name in TAKES)
    height = [clip.joint("RightFoot").positions[:, 1].max() for clip in (first, second)]
    assert height[1] - height[0] > 0.1
    spans = [moment(c, "right foot lands") - moment(c, "right foot leaves") for c in (first, second)]
    assert spans[1] > 1.08 * spans[0]


@pytest.mark.parametrize("name", TAKES)
def test_it_begins_and_ends_in_guard(name):
    clip = sample(name)
    hands = [clip.joint(f"{side}Hand").positions for side in ("Left", "Right")]
    for path in hands:
        assert path[0, 1] > 1.2
        assert path[-1, 1] > 1.2
    assert np.degrees(rot.angle_between(clip.rotations[0], clip.rotations[-1])).max() < 12
    assert np.linalg.norm(np.diff(clip.root, axis=0), axis=-1)[[0, -1]].max() * clip.fps < 0.09
