"""The physics report card of a clip: could a body with this mass on this ground have moved so?

==================  =====================================================================================
physics_report      judges a clip
PhysicsReport       the answer, frame by frame and as a summary
==================  =====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, find_ground
from kinetune.body.feet.floor import Ground as Standing
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.quality.measures import measure
from kinetune.errors import ParameterError
from kinetune.physics.equations_of_motion import levelled
from kinetune.physics.ground import TOUCH_HEIGHT, Bools, Ground, as_ground, check_friction
from kinetune.physics.inverse_dynamics import LOADED, Judge, Scheme, fastest_fall, runs
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth

CUTOFF_HZ = 8.0
"""Captures are smoothed below this before they are judged: accelerations of noise are not the actor's."""
_COARSE_FPS = 24.0
_TOO_FAST = 1.6  # times gravity


@dataclass(frozen=True, eq=False)
class PhysicsReport:
    """What a motion asks of body and ground. Frames that cannot be judged (the first, the last, a T-pose) are NaN.

    Parameters
    ----------
    clip, body, mu : what was judged: the motion, its model, and the friction.
    forces : (frames, 3) newtons that the ground must give in all. com : (frames, 3) the centre of mass in metres.
    friction : (frames,) the coefficient of friction that this takes; inf where the ground would have to pull, NaN in
        flight and where next to no force is needed.
    residual, residual_moment : (frames,) what no contact force within friction can give, in body weights, and in
        body weights times height.
    pressure : (frames, 3) the centre of pressure. margin : (frames,) metres from it to the edge of the support,
        negative outside.
    touching : (frames, points) which contact points touch. contact_forces : (frames, points, 3) newtons at each.
    torques : (frames, segments, 3) newton metres at each joint, in the axes of its segment; the root's are zero.
    flights : (first, last frame, largest distance from a ballistic arc in metres) of each time without contact.
    measures : of :func:`kinetune.body.quality.measures.measure`. notes : sentences on what was assumed.

    Examples
    --------
    >>> from kinetune import physics_report, sample
    >>> report = physics_report(sample("walk"), mu=0.05)
    >>> report.ranges()[0]["why"]
    'needs more friction than there is'
    """

    clip: Clip = field(repr=False)
    body: Body = field(repr=False)
    mu: float
    forces: Floats = field(repr=False)
    com: Floats = field(repr=False)
    friction: Floats = field(repr=False)
    residual: Floats = field(repr=False)
    residual_moment: Floats = field(repr=False)
    pressure: Floats = field(repr=False)
    margin: Floats = field(repr=False)
    touching: Bools = field(repr=False)
    contact_forces: Floats = field(repr=False)
    torques: Floats = field(repr=False)
    flights: tuple[tuple[int, int, float], ...]
    measures: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

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
        found = []
        aloft = self.outside & ~self.touching.any(axis=1)
        for name, flags, values in (
            ("needs a force while nothing touches the ground", aloft, self.residual),
            ("needs more friction than there is", self.outside & ~aloft & (self.friction < np.inf), self.friction),
            ("would have to be pulled by the ground", self.outside & ~aloft & np.isinf(self.friction), self.residual),
        ):
            for start, stop in runs(flags):
                worst = float(np.nanmax(values[start:stop]))
                unit = "mu" if values is self.friction else "body weights"
                found.append({"first": start, "last": stop - 1, "why": name, "worst": worst, "unit": unit})
        return sorted(found, key=lambda item: item["first"])

    def as_dict(self) -> dict[str, Any]:
        """The summary as a JSON-ready mapping; what cannot be told is None."""
        loaded, supported = self.loaded, self.loaded & self.touching.any(axis=1)
        needed = self.friction[supported & np.isfinite(self.friction)]
        size = np.linalg.norm(self.torques, axis=2)
        peaks = np.nanmax(size, axis=0) if self.judged.any() else np.zeros(size.shape[1])
        order = [k for k in np.argsort(-peaks).tolist() if k > 0]
        return {
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
            "flight_s": sum(last - first + 1 for first, last, _ in self.flights) / self.clip.fps,
            "flight_arc_error_mm": 1e3 * max((error for _, _, error in self.flights), default=0.0),
            "fastest_fall": fastest_fall(self.com[np.isfinite(self.com[:, 1]), 1], self.clip.fps),
            "foot_slide_mm": self.measures["foot_slide_mm"],
            "penetration_mm": self.measures["penetration_mm"],
            "torque_peak_nm": {self.body.segments[k].name: float(peaks[k]) for k in order},
            "ranges": self.ranges(),
            "notes": [*self.body.notes, *self.notes],
        }

    def rows(self) -> list[tuple[str, str]]:
        """The summary as a table: what, and how much."""
        told = self.as_dict()
        torques = list(told["torque_peak_nm"].items())[:4]
        share = told["inside_cone"]
        return [
            ("body", f"{told['mass_kg']:.1f} kg, {told['height_m']:.2f} m, {len(self.body.segments)} segments"),
            (
                "friction needed",
                f"{told['friction_needed']:.2f} at most, {told['friction_needed_usual']:.2f} in 19 of 20 frames"
                if told["friction_needed"] is not None
                else "-",
            ),
            (
                "inside the cone",
                f"{_shown(None if share is None else 100.0 * share, '.1f')} % of {told['frames_loaded']} "
                f"loaded frames at mu = {self.mu:g}",
            ),
            (
                "root residual",
                f"{_shown(told['root_residual_bw'], '.3g')} body weights at most, "
                f"{_shown(told['root_residual_mean_bw'], '.3g')} in the mean",
            ),
            ("greatest force", f"{_shown(told['force_peak_bw'], '.2f')} body weights"),
            (
                "centre of pressure",
                f"{_margin(told['pressure_margin_mm'])} the feet at worst, outside in {told['pressure_outside']} frames"
                if told["pressure_margin_mm"] is not None
                else "-",
            ),
            ("flight", f"{told['flight_s']:.2f} s, {told['flight_arc_error_mm']:.0f} mm off the arc at most"),
            ("foot slide", f"{_shown(told['foot_slide_mm'], '.1f')} mm"),
            ("penetration", f"{_shown(told['penetration_mm'], '.1f')} mm"),
            ("greatest torques", ", ".join(f"{name} {size:.0f} N m" for name, size in torques) or "-"),
        ]


def physics_report(
    clip: Clip,
    body: Body | None = None,
    *,
    mu: float = 1.0,
    mass: float | None = None,
    ground: float | Floor | Ground | None = None,
    cutoff_hz: float | None = CUTOFF_HZ,
    forces: Floats | None = None,
    scheme: Scheme = "central",
    sides: int = 8,
) -> PhysicsReport:
    """Judge a motion by physics: the forces it needs, whether friction gives them, and whether the feet carry them.

    Parameters
    ----------
    clip : any motion, edited or captured, of three frames or more.
    body : its physical model; fitted to the clip when left out.
    mu : the coefficient of friction between soles and ground.
    mass : kilograms, when no body is given.
    ground : a height in metres, a floor, or uneven ground (:class:`kinetune.physics.ground.HeightField`); found
        from the feet when left out.
    cutoff_hz : smooth the motion below this frequency first. None judges it as it is, which suits a motion that was
        computed: two differentiations make forces out of the noise of a capture.
    forces : (frames, points, 3) contact forces that come with the motion, in newtons, to be checked instead of the
        best ones that can be found.
    scheme : "central" differences, or "euler": those that explicit Euler steps reproduce exactly, for the result of
        the dynamic filter.
    sides : of the friction pyramid.

    Returns
    -------
    PhysicsReport
        Forces, friction, residual, balance, torques and flights frame by frame; ``as_dict()`` sums them up, and
        ``ranges()`` says where the motion fails and why.

    Notes
    -----
    Required forces are the root's rows of H a + C ([pollard] equation 6).
    Laws: a figure that stands needs its weight (``test_laws.py::test_standing_carries_the_weight``); one that falls
    freely needs nothing (``test_free_fall_needs_no_force``).

    Examples
    --------
    >>> from kinetune import sample
    >>> report = physics_report(sample("walk"), mass=70)
    >>> told = report.as_dict()
    >>> told["mass_kg"], told["inside_cone"] > 0.9
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
        qpos = smoothed(qpos, clip.fps, cutoff_hz)
    if ground is None and standing is not None:
        qpos = levelled(qpos, standing.floor)
    under, notes = _ground(body, qpos, ground, standing)
    judge = Judge(body, mu, sides, under, len(clip), first, motion, standing)
    judge.run(qpos, scheme, None if forces is None else _checked(forces, len(clip), body)[first:])
    if clip.fps < _COARSE_FPS:
        notes.append(f"At {clip.fps:g} frames a second accelerations are coarse: take peaks with care.")
    notes += pace_notes(judge.com[first:, 1], clip.fps)
    if not body.points:
        notes.append("No feet were found, so that nothing can touch the ground: every force shows up as residual.")
    elif not judge.touch.any():
        notes.append(_aloft(body, qpos, under))
    floor = ground if isinstance(ground, Floor | int | float) else None
    return PhysicsReport(
        clip,
        body,
        mu,
        judge.forces,
        judge.com,
        judge.friction,
        judge.residual,
        judge.moment,
        judge.pressure,
        judge.margin,
        judge.touch,
        judge.contact,
        judge.torques,
        judge.flights(clip.fps),
        measure(motion, floor=floor),
        tuple(notes),
    )


def _aloft(body: Body, qpos: Floats, ground: Ground) -> str:
    """Why nothing touches the ground: it is too low, or nothing rests on it."""
    points = body.point_positions(qpos)
    low = float(np.min(points[..., 1] - ground.height(points)))
    if low < TOUCH_HEIGHT:
        return (
            "Nothing rests on the ground: what comes near it moves by faster than a foot that stands. If this figure "
            'has feet, give them names such as "LeftFoot"; if the ground moves along, it cannot be judged.'
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
        f"The centre of mass falls with {fall:.0f} m/s^2, where gravity gives {GRAVITY:.1f}: the motion plays at least "
        f"{np.sqrt(fall / GRAVITY):.1f} times too fast. If it was captured at {0.5 * fps:g} frames a second and is "
        f"labelled {fps:g}, read it with fps={0.5 * fps:g} (--fps-in {0.5 * fps:g})."
    ]


def smoothed(qpos: Floats, fps: float, cutoff_hz: float) -> Floats:
    """Coordinates (frames, nq) without what is faster than a cutoff, rotations unit again."""
    smooth = butterworth(qpos, fps, cutoff_hz)
    for at in range(3, smooth.shape[1], 4):
        smooth[:, at : at + 4] = rot.normalize(smooth[:, at : at + 4])
    return smooth


def _ground(
    body: Body, qpos: Floats, given: float | Floor | Ground | None, standing: Standing | None
) -> tuple[Ground, list[str]]:
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


def _margin(value: float) -> str:
    return f"{abs(value):.0f} mm {'inside' if value >= 0.0 else 'outside'}"


def _shown(value: float | None, how: str) -> str:
    return "-" if value is None else format(value, how)
