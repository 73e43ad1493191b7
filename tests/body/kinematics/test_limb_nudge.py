import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_nudge import nudge_limb
from kinetune.errors import ParameterError
from tests.operations import making

LEG = ("LeftUpLeg", "LeftLeg", "LeftFoot")


def joints(clip):
    return [clip.skeleton.index(name) for name in LEG]


def ankle(clip):
    return clip.joint("LeftFoot").positions


def test_a_goal_that_is_met_changes_nothing():
    clip = making.walker()
    result, miss = nudge_limb(clip, *joints(clip), ankle(clip))
    assert result.same_motion(clip, 1e-7)
    assert miss.max() < 1e-9


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.floats(-0.03, 0.03)] * 3))
def test_a_goal_within_reach_is_met_and_bones_keep_their_lengths(shift):
    clip = making.walker(61)
    goal = ankle(clip) + shift + [0.0, 0.06, 0.0]
    result, miss = nudge_limb(clip, *joints(clip), goal)
    assert miss.max() < 1e-9
    assert np.allclose(ankle(result), goal)
    assert rot.angle_between(result.world_rotations(), clip.world_rotations())[:, joints(clip)[2]].max() < 1e-7
    others = [j for j in range(len(clip.skeleton)) if j not in joints(clip)]
    assert np.allclose(result.rotations[:, others], clip.rotations[:, others])


def test_the_foot_turns_on_request():
    clip = making.walker(61)
    wanted = np.broadcast_to(rot.exp([0.1, 0.2, 0.0]), (61, 4))
    result, _ = nudge_limb(clip, *joints(clip), ankle(clip), end_turn=wanted)
    assert rot.angle_between(result.world_rotations()[:, joints(clip)[2]], wanted).max() < 1e-7


def stretching(lateral=1e-6):
    """A leg whose knee comes to 8 degrees beyond straight and goes back, bent sideways by next to nothing."""
    flexion = np.deg2rad(np.concatenate([np.linspace(30, -8, 40), np.linspace(-8, 30, 40)]))
    clip = making.walker(1)
    rotations = np.repeat(clip.rotations, 80, axis=0)
    rotations[:, clip.skeleton.index("LeftLeg")] = rot.multiply(
        rot.from_axis_angle((1.0, 0.0, 0.0), flexion), rot.exp([0.0, 0.0, lateral])
    )
    return Clip(clip.skeleton, 60.0, np.repeat(clip.root, 80, axis=0), rotations)


@pytest.mark.parametrize("lateral", [0.0, 1e-9, 1e-3])
@pytest.mark.parametrize("up", [0.0, 0.003, 0.02])
def test_a_knee_that_passes_the_straight_line_does_not_jump(lateral, up):
    clip = stretching(lateral)
    result, miss = nudge_limb(clip, *joints(clip), ankle(clip) + np.array([0.0, up, 0.0]))
    steps = np.rad2deg(rot.angle_between(result.rotations[1:], result.rotations[:-1])).max(axis=0)
    assert steps[joints(clip)].max() < 6.0
    assert miss.max() < 0.006


def test_out_of_reach_it_stretches_towards_the_goal():
    clip = making.walker(30)
    goal = ankle(clip) + np.array([0.0, -0.5, 0.0])
    result, miss = nudge_limb(clip, *joints(clip), goal)
    hip = clip.joint("LeftUpLeg").positions
    reach = np.linalg.norm(ankle(result) - hip, axis=-1)
    assert np.all(reach > 0.99 * (making.THIGH + making.SHANK))
    assert np.allclose(miss, np.linalg.norm(goal - ankle(result), axis=-1))


def test_joints_in_another_order_are_refused():
    clip = making.walker(3)
    with pytest.raises(ParameterError, match='"LeftLeg", "LeftUpLeg", "LeftFoot" do not follow each other'):
        nudge_limb(clip, *(clip.skeleton.index(n) for n in ("LeftLeg", "LeftUpLeg", "LeftFoot")), ankle(clip))
