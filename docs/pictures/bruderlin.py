"""The picture and the numbers of the page on sections 2 and 3 of Bruderlin's paper.

python docs/pictures/bruderlin.py
"""

from math import factorial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from kinetune import figures
from kinetune.figures import palette
from kinetune.signals.bands import band_centres_hz, count_bands, split_bands
from kinetune.signals.warp_work import WorkCost
from kinetune.signals.warping import time_warp

HERE = Path(__file__).parent
FPS = 120.0
FRAMES = 300


def main() -> None:
    ramp = np.linspace(0.0, 1.0, FRAMES)
    base = split_bands(ramp).base
    draw(ramp, base)
    print(f"base of a ramp from 0 to 1 over {FRAMES} frames: from {base[0]:.2f} to {base[-1]:.2f}")
    print(f"paths through a grid of 10 x 10: {paths(9):,}; n^n / n! = {9**9 / factorial(9):,.0f}")
    share, most = one_value_per_node(pairs=300, frames=10)
    print(f"one value per node misses the best path in {share:.0%} of 300 pairs, by up to {most:.0%} of its cost")


def draw(ramp: np.ndarray, base: np.ndarray) -> None:
    """The responses of the bands, and what is left of a ramp in the base."""
    count = count_bands(FRAMES)
    hz = np.geomspace(0.05, 0.5 * FPS, 1500)
    before = np.ones_like(hz)
    with palette.style():
        figure = Figure(figsize=(9.0, 2.8))
        figure.set_layout_engine("constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        for k, centre in enumerate(band_centres_hz(count, FPS)):
            after = before * np.cos(np.pi * hz / FPS * 2.0**k) ** 4
            (line,) = left.semilogx(hz, before - after)
            left.annotate(f"{k}", (centre, (before - after).max()), color=line.get_color(), ha="center", va="bottom")
            before = after
        left.semilogx(hz, before, color="0.4", linestyle="--")
        left.set(xlabel="Hz", ylim=(0.0, 1.12), title=f"Bands of {FRAMES} frames at {FPS:.0f} fps; dashed: the base")
        right.plot(ramp, color="0.7", label="signal")
        right.plot(base, label="base")
        right.set(xlabel="frame", title="The base is no constant")
        right.legend()
        figures.save(figure, HERE / "bruderlin.png")


def paths(n: int) -> int:
    """How many monotone paths lead from (0, 0) to (n, n), by steps of one signal, of the other, or of both."""
    ways = np.ones((n + 1, n + 1), dtype=object)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            ways[i, j] = ways[i - 1, j] + ways[i, j - 1] + ways[i - 1, j - 1]
    return int(ways[n, n])


def one_value_per_node(pairs: int, frames: int) -> tuple[float, float]:
    """How often, and by how much, a table that keeps the best way to each node only misses the best path."""
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
        found = cost.along(np.array(best[frames - 1, frames - 1]))
        excess[pair] = found / time_warp(a, b, "sederberg").cost - 1.0
    return float(np.mean(excess > 1e-9)), float(excess.max())


if __name__ == "__main__":
    main()
