import numpy as np

from kinetune.body.feet.pelvis_shift import LegReach, shift_pelvis

FPS = 60.0


def leg(frames=120, length=0.80, goal=(0.0, 0.0, 0.0), full=0.86, most=0.855):
    """A leg straight below its hip, hip to ankle ``length`` apart, whose ankle shall move by ``goal``."""
    hip = np.tile([0.0, length, 0.0], (frames, 1))
    half = np.full(frames, 0.5 * full)
    return LegReach(hip, np.zeros((frames, 3)) + goal, half, half, np.full(frames, length), np.full(frames, most))


def test_nothing_moves_where_nothing_must():
    assert np.abs(shift_pelvis([leg(), leg()], FPS)).max() < 1e-9


def test_a_straight_leg_takes_the_pelvis_along_and_a_bent_one_does_not():
    lowered = (0.0, -0.01, 0.0)
    straight = shift_pelvis([leg(length=0.855, goal=lowered, most=0.86)], FPS)[60, 1]
    bent = shift_pelvis([leg(length=0.70, goal=lowered)], FPS)[60, 1]
    assert -0.0101 < straight < -0.0095
    assert -0.008 < bent < 0.0


def test_no_leg_reaches_farther_than_it_can():
    frames = 120
    goal = np.zeros((frames, 3))
    goal[:, 2] = 0.35 * np.exp(-(((np.arange(frames) - 60) / 15.0) ** 2))  # far ahead for a moment
    reach = leg(goal=goal)
    shift = shift_pelvis([reach, leg(length=0.82)], FPS)
    length = np.linalg.norm(reach.hip + shift - reach.goal, axis=1)
    assert np.linalg.norm(reach.hip - reach.goal, axis=1).max() > 0.87
    assert length.max() < 0.8555
    assert np.linalg.norm(shift, axis=1).max() < 0.1


def test_the_pelvis_moves_smoothly():
    frames = 120
    goal = np.zeros((frames, 3))
    goal[60:, 1] = -0.02  # the floor drops in one frame
    shift = shift_pelvis([leg(length=0.85, goal=goal)], FPS)
    assert np.abs(np.diff(shift[:, 1])).max() < 0.006
    assert shift[20, 1] > -0.002
    assert shift[100, 1] < -0.017


def test_it_turns_with_the_scene():
    goal = np.array([0.05, -0.01, 0.2])
    one = shift_pelvis([leg(length=0.84, goal=goal)], FPS)
    other = shift_pelvis([leg(length=0.84, goal=goal[[2, 1, 0]] * [1.0, 1.0, -1.0])], FPS)
    assert np.allclose(one[:, [2, 1, 0]] * [1.0, 1.0, -1.0], other)


def test_few_frames_work():
    for frames in (1, 2, 3):
        shift = shift_pelvis([leg(frames, length=0.85, goal=(0.0, -0.02, 0.0))], FPS)
        assert shift.shape == (frames, 3)
        assert shift[0, 1] < -0.01
