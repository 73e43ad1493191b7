"""Kinetune edits motion the way a studio edits sound.

::

    import kinetune as kt
    clip = kt.read("walk.bvh")
    kt.write(kt.Smooth(cutoff_hz=6)(clip), "smooth.glb")

Names are loaded when they are first used, so that ``import kinetune`` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "kinetune.body.clip": ("Clip", "Marker"),
    "kinetune.body.contacts": ("Contacts", "find_contacts"),
    "kinetune.body.key_reduction": ("KeyedClip", "reduce_keys"),
    "kinetune.body.keyframes": ("keyframe",),
    "kinetune.body.measures": ("measure",),
    "kinetune.body.skeleton": ("EndSite", "Skeleton"),
    "kinetune.body.source": ("Finding", "Source"),
    "kinetune.contours.drawing": ("Contour", "Drawing", "Layer"),
    "kinetune.contours.dynamics": ("relax",),
    "kinetune.contours.gait": ("walk_cycle",),
    "kinetune.contours.key_drawings": ("inbetween",),
    "kinetune.contours.morph": ("morph",),
    "kinetune.contours.stiffness": ("refinement_integrals", "stiffness"),
    "kinetune.contours.svg_read": ("read_drawing",),
    "kinetune.errors": ("KinetuneError",),
    "kinetune.figures.drawing_figures": ("write_drawing",),
    "kinetune.formats": ("read", "write"),
    "kinetune.inverse.blending": ("InverseBlend",),
    "kinetune.inverse.constraints": ("AtPoint", "Custom", "Facing", "Heading", "LookAt", "OnLine"),
    "kinetune.inverse.footsteps": ("Footstep", "read_footsteps"),
    "kinetune.inverse.planners": ("plan_footsteps",),
    "kinetune.inverse.reachability": ("reach_map",),
    "kinetune.inverse.step_sets": ("StepSet",),
    "kinetune.inverse.walk_values": ("Walk",),
    "kinetune.inverse.walking": ("Walker",),
    "kinetune.operations.aim": ("Aim",),
    "kinetune.operations.align": ("Align",),
    "kinetune.operations.arrange": ("Arrange",),
    "kinetune.operations.base": ("Operation",),
    "kinetune.operations.blend": ("Blend",),
    "kinetune.operations.displace": ("Displace",),
    "kinetune.operations.equalize": ("Equalize",),
    "kinetune.operations.filter_dynamics": ("FilterDynamics",),
    "kinetune.operations.follow_footsteps": ("FollowFootsteps",),
    "kinetune.operations.in_place": ("InPlace",),
    "kinetune.operations.keep_above_floor": ("KeepAboveFloor",),
    "kinetune.operations.limit": ("Limit",),
    "kinetune.operations.loop": ("Loop",),
    "kinetune.operations.mirror": ("Mirror",),
    "kinetune.operations.move": ("Move",),
    "kinetune.operations.plant_feet": ("PlantFeet",),
    "kinetune.operations.reduce_keys": ("ReduceKeys",),
    "kinetune.operations.resample": ("Resample",),
    "kinetune.operations.retime": ("Retime",),
    "kinetune.operations.shape": ("Shape",),
    "kinetune.operations.smooth": ("Smooth",),
    "kinetune.operations.splice": ("Splice",),
    "kinetune.operations.trim": ("Trim",),
    "kinetune.operations.turn": ("Turn",),
    "kinetune.physics.body": ("Body",),
    "kinetune.physics.contacts": ("HeightField",),
    "kinetune.physics.filtering": ("FilterResult", "filter_dynamics"),
    "kinetune.physics.replay": ("replay",),
    "kinetune.physics.report": ("PhysicsReport", "physics_report"),
    "kinetune.physics.splicing": ("splice",),
    "kinetune.physics.streaming": ("DynamicFilter",),
    "kinetune.recipes": ("Recipe",),
    "kinetune.runs": ("RunResult", "run"),
    "kinetune.samples": ("sample", "samples"),
    "kinetune.samples.drawings": ("sample_drawing", "sample_drawings"),
    "kinetune.samples.walking": ("sample_steps", "walk"),
    "kinetune.signals.bands": ("join_bands", "split_bands"),
    "kinetune.signals.rotation_splines": ("RotationTCB",),
    "kinetune.signals.shaping": ("ShapingCurve",),
    "kinetune.signals.splines": ("TCB",),
    "kinetune.signals.warping": ("Warp", "time_warp"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(["__version__", *_HOME_OF])

if TYPE_CHECKING:
    from kinetune.body.clip import Clip as Clip
    from kinetune.body.clip import Marker as Marker
    from kinetune.body.contacts import Contacts as Contacts
    from kinetune.body.contacts import find_contacts as find_contacts
    from kinetune.body.key_reduction import KeyedClip as KeyedClip
    from kinetune.body.key_reduction import reduce_keys as reduce_keys
    from kinetune.body.keyframes import keyframe as keyframe
    from kinetune.body.measures import measure as measure
    from kinetune.body.skeleton import EndSite as EndSite
    from kinetune.body.skeleton import Skeleton as Skeleton
    from kinetune.body.source import Finding as Finding
    from kinetune.body.source import Source as Source
    from kinetune.contours.drawing import Contour as Contour
    from kinetune.contours.drawing import Drawing as Drawing
    from kinetune.contours.drawing import Layer as Layer
    from kinetune.contours.dynamics import relax as relax
    from kinetune.contours.gait import walk_cycle as walk_cycle
    from kinetune.contours.key_drawings import inbetween as inbetween
    from kinetune.contours.morph import morph as morph
    from kinetune.contours.stiffness import refinement_integrals as refinement_integrals
    from kinetune.contours.stiffness import stiffness as stiffness
    from kinetune.contours.svg_read import read_drawing as read_drawing
    from kinetune.errors import KinetuneError as KinetuneError
    from kinetune.figures.drawing_figures import write_drawing as write_drawing
    from kinetune.formats import read as read
    from kinetune.formats import write as write
    from kinetune.inverse.blending import InverseBlend as InverseBlend
    from kinetune.inverse.constraints import AtPoint as AtPoint
    from kinetune.inverse.constraints import Custom as Custom
    from kinetune.inverse.constraints import Facing as Facing
    from kinetune.inverse.constraints import Heading as Heading
    from kinetune.inverse.constraints import LookAt as LookAt
    from kinetune.inverse.constraints import OnLine as OnLine
    from kinetune.inverse.footsteps import Footstep as Footstep
    from kinetune.inverse.footsteps import read_footsteps as read_footsteps
    from kinetune.inverse.planners import plan_footsteps as plan_footsteps
    from kinetune.inverse.reachability import reach_map as reach_map
    from kinetune.inverse.step_sets import StepSet as StepSet
    from kinetune.inverse.walk_values import Walk as Walk
    from kinetune.inverse.walking import Walker as Walker
    from kinetune.operations.aim import Aim as Aim
    from kinetune.operations.align import Align as Align
    from kinetune.operations.arrange import Arrange as Arrange
    from kinetune.operations.base import Operation as Operation
    from kinetune.operations.blend import Blend as Blend
    from kinetune.operations.displace import Displace as Displace
    from kinetune.operations.equalize import Equalize as Equalize
    from kinetune.operations.filter_dynamics import FilterDynamics as FilterDynamics
    from kinetune.operations.follow_footsteps import FollowFootsteps as FollowFootsteps
    from kinetune.operations.in_place import InPlace as InPlace
    from kinetune.operations.keep_above_floor import KeepAboveFloor as KeepAboveFloor
    from kinetune.operations.limit import Limit as Limit
    from kinetune.operations.loop import Loop as Loop
    from kinetune.operations.mirror import Mirror as Mirror
    from kinetune.operations.move import Move as Move
    from kinetune.operations.plant_feet import PlantFeet as PlantFeet
    from kinetune.operations.reduce_keys import ReduceKeys as ReduceKeys
    from kinetune.operations.resample import Resample as Resample
    from kinetune.operations.retime import Retime as Retime
    from kinetune.operations.shape import Shape as Shape
    from kinetune.operations.smooth import Smooth as Smooth
    from kinetune.operations.splice import Splice as Splice
    from kinetune.operations.trim import Trim as Trim
    from kinetune.operations.turn import Turn as Turn
    from kinetune.physics.body import Body as Body
    from kinetune.physics.contacts import HeightField as HeightField
    from kinetune.physics.filtering import FilterResult as FilterResult
    from kinetune.physics.filtering import filter_dynamics as filter_dynamics
    from kinetune.physics.replay import replay as replay
    from kinetune.physics.report import PhysicsReport as PhysicsReport
    from kinetune.physics.report import physics_report as physics_report
    from kinetune.physics.splicing import splice as splice
    from kinetune.physics.streaming import DynamicFilter as DynamicFilter
    from kinetune.recipes import Recipe as Recipe
    from kinetune.runs import RunResult as RunResult
    from kinetune.runs import run as run
    from kinetune.samples import sample as sample
    from kinetune.samples import samples as samples
    from kinetune.samples.drawings import sample_drawing as sample_drawing
    from kinetune.samples.drawings import sample_drawings as sample_drawings
    from kinetune.samples.walking import sample_steps as sample_steps
    from kinetune.samples.walking import walk as walk
    from kinetune.signals.bands import join_bands as join_bands
    from kinetune.signals.bands import split_bands as split_bands
    from kinetune.signals.rotation_splines import RotationTCB as RotationTCB
    from kinetune.signals.shaping import ShapingCurve as ShapingCurve
    from kinetune.signals.splines import TCB as TCB
    from kinetune.signals.warping import Warp as Warp
    from kinetune.signals.warping import time_warp as time_warp


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'kinetune' has no attribute {name!r}")
    module = importlib.import_module(home)
    # kinetune.samples is a package that can be called: importing it puts it here under the name of its function.
    value = module if home == f"kinetune.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
