"""Steps of the right foot out of standing and into standing: how a walk begins and ends.

A beginning: both feet stand side by side, the weight shifts over the left foot, the right one steps ahead and the hips
reach their walking speed. An ending: the right foot comes from behind and stops beside the left one, and the hips come
to rest between both. The left foot stands all the time; its ball is at the origin, pointing along +Z, as in
:mod:`tools.samples.steps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from tools.samples.acting import Acting, Arm, Foot, Turn
from tools.samples.actions import FPS
from tools.samples.balance import hips_shift
from tools.samples.curves import bump, min_jerk, quintic
from tools.samples.feet import Stance, lifted_swing, walk_foot
from tools.samples.figure import BALL_AHEAD
from tools.samples.steps import fit_height

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.rotations import Floats

# Seconds. A heel takes _RISING to rise; walking, the next foot leaves _NEXT after a step has ended.
_WAIT, _SWING, _SETTLE, _RISING, _NEXT = 0.47, 0.44, 0.60, 0.32, 0.08
_LANDING_S, _LEAVE_S = 0.10, 0.08
_PACE = 1.65  # steps a second that walking hips do


@dataclass(frozen=True)
class StandingStep:
    """One step of the right foot in the frame of the left ball.

    kind : "start" out of standing, "stop" into it.
    start, end : x and z of the right ball in metres and its heading in degrees, + to the left.
    """

    kind: Literal["start", "stop"]
    start: tuple[float, float, float]
    end: tuple[float, float, float]


_BESIDE = (-0.175, 0.0, -4.0)
_AHEAD = ((0.0, 0.0, 0.0), (0.0, 0.13, 0.0), (0.0, -0.14, 0.0), (-0.09, 0.0, -4.0), (0.06, 0.0, 2.0),
          (-0.03, -0.04, -26.0), (0.0, -0.05, 24.0))  # fmt: skip
_NATURAL = (-0.165, 0.42, -3.0)


def starts() -> list[StandingStep]:
    """Seven first steps: ends spread about a natural one in length, width and turn."""
    return [
        StandingStep("start", _moved(_BESIDE, (0.10 * dx, 0.0, 0.1 * turn)), _moved(_NATURAL, (dx, dz, turn)))
        for dx, dz, turn in _AHEAD
    ]


def stops() -> list[StandingStep]:
    """Seven last steps: from behind, as far as natural steps lead, to a place beside the other foot."""
    ends = ((0.0, 0.0, 0.0), (0.0, 0.08, 0.0), (0.0, -0.08, 0.0), (-0.08, 0.0, -3.0), (0.05, 0.0, 2.0),
            (-0.02, 0.02, -22.0), (0.01, 0.0, 22.0))  # fmt: skip
    order = (0, 1, 2, 3, 4, 6, 5)
    steps = []
    for k, (dx, dz, turn) in zip(order, ends, strict=True):
        before = _behind(_moved(_NATURAL, _AHEAD[k]))
        steps.append(StandingStep("stop", before, _moved(_BESIDE, (dx, dz, turn))))
    return steps


def perform(step: StandingStep) -> Clip:
    """The clip of one step."""
    begins = step.kind == "start"
    leave = _WAIT if begins else _LEAVE_S
    land = leave + _SWING
    last = land + (_LANDING_S if begins else _SETTLE)
    times = np.arange(round(last * FPS) + 1) / FPS
    last = float(times[-1])
    rise = (last + _NEXT - _RISING, last + _NEXT) if begins else (8.0, 9.0)
    left = walk_foot(times, (_stance((0.0, 0.0, 0.0), (-9.0, -8.0, *rise)),))
    behind = _stance(step.start, (-9.0, -8.0, leave - (0.20 if begins else _RISING), leave), soft=begins)
    ahead = _stance(step.end, (land, land + 0.085, 8.0, 9.0), soft=not begins)
    way = float(np.hypot(step.end[0] - step.start[0], step.end[1] - step.start[1]))
    swing = lifted_swing(leave, land, 0.06 + 0.05 * way, tip=8.0)
    right = walk_foot(times, (behind, ahead), swing)
    pelvis, chest, head = _trunk(step, times)
    acting = Acting(
        FPS, _hips(step, times, (behind, ahead), pelvis, (left, right)), left, right, pelvis, chest, head,
        left_arm=_arm(step, times, 1.0), right_arm=_arm(step, times, -1.0),
    )  # fmt: skip
    u = times / last
    for _ in range(2):
        acting.hips = fit_height(acting.hips + hips_shift(acting.clip()), u, pelvis, (left, right))
    events = ((leave, "right foot leaves"), (land, "right foot lands"))
    acting.markers = tuple(Marker(round(when * FPS), name) for when, name in events)
    return acting.clip()


def _stance(
    ball: tuple[float, float, float], moments: tuple[float, float, float, float], *, soft: bool = False
) -> Stance:
    x, z, heading = ball
    under = np.array([x, 0.0, z]) - rot.rotate(rot.about_y(np.radians(heading)), np.array([0.0, 0.0, BALL_AHEAD]))
    landing = (4.0, -25.0, 0.0) if soft else (11.0, -60.0, 0.0)
    leaving = (-34.0, -300.0, 0.0) if soft else (-56.0, -360.0, 0.0)
    push = 6.0 if soft else 17.0
    return Stance(float(under[0]), float(under[2]), heading, *moments, landing=landing, leaving=leaving, push=push)


def _hips(
    step: StandingStep, times: Floats, stances: tuple[Stance, Stance], pelvis: Turn, feet: tuple[Foot, Foot]
) -> Floats:
    """From rest between the feet to walking speed, or the other way round; over the standing leg in between."""
    behind, ahead = stances
    standing = np.array([0.0, 0.0, -BALL_AHEAD])
    before, after = 0.5 * (behind.place + standing), 0.5 * (standing + ahead.place)
    still = np.zeros(3)
    if step.kind == "start":
        # The first step covers the way from side by side; the next one would be a whole step.
        speed = _PACE * (after - before) * [1.0, 0.0, 1.0]
        path = quintic(times, 0.12, times[-1], np.array([before, still, still]), np.array([after, speed, still]))
        path[times < 0.12] = before
        over = 0.62 * bump((times - 0.02) / (times[-1] - 0.02)) ** 0.8
    else:
        speed = _PACE * (after - before) * [1.0, 0.0, 1.0]
        rest = _LEAVE_S + _SWING + 0.38
        path = quintic(times, 0.0, rest, np.array([before, speed, still]), np.array([after, still, still]))
        path[times > rest] = after
        over = 0.55 * bump((times + 0.10) / (rest + 0.05)) ** 0.8
    sideways = (standing - 0.5 * (before + after)) * [1.0, 0.0, 0.0]
    return fit_height(path + over[:, None] * sideways + [0.0, 0.0, 0.01], times / times[-1], pelvis, feet)


def _trunk(step: StandingStep, times: Floats) -> tuple[Turn, Turn, Turn]:
    """Pelvis, chest and head turn with the feet; the eyes lead."""
    before, after = 0.5 * step.start[2], 0.5 * step.end[2]
    begin, length = (0.30, 0.55) if step.kind == "start" else (0.0, 0.60)

    def heading(lead: float) -> Floats:
        return before + (after - before) * min_jerk((times - begin + lead) / length)

    stride = float(np.hypot(step.end[0] - step.start[0], step.end[1] - step.start[1]))
    moving = _moving(step, times)
    twist = 5.5 * stride * moving * (1.0 if step.kind == "start" else -1.0)
    pelvis = Turn(yaw=heading(0.0) + twist, pitch=3.0, roll=2.0 * bump((times - begin) / (1.2 * length)))
    chest = Turn(yaw=heading(0.06) - 0.75 * twist, pitch=1.5 + 1.5 * moving, roll=0.0)
    return pelvis, chest, Turn(yaw=heading(0.16) - 0.2 * twist, pitch=3.0 + 1.0 * moving)


def _moving(step: StandingStep, times: Floats) -> Floats:
    """How much the figure walks, from 0 to 1 or from 1 to 0."""
    if step.kind == "start":
        return min_jerk((times - 0.30) / (times[-1] - 0.30))
    return 1.0 - min_jerk(times / (_LEAVE_S + _SWING + 0.30))


def _arm(step: StandingStep, times: Floats, side: float) -> Arm:
    """Arms hang while the figure stands, and swing against the legs as it walks."""
    stride = float(np.hypot(step.end[0] - step.start[0], step.end[1] - step.start[1]))
    sign = side if step.kind == "start" else -side
    swing = sign * (7.0 + 13.0 * stride) * _moving(step, times)
    return Arm(
        flexion=1.0 + swing, abduction=8.0, rotation=10.0, elbow=20.0 + 0.55 * swing, pronation=20.0, wrist=8.0,
        protraction=0.1 * swing,
    )  # fmt: skip


def _moved(place: tuple[float, float, float], by: tuple[float, float, float]) -> tuple[float, float, float]:
    return place[0] + by[0], place[1] + by[1], place[2] + by[2]


def _behind(step: tuple[float, float, float]) -> tuple[float, float, float]:
    """Where the right ball is, seen from the left, after a left step that mirrors this right step."""
    x, z, heading = -step[0], step[1], -step[2]
    away = rot.rotate(rot.about_y(np.radians(-heading)), np.array([-x, 0.0, -z]))
    return float(away[0]), float(away[2]), -heading
