import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.samples.feet import Stance, Swing, lifted_swing, roll_foot, sole_depth, toe_bend, walk_foot
from tools.samples.figure import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, HEEL_BEHIND, TOES

from kinetune import rotations as rot


def sole(ankle, yaw, pitch, toes):
    """Heel, ball joint and tip of a foot, from its ankle and angles in degrees."""
    turned = rot.from_euler(np.radians(np.stack([0 * pitch + yaw, -pitch], axis=-1)), "YX")
    toes_turned = rot.multiply(turned, rot.from_axis_angle((1.0, 0, 0), -np.radians(toes)))
    heel = ankle + rot.rotate(turned, np.array([0, -ANKLE_HEIGHT, -HEEL_BEHIND]))
    ball = ankle + rot.rotate(turned, np.array([0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD]))
    return heel, ball, ball + rot.rotate(toes_turned, np.array([0, -BALL_HEIGHT, TOES]))


@given(st.floats(-180, 180), st.floats(-2, 2), st.floats(-2, 2))
def test_a_rolling_foot_keeps_its_pivot(yaw, x, z):
    """On the heel while the toes are up; on ball and toes while the heel is up; at last on the tip of the toes."""
    place = np.array([x, 0.0, z])
    pitch = np.linspace(30, -70, 300)
    ankle, toes = roll_foot(place, yaw, pitch)
    heel, ball, tip = sole(ankle, yaw, pitch, toes)
    ahead = np.array([np.sin(np.radians(yaw)), 0, np.cos(np.radians(yaw))])
    up, down = pitch >= 0, (pitch < 0) & (pitch > -37)
    assert np.allclose(heel[up], place - HEEL_BEHIND * ahead, atol=1e-9)
    assert np.allclose(ball[down], place + BALL_AHEAD * ahead + [0, BALL_HEIGHT, 0], atol=1e-9)
    assert np.allclose(tip[pitch < 0], place + (BALL_AHEAD + TOES) * ahead, atol=1e-9)
    assert min(part[:, 1].min() for part in (heel, tip)) > -1e-9


def test_toes_stop_bending():
    bend = toe_bend(-np.linspace(0, 120, 200))
    assert np.all(np.diff(bend) >= 0)
    assert bend.max() <= 52


def test_sole_depth_is_that_of_the_lowest_point():
    pitch, toes = np.linspace(-60, 40, 50), np.linspace(30, 0, 50)
    heel, _, tip = sole(np.zeros((50, 3)), 0.0, pitch, toes)
    assert np.all(sole_depth(pitch, toes) >= -np.minimum(heel[:, 1], tip[:, 1]) - 1e-12)
    assert np.isclose(sole_depth(np.zeros(1), np.zeros(1))[0], ANKLE_HEIGHT)


def stances():
    return (
        Stance(0.1, 0.0, 5.0, -9.0, -8.0, 0.1, 0.3, leaving=(-45.0, -200.0, 0.0)),
        Stance(0.1, 0.6, 8.0, 0.75, 0.85, 9.0, 10.0, landing=(15.0, -50.0, 0.0)),
    )


@pytest.mark.parametrize("by_leg", [False, True])
def test_a_swing_leaves_and_lands_smoothly(by_leg):
    """Place and speed of the ankle are continuous to the second derivative; nothing slides; the floor is cleared."""
    times = np.linspace(0, 1, 2001)
    swing = lifted_swing(0.3, 0.75, 0.12, tip=8.0)
    if by_leg:
        hip = lambda t: np.stack([0 * t + 0.09, 0 * t + 0.86, 0.15 + 0.3 * t], axis=-1)  # noqa: E731
        shape = lambda t: hip(t) + np.stack([0 * t, -0.75 + 0 * t, 0.9 * (t - 0.5)], axis=-1)  # noqa: E731
        swing = Swing(shape, swing.pitch, hip)
    foot = walk_foot(times, stances(), swing)
    step = times[1] - times[0]
    speed = np.diff(foot.ankle, axis=0) / step
    assert np.abs(np.diff(foot.ankle, axis=0)).max() < 8 * step
    for edge in (0.3, 0.75):
        k = int(np.searchsorted(times, edge))
        assert np.abs(speed[k + 1] - speed[k - 3]).max() < 0.12
    heel, _, tip = sole(foot.ankle, foot.yaw, foot.pitch, foot.toes)
    assert min(heel[:, 1].min(), tip[:, 1].min()) > -0.002
    assert np.array_equal(foot.planted, (times <= 0.3) | (times >= 0.75))


def test_one_stance_needs_no_swing():
    foot = walk_foot(np.linspace(0, 0.25, 10), stances()[:1])
    assert foot.planted.all()
