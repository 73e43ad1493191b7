"""Pictures of the wavelet descriptor and of elastic contours: the figures of the cartoon paper, for any contour.

================  ===========================================================
draw_scales       a contour from fewer and fewer coefficients (Figure 2)
draw_stiffness    where the entries of a stiffness matrix are (Figure 3)
draw_relaxation   a contour springing to its rest shape, in frames (Figure 6)
draw_resolutions  the same at several numbers of control points (Figure 7)
draw_timing       how presets come to rest, beside a linear morph (Figure 5)
draw_edits        contours side by side over a grey original
================  ===========================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune.contours.descriptor.wavelet_descriptor import approximate
from kinetune.contours.drawing import Contour
from kinetune.contours.elastic.materials import PRESETS, SLOWEST, Material, find_material
from kinetune.contours.elastic.relaxation import relax
from kinetune.contours.elastic.single_mode import release
from kinetune.contours.elastic.stiffness import off_diagonal_energy, stiffness
from kinetune.figures import palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _grid(rows: int, columns: int, each: tuple[float, float]) -> tuple[Figure, np.ndarray]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(each[0] * columns, each[1] * rows))
    figure.set_layout_engine("constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _trace(ax: Any, contour: Contour, **how: Any) -> None:
    ax.plot(*contour.path.T, **{"color": palette.INK, "linewidth": 1.2, **how})


def _bare(axes: np.ndarray, contours: Sequence[Contour]) -> None:
    """The same window on every picture, without ticks; y runs down the page."""
    points = np.concatenate([contour.points for contour in contours])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.06 * float(max(high - low))
    for ax in axes.flat:
        ax.set_xlim(low[0] - margin, high[0] + margin)
        ax.set_ylim(high[1] + margin, low[1] - margin)
        ax.set_aspect("equal")
        ax.axis("off")


def draw_scales(
    contour: Contour, levels: Sequence[int] = (0, 3, 4, 5, 6), wavelets: Sequence[str] = ("spline8", "db4")
) -> Figure:
    """A contour from 1 / 2^k of its coefficients, one row for each wavelet."""
    with palette.style():
        figure, axes = _grid(len(wavelets), len(levels), (1.5, 1.8))
        drawn = [contour]
        for row, wavelet in zip(axes, wavelets, strict=True):
            for ax, level in zip(row, levels, strict=True):
                coarse = approximate(contour, level, wavelet)
                drawn.append(coarse)
                _trace(ax, contour, color=palette.HAIRLINE)
                _trace(ax, coarse)
                ax.set_title(f"{wavelet}, {level}: {len(contour) >> level}", fontsize=7)
        _bare(axes, drawn)
        return figure


def draw_stiffness(wavelet: str = "coif2", count: int = 64, levels: int = 2) -> Figure:
    """The entries of a stiffness matrix by size, and how much of its energy lies off the diagonal."""
    with palette.style():
        matrix = stiffness(count, wavelet, levels)
        figure, axes = _grid(1, 1, (4.2, 4.0))
        ax = axes[0, 0]
        dense = np.abs(matrix.toarray())
        shown = np.log10(np.where(dense > 0, dense, np.nan) / dense.max())
        image = ax.imshow(shown, cmap="Greys", vmin=-6, vmax=0)
        figure.colorbar(image, ax=ax, label="log10 of size", shrink=0.8)
        share = off_diagonal_energy(matrix)
        ax.set_title(f"{wavelet}, {count} samples, {levels} levels\n{100 * share:.1f}% of the squares off the diagonal")
        ax.grid(False)
        return figure


def draw_relaxation(
    shape: Contour, rest: Contour, times: Sequence[float], preset: str | Material = "jelly", columns: int = 8
) -> Figure:
    """A contour let go, frame by frame, left to right and top to bottom; its rest shape in grey."""
    with palette.style():
        frames = relax(shape, rest, times, preset=preset)
        figure, axes = _grid(-(-len(frames) // columns), columns, (1.2, 1.3))
        for ax, frame, time in zip(axes.flat, frames, times, strict=False):
            _trace(ax, rest, color=palette.HAIRLINE)
            _trace(ax, frame)
            ax.set_title(f"{time:.2f} s", fontsize=7)
        _bare(axes, [rest, *frames])
        return figure


def draw_resolutions(
    shape: Contour,
    rest: Contour,
    times: Sequence[float],
    control_points: Sequence[int] = (4, 8, 16, 32),
    preset: str | Material = "jelly",
    wavelet: str = "spline8",
) -> Figure:
    """The same motion rendered from few and from many control points."""
    with palette.style():
        frames = relax(shape, rest, times, preset=preset)
        figure, axes = _grid(len(control_points), len(times), (1.2, 1.3))
        drawn = [rest, *frames]
        for row, count in zip(axes, control_points, strict=True):
            for ax, frame, time in zip(row, frames, times, strict=True):
                coarse = approximate(frame, wavelet=wavelet, control_points=count)
                drawn.append(coarse)
                _trace(ax, frame, color=palette.HAIRLINE)
                _trace(ax, coarse)
                ax.set_title(f"{count} points, {time:.2f} s", fontsize=6)
        _bare(axes, drawn)
        return figure


def draw_timing(presets: Mapping[str, Material] = PRESETS, until_s: float = 1.5) -> Figure:
    """What is left of the slowest wobble over time for some materials, beside a linear morph."""
    with palette.style():
        figure, axes = _grid(1, 1, (5.0, 2.6))
        ax = axes[0, 0]
        times = np.linspace(0.0, until_s, 400)
        for colour, (name, preset) in zip(
            (palette.INK, palette.EDITED, palette.LEFT, palette.RIGHT, palette.GOOD), presets.items(), strict=False
        ):
            material = find_material(preset)
            left = [float(release(np.full(1, material.e0 * SLOWEST), material, t)[0]) for t in times]
            ax.plot(times, left, color=colour, label=name)
        ax.plot(times, np.maximum(0.0, 1.0 - times), color=palette.GHOST, linestyle=":", label="linear, 1 s")
        ax.set_xlabel("seconds")
        ax.set_ylabel("displacement left")
        ax.legend()
        return figure


def draw_edits(edits: Mapping[str, Contour], original: Contour, columns: int = 4) -> Figure:
    """Contours side by side, each over the original in grey."""
    with palette.style():
        figure, axes = _grid(-(-len(edits) // columns), columns, (1.9, 1.8))
        for ax, (title, contour) in zip(axes.flat, edits.items(), strict=False):
            _trace(ax, original, color=palette.HAIRLINE)
            _trace(ax, contour, color=palette.EDITED if contour is not original else palette.INK)
            ax.set_title(title, fontsize=7)
        _bare(axes, [original, *edits.values()])
        return figure
