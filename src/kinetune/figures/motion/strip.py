"""Strips of stick figures: a motion at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_floor
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.figures.motion.stick_figures import View
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST_SHAPE = 1.5
"""The least width of a row, in heights."""


def draw_strip(
    clip: Clip,
    *,
    before: Clip | None = None,
    poses: int = 12,
    views: tuple[View, ...] = ("side",),
    title: str | None = None,
    width: float = 11.0,
    arrows: tuple[Floats, Floats] | None = None,
) -> Figure:
    """Draw a clip as a row of stick figures: left limbs blue, right limbs yellow, the original in grey behind.

    The line below them is the floor that the feet stand on, or Y = 0 for a character without feet. The markers of a
    recording (C3D) are dots.

    Parameters
    ----------
    before : Clip or None
        The clip before an edit, drawn as a ghost behind; both are sampled at the same share of their length.
    poses : int
        How many figures, evenly spread over the clip.
    views : tuple of str
        One row each, seen from the side, the front or the top.
    width : float
        Of the picture, in inches; the height follows.
    arrows : two arrays or None
        Where arrows begin and how far they reach, both (frames, arrows, 3) in metres, such as forces on the feet.
    """
    placed = [StripRow(clip, before, poses, view, arrows) for view in views]
    heights = [row.height for row in placed]
    unit = width / max(row.width for row in placed)
    with palette.new_figure(
        width, sum(h * unit for h in heights) + 0.35 * (title is not None) + 0.2, title, color=palette.INK
    ) as figure:
        axes = figure.subplots(len(placed), 1, squeeze=False, height_ratios=heights)[:, 0]
        for row, ax in zip(placed, axes, strict=True):
            row.draw(ax)
        return figure


class StripRow:
    """One view of a clip, poses laid side by side so that they do not cover each other."""

    def __init__(
        self, clip: Clip, before: Clip | None, poses: int, view: View, arrows: tuple[Floats, Floats] | None
    ) -> None:
        self.view = view
        self.bones = sticks.bones(clip.skeleton)
        self.head = sticks.head(clip.skeleton)
        ahead = sticks.travel_direction(clip)
        self.frames = np.unique(np.linspace(0, len(clip) - 1, poses).round().astype(int))
        self.paper, self.depth = sticks.project(sticks.points(clip)[self.frames], ahead, view)
        self.ghost: Floats | None = None
        if before is not None:
            same = np.linspace(0, len(before) - 1, len(self.frames)).round().astype(int)
            self.ghost, _ = sticks.project(sticks.points(before)[same], ahead, view)
            self.ghost_bones = sticks.bones(before.skeleton)
        self.arrows: list[Floats] = []
        if arrows is not None:
            starts, reach = (part[self.frames] for part in arrows)
            self.arrows = [sticks.project(ends, ahead, view)[0] for ends in (starts, starts + reach)]
        markers = getattr(clip.source.layout, "markers", None)  # of a recording (C3D), drawn as dots
        self.dots: Floats | None = None
        if markers is not None and len(markers) == len(clip):
            self.dots, _ = sticks.project(markers[self.frames], ahead, view)
        floor = find_floor(clip)
        self.floor = 0.0 if floor is None else floor.height
        self._spread()
        everything = np.concatenate([each for each in (self.paper, self.ghost, self.dots) if each is not None], axis=1)
        low, high = np.nanmin(everything, axis=(0, 1)), np.nanmax(everything, axis=(0, 1))
        margin = 0.04 * max(high - low)
        self.low, self.high = low - margin, high + margin
        missing = _LEAST_SHAPE * (self.high[1] - self.low[1]) - (self.high[0] - self.low[0])
        if missing > 0.0:  # few poses: paper to either side, not a tower
            self.low[0], self.high[0] = self.low[0] - 0.5 * missing, self.high[0] + 0.5 * missing
        self.width, self.height = self.high - self.low

    def _spread(self) -> None:
        """Shift poses along the paper so that neighbours keep a body's width apart."""
        extent = float(np.median(np.ptp(self.paper[..., 0], axis=1)))
        step = max(0.55, 0.9 * extent)
        middle = np.median(self.paper[..., 0], axis=1)
        travel = middle[-1] - middle[0]
        needed = step * (len(self.frames) - 1)
        if travel < needed:
            shift = np.linspace(0, needed, len(self.frames)) - (middle - middle[0])
            if travel > 0.2 * needed:  # a walker: keep its own path, stretched
                shift = (needed - travel) * np.linspace(0, 1, len(self.frames))
            step_aside = np.stack([shift, np.zeros_like(shift)], axis=-1)[:, None]
            self.paper = self.paper + step_aside
            self.arrows = [ends + step_aside for ends in self.arrows]
            if self.ghost is not None:
                self.ghost = self.ghost + step_aside
            if self.dots is not None:
                self.dots = self.dots + step_aside

    def draw(self, ax: Axes) -> None:
        from matplotlib.collections import LineCollection

        if self.ghost is not None:
            lines = [pose[[b.start, b.end]] for pose in self.ghost for b in self.ghost_bones]
            ax.add_collection(LineCollection(lines, colors=palette.GHOST, linewidths=0.9, alpha=0.45))
        for pose, depth in zip(self.paper, self.depth, strict=True):
            sticks.draw_pose(ax, pose, self.bones, self.head, depth=depth)
        if self.arrows:
            starts, tips = (ends.reshape(-1, 2) for ends in self.arrows)
            long = np.linalg.norm(tips - starts, axis=1) > 0.01
            along = (tips - starts)[long]
            ax.quiver(
                *starts[long].T,
                *along.T,
                angles="xy",
                scale_units="xy",
                scale=1.0,
                color=palette.BAD,
                width=0.0015,
                zorder=4,
            )
        if self.dots is not None:
            ax.plot(*self.dots.reshape(-1, 2).T, ".", color=palette.BAD, markersize=2.5, zorder=4)
        if self.view != "top":
            ax.axhline(self.floor, color=palette.GHOST, linewidth=0.7, zorder=0)
        ax.set_xlim(self.low[0], self.high[0])
        ax.set_ylim(min(self.low[1], self.floor - 0.03) if self.view != "top" else self.low[1], self.high[1])
        ax.set_aspect("equal")
        ax.axis("off")
