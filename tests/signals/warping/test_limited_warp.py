import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.signals.warping.limited_warp import _path, find_limited, limited_warp


def wave(times):
    return np.stack([np.sin(times), np.cos(times), 0.3 * np.sin(2.0 * times + 1.0)], axis=1)


def naive_cost(d, most_a, most_b, price):
    """The same by its definition: every path that begins and ends where it may, over all steps."""
    n, m = d.shape

    @functools.cache
    def best(i, j):
        costs = [np.inf]
        if (j == 0 and i <= most_a) or (i == 0 and j <= most_b):
            costs.append(price * (i + j) + 2 * d[i, j])
        if i >= 1 and j >= 1:
            costs.append(best(i - 1, j - 1) + 2 * d[i, j])
        if i >= 2 and j >= 1:
            costs.append(best(i - 2, j - 1) + 2 * d[i - 1, j] + d[i, j])
        if i >= 1 and j >= 2:
            costs.append(best(i - 1, j - 2) + 2 * d[i, j - 1] + d[i, j])
        return min(costs)

    ends = [best(n - 1, m - 1)]
    ends += [best(i, m - 1) + price * (n - 1 - i) for i in range(max(n - 1 - most_a, 0), n)]
    ends += [best(n - 1, j) + price * (m - 1 - j) for j in range(max(m - 1 - most_b, 0), m)]
    return min(ends)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(4, 12), st.integers(4, 12), st.sampled_from([(0, 0, 0.0), (3, 2, 0.3)]))
def test_the_path_is_the_best_within_the_limits(seed, n, m, left_out):
    d = np.random.default_rng(seed).random((n, m))
    path, cost = _path(d, left_out)
    assert cost == pytest.approx(naive_cost(d, *left_out)) or not np.isfinite(cost)
    if np.isfinite(cost):
        steps = np.diff(path, axis=0)
        assert {tuple(step) for step in steps.tolist()} <= {(1, 1), (1, 2), (2, 1)}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(20, 60), st.integers(30, 50))
def test_neither_signal_runs_more_than_twice_as_fast_as_the_other(seed, n, m):
    rng = np.random.default_rng(seed)
    a, b = (np.cumsum(rng.standard_normal((count, 3)), axis=0) for count in (n, m))
    start, stop, times, _ = limited_warp(a, b)
    assert (start, stop) == (0, n)
    assert (times[0], times[-1]) == (0.0, m - 1.0)
    if n <= 2 * (m - 1) and m <= 2 * (n - 1):
        assert np.diff(times).min() > 0.5 - 1e-6
        assert np.diff(times).max() < 2.0 + 1e-6


def test_a_signal_onto_itself_is_the_identity():
    signal = wave(np.linspace(0.0, 20.0, 120))
    for open_ends in (False, True):
        assert np.abs(limited_warp(signal, signal, open_ends=open_ends).times - np.arange(120)).max() < 1e-9


def test_a_smooth_rhythm_is_found_between_the_frames():
    t = np.linspace(0.0, 20.0, 200)
    rhythm = t + 0.8 * np.sin(0.5 * t)
    end = rhythm[-1]
    times = limited_warp(wave(rhythm), wave(np.linspace(0.0, end, 210))).times
    assert np.abs(times * end / 209 - rhythm).max() < 0.02
    assert np.abs(np.diff(times, 2)).max() < 0.05, "the tempo changes smoothly"


@pytest.mark.parametrize("surplus", ["a", "b"])
def test_what_only_one_has_at_an_end_is_left_out(surplus):
    """A motion that begins with something else: that part has no counterpart."""
    motion = wave(np.linspace(0.0, 15.0, 150))
    other = np.concatenate([3.0 + wave(np.linspace(0.0, -4.0, 40)), motion])
    start, stop, times, _ = limited_warp(*((other, motion) if surplus == "a" else (motion, other)), open_ends=True)
    if surplus == "a":
        assert abs(start - 40) <= 2
        assert stop == 190
    else:
        assert (start, stop) == (0, 150)
        assert abs(times[0] - 40) <= 2
    assert np.abs(np.diff(times)[3:] - 1.0).max() < 0.3


def test_a_window_holds_the_curve_near_an_even_one():
    a, b = wave(np.linspace(0.0, 20.0, 100)), wave(np.linspace(0.0, 20.0, 100) + 1.5)
    assert np.abs(limited_warp(a, b, window=3.0).times - np.arange(100)).max() < 4.0


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(3, 9), st.integers(3, 14), st.booleans())
def test_a_signal_is_found_at_the_best_part_within_the_limits(seed, n, m, whole):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((n, 2)), rng.standard_normal((m, 2))
    path, distance = find_limited(a, b, whole=whole)
    d = np.linalg.norm(a[:, None] - b[None], axis=2)
    expected = naive_cost(d, 0, 0 if whole else m, 0.0)
    assert np.isfinite(distance) == np.isfinite(expected)
    if np.isfinite(expected):
        assert distance * (np.sum(path[-1] - path[0]) + 2) == pytest.approx(expected, abs=1e-6)
        assert (path[0, 0], path[-1, 0]) == (0, n - 1)


@pytest.mark.parametrize("tempo", [0.6, 1.0, 1.7])
def test_a_part_is_found_at_any_tempo(tempo):
    long = np.cumsum(np.random.default_rng(1).standard_normal((300, 3)), axis=0)
    at = np.arange(100.0, 180.0, tempo)
    part = np.stack([np.interp(at, np.arange(300), channel) for channel in long.T], axis=1)
    path, distance = find_limited(part, long)
    assert abs(path[0, 1] - 100) <= 2
    assert abs(path[-1, 1] - 179) <= 2
    assert distance < 1.0
