"""Examples for aiming: sets of reaches, pointings, grasps and pourings with the right hand.

All examples of a set have the same length and start in the same pose; the hand arrives at the last frame. It moves on
an almost straight line with minimum-jerk timing; the eyes lead, and the trunk helps the more the farther the goal is.
The end of the arm is the wrist, the joint "RightHand".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from tools.samples.acting import Acting
from tools.samples.actions import FPS, timeline
from tools.samples.curves import bump, min_jerk
from tools.samples.figure import ARM, figure
from tools.samples.standing import grip, stand

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.rotations import Floats

SHOULDER = np.array([-0.186, 1.410, 0.005])
"""About where the right shoulder is in the standing figure: directions and distances of goals are from here."""

_SEED = 90
_HAND_STARTS = 0.10
_ELBOW_LEFT = 0.978  # the arm is stretched no further than this part of its length: the elbow keeps 24 degrees
_MOST_HELP = 2.4
_POINTING = 0.6  # how far the wrist turns the hand from where the forearm points to where it shall point
_LOOSE = (22.0, 9.0)  # pronation and wrist of a hanging hand
_HELD = (2.0, -8.0)  # and of one that holds a bottle upright


@dataclass(frozen=True)
class Reach:
    """One example: where the wrist goes and how.

    goal : metres, world. seconds : length of the clip.
    hand : pronation, wrist and deviation at the end, degrees.
    turned : (4,) how the hand is turned in the world at the end, in place of ``hand``.
    trunk : how much of the rule's help the trunk gives.
    arrive : when hand and turn arrive, as parts of the clip. A pouring hand tilts after it has arrived.
    held : whether the hand starts in front of the belly, holding something, instead of hanging.
    elbow_out : how far the elbow is lifted outwards, degrees about the line from shoulder to wrist, + up.
    lean, yaw : degrees by which this example's trunk differs from the rule. shift : the same for the hips, metres.
    """

    goal: tuple[float, float, float]
    seconds: float = 1.1
    hand: tuple[float, float, float] = (48.0, -7.0, 0.0)
    turned: tuple[float, float, float, float] | None = None
    trunk: float = 1.0
    arrive: tuple[float, float] = (1.0, 1.0)
    held: bool = False
    elbow_out: float = 0.0
    lean: float = 0.0
    yaw: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)
    event: str = "reach"


def toward(azimuth: float, elevation: float, distance: float) -> Floats:
    """A point seen from the right shoulder: azimuth in degrees, + to the right; elevation, + up; metres."""
    a, e = np.radians([azimuth, elevation])
    return SHOULDER + distance * np.array([-np.sin(a) * np.cos(e), np.sin(e), np.cos(a) * np.cos(e)])


def perform(reach: Reach) -> Clip:
    """The clip of one example."""
    goal = np.asarray(reach.goal)
    help_ = _enough_help(reach, goal)
    times = timeline(reach.seconds)
    end = reach.seconds * reach.arrive[0]
    acting = stand(times, FPS, _SEED)
    start = _start_of_hand(reach)
    _lean(acting, reach, goal, help_, min_jerk((times - _HAND_STARTS + 0.03) / (end - _HAND_STARTS + 0.03)))
    _look(acting, goal, min_jerk(times / (0.45 * reach.seconds)))
    u = (times - _HAND_STARTS) / (end - _HAND_STARTS)
    _move_hand(acting, reach, start, goal, u)
    acting.markers = (Marker(len(times) - 1, reach.event),)
    return acting.clip()


def _lean(acting: Acting, reach: Reach, goal: Floats, help_: float, share: Floats) -> None:
    """The trunk leans and turns towards the goal, by the rule times ``help_``; pelvis and collar take part."""
    way = goal - SHOULDER
    distance = float(np.linalg.norm(way)) / ARM
    azimuth = np.arctan2(-way[0], way[2])
    up = way[1] / np.linalg.norm(way)
    lean = help_ * np.interp(distance, [0.70, 0.80, 1.00, 1.20, 1.35], [0.0, 2.0, 8.0, 22.0, 32.0]) + reach.lean
    turn = help_ * np.interp(distance, [0.70, 0.80, 1.00, 1.20], [0.0, 2.0, 8.0, 16.0])
    pitch = lean * np.cos(azimuth) * np.clip(1.0 - 1.15 * up, 0.12, 1.6)
    roll = lean * np.sin(azimuth) * 0.75
    yaw = turn * np.cos(azimuth) - 0.16 * np.degrees(azimuth) + reach.yaw
    shift = help_ * np.interp(distance, [0.85, 1.20], [0.0, 0.042]) * np.array([-np.sin(azimuth), np.cos(azimuth)])
    shift = shift + np.asarray(reach.shift)
    shift[1] -= 0.0028 * max(0.0, pitch - 10.0)  # deep bends push the hips back, over the feet
    acting.hips = acting.hips + share[:, None] * np.array([shift[0], -0.30 * np.hypot(*shift), shift[1]])
    acting.pelvis.yaw = acting.pelvis.yaw + 0.40 * yaw * share
    acting.pelvis.pitch = acting.pelvis.pitch + 0.42 * pitch * share
    acting.pelvis.roll = acting.pelvis.roll + (0.25 * roll + 40.0 * shift[0]) * share
    acting.chest.yaw = acting.chest.yaw + yaw * share
    acting.chest.pitch = acting.chest.pitch + pitch * share
    acting.chest.roll = acting.chest.roll + roll * share
    acting.left_arm.flexion = acting.left_arm.flexion - (0.25 * pitch + 0.20 * yaw) * share
    acting.left_arm.abduction = acting.left_arm.abduction + 0.20 * lean * share
    acting.left_arm.elbow = acting.left_arm.elbow + 0.30 * lean * share
    raised = np.degrees(np.arccos(np.clip(-up, -1.0, 1.0)))
    arm = acting.right_arm
    arm.elevation = arm.elevation + max(0.0, (raised - 45.0) / 3.6) * share
    arm.protraction = np.interp(distance, [0.6, 1.1], [3.0, 13.0]) * np.cos(azimuth) * share


def _look(acting: Acting, goal: Floats, share: Floats) -> None:
    """The head turns to the goal, ahead of the hand; the eyes do the rest."""
    eyes = np.array([0.0, 1.62, 0.10])
    x, y, z = goal - eyes
    yaw, pitch = np.degrees(np.arctan2(x, z)), np.degrees(np.arctan2(-y, np.hypot(x, z)))
    acting.head.yaw = acting.head.yaw + 0.65 * yaw * share
    acting.head.pitch = acting.head.pitch + 0.60 * pitch * share


def _move_hand(acting: Acting, reach: Reach, start: Floats, goal: Floats, u: Floats) -> None:
    arm = acting.right_arm
    way = goal - start
    share = min_jerk(u)
    # A slight arc, up and outwards, as hands do: 3 % of the way.
    side = np.array([-0.5, 0.6, 0.4])
    side = side - (side @ way) / (way @ way) * way
    side = 0.03 * np.linalg.norm(way) * side / np.linalg.norm(side)
    arm.hand = start + share[:, None] * way + (np.sin(np.pi * share) ** 1.5)[:, None] * side
    out = np.radians(reach.elbow_out) * share
    pole = np.array([0.55, -0.62, -0.56])
    lifted = rot.rotate(rot.from_axis_angle((0.0, 0.25, 1.0), out), pole)
    arm.pole = lifted
    late = min_jerk((u - 0.12) / (reach.arrive[1] / reach.arrive[0] - 0.12))
    pronation, wrist, deviation = reach.hand
    start_pronation, start_wrist = _HELD if reach.held else _LOOSE
    arm.pronation = start_pronation + (pronation - start_pronation) * late
    arm.wrist = start_wrist + (wrist - start_wrist) * late - 5.0 * bump(u)
    arm.deviation = deviation * late
    if reach.turned is not None:
        # From where the wrist's own angles would take the hand over to the wanted turn.
        loose = acting.clip().world_rotations()[:, figure().index("RightHand")]
        arm.grip = rot.slerp(loose, np.broadcast_to(np.asarray(reach.turned), loose.shape), _POINTING * late)


def _start_of_hand(reach: Reach) -> Floats:
    """Where the right wrist is at the beginning."""
    if reach.held:
        return np.array([-0.17, 1.03, 0.27])
    clip = stand(np.zeros(1), FPS, _SEED).clip()
    return clip.positions()[0, figure().index("RightHand")]


def _enough_help(reach: Reach, goal: Floats) -> float:
    """How much the trunk must help so that the elbow is not stretched: 1 is the rule, more for far goals."""

    def stretch(help_: float) -> float:
        acting = stand(np.array([reach.seconds]), FPS, _SEED)
        _lean(acting, reach, goal, help_, np.ones(1))
        shoulder = acting.clip().positions()[0, figure().index("RightArm")]
        return float(np.linalg.norm(goal - shoulder)) / ARM

    low, high = reach.trunk, _MOST_HELP
    if stretch(low) <= _ELBOW_LEFT:
        return low
    for _ in range(9):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if stretch(middle) <= _ELBOW_LEFT else (middle, high)
    return high


def reaches() -> Iterator[Reach]:
    """Sixteen reaches: eight on a near and eight on a far shell round the right shoulder, corners and edges."""
    rng = np.random.default_rng(16)
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (0, -1), (1, 0), (0, 1), (-1, 0))
    for distance, grow in ((0.44, 1.0), (0.70, 1.0)):
        for across, up in corners:
            azimuth = 12.0 + grow * 50.0 * across + rng.normal(scale=3.0)
            elevation = -4.0 + grow * 40.0 * up + rng.normal(scale=3.0)
            goal = toward(azimuth, elevation, distance + rng.normal(scale=0.012))
            yield Reach(
                _three(goal),
                elbow_out=rng.normal(scale=7.0),
                lean=rng.normal(scale=1.5),
                yaw=rng.normal(scale=2.0),
                shift=(rng.normal(scale=0.006), rng.normal(scale=0.006)),
            )


def pointings() -> Iterator[Reach]:
    """Twenty directions to point in, five across and four up."""
    rng = np.random.default_rng(20)
    for elevation in (-38.0, -13.0, 12.0, 36.0):
        for azimuth in (-42.0, -15.0, 12.0, 42.0, 72.0):
            a, e = azimuth + rng.normal(scale=3.5), elevation + rng.normal(scale=3.5)
            goal = toward(a, e, 0.635 + rng.uniform(-0.02, 0.015))
            palm = np.array([0.45, -0.85, 0.0])
            yield Reach(
                _three(goal), seconds=1.0, turned=_four(grip("Right", goal - SHOULDER, palm)), trunk=0.25,
                elbow_out=rng.normal(scale=5.0), lean=rng.normal(scale=1.0), yaw=rng.normal(scale=1.5), event="point",
            )  # fmt: skip


def grasps() -> Iterator[Reach]:
    """Fifteen grasps at things before the body, each with the hand turned its own way."""
    rng = np.random.default_rng(15)
    low, high = np.array([-0.46, 0.98, 0.30]), np.array([0.04, 1.36, 0.52])
    for place in _spread(rng, 15, 6):
        goal = low + (high - low) * place[:3]
        hand = np.array([-18.0, -24.0, -14.0]) + place[3:] * [84.0, 46.0, 26.0]
        yield Reach(
            _three(goal), seconds=1.0, hand=_three(hand), elbow_out=rng.normal(scale=5.0),
            lean=rng.normal(scale=1.0), yaw=rng.normal(scale=1.5), event="grasp",
        )  # fmt: skip


def pourings() -> Iterator[Reach]:
    """Twenty pourings: the hand carries something upright to its place and tips it over to the left."""
    rng = np.random.default_rng(21)
    low, high = np.array([-0.42, 1.00, 0.27]), np.array([0.04, 1.20, 0.46])
    for place in _spread(rng, 20, 4):
        goal = low + (high - low) * place[:3]
        tilt = 20.0 + 75.0 * place[3]
        yield Reach(
            _three(goal), seconds=1.4, hand=(0.78 * tilt, -6.0, -5.0), arrive=(0.72, 1.0), held=True,
            elbow_out=0.40 * tilt + rng.normal(scale=4.0), lean=rng.normal(scale=1.0), yaw=rng.normal(scale=1.5),
            event="pour",
        )  # fmt: skip


def _spread(rng: np.random.Generator, count: int, axes: int) -> Floats:
    """Points that fill a unit cube well, many of them on its faces: each is the farthest of sixty tries."""
    points: list[Floats] = []
    while len(points) < count:
        tries = rng.uniform(0, 1, (60, axes))
        tries = np.where(rng.random(tries.shape) < 0.5, np.round(tries), tries)
        if points:
            far = np.min(np.linalg.norm(tries[:, None] - np.array(points), axis=-1), axis=1)
            points.append(tries[int(np.argmax(far))])
        else:
            points.append(tries[0])
    return np.array(points)


def _three(point: Floats) -> tuple[float, float, float]:
    x, y, z = point.tolist()
    return x, y, z


def _four(turned: Floats) -> tuple[float, float, float, float]:
    w, x, y, z = turned.tolist()
    return w, x, y, z
