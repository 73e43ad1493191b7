import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root.placement import facing, place
from kinetune.body.root.root_motion import RootMotion, add_root_motion, remove_root_motion, root_motion
from kinetune.errors import ParameterError
from tests.operations import making


def turning_walk():
    clip = making.walker(121)
    return place(clip, rot.about_y(np.linspace(0.5, 4.0, 121)), np.outer(np.arange(121.0), [0.01, 0.0, 0.02]))


CLIPS = pytest.mark.parametrize("make", [turning_walk, making.still_root, making.pendulums, making.two_roots])


@CLIPS
def test_removed_and_added_again_is_the_clip(make):
    clip = make()
    assert add_root_motion(remove_root_motion(clip), root_motion(clip)).same_motion(clip, 1e-9)


@CLIPS
def test_what_is_left_stands_at_the_origin_and_faces_ahead(make):
    still = remove_root_motion(make())
    positions, headings = root_motion(still)
    assert np.abs(positions).max() < 1e-9
    assert np.abs(np.sin(headings)).max() < 1e-9


def test_the_way_is_the_hips_on_the_floor():
    clip = turning_walk()
    way = root_motion(clip)
    assert way.positions.shape == (121, 2)
    assert np.array_equal(way.positions, clip.joint("hips").positions[:, [0, 2]])
    assert way.headings[-1] - way.headings[0] == pytest.approx(3.5)
    assert np.array_equal(way.headings, facing(clip))


def test_another_way():
    clip = making.walker(50)
    way = RootMotion(np.outer(np.arange(50.0), [0.1, 0.0]), np.full(50, np.pi / 2))
    moved = add_root_motion(remove_root_motion(clip), way)
    assert np.allclose(root_motion(moved).positions, way.positions, atol=1e-9)
    assert np.allclose(root_motion(moved).headings, way.headings)


def test_heights_stay():
    clip = turning_walk()
    assert np.allclose(remove_root_motion(clip).root[:, 1], clip.root[:, 1])


def test_a_way_of_another_length_is_refused():
    with pytest.raises(ParameterError, match=r"takes positions \(10, 2\) and headings \(10,\)"):
        add_root_motion(making.walker(10), RootMotion(np.zeros((9, 2)), np.zeros(9)))
