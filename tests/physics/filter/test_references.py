"""Which feet carry a motion, by what is seen and by the laws of mechanics."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.physics.filter.com_plan import Support, convex_hull
from kinetune.physics.filter.references import find_carrying_feet

RATE = 60.0
FLIGHT = slice(20, 32)


def lifted(fall, hover=0.06):
    """Two feet, of which one stands until it hovers for a fifth of a second, while the body falls with some m/s^2."""
    clearance = np.full((60, 2), [0.0, 0.5])
    clearance[FLIGHT, 0] = hover
    stance = clearance < 0.05
    acceleration = np.where(stance.any(axis=1), 0.0, -fall)
    height = 1.0 + np.cumsum(np.cumsum(acceleration)) / RATE**2
    return stance, clearance, height


def test_a_body_that_falls_flies():
    stance, clearance, height = lifted(9.81)
    found, lowered = find_carrying_feet(stance, clearance, height, RATE)
    assert np.array_equal(found, stance)
    assert not lowered.any()


def test_a_body_that_does_not_fall_stands_on_its_lowest_foot():
    stance, clearance, height = lifted(3.0)
    found, lowered = find_carrying_feet(stance, clearance, height, RATE)
    assert found[:, 0].all()
    assert not found[:, 1].any()
    assert np.allclose(clearance[FLIGHT, 0] - lowered[FLIGHT, 0], 0.035)
    assert not lowered[:20].any()


@pytest.mark.parametrize("hover", [0.13, 2.0])
def test_nobody_stands_on_air(hover):
    stance, clearance, height = lifted(0.0, hover)
    assert np.array_equal(find_carrying_feet(stance, clearance, height, RATE)[0], stance)


def test_one_frame_says_nothing():
    found, lowered = find_carrying_feet(np.zeros((1, 2), dtype=bool), np.zeros((1, 2)), np.ones(1), RATE)
    assert not found.any()
    assert lowered.shape == (1, 2)


def test_a_support_that_is_moved_is_the_support_of_points_that_are_moved():
    rng = np.random.default_rng(3)
    points, turn, shift = rng.normal(size=(5, 8, 3)), rng.normal(size=5), rng.normal(size=(5, 3))
    placed = rot.rotate(rot.about_y(turn)[:, None], points) + shift[:, None]
    hulls, moved = ([convex_hull(frame[:, [0, 2]]) for frame in own] for own in (points, placed))
    hulls[2] = moved[2] = np.zeros((0, 2))  # in the air
    found = Support(hulls, np.zeros(5), np.ones(5)).moved(turn, shift)
    assert np.array_equal(found.stands, [True, True, False, True, True])
    for ours, theirs in zip(found.hulls, moved, strict=True):
        assert np.allclose(sorted(ours.tolist()), sorted(theirs.tolist()))
