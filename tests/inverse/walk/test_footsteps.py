import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinetune as kt
from kinetune.errors import FileError, MalformedFileError, ParameterError
from kinetune.inverse.walk.footsteps import (
    as_footsteps,
    mirrored,
    placed_at,
    read_footsteps,
    seen_from,
    turn_by,
    turned,
)

PLACES = st.tuples(*(st.floats(-5, 5),) * 3).map(np.array)


@given(PLACES, PLACES)
def test_seen_from_and_placed_at_are_inverse(place, foot):
    again = placed_at(seen_from(place, foot), foot)
    assert np.allclose(again[:2], place[:2])
    assert np.isclose(math.remainder(again[2] - place[2], 2 * np.pi), 0.0, atol=1e-9)


def test_left_is_x_and_ahead_is_z():
    foot = np.array([1.0, 2.0, np.pi / 2])  # looks along +X
    assert np.allclose(seen_from(np.array([2.0, 2.0, np.pi / 2]), foot), [0.0, 1.0, 0.0])
    assert np.allclose(seen_from(np.array([1.0, 1.0, 0.0]), foot), [1.0, 0.0, -np.pi / 2])


@given(PLACES)
def test_the_start_of_a_step_is_the_turned_negative_of_the_end_before(place):
    """Erratum of [huang]: v of the next step is -R(-theta) v, and not -v, in the frame of the foot that carries."""
    own = seen_from(np.zeros(3), place)
    x, z, theta = place
    turn = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    assert np.allclose(own[:2], -turn @ [x, z])


def test_mirroring_twice_is_nothing():
    place = np.array([0.2, 0.5, -0.3])
    assert np.array_equal(mirrored(mirrored(place)), place)
    assert np.array_equal(mirrored(place), [-0.2, 0.5, 0.3])


def test_the_quick_rotations_are_the_rotations():
    from kinetune import rotations as rot

    q = rot.exp([0.3, -0.4, 0.9])
    assert np.allclose(turned(q, np.array([1.0, 2.0, 3.0])), rot.rotate(q, [1.0, 2.0, 3.0]))
    assert np.allclose(turn_by(0.7), rot.about_y(0.7))


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        (("up", 0.0, 0.0), '"left" or "right"'),
        (("left", float("nan"), 0.0), "x of a footstep must be a number"),
        (("left", 0.0, math.inf), "z of a footstep"),
        (("left", "far", 0.0), "must be a number"),
    ],
)
def test_what_is_no_footstep_is_refused(given_, words):
    with pytest.raises(ParameterError, match=words):
        kt.Footstep(*given_)


def test_footsteps_come_in_several_spellings():
    found = as_footsteps([kt.Footstep("left", 0, 1), ("right", 0.1, 2.0, 5.0), {"side": "left", "x": 0, "z": 3}])
    assert [f.side for f in found] == ["left", "right", "left"]
    assert found[1].heading_deg == 5.0
    with pytest.raises(ParameterError, match="Footstep 1"):
        as_footsteps([("left", 0, 1), ("right", 0, math.nan)])
    with pytest.raises(ParameterError, match="Footstep 0"):
        as_footsteps([("left",)])
    with pytest.raises(ParameterError, match="at least one"):
        as_footsteps([])


def test_a_csv_file_is_read(tmp_path):
    path = tmp_path / "steps.csv"
    path.write_text("# a comment\nz,side,x,heading\n0.6,left,0.1,0\n\n1.1,right,-0.1,4\n")
    assert read_footsteps(path) == [kt.Footstep("left", 0.1, 0.6, 0.0), kt.Footstep("right", -0.1, 1.1, 4.0)]
    path.write_text("left,0.1,0.6\nright,-0.1,1.1,3\n")
    assert [f.heading_deg for f in read_footsteps(path)] == [0.0, 3.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("left,0.1\n", "steps.csv:1: 2 values"),
        ("left,a,b,0\n", "is no footstep"),
        ("middle,0,1,0\n", '"left" or "right"'),
        ("side,x,y\nleft,0,1\n", 'the column "y"'),
        ("left,nan,1,0\n", "must be a number"),
        ("", "no footstep in it"),
    ],
)
def test_a_bad_csv_file_is_told_in_one_sentence(tmp_path, text, words):
    path = tmp_path / "steps.csv"
    path.write_text(text)
    with pytest.raises(MalformedFileError, match=words):
        read_footsteps(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read_footsteps(tmp_path / "none.csv")
