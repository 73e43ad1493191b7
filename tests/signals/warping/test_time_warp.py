"""Laws of time warps: the best path of all, for either cost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.warping.time_warp import time_warp
from tests.signals.warping.warp_cases import COSTS, all_paths, optimum_by_rows, signals


@pytest.mark.parametrize("cost", COSTS)
@given(n=st.integers(1, 40), m=st.integers(1, 40), seed=st.integers(0, 9))
@settings(max_examples=25)
def test_a_path_goes_from_corner_to_corner_one_frame_at_a_time(cost, n, m, seed):
    warp = time_warp(*signals(n, m, seed=seed), cost=cost)
    assert warp.path[0].tolist() == [0, 0]
    assert warp.path[-1].tolist() == [n - 1, m - 1]
    steps = np.diff(warp.path, axis=0)
    assert np.all((steps >= 0) & (steps <= 1))
    assert np.all(steps.sum(axis=1) >= 1)


@pytest.mark.parametrize("shape", [(30, 30), (90, 41), (70, 150), (1, 9), (9, 1), (1, 1)])
def test_the_pose_path_is_optimal(shape):
    a, b = signals(*shape)
    warp = time_warp(a, b)
    assert np.isclose(warp.cost, optimum_by_rows(a, b), rtol=1e-12)
    along = np.linalg.norm(a[warp.path[:, 0]] - b[warp.path[:, 1]], axis=-1).sum()
    assert np.isclose(warp.cost, along, rtol=1e-12)


@pytest.mark.parametrize("step", [1.0, 0.01, 0.001])
def test_slow_motion_far_from_the_mean_costs_no_more_than_the_optimum(step):
    """Where a pose is large beside its change, distances by matrix products lose their digits."""
    rng = np.random.default_rng(3)
    poses = np.where(np.arange(160)[:, None] < 80, -90.0, 90.0) * rng.standard_normal(20)
    a = poses + step * np.cumsum(rng.standard_normal((160, 20)), axis=0)
    later = np.clip((np.linspace(0, 1, 160) ** 1.1 * 159).round().astype(int), 0, 159)
    b = a[later] + 0.5 * step * rng.standard_normal((160, 20))
    assert time_warp(a, b).cost <= optimum_by_rows(a, b) * (1 + 1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("step", [1.0, 1e-3])
def test_slow_motion_far_away(offset, step):
    rng = np.random.default_rng(5)
    a = offset + step * np.cumsum(rng.standard_normal((150, 9)), axis=0)
    b = a[np.sort(rng.integers(0, 150, 130))] + 0.3 * step * rng.standard_normal((130, 9))
    least = optimum_by_rows(a, b)
    warp = time_warp(a, b)
    assert warp.cost <= least * (1 + 1e-9)
    moved = time_warp(a - offset, b - offset)
    assert np.isclose(warp.cost, moved.cost, rtol=1e-4 if offset > 1e5 else 1e-7)


@pytest.mark.parametrize("cost", COSTS)
def test_no_other_path_is_cheaper(cost):
    for seed in range(6):
        a, b = signals(5, 5, channels=2, seed=seed)
        compared = COSTS[cost](a, b)
        least = min(compared.along(np.array(path)) for path in all_paths(5, 5))
        assert np.isclose(time_warp(a, b, cost=cost).cost, least, rtol=1e-9)


@pytest.mark.parametrize("cost", COSTS)
def test_exchanging_the_signals_exchanges_the_path(cost):
    a, b = signals(50, 65)
    assert np.isclose(time_warp(a, b, cost=cost).cost, time_warp(b, a, cost=cost).cost, rtol=1e-9)


def test_a_signal_warped_onto_itself_stays():
    a, _ = signals(60, 1)
    warp = time_warp(a, a)
    assert np.array_equal(warp.path, np.repeat(np.arange(60)[:, None], 2, axis=1))
    assert np.array_equal(warp.apply(a), a)
    assert np.allclose(warp.mapping(), np.arange(60))


def test_pauses_do_not_shake_the_path():
    """Equal frames have distance 0 exactly, so that a clip with pauses is matched with itself frame by frame."""
    a, _ = signals(90, 1, channels=70)
    a = np.repeat(a, 1 + 20 * (np.arange(90) % 30 == 7), axis=0)
    warp = time_warp(a, a)
    assert warp.cost == 0.0
    assert np.array_equal(warp.path[:, 0], warp.path[:, 1])


def test_constant_signals_go_along_the_diagonal():
    warp = time_warp(np.zeros((20, 3)), np.zeros((20, 3)))
    assert np.array_equal(warp.path[:, 0], warp.path[:, 1])


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (12, 12), (12, 5)])
def test_constant_signals_cost_only_the_time_they_wait(cost, shape):
    a, b = (np.full((k, 2), 3.0) for k in shape)
    warp = time_warp(a, b, cost)
    assert warp.cost == 0.0
    assert len(warp.path) == max(shape)
    np.testing.assert_allclose(warp.apply(b), a, rtol=1e-15)


def test_any_shape_of_frame_is_compared_as_a_whole():
    a, b = signals(30, 20, channels=6)
    flat = time_warp(a, b)
    assert np.array_equal(time_warp(a.reshape(30, 2, 3), b.reshape(20, 2, 3)).path, flat.path)
    assert np.array_equal(time_warp(np.asfortranarray(a), b[:, ::1]).path, flat.path)
    assert time_warp(a[:, 0], b[:, 0]).path.shape[1] == 2
    assert time_warp(a.astype(np.float32), b).path.shape[1] == 2


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        (np.zeros((5, 2)), np.zeros((5, 3)), {}),
        (np.zeros((0, 2)), np.zeros((5, 2)), {}),
        (np.full((5, 2), np.nan), np.zeros((5, 2)), {}),
        (np.zeros((5, 2)), np.zeros((5, 2)), {"cost": "pose", "window": float("nan")}),
        (np.zeros((5, 2)), np.zeros((5, 2)), {"window": -1}),
    ],
)
def test_bad_input_is_explained(a, b, options):
    with pytest.raises(ParameterError, match=r"\.$"):
        time_warp(a, b, **options)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda a, b: time_warp(a, b, window=3, window_s=0.1, fps=30), "not both"),
        (lambda a, b: time_warp(a, b, window_s=0.1), "needs the frame rate"),
        (lambda a, b: time_warp(a, b, window=3, find=True), "cannot be combined"),
        (lambda a, b: time_warp(a, b, "sederberg", bend=-1), "bend must be"),
        (lambda a, b: time_warp(a, np.zeros((4, 0))), "channels"),
        (lambda a, b: time_warp(a * 1e200, b), "so large"),
        (lambda a, b: time_warp(a, b).apply(a[:3]), r"signals of 8 frames to 9; got shape \(3, 2\)"),
        (lambda a, b: time_warp(a, b).partial(1.5), "between 0"),
        (lambda a, b: time_warp(a, b).partial(-0.1), "between 0"),
        (lambda a, b: time_warp(a, b).mapping(-1.0), "smoothing"),
    ],
)
def test_other_mistakes_are_told(call, words):
    with pytest.raises(ParameterError, match=words):
        call(*signals(9, 8, channels=2))
