"""A body that follows a motion from its first frame to its last, and how well it does.

=====================  ==========================================================================
Rollout, simulate      the steps of a simulated body
ScoredRollout          a rollout with its scores and failures
follow_plan            follow a motion with a plan, with one set of settings
limit_yaw              the motion, rotated where it asks for more spin than friction gives
plan_yaw_correction    by how much it must be rotated, (frames,)
=====================  ==========================================================================

*Yaw.* A standing foot can rotate a body by friction alone, with an arm of a few centimetres: some 30 N m. Authored and
spliced kicks ask for ten times as much when the leg whips round and stops. No balance of the rest helps against that,
so the motion itself is rotated about its standing foot, as little and as smoothly as possible, before it is followed.
[pollard] Figure 3, row 4 shows what happens otherwise: a hop, and a spin by 20 degrees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import smooth_coordinates
from kinetune.physics.filter.com_plan import Support
from kinetune.physics.filter.com_targets import PlannedTargets, TargetSource
from kinetune.physics.filter.failures import Failure, Tracking, assess_tracking
from kinetune.physics.filter.filter_settings import Attempt, FilterSettings
from kinetune.physics.filter.preprocessing import FilterInput
from kinetune.physics.filter.references import Feet, Reference, build_reference
from kinetune.physics.frame.soft_programs import SoftProgram, bands_of, second_differences
from kinetune.physics.frame.tracking import TrackedStep, Tracker
from kinetune.physics.ground import ContactGround, FlatGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.progress import report
from kinetune.rotations import Floats

_REPORT_EVERY = 60
_LOST = 0.75  # heights of the character that the centre of mass may stray before the simulation stops
_YAW_SHARE = 0.6  # of the friction is available for rotation, while the rest holds the body
_W_ANGLE = 0.02
_W_RATE = 0.02
_W_JERK = 1e-6
_W_LIMIT = 1e3
_SMALL = np.deg2rad(0.5)


@dataclass(frozen=True, eq=False)
class Rollout:
    """The steps of a simulation, one for each frame, and the frame at which it had to stop, if any."""

    steps: list[TrackedStep]
    stopped: int | None

    def gather(self, name: str) -> Floats:
        """(frames, ...) one part of all steps."""
        return np.array([getattr(step, name) for step in self.steps])


def simulate(
    body: Body,
    feet: Feet,
    ground: ContactGround,
    settings: FilterSettings,
    reference: Reference,
    targets: TargetSource | None = None,
) -> Rollout:
    """Let a body follow a motion from its first frame to its last."""
    tracker = Tracker(body, feet, ground, settings, reference.rate)
    tracker.start(reference.Q[0], reference.V[0], reference.stance[0])
    steps: list[TrackedStep] = []
    for t in range(len(reference)):
        if t % _REPORT_EVERY == 0:
            report(t / len(reference), "filtering")
        step = tracker.step(reference, t, targets)
        steps.append(step)
        if tracker.diverged or _lost(body, step, reference, t):
            still = step._replace(
                v=np.zeros(body.nv),
                a=np.zeros(body.nv),
                forces=0.0 * step.forces,
                torques=0.0 * step.torques,
                residual=np.zeros(6),
            )
            steps += [still] * (len(reference) - len(steps))
            return Rollout(steps, t + 1 if t + 1 < len(reference) else None)
    return Rollout(steps, None)


def _lost(body: Body, step: TrackedStep, reference: Reference, t: int) -> bool:
    """Whether the character is too far from the motion to go on."""
    x, y, z = (step.com - reference.data_com[t]).tolist()
    return bool(x * x + y * y + z * z > (_LOST * body.height) ** 2)


@dataclass(frozen=True, eq=False)
class ScoredRollout:
    """A rollout, what it followed, and how closely it kept to the motion as it was given.

    attempt : the name of the rung of the ladder. plan : if there was one. mix : see ``filter_dynamics``.
    """

    settings: FilterSettings
    reference: Reference
    run: Rollout
    tracking: Tracking
    failures: list[Failure]
    attempt: str = ""
    plan: PlannedTargets | None = None
    mix: float | None = None

    @classmethod
    def of(
        cls,
        body: Body,
        original: Reference,
        reference: Reference,
        settings: FilterSettings,
        run: Rollout,
        *,
        attempt: str = "",
        plan: PlannedTargets | None = None,
        mix: float | None = None,
    ) -> ScoredRollout:
        """A rollout, scored against the motion as it was given."""
        pressed = run.gather("forces")[:, :, 1].sum(axis=1)
        q, com, toes = run.gather("q"), run.gather("com"), run.gather("toes")
        tracking, failures = assess_tracking(
            body, Feet.of(body), reference, original, q, com, toes, pressed, run.stopped
        )
        return cls(settings, reference, run, tracking, failures, attempt, plan, mix)


def reference_from(body: Body, feet: Feet, prepared: FilterInput) -> Reference:
    """A prepared clip as the filter needs it."""
    return build_reference(
        body, prepared.qpos, prepared.rate, prepared.ground, feet, known=prepared.known, shift=prepared.shift
    )


def follow_plan(
    body: Body,
    feet: Feet,
    prepared: FilterInput,
    original: Reference,
    settings: FilterSettings,
    rung: Attempt,
) -> ScoredRollout:
    """Follow a motion with a plan, with the settings of one rung of the ladder."""
    aimed = original
    if rung.cutoff_hz is not None:
        prepared = replace(prepared, qpos=smooth_coordinates(prepared.qpos, prepared.rate, rung.cutoff_hz))
        aimed = reference_from(body, feet, prepared)
    tuned = replace(settings, gains=rung.changed(settings.gains))
    reference, support = limit_yaw(body, feet, prepared, aimed, tuned.mu)
    plan = PlannedTargets(body, reference, support, tuned.mu)
    run = simulate(body, feet, prepared.ground, tuned, reference, plan)
    return ScoredRollout.of(body, original, reference, tuned, run, attempt=rung.name, plan=plan)


def limit_yaw(
    body: Body, feet: Feet, prepared: FilterInput, reference: Reference, mu: float
) -> tuple[Reference, Support]:
    """The motion, rotated about its standing foot where it asks for more spin than friction gives, and its support."""
    support = reference.support(feet, prepared.ground)
    lift = np.gradient(np.gradient(reference.data_com[:, 1])) * reference.rate**2
    turn = plan_yaw_correction(
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
    qpos, turns = rotate_about_pivots(prepared.qpos, turn, pivots)
    shift = rot.rotate(turns[:, None], reference.shift)
    turned = build_reference(body, qpos, prepared.rate, prepared.ground, feet, known=reference.stance, shift=shift)
    if isinstance(prepared.ground, FlatGround) and np.array_equal(turned.stance, reference.stance):
        away = qpos[:, :3] - rot.rotate(turns, prepared.qpos[:, :3])
        return turned, support.moved(turn, away)
    return turned, turned.support(feet, prepared.ground)


def plan_yaw_correction(
    momentum_rate: Floats, inertia: Floats, lift: Floats, support: Support, *, rate: float, mass: float, mu: float
) -> Floats:
    """The angles (frames,) in radians that bring a motion within what friction can do; 0 where it is already.

    Parameters
    ----------
    momentum_rate : (frames,) rate of the angular momentum about the vertical, N m.
    inertia : (frames,) of the whole body about the vertical through its centre of mass, kg m^2.
    lift : (frames,) vertical acceleration of the centre of mass, m/s^2.
    support : where the motion stands.
    """
    frames, count = len(momentum_rate), len(momentum_rate) - 2
    if count < 1:
        return np.zeros(frames)
    most = _YAW_SHARE * mu * mass * np.maximum(lift + GRAVITY, 0.0) * support.spread
    if np.all(np.abs(momentum_rate) <= most + 0.02 * mass):
        return np.zeros(frames)
    # The rate of inertia times angular speed, between frames.
    between = 0.5 * (inertia[:-1] + inertia[1:]) * rate * rate / mass
    change = np.stack([between[:-1], -between[:-1] - between[1:], between[1:]], axis=1)
    wide = 1.0 + (support.spread[:-1] / 0.1) ** 2  # both feet down: rotation would make them slide
    bands = bands_of(second_differences(np.full(frames - 1, 1.0 / rate)), np.full(count, _W_JERK), frames)
    for band, more in zip(
        bands, bands_of(np.tile([-rate, rate], (frames - 1, 1)), _W_RATE * wide, frames), strict=False
    ):
        band += more
    bands[0] += _W_ANGLE
    program = SoftProgram([bands], np.zeros(frames))
    program.fix(np.array([[0], [1]]), np.ones((2, 1)), np.zeros(2))
    rows = np.arange(count)[:, None] + np.arange(3)
    room = np.concatenate([most[:count] - momentum_rate[:count], most[:count] + momentum_rate[:count]]) / mass
    program.limit(np.vstack([rows, rows]), np.vstack([change, -change]), room, _W_LIMIT, np.tile(np.arange(count), 2))
    angles = program.solve()[0]
    return angles if np.abs(angles).max() > _SMALL else np.zeros(frames)


def rotate_about_pivots(qpos: Floats, angles: Floats, pivots: Floats) -> tuple[Floats, Floats]:
    """Coordinates of the motion rotated about pivots (frames, 3), and the rotations (frames, 4) that were applied."""
    turns = rot.about_y(angles)
    steps = rot.rotate(turns[:-1], pivots[1:]) - rot.rotate(turns[1:], pivots[1:])
    shift = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    rotated = qpos.copy()
    rotated[:, :3] = rot.rotate(turns, qpos[:, :3]) + shift
    rotated[:, 3:7] = rot.multiply(turns, qpos[:, 3:7])
    return rotated, turns
