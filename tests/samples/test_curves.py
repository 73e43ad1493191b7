import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tools.samples.curves import breath, bump, cyclic_spline, drift, keyed, min_jerk, moves, quintic, spline, state


def test_min_jerk_starts_and_stops_at_rest():
    u = np.linspace(-0.5, 1.5, 2001)
    s = min_jerk(u)
    assert s[0] == 0
    assert s[-1] == 1
    speed = np.gradient(s, u)
    assert np.isclose(speed.max(), 1.875, atol=1e-3)
    assert abs(float(u[np.argmax(speed)]) - 0.5) < 1e-3


def test_bump_is_one_in_the_middle():
    assert bump(0.5) == 1
    assert np.all(bump(np.array([-1.0, 0.0, 1.0, 2.0])) == 0)


def test_moves_arrive_one_after_another_and_may_overlap():
    t = np.linspace(0, 3, 301)
    curve = moves(t, 1.0, (0.5, 1.0, 3.0), (0.8, 2.0, -1.0))
    assert curve[0] == 1
    assert np.isclose(curve[-1], -1)
    assert np.abs(np.diff(curve, 2)).max() < 0.01
    assert moves(t, np.zeros(3), (0.0, 1.0, (1.0, 2.0, 3.0))).shape == (301, 3)


def test_keyed_meets_its_keys_and_holds():
    t = np.array([0.0, 0.5, 0.75, 1.0, 2.0])
    assert np.allclose(keyed(t, (0.0, 1.0), (0.5, 4.0), (1.0, 4.0), (2.0, 0.0)), [1, 4, 4, 4, 0])


def test_quintic_meets_both_ends_with_slope_and_curvature():
    start, stop = np.array([1.0, -2.0, 3.0]), np.array([0.5, 4.0, -1.0])

    def path(t):
        return quintic(t, 0.2, 0.9, start, stop)

    assert np.allclose(state(path, 0.2, 1e-4), start, atol=1e-3)
    assert np.allclose(state(path, 0.9, 1e-4), stop, atol=1e-3)


def test_quintic_takes_each_time_its_own_ends():
    rng = np.random.default_rng(2)
    times, begin = np.array([0.1, 0.6, 1.4]), np.array([0.0, 0.5, 1.0])
    start, stop = rng.standard_normal((2, 3, 3, 2))
    together = quintic(times, begin, begin + 0.5, start, stop)
    for k in range(3):
        alone = quintic(times[k : k + 1], begin[k], begin[k] + 0.5, start[:, k], stop[:, k])
        assert np.allclose(together[k], alone[0])


@pytest.mark.parametrize("shape", [(), (3,)])
def test_spline_agrees_with_scipy(shape):
    rng = np.random.default_rng(1)
    knots = np.cumsum(rng.uniform(0.2, 1.0, 20))
    values = rng.standard_normal((20, *shape))
    at = np.linspace(knots[0], knots[-1], 300)
    assert np.allclose(spline(knots, values)(at), CubicSpline(knots, values, bc_type="natural")(at))


def test_cyclic_spline_agrees_with_scipy():
    values = np.random.default_rng(1).standard_normal((40, 2))
    closed = CubicSpline(np.arange(41) / 40, np.concatenate([values, values[:1]]), bc_type="periodic")
    at = np.linspace(-1.3, 2.7, 500)
    assert np.allclose(cyclic_spline(values)(at), closed(at % 1.0), atol=1e-7)


def test_drift_is_slow_of_unit_size_and_repeatable():
    t = np.arange(0, 200, 0.05)
    curve = drift(t, 3)
    assert np.array_equal(curve, drift(t, 3))
    assert not np.allclose(curve, drift(t, 4))
    assert 0.8 < np.std(curve) < 1.2
    assert np.abs(np.diff(curve)).max() / 0.05 < 2 * np.pi * 0.6 * 3


def test_breath_goes_in_faster_than_out():
    t = np.arange(0, 20, 0.01)
    air = breath(t)
    assert air.min() > -1e-9
    assert air.max() < 1 + 1e-9
    assert np.diff(air).max() > 1.1 * -np.diff(air).min()
