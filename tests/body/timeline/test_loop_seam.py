import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.body.timeline.loop_seam import CycleTravel, close_cycle, repeat_cycle
from kinetune.errors import ParameterError
from tests.operations import making

TRAVELS = [
    CycleTravel(),
    CycleTravel(0.0, (1.0, 0.0, 2.0)),
    CycleTravel(0.6, (1.0, 0.0, 2.0)),
    CycleTravel(-2.9, (0.1, 0.2, 0.0)),
]


@pytest.mark.parametrize("travel", TRAVELS)
def test_parts_of_a_cycle_add_up(travel):
    """Going a third of the way three times arrives where one whole cycle does."""
    turn, shift = travel.at(np.array([1.0 / 3.0]))
    point = np.array([[0.4, 1.0, -0.7]])
    moved = point
    for _ in range(3):
        moved = rot.rotate(turn, moved) + shift
    whole_turn, whole_shift = travel.at(np.array([1.0]))
    assert np.allclose(moved, rot.rotate(whole_turn, point) + whole_shift)
    assert np.allclose(whole_shift, travel.shift)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(20, 80), st.floats(-0.2, 0.2), st.integers(0, 60))
def test_the_last_frame_is_the_first_moved_on(frames, drift, start):
    clip = making.walker(151, drift=drift)[start : start + frames]
    closed, travel = close_cycle(clip)
    moved = place(closed[:1], *(part[0] for part in travel.at(np.array([1.0]))))
    assert np.abs(closed.positions()[-1] - moved.positions()[0]).max() < 1e-6
    assert rot.angle_between(closed.world_rotations()[-1], moved.world_rotations()[0]).max() < 1e-6


def test_no_strength_leaves_the_clip():
    clip = making.walker(50)
    assert close_cycle(clip, 5, 40, strength=0.0)[0].same_motion(clip[5:41], 0.0)


def test_animated_positions_close_too():
    clip = making.two_roots()
    closed, travel = close_cycle(clip)
    assert closed.translations[-1, 1] == pytest.approx(closed.translations[0, 1])
    turn, shift = travel.at(np.array([1.0]))
    assert np.allclose(closed.positions()[-1, 0], rot.rotate(turn, closed.positions()[:1, 0]) + shift)


def test_repeating_a_closed_cycle_is_smooth_at_every_seam():
    clip = making.walker(151, drift=0.1)[5:66]
    closed, travel = close_cycle(clip)
    x = repeat_cycle(closed, travel, 4).positions()
    bends = np.abs(np.diff(x, n=2, axis=0)).max(axis=(1, 2))
    seams = bends[[59, 119, 179]]
    assert seams.max() < 1.5 * np.abs(np.diff(clip.positions(), n=2, axis=0)).max()


def test_one_frame_is_no_cycle():
    with pytest.raises(ParameterError, match="at least two frames"):
        close_cycle(making.one_frame())
