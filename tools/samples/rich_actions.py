"""Motion for the richer figures: hands that wave, count and grasp with their fingers, a child that walks, a wave on a
studio's skeleton."""

from __future__ import annotations

import numpy as np
from tools.samples import actions
from tools.samples.actions import FPS, shift_weight, timeline
from tools.samples.curves import bump, min_jerk, moves
from tools.samples.figure import SIDES, side_sign
from tools.samples.gait import Gait, Style
from tools.samples.hands import RELAXED, Hand, alive, together, trail
from tools.samples.reaches import Reach, perform
from tools.samples.rich_figures import as_child, child_rate, on_studio_figure, with_fingers
from tools.samples.standing import stand

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.rotations import Floats

CHILD = Style(
    cadence=119.0, step=0.69, width=0.10, toe_out=5.0, bounce=1.4, push=10.0, behind=0.02, thigh_lift=5.0,
    knee_lift=6.0, pelvis_rotation=1.3, obliquity=1.2, lean=1.0, lean_swing=1.4, sideways=1.6, twist=1.4,
    head_pitch=-2.0, head_swing=1.8, arm_swing=1.5, flexion=2.0, abduction=12.0, elbow=30.0, elbow_swing=1.3,
    vary_time=0.03, vary_step=0.045, vary_width=0.25, seed=31,
)  # fmt: skip

_GRASP = Reach(
    (-0.20, 1.12, 0.46), seconds=1.7, hand=(14.0, -22.0, 4.0), arrive=(0.72, 0.72), elbow_out=4.0, event="grasp"
)
_GRASP_STARTS = 0.10
_WIDEST = 0.67  # part of the way at which a grasping hand is open widest (Jeannerod 1984)
_OPEN = np.array([0.04, 0.06, 0.10, 0.15])
_CLOSED = np.array([0.36, 0.39, 0.42, 0.45])  # round a glass of six centimetres
_FISTED = np.full(4, 0.97)
_UP = np.array([0.02, 0.02, 0.03, 0.05])


def wave_fingers() -> Clip:
    """A greeting with fingers: they curl while the hand rises, open, trail behind each swing and close again."""
    clip = actions.wave()
    up, down = 0.55, 3.05
    late = np.array([0.0, 0.02, 0.045, 0.075])  # the little finger opens last

    def rising(value: Floats, begin: float, arrive: float) -> Floats:
        ease = min_jerk((clip.times[:, None] - begin - late) / (arrive - begin))
        return np.asarray(ease * value)

    closed, opened, rest = np.array([0.50, 0.54, 0.57, 0.59]), np.array([0.04, 0.05, 0.07, 0.09]), np.array(RELAXED)
    curl = rest + rising(closed - rest, up, up + 0.30) + rising(opened - closed, up + 0.27, up + 0.62)
    curl = curl + rising(closed - opened, down + 0.02, down + 0.38) + rising(rest - closed, down + 0.42, down + 1.0)
    sideways, bend = trail(clip, "Right")
    right = Hand(
        curl=alive(clip.times, curl, 301),
        spread=moves(clip.times, 1.5, (up + 0.30, up + 0.66, 7.5), (down, down + 0.45, 1.5)),
        sideways=sideways,
        bend=bend,
        thumb=moves(clip.times, 0.25, (up, up + 0.35, 0.35), (up + 0.3, up + 0.65, 0.02), (down, down + 0.5, 0.25)),
        opposed=moves(clip.times, 14.0, (up + 0.3, up + 0.65, 3.0), (down, down + 0.5, 14.0)),
    )
    return with_fingers(clip, _hanging(clip, 311), right)


def count() -> Clip:
    """The right hand counts from one to five on its fingers, index finger first, nodding slightly at each."""
    times = timeline(5.6)
    acting = stand(times, FPS, 50)
    up, first, beat = 0.40, 1.15, 0.60
    down = first + 5 * beat + 0.10
    marks = first + beat * np.arange(5)

    def held(start: float, rise: float, fall: float, value: float, rest: float = 0.0) -> Floats:
        return moves(times, rest, (start, start + rise, value), (down + start - up, down + start - up + fall, rest))

    # The hand drops and comes back with every number: it is lowest when the finger is out.
    nods = np.sum([bump((times - mark + 0.18) / 0.40) for mark in marks], axis=0)
    acting.head.yaw = acting.head.yaw + held(up - 0.15, 0.45, 0.6, -9.0)
    acting.head.pitch = acting.head.pitch + held(up - 0.10, 0.5, 0.7, 5.0) + 1.6 * nods
    shift_weight(acting, held(up - 0.05, 0.6, 0.9, 0.012))
    acting.chest.yaw = acting.chest.yaw + held(up, 0.6, 0.8, -3.0)
    arm = acting.right_arm
    arm.elevation = arm.elevation + held(up, 0.6, 0.7, 4.0)
    arm.flexion = held(up, 0.62, 0.72, 30.0, rest=3.0) - 1.0 * nods
    arm.abduction = held(up + 0.02, 0.60, 0.70, 17.0, rest=7.0)
    arm.rotation = held(up + 0.05, 0.58, 0.70, -12.0, rest=12.0)
    arm.elbow = held(up - 0.03, 0.64, 0.78, 122.0, rest=17.0) - 5.0 * nods
    arm.pronation = held(up + 0.08, 0.60, 0.70, 64.0, rest=22.0)
    arm.wrist = held(up + 0.10, 0.55, 0.75, -10.0, rest=9.0) + 7.0 * nods
    words = ("one", "two", "three", "four", "five")
    acting.markers = tuple(Marker(round(mark * FPS), word) for mark, word in zip(marks, words, strict=True))
    clip = acting.clip()

    fist = min_jerk((times[:, None] - up - 0.15) / 0.45)
    out = min_jerk((times[:, None] - marks[:4] + 0.14) / 0.20)
    rest = min_jerk((times[:, None] - down - 0.05 - [0.0, 0.02, 0.04, 0.07]) / 0.6)
    wanted = np.array(RELAXED) + fist * (_FISTED - RELAXED) + out * (_UP - _FISTED) + rest * (RELAXED - _UP)
    thumb_out = (marks[4] - 0.14, marks[4] + 0.08)
    sideways, bend = trail(clip, "Right")
    right = Hand(
        curl=alive(times, together(wanted), 321, size=0.010),
        spread=1.5 + 5.5 * out.prod(axis=1) * (1.0 - rest[:, 0]),
        sideways=sideways,
        bend=bend,
        thumb=moves(times, 0.25, (up + 0.25, up + 0.65, 0.90), (*thumb_out, 0.0), (down, down + 0.6, 0.25)),
        opposed=moves(times, 14.0, (up + 0.2, up + 0.6, 46.0), (*thumb_out, 0.0), (down, down + 0.6, 14.0)),
    )
    return with_fingers(clip, _hanging(clip, 331), right)


def take_glass() -> Clip:
    """The right hand reaches for a glass: its fingers open widest at two thirds of the way and close round it."""
    clip = perform(_GRASP)
    arrive = _GRASP.seconds * _GRASP.arrive[0]
    widest = _GRASP_STARTS + _WIDEST * (arrive - _GRASP_STARTS)
    begin, end = _GRASP_STARTS + 0.05, arrive + 0.10
    late = np.array([0.0, 0.01, 0.025, 0.045])
    times = clip.times
    rest = np.array(RELAXED)

    def way(start: float, stop: float) -> Floats:
        # The hand turns from opening to closing at one moment; the fingers meet the glass one after the other.
        return min_jerk((times[:, None] - start - late * (stop > widest)) / (stop - start))

    curl = rest + way(begin, widest) * (_OPEN - rest) + way(widest, end) * (_CLOSED - _OPEN)
    right = Hand(
        curl=alive(times, curl, 341, size=0.006),
        spread=moves(times, 1.5, (begin, widest, 4.5), (widest, end, 2.0)),
        thumb=moves(times, 0.25, (begin, widest, 0.0), (widest, end, 0.34)),
        opposed=moves(times, 14.0, (begin, widest, 40.0), (widest, end, 44.0)),
    )
    event = Marker(round(end * clip.fps), "grasp")
    return with_fingers(clip, _hanging(clip, 351), right).replace(markers=(event,))


def walk_child() -> Clip:
    """A child 1.20 m tall walks: quick short steps, a bounce, a large head."""
    cycles, fps = 7, child_rate(FPS)
    gait = Gait(CHILD, cycles)
    gait.settle(fps)
    end = float(gait.strike_times[np.flatnonzero(gait.steps == 2 * cycles)[0]])
    times = np.arange(round(end * fps) + 1) / fps
    acting = gait.acting(gait.phase(times), fps)
    acting.markers = gait.markers(times)
    return as_child(acting.clip(), FPS)


def wave_rig() -> Clip:
    """The wave on a studio's skeleton of 31 joints, some of which have no length."""
    clip = actions.wave()
    added: dict[str, Floats] = {}
    for side in SIDES:
        sign = side_sign(side)
        sideways, bend = trail(clip, side)
        open_hand = 0.0 if side == "Left" else moves(clip.times, 0.0, (0.85, 1.2, 1.0), (3.05, 3.5, 0.0))
        angles = np.radians(np.stack([sideways, bend + 24.0 - 18.0 * open_hand], axis=-1))
        added[f"{side}HandIndex1"] = rot.from_euler(-sign * angles, "YZ")
        thumb = np.radians(12.0 - 10.0 * open_hand + 0.0 * sideways)
        added[f"{side[0]}Thumb"] = rot.from_axis_angle((1.0, 0.0, 0.0), thumb)
    return on_studio_figure(clip, added)


def _hanging(clip: Clip, seed: int) -> Hand:
    """The fingers of the left hand, which has nothing to do."""
    sideways, bend = trail(clip, "Left")
    return Hand(curl=alive(clip.times, np.array(RELAXED), seed), sideways=sideways, bend=bend)
