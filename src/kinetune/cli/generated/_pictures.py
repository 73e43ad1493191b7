"""Pictures that a command of an operation draws of its result, by operation and flag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kinetune.inverse.blend.inverse_blend import BlendSolution, InverseBlend
    from kinetune.inverse.walk.walk_values import Walk
    from kinetune.operations.aim import Aim, Target
    from kinetune.runs import RunResult


class ResultPicture(NamedTuple):
    """One picture.

    text : what the help says.
    draw : draws it to a file, and returns what the report gains, one entry or none; its "advice" is printed.
    """

    text: str
    draw: Callable[[RunResult, Path], Mapping[str, Any]]


def _draw_reach(result: RunResult, file: Path) -> Mapping[str, Any]:
    from kinetune import figures

    aim, solution = _aimed(result)
    targets = aim.all_targets(aim.moment(_examples(aim, solution)))
    point = next((target.at for target in targets if target.at is not None), None)
    line = next((target.line for target in targets if target.line is not None), None)
    joint = targets[0].joint
    frame = _last_frame(targets[0])
    figures.save(figures.draw_reach(solution.clip, point, frame=frame, line=line, joint=joint), file)
    return {}


def _draw_reach_map(result: RunResult, file: Path) -> Mapping[str, Any]:
    from kinetune import figures
    from kinetune.inverse.reachability import reach_map

    aim, solution = _aimed(result)
    blend = _examples(aim, solution)
    first = aim.all_targets(aim.moment(blend))[0]
    chart = reach_map(blend, first.joint, frame=_last_frame(first), offset=first.offset, k=aim.k)
    figures.save(figures.draw_reach_map(chart, solution.examples[0]), file)
    return {"map": chart.report()}


def _draw_walk(result: RunResult, file: Path) -> Mapping[str, Any]:
    from kinetune import figures
    from kinetune.figures.walk_figure import draw_walk

    walk: Walk = next(value for value in result.results if hasattr(value, "placements"))
    asked = [placed.target for placed in walk.placements if not placed.inserted]
    inserted = [placed.footstep for placed in walk.placements if placed.inserted]
    figures.save(draw_walk(walk.clip, asked, inserted=inserted), file)
    return {}


def _draw_retargeted(result: RunResult, file: Path) -> Mapping[str, Any]:
    from kinetune import figures
    from kinetune.figures.motion.side_by_side import draw_side_by_side

    figures.save(draw_side_by_side(result.source, result.clip), file)
    return {}


def _save_map(result: RunResult, file: Path) -> Mapping[str, Any]:
    from kinetune.retarget.bone_map import write_bone_map
    from kinetune.retarget.retargeting import Retargeted

    write_bone_map(next(value for value in result.results if isinstance(value, Retargeted)).bones, file)
    return {}


def _aimed(result: RunResult) -> tuple[Aim, BlendSolution]:
    from kinetune.operations.aim import Aim

    step = next(step for step in result.recipe.active if isinstance(step, Aim))
    return step, next(value for value in result.results if hasattr(value, "weights"))


def _examples(aim: Aim, solution: BlendSolution) -> InverseBlend:
    from kinetune.inverse.blend.inverse_blend import InverseBlend

    return InverseBlend(solution.examples, rotations=aim.rotations)


def _last_frame(target: Target) -> int:
    return target.frame if isinstance(target.frame, int) else target.frame[-1]


PICTURES: dict[str, dict[str, ResultPicture]] = {
    "aim": {
        "picture": ResultPicture("Draw the motion and its target, as a PNG, SVG or PDF.", _draw_reach),
        "map": ResultPicture("Draw where the examples reach, as a PNG, SVG or PDF.", _draw_reach_map),
    },
    "retarget": {
        "picture": ResultPicture("Draw source and result side by side, as a PNG, SVG or PDF.", _draw_retargeted),
        "save_map": ResultPicture("Write which joint stands for which as YAML, to edit and give to --map.", _save_map),
    },
    "follow_footsteps": {
        "picture": ResultPicture("Draw footprints and stick figures, as a PNG, SVG or PDF.", _draw_walk),
    },
}
"""Operation to flag to picture."""
