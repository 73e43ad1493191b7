"""The pictures of the pages on splicing and filtering: a double kick, before and after, and its forces.

python docs/pictures/filter.py
"""

from pathlib import Path

import numpy as np
from PIL import Image

import kinetune as kt
from kinetune import figures
from kinetune.figures.physics_figures import draw_filtering, draw_force_strip

HERE = Path(__file__).parent
SHOWN = slice(38, 118)


def main() -> None:
    first, second = (kt.Resample(fps=60)(kt.sample(name)) for name in ("kick-1", "kick-2"))
    double = kt.splice(first, second, seed=2)
    rows = {"first take": first, "second take": second, "double kick": double}
    drawn = [figures.draw_strip(clip, poses=14, title=name) for name, clip in rows.items()]
    stack([figures.save(figure, HERE / f"splice-{k}.png") for k, figure in enumerate(drawn)], HERE / "splice.png")

    body = kt.Body.fit(double.skeleton, mass=70, clip=double)
    results = {
        mode: kt.filter_dynamics(double, body, mode=mode, method="filter") for mode in ("joint", "position", "friction")
    }
    physical = results["friction"]
    strips = [
        figures.draw_strip(double[SHOWN], poses=12, title="before"),
        draw_force_strip(
            physical.clip[SHOWN],
            body,
            physical.forces[SHOWN],
            before=double[SHOWN],
            poses=12,
            title="after, with the ground's forces",
        ),
    ]
    stack(
        [figures.save(figure, HERE / f"filter-{k}.png") for k, figure in enumerate(strips)],
        HERE / "filter_dynamics.png",
    )
    forces = {mode: result.step_forces.sum(axis=1) for mode, result in results.items()}
    errors = {mode: 1e3 * np.nan_to_num(result.toe_errors).max(axis=1) for mode, result in results.items()}
    figure = draw_filtering(forces, errors, 60.0, mu=1.0, title="a double kick, filtered in three ways")
    figures.save(figure, HERE / "filter_forces.png")


def stack(paths: list[Path], target: Path) -> None:
    """Pictures one below the other, as one."""
    pictures = [Image.open(path).convert("RGB") for path in paths]
    width = max(p.width for p in pictures)
    sheet = Image.new("RGB", (width, sum(p.height for p in pictures)), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (0, sum(p.height for p in pictures[:k])))
    sheet.quantize(128).save(target)
    for path in paths:
        path.unlink()


if __name__ == "__main__":
    main()
