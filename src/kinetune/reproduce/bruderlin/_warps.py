"""Figures 6 and 7 of Bruderlin's paper: which moments of two walks belong together."""

from __future__ import annotations

from math import factorial

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.reproduce.experiments import Context, Result, erratum, same
from kinetune.rotations import Floats
from kinetune.samples import sample
from kinetune.signals.warping.time_warp import time_warp

_MATRIX = "Dark: moments that are unlike. The path is the best correspondence."


def warped_knees(context: Context) -> Result:
    """A sad walk at the pace of a happy one and halfway there."""
    from kinetune.body.timeline.alignment import align
    from kinetune.figures.motion.warp_figure import draw_warped_curves

    sad, happy = sample("walk-sad"), sample("walk-happy")
    before, after = _likeness(sad, happy), _likeness(align(sad, happy), happy)
    sad_s, half_s, happy_s = (align(sad, happy, amount=amount).duration for amount in (0.0, 0.5, 1.0))
    return Result(
        (
            same(
                "correlation of the knee angles, before and after the warp",
                "matched",
                f"{before:.2f} and {after:.2f}",
                after > 0.9 and after > before,
            ),
            same(
                "length halfway between the two timings",
                "freely interpolate between the mappings",
                f"{half_s:.2f} s between {sad_s:.2f} s and {happy_s:.2f} s",
                min(sad_s, happy_s) < half_s < max(sad_s, happy_s),
            ),
        ),
        (
            context.save(
                draw_warped_curves(sad, happy, "left lower leg", names=("sad", "happy")),
                "knees",
                "The left knees of two walks.",
            ),
        ),
    )


def _likeness(clip: Clip, other: Clip) -> float:
    frames = min(len(clip), len(other))
    one, two = (figures.channel(c, "left lower leg", like=other)[:frames] for c in (clip, other))
    return float(np.corrcoef(one, two)[0, 1])


def correspondences(context: Context) -> Result:
    """The best path of two walks; paths of small grids against all others."""
    from kinetune.figures.motion.warp_figure import draw_warp

    dice = np.random.default_rng(3)
    worst = 0.0
    for _ in range(20):
        a, b = dice.standard_normal((10, 2)), dice.standard_normal((10, 2))
        worst = max(worst, time_warp(a, b).cost - _least(a, b))
    missed, most = one_value_per_node(60 if context.quick else 300, 10)
    sad, happy = sample("walk-sad"), sample("walk-happy")
    work = time_warp(_signal(sad), _signal(happy), "sederberg")
    return Result(
        (
            same(
                "cost above the best of all paths, 20 grids of 10 x 10",
                "globally optimal",
                f"{worst:.1e}",
                worst < 1e-9,
            ),
            same(
                "path by stretching and bending work",
                "from (0, 0) to (n, n), monotone",
                f"{len(work.path)} pairs",
                bool(np.all(np.diff(work.path, axis=0) >= 0) and work.path[0].sum() == 0),
            ),
            erratum(
                "paths through the grid of Figure 7",
                "O(n^n / n!)",
                f"{count_paths(9):,}, where 9^9 / 9! is {9**9 / factorial(9):,.0f}",
                count_paths(9) > 100 * 9**9 / factorial(9),
                "Steps along either signal and along both are allowed.",
            ),
            erratum(
                "pairs of 10 samples for which one value per node misses the best path of work",
                "globally optimal by visiting every node in the grid once",
                f"{missed:.0%}, by up to {most:.0%} of its cost",
                missed > 0.05,
                "Bending work takes three vertices of each signal, so the best path to a node need not be part of "
                "the best path overall. Three values per node, one for each step that leads to it, do not miss it.",
            ),
        ),
        (context.save(draw_warp(sad, happy, joint="left lower leg", names=("sad", "happy")), "matrix", _MATRIX),),
    )


def count_paths(n: int) -> int:
    """How many monotone paths lead from (0, 0) to (n, n), by steps of one signal, of the other, or of both."""
    ways = np.ones((n + 1, n + 1), dtype=object)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            ways[i, j] = ways[i - 1, j] + ways[i, j - 1] + ways[i - 1, j - 1]
    return int(ways[n, n])


def one_value_per_node(pairs: int, frames: int) -> tuple[float, float]:
    """How often, and by how much, a table that keeps the best way to each node only misses the best path."""
    from kinetune.signals.warping.work_cost import WorkCost

    dice = np.random.default_rng(0)
    excess = np.zeros(pairs)
    for pair in range(pairs):
        a, b = np.cumsum(dice.standard_normal((2, frames, 1)), axis=1)
        cost = WorkCost(a, b)
        best = {(0, 0): [(0, 0)]}
        for i in range(frames):
            for j in range(frames):
                reached = [best[p] for p in ((i - 1, j - 1), (i - 1, j), (i, j - 1)) if p in best]
                if reached:
                    best[i, j] = min(([*way, (i, j)] for way in reached), key=lambda way: cost.along(np.array(way)))
        cost_of_best = cost.along(np.array(best[frames - 1, frames - 1]))
        excess[pair] = cost_of_best / time_warp(a, b, "sederberg").cost - 1.0
    return float(np.mean(excess > 1e-9)), float(excess.max())


def _signal(clip: Clip) -> Floats:
    return figures.channel(clip, "left lower leg")[:, None]


def _least(a: Floats, b: Floats) -> float:
    """The least sum of distances over all monotone paths, by trying every step."""
    apart = np.linalg.norm(a[:, None] - b[None], axis=-1)
    best = np.full(apart.shape, np.inf)
    best[0, 0] = apart[0, 0]
    for i in range(len(a)):
        for j in range(len(b)):
            steps = [best[i - di, j - dj] for di, dj in ((1, 0), (0, 1), (1, 1)) if i >= di and j >= dj]
            if steps:
                best[i, j] = apart[i, j] + min(steps)
    return float(best[-1, -1])
