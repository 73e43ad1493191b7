"""The pictures of the page on planted feet: an exaggerated walk that skates, and the same with its feet planted.

    python docs/pictures/planting.py [FILE]

Without a file it draws the sample "walk".
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import kinetune as kt
from kinetune import figures
from kinetune import rotations as rot
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Ground, find_ground
from kinetune.figures import palette

HERE = Path(__file__).parent
POSES_A_SECOND = 24.0


def draw_feet(ax: Axes, clip: kt.Clip, ground: Ground, contacts: Contacts, part: range) -> None:
    """Shanks and soles of many frames over each other, seen from the side; strong while a foot stands."""
    positions, roles = clip.positions(), clip.skeleton.roles
    way = (clip.root[part[-1]] - clip.root[part[0]]) * np.array([1.0, 0.0, 1.0])
    way /= max(float(np.linalg.norm(way)), 1e-9)
    for foot, colour in zip(ground.feet, (palette.LEFT, palette.RIGHT), strict=True):
        knee = positions[:, roles[f"{foot.side} lower leg"]]
        ankle, sole = positions[:, foot.joint], foot.positions(clip)
        stands = contacts.flags[:, contacts.column(foot.side)]
        for frame in part:
            strength = 0.9 if stands[frame] else 0.2
            line = np.stack([knee[frame], ankle[frame]])
            ax.plot(line @ way, line[:, 1], color=colour, alpha=strength, linewidth=0.7)
            ax.plot(sole[frame] @ way, sole[frame, :, 1], color=palette.INK, alpha=strength, linewidth=0.9)
    ax.axhline(ground.floor.height, color=palette.GOOD, linewidth=0.8)
    ax.set(aspect="equal", ylim=(-0.08, 0.55), ylabel="m")


def draw_knee(ax: Axes, clips: dict[str, kt.Clip], part: range) -> None:
    """The flexion of the left knee."""
    colours = (palette.GHOST, palette.EDITED_FILL, palette.INK)
    for (name, clip), colour in zip(clips.items(), colours, strict=True):
        upper, lower, ankle = (clip.skeleton.roles[f"left {p}"] for p in ("upper leg", "lower leg", "foot"))
        x = clip.positions()
        thigh, shank = x[:, lower] - x[:, upper], x[:, ankle] - x[:, lower]
        turn = np.degrees(rot.angle(rot.between(thigh, shank)))
        ax.plot(clip.times[part.start : part.stop], turn[part.start : part.stop], color=colour, label=name)
    ax.set(ylabel="left knee, degrees", xlabel="seconds")
    ax.margins(x=0)
    ax.legend(loc="upper left", ncols=3)


def draw(clip: kt.Clip) -> Figure:
    """An exaggerated walk before and after its feet are planted, and what its knee does."""
    ground = find_ground(clip)
    if ground is None:
        raise SystemExit("This clip has no joints in the role of feet: there is nothing to draw.")
    contacts = find_contacts(clip, ground=ground) if clip.contacts is None else clip.contacts
    wide = kt.Equalize(preset="exaggerate", keep_feet=False)(clip)
    planted = kt.PlantFeet(like="walk")(wide, walk=clip)
    step = max(1, round(clip.fps / POSES_A_SECOND))
    last = min(len(clip), round(2.6 * clip.fps))
    part = range(min(round(0.4 * clip.fps), last - 1), last, step)
    with palette.style():
        figure = Figure(figsize=(9.0, 6.6))
        figure.set_layout_engine("constrained")
        above, below, knee = figure.subplots(3, 1, height_ratios=[2, 2, 1.3])
        for ax, edited, name in ((above, wide, "exaggerated"), (below, planted, "exaggerated, feet planted")):
            slide = kt.measure(edited, ground=ground, contacts=contacts)["foot_slide_mm"]
            draw_feet(ax, edited, ground, contacts, part)
            ax.set_title(f"{name}: a foot slides by {slide:.1f} mm in a contact")
        draw_knee(knee, {"walk": clip, "exaggerated": wide, "planted": planted}, range(part.start, part.stop))
        return figure


def main() -> None:
    clip = kt.read(sys.argv[1]) if len(sys.argv) > 1 else kt.sample("walk")
    print(figures.save(draw(clip), HERE / "planting.png"))
    (HERE / "planting.txt").write_text("\n".join(slides()) + "\n", encoding="utf-8")


def slides() -> list[str]:
    """How far feet slide in the embedded walks: as they are, exaggerated, and planted."""
    rows = ["| sample | as it is | exaggerated | planted, mean | planted, worst contact |", "|---|---|---|---|---|"]
    for name in ("walk", "walk-happy", "walk-sad", "run"):
        clip = kt.sample(name)
        contacts, ground = clip.contacts or find_contacts(clip), find_ground(clip)
        wide = kt.Equalize(preset="exaggerate", keep_feet=False)(clip)
        planted = kt.PlantFeet(like="before")(wide, before=clip)
        measured = [kt.measure(one, contacts=contacts, ground=ground) for one in (clip, wide, planted)]
        means = " | ".join(f"{one['foot_slide_mm']:.1f} mm" for one in measured)
        rows.append(f"| `{name}` | {means} | {measured[-1]['foot_slide_worst_mm']:.1f} mm |")
    return rows


if __name__ == "__main__":
    main()
