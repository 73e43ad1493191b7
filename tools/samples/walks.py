"""Walks in five moods, each at its own pace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tools.samples.acting import Acting, Arm, Turn
from tools.samples.curves import Path, drift, spline
from tools.samples.gait import Gait, Style

from kinetune.body.clip import Clip
from kinetune.rotations import Floats

FPS = 60.0

NEUTRAL = Style()

HAPPY = Style(
    cadence=119.0, step=0.73, width=0.085, toe_out=7.0, bounce=1.45, push=13.0, behind=0.03, thigh_lift=5.0,
    knee_lift=7.0, pelvis_tilt=2.0, pelvis_rotation=1.25, obliquity=1.4, lean=-2.0, lean_swing=1.5, sideways=2.2,
    twist=1.7, head_pitch=-5.0, head_swing=2.0, arm_swing=1.8, flexion=2.0, abduction=9.0, elbow=34.0, elbow_swing=1.5,
    shrug=3.0, seed=2,
)  # fmt: skip

SAD = Style(
    cadence=87.0, step=0.55, width=0.085, toe_out=8.0, flat=0.12, rise=0.30, leave=0.635, bounce=0.6, sway=1.2,
    crouch=0.006, push=7.0, thigh_lift=-3.0, knee_lift=-4.0, strike_pitch=-8.0, foot_pitch=0.80, pelvis_tilt=-2.0,
    pelvis_rotation=0.8, obliquity=0.7, lean=12.0, lean_swing=1.3, sideways=0.7, twist=0.6, head_pitch=32.0,
    head_swing=1.6, arm_swing=0.5, arm_late=0.03, flexion=5.0, abduction=3.0, elbow=19.0, elbow_swing=0.4,
    pronation=34.0, shrug=-4.0, protraction=13.0, seed=3,
)  # fmt: skip

MARCH = Style(
    cadence=114.0, step=0.60, width=0.06, toe_out=4.0, flat=0.06, bounce=1.1, sway=0.9, push=9.0, thigh_lift=58.0,
    knee_lift=44.0, strike_pitch=-17.0, pelvis_tilt=1.0, pelvis_rotation=1.4, lean=-3.0, sideways=0.9, twist=1.3,
    head_pitch=-3.0, head_swing=0.6, arm_swing=3.3, flexion=6.0, abduction=5.0, elbow=34.0, elbow_swing=0.9,
    pronation=12.0, shrug=4.0, protraction=-5.0, vary_time=0.008, vary_step=0.012, vary_width=0.08, seed=4,
)  # fmt: skip

STAGGER = Style(
    cadence=86.0, step=0.50, width=0.11, toe_out=9.0, flat=0.11, leave=0.64, bounce=0.9, sway=0.8, crouch=0.004,
    push=8.0, strike_pitch=-8.0, foot_pitch=0.9, knee_lift=2.0, pelvis_rotation=1.5, lean=6.0, lean_swing=1.5,
    sideways=1.5, twist=1.4, twist_late=0.07, head_pitch=13.0, arm_swing=0.8, arm_late=0.04, flexion=4.0,
    abduction=18.0, elbow=34.0, elbow_swing=1.1, pronation=25.0, vary_time=0.13, vary_step=0.24, vary_width=0.2,
    seed=14,
)  # fmt: skip


class Stagger(Gait):
    """A drunken walk: the body leans, slowly and without a plan, and the feet are put where it is about to fall.

    Now and then a quick step catches a fall, and a pause collects what is left of the balance.
    """

    lean_m = 0.085
    catch_steps = (5, 11)
    pauses = (8,)

    def tumble(self, phase: Floats) -> Floats:
        """How far the body has drifted to the left, in metres, slowly."""
        return self.lean_m * drift(phase, self.style.seed, 0.12, 0.42)

    def plan_times(self, rng: np.random.Generator) -> Floats:
        """Uneven steps, quick ones and pauses; the pace itself changes smoothly."""
        durations = 60.0 / self.style.cadence * (1.0 + self.style.vary_time * rng.standard_normal(len(self.steps)))
        first = int(np.flatnonzero(self.steps == 0)[0])
        durations[[first + k for k in self.catch_steps]] *= 0.62
        durations[[first + k for k in self.pauses]] += 0.42
        grid = np.arange(0.0, durations.sum(), 1 / 240)
        edges = np.cumsum(durations)
        rate = 0.5 / durations[np.minimum(np.searchsorted(edges, grid), len(durations) - 1)]
        window = np.hanning(75)
        padded = np.pad(rate, 37, mode="edge")
        rate = np.convolve(padded, window / window.sum(), mode="valid")
        phase = np.concatenate([[0.0], np.cumsum(rate) / 240])[:-1] + 0.5 * self.steps[0]
        start = float(np.interp(0.0, phase, grid))
        self._clock: Path = spline(grid[::12] - start, phase[::12])
        return np.interp(0.5 * self.steps, phase, grid) - start

    def phase(self, times: Floats) -> Floats:
        """Gait cycles since the first strike of the right foot."""
        return self._clock(times)

    def plan_feet(self, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """Each foot goes under the place to which the body is drifting."""
        _, z, _ = super().plan_feet(rng)
        lengths = np.clip(np.diff(z, prepend=z[0] - self.style.step), 0.24, 0.72)
        soon = 0.5 * self.steps + 0.2
        width = self.style.width * (1.0 + self.style.vary_width * rng.standard_normal(len(self.steps)))
        x = 1.15 * self.tumble(soon) + self.sides * 0.5 * width
        yaw = self.sides * self.style.toe_out + 22.0 * (self.tumble(soon + 0.1) - self.tumble(soon - 0.1)) / self.lean_m
        return x, np.cumsum(lengths), yaw + 4.0 * rng.standard_normal(len(self.steps))

    def hips(self, phase: Floats) -> Floats:
        """The hips drift with the body, ahead of the feet."""
        hips = super().hips(phase)
        hips[:, 0] += self.tumble(phase + 0.05) - self._middle(phase)[:, 0]
        return hips

    def pelvis(self, phase: Floats) -> Turn:
        """The pelvis turns where the walk drifts."""
        turn = super().pelvis(phase)
        turn.yaw = turn.yaw + 9.0 * drift(phase, self.style.seed + 1, 0.1, 0.3)
        turn.roll = turn.roll - 30.0 * self.tumble(phase + 0.1)
        return turn

    def arm(self, side: str, phase: Floats) -> Arm:
        """Arms spread for balance when the body tips fast, each in its own way."""
        arm = super().arm(side, phase)
        own = self.style.seed + (2 if side == "Left" else 3)
        tipping = np.abs(self.tumble(phase + 0.06) - self.tumble(phase - 0.06)) / self.lean_m
        tipping = np.convolve(np.pad(tipping, 20, mode="edge"), np.hanning(41) / 20.0, mode="valid")
        arm.abduction = arm.abduction + 30.0 * tipping + 5.0 * drift(phase, own, 0.2, 0.5)
        arm.elbow = arm.elbow + 9.0 * drift(phase, own + 2, 0.2, 0.6)
        arm.flexion = arm.flexion + 5.0 * drift(phase, own + 4, 0.2, 0.5)
        return arm

    def acting(self, phase: Floats, fps: float) -> Acting:
        """The trunk leads and the head follows late."""
        acting = super().acting(phase, fps)
        seed = self.style.seed
        leaning = -85.0 * self.tumble(phase + 0.15)
        acting.chest.roll = acting.chest.roll + leaning + 2.5 * drift(phase, seed + 10, 0.2, 0.5)
        acting.chest.pitch = acting.chest.pitch + 4.0 * drift(phase, seed + 11, 0.2, 0.45)
        acting.chest.yaw = acting.chest.yaw + 10.0 * drift(phase, seed + 1, 0.1, 0.3)
        acting.head.roll = acting.head.roll - 110.0 * self.tumble(phase - 0.15)
        acting.head.pitch = acting.head.pitch + 7.0 * drift(phase - 0.25, seed + 11, 0.2, 0.45)
        acting.head.yaw = acting.head.yaw + 12.0 * drift(phase - 0.2, seed + 1, 0.1, 0.3)
        return acting


def walk(gait: Gait) -> Clip:
    """The clip of a walk, from a strike of the right foot to another one some cycles later."""
    gait.settle(FPS)
    times = np.arange(round(gait.strike_times[gait.steps == 2 * gait.cycles][0] * FPS) + 1) / FPS
    acting = gait.acting(gait.phase(times), FPS)
    return replace(acting, markers=gait.markers(times)).clip()


def neutral() -> Clip:
    """A normal walk: 1.2 m/s."""
    return walk(Gait(NEUTRAL, 6))


def happy() -> Clip:
    """A bouncy walk with the chest up and swinging arms."""
    return walk(Gait(HAPPY, 6))


def sad() -> Clip:
    """A slow walk, head down, shoulders forward, feet hardly lifted."""
    return walk(Gait(SAD, 5))


def march() -> Clip:
    """A parade: high knees, straight back, arms up to the chest."""
    return walk(Gait(MARCH, 6))


def stagger() -> Clip:
    """A drunken walk along a wavering line."""
    return walk(Stagger(STAGGER, 7))
