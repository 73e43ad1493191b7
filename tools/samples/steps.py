"""Six single steps of the right foot, cut out of walking: long, short, wide, narrow, turning right, turning left.

Each begins and ends with both feet on the floor: the foot behind has raised its heel, the foot ahead is flat. The left
foot stands all the time; its ball is at the origin, pointing along +Z. Mirrored, a step's end looks like another
step's start, so that left and right steps can follow each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tools.samples.acting import Acting, Arm, Foot, Turn
from tools.samples.actions import FPS
from tools.samples.balance import hips_shift
from tools.samples.curves import bump, min_jerk
from tools.samples.feet import STRAIGHTEST, Stance, lifted_swing, walk_foot
from tools.samples.figure import BALL_AHEAD, HIP_HALF_WIDTH

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.rotations import Floats

# Moments of a step, in parts of its duration: the foot leaves, strikes and is flat; a heel takes this long to rise.
_LEAVE, _STRIKE, _FLAT, _RISING = 0.13, 0.80, 0.96, 0.52
_KINDS = ("long", "short", "wide", "narrow", "turning right", "turning left")


@dataclass(frozen=True)
class Step:
    """One step of the right foot in the frame of the left ball.

    start, end : x and z of the right ball in metres and its heading in degrees, + to the left.
    seconds : duration. lift : metres. lean : degrees. arms : degrees of swing.
    """

    kind: str
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    seconds: float
    lift: float
    lean: float
    arms: float


def steps() -> list[Step]:
    """The six steps: ends spread about a natural step in length, width and turn, starts like mirrored ends."""
    rng = np.random.default_rng(6)
    natural = np.array([-0.165, 0.46, -3.0])
    spread = np.array(
        [[0, 0.14, 0], [0, -0.25, 0], [-0.13, -0.02, -9], [0.075, -0.02, 3], [-0.05, -0.06, -34], [0.015, -0.07, 31]]
    )
    ends = natural + spread + rng.normal(size=(6, 3)) * [0.008, 0.012, 1.5]
    steps = []
    for k, end in enumerate(ends):
        before = ends[(0, 1, 2, 3, 5, 4)[k]] + rng.normal(size=3) * [0.010, 0.015, 2.0]
        start = _seen_from_the_other_foot(before)
        way = float(np.hypot(end[0] - start[0], end[1] - start[1]))
        steps.append(
            Step(
                kind=_KINDS[k],
                start=_three(start),
                end=_three(end),
                seconds=0.42 + 0.30 * way + rng.uniform(-0.03, 0.03),
                lift=0.075 + 0.05 * way + rng.uniform(-0.01, 0.01),
                lean=3.0 + rng.normal(scale=0.8),
                arms=6.0 + 11.0 * way,
            )
        )
    return steps


def corner_steps() -> list[Step]:
    """Eight more: long or short, wide or narrow, turning right or left. Between them lies what a walker does."""
    corners = [
        np.array([x, 0.74 if far else 0.20, turn])
        for far in (True, False)
        for x in (-0.29, -0.10)
        for turn in (-24.0, 19.0)
    ]
    steps = []
    for k, end in enumerate(corners):
        before = corners[k ^ 1]  # the same length and width, turning the other way: the walker goes on in a circle
        start = _seen_from_the_other_foot(before)
        way = float(np.hypot(end[0] - start[0], end[1] - start[1]))
        steps.append(
            Step("corner", _three(start), _three(end), 0.42 + 0.30 * way, 0.075 + 0.05 * way, 3.0, 6.0 + 11.0 * way)
        )
    return steps


def _seen_from_the_other_foot(step: Floats) -> Floats:
    """Where the right ball is, seen from the left, after a left step that mirrors this right step."""
    x, z, heading = -step[0], step[1], -step[2]  # the left ball, seen from the right one
    turn = rot.about_y(np.radians(-heading))
    away = rot.rotate(turn, np.array([-x, 0.0, -z]))
    return np.array([away[0], away[2], -heading])


def perform(step: Step, *, joined: bool = False) -> Clip:
    """The clip of one step.

    joined : let the hips end where the next step begins with them: past the strike of the right foot they sway to its
        side. Alone, a step stays in balance on the feet that it has; joined, the next one catches it.
    """
    times = np.arange(round(step.seconds * FPS) + 1) / FPS
    u = times / times[-1]
    left_stance = _stance((0.0, 0.0, 0.0), (-9.0, -8.0, 1.0 + _LEAVE - _RISING, 1.0 + _LEAVE))
    behind = _stance(step.start, (-9.0, -8.0, _LEAVE - _RISING, _LEAVE))
    ahead = _stance(step.end, (_STRIKE, _FLAT, 8.0, 9.0))
    left = walk_foot(u, (left_stance,))
    right = walk_foot(u, (behind, ahead), lifted_swing(_LEAVE, _STRIKE, step.lift, tip=10.0))
    pelvis, chest, head = _trunk(step, u)
    hips = _hips(step, u, (behind, left_stance, ahead), pelvis, (left, right), joined)
    acting = Acting(
        FPS, hips, left, right, pelvis, chest, head,
        left_arm=_arm(step, u, 1.0), right_arm=_arm(step, u, -1.0),
    )  # fmt: skip
    for _ in range(3):
        shift = hips_shift(acting.clip())
        if joined:  # what happens before and after is not known here, so that the shift fades near the ends
            shift *= (min_jerk(u / 0.3) * min_jerk((1.0 - u) / 0.3))[:, None]
        acting.hips = fit_height(acting.hips + shift, u, pelvis, (left, right))
    events = ((_LEAVE, "right foot leaves"), (_STRIKE, "right foot lands"))
    acting.markers = tuple(Marker(round(when * times[-1] * FPS), name) for when, name in events)
    return acting.clip()


def _stance(ball: tuple[float, float, float], moments: tuple[float, float, float, float]) -> Stance:
    x, z, heading = ball
    under = np.array([x, 0.0, z]) - rot.rotate(rot.about_y(np.radians(heading)), np.array([0.0, 0.0, BALL_AHEAD]))
    return Stance(
        float(under[0]), float(under[2]), heading, *moments,
        landing=(11.0, -30.0, 0.0), leaving=(-56.0, -220.0, 0.0), push=17.0,
    )  # fmt: skip


def _trunk(step: Step, u: Floats) -> tuple[Turn, Turn, Turn]:
    """Pelvis, chest and head turn from the middle of the old headings to that of the new; the eyes lead."""
    before, after = 0.5 * step.start[2], 0.5 * step.end[2]

    def heading(lead: float) -> Floats:
        v = u + lead
        return before + (after - before) * (0.15 * np.clip(v, 0, 1) + 0.85 * min_jerk(v))

    stride = np.hypot(step.end[0] - step.start[0], step.end[1] - step.start[1])
    twist = -5.5 * stride * np.cos(np.pi * u)
    pelvis = Turn(yaw=heading(0.0) + twist, pitch=3.0, roll=3.0 * bump(u))
    chest = Turn(
        yaw=heading(0.08) - 0.75 * twist, pitch=step.lean + 0.6 * np.cos(2 * np.pi * u), roll=1.2 * np.sin(np.pi * u)
    )
    head = Turn(yaw=heading(0.25) - 0.2 * twist, pitch=step.lean + 1.5)
    return pelvis, chest, head


def _hips(
    step: Step,
    u: Floats,
    stances: tuple[Stance, Stance, Stance],
    pelvis: Turn,
    feet: tuple[Foot, Foot],
    joined: bool,
) -> Floats:
    """The hips are between the feet when a foot strikes, over the standing leg in between, at about constant speed."""
    behind, standing, ahead = (s.place for s in stances)
    start, end = 0.5 * (behind + standing), 0.5 * (standing + ahead)
    gone = u + 1.0 - _STRIKE  # since the strike of the left foot; the right one strikes at 1
    path = start + (gone + 0.016 * np.sin(4 * np.pi * (gone - 0.12)))[:, None] * (end - start) + [0.0, 0.0, 0.005]
    over = 0.40 * (standing - 0.5 * (start + end)) * [1.0, 0.0, 0.0]
    sway = np.sin(np.pi * gone)
    return fit_height(path + (sway * (np.abs(sway) if joined else sway))[:, None] * over, u, pelvis, feet)


def fit_height(path: Floats, u: Floats, pelvis: Turn, feet: tuple[Foot, Foot]) -> Floats:
    """The same path as high as both ends allow without an overstretched leg, and a little higher in between."""
    level = path * [1.0, 0.0, 1.0]
    turned = pelvis.quaternions(len(u))
    room = np.full(len(u), np.inf)
    for foot, side in zip(feet, (1.0, -1.0), strict=True):
        away = level + rot.rotate(turned, np.array([side * HIP_HALF_WIDTH, 0.0, 0.0])) - foot.ankle
        reach = np.sqrt(np.maximum(STRAIGHTEST**2 - away[:, 0] ** 2 - away[:, 2] ** 2, 0.01))
        room = np.where(foot.planted, np.minimum(room, reach - away[:, 1]), room)
    early, late = (float(np.min(room[part])) for part in (u <= 0.4, u >= 0.6))
    rise = early + (late - early) * min_jerk(u) + 0.022 * np.sin(np.pi * (u + 1.0 - _STRIKE)) ** 2
    level[:, 1] = rise - max(0.0, float(np.max(rise - room)))
    return level


def _arm(step: Step, u: Floats, side: float) -> Arm:
    """Arms swing against the legs: the left one forwards, the right one back."""
    swing = -side * step.arms * np.cos(np.pi * u)
    late = -side * step.arms * np.cos(np.pi * (u - 0.08))
    return Arm(
        flexion=1.0 + swing,
        abduction=8.0,
        rotation=10.0,
        elbow=22.0 + 0.55 * late,
        pronation=20.0,
        wrist=8.0 + 0.3 * (late - swing),
        protraction=0.1 * swing,
    )


def _three(values: Floats) -> tuple[float, float, float]:
    x, z, heading = values.tolist()
    return x, z, heading
