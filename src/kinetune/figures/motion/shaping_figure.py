"""A shaping curve and what it makes of a signal ([bruderlin] Figures 8 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.signals.shaping.shaping_curve import Normalise, ShapingCurve, shape_signal

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_shaping(
    curve: ShapingCurve,
    signal: ArrayLike,
    fps: float,
    *,
    normalise: Normalise = "range",
    title: str | None = None,
) -> Figure:
    """Draw a shaping curve with its control points beside a signal before (grey) and after.

    Parameters
    ----------
    signal : (frames,) degrees.
    """
    from matplotlib.figure import Figure

    x = np.asarray(signal, dtype=float)
    if x.ndim != 1 or len(x) == 0:
        raise ParameterError(f"One channel is drawn at a time, (frames,); got shape {x.shape}.")
    shaped = np.degrees(shape_signal(np.radians(x), curve, normalise))
    times = np.arange(len(x)) / fps
    reach = (-1.0, 1.0) if normalise == "range" else (float(x.min()), float(x.max()))
    room = 0.15 * max(reach[1] - reach[0], 1e-9)
    left, right = reach[0] - room, reach[1] + room
    with palette.style():
        figure = Figure(figsize=(9.0, 2.9))
        figure.set_layout_engine("constrained")
        square, wide = figure.subplots(1, 2, width_ratios=[1.0, 2.3])
        grid = np.linspace(left, right, 801)
        square.plot([left, right], [left, right], color=palette.GHOST, linewidth=0.8, linestyle=(0, (3, 3)))
        square.plot(grid, curve(grid), color=palette.EDITED)
        inside = [p for p in curve.points if left <= p.x <= right]
        size = 3.5 if len(inside) <= 20 else 1.8
        square.plot([p.x for p in inside], [p.y for p in inside], "o", color=palette.EDITED, markersize=size)
        low, high = min(left, float(curve(grid).min())), max(right, float(curve(grid).max()))
        square.set(xlabel="in", ylabel="out", title=curve.made or "shaping curve", xlim=(left, right), ylim=(low, high))
        square.set_box_aspect(1.0)
        wide.plot(times, x, color=palette.GHOST, linewidth=1.0)
        wide.plot(times, shaped, color=palette.EDITED)
        wide.set(xlabel="seconds", ylabel="degrees", title="before (grey) and after")
        wide.margins(x=0)
        if title is not None:
            figure.suptitle(title, x=0.01, ha="left", fontsize=10)
        return figure
