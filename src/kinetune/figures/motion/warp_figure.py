"""Time warps: the matrix of pose distances with the path through it, and curves before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.timeline.alignment import (
    Cost,
    StrideEnds,
    align,
    compare,
    known_contacts,
    matching_times,
    pose_features,
)
from kinetune.body.timeline.retiming import at_rate
from kinetune.figures import palette
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CELLS = 400


def draw_warp(
    clip: Clip,
    other: Clip,
    *,
    cost: Cost = "pose",
    band_s: float | None = None,
    ends: StrideEnds = "strides",
    joint: str | None = None,
    names: tuple[str, str] = ("this", "other"),
    title: str | None = None,
) -> Figure:
    """Draw how alike all moments of two clips are, dark where they differ, and the path of moments that correspond.

    Parameters
    ----------
    cost, band_s, ends : str or float or None
        See :func:`kinetune.body.timeline.alignment.matching_times`.
    joint : str or None
        A joint whose angle is drawn along both sides of the matrix.
    names : two strings
        What to call the clips.

    Notes
    -----
    The cells show the distance of poses for any cost. Clips are played along the smooth line; the fine dots
    are the pairs that the dynamic program found.
    """
    from matplotlib.colors import LinearSegmentedColormap

    second = at_rate(other, clip.fps)
    distances, extent = pose_distances(clip, second)
    wide = 1.2 if joint else 0.0
    with palette.new_figure(5.2 + wide, 5.0 + wide, title) as figure:
        if joint:
            grid = figure.add_gridspec(2, 2, width_ratios=(1, 5), height_ratios=(5, 1))
            ax = figure.add_subplot(grid[0, 1])
            beside, below = figure.add_subplot(grid[0, 0], sharey=ax), figure.add_subplot(grid[1, 1], sharex=ax)
            beside.plot(_degrees(second, joint), second.times, color=palette.EDITED)
            below.plot(clip.times, _degrees(clip, joint), color=palette.INK)
            beside.set_xlabel(f"{joint}, degrees")
            below.set_ylabel("degrees")
            beside.set_ylabel(f"{names[1]}, seconds")
            below.set_xlabel(f"{names[0]}, seconds")
            ax.tick_params(labelleft=False, labelbottom=False)
        else:
            ax = figure.subplots()
            ax.set_xlabel(f"{names[0]}, seconds")
            ax.set_ylabel(f"{names[1]}, seconds")
        shades = LinearSegmentedColormap.from_list("distances", palette.HEAT)
        ax.imshow(distances.T, origin="lower", aspect="auto", extent=extent, cmap=shades, interpolation="nearest")
        ax.grid(visible=False)
        start, stop, seconds = matching_times(clip, second, cost=cost, band_s=band_s, ends=ends)
        first, last = (round(float(when) * clip.fps) for when in seconds[[0, -1]])
        if stop - start > 1 and last > first:
            warp = compare(clip[start:stop], second[first : last + 1], cost=cost, band_s=band_s)
            pairs = warp.path + np.array([start, first])
            ax.plot(*(pairs / clip.fps).T, ".", color=palette.EDITED_FILL, markersize=1.5)
        ax.plot(clip.times[start:stop], seconds, color=palette.EDITED, linewidth=1.4)
        ax.plot([0, clip.duration], [0, other.duration], color=palette.GHOST, linewidth=0.7, linestyle=":")
        ax.set_xlim(*extent[:2])
        ax.set_ylim(*extent[2:])
        return figure


def draw_warped_curves(
    clip: Clip, other: Clip, joint: str, *, names: tuple[str, str] = ("this", "other"), title: str | None = None
) -> Figure:
    """Draw a joint's angle in two clips, then the first at the timing of the second, then the second at the first's."""
    rows: list[tuple[str, Clip, Clip]] = [
        ("as they are", clip, other),
        (f"{names[0]} at the timing of {names[1]}", align(clip, other), other),
        (f"{names[1]} at the timing of {names[0]}", clip, align(other, clip)),
    ]
    with palette.new_figure(8.0, 5.0, title or joint) as figure:
        axes = figure.subplots(len(rows), 1, sharex=True)
        for ax, (label, one, two) in zip(axes, rows, strict=True):
            _plot(ax, one, joint, names[0], palette.INK, "-", original=clip, beside=other)
            _plot(ax, two, joint, names[1], palette.EDITED, "--", original=other, beside=clip)
            ax.set_title(label)
            ax.set_ylabel("degrees")
        axes[0].legend(loc="upper right", ncols=2)
        axes[-1].set_xlabel("seconds")
        return figure


def _plot(ax: Axes, clip: Clip, joint: str, name: str, colour: str, line: str, *, original: Clip, beside: Clip) -> None:
    """One curve; a warped one is thick and lies where the strides are that it was warped onto."""
    width, begin = 1.0, 0.0
    if clip is not original:
        width, begin = 2.0, matching_times(beside, original).start / beside.fps
    ax.plot(begin + clip.times, _degrees(clip, joint), line, color=colour, linewidth=width, label=name)


def _degrees(clip: Clip, joint: str) -> Floats:
    """How far a joint is rotated from its rest pose, (frames,)."""
    index = clip.joint(joint)
    rest = np.broadcast_to(clip.skeleton.rest[int(index)], index.rotations.shape)
    return np.degrees(rot.angle_between(rest, index.rotations))


def pose_distances(clip: Clip, other: Clip, cells: int = _CELLS) -> tuple[Floats, tuple[float, float, float, float]]:
    """Pose distances, at most ``cells`` by ``cells`` of them, and the seconds that they span."""
    a, b = (features[:: max(1, -(-len(features) // cells))] for features in _features(clip, other))
    squares = np.sum(a * a, axis=1)[:, None] + np.sum(b * b, axis=1)[None] - 2.0 * (a @ b.T)
    half = 0.5 / clip.fps
    return np.sqrt(np.maximum(squares, 0.0)), (-half, clip.duration + half, -half, other.duration + half)


def distances_along(clip: Clip, other: Clip, seconds: Floats) -> Floats:
    """Pose distances at corresponding moments (n, 2) in seconds, each at its nearest frame, (n,)."""
    a, b = _features(clip, other)
    rows, columns = (
        np.clip(np.round(seconds[:, k] * clip.fps).astype(int), 0, len(side) - 1) for k, side in enumerate((a, b))
    )
    return np.asarray(np.linalg.norm(a[rows] - b[columns], axis=1))


def _features(clip: Clip, other: Clip) -> list[Floats]:
    """Both clips as numbers to compare poses by."""
    standing = [known_contacts(c) for c in (clip, other)]
    feet = [name for name in standing[0].joints if name in standing[1].joints]
    pairs = zip((clip, other), standing, strict=True)
    return [pose_features(each.replace(contacts=known), feet=feet) for each, known in pairs]
