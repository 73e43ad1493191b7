"""Two takes of a roundhouse kick with the right leg, from guard to guard, at 120 frames a second.

The pelvis turns first, then the thigh swings round, then the shank whips out and folds back, while the figure pivots
on the ball of its left foot and leans away. The hips are placed so that the weight stays over that foot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tools.samples.acting import Acting, Arm, Foot, Turn
from tools.samples.balance import hips_shift
from tools.samples.curves import bump, drift, keyed, moves
from tools.samples.feet import Stance, Swing, roll_foot, walk_foot
from tools.samples.figure import BALL_AHEAD, HIP_HALF_WIDTH, SHANK, THIGH

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.kinematics.limb_ik import bend_limb
from kinetune.rotations import Floats

FPS = 120.0

_LEFT_PLACE, _LEFT_YAW = np.array([0.06, 0.0, 0.20]), -14.0
_RIGHT_PLACE, _RIGHT_YAW = np.array([-0.17, 0.0, -0.24]), -52.0
_BALL = _LEFT_PLACE + rot.rotate(rot.about_y(np.radians(_LEFT_YAW)), np.array([0.0, 0.0, BALL_AHEAD]))


@dataclass(frozen=True)
class Kick:
    """One take. Times are seconds from the start of the move, before ``pace`` stretches them.

    start : seconds of guard before the move. end : seconds of the whole clip.
    aim : direction of the thigh at contact. chamber : its direction when the knee is folded most.
    fold, reach, refold : knee angles in the chamber, at contact and after it.
    turn : yaw of the pelvis at contact. tilt, lean : degrees by which pelvis and chest lean away.
    pivot : yaw of the standing foot at contact. knee : flexion of the standing knee.
    land : where the right foot comes down again.
    """

    start: float
    end: float
    pace: float
    aim: tuple[float, float, float]
    chamber: tuple[float, float, float]
    fold: float
    reach: float
    refold: float
    turn: float
    tilt: float
    lean: float
    pivot: float
    knee: float
    land: tuple[float, float, float]
    seed: int


TAKES = (
    Kick(
        start=0.55, end=2.35, pace=1.0, aim=(0.05, 0.16, 1.0), chamber=(-0.62, 0.02, 0.80), fold=122.0, reach=14.0,
        refold=110.0, turn=72.0, tilt=24.0, lean=38.0, pivot=104.0, knee=17.0, land=(-0.17, 0.0, -0.21), seed=70,
    ),
    Kick(
        start=0.70, end=2.65, pace=1.12, aim=(0.00, 0.34, 0.98), chamber=(-0.60, 0.08, 0.80), fold=116.0, reach=18.0,
        refold=102.0, turn=78.0, tilt=31.0, lean=47.0, pivot=116.0, knee=14.0, land=(-0.20, 0.0, -0.20), seed=80,
    ),
)  # fmt: skip

# The moments of the move, in seconds before the pace stretches them.
_LEAVE, _CONTACT, _LAND = 0.18, 0.53, 1.04
_ROUNDS = 6  # of placing the weight


def kick(take: Kick) -> Clip:
    """The clip of one take."""
    times = np.arange(round(take.end * FPS) + 1) / FPS
    t = (times - take.start) / take.pace
    acting = _body(take, times, t)
    acting.left_foot = _standing_foot(take, t)
    shift = np.zeros_like(acting.hips)
    for _ in range(_ROUNDS):
        acting.hips = acting.hips + shift
        _set_height(acting, _knee_angle(take, t))
        acting.right_foot = _kicking_foot(take, t, acting)
        shift = 0.8 * hips_shift(acting.clip())
    events = ((_LEAVE, "right foot leaves"), (_CONTACT, "kick"), (_LAND, "right foot lands"))
    acting.markers = tuple(Marker(round((take.start + s * take.pace) * FPS), name) for s, name in events)
    return acting.clip()


def _body(take: Kick, times: Floats, t: Floats) -> Acting:
    """Trunk, head and arms, and a first guess of the hips."""
    sway = drift(times, take.seed, 0.5, 1.1)
    guard = np.array([-0.045, 0.87, 0.01])
    over = np.array([0.03, 0.93, 0.25])
    hips = moves(t, guard, (0.0, 0.38, over), (0.66, 1.18, guard))
    hips = hips + np.stack([0.006 * sway, 0.004 * drift(times, take.seed + 1, 0.9, 1.6), 0.006 * sway], axis=-1)
    placeholder = Foot(np.zeros((len(times), 3)))
    wind = -5.0 * bump((t + 0.14) / 0.26)  # a small turn back before the turn
    pelvis = Turn(
        yaw=moves(t, -38.0, (0.0, 0.46, take.turn), (0.62, 1.12, -38.0)) + wind + 1.5 * sway,
        pitch=moves(t, 6.0, (0.12, 0.45, 2.0), (0.66, 1.1, 6.0)),
        roll=moves(t, 0.0, (0.16, 0.48, -take.tilt), (0.58, 1.02, 0.0)),
    )
    chest = Turn(
        yaw=moves(t, -30.0, (0.04, 0.50, take.turn - 26.0), (0.60, 1.16, -30.0)) + wind + 2.0 * sway,
        pitch=moves(t, 10.0, (0.14, 0.46, 3.0), (0.64, 1.1, 10.0)) - 1.0 * drift(times, take.seed + 2),
        roll=moves(t, 0.0, (0.15, 0.50, -take.lean), (0.60, 1.08, 0.0)),
    )
    head = Turn(
        yaw=keyed(t, (0.05, -4.0), (0.45, 14.0), (0.62, 14.0), (1.1, -4.0)) + 1.5 * sway,
        pitch=keyed(t, (0.15, 7.0), (0.45, 4.0), (0.6, 4.0), (1.0, 7.0)),
        roll=keyed(t, (0.18, 0.0), (0.50, -0.38 * take.lean), (0.62, -0.36 * take.lean), (1.1, 0.0)),
    )
    left_arm = Arm(
        flexion=keyed(t, (0.10, 42.0), (0.45, 30.0), (0.62, 30.0), (1.05, 42.0)) + 1.5 * sway,
        abduction=keyed(t, (0.12, 14.0), (0.46, 26.0), (0.64, 26.0), (1.08, 14.0)),
        rotation=keyed(t, (0.12, 26.0), (0.46, 34.0), (0.62, 34.0), (1.05, 26.0)),
        elbow=keyed(t, (0.10, 112.0), (0.42, 122.0), (0.62, 120.0), (1.05, 112.0))
        + 2.0 * drift(times, take.seed + 3, 0.5, 1.1),
        pronation=20.0,
        wrist=4.0,
        elevation=6.0,
        protraction=12.0,
    )
    # The right arm swings down and back against the leg, past its mark, and returns late.
    right_arm = Arm(
        flexion=keyed(t, (0.10, 36.0), (0.36, 4.0), (0.54, -34.0), (0.72, -20.0), (1.08, 36.0), bias=0.3) + 1.5 * sway,
        abduction=keyed(t, (0.18, 16.0), (0.54, 10.0), (0.70, 10.0), (1.10, 16.0)),
        rotation=keyed(t, (0.16, 30.0), (0.50, 10.0), (0.66, 10.0), (1.05, 30.0)),
        elbow=keyed(t, (0.14, 120.0), (0.40, 78.0), (0.58, 44.0), (0.76, 62.0), (1.14, 120.0), bias=0.3),
        pronation=keyed(t, (0.2, 20.0), (0.55, 40.0), (0.65, 40.0), (1.1, 20.0)),
        wrist=6.0,
        elevation=keyed(t, (0.15, 6.0), (0.5, 2.0), (0.65, 2.0), (1.1, 6.0)),
        protraction=keyed(t, (0.15, 10.0), (0.5, -8.0), (0.64, -8.0), (1.08, 10.0)),
    )
    return Acting(FPS, hips, placeholder, placeholder, pelvis, chest, head, left_arm, right_arm)


def _standing_foot(take: Kick, t: Floats) -> Foot:
    """The left foot pivots on its ball with the heel off the floor, and back again."""
    yaw = moves(t, _LEFT_YAW, (0.04, 0.50, take.pivot), (0.66, 1.14, _LEFT_YAW))
    pitch = moves(t, 0.0, (-0.02, 0.18, -11.0), (0.46, 0.62, -5.0), (0.62, 0.76, -10.0), (1.04, 1.20, 0.0))
    ahead = rot.rotate(rot.about_y(np.radians(yaw)), np.array([0.0, 0.0, BALL_AHEAD]))
    ankle, toes = roll_foot(_BALL - ahead, yaw, pitch)
    return Foot(ankle, yaw, pitch, toes=toes, planted=np.ones(len(t), dtype=bool))


def _knee_angle(take: Kick, t: Floats) -> Floats:
    return moves(t, 30.0, (-0.04, 0.14, 36.0), (0.16, 0.50, take.knee), (0.60, 0.90, 30.0), (0.96, 1.12, 35.0),
                 (1.15, 1.45, 30.0))  # fmt: skip


def _hip_joint(acting: Acting, side: float) -> Floats:
    turned = acting.pelvis.quaternions(len(acting.hips))
    return np.asarray(acting.hips + rot.rotate(turned, np.array([side * HIP_HALF_WIDTH, 0.0, 0.0])))


def _set_height(acting: Acting, knee: Floats) -> None:
    """Put the hips as high as the standing knee's bend says."""
    away = _hip_joint(acting, 1.0) - acting.left_foot.ankle
    leg = (THIGH + SHANK) * np.cos(0.5 * np.radians(knee))
    acting.hips = np.array(acting.hips)
    acting.hips[:, 1] += np.sqrt(leg**2 - away[:, 0] ** 2 - away[:, 2] ** 2) - away[:, 1]


def _kicking_foot(take: Kick, t: Floats, acting: Acting) -> Foot:
    """The right foot: on the floor, then carried by thigh and knee, then on the floor again."""
    hip = _hip_joint(acting, -1.0)
    x, _, z = take.land
    stances = (
        Stance(_RIGHT_PLACE[0], _RIGHT_PLACE[2], _RIGHT_YAW, -9.0, -8.0, -0.08, _LEAVE, leaving=(-56.0, -330.0, 0.0)),
        Stance(x, z, _RIGHT_YAW, _LAND, 1.16, 9.0, 10.0, landing=(-32.0, 90.0, 0.0)),
    )
    front = _unit(
        moves(t, (-0.55, 0.05, 0.83), (0.12, 0.39, (0.80, 0.36, 0.42)), (0.32, 0.52, (0.95, 0.30, 0.05)),
              (0.62, 1.00, (-0.50, 0.10, 0.85)))
    )  # fmt: skip
    off, bent_off = _leg_at(t, _LEAVE, hip, stances[0], front)
    on, bent_on = _leg_at(t, _LAND, hip, stances[1], front)
    thigh = _unit(
        moves(t, off, (_LEAVE - 0.04, 0.43, take.chamber), (0.31, _CONTACT, take.aim),
              (0.56, 0.80, (-0.22, -0.10, 0.92)), (0.68, _LAND, on))
    )  # fmt: skip
    knee = np.radians(
        moves(t, bent_off, (_LEAVE - 0.05, 0.38, take.fold), (0.385, _CONTACT, take.reach), (0.545, 0.72, take.refold),
              (0.72, _LAND, bent_on))
    )  # fmt: skip
    hinge = _unit(np.cross(front, thigh))
    shank = rot.rotate(rot.from_axis_angle(hinge, knee), thigh)
    path = hip + THIGH * thigh + SHANK * shank

    carried = Swing(
        ankle=lambda when: np.stack([np.interp(when, t, column) for column in path.T], axis=-1),
        pitch=lambda when: -30.0 * bump((when - _LEAVE) / (_LAND - _LEAVE)),
        ends=0.35,
    )
    foot = walk_foot(t, stances, carried)
    foot.pole = front
    foot.loose = moves(t, 0.0, (_LEAVE, _LEAVE + 0.14, 1.0), (0.78, _LAND, 0.0))
    foot.bend = moves(t, -10.0, (0.25, 0.46, -38.0), (0.60, 0.85, -10.0))
    return foot


def _leg_at(t: Floats, when: float, hip: Floats, stance: Stance, front: Floats) -> tuple[Floats, float]:
    """Direction of the thigh and bend of the knee in degrees of a leg whose foot stands, at a moment."""
    root, pole = (np.array([np.interp(when, t, column) for column in path.T]) for path in (hip, front))
    knee, ankle = bend_limb(root, stance.ankle(np.array([when]))[0], pole, THIGH, SHANK)
    upper, lower = _unit(knee - root), _unit(ankle - knee)
    return upper, float(np.degrees(np.arccos(np.clip(upper @ lower, -1.0, 1.0))))


def _unit(vectors: Floats) -> Floats:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def first_take() -> Clip:
    """A roundhouse kick at rib height."""
    return kick(TAKES[0])


def second_take() -> Clip:
    """A slower, higher roundhouse kick."""
    return kick(TAKES[1])
