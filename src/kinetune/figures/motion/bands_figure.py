"""Frequency bands drawn like the faders of a mixing desk ([bruderlin] Figures 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import band_centres_hz, join_bands, split_bands

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
    signal : (frames,)
    gains : from band 0 up; missing ones are 1.
    lowpass : show the smoother and smoother signals from which the bands are differences, in a column on the left.
    unit : what the numbers are.
    """
    from matplotlib.figure import Figure

    x = np.asarray(signal, dtype=float)
    if x.ndim != 1:
        raise ParameterError(f"One channel is drawn at a time, (frames,); got shape {x.shape}.")
    bands = split_bands(x)
    if not 1 <= bands.count <= _MOST_BANDS:
        raise ParameterError(f"Bands are drawn for 2 to {2**_MOST_BANDS:,} frames; this signal has {len(x):,}.")
    faders = np.ones(bands.count)
    given = np.ones(0) if gains is None else np.asarray(gains, dtype=float).reshape(-1)[: bands.count]
    faders[: len(given)] = given
    result = join_bands(bands, faders)
    centres = band_centres_hz(bands.count, fps)
    times = np.arange(len(x)) / fps
    with palette.style():
        widths = ([3.0] if lowpass else []) + [3.0, 0.9]
        figure = Figure(figsize=(sum(widths) + 2.0, 0.62 * (bands.count + 2) + 0.6))
        figure.set_layout_engine("constrained")
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
        if title is not None:
            figure.suptitle(title, x=0.01, ha="left", fontsize=10)
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
