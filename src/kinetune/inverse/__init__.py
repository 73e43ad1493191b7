"""Motion that meets targets exactly: inverse blending of examples, and walks on footsteps ([huang]).

=============  ===================================================================================
InverseBlend   a set of examples, and the blends between them that meet constraints
BlendSolution  one such blend; BlendSolutionBatch holds many
AtPoint        what a blend must meet; also OnLine, Facing, Heading, LookAt and Custom
reach_map      where a set of examples can reach; a ReachMap with its Gaps
Footstep       where a foot should stand; read_footsteps reads them, plan_footsteps makes them
StepSet        the example steps that a walk is blended from
walk_on        walk over footsteps; a Walk with its WalkReport and FootPlacements
Walker         the same, one footstep after another; Technique leaves parts of the method out
=============  ===================================================================================

Names are loaded when they are first used. The shelves: ``blend`` (weights for which a blend meets constraints),
``steps`` (single steps), ``walk`` (walks on footsteps); ``reachability`` holds the reach map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.inverse.blend.constraints": (
        "AnyConstraint",
        "AtPoint",
        "Constraint",
        "Custom",
        "Facing",
        "Heading",
        "LookAt",
        "OnLine",
    ),
    "kinetune.inverse.blend.inverse_blend": ("BlendSolution", "BlendSolutionBatch", "InverseBlend"),
    "kinetune.inverse.reachability": ("Gap", "ReachMap", "reach_map"),
    "kinetune.inverse.steps.step_motion": ("Technique",),
    "kinetune.inverse.steps.step_sets": ("StepSet",),
    "kinetune.inverse.walk.footstep_planners": ("plan_footsteps",),
    "kinetune.inverse.walk.footsteps": ("Footstep", "read_footsteps"),
    "kinetune.inverse.walk.walk_report": ("StepReport", "WalkReport"),
    "kinetune.inverse.walk.walk_values": ("FootPlacement", "Walk", "WalkStep"),
    "kinetune.inverse.walk.walker": ("Walker", "walk_on"),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.inverse.blend.constraints import AnyConstraint as AnyConstraint
    from kinetune.inverse.blend.constraints import AtPoint as AtPoint
    from kinetune.inverse.blend.constraints import Constraint as Constraint
    from kinetune.inverse.blend.constraints import Custom as Custom
    from kinetune.inverse.blend.constraints import Facing as Facing
    from kinetune.inverse.blend.constraints import Heading as Heading
    from kinetune.inverse.blend.constraints import LookAt as LookAt
    from kinetune.inverse.blend.constraints import OnLine as OnLine
    from kinetune.inverse.blend.inverse_blend import BlendSolution as BlendSolution
    from kinetune.inverse.blend.inverse_blend import BlendSolutionBatch as BlendSolutionBatch
    from kinetune.inverse.blend.inverse_blend import InverseBlend as InverseBlend
    from kinetune.inverse.reachability import Gap as Gap
    from kinetune.inverse.reachability import ReachMap as ReachMap
    from kinetune.inverse.reachability import reach_map as reach_map
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
    from kinetune.inverse.walk.walker import walk_on as walk_on
