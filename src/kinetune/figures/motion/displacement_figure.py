"""Displacement mapping step by step ([bruderlin] Figure 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.signals.displacement import displacement

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_displacement(
    signal: ArrayLike,
    fps: float,
    at: Sequence[int],
    values: Sequence[float],
    *,
    title: str | None = None,
    unit: str = "degrees",
    **options: Any,
) -> Figure:
    """Draw a signal with the displacements that are wanted, the spline through them, and the displaced signal.

    Parameters
    ----------
    signal : (frames,)
    at, values : frames of the keys, increasing, and the displacement at each.
    options : those of :func:`kinetune.signals.displacement.displacement`: tension, continuity, bias, ends, window.
    """
    from matplotlib.figure import Figure

    x = np.asarray(signal, dtype=float)
    if x.ndim != 1 or len(x) == 0:
        raise ParameterError(f"One channel is drawn at a time, (frames,); got shape {x.shape}.")
    change = displacement(len(x), at, np.asarray(values, dtype=float), **options)
    times = np.arange(len(x)) / fps
    keys = np.asarray(at, dtype=int)
    with palette.style():
        figure = Figure(figsize=(8.0, 5.0))
        figure.set_layout_engine("constrained")
        wanted, spline, result = figure.subplots(3, 1, sharex=True)
        wanted.plot(times, x, color=palette.GHOST)
        for key, value in zip(keys, values, strict=True):
            wanted.annotate(
                "",
                xy=(times[key], x[key] + value),
                xytext=(times[key], x[key]),
                arrowprops={"arrowstyle": "-|>", "color": palette.EDITED, "shrinkA": 0, "shrinkB": 0},
            )
        ends = [x.min(), x.max(), *(x[keys] + np.asarray(values, dtype=float))]
        room = 0.08 * max(float(np.ptp(ends)), 1e-9)
        wanted.set_ylim(min(ends) - room, max(ends) + room)
        wanted.set_title("1  the signal, and how far it shall be displaced")
        spline.plot(times, change, color=palette.EDITED)
        spline.plot(times[keys], change[keys], "o", color=palette.EDITED, markersize=4)
        spline.plot(times[[0, -1]], change[[0, -1]], "s", color=palette.INK, markersize=4)
        spline.set_title("2, 3  the spline through the displacements, pinned at both ends")
        result.plot(times, x, color=palette.GHOST, linewidth=1.0)
        result.plot(times, x + change, color=palette.EDITED)
        result.plot(times[keys], (x + change)[keys], "o", color=palette.EDITED, markersize=4)
        result.set_title("4  the displaced signal")
        result.set_xlabel("seconds")
        for ax in (wanted, spline, result):
            ax.set_ylabel(unit)
            ax.margins(x=0)
        if title is not None:
            figure.suptitle(title, x=0.01, ha="left", fontsize=10)
        return figure
