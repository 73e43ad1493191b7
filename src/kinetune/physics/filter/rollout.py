"""A body that follows a motion from its first frame to its last, and how well it does.

======================  ==========================================================================
Run, simulate           the steps of a body on its way
Followed                a run with its judgement
attempt                 follow a motion with a plan, by one rung of the ladder
turned_within_friction  the motion turned where it asks for more spin than friction gives
======================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.physics.filter.com_plan import Support
from kinetune.physics.filter.com_targets import Guide, PlanGuide
from kinetune.physics.filter.failures import Failure, Tracking, judge_tracking
from kinetune.physics.filter.preprocessing import Prepared
from kinetune.physics.filter.references import Feet, Reference, build_reference
from kinetune.physics.filter.tracking_presets import Attempt
from kinetune.physics.filter.yaw_limit import pivoted, plan_pivot
from kinetune.physics.frame.plain_frames import Settings
from kinetune.physics.frame.tracking import Step, Tracker
from kinetune.physics.ground import Flat, Ground
from kinetune.physics.model.body_model import Body
from kinetune.physics.physics_report import smoothed
from kinetune.progress import report
from kinetune.rotations import Floats

_REPORT_EVERY = 60
_LOST = 0.75  # heights of the figure that the centre of mass may stray before the simulation stops


@dataclass(frozen=True, eq=False)
class Run:
    """The steps of a simulation, one for each frame, and where it had to stop, if so."""

    steps: list[Step]
    stopped: int | None

    def gather(self, name: str) -> Floats:
        """(frames, ...) one part of all steps."""
        return np.array([getattr(step, name) for step in self.steps])


def simulate(
    body: Body,
    feet: Feet,
    ground: Ground,
    settings: Settings,
    reference: Reference,
    guide: Guide | None = None,
) -> Run:
    """Let a body follow a motion from its first frame to its last."""
    tracker = Tracker(body, feet, ground, settings, reference.rate)
    tracker.start(reference.Q[0], reference.V[0], reference.stance[0])
    steps: list[Step] = []
    for t in range(len(reference)):
        if t % _REPORT_EVERY == 0:
            report(t / len(reference), "filtering")
        done = tracker.step(reference, t, guide)
        steps.append(done)
        if tracker.diverged or _lost(body, done, reference, t):
            still = done._replace(
                v=np.zeros(body.nv),
                a=np.zeros(body.nv),
                forces=0.0 * done.forces,
                torques=0.0 * done.torques,
                residual=np.zeros(6),
            )
            steps += [still] * (len(reference) - len(steps))
            return Run(steps, t + 1 if t + 1 < len(reference) else None)
    return Run(steps, None)


def _lost(body: Body, step: Step, reference: Reference, t: int) -> bool:
    """Whether the figure is so far from the motion that going on makes no sense."""
    x, y, z = (step.com - reference.data_com[t]).tolist()
    return x * x + y * y + z * z > (_LOST * body.height) ** 2


@dataclass(frozen=True, eq=False)
class Followed:
    """A run, what it aimed at, and how closely it kept to the motion as it was given.

    attempt : the name of the rung of the ladder. guide : the plan, if there was one. mix : see ``filter_dynamics``.
    """

    settings: Settings
    reference: Reference
    run: Run
    tracking: Tracking
    failures: list[Failure]
    attempt: str = ""
    guide: PlanGuide | None = None
    mix: float | None = None

    @classmethod
    def of(
        cls,
        body: Body,
        given: Reference,
        reference: Reference,
        settings: Settings,
        run: Run,
        *,
        attempt: str = "",
        guide: PlanGuide | None = None,
        mix: float | None = None,
    ) -> Followed:
        """A run, judged against the motion as it was given."""
        pressed = run.gather("forces")[:, :, 1].sum(axis=1)
        q, com, toes = run.gather("q"), run.gather("com"), run.gather("toes")
        tracking, failures = judge_tracking(body, Feet.of(body), reference, given, q, com, toes, pressed, run.stopped)
        return cls(settings, reference, run, tracking, failures, attempt, guide, mix)


def reference_of(body: Body, feet: Feet, prepared: Prepared) -> Reference:
    """A prepared clip as the filter needs it."""
    return build_reference(
        body, prepared.qpos, prepared.rate, prepared.ground, feet, known=prepared.known, shift=prepared.shift
    )


def attempt(
    body: Body,
    feet: Feet,
    prepared: Prepared,
    given: Reference,
    settings: Settings,
    rung: Attempt,
) -> Followed:
    """Follow a motion with a plan, with the settings of one rung of the ladder."""
    aimed = given
    if rung.cutoff_hz is not None:
        prepared = replace(prepared, qpos=smoothed(prepared.qpos, prepared.rate, rung.cutoff_hz))
        aimed = reference_of(body, feet, prepared)
    own = replace(settings, gains=rung.changed(settings.gains))
    reference, support = turned_within_friction(body, feet, prepared, aimed, own.mu)
    guide = PlanGuide(body, reference, support, own.mu)
    run = simulate(body, feet, prepared.ground, own, reference, guide)
    return Followed.of(body, given, reference, own, run, attempt=rung.name, guide=guide)


def turned_within_friction(
    body: Body, feet: Feet, prepared: Prepared, reference: Reference, mu: float
) -> tuple[Reference, Support]:
    """The motion turned about its standing foot where it asks for more spin than friction gives, and its support."""
    support = reference.support(feet, prepared.ground)
    lift = np.gradient(np.gradient(reference.data_com[:, 1])) * reference.rate**2
    turn = plan_pivot(
        reference.momentum_rate[:, 1], reference.inertia, lift, support, rate=reference.rate, mass=body.mass, mu=mu
    )
    if not turn.any():
        return reference, support
    level = np.array([1.0, 0.0, 1.0])
    pivots = np.array(
        [
            np.array([*hull.mean(axis=0), 0.0])[[0, 2, 1]] if len(hull) else com * level
            for hull, com in zip(support.hulls, reference.data_com, strict=True)
        ]
    )
    qpos, turns = pivoted(prepared.qpos, turn, pivots)
    shift = rot.rotate(turns[:, None], reference.shift)
    turned = build_reference(body, qpos, prepared.rate, prepared.ground, feet, known=reference.stance, shift=shift)
    if isinstance(prepared.ground, Flat) and np.array_equal(turned.stance, reference.stance):
        away = qpos[:, :3] - rot.rotate(turns, prepared.qpos[:, :3])
        return turned, support.moved(turn, away)
    return turned, turned.support(feet, prepared.ground)
