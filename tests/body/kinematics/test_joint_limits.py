import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.joint_limits import AxisLimit, JointLimit, find_excess, limit_joints, soft_clamp
from tests.operations import making

SEEDS = st.integers(0, 10_000)
WORDS = ("flexion", "rotation", "abduction")


def radians(*degrees):
    return tuple((float(np.deg2rad(a)), float(np.deg2rad(b))) for a, b in degrees)


def some_limit(seed=0, twist=1, joint=1):
    above, own = rot.exp(np.random.default_rng(seed).normal(size=(2, 3))).tolist()
    return JointLimit(joint, WORDS, radians((-30, 60), (-20, 40), (-45, 25)), twist, tuple(above), tuple(own))


def turning(turns, limit, fps=60.0):
    """A chain whose joint turns as the limit reads it."""
    frames = len(turns)
    rotations = rot.identity(frames, 4)
    rotations[:, limit.joint] = limit.write(turns)
    return Clip(making.chain(4), fps, np.zeros((frames, 3)), rotations)


# --- the shape of a limit


@given(st.floats(-9, 9), st.floats(0.01, 2))
def test_inside_nothing_changes_and_outside_it_gives_by_less_than_the_softness(value, soft):
    clamped = float(soft_clamp(np.array(value), -1.0, 2.0, soft))
    if -1.0 <= value <= 2.0:
        assert clamped == value
    else:
        assert -1.0 - soft <= clamped <= 2.0 + soft
        assert abs(clamped - np.clip(value, -1.0, 2.0)) > 0.0


def test_it_is_smooth_where_it_begins_and_never_turns_back():
    x = np.linspace(-3.0, 3.0, 6001)
    y = soft_clamp(x, -1.0, 1.0, 0.3)
    slope = np.diff(y) / np.diff(x)
    assert slope.min() > 0.0
    assert np.abs(np.diff(slope)).max() < 0.01
    assert np.array_equal(soft_clamp(x, -1.0, 1.0, 0.0), np.clip(x, -1.0, 1.0))


# --- readings


@pytest.mark.slow
@given(SEEDS, st.sampled_from([0, 1, 2]))
def test_reading_and_writing_are_inverse(seed, twist):
    rng = np.random.default_rng(seed)
    limit = some_limit(seed, twist)
    q = rot.exp(rng.normal(size=(30, 3)) * 1.5)
    assert rot.angle_between(limit.write(limit.read(q)), q).max() < 1e-7


@pytest.mark.slow
@given(SEEDS)
def test_the_sign_of_a_quaternion_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    limit = some_limit(seed)
    q = rot.exp(np.cumsum(rng.normal(size=(40, 3)) * 0.2, axis=0))
    assert np.allclose(limit.read(q), limit.read(q * rng.choice([-1.0, 1.0], (40, 1))))


def test_a_plain_hinge_reads_its_angle():
    limit = JointLimit(0, WORDS, radians((-5, 150), (-9, 9), (-9, 9)), 0)
    angles = np.deg2rad(np.linspace(-40, 170, 50))
    turns = limit.read(rot.from_axis_angle((1.0, 0.0, 0.0), angles))
    assert np.allclose(turns, angles[:, None] * [1.0, 0.0, 0.0], atol=1e-7)


def test_a_joint_bent_past_half_a_turn_is_not_taken_for_one_bent_the_other_way():
    limit = JointLimit(0, WORDS, radians((-5, 150), (-9, 9), (-9, 9)), 0)
    angles = np.deg2rad(np.concatenate([np.linspace(0, 200, 60), np.linspace(200, 0, 60)]))
    assert np.allclose(limit.read(rot.from_axis_angle((1.0, 0.0, 0.0), angles))[:, 0], angles)


# --- limits at work


@pytest.mark.parametrize("twist", [0, 1, 2])
@pytest.mark.parametrize("soft", [0.0, 0.1])
def test_within_the_limits_nothing_changes(twist, soft):
    limit = some_limit(3, twist)
    t = np.linspace(0.0, 6.0, 200)[:, None]
    clip = turning(np.deg2rad(np.concatenate([17 * np.sin(t), 14 * np.cos(2 * t), 13 * np.sin(3 * t)], axis=1)), limit)
    assert limit_joints(clip, [limit], soft=soft) is clip


@pytest.mark.slow
@given(SEEDS, st.sampled_from([0, 1, 2]))
def test_the_result_is_within_the_limits(seed, twist):
    rng = np.random.default_rng(seed)
    limit = some_limit(seed, twist)
    clip = turning(np.deg2rad(rng.uniform(-140, 140, (40, 3))), limit)
    turns = limit.read(limit_joints(clip, [limit]).rotations[:, 1])
    ranges = np.array(limit.ranges)
    assert np.all((turns > ranges[:, 0] - 1e-6) & (turns < ranges[:, 1] + 1e-6))
    cone = [axis for axis in range(3) if axis != twist]
    radius = np.where(turns[:, cone] < 0, -ranges[cone, 0], ranges[cone, 1])
    assert np.all(np.sum((turns[:, cone] / radius) ** 2, axis=1) < 1 + 1e-6)


@pytest.mark.slow
@given(SEEDS)
def test_limiting_twice_is_limiting_once(seed):
    rng = np.random.default_rng(seed)
    limit = some_limit(seed)
    once = limit_joints(turning(np.deg2rad(rng.uniform(-120, 120, (30, 3))), limit), [limit])
    assert limit_joints(once, [limit]).same_motion(once, 1e-6)


@pytest.mark.parametrize("reach", [80.0, 170.0, 230.0])
@pytest.mark.parametrize("soft", [0.0, 0.1])
def test_smooth_motion_stays_smooth(reach, soft):
    """Also where it goes far beyond the limit, and past half a turn."""
    limit = some_limit(5)
    t = np.linspace(0.0, 2 * np.pi, 400)
    swing = np.deg2rad(reach) * np.stack([np.sin(t), 0 * t, 0.3 * np.sin(t)], axis=-1)
    clip = turning(swing, limit)
    result = limit_joints(clip, [limit], soft=soft)
    before, after = (rot.angle_between(c.rotations[1:, 1], c.rotations[:-1, 1]).max() for c in (clip, result))
    assert after < 1.5 * before


def test_a_joint_that_turns_round_and_round_comes_to_no_flip():
    limit = JointLimit(1, WORDS, radians((-30, 60), (-60, 60), (-45, 25)), 1)
    spin = np.zeros((360, 3))
    spin[:, 1] = np.linspace(0.0, 4 * np.pi, 360)
    q = rot.exp(spin)
    clip = Clip(making.chain(4), 60.0, np.zeros((360, 3)), np.stack([rot.identity(360), q, q, q], axis=1))
    result = limit_joints(clip, [limit])
    assert np.rad2deg(rot.angle_between(result.rotations[1:, 1], result.rotations[:-1, 1])).max() < 6.0
    assert np.rad2deg(rot.angle(result.rotations[:, 1])).max() < 61.0


def test_strength_goes_part_of_the_way():
    limit = some_limit(1)
    clip = turning(np.tile(np.deg2rad([100.0, 0.0, 0.0]), (5, 1)), limit)
    half = limit.read(limit_joints(clip, [limit], strength=0.5).rotations[:, 1])
    assert np.allclose(np.rad2deg(half[:, 0]), 80.0)


def test_a_free_axis_is_free():
    limit = JointLimit(1, WORDS, ((-0.5, 0.5), (-np.inf, np.inf), (-0.5, 0.5)), 1)
    spin = np.zeros((200, 3))
    spin[:, 1] = np.linspace(0.0, 3 * np.pi, 200)
    clip = turning(spin, limit)
    assert limit_joints(clip, [limit]) is clip
    assert find_excess(clip, [limit]) == []


def test_contacts_and_other_joints_stay():
    walk = making.walker()
    limit = JointLimit(walk.skeleton.index("LeftLeg"), WORDS, radians((-5, 20), (-9, 9), (-9, 9)), 0)
    result = limit_joints(walk, [limit])
    assert result.contacts == walk.contacts
    others = [joint for joint in range(len(walk.skeleton)) if joint != limit.joint]
    assert np.array_equal(result.rotations[:, others], walk.rotations[:, others])


def test_the_excess_is_measured():
    limit = some_limit(2)
    turns = np.zeros((10, 3))
    turns[4, 0], turns[6, 0] = np.deg2rad([70.0, 85.0])
    (excess,) = find_excess(turning(turns, limit), [limit])
    assert (excess.joint, excess.turn, excess.frame) == ("bone1", "flexion", 6)
    assert excess.share == pytest.approx(0.2)
    assert excess.worst_deg == pytest.approx(25.0)


# --- limits on a file's own axes


@pytest.mark.parametrize("order", ["", "XYZ", "ZXY", "YZX"])
def test_own_axes_are_bounded_one_by_one(order):
    axis = "y"
    letters = order.lower() or "xyz"
    ranges = tuple((-0.3, 0.2) if letter == axis else None for letter in letters)
    limit = AxisLimit(1, ranges, order, tuple(rot.exp([0.3, -0.2, 0.5]).tolist()))
    t = np.linspace(0.0, 6.0, 120)
    turns = np.stack([0.4 * np.sin(t), 0.6 * np.cos(2 * t), 0.5 * np.sin(3 * t)], axis=-1)
    clip = turning(turns, limit)
    result = limit_joints(clip, [limit])
    read = limit.read(result.rotations[:, 1])
    wanted = turns.copy()
    column = letters.index(axis)
    wanted[:, column] = np.clip(wanted[:, column], -0.3, 0.2)
    assert np.allclose(read, wanted, atol=1e-7)
    inside = (turns[:, column] > -0.3) & (turns[:, column] < 0.2)
    assert np.array_equal(result.rotations[inside, 1], clip.rotations[inside, 1])


@pytest.mark.slow
@given(SEEDS)
def test_own_axes_read_and_write(seed):
    rng = np.random.default_rng(seed)
    q = rot.exp(rng.normal(size=(20, 3)))
    for order in ("", "ZYX"):
        limit = AxisLimit(0, (None, None, None), order, tuple(rot.exp(rng.normal(size=3)).tolist()))
        assert rot.angle_between(limit.write(limit.read(q)), q).max() < 1e-7


def test_words_say_which_axis():
    assert AxisLimit(0, (None, None, None), "ZXY").labels[0] == "turn about Z"
    assert AxisLimit(0, (None, None, None)).labels[2] == "turn about z"
