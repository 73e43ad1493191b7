"""Sederberg's work, and the band of the table that it takes to find its best path."""

import numpy as np
import pytest

from kinetune.signals.warping import work_cost as warp_work
from kinetune.signals.warping.table import best_path
from kinetune.signals.warping.time_warp import time_warp
from kinetune.signals.warping.work_cost import TableBand, WorkCost, most_waits, path_in_band, work_path
from tests.signals.warping.warp_cases import all_paths, related, signals


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


@pytest.mark.parametrize("shape", [(2, 2), (9, 9), (12, 25), (30, 18), (70, 61), (40, 130)])
def test_sederbergs_path_is_optimal(shape):
    a, b = signals(*shape, seed=6)
    assert time_warp(a, b, "sederberg").cost == pytest.approx(work_by_rows(a, b), rel=1e-6)


def test_sederbergs_work_looks_at_shapes_not_at_places():
    a, b = signals(60, 45)
    near = time_warp(a, b, "sederberg")
    assert near.cost == pytest.approx(time_warp(a, b + 100.0, "sederberg").cost, rel=1e-9)
    assert near.cost < time_warp(a, b, "sederberg", stretch=2.0).cost
    assert not np.array_equal(near.path, time_warp(a, b, "sederberg", bend=0.0).path)


@pytest.mark.parametrize("shape", [(200, 200), (260, 200), (150, 290), (400, 41)])
@pytest.mark.parametrize("margin", [0, 40])
def test_a_path_in_a_band_is_that_of_the_whole_table(monkeypatch, shape, margin):
    """Smooth motions and rough ones; a band of nothing has to be widened."""
    monkeypatch.setattr(warp_work, "_BAND_MARGIN", margin)
    for a, b in (related(*shape), related(*shape, noise=0.0), signals(*shape)):
        cost = WorkCost(a, b)
        best = best_path(cost)
        assert np.array_equal(work_path(cost), best)
        assert np.array_equal(path_in_band(cost, TableBand(len(a) - 1, len(b) - 1)), best)


def test_a_band_too_wide_to_keep_is_filled_in_strips(monkeypatch):
    cost = WorkCost(*signals(220, 200))
    best = best_path(cost)
    monkeypatch.setattr(warp_work, "_KEPT_BAND_BYTES", 0)
    assert np.array_equal(work_path(cost), best)


@pytest.mark.parametrize(("shape", "bend"), [((5, 5), 1.0), ((6, 4), 1.0), ((4, 6), 0.1), ((5, 6), 3.0), ((5, 5), 0.0)])
def test_no_path_of_that_cost_waits_more_often(shape, bend):
    paths = [np.array(path) for path in all_paths(*shape)]
    spared = 0
    for seed in range(5):
        cost = WorkCost(*signals(*shape, channels=2, seed=seed), bend=bend)
        work = np.array([cost.along(path) for path in paths])
        waits = np.array([np.sum(np.diff(path[:, 1]) == 0) for path in paths])
        for most in np.quantile(work, [0.0, 0.01, 0.1, 0.5]):
            bound = most_waits(cost, most)
            assert np.all(waits[work <= most] <= bound)
            spared += np.sum(waits > bound)
    assert spared > 0
