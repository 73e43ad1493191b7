"""Bodies with mass, contacts with friction, and motion made to obey mechanics.

=======================================  ===================================================================
Body, Segment, ContactPoint, MassBox     a character with mass, fitted to a skeleton
filter_dynamics, FilterResult            motion that obeys mechanics and friction
DynamicFilter, StreamedFrame             the same for poses that come one after another
FilterSettings, Gains, PRESETS           what the filter tracks and how firmly
Failure, Tracking                        where a filtered motion went wrong, and how closely it was followed
physics_report, PhysicsReport            verdict, friction, balance, flight and torques of a clip
judge_motion, Judgement                  the verdict alone: plausible, doubtful or impossible, and why
replay, Replay                           a motion simulated again from its forces and torques
robot_torques, RobotTorques              what the motors of a robot must exert, beside what they can
track, TrackedRun                        a motion tracked by a controller, with the engine's own contact
write_simulation, SimulationReference    a model with contacts and motors, and a reference, for simulators
ContactGround, FlatGround, SlopedGround  what a character stands on
HeightField, BoxGround, GroundBox        uneven ground, and boxes to stand on
=======================================  ===================================================================

Names are loaded when they are first used. The shelves: ``model`` (bodies), ``filter`` (the dynamic filter), ``frame``
(one frame of it, and the programs of its plan), ``whole_clip`` (all frames at once),
``simulation`` (for simulators). Beside them: ``motion_correction`` (which of both), ``equations_of_motion``,
``ground``, ``_inverse_dynamics``,
``report_card``, ``verdict``, ``forward_replay``, ``motor_torques`` (of robots) and
``seam_search`` (the splice of two clips that a body can best perform).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.extras import require
from kinetune.lazy_names import lazy_names

require("physics")


_HOMES = {
    "kinetune.physics.filter.failures": ("Failure", "Tracking"),
    "kinetune.physics.filter.filter_settings": ("PRESETS", "FilterSettings", "Gains"),
    "kinetune.physics.filter.filtering": ("FilterResult",),
    "kinetune.physics.filter.streaming": ("DynamicFilter", "StreamedFrame"),
    "kinetune.physics.forward_replay": ("Replay", "replay"),
    "kinetune.physics.simulation.contact_replay": ("TrackedRun", "track"),
    "kinetune.physics.motion_correction": ("filter_dynamics",),
    "kinetune.physics.simulation.simulation_export": ("SimulationReference", "write_simulation"),
    "kinetune.physics.ground": ("BoxGround", "ContactGround", "FlatGround", "GroundBox", "HeightField", "SlopedGround"),
    "kinetune.physics.model.body_model": ("Body", "ContactPoint", "Segment"),
    "kinetune.physics.model.segments": ("MassBox",),
    "kinetune.physics.motor_torques": ("RobotTorques", "robot_torques"),
    "kinetune.physics.report_card": ("PhysicsReport", "physics_report"),
    "kinetune.physics.verdict": ("Judgement", "judge_motion"),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from kinetune.physics.filter.failures import Failure as Failure
    from kinetune.physics.filter.failures import Tracking as Tracking
    from kinetune.physics.filter.filter_settings import PRESETS as PRESETS
    from kinetune.physics.filter.filter_settings import FilterSettings as FilterSettings
    from kinetune.physics.filter.filter_settings import Gains as Gains
    from kinetune.physics.filter.filtering import FilterResult as FilterResult
    from kinetune.physics.filter.streaming import DynamicFilter as DynamicFilter
    from kinetune.physics.filter.streaming import StreamedFrame as StreamedFrame
    from kinetune.physics.forward_replay import Replay as Replay
    from kinetune.physics.forward_replay import replay as replay
    from kinetune.physics.ground import BoxGround as BoxGround
    from kinetune.physics.ground import ContactGround as ContactGround
    from kinetune.physics.ground import FlatGround as FlatGround
    from kinetune.physics.ground import GroundBox as GroundBox
    from kinetune.physics.ground import HeightField as HeightField
    from kinetune.physics.ground import SlopedGround as SlopedGround
    from kinetune.physics.model.body_model import Body as Body
    from kinetune.physics.model.body_model import ContactPoint as ContactPoint
    from kinetune.physics.model.body_model import Segment as Segment
    from kinetune.physics.model.segments import MassBox as MassBox
    from kinetune.physics.motion_correction import filter_dynamics as filter_dynamics
    from kinetune.physics.motor_torques import RobotTorques as RobotTorques
    from kinetune.physics.motor_torques import robot_torques as robot_torques
    from kinetune.physics.report_card import PhysicsReport as PhysicsReport
    from kinetune.physics.report_card import physics_report as physics_report
    from kinetune.physics.simulation.contact_replay import TrackedRun as TrackedRun
    from kinetune.physics.simulation.contact_replay import track as track
    from kinetune.physics.simulation.simulation_export import SimulationReference as SimulationReference
    from kinetune.physics.simulation.simulation_export import write_simulation as write_simulation
    from kinetune.physics.verdict import Judgement as Judgement
    from kinetune.physics.verdict import judge_motion as judge_motion
