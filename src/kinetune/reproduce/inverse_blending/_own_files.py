"""Inverse blending on the user's clips: steps are cut out of them, and a walk on footsteps is made of those."""

from __future__ import annotations

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footstep_planners import plan_footsteps
from kinetune.inverse.walk.walker import Walker
from kinetune.reproduce.experiments import Context, Result, Value
from kinetune.reproduce.inverse_blending.walking import placed
from kinetune.reproduce.own_files import Gallery, OwnFile, left_out, own_result, try_each

_READY = "ready"
_LEAST_AHEAD = 0.2
"""Metres; steps that all lead less far ahead are those of a character on the spot."""


def own_steps(context: Context) -> Result:
    """Figure 5 with the steps of the user's clips, those of one character together."""
    groups: list[list[OwnFile]] = []

    def sort_in(file: OwnFile) -> Value:
        assert file.clip is not None
        StepSet.from_clips([file.clip], names=[file.name])  # says what is wrong with a clip that has no step
        same_body = next((group for group in groups if _same_body(group[0].clip, file.clip)), None)
        if same_body is None:
            groups.append([file])
        else:
            same_body.append(file)
        return Value(file.name, "", _READY, "same")

    values = [value for value in try_each(context, "clip", sort_in, "a motion") if value.ours != _READY]
    gallery = Gallery(context)
    values.extend(_walk(group, gallery) for group in groups)
    return own_result(values, gallery)


def _same_body(a: Clip | None, b: Clip) -> bool:
    """Whether two clips have the same joints and, to a thousandth of the character's height, the same bones."""
    assert a is not None
    first, other = a.skeleton, b.skeleton
    if not first.same_joints(other):
        return False
    return bool(np.linalg.norm(first.offsets[1:] - other.offsets[1:], axis=1).max(initial=0.0) < 1e-3 * first.height)


def _walk(group: list[OwnFile], gallery: Gallery) -> Value:
    """A walk straight on with the steps of one character."""
    names = tuple(file.name for file in group)
    what = ", ".join(names)
    try:
        steps = StepSet.from_clips([file.clip for file in group if file.clip is not None], names=names)
        rows = steps.as_table()
        walking = [row for row in rows if row["kind"] == "walking"] or rows
        ahead = max(row["ahead_m"] for row in walking)
        if ahead < _LEAST_AHEAD:
            return left_out(names, f"Its steps lead {ahead:.2f} m ahead at most: there is no walk in it.")
        footsteps = plan_footsteps("straight:length=3", steps=steps)
        walker = Walker(steps)
        walker.walk(footsteps, stop=False)
    except KinetuneError as error:
        return left_out(names, str(error))
    if gallery.has_room:
        picture = figures.draw_walk(walker.clip, footsteps, poses=10)
        caption = f"A walk on {len(footsteps)} footsteps with {len(steps)} steps and mirror images of {what}."
        gallery.add(picture, "walk", caption)
    report = walker.report
    met = sum(row.reached for row in report.steps)
    if met == len(report.steps):
        value = placed(what, walker)
        return Value(what, value.paper, f"{len(steps)} steps; {value.ours}", value.verdict, value.note, names)
    worst = max((row for row in report.steps if not row.reached), key=lambda row: row.error_mm)
    note = f"What is reached depends on how much the steps vary. {worst.notes[-1]}"
    ours = f"{len(steps)} steps; {met} of {len(report.steps)} footsteps met, the others missed by up to "
    ours += f"{worst.error_mm:.1f} mm"
    return Value(what, "depends on the existing variations", ours, "deviates", note, names)
