"""A picture of every operation: its example before and after.

python docs/pictures/operations.py [NAME ...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import kinetune as kt
from kinetune import figures
from kinetune.figures import palette

HERE = Path(__file__).parent
ROLES = ("left foot", "right foot", "hips")
sys.path.insert(0, str(HERE.parent / "_ext"))

from operation_examples import EXAMPLES, Example  # noqa: E402


def main(names: list[str]) -> None:
    for tag, example in EXAMPLES.items():
        if not names or tag in names:
            figures.save(draw(example, *example.run(tag)), HERE / f"operation_{tag}.png")


def draw(example: Example, before: kt.Clip, after: kt.Clip) -> Figure:
    """The clip and the result, as the example says."""
    if example.look == "above":
        return draw_above(before, after)
    if example.look == "curve":
        return draw_curve(example, before, after)
    if example.look == "below":
        return draw_rows(before, after)
    part = slice(*example.part)
    return figures.draw_strip(after[part], before=before[part], poses=10, width=9.0)


def draw_rows(before: kt.Clip, after: kt.Clip) -> Figure:
    """The clip above the result."""
    rows = []
    for clip, words in ((before, "before"), (after, "after")):
        figure = figures.draw_strip(clip, poses=10, width=9.0, title=words)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        rows.append(np.asarray(canvas.buffer_rgba()))
    width, height = rows[0].shape[1], sum(row.shape[0] for row in rows)
    figure = Figure(figsize=(width / figure.dpi, height / figure.dpi), dpi=figure.dpi)
    for row, bottom in zip(rows, (rows[1].shape[0], 0), strict=True):
        figure.figimage(row, 0, bottom)
    return figure


def draw_above(before: kt.Clip, after: kt.Clip) -> Figure:
    """Ways of the hips and of both feet, seen from above; +Z is to the right, so that left is up."""
    ways = [clip.positions()[:, [clip.skeleton.roles[role] for role in ROLES]][..., [2, 0]] for clip in (before, after)]
    every = np.concatenate([way.reshape(-1, 2) for way in ways])
    low, high = every.min(axis=0) - 0.4, every.max(axis=0) + 0.4
    wide = float((high - low)[0])
    with palette.style():
        figure = Figure(figsize=(8.0, 1.0 + min(4.0, 6.0 * float((high - low)[1]) / wide)), layout="constrained")
        ax: Any = figure.subplots()
        for way, colours, words in (
            (ways[0], (palette.HAIRLINE, palette.HAIRLINE, palette.GHOST), "before"),
            (ways[1], (palette.LEFT, palette.RIGHT, palette.EDITED), "after"),
        ):
            for number, (role, colour) in enumerate(zip(ROLES, colours, strict=True)):
                ax.plot(*way[:, number].T, color=colour, linewidth=1.2, label=f"{role}, {words}")
            ax.plot(*way[0, -1], "o", color=colours[-1], markersize=4)
        ax.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="z, metres", ylabel="x, metres")
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)
    return figure


def draw_curve(example: Example, before: kt.Clip, after: kt.Clip) -> Figure:
    """One joint over time, dots where frames are few."""
    with palette.style():
        figure = Figure(figsize=(8.0, 2.2), layout="constrained")
        ax: Any = figure.subplots()
        for clip, colour, words in ((before, palette.GHOST, "before"), (after, palette.EDITED, "after")):
            last = np.inf if example.part[1] is None else example.part[1] / before.fps
            angle = figures.channel(clip, example.joint, like=before)
            seconds = np.arange(len(angle)) / clip.fps
            keep = seconds <= last
            mark = "." if clip.fps < 20 else None
            ax.plot(seconds[keep], angle[keep], color=colour, label=words, marker=mark)
        ax.set(xlabel="seconds", ylabel="degrees", title=example.joint)
        ax.margins(x=0.01)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


if __name__ == "__main__":
    main(sys.argv[1:])
