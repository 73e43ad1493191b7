import numpy as np

from kinetune.figures.motion import stick_figures as sticks
from tests.operations import making


def test_a_root_that_stays_behind_is_neither_drawn_nor_takes_room():
    walk = making.walker(61, heading=1.0)
    below = making.below_still_root(walk, (0.5, 0.9, 0.0))
    alone, shown = sticks.bones(walk.skeleton), sticks.bones(below.skeleton)
    assert len(alone) == len(shown)
    assert {bone.end - 1 for bone in shown} == {bone.end for bone in alone}
    apart = sticks.points(below)[:, :, None] - sticks.points(walk)[:, None]
    assert np.linalg.norm(apart, axis=-1).min(axis=2).max() < 1e-9
    assert np.allclose(sticks.travel_direction(below), sticks.travel_direction(walk))
