"""The same path whichever way it is found; parts and windows of the table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.signals.warping import table as warp_table
from kinetune.signals.warping.time_warp import time_warp
from tests.signals.warping.warp_cases import COSTS, costs_to, distances, full_table_path, signals


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (40, 33), (113, 250), (300, 161), (450, 320)])
@pytest.mark.parametrize("find", [False, True])
def test_the_path_by_poses_is_that_of_a_full_table(shape, find):
    a, b = signals(*shape, seed=1)
    warp = time_warp(a, b, find=find)
    distance = distances(a, b)
    path = full_table_path(distance, free_ends=find)
    assert np.array_equal(warp.path, path)
    assert warp.cost == pytest.approx(distance[tuple(path.T)].sum(), rel=1e-12)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("options", [{}, {"window": 30}, {"find": True}])
def test_a_path_traced_from_marks_is_that_of_a_kept_table(monkeypatch, cost, options):
    a, b = signals(430, 390, seed=2)
    kept = time_warp(a, b, cost=cost, **options)
    monkeypatch.setattr(warp_table, "_KEPT_BYTES", 0)
    again = time_warp(a, b, cost=cost, **options)
    assert np.array_equal(kept.path, again.path)


def test_a_part_is_found_in_the_whole():
    whole, _ = signals(300, 1)
    warp = time_warp(whole[90:170], whole, find=True)
    assert warp.path[0].tolist() == [0, 90]
    assert warp.path[-1].tolist() == [79, 169]
    assert warp.cost < 1e-9


@pytest.mark.parametrize("shape", [(1, 40), (30, 200), (120, 90)])
def test_the_found_part_is_the_best_of_all(shape):
    a, b = signals(*shape, seed=8)
    warp = time_warp(a, b, find=True)
    assert warp.cost == pytest.approx(costs_to(distances(a, b), free_start=True)[-1].min(), rel=1e-12)
    assert (warp.path[0, 0], warp.path[-1, 0]) == (0, len(a) - 1)
    assert (warp.start, warp.stop) == (warp.path[0, 1], warp.path[-1, 1] + 1)
    assert warp.mapping()[0] >= warp.start - 1e-9


@pytest.mark.parametrize("cost", COSTS)
def test_a_played_part_is_found_by_either_cost(cost):
    t = np.linspace(0, 1, 400)
    whole = np.column_stack([np.sin(9 * t**2), np.cos(14 * t), t * np.sin(30 * t)])
    warp = time_warp(whole[120:220], whole, cost, find=True)
    assert (warp.start, warp.stop) == (120, 220)


def test_a_band_keeps_the_path_near_the_line():
    a, b = signals(100, 100, seed=5)
    bounded = time_warp(a, b, window=5)
    assert np.abs(np.diff(bounded.path, axis=1)).max() <= 6
    assert bounded.cost >= time_warp(a, b).cost


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 40), m=st.integers(1, 40), seed=st.integers(0, 9), window=st.floats(0, 12))
def test_a_band_is_symmetric_and_kept(n, m, seed, window):
    a, b = signals(n, m, seed=seed)
    warp = time_warp(a, b, window=window)
    assert np.isclose(warp.cost, time_warp(b, a, window=window).cost, rtol=1e-9)
    long, short = max(n, m) - 1, min(n, m) - 1
    if short:
        stretched = warp.path * (long / (n - 1), long / (m - 1))
        assert np.abs(np.diff(stretched, axis=1)).max() <= max(window, (long / short + 1) / 2) + 1e-9


def test_a_band_of_nothing_is_the_line_and_a_wide_one_no_bound():
    a, b = signals(50, 50)
    assert np.array_equal(time_warp(a, b, window=0).path, np.repeat(np.arange(50)[:, None], 2, axis=1))
    assert np.array_equal(time_warp(a, b, window=1e9).path, time_warp(a, b).path)
    assert np.array_equal(time_warp(a, b, window_s=0.2, fps=30.0).path, time_warp(a, b, window=6).path)


def test_the_banded_path_is_the_best_within_its_band():
    a, b = signals(60, 60)
    distance = distances(a, b)
    i, j = np.indices(distance.shape)
    distance[np.abs(i - j) > 7] = np.inf
    assert time_warp(a, b, window=7).cost == pytest.approx(costs_to(distance)[-1, -1], rel=1e-12)


@pytest.mark.parametrize("mode", ["never", "auto", "always"])
def test_the_compiled_code_runs_in_every_mode(monkeypatch, mode):
    monkeypatch.setenv("KINETUNE_COMPILED", mode)
    a, b = signals(9, 8)
    assert np.array_equal(time_warp(a, b).path, full_table_path(distances(a, b)))
