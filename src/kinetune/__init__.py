"""Kinetune edits motion the way a studio edits sound.

::

    import kinetune as kt
    clip = kt.read("walk.bvh")
    kt.write(kt.Smooth(cutoff_hz=6)(clip), "smooth.glb")

Here are the names of every day: clips, files, samples, operations, recipes, measures, bands and curves. The rest is in
sub-modules: ``kt.body`` (what clips are made of), ``kt.signals`` (arrays), ``kt.contours`` (drawings), ``kt.physics``,
``kt.reach`` (aiming at targets), ``kt.walking`` (footsteps), ``kt.library`` (searching folders of motion),
``kt.figures`` (pictures and films), ``kt.torch`` (tensors and GPUs), ``kt.rotations`` (quaternions), ``kt.samples``,
``kt.runs``, ``kt.findings``, ``kt.errors``.
Everything is loaded when it is first used, so that ``import kinetune`` is quick.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_EVERYDAY = {
    "kinetune.body.clip": ("Clip",),
    "kinetune.body.quality.measures": ("measure",),
    "kinetune.body.skeleton": ("Skeleton",),
    "kinetune.formats": ("read", "write"),
    "kinetune.notebooks.player": ("show",),
    "kinetune.operations.aim": ("Aim",),
    "kinetune.operations.align": ("Align",),
    "kinetune.operations.arrange": ("Arrange",),
    "kinetune.operations.base": ("Operation",),
    "kinetune.operations.blend": ("Blend",),
    "kinetune.operations.clean": ("Clean",),
    "kinetune.operations.denoise": ("Denoise",),
    "kinetune.operations.displace": ("Displace",),
    "kinetune.operations.equalize": ("Equalize",),
    "kinetune.operations.filter_dynamics": ("FilterDynamics",),
    "kinetune.operations.follow_footsteps": ("FollowFootsteps",),
    "kinetune.operations.hold": ("Hold",),
    "kinetune.operations.in_place": ("InPlace",),
    "kinetune.operations.keep_above_floor": ("KeepAboveFloor",),
    "kinetune.operations.limit": ("Limit",),
    "kinetune.operations.loop": ("Loop",),
    "kinetune.operations.mirror": ("Mirror",),
    "kinetune.operations.move": ("Move",),
    "kinetune.operations.plant_feet": ("PlantFeet",),
    "kinetune.operations.reduce_keys": ("ReduceKeys",),
    "kinetune.operations.reinterpret": ("Reinterpret",),
    "kinetune.operations.resample": ("Resample",),
    "kinetune.operations.retarget": ("Retarget",),
    "kinetune.operations.retime": ("Retime",),
    "kinetune.operations.shape": ("Shape",),
    "kinetune.operations.smooth": ("Smooth",),
    "kinetune.operations.splice": ("Splice",),
    "kinetune.operations.trim": ("Trim",),
    "kinetune.operations.turn": ("Turn",),
    "kinetune.recipes": ("Recipe",),
    "kinetune.runs": ("run",),
    "kinetune.samples": ("list_samples", "sample"),
    "kinetune.signals.bands.pyramid": ("join_bands", "split_bands"),
    "kinetune.signals.shaping.shaping_curve": ("ShapingCurve",),
    "kinetune.signals.splines.tcb": ("TCB",),
    "kinetune.signals.warping.time_warp": ("time_warp",),
}
_SHORTCUTS = {
    "kinetune.body.clip": ("Marker",),
    "kinetune.body.curves.key_reduction": ("KeyedClip", "reduce_keys"),
    "kinetune.body.curves.keyframes": ("keyframe",),
    "kinetune.body.feet.contacts": ("Contacts", "find_contacts"),
    "kinetune.body.skeleton": ("EndSite",),
    "kinetune.body.source": ("Source",),
    "kinetune.body.timeline.splicing": ("splice",),
    "kinetune.contours.drawing": ("Contour", "Drawing"),
    "kinetune.contours.elastic.relaxation": ("relax",),
    "kinetune.contours.elastic.stiffness": ("refinement_integrals", "stiffness"),
    "kinetune.contours.morphing.morph": ("morph",),
    "kinetune.contours.reading.drawing_reader": ("read_drawing",),
    "kinetune.errors": ("KinetuneError",),
    "kinetune.figures.drawings.drawing_files": ("write_drawing",),
    "kinetune.figures.motion.film": ("film",),
    "kinetune.findings": ("Finding",),
    "kinetune.inverse.blend.constraints": ("AtPoint", "Facing", "OnLine"),
    "kinetune.inverse.blend.inverse_blend": ("InverseBlend",),
    "kinetune.inverse.walk.footstep_planners": ("plan_footsteps",),
    "kinetune.inverse.walk.footsteps": ("Footstep",),
    "kinetune.physics.model.body_model": ("Body",),
    "kinetune.physics.motion_correction": ("filter_dynamics",),
    "kinetune.physics.report_card": ("physics_report",),
    "kinetune.runs": ("RunResult",),
    "kinetune.samples.drawings": ("sample_drawing", "sample_drawings"),
    "kinetune.samples.sample_walk": ("walk",),
    "kinetune.signals.splines.rotation_tcb": ("RotationTCB",),
    "kinetune.signals.warping.time_warp": ("Warp",),
}
"""Names that scripts may use from here too. Each is at home in a sub-module, so ``dir`` does not list it here."""

_SUBMODULES = (
    "body",
    "contours",
    "errors",
    "figures",
    "findings",
    "library",
    "physics",
    "reach",
    "rotations",
    "runs",
    "samples",
    "signals",
    "torch",
    "walking",
)
_MOVED = {
    "Layer": "contours",
    "walk_cycle": "contours",
    "inbetween": "contours",
    "Custom": "reach",
    "Heading": "reach",
    "LookAt": "reach",
    "reach_map": "reach",
    "read_footsteps": "walking",
    "StepSet": "walking",
    "Walk": "walking",
    "Walker": "walking",
    "sample_steps": "walking",
    "HeightField": "physics",
    "FilterResult": "physics",
    "replay": "physics",
    "PhysicsReport": "physics",
    "DynamicFilter": "physics",
}
"""Names that have moved to a sub-module, where they are now; here they warn once."""

_HOME_OF = {name: module for homes in (_EVERYDAY, _SHORTCUTS) for module, names in homes.items() for name in names}

__all__ = sorted(["__version__", *(name for names in _EVERYDAY.values() for name in names), *_SUBMODULES])

if TYPE_CHECKING:
    from kinetune import body as body
    from kinetune import contours as contours
    from kinetune import errors as errors
    from kinetune import figures as figures
    from kinetune import findings as findings
    from kinetune import library as library
    from kinetune import physics as physics
    from kinetune import reach as reach
    from kinetune import rotations as rotations
    from kinetune import runs as runs
    from kinetune import signals as signals
    from kinetune import torch as torch
    from kinetune import walking as walking
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
    from kinetune.contours.elastic.relaxation import relax as relax
    from kinetune.contours.elastic.stiffness import refinement_integrals as refinement_integrals
    from kinetune.contours.elastic.stiffness import stiffness as stiffness
    from kinetune.contours.morphing.morph import morph as morph
    from kinetune.contours.reading.drawing_reader import read_drawing as read_drawing
    from kinetune.errors import KinetuneError as KinetuneError
    from kinetune.figures.drawings.drawing_files import write_drawing as write_drawing
    from kinetune.figures.motion.film import film as film
    from kinetune.findings import Finding as Finding
    from kinetune.formats import read as read
    from kinetune.formats import write as write
    from kinetune.inverse.blend.constraints import AtPoint as AtPoint
    from kinetune.inverse.blend.constraints import Facing as Facing
    from kinetune.inverse.blend.constraints import OnLine as OnLine
    from kinetune.inverse.blend.inverse_blend import InverseBlend as InverseBlend
    from kinetune.inverse.walk.footstep_planners import plan_footsteps as plan_footsteps
    from kinetune.inverse.walk.footsteps import Footstep as Footstep
    from kinetune.notebooks.player import show as show
    from kinetune.operations.aim import Aim as Aim
    from kinetune.operations.align import Align as Align
    from kinetune.operations.arrange import Arrange as Arrange
    from kinetune.operations.base import Operation as Operation
    from kinetune.operations.blend import Blend as Blend
    from kinetune.operations.clean import Clean as Clean
    from kinetune.operations.denoise import Denoise as Denoise
    from kinetune.operations.displace import Displace as Displace
    from kinetune.operations.equalize import Equalize as Equalize
    from kinetune.operations.filter_dynamics import FilterDynamics as FilterDynamics
    from kinetune.operations.follow_footsteps import FollowFootsteps as FollowFootsteps
    from kinetune.operations.hold import Hold as Hold
    from kinetune.operations.in_place import InPlace as InPlace
    from kinetune.operations.keep_above_floor import KeepAboveFloor as KeepAboveFloor
    from kinetune.operations.limit import Limit as Limit
    from kinetune.operations.loop import Loop as Loop
    from kinetune.operations.mirror import Mirror as Mirror
    from kinetune.operations.move import Move as Move
    from kinetune.operations.plant_feet import PlantFeet as PlantFeet
    from kinetune.operations.reduce_keys import ReduceKeys as ReduceKeys
    from kinetune.operations.reinterpret import Reinterpret as Reinterpret
    from kinetune.operations.resample import Resample as Resample
    from kinetune.operations.retarget import Retarget as Retarget
    from kinetune.operations.retime import Retime as Retime
    from kinetune.operations.shape import Shape as Shape
    from kinetune.operations.smooth import Smooth as Smooth
    from kinetune.operations.splice import Splice as Splice
    from kinetune.operations.trim import Trim as Trim
    from kinetune.operations.turn import Turn as Turn
    from kinetune.physics.model.body_model import Body as Body
    from kinetune.physics.motion_correction import filter_dynamics as filter_dynamics
    from kinetune.physics.report_card import physics_report as physics_report
    from kinetune.recipes import Recipe as Recipe
    from kinetune.runs import RunResult as RunResult
    from kinetune.runs import run as run
    from kinetune.samples import list_samples as list_samples
    from kinetune.samples import sample as sample
    from kinetune.samples import samples as samples
    from kinetune.samples.drawings import sample_drawing as sample_drawing
    from kinetune.samples.drawings import sample_drawings as sample_drawings
    from kinetune.samples.sample_walk import walk as walk
    from kinetune.signals.bands.pyramid import join_bands as join_bands
    from kinetune.signals.bands.pyramid import split_bands as split_bands
    from kinetune.signals.shaping.shaping_curve import ShapingCurve as ShapingCurve
    from kinetune.signals.splines.rotation_tcb import RotationTCB as RotationTCB
    from kinetune.signals.splines.tcb import TCB as TCB
    from kinetune.signals.warping.time_warp import Warp as Warp
    from kinetune.signals.warping.time_warp import time_warp as time_warp


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"kinetune.{name}")
    if name in _MOVED:
        home = f"kinetune.{_MOVED[name]}"
        warnings.warn(f"kt.{name} is now kt.{_MOVED[name]}.{name}.", DeprecationWarning, stacklevel=2)
        value = getattr(importlib.import_module(home), name)
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'kinetune' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
