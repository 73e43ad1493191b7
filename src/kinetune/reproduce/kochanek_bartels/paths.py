"""The spline paper, part 1: curves through a few keys, and how they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune.reproduce.experiments import Value, canvas, off
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KEYS = np.array([(0.0, 0.0), (0.6, 1.0), (1.7, 0.9), (2.2, -0.1)])
"""Key positions such as the paper's drawings have; the controls are set at the second one."""
FRAMES = 12
"""Inbetweens shown as dots on a curve: their distance is the speed."""
EXACT = 1e-12
SHADES = ("#0d4a86", "#6aa7dc", "#16181b", "#ee8a5c", "#8f2e06")
"""Of five settings of a control, from -1 over 0 to 1."""


def curve(controls: Mapping[str, Any], at: int | None = 1) -> TCB:
    """The curve through the keys with controls set at one of them, or at all for None."""
    values: Any = {
        name: control if at is None else [control if key == at else 0.0 for key in range(len(KEYS))]
        for name, control in controls.items()
    }
    return TCB(np.arange(len(KEYS), dtype=float), KEYS, ends="half chord", **values)


def agrees(what: str, paper: str, error: float, unit: str = "") -> Value:
    """A value that must be met to the last digits."""
    return Value(what, paper, off(error, unit), "same" if error < EXACT else "failed")


def turn(a: Floats, b: Floats) -> float:
    """The angle from one direction to another, degrees; positive to the left."""
    return float(np.degrees(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b)))


def draw_side_by_side(
    curves: Mapping[str, TCB | Floats], *, tangents: Sequence[int] = (1,), columns: int | None = None
) -> Figure:
    """Paths in panels of one scale, with the keys, the frames as dots, and the tangents at some keys."""
    from kinetune.figures import palette

    columns = columns or len(curves)
    rows = -(-len(curves) // columns)
    low, high = _bounds(list(curves.values()), tangents)
    width = 2.6 if columns < 5 else 1.9
    with palette.style():
        figure = canvas(width * columns, rows * (width * float((high - low)[1] / (high - low)[0]) + 0.3))
        axes = figure.subplots(rows, columns, squeeze=False)
        for ax in axes.flat[len(curves) :]:
            ax.axis("off")
        for ax, (title, path) in zip(axes.flat, curves.items(), strict=False):
            _draw(ax, path, palette.EDITED)
            if isinstance(path, TCB):
                for key in tangents:
                    _draw_tangents(ax, path, key)
            ax.set_title(title, fontsize=8)
            _frame(ax, low, high)
    return figure


def draw_together(curves: Mapping[str, TCB]) -> Figure:
    """Paths over each other, distinguished by colour."""
    from kinetune.figures import palette

    low, high = _bounds(list(curves.values()), ())
    with palette.style():
        figure = canvas(5.6, 5.6 * float((high - low)[1] / (high - low)[0]) * 0.8)
        ax = figure.subplots()
        for colour, (title, path) in zip(SHADES, curves.items(), strict=True):
            _draw(ax, path, colour, label=title)
        figure.legend(loc="outside right center")
        _frame(ax, low, high)
    return figure


def _bounds(paths: Sequence[TCB | Floats], tangents: Sequence[int]) -> tuple[Floats, Floats]:
    """The corners of what is drawn, with a margin."""
    points = [KEYS]
    for path in paths:
        if isinstance(path, TCB):
            arriving, leaving = path.velocities()
            points.append(path(np.linspace(path.start, path.end, 200)))
            points += [KEYS[key] + way for key in tangents for way in (leaving[key] / 3, -arriving[key] / 3)]
    every = np.vstack(points)
    margin = 0.06 * np.ptp(every, axis=0).max()
    return every.min(axis=0) - margin, every.max(axis=0) + margin


def _draw(ax: Axes, path: TCB | Floats, colour: str, label: str | None = None) -> None:
    from kinetune.figures import palette

    if isinstance(path, TCB):
        fine, dots = path(np.linspace(path.start, path.end, 400)), path.inbetweens(FRAMES)
    else:
        fine = dots = path
    ax.plot(*fine.T, color=colour, label=label)
    ax.plot(*dots.T, ".", color=colour, markersize=3.5)
    ax.plot(*KEYS.T, "D", color=palette.INK, markersize=4.5)


def _draw_tangents(ax: Axes, path: TCB, key: int) -> None:
    """Blue: the outgoing tangent; yellow: the incoming one, which ends at the key."""
    from kinetune.figures import palette

    arriving, leaving = (velocity[key] / 3 for velocity in path.velocities())
    place = KEYS[key]
    for tip, tail, colour in ((place + leaving, place, palette.LEFT), (place, place - arriving, palette.RIGHT)):
        if np.linalg.norm(tip - tail) > 1e-6:
            arrow = {"arrowstyle": "->", "color": colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.6}
            ax.annotate("", tip, tail, arrowprops=arrow, annotation_clip=False)


def _frame(ax: Axes, low: Floats, high: Floats) -> None:
    ax.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
