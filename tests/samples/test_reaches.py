import numpy as np
import pytest
from tools.samples import balance, reaches
from tools.samples.curves import min_jerk
from tools.samples.figure import ARM

from kinetune import rotations as rot
from kinetune.samples import sample, samples
from tests.samples.anatomy import angles

SETS = {
    "reach": list(reaches.reaches()),
    "point": list(reaches.pointings()),
    "grasp": list(reaches.grasps()),
    "pour": list(reaches.pourings()),
}
ALL = [(f"{kind}-{k:02}", plan) for kind, plans in SETS.items() for k, plan in enumerate(plans, start=1)]


def hand(name):
    return sample(name).joint("RightHand").positions


def test_the_hand_arrives_at_its_goal():
    for name, plan in ALL:
        assert np.linalg.norm(hand(name)[-1] - plan.goal) < 1e-4, name
        assert sample(name).markers[-1].frame == len(sample(name)) - 1, name


def test_the_path_is_nearly_straight():
    for name, _ in ALL:
        path = hand(name)
        way = path[-1] - path[0]
        along = np.outer((path - path[0]) @ way / (way @ way), way)
        aside = np.linalg.norm(path - path[0] - along, axis=-1).max()
        assert 0.01 < aside / np.linalg.norm(way) < 0.06, name


def test_the_hand_moves_with_minimum_jerk():
    """One bell of speed: 1.875 times the mean at its peak, in the middle of the move."""
    for name, plan in ALL:
        clip = sample(name)
        path = hand(name)
        done = np.linalg.norm(path - path[0], axis=-1) / np.linalg.norm(path[-1] - path[0])
        start, end = 0.10, plan.seconds * plan.arrive[0]
        assert np.abs(done - min_jerk((clip.times - start) / (end - start))).max() < 0.06, name
        speed = np.linalg.norm(np.diff(path, axis=0), axis=-1)
        assert speed[0] < 0.02 * speed.max(), name
        assert speed[-1] < 0.03 * speed.max(), name


def test_the_elbow_is_never_straight():
    for name, _ in ALL:
        assert angles(sample(name))["Right elbow flexion"].min() > 10, name


@pytest.mark.parametrize("kind", SETS)
def test_examples_of_a_set_fit_together(kind):
    """All of one length, from one starting pose, so that they can be blended frame by frame."""
    clips = [sample(name) for name in samples() if name.startswith(f"{kind}-")]
    assert len({len(clip) for clip in clips}) == 1
    for clip in clips[1:]:
        assert np.degrees(rot.angle_between(clip.rotations[0], clips[0].rotations[0])).max() < 1.5
        assert np.linalg.norm(clip.root[0] - clips[0].root[0]) < 1e-9


def test_reaches_surround_the_shoulder():
    goals = np.array([plan.goal for plan in SETS["reach"]]) - reaches.SHOULDER
    distance = np.linalg.norm(goals, axis=-1) / ARM
    assert distance.min() < 0.8
    assert distance.max() > 1.15
    azimuth = np.degrees(np.arctan2(-goals[:, 0], goals[:, 2]))
    elevation = np.degrees(np.arcsin(goals[:, 1] / np.linalg.norm(goals, axis=-1)))
    assert np.ptp(azimuth) > 90
    assert np.ptp(elevation) > 70
    apart = np.linalg.norm(goals[:, None] - goals, axis=-1) + np.eye(len(goals))
    assert apart.min() > 0.12


def test_the_trunk_helps_the_more_the_farther_the_goal():
    """Nearly nothing within 0.8 arm lengths, 10 degrees and more beyond 1.1."""
    for k, plan in enumerate(SETS["reach"], start=1):
        clip = sample(f"reach-{k:02}")
        chest = clip.world_rotations()[:, clip.skeleton.index("Spine2")]
        leaned = np.degrees(rot.angle_between(chest[0], chest[-1]))
        distance = np.linalg.norm(np.array(plan.goal) - reaches.SHOULDER) / ARM
        if distance < 0.82:
            assert leaned < 16
        else:
            assert leaned > 9


def test_eyes_lead_the_hand():
    clip = sample("reach-13")
    head = clip.world_rotations()[:, clip.skeleton.index("Head")]
    turned = rot.angle_between(head[:1], head)
    path = np.linalg.norm(hand("reach-13") - hand("reach-13")[0], axis=-1)
    half_way = [int(np.argmax(curve > 0.5 * curve[-1])) for curve in (turned, path)]
    assert half_way[1] - half_way[0] >= 6  # a tenth of a second


def test_pointing_fingers_point_where_they_should():
    """Within the wrist's freedom: fingers within 30 degrees of the line from the shoulder."""
    for k, plan in enumerate(SETS["point"], start=1):
        clip = sample(f"point-{k:02}")
        fingers = rot.rotate(clip.world_rotations()[-1, clip.skeleton.index("RightHand")], np.array([-1.0, 0, 0]))
        line = np.array(plan.goal) - reaches.SHOULDER
        assert fingers @ line / np.linalg.norm(line) > np.cos(np.radians(30))


def test_pouring_tips_the_hand_after_it_has_arrived():
    for k, plan in enumerate(SETS["pour"], start=1):
        clip = sample(f"pour-{k:02}")
        thumb = rot.rotate(clip.world_rotations()[:, clip.skeleton.index("RightHand")], np.array([0, 0, 1.0]))
        tilt = np.degrees(np.arccos(np.clip(thumb[:, 1], -1, 1)))
        assert tilt[0] < 25
        assert tilt[-1] > tilt[0] or plan.hand[0] < 25
        arrived = round(plan.arrive[0] * plan.seconds * clip.fps)
        assert np.linalg.norm(hand(f"pour-{k:02}")[arrived] - plan.goal) < 0.002
    assert max(plan.hand[0] for plan in SETS["pour"]) > 60


def test_grasping_hands_are_turned_in_many_ways():
    turned = np.array([sample(f"grasp-{k:02}").world_rotations()[-1, 13] for k in range(1, 16)])
    apart = np.degrees(rot.angle_between(turned[:, None], turned))
    assert apart.max() > 60


def test_the_weight_stays_over_the_feet():
    for name, _ in ALL:
        clip = sample(name)
        points, _, _ = balance.pressure_points(clip)
        assert np.linalg.norm(balance.outside_feet(clip, points), axis=-1).max() < 0.01, name


def test_far_goals_ask_for_more_help_than_the_rule():
    near = reaches.Reach((-0.2, 1.3, 0.35))
    assert reaches._enough_help(near, np.array(near.goal)) == 1.0
    far = reaches.Reach(tuple(reaches.toward(62.0, 38.0, 0.72)))
    assert reaches._enough_help(far, np.array(far.goal)) > 1.0
