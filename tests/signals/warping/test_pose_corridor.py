"""What a coarse look at two signals leaves out of the table of their time warp is on no best path."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.signals.warping import _pose_corridor as warp_corridor
from kinetune.signals.warping import pose_cost as warp_pose
from kinetune.signals.warping._pose_corridor import Blocks, Corridor, pose_path, whole_path
from kinetune.signals.warping.pose_cost import PoseCost
from kinetune.signals.warping.table import best_path, strip_height
from tests.signals.warping.warp_cases import costs_to, distances, related, signals


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.4, 3.0])
@pytest.mark.parametrize("shape", [(260, 231), (300, 120), (190, 400)])
def test_a_path_in_a_corridor_is_that_of_the_whole_table(noise, shape):
    cost = PoseCost(*related(*shape, noise=noise))
    assert np.array_equal(pose_path(cost), best_path(cost))
    assert np.array_equal(whole_path(cost), best_path(cost))


@pytest.mark.parametrize("noise", [0.05, 0.4])
@pytest.mark.parametrize("kept", [0, 1 << 24])
def test_a_corridor_too_narrow_is_noticed(monkeypatch, noise, kept):
    """A corridor of next to nothing: its path is not the best, and the best one is found all the same."""
    monkeypatch.setattr(warp_corridor, "_HIGH", 1)
    monkeypatch.setattr(warp_corridor, "_MARGIN", 0)
    monkeypatch.setattr(warp_corridor, "_WHOLE", 0)
    monkeypatch.setattr(warp_corridor, "_KEPT_STEPS", kept)
    monkeypatch.setattr(warp_pose, "_COLUMNS_WITH_LIMIT", 40)
    monkeypatch.setattr(warp_corridor, "_MANY", 1)
    cost = PoseCost(*related(300, 240, channels=30, noise=noise))
    corridor = Corridor(cost, Blocks(cost, 5), 1, 0)
    best = best_path(cost)
    assert not np.array_equal(corridor.best_path()[0], best)
    assert np.array_equal(pose_path(cost), best)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("offset", [0.0, 50.0])
def test_no_two_frames_are_closer_than_their_blocks_allow(monkeypatch, seed, offset):
    """In noise the bounds are better by the directions in which poses differ most."""
    a, b = related(70, 64, channels=30, noise=0.3, seed=seed)
    distance = distances(a, b)
    least = np.minimum.reduceat(np.minimum.reduceat(distance, np.arange(0, 70, 5), 0), np.arange(0, 64, 5), 1)
    bounds = []
    for many in (10**6, 1):
        monkeypatch.setattr(warp_corridor, "_MANY", many)
        blocks = Blocks(PoseCost(a + offset, b + offset), 5)
        blocks.corridor(4, 2)
        assert np.all(blocks.nearest <= least)
        bounds.append(blocks.nearest.mean())
    assert bounds[1] > 1.5 * bounds[0] > 0.0


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_least_ahead_of_a_corner_never_exceeds_what_comes(share):
    """Against the exact cost from each cell to the end, by the recursion run backwards."""
    a, b = related(61, 83, noise=0.2)
    distance = distances(a, b)
    to_come = costs_to(distance[::-1, ::-1])[::-1, ::-1]
    corridor = Corridor(PoseCost(a, b), Blocks(PoseCost(a, b), 4), 4, 2)
    corridor.best_path()
    ahead = corridor.blocks.least_ahead(np.inf, share)
    i, j = np.meshgrid(np.arange(0, 61, 4), np.arange(0, 83, 4), indexing="ij")
    assert np.all(ahead[i // 4, j // 4] <= to_come[i, j] * (1 + 1e-9))
    assert ahead[0, 0] > 0.3 * to_come[0, 0]


def test_every_path_as_cheap_as_the_known_one_has_room():
    """The cost of the best path through each cell, by the recursion from both ends, against the blocks left out."""
    a, b = related(120, 101, noise=0.1)
    distance = distances(a, b)
    to = costs_to(distance)
    through = to + costs_to(distance[::-1, ::-1])[::-1, ::-1] - distance
    cost = PoseCost(a, b)
    spared = 0
    for excess in (1.0, 1.05, 1.5):
        corridor = Corridor(cost, Blocks(cost, 4), high=2, margin=1)
        _, most = corridor.best_path()
        ahead = corridor.blocks.least_ahead(excess * most)
        left_out = np.ones(distance.shape, dtype=bool)
        hopeful = 0, 0
        for top in range(0, 30, 2):
            row = np.full(101 + 20, np.inf)
            row[0] = np.inf if top else 0.0
            row[1:102] = to[4 * top - 1] if top else np.inf
            hopeful = corridor.blocks.hopeful(top, 2, row, ahead, excess * most, *hopeful)
            left_out[4 * top : 4 * top + 8, 4 * hopeful[0] : 4 * hopeful[1]] = False
        assert np.all(through[left_out] > excess * most * (1 - 1e-9))
        spared += left_out.sum()
    assert spared > 0.5 * distance.size


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5, 5.0])
def test_what_a_bound_leaves_out_is_not_missed(monkeypatch, noise):
    """The path with the hopeless cells left out is the path without, to the last bit."""
    rng = np.random.default_rng(7)
    a, _ = signals(333, 1, seed=4)
    later = np.clip((np.linspace(0, 1, 290) ** 1.4 * 332).round().astype(int), 0, 332)
    b = a[later] + noise * rng.standard_normal((290, 4))
    cost = PoseCost(a, b)
    monkeypatch.setattr(warp_pose, "_COLUMNS_WITH_LIMIT", 40)
    assert np.array_equal(best_path(cost), best_path(cost, bound=bound_of(cost)))


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 60), m=st.integers(2, 60), seed=st.integers(0, 99))
def test_the_least_that_is_to_come_never_exceeds_what_comes(n, m, seed):
    a, b = signals(n, m, channels=2, seed=seed)
    distance = distances(a, b)
    to_come = costs_to(distance[::-1, ::-1])[::-1, ::-1]
    cost = PoseCost(a, b)
    cost.strip_rows = 7  # many strips
    bound, height = bound_of(cost), strip_height(cost)
    assert bound.most >= to_come[0, 0]
    for strip, top in enumerate(range(0, n, height)):
        after = to_come - distance
        rows = slice(top, min(top + height, n))
        rest = bound.limit(strip, 0).rest
        least = after[rows].min(axis=0)
        assert np.all((rest <= least + 1e-9 * to_come[0, 0]) | (least > bound.most))
        last = rows.stop - 1
        hopeful = bound.hopeful(strip, bound.most - after[last], 0)
        assert np.all(np.isin(np.flatnonzero(after[last] <= bound.most), hopeful))


def bound_of(cost):
    corridor = Corridor(cost, Blocks(cost, 8), 8, 5)
    return corridor.bound(corridor.best_path()[1] * (1 + 1e-7))
