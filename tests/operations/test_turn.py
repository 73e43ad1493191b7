import numpy as np
import pytest

from kinetune.body.root_motion import facing
from kinetune.operations.turn import Turn
from tests.operations import making


@pytest.mark.parametrize("make", [making.walker, making.pendulums, making.two_roots])
@pytest.mark.parametrize("degrees", [30.0, -90.0, 180.0])
def test_around_the_origin_the_scene_turns(make, degrees):
    clip = make()
    assert Turn(angle_deg=degrees, around="origin")(clip).same_motion(making.turned(clip, np.deg2rad(degrees)))


@pytest.mark.parametrize("degrees", [30.0, -90.0, 180.0])
def test_around_its_start_the_figure_begins_where_it_began(degrees):
    clip = making.turned(making.walker(), 0.4, about=(3.0, 0.0, -1.0))
    result = Turn(angle_deg=degrees)(clip)
    assert np.allclose(result.root[0], clip.root[0])
    assert result.same_motion(making.turned(clip, np.deg2rad(degrees), about=clip.root[0]))


def test_positive_is_to_the_left():
    """A figure that faces +Z has its left side at +X, and that is where it walks after a quarter turn."""
    result = Turn(angle_deg=90)(making.walker())
    way = result.root[-1] - result.root[0]
    assert way[0] > 2.0
    assert abs(way[2]) < 1e-9


def test_on_its_own_path_it_faces_elsewhere():
    clip = making.walker()
    result = Turn(angle_deg=90, around="own")(clip)
    assert np.allclose(result.root, clip.root)
    assert np.allclose(facing(result), facing(clip) + np.pi / 2)


def test_below_a_root_that_stands_still():
    clip = making.still_root()
    result = Turn(angle_deg=90, around="own")(clip)
    assert np.allclose(result.joint("Hips").positions, clip.joint("Hips").positions)
    assert np.allclose(facing(result), facing(clip) + np.pi / 2)
    assert np.array_equal(result.rotations[:, 0], clip.rotations[:, 0])


def test_four_quarters_are_nothing():
    clip = making.walker()
    result = clip
    for _ in range(4):
        result = Turn(angle_deg=90)(result)
    assert result.same_motion(clip, 1e-9)


def test_contacts_are_kept():
    clip = making.walker()
    assert Turn(angle_deg=12)(clip).contacts == clip.contacts
