"""What a path does to signals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from kinetune.signals.warping.time_warp import Warp, time_warp
from tests.signals.warping.warp_cases import signals


def test_a_stretched_signal_comes_back():
    t = np.linspace(0, 6, 240)
    a = np.stack([np.sin(t), np.cos(2 * t), t], axis=-1)
    warped_t = np.linspace(0, 1, 200) ** 1.3 * 6
    b = np.stack([np.sin(warped_t), np.cos(2 * warped_t), warped_t], axis=-1)
    warp = time_warp(a, b)
    assert np.abs(warp.apply(b) - a).mean() < 0.02
    assert np.all(np.diff(warp.mapping()) > 0)


def test_partial_runs_from_one_timing_to_the_other():
    a, b = signals(80, 120)
    warp = time_warp(a, b)
    assert [len(warp.partial(s)) for s in (0.0, 0.5, 1.0)] == [80, 100, 120]
    assert np.allclose(warp.partial(0.0).apply_to_a(a), a)
    assert np.allclose(warp.partial(1.0).apply(b), b)
    for s in (0.0, 0.3, 1.0):
        timing = warp.partial(s)
        assert np.all(np.diff(timing.a) > 0)
        assert np.all(np.diff(timing.b) > 0)


def warp_of(*pairs):
    path = np.array(pairs)
    return Warp(path, 0.0, int(path[-1, 0]) + 1, int(path[-1, 1]) + 1)


def test_substitution_deletion_and_insertion():
    """Section 3.2 on a path by hand: one to one, three to one, one to four."""
    warp = warp_of((0, 0), (1, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 4), (5, 4), (6, 5))
    b = np.array([10.0, 1.0, 2.0, 6.0, 8.0, 20.0])
    got = warp.apply(b)
    assert got[0] == 10.0
    assert got[1] == 3.0
    assert got[6] == 20.0
    curve = BSpline(np.arange(-4.0, 12.0), np.concatenate([[10.0, 10.0], b, [20.0] * 4]), 3)
    np.testing.assert_allclose(got[2:6], curve(4.0 + np.array([-0.375, -0.125, 0.125, 0.375])), rtol=0, atol=1e-12)
    assert warp.inverse().apply(np.arange(7.0)).tolist()[:4] == [0.0, *warp.inverse().apply(np.arange(7.0))[1:4]]
    assert warp.inverse().apply(np.arange(7.0))[4] == 3.5


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 40), m=st.integers(1, 40), seed=st.integers(0, 99))
def test_constants_and_types_survive(n, m, seed):
    warp = time_warp(*signals(n, m, seed=seed))
    np.testing.assert_allclose(warp.apply(np.full((m, 2, 3), 7.0)), np.full((n, 2, 3), 7.0), rtol=1e-14)
    assert warp.apply(np.ones(m, np.float32)).dtype == np.float32
    x = np.random.default_rng(seed).standard_normal(m)
    np.testing.assert_allclose(warp.apply(3.0 * x - 1.0), 3.0 * warp.apply(x) - 1.0, rtol=0, atol=1e-12)
    assert warp.apply(x).min() >= x.min() - 1e-12
    assert warp.apply(x).max() <= x.max() + 1e-12


def test_where_samples_are_only_drawn_out_a_line_stays_a_line():
    warp = warp_of(*((i, i // 3) for i in range(30)))
    got = warp.apply(np.arange(10.0))
    np.testing.assert_allclose(np.diff(got[6:24]), 1 / 3, rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(2, 60), m=st.integers(2, 60), seed=st.integers(0, 99), smoothing=st.sampled_from([0, 1, 5, 40.5]))
def test_a_mapping_never_halts_and_keeps_its_ends(n, m, seed, smoothing):
    warp = time_warp(*signals(n, m, seed=seed))
    for s in (0.0, 0.3, 1.0):
        timing = warp.partial(s, smoothing)
        assert len(timing) == np.floor((1.0 - s) * (n - 1) + s * (m - 1) + 0.5) + 1
        for times, last in ((timing.a, n - 1), (timing.b, m - 1)):
            assert (times[0], times[-1]) == (0.0, last)
            assert np.all(np.diff(times) > 0)
    assert np.array_equal(warp.mapping(smoothing), warp.partial(0.0, smoothing).b)
    np.testing.assert_allclose(warp.partial(0.0, smoothing).a, np.arange(n), atol=1e-9)
    np.testing.assert_allclose(warp.partial(1.0, smoothing).b, np.arange(m), atol=1e-9)
    there, back = warp.partial(0.25, smoothing), warp.inverse().partial(0.75, smoothing)
    np.testing.assert_allclose(there.a, back.b, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1)])
def test_one_frame_has_a_timing_too(shape):
    warp = time_warp(*signals(*shape))
    for s in (0.0, 0.4, 1.0):
        timing = warp.partial(s, 3.0)
        assert timing.apply(np.zeros((shape[1], 2))).shape == (len(timing), 2)
        assert timing.apply_to_a(np.zeros((shape[0], 2))).shape == (len(timing), 2)
    assert warp.mapping().shape == (shape[0],)


def test_two_motions_meet_on_a_clock_between_them():
    t = np.linspace(0, 1, 200)
    even, uneven = (
        np.sin(12 * t)[:, None] + [0.0, 2.0],
        np.sin(12 * t[:150] ** 1.5 / t[149] ** 1.5)[:, None] + [0.0, 2.0],
    )
    timing = time_warp(even, uneven).partial(0.5, 5.0)
    assert len(timing) == 175
    assert np.abs(timing.apply(uneven) - timing.apply_to_a(even)).max() < 0.06
