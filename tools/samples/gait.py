"""Walking and running: measured gait curves, footholds planned ahead, feet that do not slide.

The body follows Fourier series of real gait (:mod:`tools.samples.gait_series`), changed by a :class:`Style`.
Footholds are planned first, with the small irregularities of a real walk; the legs then reach for them by inverse
kinematics, so that the feet stay where they stand. Phase counts gait cycles: the right foot strikes at whole numbers,
the left foot half a cycle later.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tools.samples.acting import Acting, Arm, Foot, Turn
from tools.samples.balance import hips_shift
from tools.samples.curves import Path, spline, state
from tools.samples.feet import STRAIGHTEST, Stance, Swing, walk_foot
from tools.samples.figure import HIP_HALF_WIDTH, LEG, SHANK, SIDES, THIGH, side_sign
from tools.samples.gait_series import WALK, Series, evaluate, swing_of

from kinetune import rotations as rot
from kinetune.body.clip import Marker
from kinetune.rotations import Floats

_MARGIN = 4  # footholds planned before the first frame and after the last


@dataclass(frozen=True)
class Style:
    """How someone walks. Numbers without a unit multiply what a normal walk does.

    cadence : steps a minute. step, width : metres. toe_out : degrees.
    natural_step : metres, the step to which the series belong; the thighs swing in proportion.
    flat, rise, leave : phases at which a foot is flat, lifts its heel and leaves the floor.
    bounce, sway, surge : the hips up and down, sideways, and ahead and behind of constant speed.
    crouch : metres by which the hips stay lower than the straightest legs allow.
    lean, head_pitch, pelvis_tilt, elbow, flexion, abduction, rotation, pronation : mean angles in degrees.
    thigh_lift, knee_lift : degrees added in the middle of the swing. swing_knee : scale of the whole knee curve.
    strike_pitch : degrees added to the foot's pitch at the strike.
    push : degrees by which the heel rises ahead of the measured curve, which keeps the hips high.
    behind : metres by which the hips stay behind the place where the stance leg fits the measured curves best.
    early : cycles by which the leg curves lead, so that the foot has come to rest when it strikes.
    arm_late, twist_late : cycles by which arms and shoulders lag behind.
    vary_time, vary_step, vary_width : relative scatter from step to step, by ``seed``.
    """

    series: Mapping[str, Series] = field(default_factory=lambda: WALK)
    cadence: float = 108.0
    step: float = 0.68
    natural_step: float = 0.733 * LEG
    width: float = 0.09
    toe_out: float = 6.0
    flat: float = 0.09
    rise: float = 0.30
    leave: float = 0.605
    bounce: float = 1.0
    sway: float = 1.0
    surge: float = 0.65
    crouch: float = 0.0
    pelvis_tilt: float = 3.0
    pelvis_rotation: float = 1.0
    obliquity: float = 1.0
    lean: float = 3.0
    lean_swing: float = 1.0
    sideways: float = 1.0
    twist: float = 1.0
    twist_late: float = 0.0
    head_pitch: float = 3.0
    head_swing: float = 1.0
    arm_swing: float = 1.0
    arm_late: float = 0.0
    flexion: float = 0.0
    abduction: float = 6.0
    elbow: float = 26.0
    elbow_swing: float = 1.0
    rotation: float = 4.0
    pronation: float = 20.0
    shrug: float = 0.0
    protraction: float = 0.0
    thigh_lift: float = 0.0
    knee_lift: float = 0.0
    lift_at: float = 0.80
    foot_pitch: float = 1.0
    strike_pitch: float = 0.0
    push: float = 7.0
    early: float = 0.016
    behind: float = 0.006
    vary_time: float = 0.022
    vary_step: float = 0.03
    vary_width: float = 0.18
    seed: int = 1


def around(phase: Floats, centre: float, sharpness: float) -> Floats:
    """A smooth bump that returns every cycle: 1 at ``centre``, the narrower the sharper."""
    return np.exp(sharpness * (np.cos(2 * np.pi * (phase - centre)) - 1.0))


class Gait:
    """A walk of some cycles in a style: where the feet go and what the body does, as functions of the phase."""

    def __init__(self, style: Style, cycles: int) -> None:
        self.style = style
        self.cycles = cycles
        self.steps = np.arange(-_MARGIN, 2 * cycles + _MARGIN + 1)
        self.sides = np.where(self.steps % 2 == 0, -1.0, 1.0)
        rng = np.random.default_rng(style.seed)
        self.strike_times = self.plan_times(rng)
        self.foot_x, self.foot_z, self.foot_yaw = self.plan_feet(rng)
        self.foot_z -= self.foot_z[_MARGIN]
        feet = np.stack([self.foot_x, self.foot_z], axis=-1)
        self._middle = spline(0.5 * self.steps[1:], 0.5 * (feet[1:] + feet[:-1]))
        self._ahead = 0.0
        self._shift: Path = lambda phase: np.zeros((len(phase), 3))
        self._height: Path = _level
        self._fit()

    def plan_times(self, rng: np.random.Generator) -> Floats:
        """When each foot strikes, in seconds; the first strike of the clip at 0."""
        scatter = self.style.vary_time * rng.standard_normal(len(self.steps))
        times = np.cumsum(60.0 / self.style.cadence * (1.0 + scatter))
        return np.asarray(times - times[_MARGIN])

    def plan_feet(self, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """Where each foot strikes: x and z in metres, yaw in degrees."""
        style, count = self.style, len(self.steps)
        lengths = style.step * (1.0 + style.vary_step * rng.standard_normal(count))
        lateral = style.width * (0.5 + 0.5 * style.vary_width * rng.standard_normal(count))
        yaw = style.toe_out + 0.8 * rng.standard_normal(count)
        return self.sides * lateral, np.cumsum(lengths), self.sides * yaw

    def phase(self, times: Floats) -> Floats:
        """Gait cycles since the first strike of the right foot."""
        return spline(self.strike_times, 0.5 * self.steps)(times)

    def curve(self, name: str, phase: Floats) -> Floats:
        """A measured curve, without its mean."""
        return swing_of(self.style.series[name], phase)

    def hips(self, phase: Floats) -> Floats:
        """Where the middle of the hips is, (n, 3)."""
        style = self.style
        centre_x, middle_z = self._middle(phase).T
        x = centre_x - style.sway * LEG * self.curve("right", phase)
        y = self._height(phase) + style.bounce * LEG * self.curve("up", phase)
        z = middle_z + self._ahead + style.surge * LEG * self.curve("ahead", phase)
        return np.stack([x, y, z], axis=-1) + self._shift(phase)

    def pelvis(self, phase: Floats) -> Turn:
        """How the pelvis is turned."""
        style = self.style
        return Turn(
            yaw=style.pelvis_rotation * self.curve("pelvis rotation", phase),
            pitch=style.pelvis_tilt + self.curve("pelvis tilt", phase),
            roll=-style.obliquity * self.curve("pelvis obliquity", phase),
        )

    def hip_joint(self, side: str, phase: Floats) -> Floats:
        """Where a hip joint is, (n, 3)."""
        turned = self.pelvis(phase).quaternions(len(phase))
        return self.hips(phase) + rot.rotate(turned, np.array([side_sign(side) * HIP_HALF_WIDTH, 0.0, 0.0]))

    def foot_pitch(self, limb_phase: Floats) -> Floats:
        """Degrees, + toes up, of a foot in the air; the phase counts from this foot's strike."""
        pitch = self.style.foot_pitch * evaluate(self.style.series["foot pitch"], limb_phase + self.style.early)
        return pitch + self.style.strike_pitch * around(limb_phase, 0.97, 5.0)

    def free_ankle(self, side: str, phase: Floats) -> Floats:
        """Where the measured leg curves put the ankle, (n, 3), if nothing held it to the floor."""
        style = self.style
        limb = phase - (0.5 if side == "Left" else 0.0) + style.early
        lift = around(limb, style.lift_at, 3.0)
        thigh = style.series["thigh"][0][0] + style.step / style.natural_step * self.curve("thigh", limb)
        thigh = np.radians(thigh + style.thigh_lift * lift)
        knee = np.radians(evaluate(style.series["knee"], limb) + style.knee_lift * lift)
        down = np.stack([0 * phase, -np.cos(thigh), np.sin(thigh)], axis=-1) * THIGH
        down += np.stack([0 * phase, -np.cos(knee - thigh), -np.sin(knee - thigh)], axis=-1) * SHANK
        return np.asarray((self.hip_joint(side, phase) + down) * [0.0, 1.0, 1.0])

    def stances(self, side: str) -> list[Stance]:
        """The footholds of one foot, timed by phase."""
        style = self.style
        landing = state(self.foot_pitch, 0.0, 0.01)
        leaving = state(self.foot_pitch, style.leave, 0.01)
        stances = []
        for index, step in enumerate(self.steps):
            if (step % 2 == 0) == (side == "Right"):
                start = 0.5 * step
                stances.append(
                    Stance(
                        self.foot_x[index], self.foot_z[index], self.foot_yaw[index],
                        start, start + style.flat, start + style.rise, start + style.leave,
                        _triple(landing), _triple(leaving), style.push,
                    )
                )  # fmt: skip
        return stances

    def foot(self, side: str, phase: Floats) -> Foot:
        """One foot on its footholds."""
        late = 0.5 if side == "Left" else 0.0
        swing = Swing(
            ankle=lambda t: self.free_ankle(side, t),
            pitch=lambda t: self.foot_pitch(t - late),
            hip=lambda t: self.hip_joint(side, t),
        )
        return walk_foot(phase, self.stances(side), swing)

    def arm(self, side: str, phase: Floats) -> Arm:
        """One arm, which swings against its leg."""
        style = self.style
        limb = phase - (0.5 if side == "Left" else 0.0) - style.arm_late
        flexion = style.arm_swing * self.curve("shoulder flexion", limb)
        later = style.arm_swing * self.curve("shoulder flexion", limb - 0.06)
        elbow = style.elbow + style.elbow_swing * self.curve("elbow", limb)
        inwards = self.curve("forearm inwards", limb) if "forearm inwards" in style.series else 0.0
        return Arm(
            flexion=style.flexion + flexion,
            abduction=style.abduction + np.sqrt(style.arm_swing) * self.curve("shoulder abduction", limb),
            rotation=style.rotation + np.sqrt(style.elbow_swing) * inwards,
            elbow=elbow,
            pronation=style.pronation,
            wrist=8.0 + 0.35 * (later - flexion),
            elevation=style.shrug,
            protraction=style.protraction + 0.12 * flexion,
        )

    def acting(self, phase: Floats, fps: float) -> Acting:
        """All of it at given phases."""
        style = self.style
        late = phase - style.twist_late
        chest = Turn(
            yaw=style.twist * self.curve("shoulder rotation", late),
            pitch=style.lean + style.lean_swing * self.curve("trunk lean", phase),
            roll=style.sideways * self._chest_roll(late),
        )
        head = Turn(pitch=style.head_pitch)
        if "head pitch" in style.series:
            head.yaw = style.head_swing * self.curve("head yaw", phase)
            head.pitch = style.head_pitch + style.head_swing * self.curve("head pitch", phase)
            head.roll = style.head_swing * self.curve("head roll", phase)
        return Acting(
            fps,
            self.hips(phase),
            left_foot=self.foot("Left", phase),
            right_foot=self.foot("Right", phase),
            pelvis=self.pelvis(phase),
            chest=chest,
            head=head,
            left_arm=self.arm("Left", phase),
            right_arm=self.arm("Right", phase),
        )

    def _chest_roll(self, phase: Floats) -> Floats:
        roll = 0.5 * self.curve("trunk sideways", phase)
        if "shoulder obliquity" in self.style.series:
            roll = roll - 0.5 * self.curve("shoulder obliquity", phase)
        return roll

    def _fit(self) -> None:
        """Place the hips over the feet, where standing legs fit best."""
        self._ahead = self._best_ahead() - self.style.behind
        self._fit_height()

    def _fit_height(self) -> None:
        """Place the hips as high as no leg is overstretched."""
        self._height = _level
        # The legs are longest when a foot strikes and the other is about to leave: there the height is adjusted.
        phase, step, room = self._room()
        heights = np.full(len(self.steps), LEG)
        worst = np.full(len(self.steps), np.inf)
        np.minimum.at(worst, step, room)
        heights += np.quantile(worst, 0.7) - self.style.crouch
        for _ in range(6):
            self._height = spline(0.5 * self.steps - 0.05, heights)
            worst = np.full(len(self.steps), np.inf)
            np.minimum.at(worst, step, room - self.style.crouch - (self._height(phase) - LEG))
            heights += np.minimum(worst, 0.0)

    def settle(self, fps: float, rounds: int = 2) -> None:
        """Move the hips a little until the weight could be carried by the feet (:mod:`tools.samples.balance`)."""
        margin = 0.8
        times = np.arange(-margin, self.strike_times[-1 - _MARGIN] + margin, 1.0 / fps)
        phase = self.phase(times)
        total = np.zeros((len(times), 3))
        for _ in range(rounds):
            total += hips_shift(self.acting(phase, fps).clip())
            curve = spline(phase[::3], total[::3])
            self._shift = functools.partial(_held, curve, (phase[0], phase[-3]))
            self._fit_height()

    def _best_ahead(self) -> float:
        """How far the hips are ahead of the middle of the feet when a flat foot is where the measured curves put it."""
        stance = self.stances("Right")[_MARGIN // 2]
        flat = np.linspace(stance.flat, stance.rise, 40)
        return float(np.mean(stance.z - self.free_ankle("Right", flat)[:, 2]))

    def _room(self) -> tuple[Floats, NDArray[np.intp], Floats]:
        """By how many metres the hips may rise above LEG until a standing leg is as straight as it may be.

        Returns phases, the index of the strike that each belongs to, and the room there.
        """
        phases, owners, rooms = [], [], []
        for side in SIDES:
            for stance in self.stances(side):
                phase = np.linspace(stance.strike, stance.leave, 24)
                away = self.hip_joint(side, phase) - stance.ankle(phase)
                across = np.sum(away[:, [0, 2]] ** 2, axis=-1)
                phases.append(phase)
                rooms.append(np.sqrt(np.maximum(STRAIGHTEST**2 - across, 0.01)) - away[:, 1])
                owners.append(round(2 * stance.strike) + _MARGIN + (np.arange(24) >= 10))
        owner = np.minimum(np.concatenate(owners), len(self.steps) - 1)
        return np.concatenate(phases), owner, np.concatenate(rooms)

    def markers(self, times: Floats) -> tuple[Marker, ...]:
        """The strikes that fall into the clip."""
        markers = []
        half = 0.5 * (times[1] - times[0])
        for step, when in zip(self.steps, self.strike_times, strict=True):
            if times[0] - half <= when <= times[-1] + half:
                side = "right" if step % 2 == 0 else "left"
                frame = int(np.argmin(np.abs(times - when)))
                markers.append(Marker(frame, f"{side} heel strike"))
        return tuple(markers)


def _held(curve: Path, span: tuple[float, float], phase: Floats) -> Floats:
    """A curve that keeps its end values outside its span."""
    return curve(np.clip(phase, *span))


def _level(phase: Floats) -> Floats:
    return np.full(len(phase), LEG)


def _triple(values: Floats) -> tuple[float, float, float]:
    a, b, c = values.tolist()
    return a, b, c
