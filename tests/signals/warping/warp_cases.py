"""Signals and a second algorithm that the tests of time warps share."""

import numpy as np

from kinetune.signals.warping.pose_cost import PoseCost
from kinetune.signals.warping.work_cost import WorkCost

COSTS = {"pose": PoseCost, "sederberg": WorkCost}


def signals(n, m, channels=4, seed=0):
    rng = np.random.default_rng(seed)
    return [np.cumsum(rng.standard_normal((k, channels)), axis=0) for k in (n, m)]


def related(n, m, channels=6, noise=0.05, seed=0):
    """A motion, and the same at another pace with noise."""
    rng = np.random.default_rng(seed)
    times, later = np.linspace(0, 9, n)[:, None], np.linspace(0, 1, m)[:, None] ** 1.2 * 9
    shift = rng.random(channels) * 6
    a, b = (np.sin(t * (1 + np.arange(channels) % 3) + shift) for t in (times, later))
    return a, b + noise * rng.standard_normal(b.shape)


def distances(a, b):
    return np.linalg.norm(a[:, None] - b[None], axis=-1)


def costs_to(distance, free_start=False):
    """The least cost from the start to every cell, by the textbook recursion over a whole table."""
    table = np.full((distance.shape[0] + 1, distance.shape[1] + 1), np.inf)
    table[0, : None if free_start else 1] = 0.0
    for i, j in np.ndindex(distance.shape):
        table[i + 1, j + 1] = distance[i, j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return table[1:, 1:]


def full_table_path(distance, free_ends=False):
    """The best path through a whole table: diagonally where costs are equal, then a step of a, then one of b."""
    table = np.pad(costs_to(distance, free_ends), ((1, 0), (1, 0)), constant_values=np.inf)
    table[0, : None if free_ends else 1] = 0.0
    i, j = len(distance), int(np.argmin(table[-1, 1:])) + 1 if free_ends else distance.shape[1]
    path = []
    while i:
        path.append((i - 1, j - 1))
        di, dj = min(((1, 1), (1, 0), (0, 1)), key=lambda step: table[i - step[0], j - step[1]])
        i, j = i - di, j - dj
    return np.array(path[::-1])


def optimum_by_rows(a, b):
    """The least cost of a pose warp."""
    return costs_to(distances(a, b))[-1, -1]


def all_paths(n, m, at=(0, 0)):
    if at == (n - 1, m - 1):
        yield [at]
        return
    for step in ((1, 1), (1, 0), (0, 1)):
        to = (at[0] + step[0], at[1] + step[1])
        if to[0] < n and to[1] < m:
            for rest in all_paths(n, m, to):
                yield [at, *rest]
