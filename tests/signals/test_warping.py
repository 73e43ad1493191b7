import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.warp_pose import PoseCost
from kinetune.signals.warp_work import WorkCost
from kinetune.signals.warping import time_warp

COSTS = {"pose": PoseCost, "sederberg": WorkCost}


def signals(n, m, channels=4, seed=0):
    rng = np.random.default_rng(seed)
    return [np.cumsum(rng.standard_normal((k, channels)), axis=0) for k in (n, m)]


def optimum_by_rows(a, b):
    """The least cost of a pose warp, by the textbook recursion over a whole table."""
    distance = np.linalg.norm(a[:, None] - b[None], axis=-1)
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(len(a)):
        for j in range(len(b)):
            table[i + 1, j + 1] = distance[i, j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


def all_paths(n, m, at=(0, 0)):
    if at == (n - 1, m - 1):
        yield [at]
        return
    for step in ((1, 1), (1, 0), (0, 1)):
        to = (at[0] + step[0], at[1] + step[1])
        if to[0] < n and to[1] < m:
            for rest in all_paths(n, m, to):
                yield [at, *rest]


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize("cost", COSTS)
@given(n=st.integers(1, 40), m=st.integers(1, 40), seed=st.integers(0, 9))
@settings(max_examples=25)
def test_a_path_goes_from_corner_to_corner_one_frame_at_a_time(mode, cost, n, m, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETUNE_COMPILED", mode)
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


def test_a_part_is_found_in_the_whole():
    whole, _ = signals(300, 1)
    warp = time_warp(whole[90:170], whole, find=True)
    assert warp.path[0].tolist() == [0, 90]
    assert warp.path[-1].tolist() == [79, 169]
    assert warp.cost < 1e-9


def test_a_band_keeps_the_path_near_the_line():
    a, b = signals(100, 100, seed=5)
    bounded = time_warp(a, b, window=5)
    assert np.abs(np.diff(bounded.path, axis=1)).max() <= 6
    assert bounded.cost >= time_warp(a, b).cost


def test_constant_signals_go_along_the_diagonal():
    warp = time_warp(np.zeros((20, 3)), np.zeros((20, 3)))
    assert np.array_equal(warp.path[:, 0], warp.path[:, 1])


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
