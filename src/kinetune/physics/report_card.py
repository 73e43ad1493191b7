"""The physics report of a clip: could a body with this mass on this ground have moved like this?

==================  =====================================================================================
physics_report      forces, friction, balance and torques of a motion
PhysicsReport       the result, frame by frame and as a summary
==================  =====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, find_ground
from kinetune.body.feet.floor import Ground as Standing
from kinetune.body.html_tables import html_table
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.quality.measures import measure
from kinetune.errors import ParameterError
from kinetune.physics._inverse_dynamics import LOADED, InverseDynamics, Scheme, fastest_fall
from kinetune.physics.equations_of_motion import CUTOFF_HZ, level_coordinates, smooth_coordinates
from kinetune.physics.ground import TOUCH_HEIGHT, Bools, ContactGround, as_ground, check_friction
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

if TYPE_CHECKING:
    from kinetune.findings import Finding
    from kinetune.physics.verdict import Judgement, Verdict

_COARSE_FPS = 24.0
_TOO_FAST = 1.6  # times gravity
_FAR_OUTSIDE = 0.1  # metres; a body that is known less exactly is no failure


@dataclass(frozen=True, eq=False, repr=False)
class PhysicsReport:
    """What a motion asks of body and ground. Frames that cannot be assessed (the first, the last, a T-pose) are NaN.

    Parameters
    ----------
    clip, body, mu : Clip, Body, float
        The motion, its model, and the friction.
    forces : array, shape (frames, 3)
        Newtons that the ground must give in all.
    com : array, shape (frames, 3)
        The centre of mass in metres.
    friction : array, shape (frames,)
        The coefficient of friction that this takes; inf where the ground would have to pull, NaN in flight and where
        next to no force is needed.
    residual, residual_moment : array, shape (frames,)
        What no contact force within friction can give, in body weights, and in body weights times height.
    pressure : array, shape (frames, 3)
        The centre of pressure.
    margin : array, shape (frames,)
        Metres from it to the edge of the support, negative outside.
    touching : array of bool, shape (frames, points)
        Which contact points touch.
    contact_forces : array, shape (frames, points, 3)
        Newtons at each.
    torques : array, shape (frames, segments, 3)
        Newton metres at each joint, in the axes of its segment; the root's are zero.
    flights : tuple of (int, int, float)
        First and last frame without contact, and the largest distance from a ballistic arc in metres.
    measures : dict
        Those of :func:`kinetune.measure`.
    notes : tuple of str
        What was assumed.
    ground : ContactGround, optional
        What the motion stands on, if it was given.
    cutoff_hz : float, optional
        Below what the motion was smoothed.

    Examples
    --------
    >>> from kinetune import physics_report, sample
    >>> physics_report(sample("walk")).verdict
    'plausible'
    >>> report = physics_report(sample("walk"), mu=0.05)
    >>> report.ranges()[0]["why"]
    'needs more friction than there is'
    """

    clip: Clip
    body: Body
    mu: float
    forces: Floats
    com: Floats
    friction: Floats
    residual: Floats
    residual_moment: Floats
    pressure: Floats
    margin: Floats
    touching: Bools
    contact_forces: Floats
    torques: Floats
    flights: tuple[tuple[int, int, float], ...]
    measures: dict[str, Any]
    notes: tuple[str, ...] = ()
    ground: ContactGround | None = None
    cutoff_hz: float | None = CUTOFF_HZ

    @cached_property
    def judgement(self) -> Judgement:
        """Verdict, reasons and the value of every test (:func:`kinetune.physics.verdict.judge_motion`)."""
        from kinetune.physics.verdict import judge_motion

        return judge_motion(self.clip, self.body, ground=self.ground, cutoff_hz=self.cutoff_hz)

    @property
    def verdict(self) -> Verdict:
        """Whether a body could have moved like this: "plausible", "doubtful" or "impossible"."""
        return self.judgement.verdict

    @property
    def reasons(self) -> tuple[Finding, ...]:
        """Why it is not plausible, the gravest first, each with frames; empty where it is."""
        return self.judgement.reasons

    @property
    def judged(self) -> Bools:
        """(frames,) which frames could be judged."""
        return np.isfinite(self.forces[:, 0])

    @property
    def loaded(self) -> Bools:
        """(frames,) frames in which the ground must give more than a fifth of the body's weight."""
        size = np.linalg.norm(np.nan_to_num(self.forces), axis=1)
        return np.asarray(self.judged & (size > LOADED * self.body.weight))

    @property
    def outside(self) -> Bools:
        """(frames,) frames whose force lies outside the friction cone, or is needed while nothing touches."""
        return np.asarray(self.loaded & ~(self.friction <= self.mu * (1.0 + 1e-9) + 1e-9))

    @property
    def inside_share(self) -> float | None:
        """The share of the loaded frames that stay inside the cone; None when none is loaded."""
        count = int(self.loaded.sum())
        return None if count == 0 else 1.0 - int(self.outside.sum()) / count

    def ranges(self) -> list[dict[str, Any]]:
        """Where it fails: first and last frame, why, and by how much, in order."""
        ranges: list[dict[str, Any]] = []
        aloft = self.outside & ~self.touching.any(axis=1)
        for name, flags, values in (
            ("needs a force while nothing touches the ground", aloft, self.residual),
            ("needs more friction than there is", self.outside & ~aloft & (self.friction < np.inf), self.friction),
            ("would have to be pulled by the ground", self.outside & ~aloft & np.isinf(self.friction), self.residual),
            ("needs a push outside the feet", self.margin < -_FAR_OUTSIDE, -self.margin),
        ):
            for start, stop in true_ranges(flags):
                worst = float(np.nanmax(values[start:stop]))
                unit = "mu" if values is self.friction else "body weights" if values is self.residual else "m"
                ranges.append({"first": start, "last": stop - 1, "why": name, "worst": worst, "unit": unit})
        return sorted(ranges, key=lambda item: item["first"])

    def __repr__(self) -> str:
        share = self.inside_share
        inside = (
            "no contact" if share is None else f"inside the friction cone in {share:.0%} of the frames with contact"
        )
        return f"PhysicsReport({len(self.clip)} frames, mu {self.mu:g}, {inside})"

    def _repr_html_(self) -> str:
        return html_table("PhysicsReport", dict(self.rows()))

    def as_dict(self) -> dict[str, Any]:
        """The summary as a JSON-ready mapping; what is unknown is None."""
        loaded, supported = self.loaded, self.loaded & self.touching.any(axis=1)
        needed = self.friction[supported & np.isfinite(self.friction)]
        size = np.linalg.norm(self.torques, axis=2)
        peaks = np.nanmax(size, axis=0) if self.judged.any() else np.zeros(size.shape[1])
        order = [k for k in np.argsort(-peaks).tolist() if k > 0]
        return {
            **self.judgement.as_dict(),
            "frames": len(self.clip),
            "judged": int(self.judged.sum()),
            "fps": self.clip.fps,
            "mass_kg": self.body.mass,
            "height_m": self.body.height,
            "human": self.body.human,
            "mu": self.mu,
            "friction_needed": _top(needed),
            "friction_needed_usual": _share(needed, 95.0),
            "frames_loaded": int(loaded.sum()),
            "frames_outside_cone": int(self.outside.sum()),
            "inside_cone": self.inside_share,
            "root_residual_bw": _top(self.residual),
            "root_residual_mean_bw": _mean(self.residual),
            "root_residual_moment_bwh": _top(self.residual_moment),
            "force_peak_bw": _top(np.linalg.norm(self.forces, axis=1) / self.body.weight),
            "pressure_margin_mm": None if np.isnan(self.margin).all() else 1e3 * float(np.nanmin(self.margin)),
            "pressure_outside": int(np.sum(self.margin < 0.0)),
            "pressure_outside_mean_mm": -1e3 * (_mean(self.margin[self.margin < 0.0]) or 0.0),
            "flight_s": sum(last - first + 1 for first, last, _ in self.flights) / self.clip.fps,
            "flight_arc_error_mm": 1e3 * max((error for _, _, error in self.flights), default=0.0),
            "fastest_fall": fastest_fall(self.com[np.isfinite(self.com[:, 1]), 1], self.clip.fps),
            "foot_slide_mm": self.measures["foot_slide_mm"],
            "penetration_mm": self.measures["penetration_mm"],
            "torque_peak_nm": {self.body.segments[k].name: float(peaks[k]) for k in order},
            "ranges": self.ranges(),
            "notes": [*self.body.notes, *self.notes, *self.judgement.notes],
        }

    def rows(self) -> list[tuple[str, str]]:
        """The summary as a table: what, and how much."""
        summary = self.as_dict()
        torques = list(summary["torque_peak_nm"].items())[:4]
        share = summary["inside_cone"]
        return [
            ("verdict", self.verdict),
            ("body", f"{summary['mass_kg']:.1f} kg, {summary['height_m']:.2f} m, {len(self.body.segments)} segments"),
            (
                "friction needed",
                f"{summary['friction_needed']:.2f} at most, {summary['friction_needed_usual']:.2f} in 19 of 20 frames"
                if summary["friction_needed"] is not None
                else "-",
            ),
            (
                "friction cone",
                f"inside in {_shown(None if share is None else 100.0 * share, '.0f')}% of the "
                f"{summary['frames_loaded']} frames with contact, at mu = {self.mu:g}",
            ),
            (
                "root residual",
                f"{_shown(summary['root_residual_bw'], '.2f')} body weights at most, "
                f"{_shown(summary['root_residual_mean_bw'], '.2f')} on average",
            ),
            ("greatest force", f"{_shown(summary['force_peak_bw'], '.2f')} body weights"),
            (
                "centre of pressure",
                _pressure_text(summary),
            ),
            ("flight", f"{summary['flight_s']:.2f} s, {summary['flight_arc_error_mm']:.0f} mm off the arc at most"),
            ("foot slide", f"{_shown(summary['foot_slide_mm'], '.1f')} mm"),
            ("penetration", f"{_shown(summary['penetration_mm'], '.1f')} mm"),
            ("greatest torques", ", ".join(f"{name} {size:.0f} N m" for name, size in torques) or "-"),
        ]


def physics_report(
    clip: Clip,
    body: Body | None = None,
    *,
    mu: float = 1.0,
    mass: float | None = None,
    ground: float | Floor | ContactGround | None = None,
    cutoff_hz: float | None = CUTOFF_HZ,
    forces: Floats | None = None,
    scheme: Scheme = "central",
    sides: int = 8,
) -> PhysicsReport:
    """Assess a motion by physics: the forces it needs, whether friction gives them, and whether the feet carry them.

    Parameters
    ----------
    clip : Clip
        Any motion, edited or captured, of three frames or more.
    body : Body, optional
        Its physical model; fitted to the clip by default.
    mu : float
        The coefficient of friction between soles and ground.
    mass : float, optional
        Kilograms, if no body is given.
    ground : float, Floor or ContactGround, optional
        A height in metres, a floor, or uneven ground (:class:`kinetune.HeightField`); by default from the feet.
    cutoff_hz : float, optional
        Smooth the motion below this frequency first. None takes it as it is, which suits a motion that was computed:
        two differentiations turn the noise of a capture into forces.
    forces : array, shape (frames, points, 3), optional
        Contact forces that come with the motion, in newtons, to be checked instead of the best ones.
    scheme : {"central", "euler"}
        Central differences, or those that explicit Euler steps reproduce exactly, for results of the dynamic filter.
    sides : int
        Of the friction pyramid.

    Returns
    -------
    PhysicsReport
        Forces, friction, residual, balance, torques and flights frame by frame; ``as_dict()`` sums them up, and
        ``ranges()`` says where the motion fails and why.

    Notes
    -----
    Required forces are the root's rows of H a + C ([pollard] equation 6).
    Laws: a character that stands needs its weight (``test_laws.py::test_standing_carries_the_weight``); one that falls
    freely needs nothing (``test_free_fall_needs_no_force``).

    Examples
    --------
    >>> from kinetune import sample
    >>> report = physics_report(sample("walk"), mass=70)
    >>> summary = report.as_dict()
    >>> summary["mass_kg"], summary["inside_cone"] > 0.9
    (70.0, True)
    """
    check_friction(mu, sides)
    if cutoff_hz is not None and not cutoff_hz > 0.0:
        raise ParameterError(f"cutoff_hz must be positive, or None to smooth nothing; got {cutoff_hz}.")
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    if len(motion) < 3:
        raise ParameterError(
            f"Physics needs accelerations, and those take three frames; the clip has {len(motion)}"
            f"{' after its T-pose' if first else ''}. Give a longer part of the motion."
        )
    body = Body.fit(clip.skeleton, mass, clip=motion) if body is None else body
    standing = find_ground(motion)
    qpos = body.coordinates(motion)
    if cutoff_hz is not None:
        qpos = smooth_coordinates(qpos, clip.fps, cutoff_hz)
    if ground is None and standing is not None:
        qpos = level_coordinates(qpos, standing.floor)
    under, notes = _ground(body, qpos, ground, standing)
    dynamics = InverseDynamics(body, mu, sides, under, len(clip), first, motion, standing)
    dynamics.run(qpos, scheme, None if forces is None else _checked(forces, len(clip), body)[first:])
    if clip.fps < _COARSE_FPS:
        notes.append(f"At {clip.fps:g} frames a second accelerations are coarse, so peaks are uncertain.")
    notes += pace_notes(dynamics.com[first:, 1], clip.fps)
    if not body.points:
        notes.append("No feet were found, so nothing can touch the ground: every force shows up as residual.")
    elif not dynamics.touch.any():
        notes.append(_aloft(body, qpos, under))
    floor = ground if isinstance(ground, Floor | int | float) else None
    return PhysicsReport(
        clip,
        body,
        mu,
        dynamics.forces,
        dynamics.com,
        dynamics.friction,
        dynamics.residual,
        dynamics.moment,
        dynamics.pressure,
        dynamics.margin,
        dynamics.touch,
        dynamics.contact,
        dynamics.torques,
        dynamics.flights(clip.fps),
        measure(motion, floor=floor),
        tuple(notes),
        None if ground is None else under,
        cutoff_hz,
    )


def _aloft(body: Body, qpos: Floats, ground: ContactGround) -> str:
    """Why nothing touches the ground: it is too low, or nothing rests on it."""
    points = body.point_positions(qpos)
    low = float(np.min(points[..., 1] - ground.height(points)))
    if low < TOUCH_HEIGHT:
        return (
            "Nothing rests on the ground: what comes near it moves past faster than a standing foot. If this character "
            'has feet, give them names such as "LeftFoot"; a motion over moving ground cannot be judged.'
        )
    return (
        f"Nothing touches the ground: the feet stay {100.0 * low:.0f} cm or more above it. "
        "Move the clip onto it, or say where the ground is (ground=, --ground)."
    )


def pace_notes(heights: Floats, fps: float) -> list[str]:
    """A sentence on a motion whose heights (frames,) fall faster than things do; none where nothing says so."""
    fall = fastest_fall(heights, fps)
    if fall < _TOO_FAST * GRAVITY:
        return []
    return [
        f"The centre of mass falls at {fall:.0f} m/s^2, while gravity gives {GRAVITY:.1f}: the motion plays at least "
        f"{np.sqrt(fall / GRAVITY):.1f} times too fast. If it was captured at {0.5 * fps:g} frames a second and is "
        f"labelled {fps:g}, read it with fps={0.5 * fps:g} (--fps-in {0.5 * fps:g})."
    ]


def _ground(
    body: Body, qpos: Floats, given: float | Floor | ContactGround | None, standing: Standing | None
) -> tuple[ContactGround, list[str]]:
    """What the figure stands on: as given, as its feet show, or under its lowest points."""
    if given is not None:
        return as_ground(given), []
    if standing is not None:
        tilted = " The motion was tilted level." if standing.floor.lean_deg > 0.1 else ""
        return as_ground(standing.floor.height), [standing.floor.description + tilted]
    if not body.points:
        return as_ground(0.0), []
    level = float(np.percentile(body.point_positions(qpos)[..., 1].min(axis=1), 5.0))
    return as_ground(level), [f"The ground was taken to lie at {100.0 * level:.0f} cm, under the lowest ends."]


def _checked(forces: Floats, frames: int, body: Body) -> Floats:
    values = np.asarray(forces, dtype=float)
    if values.shape != (frames, len(body.points), 3) or not np.isfinite(values).all():
        raise ParameterError(
            f"forces must be finite newtons of shape ({frames}, {len(body.points)}, 3): one force for each contact "
            f"point of the body in each frame; got {values.shape}."
        )
    return values


def _top(values: Floats) -> float | None:
    return None if len(values) == 0 or np.isnan(values).all() else float(np.nanmax(values))


def _mean(values: Floats) -> float | None:
    return None if np.isnan(values).all() else float(np.nanmean(values))


def _share(values: Floats, percent: float) -> float | None:
    return None if len(values) == 0 else float(np.percentile(values, percent))


def _pressure_text(summary: dict[str, Any]) -> str:
    """How the centre of pressure lies to the feet; one frame of a kick is far outside in captures, too."""
    margin, frames = summary["pressure_margin_mm"], summary["pressure_outside"]
    if margin is None:
        return "-"
    if not frames:
        return f"{_length(margin)} inside the feet or more"
    mean = _length(summary["pressure_outside_mean_mm"])
    return f"outside the feet in {frames} frames, by {mean} on average and {_length(-margin)} in the worst of them"


def _length(size_mm: float) -> str:
    return f"{size_mm:.0f} mm" if size_mm < 100.0 else f"{0.1 * size_mm:.0f} cm"


def _shown(value: float | None, how: str) -> str:
    return "-" if value is None else format(value, how)
