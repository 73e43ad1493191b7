"""What a figure does on a seat: it plays the drums, or sits down and drinks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tools.samples.acting import Acting, Arm, Turn
from tools.samples.actions import FPS, timeline
from tools.samples.curves import breath, bump, drift, min_jerk, moves
from tools.samples.figure import figure
from tools.samples.standing import flat_foot, grip, stand, standing_height

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.rotations import Floats

_BEAT = 60.0 / 112.0
_BARS = 4

Hit = tuple[float, float]
"""When a stick hits, in beats, and how hard, 0 to 1."""


def drumming() -> Clip:
    """Four bars of a rock groove at 112 beats a minute: ride cymbal, backbeat on the snare, bass drum by foot."""
    times = timeline(4 * _BARS * _BEAT)
    frames = len(times)
    beat = times / _BEAT
    air = breath(times, 0.3)
    ride, snare, bass = _groove()
    right, left, foot = (_Stroke(beat, hits) for hits in (ride, snare, bass))
    nod = _nod(beat)
    hips = np.stack([0.006 * drift(times, 50), 0.525 - 0.003 * nod, 0.004 * drift(times, 51) - 0.004 * nod], axis=-1)
    heel = -13.0 * foot(0.0)
    acting = Acting(
        FPS,
        hips,
        left_foot=flat_foot(frames, 0.24, 0.44, 22.0, -5.0 * bump((beat % 1.0 - 0.2) / 0.8)),
        right_foot=flat_foot(frames, -0.22, 0.47, -18.0, heel),
        pelvis=Turn(yaw=1.0 * drift(times, 52), pitch=-8.0),
        chest=Turn(
            yaw=4.0 - 4.0 * left(0.06) + 3.0 * right(0.06) + 1.5 * drift(times, 53),
            pitch=8.0 - 1.2 * air + 1.6 * nod - 2.0 * left(0.07),
            roll=1.5 * drift(times, 54) + 1.5 * left(0.06),
        ),
        head=Turn(
            yaw=4.0 + 6.0 * drift(times, 55, 0.08, 0.2), pitch=12.0 + 5.0 * nod, roll=2.0 * drift(times, 56, 0.1, 0.3)
        ),
        right_arm=_drum_arm(right, flexion=34.0, abduction=34.0, rotation=-4.0, elbow=74.0, deviation=6.0),
        left_arm=_drum_arm(left, flexion=22.0, abduction=16.0, rotation=30.0, elbow=78.0, deviation=0.0),
    )
    hits = sorted({round(b * _BEAT * FPS) for b, hard in snare if hard > 0.7})
    acting.markers = tuple(Marker(f, "backbeat") for f in hits if f < frames)
    return acting.clip()


def _groove() -> tuple[list[Hit], list[Hit], list[Hit]]:
    """Hits of the right hand, the left hand and the right foot. The last two beats are a roll of both hands."""
    end = 4.0 * _BARS
    ride = [(k / 2, 0.75 if k % 2 == 0 else 0.45) for k in range(2 * int(end) - 4)]
    snare = [(b, 1.0) for b in range(1, int(end) - 2, 2)] + [(4.0 * bar + 2.75, 0.22) for bar in range(_BARS - 1)]
    bass = [(float(b), 1.0) for b in range(0, int(end), 2)] + [(4.0 * bar + 2.5, 0.8) for bar in range(_BARS)]
    roll = np.arange(end - 2, end, 0.25)
    ride += [(float(b), 0.5 + 0.06 * k) for k, b in enumerate(roll[::2])]
    snare += [(float(b), 0.5 + 0.06 * k) for k, b in enumerate(roll[1::2])]
    return sorted(ride), sorted(snare), sorted(bass)


class _Stroke:
    """How high a stick is over its drum: 0 at each hit, up after it, at its highest 60 % of the way to the next."""

    _LONGEST = 1.0  # beats; a stick that waits longer rests low in between
    _REST = 0.22

    def __init__(self, beat: Floats, hits: Sequence[Hit]) -> None:
        self._beat = beat
        self._hits = [(-1.0, 0.5), *hits, (beat[-1] + 1.0, 0.5)]

    def __call__(self, lead: float) -> Floats:
        """The height, ``lead`` seconds early: upper joints move first."""
        beat = self._beat + lead / _BEAT
        height = np.zeros(len(beat))
        for (start, _), (stop, hard) in zip(self._hits[:-1], self._hits[1:], strict=True):
            begin = max(start, stop - self._LONGEST)
            u = (beat - begin) / (stop - begin)
            rest = self._REST if begin > start else 0.0
            up = rest + (hard - rest) * min_jerk(u / 0.6)
            down = hard * (1.0 - np.clip((u - 0.6) / 0.4, 0.0, 1.0) ** 2)
            height = np.where((u >= 0) & (u < 1), np.where(u < 0.6, up, down), height)
            waiting = (beat >= start) & (beat < begin)
            height = np.where(waiting, self._REST * min_jerk((beat - start) / 0.4), height)
        kernel = np.array([0.2, 0.6, 0.2])
        return np.convolve(np.pad(height, 1, mode="edge"), kernel, mode="valid")


def _drum_arm(
    stroke: _Stroke, *, flexion: float, abduction: float, rotation: float, elbow: float, deviation: float
) -> Arm:
    lift = stroke(0.045)
    return Arm(
        flexion=flexion + 9.0 * lift,
        abduction=abduction + 7.0 * lift,
        rotation=rotation,
        elbow=elbow + 30.0 * stroke(0.025),
        pronation=66.0,
        wrist=14.0 - 46.0 * stroke(0.0),
        deviation=deviation,
        elevation=2.0 + 4.0 * lift,
        protraction=5.0,
    )


def _nod(beat: Floats) -> Floats:
    """The head goes down on the beat, quickly, and comes up slowly."""
    u = (beat + 0.25) % 1.0
    strong = np.where(np.floor(beat + 0.25) % 2 == 1, 1.0, 0.65)
    return strong * np.where(u < 0.25, min_jerk(u / 0.25), 1.0 - min_jerk((u - 0.25) / 0.75))


_SIT = (0.5, 2.2)
_SEAT = np.array([0.0, 0.50, -0.335])
_CUP = np.array([-0.20, 0.80, 0.13])


def sit_and_drink() -> Clip:
    """A character sits down on a chair, takes a cup from a table on the right, drinks and puts it back."""
    times = timeline(9.2)
    acting = stand(times, FPS, 60, apart=0.13, toe_out=10.0)
    begin, end = _SIT
    span = end - begin
    u = (times - begin) / span
    # Back first, then down; the seat is met slowly at 70 %, then the weight sinks in.
    back = moves(times, 0.0, (begin, begin + 0.80 * span, 1.0))
    down = moves(times, 0.0, (begin + 0.08 * span, begin + 0.92 * span, 1.0))
    start = np.array([0.0, standing_height(0.13), 0.026])
    alive = acting.hips - start
    settle = 1.0 - 0.8 * down[:, None]
    acting.hips = start + np.stack([0 * back, down, back], axis=-1) * (_SEAT - start) + alive * settle
    bow = 40.0 * bump(0.5 * np.clip(u / 0.46, 0, 1) + 0.5 * np.clip((u - 0.46) / 0.62, 0, 1))
    seated = down

    reach, lift, sip, put, home = 2.75, 3.75, 5.0, 6.35, 7.5
    lean_in = moves(times, 0.0, (reach - 0.05, reach + 0.75, 1.0), (lift, lift + 0.9, 0.25), (put, put + 0.9, 1.0),
                    (home - 0.1, home + 0.8, 0.0))  # fmt: skip
    tip = moves(times, 0.0, (sip - 0.15, sip + 0.35, 1.0), (put - 0.45, put + 0.05, 0.0))
    acting.pelvis.pitch = acting.pelvis.pitch + 0.62 * bow - 12.0 * seated
    acting.chest.pitch = acting.chest.pitch + bow + 2.0 * seated + 7.0 * lean_in - 3.0 * tip
    acting.chest.yaw = acting.chest.yaw + 7.0 * lean_in
    acting.chest.roll = acting.chest.roll + 2.5 * lean_in
    look = moves(
        times, 0.0, (begin - 0.1, begin + 0.5, 0.35), (end - 0.5, end, 0.1), (reach - 0.25, reach + 0.25, 1.0),
        (lift + 0.3, lift + 0.9, 0.15), (put - 0.2, put + 0.4, 1.0), (home + 0.1, home + 0.8, 0.0),
    )  # fmt: skip
    acting.head.pitch = acting.head.pitch + 0.45 * bow + 24.0 * look - 16.0 * tip
    acting.head.yaw = acting.head.yaw - 16.0 * look * seated
    _hands(acting, times, seated, (reach, lift, sip, put, home), tip)
    names = ((begin + 0.7 * span, "seat"), (lift, "grasp"), (sip, "sip"), (put + 1.0, "put down"))
    acting.markers = tuple(Marker(round(t * FPS), name) for t, name in names)
    return acting.clip()


def _hands(acting: Acting, times: Floats, seated: Floats, plan: tuple[float, ...], tip: Floats) -> None:
    """Hands go to the thighs, the right one to the cup, the mouth and back."""
    reach, lift, sip, put, home = plan
    begin, end = _SIT
    hang = acting.clip().positions()
    rest = min_jerk((times - begin - 0.55) / (end - begin - 0.25))[:, None]
    for arm, name, side in ((acting.left_arm, "LeftHand", 1.0), (acting.right_arm, "RightHand", -1.0)):
        loose = hang[:, figure().index(name)]
        thigh = _SEAT + np.array([side * 0.155, 0.085, 0.30])
        path = loose + rest * (thigh - loose)
        path[:, 2] += 0.10 * bump((times - begin) / (end - begin))  # arms come forward while the hips go back
        arm.hand = path
        arm.pole = np.array([0.62, -0.60, -0.50])
        arm.protraction = arm.protraction + 5.0 * seated
        arm.pronation = 22.0 + 45.0 * rest[:, 0]
    arm = acting.right_arm
    thigh, mouth = _SEAT + np.array([-0.155, 0.085, 0.30]), _SEAT + np.array([-0.115, 0.575, 0.245])
    goals = moves(
        times, np.zeros(3), (reach, lift, _CUP - thigh), (lift + 0.05, sip, mouth - thigh),
        (put, put + 1.0, _CUP - thigh), (home, home + 0.9, np.zeros(3)),
    )  # fmt: skip
    over_the_edge = 0.035 * (bump(times - reach) + bump((times - home) / 0.9)) + 0.012 * tip
    arm.hand = path + goals + over_the_edge[:, None] * np.array([0.0, 1.0, 0.0])
    low = moves(times, 0.0, (lift, sip, 1.0), (put, put + 1.0, 0.0))[:, None]
    arm.pole = np.array([0.62, -0.60, -0.50]) + low * np.array([-0.05, -0.10, 0.0])
    holding = moves(times, 0.0, (reach + 0.1, lift - 0.05, 1.0), (home + 0.05, home + 0.8, 0.0))
    _hold_level(acting, holding, tip)


def _hold_level(acting: Acting, holding: Floats, tip: Floats) -> None:
    """The right hand keeps a cup upright as far as its wrist allows, and tips it at the mouth."""
    clip = acting.clip()
    places = clip.positions()
    forearm = places[:, figure().index("RightHand")] - places[:, figure().index("RightForeArm")]
    fingers = forearm * [1.0, 0.5, 1.0]
    palm = np.cross([0.0, 1.0, 0.0], fingers)
    tilt = rot.from_axis_angle((1.0, 0.0, 0.35), np.radians(-24.0) * tip)
    level = rot.multiply(tilt, grip("Right", fingers, palm))
    loose = clip.world_rotations()[:, figure().index("RightHand")]
    acting.right_arm.grip = rot.slerp(loose, level, 0.85 * holding)
