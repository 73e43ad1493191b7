"""Pictures of one signal and what an edit makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import band_centres_hz, join_bands, split_bands
from kinetune.signals.displacement import displacement
from kinetune.signals.shaping.shaping_curve import Normalise, ShapingCurve, shape_signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_BANDS = 16


def draw_bands(
    signal: ArrayLike,
    fps: float,
    *,
    gains: ArrayLike | None = None,
    lowpass: bool = True,
    title: str | None = None,
    unit: str = "degrees",
) -> Figure:
    """Draw a signal, its frequency bands with their gains as faders, and what comes out.

    Parameters
    ----------
    signal : array-like
        (frames,)
    gains : array-like or None
        From band 0 up; missing ones are 1.
    lowpass : bool
        Show the smoother and smoother signals from which the bands are differences, in a column on the left.
    unit : str
        What the numbers are.
    """
    x = np.asarray(signal, dtype=float)
    if x.ndim != 1:
        raise ParameterError(f"One channel is drawn at a time, (frames,); got shape {x.shape}.")
    bands = split_bands(x)
    if not 1 <= bands.count <= _MOST_BANDS:
        raise ParameterError(f"Bands are drawn for 2 to {2**_MOST_BANDS:,} frames; this signal has {len(x):,}.")
    faders = np.ones(bands.count)
    chosen = np.ones(0) if gains is None else np.asarray(gains, dtype=float).reshape(-1)[: bands.count]
    faders[: len(chosen)] = chosen
    result = join_bands(bands, faders)
    centres = band_centres_hz(bands.count, fps)
    times = np.arange(len(x)) / fps
    widths = ([3.0] if lowpass else []) + [3.0, 0.9]
    with palette.new_figure(sum(widths) + 2.0, 0.62 * (bands.count + 2) + 0.6, title) as figure:
        rows = bands.count + 2
        grid = figure.subplots(
            rows, len(widths), squeeze=False, width_ratios=widths, sharex="col", gridspec_kw={"hspace": 0.08}
        )
        low = [x]
        for detail in bands.details:
            low.append(low[-1] - detail)
        for row in range(rows):
            _signal_row(grid[row], row, bands.details, bands.base, low, result, faders, centres, times, lowpass)
        grid[-1, -2].set_xlabel("seconds")
        grid[0, -2].set_ylabel(unit)
        if lowpass:
            grid[-1, 0].set_xlabel("seconds")
            grid[1, 0].set_title("smoother and smoother")
        grid[0, -2].set_title("signal (grey) and result")
        grid[1, -2].set_title("its bands, times their gains")
        return figure


def _signal_row(
    axes: np.ndarray,
    row: int,
    details: tuple[Floats, ...],
    base: Floats,
    low: list[Floats],
    result: Floats,
    faders: Floats,
    centres: Floats,
    times: Floats,
    lowpass: bool,
) -> None:
    """Signal and result on top, then one band a row, the base below."""
    middle, fader = axes[-2], axes[-1]
    if lowpass and row == 0:
        axes[0].axis("off")
    elif lowpass:
        axes[0].plot(times, low[row - 1], color=palette.GHOST, linewidth=1.0)
        axes[0].set_ylabel(f"G{row - 1}", rotation=0, ha="right", va="center")
        _quiet(axes[0])
    if row == 0:
        middle.plot(times, low[0], color=palette.GHOST, linewidth=1.0)
        middle.plot(times, result, color=palette.EDITED)
        fader.axis("off")
    elif row <= len(details):
        band = row - 1
        middle.plot(times, details[band], color=palette.GHOST, linewidth=0.9)
        if faders[band] != 1.0:
            middle.plot(times, faders[band] * details[band], color=palette.EDITED)
        _draw_fader(fader, faders, band, centres[band])
    else:
        middle.plot(times, base, color=palette.INK, linewidth=1.0)
        fader.axis("off")
        fader.text(0.0, 0.5, "base", transform=fader.transAxes, va="center", color=palette.LABEL)
    if row:
        _quiet(middle)


def _draw_fader(ax: Axes, faders: Floats, band: int, centre: float) -> None:
    low, high = min(0.0, *faders), max(2.0, *faders)
    gain = float(faders[band])
    ax.axis("off")
    ax.set_xlim(low - 0.1 * (high - low), high + 1.3 * (high - low))
    ax.set_ylim(-1.0, 1.0)
    ax.plot([low, high], [0.0, 0.0], color=palette.WELL, linewidth=4.0, solid_capstyle="round")
    ax.plot([1.0, 1.0], [-0.35, 0.35], color=palette.GHOST, linewidth=0.8)
    ax.plot([1.0, gain], [0.0, 0.0], color=palette.EDITED_FILL, linewidth=4.0)
    ax.plot([gain], [0.0], "o", color=palette.EDITED if gain != 1.0 else palette.GHOST, markersize=5)
    hertz = f"{centre:.2g}" if centre < 10 else f"{centre:.0f}"
    ax.text(
        high + 0.12 * (high - low), 0.0, f"{band}: {hertz} Hz  x{gain:g}", va="center", color=palette.LABEL, fontsize=7
    )


def _quiet(ax: Axes) -> None:
    ax.tick_params(labelleft=False, left=False)
    ax.margins(x=0)


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
    signal : array-like
        (frames,) degrees.
    """
    x = np.asarray(signal, dtype=float)
    if x.ndim != 1 or len(x) == 0:
        raise ParameterError(f"One channel is drawn at a time, (frames,); got shape {x.shape}.")
    shaped = np.degrees(shape_signal(np.radians(x), curve, normalise))
    times = np.arange(len(x)) / fps
    reach = (-1.0, 1.0) if normalise == "range" else (float(x.min()), float(x.max()))
    room = 0.15 * max(reach[1] - reach[0], 1e-9)
    left, right = reach[0] - room, reach[1] + room
    with palette.new_figure(9.0, 2.9, title) as figure:
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
        return figure


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
    """Draw a signal with the target displacements, the spline through them, and the displaced signal.

    Parameters
    ----------
    signal : array-like
        (frames,)
    at, values : sequence of int or sequence of float
        Frames of the keys, increasing, and the displacement at each.
    options : object
        Those of :func:`kinetune.signals.displacement.displacement`: tension, continuity, bias, ends, window.
    """
    x = np.asarray(signal, dtype=float)
    if x.ndim != 1 or len(x) == 0:
        raise ParameterError(f"One channel is drawn at a time, (frames,); got shape {x.shape}.")
    change = displacement(len(x), at, np.asarray(values, dtype=float), **options)
    times = np.arange(len(x)) / fps
    keys = np.asarray(at, dtype=int)
    with palette.new_figure(8.0, 5.0, title) as figure:
        arrows, spline, result = figure.subplots(3, 1, sharex=True)
        arrows.plot(times, x, color=palette.GHOST)
        for key, value in zip(keys, values, strict=True):
            arrows.annotate(
                "",
                xy=(times[key], x[key] + value),
                xytext=(times[key], x[key]),
                arrowprops={"arrowstyle": "-|>", "color": palette.EDITED, "shrinkA": 0, "shrinkB": 0},
            )
        ends = [x.min(), x.max(), *(x[keys] + np.asarray(values, dtype=float))]
        room = 0.08 * max(float(np.ptp(ends)), 1e-9)
        arrows.set_ylim(min(ends) - room, max(ends) + room)
        arrows.set_title("1  the signal, and how far it should be displaced")
        spline.plot(times, change, color=palette.EDITED)
        spline.plot(times[keys], change[keys], "o", color=palette.EDITED, markersize=4)
        spline.plot(times[[0, -1]], change[[0, -1]], "s", color=palette.INK, markersize=4)
        spline.set_title("2, 3  the spline through the displacements, pinned at both ends")
        result.plot(times, x, color=palette.GHOST, linewidth=1.0)
        result.plot(times, x + change, color=palette.EDITED)
        result.plot(times[keys], (x + change)[keys], "o", color=palette.EDITED, markersize=4)
        result.set_title("4  the displaced signal")
        result.set_xlabel("seconds")
        for ax in (arrows, spline, result):
            ax.set_ylabel(unit)
            ax.margins(x=0)
        return figure
