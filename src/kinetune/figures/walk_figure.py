"""A walk on footsteps: footprints seen from above, and stick figures below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import facing
from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.inverse.walk.footsteps import Footstep
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OUTLINE = np.array(
    [
        (0.034, -0.18),
        (0.052, -0.08),
        (0.050, 0.02),
        (0.040, 0.075),
        (0.0, 0.095),
        (-0.036, 0.075),
        (-0.042, 0.02),
        (-0.026, -0.08),
        (-0.032, -0.16),
        (0.0, -0.20),
    ]
)
"""A left sole about its ball, x to the left and z ahead, in metres."""


def draw_walk(
    clip: Clip,
    footsteps: Sequence[Footstep],
    *,
    inserted: Sequence[Footstep] = (),
    poses: int = 15,
    title: str | None = None,
    width: float = 11.0,
) -> Figure:
    """Draw footprints as they were asked for, with the path of the hips, and the walk as a row of stick figures.

    Parameters
    ----------
    clip : Clip
        The walk.
    footsteps : sequence of Footstep
        Where the feet should stand: left blue, right yellow.
    inserted : sequence of Footstep
        Further ones that were put in between, in grey.
    poses : int
        How many figures.
    """
    if not footsteps:
        raise ParameterError("There is no footstep to draw.")
    paper_from_world = _paper_from_world(footsteps)
    path = (clip.positions()[:, clip.skeleton.roles.get("hips", 0)] @ paper_from_world.T)[:, [0, 1]]
    marks = np.array([(f.x, 0.0, f.z) for f in (*footsteps, *inserted)]) @ paper_from_world.T
    every = np.concatenate([path, marks])
    low, high = every.min(axis=0) - 0.35, every.max(axis=0) + 0.35
    wide, tall = high - low
    height = float(np.clip(width * tall / wide, 1.6, 8.0))
    with palette.new_figure(width, height + 2.6, title, color=palette.INK) as figure:
        above, below = figure.subplots(2, 1, height_ratios=(height, 2.3))
        above.plot(path[:, 0], path[:, 1], color=palette.GHOST, linewidth=0.9, zorder=1)
        for footstep in inserted:
            _print(above, footstep, paper_from_world, palette.GHOST)
        for footstep in footsteps:
            _print(above, footstep, paper_from_world, palette.LEFT if footstep.side == "left" else palette.RIGHT)
        above.set_xlim(low[0], high[0])
        above.set_ylim(low[1], high[1])
        above.set_aspect("equal")
        above.set_xlabel("metres, seen from above")
        _figures(below, clip, poses)
        return figure


def _paper_from_world(footsteps: Sequence[Footstep]) -> Floats:
    """(2, 3) from the world to the paper: the longer side of the walk lies along the page, its left side up."""
    positions = np.array([(f.x, f.z) for f in footsteps])
    away = positions - positions.mean(axis=0)
    ahead = np.array([0.0, 1.0])
    if len(positions) > 2:
        values, vectors = np.linalg.eigh(away.T @ away)
        if values[1] > 4.0 * values[0]:
            ahead = vectors[:, 1] * np.sign(vectors[:, 1] @ (positions[-1] - positions[0]) or 1.0)
    # x of the paper goes ahead, y of the paper to the left of that.
    return np.array([[ahead[0], 0.0, ahead[1]], [ahead[1], 0.0, -ahead[0]]])


def _print(ax: Axes, footstep: Footstep, paper_from_world: Floats, colour: str) -> None:
    from matplotlib.patches import Polygon

    sole = _OUTLINE * ([1.0, 1.0] if footstep.side == "left" else [-1.0, 1.0])
    placed = rot.rotate(
        rot.about_y(np.radians(footstep.heading_deg)), np.stack([sole[:, 0], 0 * sole[:, 0], sole[:, 1]], axis=-1)
    ) + np.array([footstep.x, 0.0, footstep.z])
    ax.add_patch(Polygon(placed @ paper_from_world.T, closed=True, facecolor=colour, alpha=0.55, linewidth=0, zorder=2))
    ball = np.array([footstep.x, 0.0, footstep.z]) @ paper_from_world.T
    ax.plot(*ball, ".", color=palette.INK, markersize=2.5, zorder=3)


def _figures(ax: Axes, clip: Clip, poses: int) -> None:
    """Stick figures, each seen from its own right side: otherwise a walk on a circle would be seen from all sides."""
    frames = np.unique(np.linspace(0, len(clip) - 1, poses).round().astype(int))
    unturned = rot.about_y(-facing(clip)[frames])
    points = sticks.points(clip)[frames]
    hips = points[:, clip.skeleton.roles.get("hips", 0)] * [1.0, 0.0, 1.0]
    local = rot.rotate(unturned[:, None], points - hips[:, None])
    paper, depth = sticks.project(local, np.array([0.0, 0.0, 1.0]), "side")
    lines, head = sticks.bones(clip.skeleton), sticks.head(clip.skeleton)
    step = 0.95 * clip.skeleton.height / 1.75
    for number, (pose, far) in enumerate(zip(paper, depth, strict=True)):
        sticks.draw_pose(ax, pose + np.array([number * step, 0.0]), lines, head, depth=far, width=1.7)
    ax.axhline(0.0, color=palette.GHOST, linewidth=0.7, zorder=0)
    ax.set_xlim(-0.6 * step, (len(frames) - 0.4) * step)
    ax.set_ylim(-0.05, 1.12 * float(local[..., 1].max()))
    ax.set_aspect("equal")
    ax.axis("off")
