"""Feet that stand, roll and swing: from a plan of footholds to the path of the ankle.

A foot on the floor rolls over three pivots: the heel when the toes are up, the whole sole, then the ball of the foot
with the toes flat, and at last the tip of the toes. The pivot never moves, so the foot never slides, whatever its
pitch does. Between two stances the ankle follows a shape of its own, bent so that it leaves the one and meets the
other with the same place, speed and acceleration.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tools.samples.acting import Foot
from tools.samples.curves import Path, bump, min_jerk, quintic, state
from tools.samples.figure import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, HEEL_BEHIND, SHANK, THIGH, TOES

from kinetune import rotations as rot
from kinetune.body.kinematics.limb_ik import soften_reach
from kinetune.rotations import Floats

_MOST_TOE_BEND = 52.0
_STIFF_TOES = 0.28  # the last part of the toes' bend, which meets resistance
STRAIGHTEST = 0.9975 * (THIGH + SHANK)
"""Hip to ankle of a standing leg whose knee is bent by 8 degrees: no straighter, it would look locked."""
_LEAST_BEND, _ROUNDING = np.radians(3.0), np.radians(1.0)  # a knee in the air stops here, and how gently
_CLEARANCE = 0.010  # metres between the floor and a foot in the middle of its swing
_CATCH_UP = (0.30, 0.15)  # the parts of a swing, at its start and end, in which it takes over the speed of the stance


@dataclass(frozen=True)
class Stance:
    """One stay of a foot on the floor.

    x, z : metres, the point under the ankle when the sole is flat. yaw : degrees, + toes to the left.
    strike, flat, rise, leave : times at which it lands, is flat, lifts its heel, and leaves.
    landing, leaving : (3,) pitch in degrees (+ toes up) and its first two derivatives at strike and leave.
    push : degrees by which the heel rises earlier than it must.
    """

    x: float
    z: float
    yaw: float
    strike: float
    flat: float
    rise: float
    leave: float
    landing: tuple[float, float, float] = (0.0, 0.0, 0.0)
    leaving: tuple[float, float, float] = (0.0, 0.0, 0.0)
    push: float = 0.0

    def pitch(self, times: Floats) -> Floats:
        """Degrees, + toes up; also a little before the strike and after the leave."""
        still = np.zeros(3)
        curve = np.zeros(len(times))
        early, late = times < self.flat, times > self.rise
        curve[early] = quintic(times[early], self.strike, self.flat, np.array(self.landing), still)
        curve[late] = quintic(times[late], self.rise, self.leave, still, np.array(self.leaving))
        curve[late] -= self.push * bump((times[late] - self.rise) / (self.leave - self.rise))
        return curve

    @property
    def place(self) -> Floats:
        """(3,) the point under the ankle when the sole is flat."""
        return np.array([self.x, 0.0, self.z])

    def ankle(self, times: Floats) -> Floats:
        """(n, 3) metres."""
        return roll_foot(self.place, self.yaw, self.pitch(times))[0]


def toe_bend(pitch: Floats) -> Floats:
    """How far the toes bend so that they stay flat while the heel rises, up to what toes can do."""
    return soften_reach(np.maximum(-pitch, 0.0), _MOST_TOE_BEND, _STIFF_TOES)


def roll_foot(place: Floats, yaw: ArrayLike, pitch: Floats) -> tuple[Floats, Floats]:
    """The ankle (n, 3) of a foot on the floor and the bend of its toes (n,), from its pitch.

    Parameters
    ----------
    place : (3,) or (n, 3), the point under the ankle when the sole is flat.
    yaw : degrees. pitch : (n,) degrees, + toes up.
    """
    turn = rot.about_y(np.radians(np.broadcast_to(np.asarray(yaw, dtype=float), pitch.shape)))
    bend = toe_bend(pitch)
    on_heel = np.array([0.0, 0.0, -HEEL_BEHIND]) + _pitched(np.maximum(pitch, 0.0), (0.0, ANKLE_HEIGHT, HEEL_BEHIND))
    heel_up = np.minimum(pitch, 0.0)
    tip = np.array([0.0, 0.0, BALL_AHEAD + TOES])
    ball = tip + _pitched(heel_up + bend, (0.0, BALL_HEIGHT, -TOES))
    on_toes = ball + _pitched(heel_up, (0.0, ANKLE_HEIGHT - BALL_HEIGHT, -BALL_AHEAD))
    ankle = np.where(pitch[:, None] >= 0, on_heel, on_toes)
    return place + rot.rotate(turn, ankle), bend


def _pitched(pitch: Floats, vector: tuple[float, float, float]) -> Floats:
    """A vector of the foot's frame when the foot is pitched toes up."""
    return rot.rotate(rot.from_axis_angle((1.0, 0.0, 0.0), -np.radians(pitch)), np.array(vector))


@dataclass(frozen=True)
class Swing:
    """The shape of a foot's way through the air; its ends are bent to meet the stances.

    ankle : times to (n, 3) metres. pitch : times to (n,) degrees.
    hip : times to (n, 3), the joint about which the leg swings. With it the way is bent by turning and stretching the
        leg, which keeps the knee's motion smooth where the leg is long.
    ends : the part of the way, from each end, over which it is bent; less than a half leaves the middle as it is.
    """

    ankle: Path
    pitch: Path
    hip: Path | None = None
    ends: float = 1.0


def lifted_swing(start: float, end: float, height: float, tip: float = 0.0) -> Swing:
    """A plain swing: the ankle rises by ``height``; the toes hang by ``tip`` degrees early on and rise later."""

    def ankle(times: Floats) -> Floats:
        up = height * bump(np.clip((times - start) / (end - start), 0.0, 1.0) ** 0.9)
        return np.stack([0 * up, up, 0 * up], axis=-1)

    def pitch(times: Floats) -> Floats:
        u = np.clip((times - start) / (end - start), 0.0, 1.0)
        return np.asarray(-tip * bump(u / 0.75) + 0.35 * tip * bump((u - 0.45) / 0.55))

    return Swing(ankle, pitch)


def walk_foot(times: Floats, stances: Sequence[Stance], swing: Swing | None = None) -> Foot:
    """The foot that stands on each foothold in turn and swings from one to the next.

    Parameters
    ----------
    times : (n,) when to look.
    stances : in order of time; they reach over the ends of ``times``.
    swing : the shape of the way between them; not needed for one stance.
    """
    frames = len(times)
    ankle, pitch, yaw, toes = np.zeros((frames, 3)), np.zeros(frames), np.zeros(frames), np.zeros(frames)
    planted = np.zeros(frames, dtype=bool)
    for stance in stances:
        now = (times >= stance.strike) & (times <= stance.leave)
        pitch[now] = stance.pitch(times[now])
        ankle[now], toes[now] = roll_foot(stance.place, stance.yaw, pitch[now])
        yaw[now] = stance.yaw
        planted |= now
    pairs = [p for p in itertools.pairwise(stances) if p[0].leave < times[-1] and p[1].strike > times[0]]
    if swing is not None and pairs:
        air = _Air(swing, pairs, times[~planted])
        ankle[~planted], pitch[~planted], toes[~planted], yaw[~planted] = air.ankle, air.pitch, air.toes, air.yaw
    return Foot(ankle, yaw, pitch, toes=toes, planted=planted)


class _Air:
    """A foot in the air, at times that lie between the stances of ``pairs``."""

    def __init__(self, swing: Swing, pairs: Sequence[tuple[Stance, Stance]], times: Floats) -> None:
        self.swing = swing
        self.times = times
        self.begins = np.array([last.leave for last, _ in pairs])
        self.ends = np.array([following.strike for _, following in pairs])
        self.pair = np.clip(np.searchsorted(self.begins, times, side="right") - 1, 0, len(pairs) - 1)
        self.begin, self.end = self.begins[self.pair], self.ends[self.pair]
        self.u = (times - self.begin) / (self.end - self.begin)
        before = np.stack([_stance_states(last, last.leave) for last, _ in pairs], axis=2)  # (5, 3, pairs)
        after = np.stack([_stance_states(following, following.strike) for _, following in pairs], axis=2)
        self.pitch = self._bent(swing.pitch, before[3], after[3])
        self.toes = self._toes(before[4], after[4], np.array([f.landing[0] > 5 for _, f in pairs]))
        from_yaw, to_yaw = (np.array([pair[k].yaw for pair in pairs])[self.pair] for k in (0, 1))
        self.yaw = from_yaw + (to_yaw - from_yaw) * min_jerk(self.u)
        if swing.hip is None:
            self.ankle = self._bent(swing.ankle, _places(before), _places(after))
        else:
            self.ankle = self._by_leg(pairs)
        for k in range(len(pairs)):
            now = self.pair == k
            if now.any():
                clearance = self.ankle[now, 1] - sole_depth(self.pitch[now], self.toes[now])
                self.ankle[now, 1] += _clearing_lift(self.u[now], clearance)

    def _bent(self, shape: Path, before: Floats, after: Floats) -> Floats:
        """The shape with its ends bent onto what comes before and after it, smooth to the second derivative.

        The offset between them changes slowly over the whole way; differences of speed are caught up in a short part
        of it at each end, lest they swing the middle far off.

        Parameters
        ----------
        before, after : (3, pairs, ...) value, slope and curvature where the swing begins and ends.
        """
        start = (before - state(shape, self.begins))[:, self.pair]
        stop = (after - state(shape, self.ends))[:, self.pair]
        tail = (1,) * (start.ndim - 2)
        part = self.swing.ends
        from_start = min_jerk(self.u / part).reshape(-1, *tail)
        to_end = min_jerk((self.u - 1.0 + part) / part).reshape(-1, *tail)
        path = shape(self.times) + (1.0 - from_start) * start[0] + to_end * stop[0]
        length = self.end - self.begin
        start[0] = stop[0] = 0.0
        still = np.zeros_like(start)
        caught, catching = self.begin + _CATCH_UP[0] * length, self.end - _CATCH_UP[1] * length
        early, late = self.times < caught, self.times > catching
        path[early] += quintic(self.times[early], self.begin[early], caught[early], start[:, early], still[:, early])
        path[late] += quintic(self.times[late], catching[late], self.end[late], still[:, late], stop[:, late])
        return path

    def _toes(self, before: Floats, after: Floats, heel_first: NDArray[np.bool_]) -> Floats:
        """The toes straighten in the first half, and rise a little before the heel lands."""
        middle = 0.5 * (self.begin + self.end)
        still = np.zeros((3, len(self.times)))
        early = quintic(self.times, self.begin, middle, before[:, self.pair], still)
        late = quintic(self.times, middle, self.end, still, after[:, self.pair])
        rise = 7.0 * bump((self.u - 0.4) / 0.6) * heel_first[self.pair]
        return np.where(self.u < 0.5, early, late) + rise

    def _by_leg(self, pairs: Sequence[tuple[Stance, Stance]]) -> Floats:
        """The ankle, bent onto the stances by turning and stretching the leg about the hip."""
        hip = self.swing.hip
        assert hip is not None

        def as_leg(ankle: Floats, times: Floats) -> Floats:
            """Sideways place, bend and swing of the leg."""
            _, y, z = np.moveaxis(ankle - hip(times), -1, 0)
            stretch = np.minimum(np.hypot(y, z) / (THIGH + SHANK), 1.0)
            return np.stack([ankle[:, 0], 2.0 * np.arccos(stretch), np.arctan2(z, -y)], axis=-1)

        def stances(times: Floats, which: int) -> Floats:
            # times come as three blocks, one time a pair in each
            own = np.tile(np.arange(len(pairs)), 3)
            ankle = np.empty((len(times), 3))
            for k, pair in enumerate(pairs):
                ankle[own == k] = pair[which].ankle(times[own == k])
            return as_leg(ankle, times)

        before = state(lambda t: stances(t, 0), self.begins)
        after = state(lambda t: stances(t, 1), self.ends)
        x, bend, swing = np.moveaxis(self._bent(lambda t: as_leg(self.swing.ankle(t), t), before, after), -1, 0)
        bend = _LEAST_BEND + np.logaddexp(0.0, (bend - _LEAST_BEND) / _ROUNDING) * _ROUNDING
        length = (THIGH + SHANK) * np.cos(0.5 * bend)
        _, y, z = np.moveaxis(hip(self.times), -1, 0)
        return np.stack([x, y - length * np.cos(swing), z + length * np.sin(swing)], axis=-1)


def _stance_states(stance: Stance, time: float) -> Floats:
    """Ankle x, y, z, pitch and toes of a standing foot, each with its first two derivatives: (5, 3)."""

    def everything(times: Floats) -> Floats:
        pitch = stance.pitch(times)
        ankle, toes = roll_foot(stance.place, stance.yaw, pitch)
        return np.concatenate([ankle, pitch[:, None], toes[:, None]], axis=-1)

    return state(everything, time).T


def _places(states: Floats) -> Floats:
    """(3, pairs, 3) of the ankle out of (5, 3, pairs)."""
    return np.moveaxis(states[:3], 0, -1)


def sole_depth(pitch: Floats, toes: Floats) -> Floats:
    """How far the lowest point of a foot lies below its ankle, in metres."""
    heel = _pitched(pitch, (0.0, -ANKLE_HEIGHT, -HEEL_BEHIND))
    ball = _pitched(pitch, (0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD))
    under_ball = ball + _pitched(pitch + toes, (0.0, -BALL_HEIGHT, 0.0))
    tip = ball + _pitched(pitch + toes, (0.0, -BALL_HEIGHT, TOES))
    return -np.minimum(np.minimum(heel[:, 1], under_ball[:, 1]), tip[:, 1])


def _clearing_lift(u: Floats, clearance: Floats) -> Floats:
    """What must be added to a swinging foot's height so that it clears the floor, in metres.

    The foot is lifted where it is lowest, by as much as it takes, and eased in and out over a third of the swing.
    """
    wanted = 4.0 * _CLEARANCE * u * (1.0 - u)
    lift = np.zeros(len(u))
    for _ in range(4):
        missing = wanted - clearance - lift
        worst = int(np.argmax(missing))
        if missing[worst] <= 0:
            break
        at = u[worst]
        start, end = max(0.0, at - 0.33), min(1.0, at + 0.33)
        up, down = min_jerk((u - start) / max(at - start, 1e-6)), min_jerk((end - u) / max(end - at, 1e-6))
        lift += missing[worst] * np.minimum(up, down)
    return lift
