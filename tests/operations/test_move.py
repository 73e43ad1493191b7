import numpy as np
import pytest

from kinetune.errors import ParameterError
from kinetune.operations.move import Move
from tests.operations import making


@pytest.mark.parametrize("make", [making.walker, making.pendulums, making.two_roots, making.still_root])
def test_every_joint_moves_alike(make):
    clip = make()
    result = Move(x=1.0, y=-2.0, z=3.0)(clip)
    assert np.allclose(result.positions(), clip.positions() + np.array([1.0, -2.0, 3.0]))
    assert np.array_equal(result.rotations, clip.rotations)


@pytest.mark.parametrize("make", [making.walker, making.still_root])
def test_to_the_origin(make):
    clip = Move(x=4.0, y=0.3, z=-7.0)(make())
    start = Move(to_origin=True)(clip).joint("hips").positions[0]
    assert np.allclose(start[[0, 2]], 0.0)
    assert start[1] == pytest.approx(clip.joint("hips").positions[0, 1])


@pytest.mark.parametrize("height", [0.5, -0.4])
def test_the_floor_goes_to_zero(height):
    walk = making.walker()
    result = Move(floor="zero")(Move(y=height)(walk))
    assert np.abs(result.root[:, 1] - walk.root[:, 1]).max() < 0.02


def test_all_at_once():
    clip = Move(x=4.0, y=0.5, z=-7.0)(making.walker())
    result = Move(to_origin=True, floor="zero", x=1.0, y=2.0)(clip)
    assert np.allclose(result.root[0, [0, 2]], [1.0, 0.0])
    assert result.root[0, 1] == pytest.approx(making.walker().root[0, 1] + 2.0, abs=0.02)


def test_a_figure_without_feet_has_no_floor():
    with pytest.raises(ParameterError, match="no joint of this skeleton is a foot"):
        Move(floor="zero")(making.pendulums())


def test_a_figure_that_is_there_already_is_left_alone():
    clip = making.walker()
    assert Move(to_origin=True)(clip) is clip


def test_contacts_are_kept():
    clip = making.walker()
    assert Move(x=1.0)(clip).contacts == clip.contacts
