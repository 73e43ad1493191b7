"""Walking on footsteps: ``kt.walking``.

==============  ============================================================================
walk            walk over footsteps with the embedded steps or with others
Walker          the same, one footstep after another
Footstep        where a foot should stand; read_footsteps reads them, plan_footsteps makes them
StepSet         the example steps that a walk is blended from; sample_steps is the embedded set
Walk            a walk with its WalkReport, a StepReport for each footstep
==============  ============================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.inverse.steps.step_motion": ("Technique",),
    "kinetune.inverse.steps.step_sets": ("StepSet",),
    "kinetune.inverse.walk.footstep_planners": ("plan_footsteps",),
    "kinetune.inverse.walk.footsteps": ("Footstep", "read_footsteps"),
    "kinetune.inverse.walk.walk_report": ("StepReport", "WalkReport"),
    "kinetune.inverse.walk.walk_values": ("FootPlacement", "Walk", "WalkStep"),
    "kinetune.inverse.walk.walker": ("Walker",),
    "kinetune.samples.sample_walk": ("sample_steps", "walk"),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.inverse.steps.step_motion import Technique as Technique
    from kinetune.inverse.steps.step_sets import StepSet as StepSet
    from kinetune.inverse.walk.footstep_planners import plan_footsteps as plan_footsteps
    from kinetune.inverse.walk.footsteps import Footstep as Footstep
    from kinetune.inverse.walk.footsteps import read_footsteps as read_footsteps
    from kinetune.inverse.walk.walk_report import StepReport as StepReport
    from kinetune.inverse.walk.walk_report import WalkReport as WalkReport
    from kinetune.inverse.walk.walk_values import FootPlacement as FootPlacement
    from kinetune.inverse.walk.walk_values import Walk as Walk
    from kinetune.inverse.walk.walk_values import WalkStep as WalkStep
    from kinetune.inverse.walk.walker import Walker as Walker
    from kinetune.samples.sample_walk import sample_steps as sample_steps
    from kinetune.samples.sample_walk import walk as walk
