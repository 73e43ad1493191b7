"""What the corridor of a time warp leaves out is on no best path."""

import numpy as np
import pytest

from kinetune.signals.warp_bounds import pose_path
from kinetune.signals.warp_corridor import Blocks, Corridor, whole_path
from kinetune.signals.warp_pose import PoseCost
from kinetune.signals.warp_search import best_path


def related(n, m, channels=6, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    times, later = np.linspace(0, 9, n)[:, None], np.linspace(0, 1, m)[:, None] ** 1.2 * 9
    shift = rng.random(channels) * 6
    a, b = (np.sin(t * (1 + np.arange(channels) % 3) + shift) for t in (times, later))
    return a, b + noise * rng.standard_normal(b.shape)


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.4, 3.0])
@pytest.mark.parametrize("shape", [(260, 231), (300, 120), (190, 400)])
def test_a_path_in_a_corridor_is_that_of_the_whole_table(monkeypatch, mode, noise, shape):
    monkeypatch.setenv("KINETUNE_COMPILED", mode)
    cost = PoseCost(*related(*shape, noise=noise))
    assert np.array_equal(pose_path(cost), best_path(cost))
    assert np.array_equal(whole_path(cost), best_path(cost))


@pytest.mark.parametrize("mode", ["never", "always"])
def test_every_path_as_cheap_as_the_known_one_keeps_to_what_is_needed(monkeypatch, mode):
    """The cost of the best path through each cell, by the recursion from both ends, against the blocks left out."""
    monkeypatch.setenv("KINETUNE_COMPILED", mode)
    a, b = related(120, 101, noise=0.1)
    distance = np.linalg.norm(a[:, None] - b[None], axis=-1)
    through = table_of(distance) + table_of(distance[::-1, ::-1])[::-1, ::-1] - distance
    cost = PoseCost(a, b)
    spared = 0
    for excess in (1.0, 1.05, 1.5):
        corridor = Corridor(cost, Blocks(cost, 4), high=2, margin=1)
        _, most = corridor.best_path()
        corridor.needed(excess * most)
        left_out = np.ones(distance.shape, dtype=bool)
        for strip, (first, stop) in enumerate(zip(*corridor.columns, strict=True)):
            left_out[strip * corridor.rows : (strip + 1) * corridor.rows, first:stop] = False
        assert np.all(through[left_out] > excess * most * (1 - 1e-9))
        spared += left_out.sum()
    assert spared > 0.5 * distance.size


def table_of(distance):
    table = np.full((distance.shape[0] + 1, distance.shape[1] + 1), np.inf)
    table[0, 0] = 0.0
    for i, j in np.ndindex(distance.shape):
        table[i + 1, j + 1] = distance[i, j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return table[1:, 1:]
