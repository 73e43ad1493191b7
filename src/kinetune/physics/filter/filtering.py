"""The dynamic filter for whole clips: motion that obeys the laws of mechanics and friction.

================  ==========================================================================
run_filter        a clip, filtered
FilterResult      the clip with its forces, torques, report and failures
================  ==========================================================================

:func:`kinetune.filter_dynamics` chooses between this and the whole-clip method; both give a :class:`FilterResult`.

[pollard] N. Pollard and P. Reitsma, "Animation of humanlike characters: dynamic motion filtering with a physically
plausible contact model". Derivation, corrections and what was added: docs/derivations/dynamic_filter.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.floor import Floor
from kinetune.body.html_tables import html_table
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.physics.equations_of_motion import CUTOFF_HZ
from kinetune.physics.filter._rollout import Rollout, ScoredRollout, follow_plan, reference_from, simulate
from kinetune.physics.filter.com_targets import PathTargets
from kinetune.physics.filter.failures import Failure, Tracking
from kinetune.physics.filter.filter_settings import (
    LADDER,
    FilterSettings,
    Gains,
    Mode,
    Order,
    Solver,
    Whole,
    find_gains,
)
from kinetune.physics.filter.preprocessing import FilterInput, centre_clip, prepare_input
from kinetune.physics.filter.references import Feet, Reference
from kinetune.physics.frame.tracking import ORDERS, SOLVERS
from kinetune.physics.ground import ContactGround, check_friction
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

if TYPE_CHECKING:
    from kinetune.physics.report_card import PhysicsReport
    from kinetune.physics.whole_clip.acceptance import CorrectionSummary

Status = Literal["corrected", "partial", "unchanged", "fell"]
MODES = ("joint", "position", "friction")
_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class FilterResult:
    """A filtered motion, with the forces and torques that make it.

    Parameters
    ----------
    clip : Clip
        The filtered motion, at the frame rate of the original. Markers say where it failed, and at its start whether a
        search came to other settings than the usual ones.
    body : Body
        The physical model.
    forces : array, shape (frames, points, 3)
        Newtons that the ground exerts on ``body.points``. Row t acts at frame t of the clip: central differences of the
        motion there need it. (The filter's Euler steps carry a force over to the next step; rows are shifted for that.)
    torques : array, shape (frames, segments, 3)
        Newton metres at the joints in the axes of their segments; the root's are zero.
    tracking : Tracking
        How closely the motion was scored.
    failures : tuple of Failure
        Where it went wrong and why; empty when all is well.
    settings : FilterSettings
        How the filter was set.
    simulated : Clip
        The same motion at the rate of the filter.
    step_q, step_v, step_a, step_forces, step_torques : array, shape (steps, ...)
        Its coordinates, velocities, accelerations, forces and torques: what a forward simulation needs to repeat it.
    residual : array, shape (steps, 6)
        Force and torque left on the root, in N and N m.
    toe_errors : array, shape (steps, toes)
        Metres of each toe from where it should stand; NaN while it does not stand.
    ground : ContactGround
        What the character stands on.
    plan_misses : array, shape (steps, 3), optional
        By how much the plan broke its limits: centre of pressure outside the support in metres, horizontal and vertical
        force in body weights. None without a plan.
    mix : float, optional
        The share of the centre of support in the path of the centre of mass, without a plan.
    attempt : str
        The name of the settings that the search came to, "usual" for those given; empty without a plan.
    method : {"filter", "whole"}
        What made it: the dynamic filter, frame by frame, or the whole-clip method.
    status : {"corrected", "partial", "unchanged", "fell"}
        "partial": a helping force is left where nothing plausible was near. "unchanged": nothing plausible was near,
        and the clip is the one that was given. "fell": the filter's character fell.
    reasons : tuple of Finding
        Why the method was chosen, and why a result is not what was asked for, with frames.
    correction : CorrectionSummary, optional
        How far the whole-clip method moved the motion, and what it left.

    Examples
    --------
    >>> from kinetune import filter_dynamics, sample
    >>> walk = filter_dynamics(sample("walk")[:60], method="filter")
    >>> walk.forces.shape == (60, len(walk.body.points), 3), walk.tracking.good
    (True, True)
    """

    clip: Clip
    body: Body
    forces: Floats
    torques: Floats
    tracking: Tracking
    failures: tuple[Failure, ...]
    settings: FilterSettings
    simulated: Clip
    step_q: Floats
    step_v: Floats
    step_a: Floats
    step_forces: Floats
    step_torques: Floats
    residual: Floats
    toe_errors: Floats
    ground: ContactGround
    plan_misses: Floats | None = None
    mix: float | None = None
    attempt: str = ""
    method: Literal["filter", "whole"] = "filter"
    status: Status = "corrected"
    reasons: tuple[Finding, ...] = ()
    correction: CorrectionSummary | None = None

    @cached_property
    def report(self) -> PhysicsReport:
        """The physics report of the result at the solver's rate, by the forces that it comes with."""
        from kinetune.physics.report_card import physics_report

        return physics_report(
            self.simulated,
            self.body,
            mu=self.settings.mu,
            ground=self.ground,
            cutoff_hz=None,
            forces=None if self.status == "unchanged" else self.step_forces,
            scheme="euler" if self.method == "filter" else "central",
            sides=self.settings.sides,
        )

    @property
    def force_times(self) -> Floats:
        """(frames,) the seconds at which the rows of :attr:`forces` act."""
        return np.arange(len(self.clip)) / self.clip.fps

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "report"}

    def __repr__(self) -> str:
        return f"FilterResult({', '.join(f'{name}: {text}' for name, text in self._summary())})"

    def _repr_html_(self) -> str:
        return html_table("FilterResult", dict(self._summary()))

    def _summary(self) -> list[tuple[str, str]]:
        """The main numbers by name, for people."""
        return [
            ("clip", f"{len(self.clip)} frames at {self.clip.fps:g} fps"),
            ("body", f"{self.body.mass:.1f} kg"),
            ("method", f"{self.method}, {self.status}"),
            ("mode", f"{self.settings.mode}, mu {self.settings.mu:g}"),
            ("pose error", f"{self.tracking.pose_deg:.1f} deg"),
            ("failures", ", ".join(f"{f.kind} at {f.first}" for f in self.failures) or "none"),
        ]


def run_filter(
    clip: Clip,
    body: Body | None = None,
    *,
    mode: Mode = "friction",
    mu: float = 1.0,
    sides: int = 4,
    preset: str | Gains = "steady",
    plan: bool | None = None,
    mix: float | Literal["auto"] = "auto",
    search: bool = False,
    solver: Solver = "nnls",
    order: Order = "exact",
    cutoff_hz: float | None = CUTOFF_HZ,
    ground: float | Floor | ContactGround | None = None,
    torque_limit: float | Mapping[str, float] | None = None,
    mass: float | None = None,
) -> FilterResult:
    """Filter a clip frame by frame; parameters as for :func:`kinetune.filter_dynamics`.

    Notes
    -----
    Laws (``tests/physics/filter/test_filtering.py``): in mode "friction" every force lies in the pyramid and nothing
    acts on the root beyond 1e-6 body weights; a motion that is possible already comes back as it was.
    """
    gains = find_gains(preset)
    _check(mode, mu, sides, solver, order, mix)
    settled = centre_clip(clip)
    if body is None:
        body = Body.fit(clip.skeleton, mass, clip=settled.moved)
    planned = (preset != "paper") if plan is None else plan
    whole: Whole = "none" if mode != "friction" else ("plan" if planned else "com")
    if search and whole != "plan":
        raise ParameterError(
            "search tries other settings of the filter with a plan, but there is no plan here. Leave it out, or use "
            'mode "friction" with the preset "steady".'
        )
    settings = FilterSettings(mode, whole, mu, sides, solver, order, gains, torque_limits(body, torque_limit))
    feet = Feet.of(body)
    prepared = prepare_input(settled, body, feet, cutoff_hz, ground)
    original = reference_from(body, feet, prepared)
    tried: list[ScoredRollout] = []
    if whole == "plan":
        for rung in LADDER if search else LADDER[:1]:
            tried.append(follow_plan(body, feet, prepared, original, settings, rung))
            if tried[-1].tracking.good:
                break
    elif whole == "none":
        run = simulate(body, feet, prepared.ground, settings, original)
        tried.append(ScoredRollout.of(body, original, original, settings, run))
    else:
        support = original.support(feet, prepared.ground)
        for share in _SHARES if mix == "auto" else (float(mix),):
            targets = PathTargets(original.mixed_com(support, share), original.rate)
            run = simulate(body, feet, prepared.ground, settings, original, targets)
            tried.append(ScoredRollout.of(body, original, original, settings, run, mix=share))
    return _result(prepared, body, min(tried, key=lambda rollout: rollout.tracking.badness))


def _result(prepared: FilterInput, body: Body, scored: ScoredRollout) -> FilterResult:
    run, settings, plan = scored.run, scored.settings, scored.plan
    forces, torques = run.gather("forces"), run.gather("torques")
    weak = [] if settings.torque_limit is None else find_weak_joints(body, settings.torque_limit, torques)
    turned = prepared.to_clip_axes(forces)
    joints = np.concatenate([np.zeros((len(torques), 1, 3)), torques.reshape(len(torques), -1, 3)], axis=1)
    simulated = prepared.simulated(body, run.gather("q"))
    qpos = body.coordinates(simulated)
    by_step = sorted([*scored.failures, *weak], key=lambda failure: failure.first)
    failures = tuple(prepared.in_frames(failure) for failure in by_step)
    clip = prepared.clip_of(simulated)
    markers = [Marker(failure.first, failure.message) for failure in failures]
    return FilterResult(
        clip=clip.replace(markers=(*clip.markers, *_settings_marker(scored, prepared.first), *markers)),
        body=body,
        forces=prepared.at_frames(_when_they_act(turned)),
        torques=prepared.at_frames(_when_they_act(joints)),
        tracking=scored.tracking,
        failures=failures,
        settings=settings,
        simulated=simulated,
        step_q=qpos,
        step_v=prepared.velocities_to_clip_axes(run.gather("v")),
        step_a=prepared.velocities_to_clip_axes(run.gather("a")),
        step_forces=turned,
        step_torques=joints,
        residual=run.gather("residual"),
        toe_errors=_toe_errors(Feet.of(body), scored.reference, run),
        ground=prepared.outside,
        plan_misses=None if plan is None else np.stack([plan.outside, plan.slip, plan.lift], axis=1),
        mix=scored.mix,
        attempt=scored.attempt,
        status="fell" if scored.tracking.fell else "corrected",
    )


def _when_they_act(rows: Floats) -> Floats:
    """Rows (steps, ...) of an Euler simulation at the steps where central differences see them: one later."""
    return np.concatenate([rows[:1], rows[:-1]])


def _settings_marker(scored: ScoredRollout, first: int) -> list[Marker]:
    """A marker that names the settings, if they are not the usual ones."""
    if scored.attempt in ("", LADDER[0].name):
        return []
    return [Marker(first, f'The settings "{scored.attempt}" follow this motion better than the usual ones.')]


def _toe_errors(feet: Feet, reference: Reference, run: Rollout) -> Floats:
    apart = np.linalg.norm(run.gather("toes") - reference.toes, axis=2)
    return np.where(reference.stance, apart, np.nan)[:, feet.toes]


def find_weak_joints(body: Body, limit: Floats, torques: Floats) -> list[Failure]:
    """Where joints need more torque (frames, nv - 6) than they may give (nv,)."""
    over = np.abs(torques) / limit[6:]
    failures = []
    for start, stop in true_ranges(np.asarray(over.max(axis=1) > 1.05)):
        worst = int(np.argmax(over[start:stop].max(axis=0)))
        name = body.segments[1 + worst // 3].name
        message = f'The joint "{name}" needs {over[start:stop].max():.1f} times its torque limit.'
        failures.append(Failure("too weak", start, stop - 1, message))
    return failures


def torque_limits(body: Body, limits: float | Mapping[str, float] | None) -> Floats | None:
    """The most that each coordinate (nv,) may give, from one limit for all joints or some by name; None for none."""
    if limits is None:
        return None
    limit = np.full(body.nv, np.inf)
    table = {None: limits} if isinstance(limits, int | float) else dict(limits)
    for names, most in table.items():
        if not (np.isfinite(most) and most > 0.0):
            raise ParameterError(f"A torque limit must be a positive number of newton metres, not {most!r}.")
        for joint in body.skeleton.select(names):
            for k, segment in enumerate(body.segments):
                if k > 0 and segment.joint == joint:
                    limit[3 + 3 * k : 6 + 3 * k] = float(most)
    limit[:6] = np.inf
    return limit


def _check(mode: str, mu: float, sides: int, solver: str, order: str, mix: float | str) -> None:
    for name, value, known in (("mode", mode, MODES), ("solver", solver, SOLVERS), ("order", order, ORDERS)):
        if value not in known:
            raise ParameterError(f'{name} is "{value}", but it must be one of: {", ".join(known)}.')
    check_friction(mu, sides)
    if mix != "auto" and not (isinstance(mix, int | float) and 0.0 <= mix <= 1.0):
        raise ParameterError(f'mix must lie between 0 and 1, or be "auto"; got {mix!r}.')
