"""The pictures of the pages on aiming.

python docs/pictures/reach.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import kinetune as kt
from kinetune import figures, rotations
from kinetune.reproduce.inverse_blending.aiming import RADII, TIP, example_blend, span_message, sphere_targets

HERE = Path(__file__).parent


def main() -> None:
    reach = example_blend("reach")
    goal = (-0.42, 1.45, 0.52)
    solution = reach.solve(kt.AtPoint(TIP, goal))
    save(figures.draw_reach(solution.clip, goal, joint=TIP, title="a reach: fingertips at a point"), "reach_strip")
    actions()
    save(figures.draw_reach_map(kt.reach.reach_map(reach, TIP, spacing=0.04), reach.examples[0]), "reach_map")
    spheres(reach)
    (HERE / "reach_span.txt").write_text(span_message() + "\n", encoding="utf-8")


def actions() -> None:
    """Pointing, pouring, a button and a grasp, as in the paper's Figure 1."""
    point, pour, grasp = (example_blend(kind) for kind in ("point", "pour", "grasp"))
    lamp = np.array([-1.6, 2.0, 2.4])
    rows = {}
    shoulder = point.examples[0].joint("RightArm").positions[-1]
    line = (*lamp, *(lamp - shoulder))
    rows["pointing at a lamp: fingertips on the line from the shoulder to it"] = (
        point.solve(kt.OnLine(TIP, lamp, lamp - shoulder)),
        None,
        line,
    )
    spout = (-0.15, 1.05, 0.5)
    rows["pouring: fingertips above the pot, hand tilted by 45 degrees"] = (
        pour.solve(
            [kt.OnLine(TIP, spout, (0, 1, 0)), kt.Facing("RightHand", toward=(0, 1, 0), angle_deg=45, axis="y")]
        ),
        None,
        (*spout, 0.0, 1.0, 0.0),
    )
    middle = grasp.blend(np.ones(15))
    turned = middle.world_rotations()[-1, 13]
    thing = middle.positions()[-1, 13] + rotations.rotate(turned, np.array([-0.155, 0.0, 0.0])) + [0.06, 0.04, 0.02]
    rows["grasping: fingertips at a point, the whole hand turned as asked"] = (
        grasp.solve([kt.AtPoint(TIP, thing), kt.Facing("RightHand", rotation=turned)]), thing, None,
    )  # fmt: skip
    paths = []
    for number, (title, (solution, spot, ray)) in enumerate(rows.items()):
        print(title, solution)
        figure = figures.draw_reach(solution.clip, spot, joint=TIP, line=ray, title=title)
        paths.append(figures.save(figure, HERE / f"reach-{number}.png"))
    pictures = [Image.open(path).convert("RGB") for path in paths]
    sheet = Image.new("RGB", (pictures[0].width, sum(p.height for p in pictures)), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (0, sum(p.height for p in pictures[:k])))
    sheet.quantize(64).save(HERE / "reach_actions.png")
    for path in paths:
        path.unlink()


def spheres(reach: kt.InverseBlend) -> None:
    """The paper's Figure 6: where the fingertips arrive for targets on six spheres."""
    targets = np.stack([sphere_targets(radius) for radius in RADII])
    reached = {}
    for name, mode in (("kernel weights alone (RBF)", "rbf"), ("inverse blending", "soft")):
        batch = reach.solve_batch(kt.AtPoint(TIP, targets.reshape(-1, 3)), mode=mode)
        places = [each.clip[-1:].joint("RightHand") for each in batch]
        turns = [place.clip.world_rotations()[0, place] for place in places]
        offset = np.array([-0.155, 0.0, 0.0])
        tips = [place.positions[0] + rotations.rotate(turn, offset) for place, turn in zip(places, turns, strict=True)]
        reached[name] = np.array(tips).reshape(targets.shape)
    save(figures.draw_reach_errors(targets, reached, reach.places(TIP)), "reach_spheres")


def save(figure, name: str) -> None:  # type: ignore[no-untyped-def]
    path = figures.save(figure, HERE / f"{name}.png")
    Image.open(path).convert("RGB").quantize(96).save(path)


if __name__ == "__main__":
    main()
