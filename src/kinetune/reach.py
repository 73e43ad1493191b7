"""Aiming at targets by inverse blending: ``kt.reach``.

=============  ================================================================================
InverseBlend   a set of examples, and the blends between them that meet constraints
BlendSolution  one such blend; BlendSolutionBatch holds many
AtPoint        a joint at a point; also OnLine, Facing, Heading, LookAt and Custom
reach_map      where a set of examples can reach; a ReachMap with its Gaps
=============  ================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

_HOMES = {
    "kinetune.inverse.blend.constraints": ("AtPoint", "Constraint", "Custom", "Facing", "Heading", "LookAt", "OnLine"),
    "kinetune.inverse.blend.inverse_blend": ("BlendSolution", "BlendSolutionBatch", "InverseBlend"),
    "kinetune.inverse.reachability": ("Gap", "ReachMap", "reach_map"),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
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
