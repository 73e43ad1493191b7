"""The pictures of the page on shaping: the library of curves on the arm of a wave."""

from pathlib import Path

from matplotlib.figure import Figure

import kinetune as kt
from kinetune import figures
from kinetune.figures import palette
from kinetune.signals.shaping.curve_library import SHAPES

HERE = Path(__file__).parent


def main() -> None:
    wave = kt.sample("wave")
    elbow = figures.channel(wave, "right lower arm")
    capped = figures.draw_shaping(kt.ShapingCurve.cap(-0.5, 0.3), elbow, wave.fps, title="the elbow of a wave, capped")
    figures.save(capped, HERE / "shape.png")
    drink = kt.sample("sit-and-drink")
    reach = figures.channel(drink, "right upper arm")
    waves = figures.draw_shaping(
        kt.ShapingCurve.undulate(3, 0.12), reach, drink.fps, title="the shoulder of a drink, with undulations"
    )
    figures.save(waves, HERE / "shape_undulate.png")
    figures.save(_library(), HERE / "shape_library.png")


def _library() -> Figure:
    import numpy as np

    with palette.style():
        figure = Figure(figsize=(9.0, 2.2))
        figure.set_layout_engine("constrained")
        x = np.linspace(-1.0, 1.0, 1001)
        for ax, name in zip(figure.subplots(1, len(SHAPES)), SHAPES, strict=True):
            ax.plot([-1, 1], [-1, 1], color=palette.GHOST, linewidth=0.6, linestyle=(0, (3, 3)))
            ax.plot(x, kt.ShapingCurve.make(name)(x), color=palette.EDITED)
            ax.set(title=name, xlim=(-1.05, 1.05), ylim=(-1.6, 1.6), xticks=[-1, 1], yticks=[-1, 1])
            ax.set_box_aspect(1.5)
        return figure


if __name__ == "__main__":
    main()
