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
    "kinetune.body.feet.contacts": ("Contacts", "find_contacts"),
    "kinetune.body.curves.key_reduction": ("KeyedClip", "reduce_keys"),
    "kinetune.body.curves.keyframes": ("keyframe",),
    "kinetune.body.quality.measures": ("measure",),
    "kinetune.body.skeleton": ("EndSite", "Skeleton"),
    "kinetune.body.source": ("Source",),
    "kinetune.findings": ("Finding",),
    "kinetune.contours.drawing": ("Contour", "Drawing", "Layer"),
    "kinetune.contours.elastic.relaxation": ("relax",),
    "kinetune.contours.gait_cycle": ("walk_cycle",),
    "kinetune.contours.morphing.key_drawings": ("inbetween",),
    "kinetune.contours.morphing.morph": ("morph",),
    "kinetune.contours.elastic.stiffness": ("refinement_integrals", "stiffness"),
    "kinetune.contours.svg.reader": ("read_drawing",),
    "kinetune.errors": ("KinetuneError",),
    "kinetune.figures.drawings.drawing_files": ("write_drawing",),
    "kinetune.formats": ("read", "write"),
    "kinetune.inverse.blend.inverse_blend": ("InverseBlend",),
    "kinetune.inverse.blend.constraints": ("AtPoint", "Custom", "Facing", "Heading", "LookAt", "OnLine"),
    "kinetune.inverse.walk.footsteps": ("Footstep", "read_footsteps"),
    "kinetune.inverse.walk.footstep_planners": ("plan_footsteps",),
    "kinetune.inverse.reach_map": ("reach_map",),
    "kinetune.inverse.steps.step_sets": ("StepSet",),
    "kinetune.inverse.walk.walk_values": ("Walk",),
    "kinetune.inverse.walk.walker": ("Walker",),
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
    "kinetune.physics.model.body_model": ("Body",),
    "kinetune.physics.ground": ("HeightField",),
    "kinetune.physics.filter.filtering": ("FilterResult", "filter_dynamics"),
    "kinetune.physics.forward_replay": ("replay",),
    "kinetune.physics.report_card": ("PhysicsReport", "physics_report"),
    "kinetune.body.timeline.splicing": ("splice",),
    "kinetune.physics.filter.streaming": ("DynamicFilter",),
    "kinetune.recipes": ("Recipe",),
    "kinetune.runs": ("RunResult", "run"),
    "kinetune.samples": ("sample", "samples"),
    "kinetune.samples.drawings": ("sample_drawing", "sample_drawings"),
    "kinetune.samples.sample_walk": ("sample_steps", "walk"),
    "kinetune.signals.bands.pyramid": ("join_bands", "split_bands"),
    "kinetune.signals.splines.rotation_tcb": ("RotationTCB",),
    "kinetune.signals.shaping.shaping_curve": ("ShapingCurve",),
    "kinetune.signals.splines.tcb": ("TCB",),
    "kinetune.signals.warping.time_warp": ("Warp", "time_warp"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(["__version__", *_HOME_OF])

if TYPE_CHECKING:
    from kinetune.body.clip import Clip as Clip
    from kinetune.body.clip import Marker as Marker
    from kinetune.body.curves.key_reduction import KeyedClip as KeyedClip
    from kinetune.body.curves.key_reduction import reduce_keys as reduce_keys
    from kinetune.body.curves.keyframes import keyframe as keyframe
    from kinetune.body.feet.contacts import Contacts as Contacts
    from kinetune.body.feet.contacts import find_contacts as find_contacts
    from kinetune.body.quality.measures import measure as measure
    from kinetune.body.skeleton import EndSite as EndSite
    from kinetune.body.skeleton import Skeleton as Skeleton
    from kinetune.body.source import Source as Source
    from kinetune.body.timeline.splicing import splice as splice
    from kinetune.contours.drawing import Contour as Contour
    from kinetune.contours.drawing import Drawing as Drawing
    from kinetune.contours.drawing import Layer as Layer
    from kinetune.contours.elastic.relaxation import relax as relax
    from kinetune.contours.elastic.stiffness import refinement_integrals as refinement_integrals
    from kinetune.contours.elastic.stiffness import stiffness as stiffness
    from kinetune.contours.gait_cycle import walk_cycle as walk_cycle
    from kinetune.contours.morphing.key_drawings import inbetween as inbetween
    from kinetune.contours.morphing.morph import morph as morph
    from kinetune.contours.svg.reader import read_drawing as read_drawing
    from kinetune.errors import KinetuneError as KinetuneError
    from kinetune.figures.drawings.drawing_files import write_drawing as write_drawing
    from kinetune.findings import Finding as Finding
    from kinetune.formats import read as read
    from kinetune.formats import write as write
    from kinetune.inverse.blend.constraints import AtPoint as AtPoint
    from kinetune.inverse.blend.constraints import Custom as Custom
    from kinetune.inverse.blend.constraints import Facing as Facing
    from kinetune.inverse.blend.constraints import Heading as Heading
    from kinetune.inverse.blend.constraints import LookAt as LookAt
    from kinetune.inverse.blend.constraints import OnLine as OnLine
    from kinetune.inverse.blend.inverse_blend import InverseBlend as InverseBlend
    from kinetune.inverse.reach_map import reach_map as reach_map
    from kinetune.inverse.steps.step_sets import StepSet as StepSet
    from kinetune.inverse.walk.footstep_planners import plan_footsteps as plan_footsteps
    from kinetune.inverse.walk.footsteps import Footstep as Footstep
    from kinetune.inverse.walk.footsteps import read_footsteps as read_footsteps
    from kinetune.inverse.walk.walk_values import Walk as Walk
    from kinetune.inverse.walk.walker import Walker as Walker
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
    from kinetune.physics.filter.filtering import FilterResult as FilterResult
    from kinetune.physics.filter.filtering import filter_dynamics as filter_dynamics
    from kinetune.physics.filter.streaming import DynamicFilter as DynamicFilter
    from kinetune.physics.forward_replay import replay as replay
    from kinetune.physics.ground import HeightField as HeightField
    from kinetune.physics.model.body_model import Body as Body
    from kinetune.physics.report_card import PhysicsReport as PhysicsReport
    from kinetune.physics.report_card import physics_report as physics_report
    from kinetune.recipes import Recipe as Recipe
    from kinetune.runs import RunResult as RunResult
    from kinetune.runs import run as run
    from kinetune.samples import sample as sample
    from kinetune.samples import samples as samples
    from kinetune.samples.drawings import sample_drawing as sample_drawing
    from kinetune.samples.drawings import sample_drawings as sample_drawings
    from kinetune.samples.sample_walk import sample_steps as sample_steps
    from kinetune.samples.sample_walk import walk as walk
    from kinetune.signals.bands.pyramid import join_bands as join_bands
    from kinetune.signals.bands.pyramid import split_bands as split_bands
    from kinetune.signals.shaping.shaping_curve import ShapingCurve as ShapingCurve
    from kinetune.signals.splines.rotation_tcb import RotationTCB as RotationTCB
    from kinetune.signals.splines.tcb import TCB as TCB
    from kinetune.signals.warping.time_warp import Warp as Warp
    from kinetune.signals.warping.time_warp import time_warp as time_warp


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
