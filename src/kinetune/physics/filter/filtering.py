"""The dynamic filter for whole clips: motion that obeys the laws of mechanics and friction.

================  ==========================================================================
filter_dynamics   a clip, filtered
FilterResult      the clip with its forces, torques, report and failures
================  ==========================================================================

[pollard] N. Pollard and P. Reitsma, "Animation of humanlike characters: dynamic motion filtering with a physically
plausible contact model". Derivation, corrections and what was added: docs/derivations/dynamic_filter.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.floor import Floor
from kinetune.errors import ParameterError
from kinetune.physics.filter.com_targets import PathGuide
from kinetune.physics.filter.failures import Failure, Tracking
from kinetune.physics.filter.preprocessing import Prepared, prepare, settle
from kinetune.physics.filter.references import Feet, Reference
from kinetune.physics.filter.rollout import Followed, Run, attempt, reference_of, simulate
from kinetune.physics.filter.tracking_presets import LADDER, Gains, find_gains
from kinetune.physics.frame.frame_solve import ORDERS, SOLVERS, Order, Solver
from kinetune.physics.frame.plain_frames import Mode, Settings, Whole
from kinetune.physics.ground import Ground, check_friction
from kinetune.physics.inverse_dynamics import runs
from kinetune.physics.model.body_model import Body
from kinetune.physics.physics_report import CUTOFF_HZ, PhysicsReport, physics_report
from kinetune.rotations import Floats

MODES = ("joint", "position", "friction")
_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class FilterResult:
    """What the filter gave.

    Parameters
    ----------
    clip : the filtered motion, at the frame rate of the given one; a marker with a sentence stands where it failed, and
        at its start if a search came to other settings than the usual ones.
    body : the physical model.
    forces : (frames, points, 3) newtons that the ground exerts on ``body.points``, frame by frame of the clip.
    torques : (frames, segments, 3) newton metres at the joints in the axes of their segments; the root's are zero.
    tracking : how closely the motion was followed. failures : where it went wrong and why; empty when all is well.
    settings : how the filter was set.
    simulated : the same motion at the rate of the filter, with its coordinates, velocities, accelerations, forces and
        torques step by step (``step_...``): what a forward simulation needs to repeat it.
    residual : (steps, 6) force and torque left on the root, in N and N m.
    toe_errors : (steps, toes) metres of each toe from where it should stand; NaN while it does not stand.
    ground : what the figure stands on.
    plan_misses : (steps, 3) how far the plan could not keep its limits: centre of pressure outside of the support in
        metres, horizontal and vertical force in body weights; None without a plan.
    mix : the share of the centre of support in the path of the centre of mass, without a plan.
    attempt : the name of the settings that the search came to, "usual" for those given; empty without a plan.

    Examples
    --------
    >>> from kinetune import filter_dynamics, sample
    >>> walk = filter_dynamics(sample("walk")[:60])
    >>> walk.forces.shape == (60, len(walk.body.points), 3), walk.tracking.good
    (True, True)
    """

    clip: Clip
    body: Body
    forces: Floats = field(repr=False)
    torques: Floats = field(repr=False)
    tracking: Tracking
    failures: tuple[Failure, ...]
    settings: Settings = field(repr=False)
    simulated: Clip = field(repr=False)
    step_q: Floats = field(repr=False)
    step_v: Floats = field(repr=False)
    step_a: Floats = field(repr=False)
    step_forces: Floats = field(repr=False)
    step_torques: Floats = field(repr=False)
    residual: Floats = field(repr=False)
    toe_errors: Floats = field(repr=False)
    ground: Ground = field(repr=False)
    plan_misses: Floats | None = field(repr=False, default=None)
    mix: float | None = None
    attempt: str = ""

    @cached_property
    def report(self) -> PhysicsReport:
        """The physics report card of the filtered motion at the filter's rate, by the forces that it comes with."""
        return physics_report(
            self.simulated,
            self.body,
            mu=self.settings.mu,
            ground=self.ground,
            cutoff_hz=None,
            forces=self.step_forces,
            scheme="euler",
            sides=self.settings.sides,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "report"}


def filter_dynamics(
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
    ground: float | Floor | Ground | None = None,
    torque_limit: float | Mapping[str, float] | None = None,
    mass: float | None = None,
) -> FilterResult:
    """Make a motion obey physics: feet that stand, forces that friction can give, no hand of god at the hips.

    Parameters
    ----------
    clip : the motion, edited or captured. Below 60 frames a second it is filtered at a multiple of its rate.
    body : its physical model; fitted to the clip when left out.
    mode : "joint" tracks the pose, "position" also the toes of standing feet, both with any forces at the feet;
        "friction" keeps forces within the friction pyramid and the body in balance.
    mu, sides : the coefficient of friction, and the sides of the pyramid that stands for its cone.
    preset : "steady", or "paper" for the gains of Figure 6; or gains of your own.
    plan : look ahead over the whole clip to stay in balance; None does so except with the preset "paper".
    mix : without a plan, how far the path of the centre of mass is nudged towards the centre of support, from 0 to 1;
        "auto" searches for it.
    search : with a plan, try other settings as well until one follows the motion well: smoother, and firmer where feet
        land (``presets.LADDER``). The result names the one that it came to. A motion that is followed well at once
        takes no longer.
    solver : of the contact forces: "nnls", "greedy" (the paper's iteration) or "least_squares", which may pull.
    order : "exact" meets the reference points and frees the root at once; "printed" follows the paper step by step and
        leaves forces on the root.
    cutoff_hz : frequencies above it are taken out first; None leaves the motion as it is.
    ground : a height in metres, a floor, or uneven ground; None fits a plane to the standing feet and levels the clip.
    torque_limit : newton metres that every joint can give, or a mapping from joints, roles or groups to such limits.
    mass : of the body in kilograms, if none is given.

    Returns
    -------
    FilterResult
        ``.clip``, ``.forces``, ``.torques``, ``.report``, ``.failures`` ...

    Notes
    -----
    Laws (``tests/physics/filter/test_filtering.py``): in mode "friction" every force lies in the pyramid and nothing
    acts on the root beyond 1e-6 body weights; a motion that is possible already comes back as it was.

    Examples
    --------
    >>> from kinetune import sample
    >>> walk = filter_dynamics(sample("walk")[:60], mu=0.8)
    >>> walk.report.inside_share, walk.failures
    (1.0, ())
    """
    gains = find_gains(preset)
    _check(mode, mu, sides, solver, order, mix)
    settled = settle(clip)
    if body is None:
        body = Body.fit(clip.skeleton, mass, clip=settled.moved)
    planned = (preset != "paper") if plan is None else plan
    whole: Whole = "none" if mode != "friction" else ("plan" if planned else "com")
    if search and whole != "plan":
        raise ParameterError(
            "search tries other settings of the filter with a plan, but there is none here. Leave it out, or take "
            'mode "friction" with the preset "steady".'
        )
    settings = Settings(mode, whole, mu, sides, solver, order, gains, _limits(body, torque_limit))
    feet = Feet.of(body)
    prepared = prepare(settled, body, feet, cutoff_hz, ground)
    given = reference_of(body, feet, prepared)
    tried: list[Followed] = []
    if whole == "plan":
        for rung in LADDER if search else LADDER[:1]:
            tried.append(attempt(body, feet, prepared, given, settings, rung))
            if tried[-1].tracking.good:
                break
    elif whole == "none":
        run = simulate(body, feet, prepared.ground, settings, given)
        tried.append(Followed.of(body, given, given, settings, run))
    else:
        support = given.support(feet, prepared.ground)
        for share in _SHARES if mix == "auto" else (float(mix),):
            guided = PathGuide(given.mixed_com(support, share), given.rate)
            run = simulate(body, feet, prepared.ground, settings, given, guided)
            tried.append(Followed.of(body, given, given, settings, run, mix=share))
    return _result(prepared, body, min(tried, key=lambda followed: followed.tracking.badness))


def _result(prepared: Prepared, body: Body, followed: Followed) -> FilterResult:
    run, settings, guide, failures = followed.run, followed.settings, followed.guide, followed.failures
    forces, torques = run.gather("forces"), run.gather("torques")
    if settings.torque_limit is not None:
        failures = sorted([*failures, *_too_weak(body, settings, torques)], key=lambda failure: failure.first)
    turned = prepared.turned_back(forces)
    joints = np.concatenate([np.zeros((len(torques), 1, 3)), torques.reshape(len(torques), -1, 3)], axis=1)
    simulated = prepared.simulated(body, run.gather("q"))
    qpos = body.coordinates(simulated)
    told = tuple(prepared.in_frames(failure) for failure in failures)
    clip = prepared.clip_of(simulated)
    markers = [Marker(failure.first, failure.words) for failure in told]
    return FilterResult(
        clip=clip.replace(markers=(*clip.markers, *_words(followed, prepared.first), *markers)),
        body=body,
        forces=prepared.at_frames(turned),
        torques=prepared.at_frames(joints),
        tracking=followed.tracking,
        failures=told,
        settings=settings,
        simulated=simulated,
        step_q=qpos,
        step_v=prepared.velocities_back(run.gather("v")),
        step_a=prepared.velocities_back(run.gather("a")),
        step_forces=turned,
        step_torques=joints,
        residual=run.gather("residual"),
        toe_errors=_toe_errors(Feet.of(body), followed.reference, run),
        ground=prepared.ground_back(),
        plan_misses=None if guide is None else np.stack([guide.outside, guide.slip, guide.lift], axis=1),
        mix=followed.mix,
        attempt=followed.attempt,
    )


def _words(followed: Followed, first: int) -> list[Marker]:
    """A marker that names the settings, if they are not the usual ones."""
    if followed.attempt in ("", LADDER[0].name):
        return []
    return [Marker(first, f'The settings "{followed.attempt}" follow this motion better than the usual ones.')]


def _toe_errors(feet: Feet, reference: Reference, run: Run) -> Floats:
    apart = np.linalg.norm(run.gather("toes") - reference.toes, axis=2)
    return np.where(reference.stance, apart, np.nan)[:, feet.toes]


def _too_weak(body: Body, settings: Settings, torques: Floats) -> list[Failure]:
    limit = settings.torque_limit
    if limit is None:
        return []
    over = np.abs(torques) / limit[6:]
    failures = []
    for start, stop in runs(np.asarray(over.max(axis=1) > 1.05)):
        worst = int(np.argmax(over[start:stop].max(axis=0)))
        name = body.segments[1 + worst // 3].name
        words = f'The joint "{name}" needs {over[start:stop].max():.1f} times the torque that it may give.'
        failures.append(Failure("too weak", start, stop - 1, words))
    return failures


def _limits(body: Body, given: float | Mapping[str, float] | None) -> Floats | None:
    if given is None:
        return None
    limit = np.full(body.nv, np.inf)
    table = {None: given} if isinstance(given, int | float) else dict(given)
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
