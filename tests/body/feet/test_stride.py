import numpy as np

from kinetune.body.feet.foot_roll import FootMove
from kinetune.body.feet.stride import follow_feet

FPS = 60.0


def asks(shift, planted):
    """A foot that asks to be moved while it is planted."""
    frames = len(shift)
    weight = planted.astype(float)
    return FootMove(shift, np.zeros((frames, 3)), weight, None, None)


def test_a_steady_slide_is_taken_up():
    t = np.arange(180)[:, None] / FPS
    shift = t * np.array([0.1, 0.0, 0.3])
    left = (np.arange(180) // 40) % 2 == 0
    way = follow_feet([asks(shift, left), asks(shift, ~left)], FPS)
    assert np.allclose(way, shift, atol=2e-3)
    assert not way[:, 1].any()


def test_feet_that_ask_for_nothing_leave_the_way_alone():
    still = np.zeros((60, 3))
    assert not follow_feet([asks(still, np.ones(60, dtype=bool))], FPS).any()
    moving = np.random.default_rng(0).normal(size=(60, 3))
    assert np.abs(follow_feet([asks(moving, np.zeros(60, dtype=bool))], FPS)).max() < 1e-9


def test_the_height_is_not_followed_and_jitter_is_left_to_the_legs():
    t = np.arange(240) / FPS
    shift = np.stack([0.002 * np.sin(60 * t), 0.1 * t, 0.2 * t], axis=-1)
    way = follow_feet([asks(shift, np.ones(240, dtype=bool))], FPS)
    assert not way[:, 1].any()
    assert np.abs(way[:, 0]).max() < 5e-4
    assert np.allclose(way[:, 2], 0.2 * t, atol=1e-3)


def test_few_frames_work():
    for frames in (1, 2, 3, 4):
        way = follow_feet([asks(np.zeros((frames, 3)), np.ones(frames, dtype=bool))], FPS)
        assert way.shape == (frames, 3)
