import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import place

WALK = kt.sample("walk")[:40]


def test_a_scale_and_its_inverse_change_nothing():
    there = kt.Reinterpret(scale=100.0)(WALK)
    np.testing.assert_allclose(there.positions(), 100.0 * WALK.positions(), atol=1e-9)
    np.testing.assert_allclose(kt.Reinterpret(scale=0.01)(there).positions(), WALK.positions(), atol=1e-12)


@pytest.mark.parametrize("up", ["x", "z", "-x", "-y", "-z"])
def test_the_axis_that_is_named_points_up_afterwards(up):
    axis = (-1.0 if up.startswith("-") else 1.0) * np.eye(3)["xyz".index(up[-1])]
    lying = place(WALK, rot.between([0.0, 1.0, 0.0], axis) if up != "-y" else np.array([0.0, 1, 0, 0]), np.zeros(3))
    np.testing.assert_allclose(kt.Reinterpret(up=up)(lying).positions()[..., 1], WALK.positions()[..., 1], atol=1e-9)


def test_another_rate_plays_the_same_frames():
    slow = kt.Reinterpret(fps=0.5 * WALK.fps)(WALK)
    assert slow.fps == 0.5 * WALK.fps
    np.testing.assert_array_equal(slow.rotations, WALK.rotations)
    assert slow.contacts == WALK.contacts
