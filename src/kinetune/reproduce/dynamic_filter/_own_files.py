"""The dynamic filter on the user's clips: judged, filtered and judged again."""

from __future__ import annotations

import numpy as np

from kinetune.figures.physics_figures import draw_forces
from kinetune.physics.filter.filtering import FilterResult, run_filter
from kinetune.physics.report_card import PhysicsReport, pace_notes, physics_report
from kinetune.reproduce.dynamic_filter.forces import fate
from kinetune.reproduce.dynamic_filter.kicks import MU
from kinetune.reproduce.experiments import Context, Result, Value
from kinetune.reproduce.own_files import Gallery, OwnFile, own_result, try_each

_SHOWN = 3
"""So many failures are described, the others counted."""


def own_filtered(context: Context) -> Result:
    """Figures 4 and 5 on each clip; a character that falls is an answer too."""
    gallery = Gallery(context)

    def run(file: OwnFile) -> Value:
        clip = file.clip
        assert clip is not None
        judged = physics_report(clip, mu=MU)
        before = judged.inside_share
        result = run_filter(clip, mu=MU, search=not context.quick)
        after = result.report.inside_share
        forces = result.step_forces.sum(axis=1)
        if gallery.has_room and np.isfinite(forces).all():
            caption = f"{file.name}, filtered: below the line it takes more friction than {MU:g}."
            gallery.add(draw_forces({"filtered": forces}, mu=MU), "forces", caption)
        ours = f"{fate(result)}; frames inside the cone {before or 0.0:.0%} before and {after or 0.0:.0%} after"
        statements = describe_outcome(result, judged)
        paper = "forces inside the friction cone"
        return Value(file.name, paper, ours, "deviates" if statements else "same", statements, (file.name,))

    return own_result(try_each(context, "clip", run, "a motion"), gallery)


def describe_outcome(result: FilterResult, judged: PhysicsReport) -> str:
    """Why a motion was not followed closely; nothing where it was."""
    failures = result.failures
    if not failures:
        return ""
    notes = [*pace_notes(judged.com[np.isfinite(judged.com[:, 1]), 1], judged.clip.fps)]
    notes += [f"From frame {failure.first}: {failure.message}" for failure in failures[:_SHOWN]]
    if len(failures) > _SHOWN:
        notes.append(f"And {len(failures) - _SHOWN} more.")
    return " ".join(notes)
