import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.signals.displacement import displacement, nearest_turn
from kinetune.signals.splines.tcb import TCB

keys = st.lists(st.tuples(st.integers(0, 59), st.floats(-5, 5)), min_size=1, max_size=6, unique_by=lambda k: k[0])


@settings(max_examples=60, deadline=None)
@given(keys, st.sampled_from([None, 4.0, 12.5]), st.sampled_from(["zero", "natural"]))
def test_keys_are_met_and_the_ends_are_pinned(given_keys, window, ends):
    at, values = zip(*sorted(given_keys), strict=True)
    change = displacement(60, at, values, ends=ends, window=window)
    assert np.array_equal(change[list(at)], values)
    for end in (0, 59):
        assert end in at or change[end] == 0.0


def test_the_spline_is_the_papers():
    """[bruderlin] section 5: an interpolating cubic spline [kochanek] with the first and last data points as keys."""
    change = displacement(31, [10, 20], [1.0, -2.0], ends="natural", tension=[0.3, -0.2], bias=0.5)
    golden = TCB([0, 10, 20, 30], [0, 1, -2, 0], tension=[0, 0.3, -0.2, 0], bias=[0, 0.5, 0.5, 0])(np.arange(31))
    assert np.allclose(change, golden, atol=1e-12)


def test_the_map_is_linear():
    one, other = (np.random.default_rng(s).standard_normal((3, 2)) for s in (0, 1))
    at = [5, 9, 30]
    both = displacement(40, at, one + 2 * other)
    assert np.allclose(both, displacement(40, at, one) + 2 * displacement(40, at, other), atol=1e-12)


def test_a_window_ends_the_influence():
    change = displacement(100, [50], [1.0], window=10)
    assert np.all(change[:41] == 0)
    assert np.all(change[60:] == 0)
    assert np.all(change[41:60] > 0)
    apart = displacement(100, [20, 70], [1.0, 2.0], window=10)
    assert np.all(apart[30:61] == 0)
    joined = displacement(100, [40, 55], [1.0, 2.0], window=10)
    assert np.all(joined[40:56] >= 1.0)


def test_a_window_sets_in_and_ends_at_rest():
    change = displacement(1001, [500], [1.0], window=100)
    steps = np.diff(change)
    assert np.abs(np.diff(steps)).max() < 2e-3
    assert abs(steps[400]) < 1e-3


def test_ends_at_rest_keep_the_velocity_there():
    zero, natural = (displacement(1001, [300], [1.0], ends=ends) for ends in ("zero", "natural"))
    assert abs(zero[1]) < 1e-4 < abs(natural[1])


def test_without_keys_nothing_changes():
    assert np.array_equal(displacement(5, [], np.zeros((0, 3))), np.zeros((5, 3)))


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_short_signals(frames):
    assert np.array_equal(displacement(frames, [0], [2.0])[0], 2.0)
    assert np.array_equal(displacement(frames, range(frames), np.arange(frames)), np.arange(frames))


def test_keys_out_of_range_are_told():
    with pytest.raises(ParameterError, match="0 to 9"):
        displacement(10, [10], [1.0])
    with pytest.raises(ParameterError, match="positive number of frames"):
        displacement(10, [5], [1.0], window=0)


@settings(max_examples=50, deadline=None)
@given(st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[st.floats(-9, 9)] * 3))
def test_the_nearest_turn_is_the_same_rotation_and_no_other_is_nearer(vector, near):
    v, n = np.array(vector), np.array(near)
    found = nearest_turn(v, n)
    assert rot.angle_between(rot.exp(found), rot.exp(v)) < 1e-7
    length = np.linalg.norm(v)
    if length > 1e-9:
        others = [v * (1 + 2 * np.pi * k / length) for k in range(-4, 5)]
        assert np.linalg.norm(found - n) <= min(np.linalg.norm(other - n) for other in others) + 1e-9


def test_no_turn_next_to_a_full_one_is_a_full_one():
    assert np.allclose(nearest_turn(np.zeros(3), np.array([0.0, 6.0, 0.0])), [0.0, 2 * np.pi, 0.0])
    assert np.array_equal(nearest_turn(np.zeros(3), np.array([0.0, 1.0, 0.0])), np.zeros(3))
