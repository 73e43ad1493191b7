import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from kinetune.errors import ParameterError
from kinetune.signals import warp_pose, warp_search
from kinetune.signals.warp_bounds import pose_bound
from kinetune.signals.warp_pose import PoseCost
from kinetune.signals.warp_search import best_path, strip_height
from kinetune.signals.warp_work import WorkCost
from kinetune.signals.warping import Warp, time_warp

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


# The search: the same path whichever way it is found


def both_bodies(monkeypatch, *given, **options):
    warps = []
    for mode in ("never", "always"):
        monkeypatch.setenv("KINETUNE_COMPILED", mode)
        warps.append(time_warp(*given, **options))
    return warps


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (40, 33), (113, 250), (300, 161), (650, 420)])
@pytest.mark.parametrize("options", [{}, {"window": 9}, {"find": True}])
def test_both_bodies_find_the_same_path(monkeypatch, cost, shape, options):
    plain, compiled = both_bodies(monkeypatch, *signals(*shape, seed=1), cost=cost, **options)
    assert np.array_equal(plain.path, compiled.path)
    assert plain.cost == compiled.cost


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize("options", [{}, {"window": 30}, {"find": True}])
def test_a_path_traced_from_marks_is_that_of_a_kept_table(monkeypatch, cost, mode, options):
    monkeypatch.setenv("KINETUNE_COMPILED", mode)
    a, b = signals(430, 390, seed=2)
    kept = time_warp(a, b, cost=cost, **options)
    monkeypatch.setattr(warp_search, "_KEPT_BYTES", 0)
    again = time_warp(a, b, cost=cost, **options)
    assert np.array_equal(kept.path, again.path)


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5, 5.0])
def test_what_a_bound_leaves_out_is_not_missed(monkeypatch, mode, noise):
    """The path with the hopeless cells left out is the path without, to the last bit."""
    monkeypatch.setenv("KINETUNE_COMPILED", mode)
    rng = np.random.default_rng(7)
    a, _ = signals(333, 1, seed=4)
    later = np.clip((np.linspace(0, 1, 290) ** 1.4 * 332).round().astype(int), 0, 332)
    b = a[later] + noise * rng.standard_normal((290, 4))
    cost = PoseCost(a, b)
    bound = pose_bound(cost)
    monkeypatch.setattr(warp_pose, "_COLUMNS_WITH_LIMIT", 40)
    whole, spared = best_path(cost), best_path(cost, bound=bound)
    assert np.array_equal(whole, spared)
    least = optimum_by_rows(a, b)
    assert bound.most >= least


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 60), m=st.integers(2, 60), seed=st.integers(0, 99))
def test_the_least_that_is_to_come_never_exceeds_what_comes(n, m, seed):
    """Lower bounds against the exact cost from each cell to the end, by the recursion run backwards."""
    a, b = signals(n, m, channels=2, seed=seed)
    distance = np.linalg.norm(a[:, None] - b[None], axis=-1)
    to_come = np.full((n + 1, m + 1), np.inf)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            ahead = min(to_come[i + 1, j + 1], to_come[i + 1, j], to_come[i, j + 1])
            to_come[i, j] = 0.0 if (i, j) == (n - 1, m - 1) else ahead
            to_come[i, j] += distance[i, j]
    cost = PoseCost(a, b)
    cost.strip_rows = 7  # many strips
    bound, height = pose_bound(cost), strip_height(cost)
    for strip, top in enumerate(range(0, n, height)):
        after = to_come[:n, :m] - distance
        rows = slice(top, min(top + height, n))
        assert np.all(bound.limit(strip, 0).rest <= after[rows].min(axis=0) + 1e-9 * to_come[0, 0])
        last = rows.stop - 1
        assert len(bound.hopeful(strip, bound.most - after[last], 0)) == m


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


def test_pauses_do_not_shake_the_path():
    """Equal frames have distance 0 exactly, so that a clip with pauses is matched with itself frame by frame."""
    a, _ = signals(90, 1, channels=70)
    a = np.repeat(a, 1 + 20 * (np.arange(90) % 30 == 7), axis=0)
    warp = time_warp(a, a)
    assert warp.cost == 0.0
    assert np.array_equal(warp.path[:, 0], warp.path[:, 1])


def work_by_rows(a, b):
    """Sederberg's work by the textbook recursion over three states, straight from the curves."""
    frame = np.sqrt(sum((np.diff(x, axis=0) ** 2).sum() for x in (a, b)) / (len(a) + len(b) - 2))
    lengths, turns = [], []
    for x in (a, b):
        ways = np.column_stack([np.full(len(x) - 1, frame), np.diff(x, axis=0)])
        lengths.append(np.linalg.norm(ways, axis=1))
        unit = ways / lengths[-1][:, None]
        turns.append(2 * np.arcsin(np.linalg.norm(unit[1:] - unit[:-1], axis=1) / 2))
    best = {(0, 0, None): 0.0}
    for i in range(len(a)):
        for j in range(len(b)):
            for move in ((1, 1), (1, 0), (0, 1)):
                p, q = i - move[0], j - move[1]
                ways = []
                for before in ((1, 1), (1, 0), (0, 1), None):
                    if (p, q, before) in best:
                        turned = [
                            turns[k][at - 1] if before and before[k] and move[k] else 0.0 for k, at in ((0, p), (1, q))
                        ]
                        long = [lengths[k][at] if move[k] else 0.0 for k, at in ((0, p), (1, q))]
                        work = abs(long[0] - long[1]) + frame * abs(turned[0] - turned[1])
                        ways.append(best[p, q, before] + work)
                if ways:
                    best[i, j, move] = min(ways)
    return min(best[len(a) - 1, len(b) - 1, move] for move in ((1, 1), (1, 0), (0, 1)))


@pytest.mark.parametrize("shape", [(2, 2), (9, 9), (12, 25), (30, 18)])
def test_sederbergs_path_is_optimal(shape):
    a, b = signals(*shape, seed=6)
    assert time_warp(a, b, "sederberg").cost == pytest.approx(work_by_rows(a, b), rel=1e-6)


def test_sederbergs_work_looks_at_shapes_not_at_places():
    a, b = signals(60, 45)
    near = time_warp(a, b, "sederberg")
    assert near.cost == pytest.approx(time_warp(a, b + 100.0, "sederberg").cost, rel=1e-9)
    assert near.cost < time_warp(a, b, "sederberg", stretch=2.0).cost
    assert not np.array_equal(near.path, time_warp(a, b, "sederberg", bend=0.0).path)


# What a path does to signals


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


# Windows, parts, degenerate signals


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
    distance = np.linalg.norm(a[:, None] - b[None], axis=-1)
    i, j = np.indices(distance.shape)
    distance[np.abs(i - j) > 7] = np.inf
    table = np.full((61, 61), np.inf)
    table[0, 0] = 0.0
    for r in range(60):
        for c in range(60):
            table[r + 1, c + 1] = distance[r, c] + min(table[r, c], table[r, c + 1], table[r + 1, c])
    assert time_warp(a, b, window=7).cost == pytest.approx(table[-1, -1], rel=1e-12)


@pytest.mark.parametrize("shape", [(1, 40), (30, 200), (120, 90)])
def test_the_found_part_is_the_best_of_all(shape):
    a, b = signals(*shape, seed=8)
    distance = np.linalg.norm(a[:, None] - b[None], axis=-1)
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0] = 0.0
    for i in range(len(a)):
        for j in range(len(b)):
            table[i + 1, j + 1] = distance[i, j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    warp = time_warp(a, b, find=True)
    assert warp.cost == pytest.approx(table[-1, 1:].min(), rel=1e-12)
    assert (warp.path[0, 0], warp.path[-1, 0]) == (0, len(a) - 1)
    assert (warp.start, warp.stop) == (warp.path[0, 1], warp.path[-1, 1] + 1)
    assert warp.mapping()[0] >= warp.start - 1e-9


@pytest.mark.parametrize("cost", COSTS)
def test_a_played_part_is_found_by_either_cost(cost):
    t = np.linspace(0, 1, 400)
    whole = np.column_stack([np.sin(9 * t**2), np.cos(14 * t), t * np.sin(30 * t)])
    warp = time_warp(whole[120:220], whole, cost, find=True)
    assert (warp.start, warp.stop) == (120, 220)


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
