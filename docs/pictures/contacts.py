"""Draw when the feet of a clip stand, over the height and speed of their soles.

    python docs/pictures/contacts.py [FILE] [-o PICTURE]

Without a file it draws the sample "walk".
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.soles import still_speed
from kinetune.errors import ParameterError

COLOURS = {"heel": "#c2553f", "ball": "#2f6f9f", "toe": "#4f9a63"}


def draw(clip: Clip, picture: Path, title: str) -> Path:
    """One column a foot: sole heights above, sole speeds in the middle, confidence below; grey where it stands."""
    ground = find_ground(clip)
    if ground is None:
        raise ParameterError(f"{title} has no joints in the role of feet: there is nothing to draw.")
    contacts = find_contacts(clip, ground=ground)
    figure, axes = plt.subplots(
        3, len(ground.feet), figsize=(8 * len(ground.feet), 7), sharex=True, sharey="row", squeeze=False
    )
    for column, foot in enumerate(ground.feet):
        points = foot.positions(clip)
        heights = 100.0 * ground.floor.above(points)
        speeds = still_speed(ground.still_positions(clip, points), clip.fps)
        for index, point in enumerate(foot.points):
            colour = COLOURS[point.name]
            axes[0, column].plot(clip.times, heights[:, index], color=colour, label=point.name, linewidth=1.2)
            axes[1, column].plot(clip.times, speeds[:, index], color=colour, linewidth=1.2)
        axes[2, column].plot(clip.times, contacts.confidence[:, column], color="black", linewidth=1)
        for row in axes[:, column]:
            for start, stop in contacts.intervals(column):
                row.axvspan(start / clip.fps, (stop - 1) / clip.fps, color="0.85", linewidth=0)
        for level, flags, name in ((1.14, contacts.heels, "heel"), (1.07, contacts.toes, "toe")):
            down = clip.times[flags[:, column]]
            axes[2, column].plot(down, 0 * down + level, "|", color=COLOURS[name], markersize=4)
        axes[0, column].set_title(f"{title}: {foot.side} foot")
        axes[2, column].set_xlabel("seconds")
    axes[0, 0].set(ylabel="above the floor, cm", ylim=(-5, 20))
    axes[1, 0].set(ylabel="speed, m/s", ylim=(0, 2))
    axes[2, 0].set(ylabel="confidence", ylim=(0, 1.2))
    axes[0, -1].legend(loc="upper right", frameon=False, ncols=3)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.margins(x=0)
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=70)
    plt.close(figure)
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("-o", "--picture", type=Path, default=Path(__file__).with_suffix(".png"))
    asked = parser.parse_args()
    if asked.file is None:
        from kinetune.samples import sample

        clip, title = sample("walk"), "walk"
    else:
        from kinetune.formats import read

        clip, title = read(asked.file), asked.file.stem
    print(draw(clip, asked.picture, title))
    Path(__file__).with_name("measures.txt").write_text("\n".join(measures()) + "\n", encoding="utf-8")


def measures() -> list[str]:
    """What a few samples measure."""
    from kinetune.body.quality.measures import measure
    from kinetune.samples import sample

    rows = ["| sample | foot slide | penetration | jerk | flips | flight |", "|---|---|---|---|---|---|"]
    for name in ("walk", "walk-sad", "run", "kick-1", "knock", "sit-and-drink"):
        card = measure(sample(name))
        lengths = " | ".join(
            "none" if card[key] is None else f"{card[key]:.1f} mm" for key in ("foot_slide_mm", "penetration_mm")
        )
        rows.append(f"| `{name}` | {lengths} | {card['jerk']:.0f} m/s³ | {card['flips']} | {card['flight_s']:.2f} s |")
    return rows


if __name__ == "__main__":
    main()
