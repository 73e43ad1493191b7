import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from kinetune.errors import ParameterError
from kinetune.signals.bounded_curve import smoothest_between

WIDTH = 0.1


def cost(x, fps):
    return np.sum(x**2) + (WIDTH * fps) ** 4 * np.sum(np.diff(x, n=2) ** 2)


def bumps(frames, fps, seed):
    t = np.arange(frames) / fps
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(3, 12, 3)
    return np.maximum(0.02 * np.sin(a * t) + 0.01 * np.sin(b * t + c) - 0.012, 0.0)


@pytest.mark.slow
@given(st.integers(0, 1000), st.integers(1, 300))
def test_bounds_hold_to_the_bit(seed, frames):
    low = bumps(frames, 60.0, seed)
    high = np.where(np.arange(frames) % 50 < 25, np.inf, low + 0.01)
    curve = smoothest_between(low, high, 60.0, WIDTH)
    assert np.all(curve >= low)
    assert np.all(curve <= high)


def test_where_nothing_pushes_it_is_zero():
    assert not smoothest_between(np.full(50, -0.1), np.full(50, 0.2), 30.0, WIDTH).any()
    low = np.zeros(400)
    low[200:210] = 0.05
    curve = smoothest_between(low, np.inf, 60.0, WIDTH)
    assert not curve[:150].any()
    assert not curve[260:].any()
    assert np.all(curve[195:215] > 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_no_other_curve_is_smoother(seed):
    """Against a general solver for bounded problems."""
    low = bumps(40, 20.0, seed)
    high = low + 0.015
    high[10:20] = np.inf
    ours = smoothest_between(low, high, 20.0, WIDTH)
    bounds = list(zip(low, np.where(np.isfinite(high), high, 1e3), strict=True))
    theirs = minimize(cost, np.clip(0.02, low, high), args=(20.0,), bounds=bounds, tol=1e-16, options={"maxiter": 5000})
    assert cost(ours, 20.0) <= cost(theirs.x, 20.0) * (1 + 1e-6)


def test_fixed_frames_are_met_and_the_rest_follows():
    low, high = np.full(60, -np.inf), np.full(60, np.inf)
    low[20:25] = high[20:25] = np.linspace(0.01, 0.02, 5)
    curve = smoothest_between(low, high, 60.0, WIDTH)
    assert np.array_equal(curve[20:25], low[20:25])
    assert abs(curve[26] - 0.02) < 0.01
    assert np.abs(np.diff(curve)).max() < 0.004


def test_many_frames_settle():
    low = bumps(20_000, 120.0, 1)
    curve = smoothest_between(low, np.inf, 120.0, WIDTH)
    bend = np.abs(np.diff(curve, n=2)).max()
    assert bend < 1.5 * np.abs(np.diff(low, n=2)).max()  # the corners of the bound are rounded, none is added


@pytest.mark.parametrize(("low", "high"), [([1.0], [0.0]), ([np.nan], [1.0]), ([[0.0]], [[1.0]])])
def test_bad_bounds_are_refused(low, high):
    with pytest.raises(ParameterError, match="bounds"):
        smoothest_between(low, high, 30.0, WIDTH)
