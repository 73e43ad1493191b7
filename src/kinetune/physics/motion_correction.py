"""Motion made to obey physics, by the method that suits it.

===============  =====================================================================
filter_dynamics  a clip, corrected by the dynamic filter or by the whole-clip method
===============  =====================================================================

Nothing implausible is handed out in silence: where neither method finds a plausible motion near the one that was given,
the clip comes back as it was, with the reasons and their frames (``result.status``, ``result.reasons``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.floor import Floor
from kinetune.body.robots.robot import robot_of
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.physics.equations_of_motion import CUTOFF_HZ, euler_velocities, segment_poses
from kinetune.physics.filter.failures import Tracking
from kinetune.physics.filter.filter_settings import FilterSettings, Gains, Mode, Order, Solver
from kinetune.physics.filter.filtering import FilterResult, Status, find_weak_joints, run_filter, torque_limits
from kinetune.physics.filter.preprocessing import FilterInput, centre_clip, prepare_input
from kinetune.physics.filter.references import Feet
from kinetune.physics.ground import ContactGround, check_friction
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.hinge_bodies import with_hinges
from kinetune.physics.whole_clip.acceptance import (
    CorrectionSummary,
    changes,
    help_findings,
    in_frames,
    objections,
    summarize,
)
from kinetune.physics.whole_clip.correction import WholeClipMotion, WholeClipSettings, correct_motion
from kinetune.progress import stage
from kinetune.rotations import Floats

Method = Literal["auto", "whole", "filter"]
METHODS: tuple[Method, ...] = ("auto", "whole", "filter")
_FILTER_ONLY: dict[str, Any] = {
    "mode": "friction",
    "preset": "steady",
    "plan": None,
    "mix": "auto",
    "search": False,
    "solver": "nnls",
    "order": "exact",
    "torque_limit": None,
}
_HELP = (0.02, 0.05, 0.1, 0.3)
# The filter is good enough for "auto" if no more than this is left in central differences, and no sole is deeper.
_LEFT_BW, _DEEP_M = 0.02, 0.01


def filter_dynamics(
    clip: Clip,
    body: Body | None = None,
    *,
    method: Method = "auto",
    partial: bool = False,
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
    """Make a motion obey physics: feet that hold, forces that friction can provide, nothing that pulls at the hips.

    Parameters
    ----------
    clip : Clip
        The motion, edited or captured. Below 60 frames per second it is filtered at a multiple of its rate.
    body : Body, optional
        Its physical model; fitted to the clip by default.
    method : {"auto", "whole", "filter"}
        "whole" solves for all frames at once: feet fixed on the floor, flight a parabola, forces at their own frame, no
        fall. "filter" is the paper's filter, frame by frame: it changes a pose less, streams, and may fall. "auto"
        takes the filter where its result holds up in central differences with the soles on the ground, and else the
        whole clip; the result says which.
    partial : bool
        Where nothing plausible is near, give a partial correction with a helping force that is reported, instead of
        the clip as it was. For the whole-clip method.
    mode : {"joint", "position", "friction"}
        "joint" tracks the pose, "position" also the toes of standing feet, both with any forces at the feet; "friction"
        keeps forces within the friction pyramid and the body in balance.
    mu : float
        The coefficient of friction.
    sides : int
        Sides of the pyramid that stands for the friction cone.
    preset : str or Gains
        "steady", or "paper" for the gains of Figure 6; or gains of your own.
    plan : bool, optional
        Look ahead over the whole clip to stay in balance; by default except with the preset "paper".
    mix : float or "auto"
        Without a plan, how far the path of the centre of mass is moved towards the centre of support, from 0 to 1;
        "auto" searches for it.
    search : bool
        With a plan, try other settings as well until one follows the motion well: smoother, and firmer where feet land.
        The result names them. A motion that is followed well at once takes no longer.
    solver : {"nnls", "greedy", "least_squares"}
        Of the contact forces; "greedy" is the paper's iteration, and "least_squares" may pull.
    order : {"exact", "printed"}
        "exact" meets the reference points and frees the root at once; "printed" follows the paper step by step and
        leaves forces on the root.
    cutoff_hz : float, optional
        Higher frequencies are removed first; None leaves the motion as it is.
    ground : float, Floor or ContactGround, optional
        A height in metres, a floor, or uneven ground. By default a plane is fitted to the standing feet, and the clip
        is levelled.
    torque_limit : float or mapping, optional
        Newton metres that every joint can give, or a mapping from joints, roles or groups to such limits.
    mass : float, optional
        Of the body in kilograms, if no body is given; that of a robot is known from its file.

    Returns
    -------
    FilterResult
        ``.clip``, ``.forces``, ``.torques``, ``.report``, ``.status``, ``.reasons``, ``.failures`` ...

    Notes
    -----
    ``mode``, ``preset``, ``plan``, ``mix``, ``search``, ``solver``, ``order`` and ``torque_limit`` set the filter:
    where one of them is given, "auto" takes the filter, and "whole" refuses it, but for ``torque_limit``: that is
    checked instead of held, as are, with either method, the limits of motors that the file of a robot names. Joints
    that need more are named in ``reasons`` ("physics-torque-limit"), and the operation refuses such a result.
    Laws (``tests/physics/test_motion_correction.py``): the forces of a whole clip explain its written motion; nothing
    acts on lifted points; flight is a parabola.

    Examples
    --------
    >>> from kinetune import sample
    >>> walk = filter_dynamics(sample("walk")[:60], method="whole")
    >>> walk.status, walk.forces.shape == (60, len(walk.body.points), 3)
    ('corrected', True)
    """
    if method not in METHODS:
        raise ParameterError(f'method is "{method}", but it must be one of: {", ".join(METHODS)}.')
    given = {
        "mode": mode,
        "preset": preset,
        "plan": plan,
        "mix": mix,
        "search": search,
        "solver": solver,
        "order": order,
        "torque_limit": torque_limit,
    }
    special = [name for name, usual in _FILTER_ONLY.items() if given[name] != usual]
    refused = [name for name in special if name != "torque_limit"]
    if method == "whole" and refused:
        raise ParameterError(
            f'{refused[0]} is a setting of the dynamic filter, which method="whole" does not use. Leave it out, or '
            'take method="filter".'
        )
    check_friction(mu, sides)
    robot, fitted = robot_of(clip), body is None
    if body is None:
        if mass is None and robot is not None and robot.mass > 0.0:
            mass = robot.mass
        body = Body.fit(clip.skeleton, mass, clip=centre_clip(clip).moved)

    def whole() -> FilterResult:
        hinged = with_hinges(body, centre_clip(clip).moved) if fitted else body
        return _whole(clip, hinged, mu, sides, cutoff_hz, ground, partial=partial)

    def filtered() -> FilterResult:
        return run_filter(
            clip,
            body,
            mode=mode,
            mu=mu,
            sides=sides,
            preset=preset,
            plan=plan,
            mix=mix,
            search=search,
            solver=solver,
            order=order,
            cutoff_hz=cutoff_hz,
            ground=ground,
            torque_limit=torque_limit,
        )

    if method == "filter" or (method == "auto" and special):
        return _with_weak_joints(filtered(), None)
    if method == "whole":
        return _with_weak_joints(whole(), torque_limit)
    with stage(0, 2, "filtering"):
        first = filtered()
    against = _doubts(first)
    if against is None:
        return _with_weak_joints(first, None)
    with stage(1, 2, "correcting the whole clip"):
        second = whole()
    if second.status == "unchanged" and first.tracking.good:
        note = Finding(
            "physics-method",
            "The filter was used: the whole-clip method found nothing plausible nearby.",
            severity="info",
        )
        return _with_weak_joints(replace(first, reasons=(*first.reasons, note)), None)
    text = f"The whole-clip method was used: with the filter {against}."
    second = replace(second, reasons=(Finding("physics-method", text, severity="info"), *second.reasons))
    return _with_weak_joints(second, None)


def _with_weak_joints(result: FilterResult, limit: float | Mapping[str, float] | None) -> FilterResult:
    """A result that names joints that need more torque than they may give, by a limit or by the motors of a robot."""
    findings: list[Finding] = []
    limits = torque_limits(result.body, limit)
    if limits is not None:
        weak = find_weak_joints(result.body, limits, result.torques[:, 1:].reshape(len(result.torques), -1))
        findings += [Finding("physics-torque-limit", each.message, frame=(each.first, each.last)) for each in weak]
    robot = robot_of(result.clip)
    if robot is not None and robot.mass > 0.0 and len(result.clip) > 2:
        from kinetune.physics.motor_torques import robot_torques

        if result.method == "whole" and result.status != "unchanged":
            # The solver's own steps: at the frames of a slower clip, a landing and the flight before it would be one.
            carries = np.linalg.norm(result.step_forces, axis=2) > 0.0
            moved = result.simulated.replace(source=result.clip.source)
            every = round(moved.fps / result.clip.fps)
            first = len(result.clip) - -(-len(moved) // every)
            weak_motors = robot_torques(moved, result.body.points, carries).findings()
            findings += in_frames(weak_motors, lambda step: first + step // every)
        else:
            findings += robot_torques(result.clip).findings()
    return replace(result, reasons=(*result.reasons, *findings)) if findings else result


def _doubts(result: FilterResult) -> str | None:
    """What speaks against the filter's result, or None."""
    from kinetune.physics.report_card import physics_report

    if not result.tracking.good:
        return "the character falls" if result.tracking.fell else "the motion is not followed well"
    points = result.body.point_positions(result.step_q)
    deep = float(np.max(result.ground.height(points) - points[..., 1], initial=0.0))
    if deep > _DEEP_M:
        return f"soles stay {1e3 * deep:.0f} mm below the ground"
    card = physics_report(result.simulated, result.body, mu=result.settings.mu, ground=result.ground, cutoff_hz=None)
    left = float(np.nanmean(card.residual))
    return f"{left:.2f} body weights are left over on average" if left > _LEFT_BW else None


def _whole(
    clip: Clip,
    body: Body,
    mu: float,
    sides: int,
    cutoff_hz: float | None,
    ground: float | Floor | ContactGround | None,
    *,
    partial: bool,
) -> FilterResult:
    """A clip, corrected as a whole."""
    prepared = prepare_input(centre_clip(clip), body, Feet.of(body), cutoff_hz, ground)
    settings = FilterSettings(mu=mu, sides=sides)

    def attempt(help_scale: float) -> tuple[WholeClipMotion, CorrectionSummary, tuple[Finding, ...]]:
        how = WholeClipSettings(help_scale=help_scale)
        motion = correct_motion(body, prepared.qpos, prepared.rate, prepared.ground, mu, how)
        summary = summarize(motion.body, motion, prepared.qpos, prepared.rate, prepared.ground)
        return motion, summary, objections(motion.body, motion, prepared.qpos, prepared.rate, summary)

    def frame(step: int) -> int:
        return prepared.first + step // prepared.every

    def seen() -> tuple[Finding, ...]:
        return in_frames(changes(motion.body, motion, prepared.qpos, summary), frame)

    motion, summary, against = attempt(0.0)
    if not against:
        return _result(prepared, motion.body, settings, motion, summary, "corrected", (*_found(motion), *seen()))
    reasons = in_frames(against, frame)
    for scale in _HELP if partial else ():
        motion, summary, against = attempt(scale)
        if not against:
            helped = in_frames(help_findings(motion), frame)
            return _result(prepared, motion.body, settings, motion, summary, "partial", (*reasons, *helped, *seen()))
    return _unchanged(prepared, motion.body, settings, motion, summary, reasons)


def _found(motion: WholeClipMotion) -> tuple[Finding, ...]:
    """Which contacts besides feet were found to carry."""
    names = [point.name for point in motion.body.points if point.part == "other"]
    text = f"Feet alone cannot carry this motion; these carry too: {', '.join(names)}."
    return (Finding("physics-contacts", text, severity="info"),) if names else ()


def _result(
    prepared: FilterInput,
    body: Body,
    settings: FilterSettings,
    motion: WholeClipMotion,
    summary: CorrectionSummary,
    status: Status,
    reasons: tuple[Finding, ...],
) -> FilterResult:
    """The result at the frames of the clip, with torques by inverse dynamics in central differences."""
    from kinetune.physics.report_card import physics_report

    simulated = prepared.simulated(body, motion.q)
    qpos = body.coordinates(simulated)
    forces = prepared.to_clip_axes(motion.forces)
    card = physics_report(
        simulated, body, mu=settings.mu, ground=prepared.outside, cutoff_hz=None, forces=forces, sides=settings.sides
    )
    torques = np.nan_to_num(card.torques)
    speed, bend = central_differences(body, qpos, prepared.rate)
    clip = prepared.clip_of(simulated)
    markers = [Marker(_first(reason), reason.message) for reason in reasons if reason.severity != "info"]
    made = FilterResult(
        clip=clip.replace(markers=(*clip.markers, *markers)),
        body=body,
        forces=prepared.at_frames(forces),
        torques=prepared.at_frames(torques),
        tracking=_tracking(body, motion, prepared.qpos),
        failures=(),
        settings=settings,
        simulated=simulated,
        step_q=qpos,
        step_v=speed,
        step_a=bend,
        step_forces=forces,
        step_torques=torques,
        residual=prepared.to_clip_axes(motion.help.reshape(-1, 2, 3)).reshape(-1, 6) * body.weight,
        toe_errors=_toe_errors(body, motion),
        ground=prepared.outside,
        method="whole",
        status=status,
        reasons=reasons,
        correction=summary,
    )
    made.__dict__["report"] = card
    return made


def _unchanged(
    prepared: FilterInput,
    body: Body,
    settings: FilterSettings,
    motion: WholeClipMotion,
    summary: CorrectionSummary,
    reasons: tuple[Finding, ...],
) -> FilterResult:
    """The clip as it was given, and why; its forces are those that contacts could give it at best."""
    still = replace(motion, q=prepared.qpos, forces=np.zeros_like(motion.forces), help=np.zeros_like(motion.help))
    made = _result(prepared, body, settings, still, summary, "unchanged", reasons)
    del made.__dict__["report"]
    forces = np.nan_to_num(made.report.contact_forces)
    torques = np.nan_to_num(made.report.torques)
    return replace(
        made,
        clip=prepared.source,
        forces=prepared.at_frames(forces),
        torques=prepared.at_frames(torques),
        step_forces=forces,
        step_torques=torques,
    )


def _first(reason: Finding) -> int:
    return reason.frame[0] if isinstance(reason.frame, tuple) else reason.frame or 0


def central_differences(body: Body, qpos: Floats, rate: float) -> tuple[Floats, Floats]:
    """Velocities and accelerations (frames, nv) by central differences; at the ends, those beside them."""
    between, _ = euler_velocities(body, qpos, 1.0 / rate)
    speed = np.concatenate([between[:1], 0.5 * (between[1:] + between[:-1]), between[-1:]])
    bend = np.zeros_like(speed)
    bend[1:-1] = np.diff(between, axis=0) * rate
    return speed, bend


def _toe_errors(body: Body, motion: WholeClipMotion) -> Floats:
    """(frames, points) metres of each standing point from its print; NaN while it does not stand."""
    apart = np.linalg.norm(body.point_positions(motion.q) - motion.prints.targets, axis=2)
    return np.where(motion.phases.stand, apart, np.nan)


def _tracking(body: Body, motion: WholeClipMotion, original: Floats) -> Tracking:
    """How closely the motion was followed."""
    q = motion.q
    (places, turns), (own_places, own_turns) = segment_poses(body, q), segment_poses(body, original)
    local = rot.angle_between(q[:, 7:].reshape(len(q), -1, 4), original[:, 7:].reshape(len(q), -1, 4))
    roles = body.skeleton.roles
    owner = {joint: k for k, segment in enumerate(body.segments) for joint in segment.joints}
    head, trunk = (
        next((owner[roles[name]] for name in names if roles.get(name) in owner), 0)
        for names in (("head", "neck", "chest"), ("chest", "upper chest", "spine", "hips"))
    )
    trunk_deg = np.rad2deg(rot.angle_between(turns[:, trunk], own_turns[:, trunk]))
    up = rot.rotate(rot.multiply(turns[:, trunk], rot.inverse(own_turns[:, trunk])), np.array([0.0, 1.0, 0.0]))
    held = np.linalg.norm(body.point_positions(q) - motion.prints.targets, axis=2)[motion.phases.stand]
    shift = motion.momentum.com - motion.given.com
    return Tracking(
        pose_deg=float(np.rad2deg(np.sqrt(np.mean(local**2)))) if local.size else 0.0,
        toe_mm=1e3 * float(held.mean()) if len(held) else 0.0,
        trunk_deg=float(trunk_deg.max()),
        lean_deg=float(np.rad2deg(np.arccos(np.clip(up[:, 1], -1.0, 1.0))).max()),
        head_m=float(np.linalg.norm(places[:, head] - own_places[:, head], axis=1).max()),
        com_m=float(np.linalg.norm(shift[:, [0, 2]], axis=1).max()),
        fell=False,
        good=True,
    )
