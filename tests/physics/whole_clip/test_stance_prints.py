"""Footprints of synthetic feet: pivots, landings and swings."""

import numpy as np
import pytest

from kinetune.physics.ground import FlatGround
from kinetune.physics.whole_clip._stance_prints import lay_prints
from kinetune.physics.whole_clip.contact_phases import CarryingLimb, ContactPhases

RATE = 60.0
SOLE = np.array([[-0.2, -0.04], [-0.2, 0.04], [0.0, -0.05], [0.0, 0.05], [0.06, -0.04], [0.06, 0.04]])
"""Heel, ball and tip seen from above, in metres from the middle of the ball."""
PARTS = (np.array([0, 1]), np.array([2, 3]), np.array([4, 5]))
FLAT = np.array([[False, False, False], [True, True, True]])


def prints_of(points, stands):
    """The prints of one foot that stands as a whole or not at all."""
    stand = np.repeat(stands[:, None], len(SOLE), axis=1)
    limb = CarryingLimb("left", PARTS, FLAT, np.array([False, False]))
    phases = ContactPhases((limb,), stand, np.zeros((len(stand), 1), dtype=bool))
    return lay_prints(phases, points, FlatGround(0.0), RATE)


def placed(yaw, place, height=0.0):
    """The points (frames, points, 3) of a sole that is turned about its ball and shifted."""
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    x = c * SOLE[:, 0] - s * SOLE[:, 1] + place[:, None, 0]
    z = s * SOLE[:, 0] + c * SOLE[:, 1] + place[:, None, 1]
    return np.stack([x, np.broadcast_to(np.asarray(height).reshape(-1, 1), x.shape), z], axis=2)


def test_a_foot_that_turns_on_its_ball_keeps_the_ball_where_it_is():
    time = np.linspace(0.0, 1.0, 60)
    noise = 0.01 * np.random.default_rng(1).normal(size=(60, 2))
    points = placed(np.deg2rad(60.0) * time, noise)
    prints = prints_of(points, np.ones(60, dtype=bool))
    ball = prints.targets[:, 2:4][..., [0, 2]].mean(axis=1)
    assert prints.moving.any()
    assert np.linalg.norm(np.ptp(ball, axis=0)) < 0.006


@pytest.mark.parametrize("backwards", [False, True])
def test_a_foot_lands_and_leaves_at_rest_along_the_ground_and_clears_it_in_between(backwards):
    frames = np.arange(60)
    stands = (frames < 15) | (frames >= 45)
    ahead = np.interp(frames, [14, 45], [0.0, 0.9])  # 1.7 m/s from the first frame in the air to the last
    points = placed(np.zeros(60), np.column_stack([ahead, np.zeros(60)]), -0.01)
    order = slice(None, None, -1) if backwards else slice(None)
    prints = prints_of(points[order], stands[order])
    targets = prints.targets[order]
    step = np.linalg.norm(np.diff(targets[..., [0, 2]], axis=0), axis=2).max(axis=1) * RATE
    assert step[14] < 0.1  # m/s
    assert step[44] < 0.1
    assert targets[30, :, 1] == pytest.approx(0.02)
    assert targets[stands][..., 1] == pytest.approx(0.0)
    assert prints.free[order][15].max() < 0.1 < 0.9 < prints.free[order][30].min()


def test_a_foot_that_turns_about_a_spot_does_not_slide_and_one_that_is_dragged_does():
    time = np.linspace(0.0, 1.0, 60)
    still, dragged = np.zeros((60, 2)), np.column_stack([0.3 * time, np.zeros(60)])
    turning = prints_of(placed(np.deg2rad(60.0) * time, still), np.ones(60, dtype=bool))
    assert turning.moving[10:-10].all()
    assert not turning.sliding.any()
    assert prints_of(placed(np.zeros(60), dragged), np.ones(60, dtype=bool)).sliding[10:-10].all()
