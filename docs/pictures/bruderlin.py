"""The picture and the numbers of the page on sections 2 and 3 of Bruderlin's paper.

python docs/pictures/bruderlin.py
"""

from math import factorial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from kinetune import figures
from kinetune.figures import palette
from kinetune.reproduce.bruderlin._warps import count_paths, one_value_per_node
from kinetune.reproduce.bruderlin.bands import base_of_ramp
from kinetune.signals.bands.pyramid import band_centres_hz, count_bands

HERE = Path(__file__).parent
FPS = 120.0
FRAMES = 300


def main() -> None:
    ramp = np.linspace(0.0, 1.0, FRAMES)
    base = base_of_ramp(FRAMES)
    draw(ramp, base)
    share, most = one_value_per_node(pairs=300, frames=10)
    rows = [
        f"The base of a ramp from 0 to 1 over {FRAMES} frames runs from {base[0]:.2f} to {base[-1]:.2f}.",
        f"Through a grid of 10 by 10 nodes lead {count_paths(9):,} paths; n^n / n! is {9**9 / factorial(9):,.0f}.",
        f"One value per node misses the best path in {share:.0%} of 300 random pairs, by up to {most:.0%} of its cost.",
    ]
    (HERE / "bruderlin.txt").write_text("\n".join(f"- {row}" for row in rows) + "\n", encoding="utf-8")


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


if __name__ == "__main__":
    main()
