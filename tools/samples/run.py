"""A jog at 3 m/s whose body flies as bodies fly.

The measured hips are a guide only: while no foot stands, the centre of mass must follow free fall and move on at
constant speed, and while a foot stands, the floor must push it just enough. So the path of the centre of mass is
computed from plausible forces, and the hips are moved until the figure's centre of mass follows it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tools.samples.acting import Acting
from tools.samples.curves import cyclic_spline
from tools.samples.figure import centre_of_mass
from tools.samples.gait import Gait, Style
from tools.samples.gait_series import RUN
from tools.samples.walks import FPS

from kinetune.body.clip import Clip
from kinetune.rotations import Floats

GRAVITY = 9.81

JOG = Style(
    series=RUN, cadence=170.0, step=1.05, natural_step=1.25, width=0.045, toe_out=5.0, flat=0.05, rise=0.06, leave=0.32,
    push=14.0, early=0.0, behind=0.04, crouch=-0.016, pelvis_tilt=6.0, lean=9.0, lean_swing=0.6, twist=1.0,
    head_pitch=2.0, flexion=-10.0, abduction=12.0, elbow=98.0, rotation=22.0, pronation=30.0,
    vary_time=0.0, vary_step=0.0, vary_width=0.0, seed=5,
)  # fmt: skip

_SAMPLES = 128  # of one cycle, when the forces are integrated
_BRAKING = 2.6  # m/s², the largest deceleration in the first half of a stance; the second half gives it back
_INWARDS = 0.9  # m/s², the largest sideways push of the floor, towards the midline


class Run(Gait):
    """A steady run, the same in every cycle."""

    def _fit(self) -> None:
        self._ahead = self._best_ahead() - self.style.behind
        stance = self.stances("Right")[2]
        flat = np.linspace(stance.flat, stance.rise, 40)
        height = float(np.mean(stance.ankle(flat)[:, 1] - self.free_ankle("Right", flat)[:, 1]))
        base = self._height
        self._height = lambda phase: base(phase) + height - self.style.crouch
        wanted = self.body_path()
        grid = np.arange(_SAMPLES) / _SAMPLES
        speed = 2 * self.style.step
        shift = np.zeros((_SAMPLES, 3))
        for _ in range(3):
            body = centre_of_mass(self.acting(grid + 1.0, FPS).clip().positions())
            body[:, 2] -= speed * grid
            shift += wanted - (body - body.mean(axis=0))
            self._shift = cyclic_spline(shift)

    def body_path(self) -> Floats:
        """Where the centre of mass is about its mean over one cycle, (samples, 3), from the pushes of the floor."""
        cycle = 120.0 / self.style.cadence
        stance = self.style.leave
        phase = np.arange(_SAMPLES) / _SAMPLES
        push = np.zeros((_SAMPLES, 3))
        for start, side in ((0.0, 1.0), (0.5, -1.0)):
            u = (phase - start) % 1.0 / stance
            now = u < 1.0
            push[now, 0] += side * _INWARDS * np.sin(np.pi * u[now])
            push[now, 1] += np.sin(np.pi * u[now])
            push[now, 2] -= _BRAKING * np.sin(2 * np.pi * u[now])
        push[:, 1] *= GRAVITY / push[:, 1].mean()
        push[:, 1] -= GRAVITY
        spectrum = np.fft.rfft(push, axis=0)
        rate = 2 * np.pi * np.arange(len(spectrum)) / cycle
        spectrum[1:] /= -(rate[1:, None] ** 2)
        spectrum[0] = 0.0
        return np.fft.irfft(spectrum, n=_SAMPLES, axis=0)


def run() -> Clip:
    """A jog of eight strides."""
    gait = Run(JOG, 8)
    times = np.arange(round(gait.strike_times[gait.steps == 2 * gait.cycles][0] * FPS) + 1) / FPS
    acting: Acting = gait.acting(gait.phase(times), FPS)
    return replace(acting, markers=gait.markers(times)).clip()
