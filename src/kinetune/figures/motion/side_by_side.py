"""Source and result of a retargeting side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.body.clip import Clip
from kinetune.figures import palette
from kinetune.figures.motion.strip import StripRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_side_by_side(source: Clip, result: Clip, *, poses: int = 10, width: float = 11.0) -> Figure:
    """Draw a motion on two bodies, one row above the other and to the same scale: the same moments in both.

    Parameters
    ----------
    source, result : Clip
        The motion before and after.
    poses : int
        How many figures in each row.
    width : float
        Of the picture, in inches; the height follows.
    """
    rows = [StripRow(clip, None, poses, "side", None) for clip in (source, result)]
    unit = width / max(row.width for row in rows)
    heights = [row.height for row in rows]
    with palette.new_figure(width, sum(heights) * unit + 0.2, None, color=palette.INK) as figure:
        axes = figure.subplots(2, 1, squeeze=False, height_ratios=heights)[:, 0]
        for row, ax in zip(rows, axes, strict=True):
            row.draw(ax)
        return figure
