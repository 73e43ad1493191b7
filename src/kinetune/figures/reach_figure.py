"""Pictures of aiming: a reach and its target, where examples reach, and how far blends miss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetune.body.clip import Clip
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.figures.motion.stick_figures import View
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kinetune.inverse.reach_map import ReachMap

_VIEWS: tuple[View, ...] = ("side", "front", "top")
_PHASES = 7
_LINE_SHOWN = np.array([[-0.3], [0.8]])  # metres of a target line before and beyond the joint


def draw_reach(
    clip: Clip,
    goal: ArrayLike | None = None,
    *,
    frame: int = -1,
    joint: str | None = None,
    line: Sequence[float] | None = None,
    title: str | None = None,
) -> Figure:
    """Draw the phases of a reach on top of each other, from the side, the front and above.

    Parameters
    ----------
    goal : array-like or None
        (3,) the target, drawn as a ring.
    frame : int
        The frame at which it holds: that pose is drawn in full.
    joint : str or None
        A joint or tip whose path is drawn.
    line : sequence of float or None
        Six numbers, a point and a direction: the target line.
    """
    from matplotlib.collections import LineCollection

    ahead = sticks.travel_direction(clip)
    at = frame % len(clip)
    shown = np.unique(np.linspace(0, at, _PHASES).round().astype(int))
    points = sticks.points(clip)
    lines = sticks.bones(clip.skeleton)
    with palette.new_figure(9.0, 4.2, title, color=palette.INK) as figure:
        for ax, view in zip(figure.subplots(1, 3), _VIEWS, strict=True):
            paper, _ = sticks.project(points[shown], ahead, view)
            for number, pose in enumerate(paper[:-1]):
                faint = 0.15 + 0.35 * number / max(1, len(paper) - 1)
                bones = [pose[[b.start, b.end]] for b in lines]
                ax.add_collection(LineCollection(bones, colors=palette.GHOST, linewidths=0.8, alpha=faint))
            sticks.draw_pose(ax, paper[-1], lines, sticks.head(clip.skeleton))
            if joint is not None:
                path, _ = sticks.project(_joint_path(clip, joint), ahead, view)
                ax.plot(*path.T, color=palette.EDITED_FILL, linewidth=1.0, zorder=3)
            if line is not None:
                start, along = np.array(line[:3]), np.array(line[3:]) / np.linalg.norm(line[3:])
                if joint is not None:  # the part of the line that the joint is near
                    start = start + along * ((_joint_path(clip, joint)[at] - start) @ along)
                ends = start + _LINE_SHOWN * along
                ax.plot(*sticks.project(ends, ahead, view)[0].T, color=palette.BAD, linewidth=0.8, zorder=4)
            if goal is not None:
                spot, _ = sticks.project(np.asarray(goal, dtype=float)[None], ahead, view)
                ax.plot(*spot.T, "o", markersize=8, markerfacecolor="none", markeredgecolor=palette.BAD, zorder=5)
                ax.plot(*spot.T, "+", markersize=8, markeredgecolor=palette.BAD, markeredgewidth=0.8, zorder=5)
            _finish(ax, view)
        return figure


def _joint_path(clip: Clip, joint: str) -> Floats:
    """World positions (frames, 3) of a joint or an end site."""
    names = [site.name for site in clip.skeleton.end_sites]
    if joint in names and joint not in clip.skeleton.names:
        return sticks.points(clip)[:, len(clip.skeleton) + names.index(joint)]
    return clip.joint(joint).positions


def _finish(ax: Axes, view: View) -> None:
    if view != "top":
        ax.axhline(0.0, color=palette.GHOST, linewidth=0.7, zorder=0)
    ax.set_title({"side": "from the right", "front": "from the front", "top": "from above"}[view], fontsize=8)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.axis("off")


def draw_reach_map(chart: ReachMap, clip: Clip | None = None, *, title: str | None = None) -> Figure:
    """Draw where a set of examples reaches: how deep the reachable space is behind each spot of the paper.

    Dots are where examples end; crosses are the largest gaps between them, with their size in litres.

    Parameters
    ----------
    clip : Clip or None
        A character to draw with it, at the frame of the map's end.
    """
    ahead = np.array([np.sin(chart.heading), 0.0, np.cos(chart.heading)])
    with palette.new_figure(
        9.0,
        4.4,
        title or f"{chart.joint}: {chart.coverage:.0%} of the space between {len(chart.examples)} examples",
        color=palette.INK,
    ) as figure:
        axes = figure.subplots(1, 3)
        image = None
        for ax, view in zip(axes, _VIEWS, strict=True):
            if clip is not None:
                paper, _ = sticks.project(sticks.points(clip[:1]), ahead, view)
                sticks.draw_pose(ax, paper[0], sticks.bones(clip.skeleton), sticks.head(clip.skeleton))
            image = _draw_depth(ax, chart, ahead, view)
            spots, _ = sticks.project(chart.examples, ahead, view)
            ax.plot(*spots.T, "o", markersize=3, color=palette.INK, zorder=6)
            for gap in chart.gaps[:3]:
                spot = sticks.project(np.array(gap.where)[None], ahead, view)[0][0]
                ax.plot(*spot, "x", markersize=6, color=palette.BAD, zorder=7)
                ax.annotate(f"{1e3 * gap.volume:.0f} l", spot, (4, 3), textcoords="offset points", color=palette.BAD)
            _finish(ax, view)
        if image is not None:
            bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.01)
            bar.set_label("depth that is reached (m)")
        return figure


def _draw_depth(ax: Axes, chart: ReachMap, ahead: Floats, view: View) -> Any:
    """A square for each spot of the paper, as dark as the reachable space behind it is deep."""
    from matplotlib.colors import LinearSegmentedColormap

    paper, _ = sticks.project(chart.points[chart.reachable], ahead, view)
    if not len(paper):
        return None
    step = chart.spacing
    low = paper.min(axis=0) - 0.5 * step
    count = np.ceil((paper.max(axis=0) + 0.5 * step - low) / step).astype(int)
    cells = np.minimum(((paper - low) / step).astype(int), count - 1)
    depth = np.zeros((count[1], count[0]))
    np.add.at(depth, (cells[:, 1], cells[:, 0]), step)
    colours = LinearSegmentedColormap.from_list("reach", ["#ffffff00", palette.EDITED_FILL])
    high = low + count * step
    return ax.imshow(
        depth, origin="lower", extent=(low[0], high[0], low[1], high[1]), cmap=colours, zorder=4, alpha=0.75,
        interpolation="nearest", vmin=0.0,
    )  # fmt: skip


def draw_reach_errors(
    targets: Floats, reached: Mapping[str, Floats], examples: Floats | None = None, *, most_mm: float | None = None
) -> Figure:
    """Draw where the hand arrives for targets on spheres, as meshes coloured by how far it misses them.

    Parameters
    ----------
    targets : array
        (spheres, rows, columns, 3) metres.
    reached : mapping
        Name to the positions where the hand arrives, of the same shape; one picture each.
    examples : array or None
        (n, 3) where the examples end.
    most_mm : float or None
        The miss that has the darkest colour; the largest one when left out.

    Notes
    -----
    [huang] Figure 6: a triangle has the mean error of its corners.
    """
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    misses = {name: 1e3 * np.linalg.norm(arrivals - targets, axis=-1) for name, arrivals in reached.items()}
    most = most_mm or max(float(miss.max()) for miss in misses.values())
    shade = LinearSegmentedColormap.from_list("miss", [palette.LEFT, "#f2d7c9", palette.BAD])
    scale = Normalize(0.0, max(most, 1e-9))
    with palette.new_figure(4.6 * len(reached), 4.4) as figure:
        axes = []
        for number, (name, arrivals) in enumerate(reached.items(), 1):
            ax: Any = figure.add_subplot(1, len(reached), number, projection="3d")
            for sphere, miss in zip(arrivals, misses[name], strict=True):
                corners, values = _triangles(sphere), _triangles(miss)
                mesh = Poly3DCollection(_upright(corners), linewidths=0.15, edgecolors=palette.PAPER, alpha=0.85)
                mesh.set_facecolor(shade(scale(values.mean(axis=1))))
                ax.add_collection3d(mesh)
            dots = _upright(targets.reshape(-1, 3))
            ax.scatter(*dots.T, s=1.0, color=palette.RIGHT, depthshade=False)
            if examples is not None:
                ax.scatter(*_upright(examples).T, s=9.0, color=palette.GHOST, depthshade=False)
            low, high = dots.min(axis=0), dots.max(axis=0)
            ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
            ax.set_box_aspect(high - low)
            ax.view_init(elev=18, azim=-130)
            ax.set_axis_off()
            ax.set_title(f"{name}: median {np.median(misses[name]):.3g} mm", fontsize=9)
            axes.append(ax)
        from matplotlib.cm import ScalarMappable

        figure.colorbar(ScalarMappable(scale, shade), ax=axes, shrink=0.6, pad=0.02).set_label("miss (mm)")
        return figure


def _triangles(grid: Floats) -> Floats:
    """The corners of two triangles for each cell of a grid (rows, columns, ...): (triangles, 3, ...)."""
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    cells = np.concatenate([np.stack([a, b, c]), np.stack([a, c, d])], axis=1)  # (3, 2 rows, columns, ...)
    return np.moveaxis(cells.reshape(3, -1, *grid.shape[2:]), 0, 1)


def _upright(points: Floats) -> Floats:
    """Y up as matplotlib's z: (x, z, y)."""
    return points[..., [0, 2, 1]]
