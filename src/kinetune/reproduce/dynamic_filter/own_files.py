"""The dynamic filter on the user's own clips: judged, filtered and judged again."""

from __future__ import annotations

import numpy as np

from kinetune.figures.physics_figures import draw_forces
from kinetune.physics.filter.filtering import FilterResult, filter_dynamics
from kinetune.physics.report_card import PhysicsReport, pace_notes, physics_report
from kinetune.reproduce.dynamic_filter.forces import fate
from kinetune.reproduce.dynamic_filter.kicks import MU
from kinetune.reproduce.experiments import Context, Picture, Result, Value
from kinetune.reproduce.own_files import SHOWN, OwnFile, own_result, try_each

_TOLD = 3
"""So many failures are told in words, the others counted."""


def own_filtered(context: Context) -> Result:
    """Figures 4 and 5 on each clip; a figure that falls is an answer too."""
    pictures: list[Picture] = []

    def run(file: OwnFile) -> Value:
        clip = file.clip
        assert clip is not None
        judged = physics_report(clip, mu=MU)
        before = judged.inside_share
        result = filter_dynamics(clip, mu=MU, search=not context.quick)
        after = result.report.inside_share
        forces = result.step_forces.sum(axis=1)
        if len(pictures) < SHOWN and np.isfinite(forces).all():
            caption = f"{file.name}, filtered: below the line it takes more friction than {MU:g}."
            pictures.append(
                context.save(draw_forces({"filtered": forces}, mu=MU), f"forces-{len(pictures) + 1}", caption)
            )
        ours = f"{fate(result)}; frames inside the cone {before or 0.0:.0%} before and {after or 0.0:.0%} after"
        words = told(result, judged)
        paper = "forces inside the friction cone"
        return Value(file.name, paper, ours, "deviates" if words else "same", words, (file.name,))

    return own_result(try_each(context, "clip", run, "a motion"), pictures)


def told(result: FilterResult, judged: PhysicsReport) -> str:
    """Why a motion was not followed closely; nothing where it was."""
    failures = result.failures
    if not failures:
        return ""
    words = [*pace_notes(judged.com[np.isfinite(judged.com[:, 1]), 1], judged.clip.fps)]
    words += [f"From frame {failure.first}: {failure.message}" for failure in failures[:_TOLD]]
    if len(failures) > _TOLD:
        words.append(f"And {len(failures) - _TOLD} more.")
    return " ".join(words)
