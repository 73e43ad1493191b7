"""A picture of every operation: its example before and after.

python docs/pictures/operations.py [NAME ...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import kinetune as kt
from kinetune import figures
from kinetune.body.feet.floor import find_floor
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks

HERE = Path(__file__).parent
FEW = 32
"""Colours of small pictures."""
ROLES = ("left foot", "right foot", "hips")
sys.path.insert(0, str(HERE.parent / "_ext"))

from operation_examples import CAPTURED, DATA, EXAMPLES, Example  # noqa: E402
from picture_files import shrink  # noqa: E402


def main(names: list[str]) -> None:
    for tag, example in EXAMPLES.items():
        if not names or tag in names:
            figures.save(draw(example, *example.run(tag)), HERE / f"operation_{tag}.png")
    if not DATA.is_dir():
        print("skip: pictures of captured clips stay as they are; set KINETUNE_DATA to the folder of the clips")
        return
    for tag, example in CAPTURED.items():
        if not names or tag in names:
            shrink(figures.save(draw_small(example, *example.run(tag)), HERE / f"operation_{tag}_captured.png"), FEW)


def draw(example: Example, before: kt.Clip, after: kt.Clip) -> Figure:
    """The clip and the result, as the example says."""
    if example.look == "above":
        return draw_above(before, after)
    if example.look == "curve":
        return draw_curve(example, before, after)
    if example.look == "below":
        return draw_rows(example, before, after, poses=10, scale=1.0)
    part = slice(*example.part)
    return figures.draw_strip(after[part], before=before[part], poses=10, width=9.0)


def draw_small(example: Example, before: kt.Clip, after: kt.Clip) -> Figure:
    """The same for a captured clip, with few poses and always before above after."""
    if example.look in ("over", "below"):
        part = slice(*example.part)
        return draw_rows(example, before[part], after[part], poses=6, scale=0.62)
    figure = draw(example, before, after)
    figure.set_size_inches(*(0.6 * figure.get_size_inches()))
    return figure


def draw_rows(example: Example, before: kt.Clip, after: kt.Clip, poses: int, scale: float) -> Figure:
    """The clip above the result at the same times, seen by one camera that goes along; scale : inches per metre.

    In a look over the clip the camera goes along with the clip in both rows, and the clip is grey behind the result.
    """
    ahead, over = sticks.travel_direction(before), example.look == "over"
    times = np.linspace(0.0, max(before.duration, after.duration), poses)
    rows, sides = [], np.full((2, poses), 0.25)
    for clip in (before, after):
        frames = np.round(times * clip.fps).astype(int)
        paper, depth = sticks.project(sticks.points(clip)[frames[frames < len(clip)]], ahead, example.view)
        if not rows or not over:
            hips = paper[:, clip.skeleton.roles["hips"], None, 0].copy()
        paper[..., 0] -= hips
        here = sides[:, : len(paper)]
        np.maximum(here, [-paper[..., 0].min(axis=1), paper[..., 0].max(axis=1)], out=here)
        floor = find_floor(after if over else clip)
        rows.append((clip.skeleton, paper, depth, 0.0 if floor is None else floor.height))
    places = np.cumsum(sides[0] + np.append(0.0, sides[1, :-1]) + 0.05)
    low = min(min(ground, paper[..., 1].min()) for _, paper, _, ground in rows) - 0.05
    tall, wide = max(paper[..., 1].max() for _, paper, *_ in rows) + 0.1 - low, places[-1] + sides[1, -1] + 0.35
    with palette.style():
        figure = Figure(figsize=(scale * wide, scale * 2.0 * tall))
        ax: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        for (skeleton, paper, depth, ground), words, bottom in zip(rows, ("before", "after"), (tall, 0.0), strict=True):
            ax.text(-0.1, bottom + 0.5 * tall, words, rotation=90, ha="center", va="center", color=palette.LABEL)
            ax.axhline(ground - low + bottom, color=palette.GHOST, linewidth=0.7, zorder=0)
            lines, head = sticks.bones(skeleton), sticks.head(skeleton)
            offsets = np.stack([places, np.full(poses, bottom - low)], axis=-1)[: len(paper), None]
            if over and words == "after":
                behind = [pose[[bone.start, bone.end]] for pose in rows[0][1] + offsets for bone in lines]
                ax.add_collection(LineCollection(behind, colors=palette.HEAT[2], linewidths=0.7))
            for pose, near in zip(paper + offsets, depth, strict=True):
                sticks.draw_pose(ax, pose, lines, head, depth=near, width=1.3)
        ax.set(xlim=(-0.25, wide - 0.25), ylim=(0.0, 2.0 * tall))
        ax.axis("off")
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
