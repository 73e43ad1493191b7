"""Pictures of forces: what a motion asks of the ground, how well it is tracked, and the body that does it.

================  ==========================================================================================
draw_forces       horizontal against vertical force, with the friction line ([pollard] figures 4 and 5, top)
draw_tracking     tracking errors over time (figures 4 and 5, bottom)
draw_force_strip  a strip of poses with arrows for the forces on the feet (figure 3)
draw_report       the report card at a glance
draw_body         the boxes of the body over the skeleton
================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.figures.motion.strip import draw_strip
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kinetune.physics.model.body_model import Body
    from kinetune.physics.report_card import PhysicsReport

_MARKS = (("o", palette.GHOST), ("s", palette.LEFT), ("*", palette.EDITED), ("^", palette.GOOD), ("D", palette.RIGHT))
_ARROW = 0.6  # metres for the body's weight


def draw_forces(series: Mapping[str, Floats], *, mu: float = 1.0, title: str | None = None) -> Figure:
    """Draw the total ground force of every frame: horizontal size against vertical part, and the line of friction.

    Parameters
    ----------
    series : mapping
        Name to forces (frames, 3) in newtons, such as those of several filters on one motion.
    mu : float
        Friction; forces below and to the right of the line need more.
    """
    with palette.new_figure(5.6, 4.6, title) as figure:
        scatter_forces(figure.subplots(), series, mu)
        return figure


def scatter_forces(ax: Axes, series: Mapping[str, Floats], mu: float) -> None:
    """The same into existing axes."""
    most = 1.0
    for (name, forces), (mark, colour) in zip(series.items(), _MARKS, strict=False):
        flat = np.hypot(forces[:, 0], forces[:, 2])
        size = 28 if mark == "*" else 12
        ax.scatter(flat, forces[:, 1], s=size, marker=mark, color=colour, alpha=0.7, linewidths=0, label=name)
        most = max(most, float(np.nanmax(flat, initial=0.0)))
    edge = np.array([0.0, 1.05 * most])
    if mu > 0.0:
        ax.plot(edge, edge / mu, color=palette.INK, linewidth=1.0)
        ax.annotate(f"mu = {mu:g}", (0.5 * edge[1], 0.5 * edge[1] / mu), (4, -4), va="top", textcoords="offset points")
    ax.axhline(0.0, color=palette.HAIRLINE, linewidth=0.8)
    ax.set(xlabel="horizontal force, N", ylabel="vertical force, N", xlim=(0.0, edge[1]))
    if len(series) > 1:
        _legend_above(ax)


def draw_tracking(
    errors: Mapping[str, Floats], fps: float, *, label: str = "error, mm", title: str | None = None
) -> Figure:
    """Draw tracking errors over time, one curve for each filter.

    Parameters
    ----------
    errors : mapping
        Name to numbers (frames,), such as millimetres between the stance toe and where it should be.
    """
    with palette.new_figure(5.6, 2.6, title) as figure:
        ax = figure.subplots()
        plot_tracking(ax, errors, fps, label)
        return figure


def plot_tracking(ax: Axes, errors: Mapping[str, Floats], fps: float, label: str) -> None:
    """The same into existing axes."""
    for (name, values), (_, colour) in zip(errors.items(), _MARKS, strict=False):
        ax.plot(np.arange(len(values)) / fps, values, color=colour, label=name)
    ax.set(xlabel="seconds", ylabel=label)
    ax.margins(x=0)
    if len(errors) > 1:
        _legend_above(ax)


def _legend_above(ax: Axes) -> None:
    """In a row above the plot, where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=4, columnspacing=1.0, handletextpad=0.4)


def draw_filtering(
    forces: Mapping[str, Floats], errors: Mapping[str, Floats], fps: float, *, mu: float = 1.0, title: str | None = None
) -> Figure:
    """Draw [pollard]'s figures 4 and 5: forces above, tracking errors below."""
    with palette.new_figure(5.6, 6.4, title) as figure:
        above, below = figure.subplots(2, 1, height_ratios=[2, 1])
        scatter_forces(above, forces, mu)
        plot_tracking(below, errors, fps, "stance toe error, mm")
        return figure


def draw_force_strip(
    clip: Clip,
    body: Body,
    forces: Floats,
    *,
    before: Clip | None = None,
    poses: int = 12,
    title: str | None = None,
) -> Figure:
    """Draw a strip of poses with one arrow for each foot, the sum of its forces at their centre; 60 cm are the weight.

    Parameters
    ----------
    forces : array
        (frames, points, 3) newtons at the body's contact points.
    before : Clip or None
        The clip before an edit, drawn as a ghost behind.
    """
    points = body.point_positions(body.coordinates(clip))
    known = np.nan_to_num(forces)
    sides = [point.side for point in body.points]
    starts, sums = [], []
    for side in dict.fromkeys(sides):
        mine = [k for k, each in enumerate(sides) if each == side]
        share = np.linalg.norm(known[:, mine], axis=2)[..., None] + 1e-12
        starts.append((share * points[:, mine]).sum(axis=1) / share.sum(axis=1))
        sums.append(known[:, mine].sum(axis=1))
    arrows = np.stack(starts, axis=1), np.stack(sums, axis=1) * (_ARROW / body.weight)
    return draw_strip(clip, before=before, poses=poses, title=title, arrows=arrows)


def draw_report(report: PhysicsReport, *, title: str | None = None) -> Figure:
    """Draw the report card of a clip: forces and friction, the vertical force over time, balance, torques."""
    weight, seconds = report.body.weight, report.clip.times
    with palette.new_figure(11.0, 6.2, title or "Physics report") as figure:
        grid = figure.add_gridspec(3, 2, width_ratios=(1.0, 1.6))
        scatter_forces(figure.add_subplot(grid[:2, 0]), {"needed": report.forces}, report.mu)
        bars = figure.add_subplot(grid[2, 0])
        _torque_bars(bars, report)
        force, friction, margin = (figure.add_subplot(grid[k, 1]) for k in range(3))
        force.plot(seconds, report.forces[:, 1] / weight, color=palette.INK, label="vertical")
        flat = np.hypot(report.forces[:, 0], report.forces[:, 2])
        force.plot(seconds, flat / weight, color=palette.GHOST, label="horizontal")
        force.set(ylabel="body weights")
        force.legend(loc="upper right", ncols=2)
        friction.plot(seconds, np.where(np.isinf(report.friction), np.nan, report.friction), color=palette.INK)
        friction.axhline(report.mu, color=palette.BAD, linewidth=0.9)
        top = float(np.nanmax(np.append(report.friction[np.isfinite(report.friction)], report.mu)))
        friction.set(ylabel="friction needed", ylim=(0.0, min(1.15 * top, 3.0 * report.mu + 0.5)))
        margin.plot(seconds, 1e3 * report.margin, color=palette.INK)
        margin.axhline(0.0, color=palette.BAD, linewidth=0.9)
        low = float(np.nanmin(np.append(1e3 * report.margin, 0.0)))
        margin.set(ylabel="pressure inside\nthe feet, mm", xlabel="seconds", ylim=(max(low * 1.1, -400.0) - 5.0, None))
        for ax in (force, friction, margin):
            _shade(ax, report)
            ax.margins(x=0)
        return figure


def _shade(ax: Axes, report: PhysicsReport) -> None:
    """Mark the frames outside the cone, and those in which nothing touches."""
    for item in report.ranges():
        ax.axvspan(
            (item["first"] - 0.5) / report.clip.fps,
            (item["last"] + 0.5) / report.clip.fps,
            color=palette.BAD,
            alpha=0.15,
            linewidth=0,
        )
    for first, last, _ in report.flights:
        ax.axvspan(first / report.clip.fps, last / report.clip.fps, color=palette.WELL, linewidth=0, zorder=0)


def _torque_bars(ax: Axes, report: PhysicsReport) -> None:
    peaks = list(report.as_dict()["torque_peak_nm"].items())[:8]
    ax.barh([name for name, _ in peaks][::-1], [size for _, size in peaks][::-1], color=palette.GHOST, height=0.7)
    ax.set(xlabel="greatest torque, N m")
    ax.tick_params(axis="y", labelsize=7)
    ax.grid(visible=False, axis="y")


def draw_body(
    bodies: Sequence[tuple[str, Body, Clip, int]], *, views: tuple[sticks.View, ...] = ("front", "side")
) -> Figure:
    """Draw bodies over their skeletons: boxes, centre of mass, contact points.

    Parameters
    ----------
    bodies : sequence of tuples
        Title, body, clip and frame of each, one column each.
    """
    with palette.new_figure(2.0 * len(bodies), 2.9 * len(views)) as figure:
        axes = figure.subplots(len(views), len(bodies), squeeze=False)
        for column, (title, body, clip, frame) in enumerate(bodies):
            for row, view in enumerate(views):
                _body(axes[row, column], body, clip[frame : frame + 1], view)
            axes[0, column].set_title(title, fontsize=8)
        return figure


def _body(ax: Axes, body: Body, pose: Clip, view: sticks.View) -> None:
    from matplotlib.collections import LineCollection
    from scipy.spatial import ConvexHull

    from kinetune.physics.equations_of_motion import centres_of_mass, segment_poses

    ahead = sticks.travel_direction(pose)
    qpos = body.coordinates(pose)
    positions, rotations = segment_poses(body, qpos)
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    for k, segment in enumerate(body.segments):
        for box in segment.boxes:
            local = box.centre + rot.rotate(box.rotation, corners * box.sides)
            flat, _ = sticks.project(positions[0, k] + rot.rotate(rotations[0, k], local), ahead, view)
            outline = flat[ConvexHull(flat).vertices]
            ax.fill(*outline.T, facecolor=palette.EDITED_FILL, alpha=0.18, edgecolor=palette.LABEL, linewidth=0.5)
    paper, _ = sticks.project(sticks.points(pose)[0], ahead, view)
    bones = sticks.bones(pose.skeleton)
    lines = [paper[[bone.start, bone.end]] for bone in bones]
    ax.add_collection(LineCollection(lines, colors=[bone.colour for bone in bones], linewidths=1.2))
    ax.plot(*sticks.project(body.point_positions(qpos)[0], ahead, view)[0].T, "^", color=palette.GOOD, markersize=3)
    ax.plot(*sticks.project(centres_of_mass(body, qpos), ahead, view)[0].T, "o", color=palette.BAD, markersize=4)
    ax.set_aspect("equal")
    ax.axis("off")
