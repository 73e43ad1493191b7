import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from kinetune.signals.splines.key_fitting import choose_keys, fit_keys
from kinetune.signals.splines.tcb import TCB

T = np.arange(121)
SWING = np.stack([np.sin(T / 9.0), 0.3 * np.cos(T / 5.0) + 0.01 * T, 0.1 * np.sin(T / 3.0)], axis=-1)


def off(samples, spline):
    return np.abs(spline(np.arange(len(samples))) - samples).max()


def test_keys_lie_on_the_curve():
    keys = [0, 7, 30, 66, 100, 120]
    spline = fit_keys(SWING, keys)
    assert np.array_equal(spline.times, keys)
    assert np.allclose(spline(np.array(keys)), SWING[keys], atol=1e-12)


def test_tension_and_bias_follow_better_than_none():
    keys, x = list(range(0, 121, 10)), SWING[:, :2]
    assert off(x, fit_keys(x, keys)) < 0.6 * off(x, TCB(keys, x[keys]))


def test_one_channel_gets_its_tangents_exactly():
    """For one channel the fit is as good as cubic pieces with free tangents, solved here by dense least squares."""
    x = SWING[:, :1]
    keys = np.array([0, 17, 44, 60, 91, 120])
    count = len(keys)
    columns = [CubicHermiteSpline(keys, np.zeros(count), row)(T) for row in np.eye(count)]
    rest = x[:, 0] - CubicHermiteSpline(keys, x[keys, 0], np.zeros(count))(T)
    slopes = np.linalg.lstsq(np.stack(columns, axis=1), rest, rcond=None)[0]
    best = CubicHermiteSpline(keys, x[keys, 0], slopes)(T)
    assert np.allclose(fit_keys(x, keys)(T)[:, 0], best, atol=5e-3)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_few_samples(frames):
    x = SWING[:frames]
    assert off(x, fit_keys(x, list(range(frames)))) < 1e-12


def test_chosen_keys_keep_the_bound_and_are_few():
    def error(keys):
        return np.linalg.norm(fit_keys(SWING, keys)(T) - SWING, axis=-1)

    keys = choose_keys(len(T), error, 0.01)
    assert error(keys).max() <= 0.01
    assert keys[0] == 0
    assert keys[-1] == 120
    assert len(keys) < 35
    loose = choose_keys(len(T), error, 0.1)
    assert len(loose) < len(keys)
    assert len(choose_keys(len(T), error, 0.01, thin=False)) >= len(keys)


def test_a_bound_that_cannot_be_kept_takes_every_sample():
    assert choose_keys(9, lambda keys: np.ones(9), 0.5) == list(range(9))
    assert choose_keys(1, lambda keys: np.zeros(1), 0.5) == [0]


def test_a_straight_line_takes_two_keys():
    line = np.linspace(0.0, 3.0, 50)[:, None]
    keys = choose_keys(50, lambda k: np.abs(fit_keys(line, k)(np.arange(50)) - line)[:, 0], 1e-9)
    assert keys == [0, 49]
