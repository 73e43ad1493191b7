"""The whole-clip method: contacts, plan and poses in turn, until the motion obeys its own contact forces.

=================  =============================================================
WholeClipSettings  the scales of plan and poses, and how often they take turns
WholeClipMotion    the corrected motion at the rate of the solver
correct_motion     contacts once, then plan and poses in turn
=================  =============================================================

Nothing can fall: the motion is not simulated but solved for as a whole. What it costs is deviation, and that is
reported. Derivation: docs/derivations/whole_clip.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.ground import ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.hinge_bodies import within_ranges
from kinetune.physics.whole_clip._other_contacts import add_other_contacts
from kinetune.physics.whole_clip._pose_solver import PoseFit, PoseScales
from kinetune.physics.whole_clip._stance_prints import Footprints, lay_prints
from kinetune.physics.whole_clip.contact_phases import ContactPhases, find_phases, limbs_of
from kinetune.physics.whole_clip.force_plan import ForcePlan, ForceSites, LegLimits, Momentum, PlanScales, plan_forces
from kinetune.progress import report
from kinetune.rotations import Floats

_FRICTION_SHARE = 0.8  # of the friction is planned with, so that there is a margin
_STRETCH, _LONGEST = 0.985, 0.998  # of thigh and shank together


@dataclass(frozen=True)
class WholeClipSettings:
    """How the whole-clip method is set.

    plan, poses : the scales of both. passes : plans before the first poses. rounds : how often plan and poses take
    turns. steps : of the poses in each round. help_scale : see :func:`plan_forces`.
    """

    plan: PlanScales = field(default_factory=PlanScales)
    poses: PoseScales = field(default_factory=PoseScales)
    passes: int = 3
    rounds: int = 2
    steps: int = 7
    help_scale: float = 0.0


@dataclass(frozen=True, eq=False)
class WholeClipMotion:
    """A motion that obeys mechanics, at the rate of the solver.

    body : the model, with contact points besides its feet where those carry it.
    q : (frames, nq). forces : (frames, points, 3) newtons, each at its own frame. help : (frames, 6) force and moment
    on the root in body weights (times height). phases, prints : the contacts. plan : what the poses follow.
    given, momentum : the body as a whole, as given and as it is now.
    """

    body: Body
    q: Floats
    forces: Floats
    help: Floats
    phases: ContactPhases
    prints: Footprints
    plan: ForcePlan
    given: Momentum
    momentum: Momentum


def correct_motion(
    body: Body, qpos: Floats, rate: float, ground: ContactGround, mu: float, settings: WholeClipSettings
) -> WholeClipMotion:
    """Correct a motion, smooth and level, as a whole.

    Parameters
    ----------
    qpos : (frames, nq) at ``rate`` frames a second. ground : under it. mu : friction.
    """
    qpos = within_ranges(body, qpos)
    fit = PoseFit(body, qpos, rate, settings.poses)
    given = fit.momentum()
    points = fit.state.points.copy()
    report(0.0, "finding contacts")
    phases = find_phases(limbs_of(body), points, points[..., 1] - ground.height(points), given.com, rate)
    others = add_other_contacts(body, qpos, points, phases, given, rate, ground)
    if others.count:
        body, phases = others.body, others.phases
        fit = PoseFit(body, qpos, rate, settings.poses)
        points = fit.state.points.copy()
    prints = lay_prints(phases, points, ground, rate)
    contacts = ForceSites(
        phases.stand, prints.targets, prints.velocities(rate), ground.normal(prints.targets), _FRICTION_SHARE * mu
    )
    plan: ForcePlan | None = None
    momentum, tilt = given, np.zeros_like(given.com)
    for number in range(settings.rounds):
        report(number / settings.rounds, "planning forces")
        # The tilt is counted from the reference in every round: what poses hold of it already is taken away.
        base = Momentum(momentum.com, momentum.tilted(tilt, rate, -1.0), momentum.inertia)
        legs = _leg_limits(body, qpos, points, contacts, given.com, given.com if plan is None else plan.com)
        plan = plan_forces(
            body,
            base,
            given.com,
            contacts,
            legs,
            rate,
            settings.plan,
            before=plan,
            passes=1 if number else settings.passes,
            help_scale=settings.help_scale,
        )
        tilt = plan.tilt
        report((number + 0.3) / settings.rounds, "fitting poses")
        spin = base.tilted(tilt, rate)
        fit.solve(plan.com, spin, tilt, prints, phases.stand, ground, settings.steps)
        momentum = fit.momentum()
        # Points that still move when they land or leave: friction may only brake them, and slower ones carry more.
        contacts = replace(contacts, velocities=np.gradient(fit.state.points, 1.0 / rate, axis=0))
    assert plan is not None
    return WholeClipMotion(
        body, fit.coordinates(), plan.forces * body.weight, plan.help, phases, prints, plan, given, momentum
    )


def _leg_limits(
    body: Body, qpos: Floats, points: Floats, contacts: ForceSites, reference: Floats, com: Floats
) -> LegLimits:
    """No standing leg gets longer than it was, but none has to be more bent than almost straight."""
    places, _ = segment_poses(body, qpos)
    owner = {joint: k for k, segment in enumerate(body.segments) for joint in segment.joints}
    frames, alongs, rooms = [np.zeros(0, dtype=np.intp)], [np.zeros((0, 3))], [np.zeros(0)]
    for side in ("left", "right"):
        joints = [body.skeleton.roles.get(f"{side} {part}") for part in ("upper leg", "lower leg", "foot")]
        if any(joint not in owner for joint in joints):
            continue
        hip, knee, ankle = (places[:, owner[joint]] for joint in joints if joint is not None)
        columns = np.array([k for k, point in enumerate(body.points) if point.side == side], dtype=np.intp)
        stand = contacts.stand[:, columns]
        at = np.flatnonzero(stand.any(axis=1))
        share = stand[at] / stand[at].sum(axis=1, keepdims=True)
        moved = np.einsum("tp,tpk->tk", share, (contacts.targets - points)[at][:, columns])
        bones = np.linalg.norm(hip - knee, axis=1).mean() + np.linalg.norm(knee - ankle, axis=1).mean()
        length = np.linalg.norm(hip - ankle, axis=1)[at]
        longest = np.clip(length, _STRETCH * bones, max(_LONGEST * bones, _STRETCH * bones))
        foot = ankle[at] + moved
        leg = hip[at] + (com - reference)[at] - foot
        along = leg / np.linalg.norm(leg, axis=1, keepdims=True)
        frames.append(at)
        alongs.append(along)
        rooms.append(longest - np.einsum("nk,nk->n", along, hip[at] - reference[at] - foot))
    return LegLimits(np.concatenate(frames), np.concatenate(alongs), np.concatenate(rooms))
