import numpy as np
import pytest
from scipy.optimize import lsq_linear

from kinetune.trajectory.one_sided import stay_within

CURVE = 20.0 * np.sin(np.linspace(0.0, 9.0, 90)) + np.linspace(0.0, 6.0, 90)


def within_by_bounded_least_squares(values, least, most, smooth):
    frames = len(values)
    bends = np.diff(np.eye(frames), 2, axis=0)
    rows, aims = np.vstack([np.eye(frames), smooth**2 * bends]), np.zeros(2 * frames - 2)
    change = lsq_linear(rows, aims, (least - values, np.maximum(most - values, least - values + 1e-9)), tol=1e-12)
    return values + change.x


@pytest.mark.parametrize("smooth", [0.5, 3.0])
@pytest.mark.parametrize(("least", "most"), [(-5.0, 99.0), (-99.0, 8.0), (-5.0, 8.0)])
def test_a_curve_within_limits_is_the_nearest_smooth_one(least, most, smooth):
    ours = stay_within(CURVE, least, most, smooth)
    np.testing.assert_allclose(ours, within_by_bounded_least_squares(CURVE, least, most, smooth), atol=1e-3)


def test_a_curve_within_its_limits_stays_as_it_is():
    np.testing.assert_array_equal(stay_within(CURVE, -99.0, 99.0, 3.0), CURVE)
    np.testing.assert_allclose(stay_within(np.array([-3.0]), 1.0, 9.0, 3.0), [1.0], atol=1e-5)


def test_held_values_stay_limits_or_not():
    values = np.sin(np.linspace(0.0, 6.0, 60))
    held = np.arange(60) < 20
    within = stay_within(values, -0.5, 0.5, 3.0, held)
    assert np.abs(within - values)[held].max() < 1e-4
    assert np.abs(within[25:]).max() < 0.5 + 1e-3
