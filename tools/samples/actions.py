"""Gestures of a standing figure: swaying arms, a wave, a knock at a door."""

from __future__ import annotations

import numpy as np
from tools.samples.acting import Acting
from tools.samples.curves import bump, drift, min_jerk, moves
from tools.samples.standing import stand

from kinetune.body.clip import Clip, Marker
from kinetune.rotations import Floats

FPS = 60.0


def timeline(seconds: float) -> Floats:
    """The times of the frames of a clip."""
    return np.arange(round(seconds * FPS) + 1) / FPS


def shift_weight(acting: Acting, sideways: Floats, forwards: Floats | float = 0.0, down: Floats | float = 0.0) -> None:
    """Move the hips of a standing figure, in metres; the pelvis tips as it does when a leg takes the load."""
    acting.hips = acting.hips + np.stack(np.broadcast_arrays(sideways, -np.asarray(down), forwards), axis=-1)
    acting.pelvis.roll = acting.pelvis.roll + 55.0 * sideways


def arm_sway() -> Clip:
    """Both arms swing from side to side like weeds in water; elbows and hands follow late."""
    times = timeline(8.0)
    acting = stand(times, FPS, 20, apart=0.15, toe_out=12.0)
    hertz = 0.5
    turn = 2 * np.pi * (hertz * times + 0.02 * drift(times, 27, 0.1, 0.3))
    size = 1.0 + 0.07 * drift(times, 28, 0.1, 0.25)

    def wave(lag: float = 0.0) -> Floats:
        return size * np.sin(turn - 2 * np.pi * hertz * lag)

    lead = -0.25 / hertz  # hips and trunk lead by a quarter of a cycle
    shift_weight(acting, 0.036 * wave(lead), down=0.010 + 0.006 * np.cos(2 * turn))
    acting.pelvis.yaw = acting.pelvis.yaw + 3.0 * wave(lead + 0.1)
    acting.chest.roll = acting.chest.roll - 6.5 * wave(lead + 0.12)
    acting.chest.yaw = acting.chest.yaw + 7.0 * wave(lead + 0.2)
    acting.head.roll = acting.head.roll - 5.0 * wave(lead + 0.35)
    acting.head.yaw = acting.head.yaw + 4.0 * wave(lead + 0.4)
    for arm, side in ((acting.left_arm, 1.0), (acting.right_arm, -1.0)):
        speed = side * size * np.cos(turn - 2 * np.pi * hertz * 0.08)
        late = side * size * np.cos(turn - 2 * np.pi * hertz * 0.15)
        arm.abduction = 45.0 + 25.0 * side * wave()
        arm.flexion = 12.0 + 6.0 * side * wave(0.3)
        arm.rotation = 46.0 + 10.0 * speed
        arm.elbow = 30.0 + 15.0 * speed
        arm.pronation = 25.0
        arm.wrist = 6.0 + 20.0 * late
        arm.elevation = arm.elevation + 5.0 + 5.0 * side * wave(-0.05)
    return acting.clip()


def wave() -> Clip:
    """A greeting with the right hand: the head turns first, the hand rises, swings four times and drops."""
    times = timeline(4.6)
    acting = stand(times, FPS, 30)
    up, down = 0.55, 3.05

    def held(start: float, rise: float, fall: float, value: float, rest: float = 0.0) -> Floats:
        return moves(times, rest, (start, start + rise, value), (down + start - up, down + start - up + fall, rest))

    acting.head.yaw = acting.head.yaw + held(up - 0.17, 0.40, 0.6, -14.0)
    acting.head.pitch = acting.head.pitch + held(up - 0.12, 0.45, 0.6, -5.0)
    acting.head.roll = acting.head.roll + held(up + 0.1, 0.6, 0.7, 4.0)
    shift_weight(acting, held(up - 0.05, 0.6, 0.9, 0.018))
    acting.chest.roll = acting.chest.roll + held(up, 0.6, 0.8, -3.5)
    acting.chest.yaw = acting.chest.yaw + held(up - 0.02, 0.6, 0.8, -6.0)

    swings, hertz, first = 4, 2.0, up + 0.42
    u = (times - first) * hertz
    inside = (u > 0) & (u < swings)
    fade = np.clip((swings - u) / 1.2, 0.0, 1.0) * min_jerk(u / 0.5)

    def swing(lag: float) -> Floats:
        return np.interp(times - lag, times, inside * fade * np.sin(2 * np.pi * u))

    arm = acting.right_arm
    arm.elevation = arm.elevation + held(up + 0.02, 0.62, 0.72, 13.0)
    arm.abduction = held(up, 0.66, 0.74, 72.0, rest=7.0) + 3.0 * swing(-0.03)
    arm.flexion = held(up + 0.02, 0.62, 0.70, 26.0, rest=3.0)
    arm.rotation = held(up + 0.05, 0.60, 0.72, -58.0, rest=12.0) + 8.0 * swing(0.0)
    arm.elbow = held(up - 0.03, 0.60, 0.78, 88.0, rest=17.0) - 23.0 * swing(0.02)
    arm.pronation = held(up + 0.08, 0.60, 0.70, 6.0, rest=22.0)
    arm.wrist = held(up + 0.10, 0.55, 0.80, -12.0, rest=9.0)
    arm.deviation = -13.0 * swing(0.085)
    hits = tuple(Marker(round((first + (k + 0.25) / hertz) * FPS), "swing") for k in range(swings))
    acting.markers = hits
    return acting.clip()


def knock() -> Clip:
    """Three knocks at a door: the hand stops dead at the wood each time."""
    times = timeline(3.6)
    acting = stand(times, FPS, 40)
    up, first, period, knocks = 0.45, 1.10, 0.30, 3
    last = first + (knocks - 1) * period
    down = last + 0.32
    strike = np.zeros(len(times))  # -1 cocked, +1 at the wood
    for k in range(knocks):
        hit = first + k * period
        before, after = (times - hit) / (0.4 * period), (times - hit) / (0.6 * period)
        strike += np.where((before > -1) & (before <= 0), 2.0 * (1.0 + np.minimum(before, 0)) ** 2.0, 0.0)
        if k < knocks - 1:
            strike += np.where((after > 0) & (after < 1), 2.0 * (1.0 - min_jerk(after)), 0.0)
    after_last = times > last
    strike[after_last] = 2.0 * (1.0 - min_jerk((times[after_last] - last - 0.12) / 0.4))

    def held(start: float, rise: float, fall: float, value: float, rest: float = 0.0) -> Floats:
        return moves(times, rest, (start, start + rise, value), (down + start - up, down + start - up + fall, rest))

    acting.head.yaw = acting.head.yaw + held(up - 0.1, 0.4, 0.7, -5.0)
    acting.head.pitch = acting.head.pitch + held(up - 0.12, 0.4, 0.6, 3.0)
    shift_weight(acting, held(up - 0.05, 0.55, 0.8, 0.014), forwards=held(up, 0.5, 0.7, 0.018))
    acting.chest.pitch = acting.chest.pitch + held(up, 0.5, 0.7, 3.0) + 0.5 * strike
    acting.chest.yaw = acting.chest.yaw + held(up - 0.03, 0.5, 0.7, 8.0) + 0.7 * strike
    arm = acting.right_arm
    arm.protraction = arm.protraction + held(up, 0.5, 0.7, 9.0) + 1.0 * strike
    arm.elevation = arm.elevation + held(up, 0.5, 0.7, 5.0)
    arm.flexion = held(up, 0.52, 0.62, 54.0, rest=3.0) + 2.5 * strike
    arm.abduction = held(up, 0.50, 0.60, 12.0, rest=7.0)
    arm.rotation = held(up + 0.03, 0.50, 0.62, 16.0, rest=12.0)
    arm.elbow = held(up - 0.03, 0.55, 0.68, 114.0, rest=17.0) - 12.0 * strike
    arm.pronation = held(up + 0.06, 0.45, 0.60, -20.0, rest=22.0)
    arm.wrist = held(up + 0.08, 0.45, 0.70, 24.0, rest=9.0) - 12.0 * strike
    arm.deviation = 4.0 * bump((times - up) / 0.5)
    acting.markers = tuple(Marker(round((first + k * period) * FPS), "knock") for k in range(knocks))
    return acting.clip()
