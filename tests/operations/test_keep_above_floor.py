import numpy as np
import pytest

from kinetune.errors import ParameterError
from kinetune.operations.keep_above_floor import KeepAboveFloor
from tests.body.feet.test_floor_clearance import lowest
from tests.operations import making


def sunk(by=0.04):
    walk = making.walker()
    return walk.replace(root=walk.root - np.array([0.0, by, 0.0]), contacts=walk.contacts)


def test_nothing_is_left_below_the_floor():
    clip = sunk()
    assert lowest(clip).min() < -0.03
    result = KeepAboveFloor(floor_m=0.0)(clip)
    assert lowest(result).min() > -1e-6
    assert np.array_equal(result.root, clip.root)
    assert result.contacts == clip.contacts


def test_the_whole_figure_is_lifted_on_request():
    clip = sunk()
    result = KeepAboveFloor(floor_m=0.0, lift="figure")(clip)
    assert lowest(result).min() > -1e-6
    assert np.array_equal(result.rotations, clip.rotations)
    assert np.all(result.root[:, 1] >= clip.root[:, 1])


def test_knobs_reach_the_mathematics():
    clip = sunk()
    assert lowest(KeepAboveFloor(floor_m=0.0, clearance_m=0.02)(clip)).min() > 0.02 - 1e-6
    assert lowest(KeepAboveFloor(floor_m=0.0, amount=0.5)(clip)).min() < -0.01
    whole = KeepAboveFloor(floor_m=0.0)(clip)
    assert not KeepAboveFloor(floor_m=0.0, blend_s=0.3)(clip).same_motion(whole)


def test_a_walk_on_the_floor_is_left_alone():
    walk = making.walker()
    assert KeepAboveFloor()(walk) is walk


def test_a_figure_without_feet_needs_to_be_told_where_the_floor_is():
    with pytest.raises(ParameterError, match="floor_m"):
        KeepAboveFloor()(making.pendulums())
    clip = making.pendulums()
    assert lowest(KeepAboveFloor(floor_m=1.0)(clip)).min() > 1.0 - 1e-6
