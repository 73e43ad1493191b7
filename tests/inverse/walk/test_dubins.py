import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kinetune.inverse.walk._dubins import shortest_path

PLACES = st.tuples(st.floats(-6, 6), st.floats(-6, 6), st.floats(-3.1, 3.1)).map(np.array)


@given(PLACES, PLACES, st.floats(0.3, 3.0))
def test_it_ends_where_it_shall(start, end, radius):
    way = shortest_path(start, end, radius)
    found = way.at([0.0, way.length])
    assert np.allclose(found[0], start)
    assert np.allclose(found[1, :2], end[:2], atol=1e-6)
    assert np.isclose(np.cos(found[1, 2] - end[2]), 1.0)


@given(PLACES, PLACES)
def test_it_never_turns_tighter_than_its_radius(start, end):
    way = shortest_path(start, end, 1.2)
    fine = way.at(np.linspace(0.0, way.length, 400))
    step = np.hypot(*np.diff(fine[:, :2], axis=0).T)
    assert np.all(np.abs(np.diff(fine[:, 2])) <= way.length / 399 / 1.2 + 1e-9)
    assert np.isclose(step.sum(), way.length, rtol=1e-3, atol=1e-9)


def test_straight_ahead_is_straight():
    way = shortest_path(np.zeros(3), np.array([0.0, 4.0, 0.0]), 1.0)
    assert np.isclose(way.length, 4.0)


def test_a_half_circle_is_one():
    way = shortest_path(np.zeros(3), np.array([2.0, 0.0, np.pi]), 1.0)
    assert np.isclose(way.length, np.pi)
