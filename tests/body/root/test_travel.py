import numpy as np

from kinetune.body.root.travel import slow_travel
from tests.operations import making


def test_a_straight_way_is_its_own_slow_part():
    clip = making.walker(301)
    travel = slow_travel(clip)
    assert np.abs(travel.path[:, [0, 2]] - clip.root[:, [0, 2]]).max() < 1e-9
    assert np.abs(travel.headings).max() < 1e-9


def test_the_bob_of_a_walk_is_no_travel():
    clip = making.walker(301)
    slow, bob = slow_travel(clip).path[:, 1], clip.root[:, 1]
    assert np.ptp(slow) < 0.15 * np.ptp(bob)


def test_a_turn_of_the_walk_is_travel():
    clip = making.turned(making.walker(301), 0.8)
    assert np.allclose(slow_travel(clip).headings, 0.8)
    t = clip.times
    swerving = clip.replace(root=clip.root + np.stack([np.sin(0.5 * t), 0 * t, 0 * t], axis=-1))
    assert np.abs(slow_travel(swerving).path[60:-60, 0] - swerving.root[60:-60, 0]).max() < 0.02


def test_a_cycle_travels_along_a_line():
    clip = making.walker(61)
    path = slow_travel(clip, steady=True).path
    assert np.allclose(path[[0, -1]], clip.root[[0, -1]])
    assert np.abs(np.diff(path, 2, axis=0)).max() < 1e-12


def test_hips_below_a_root_that_stands_still_travel():
    clip = making.still_root()
    assert clip.skeleton.names[slow_travel(clip).joint] == "Hips"


def test_tiny_clips():
    for frames in (1, 2, 3):
        assert slow_travel(making.walker(frames)).path.shape == (frames, 3)
