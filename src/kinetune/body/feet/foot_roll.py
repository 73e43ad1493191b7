"""How a standing foot must move to roll over heel, ball and toes without sliding.

===============  =======================================================================================
roll_foot        the correction that holds the supporting part of a foot still, blends included
FootMove         the correction: a shift of the ankle and small rotations of foot and toes, frame by frame
Rocker           heel, ball and toes of one foot, frame by frame
find_rocker      reads them from a clip
===============  =======================================================================================

A stance has three rockers: the heel while the toes are up, the whole sole, and the ball of the foot while the heel
rises, at the very end the tip of the toes. The foot keeps the rotations that the clip gives it, except for the jitter
of a foot that is almost flat; the toes lie flat while they carry weight. The path of the ankle follows from these
rotations, since at each moment the rocker stands still. What remains open is where on the floor a stance takes place:
where the clip has it on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import HEIGHT_LIMIT, Contacts
from kinetune.body.feet.floor import Floor, Ground
from kinetune.body.feet.soles import SPEED_WINDOW_S, UP, Foot, find_foot_joints
from kinetune.rotations import Floats
from kinetune.signals.bounded_curve import smoothest_between
from kinetune.signals.correction_fade import bridge_gaps

Bools = NDArray[np.bool_]

_STILL_PITCH = np.deg2rad(4.0)  # a foot this close to flat is flat ...
_STILL_FLAT = np.deg2rad(6.0)  # ... and this much more where its contacts say that heel and toes are down
_STILL_YAW = np.deg2rad(5.0)
_STILL_TOES = np.deg2rad(15.0)
_FLAG_S = 0.1
_HEEL_UP = np.deg2rad(1.0)
_HEEL_UP_FULLY = np.deg2rad(10.0)
_TOES_UP = np.deg2rad(12.0)
_HAND_OVER = np.deg2rad(2.0)
_MOST_TOE_PITCH = np.deg2rad(30.0)
_HOVER = 0.022  # leg lengths by which a foot that leaves may hover: captures lift the ball early
_EDGE_HOVER = 0.04  # ... and one that lands or leaves, in the first and last moments of a contact
_EDGE_S = 0.08
_PIVOT_S = 0.1
_SURE_TURN = 0.02  # leg lengths a second between heel and toes at which a flat foot pivots and is not just noisy
_OTHER_LEVEL = 1.25 * HEIGHT_LIMIT
_RISE_S = 0.1
_TOE_SPEED_S = 0.03
_TOE_REST_S = 0.05


@dataclass(frozen=True)
class FootMove:
    """How a foot moves so that it stands firmly.

    shift : (frames, 3) of the ankle in metres.
    turn : (frames, 3) of the foot, rotation vectors in world axes.
    weight : (frames,) 1 where the foot is planted, 0 where it is left alone, between them in the blends.
    toes : the joint about which the toes bend, or None.
    toe_rotations : (frames, 4) its new local rotations wxyz.
    """

    shift: Floats
    turn: Floats
    weight: Floats
    toes: int | None
    toe_rotations: Floats | None


def roll_foot(
    clip: Clip,
    foot: Foot,
    ground: Ground,
    contacts: Contacts,
    *,
    blend_s: float,
    levels: Sequence[float] | None = None,
) -> FootMove:
    """How a foot must move so that it rolls over its rockers and does not slide.

    Parameters
    ----------
    clip : the motion.
    foot, ground : whose sole touches which floor (:func:`kinetune.body.feet.floor.find_ground`).
    contacts : when it stands, and whether flat.
    blend_s : how long the foot takes to leave its own path before a contact and to come back after it.
    levels : the height above the floor at which each contact takes place (:func:`contact_levels`); read from the clip
        if omitted.

    Notes
    -----
    With s the share of the forefoot, the ankle moves by ``-((1 - s) dH + s dF)`` from frame to frame, where H and F are
    heel and forefoot seen from the ankle. A flat foot that pivots does so about the point of its sole that slides
    least. Its height puts the lowest part of the sole on the floor; with the heel up it may rise onto the tip of the
    toes, and does so along the smoothest curve. The first and the last thirtieth of a second of a contact belong to the
    blends: the foot lands and leaves then.
    """
    frames = len(clip)
    column = contacts.column(clip.skeleton.names[foot.joint])
    intervals = contacts.intervals(column)
    parts = [_inner(interval, clip) for interval in intervals]
    planted = np.zeros(frames, dtype=bool)
    level = np.zeros(frames)
    for part, height in zip(parts, levels or contact_levels(clip, foot, ground, intervals), strict=True):
        planted[part] = True
        level[part] = height
    sole, toes = find_rocker(clip, foot, ground)
    turn, toe_turn = _settle(clip, sole, foot.joint, toes, parts, _flatness(contacts, column, clip.fps))
    rolled = sole.turned(turn, toe_turn)
    weight = bridge_gaps(np.ones(frames), planted, clip.fps, blend_s)
    flat = level - rolled.height()  # how far the foot must rise to lie on the floor
    hover = _hover(parts, ground.leg, clip)
    rise = _rise(rolled, sole.height(), flat, planted, weight > 0.0, hover, clip.fps)
    risen = (rise - flat) * planted * _ease((-rolled.pitch - _HEEL_UP) / _HEEL_UP_FULLY)  # onto the toes
    tip: Floats
    if toes is None:  # the floor meets the line from ball to tip somewhere
        tip = np.clip(risen / np.maximum(rolled.tip_toe_room(_MOST_TOE_PITCH), 1e-9), 0.0, 1.0)
    else:
        on_tip = np.minimum(rolled.tip_toe_pitch(risen), _MOST_TOE_PITCH)
        stand_up = rot.exp(raise_by(rolled.toes, -on_tip))
        toe_turn = rot.log(rot.multiply(stand_up, rot.exp(toe_turn)))
        rolled = sole.turned(turn, toe_turn)
        tip = _ease(-rolled.toe_pitch / _HAND_OVER)
    shift = _roll(rolled, _rolling_steps(clip, rolled, ground, tip), parts, blend_s * clip.fps)
    bridged = bridge_gaps(np.concatenate([shift, turn], axis=1), planted, clip.fps, blend_s)
    shift, turn = bridged[:, :3], bridged[:, 3:]
    toe_rotations = None
    if toes is not None:
        toe_rotations, toe_turn = _toes_of(clip, foot.joint, toes, turn, toe_turn, planted, weight)
    # A floor that leans is higher or lower where the foot is moved to.
    shift[:, 1] = rise + ground.floor.under(sole.ankle + shift) - ground.floor.under(sole.ankle)
    shift[:, 1] += _clearance(sole, sole.turned(turn, toe_turn).moved(shift), weight, planted)
    return FootMove(shift, turn, weight, toes, toe_rotations)


def contact_levels(clip: Clip, foot: Foot, ground: Ground, intervals: Sequence[tuple[int, int]]) -> list[float]:
    """How high above the floor each contact takes place: 0, or the height of a stair or a platform."""
    sole, _ = find_rocker(clip, foot, ground)
    height = np.minimum(sole.height(), ground.floor.above(sole.tip))
    heights = [float(np.median(height[_inner(interval, clip)])) for interval in intervals]
    return [level if level > _OTHER_LEVEL * ground.leg else 0.0 for level in heights]


def _inner(interval: tuple[int, int], clip: Clip) -> slice:
    """The part of a contact in which the foot neither lands nor leaves; at least one frame."""
    start, stop = interval
    edge = max(1, round(SPEED_WINDOW_S * clip.fps))
    first = start if start == 0 else start + edge
    last = stop if stop == len(clip) else stop - edge
    middle = (start + stop - 1) // 2
    return slice(min(first, middle), max(last, middle + 1))


def _flatness(contacts: Contacts, column: int, fps: float) -> Floats:
    """How sure it is that a foot is flat, in [0, 1]: 1 well inside the time in which heel and toes are down."""
    reach = max(1, round(_FLAG_S * fps))
    both = np.pad(contacts.heels[:, column] & contacts.toes[:, column], 2 * reach, mode="edge")
    inside = np.lib.stride_tricks.sliding_window_view(both, 2 * reach + 1).all(axis=-1).astype(float)
    return _average(inside, reach)


def _average(values: Floats, reach: int) -> Floats:
    """A gentle moving average; ``reach`` frames on either side are used up."""
    window = np.hanning(2 * reach + 3)[1:-1]
    return np.convolve(values, window / window.sum(), mode="valid")


# --- how the foot is turned


def _settle(
    clip: Clip, sole: Rocker, ankle: int, toes: int | None, parts: Sequence[slice], flatness: Floats
) -> tuple[Floats, Floats]:
    """Small rotations (frames, 3) that calm a foot that is almost flat and lay the toes flat."""
    foot_world = clip.world_rotations()[:, ankle]
    along = sole.ball - sole.heel
    pitch, toe_pitch = sole.pitch, sole.toe_pitch
    calm = _calm(pitch, _STILL_PITCH + _STILL_FLAT * flatness)
    flat = np.exp(-((calm / _STILL_PITCH) ** 2))
    levelled = raise_by(along, -pitch)
    turn, toe_turn = raise_by(along, calm - pitch), np.zeros_like(along)
    for part in parts:
        held = _hold(levelled[part], foot_world[part], flat[part], foot_world[part], _STILL_YAW)
        turn[part] += flat[part, None] * (held - levelled[part])
        if toes is not None:
            laid = raise_by(sole.toes[part], -toe_pitch[part])
            toe_world = clip.world_rotations()[part, toes]
            held = _hold(laid, toe_world, flat[part] + 0.01, foot_world[part], _STILL_TOES)
            toe_turn[part] = _ease(1.0 - calm[part] / _TOES_UP)[:, None] * held
    return turn, toe_turn


def _hold(turn: Floats, world: Floats, weight: Floats, foot: Floats, play: float) -> Floats:
    """Rotations that hold a part of the foot at its mean over a contact, except for large ones about the vertical.

    Parameters
    ----------
    turn : (frames, 3) the rotation that lays it flat. world : (frames, 4) its rotation in the world.
    weight : (frames,) how much each frame counts for the mean.
    foot : (frames, 4) the rotation of the foot, whose heading it follows once that is ``play`` radians off; captured
        toes are too noisy to have a heading of their own.
    """
    if not np.any(weight > 1e-3):
        return turn
    mean = rot.mean(rot.multiply(rot.exp(turn), world), weight)
    _, twist = rot.swing_twist(rot.multiply(foot, rot.inverse(rot.mean(foot, weight))), UP)
    yaw = np.unwrap(2.0 * np.arctan2(twist[:, 2], twist[:, 0]))
    yaw -= 2.0 * np.pi * np.round(np.median(yaw) / (2.0 * np.pi))
    target = rot.multiply(rot.about_y(_calm(yaw, play)), mean)
    return rot.log(rot.multiply(target, rot.inverse(world)))


def _calm(angle: Floats, play: Floats | float) -> Floats:
    """Angles without their jitter: those well below the play almost vanish, those well above stay as they are."""
    square = angle**2
    return np.asarray(angle * (square / (square + np.square(play))))


def _ease(x: Floats) -> Floats:
    u = np.clip(x, 0.0, 1.0)
    return u * u * (3.0 - 2.0 * u)


def _toes_of(
    clip: Clip, ankle: int, toes: int, turn: Floats, toe_turn: Floats, planted: Bools, weight: Floats
) -> tuple[Floats, Floats]:
    """Local rotations (frames, 4) of the toes with their blends, and the rotations (frames, 3) that lead there.

    Captured toes jitter. So the blends lead from the bend of the planted toes to that of the clip, and not from the
    correction to nothing, which would let the jitter in at once.
    """
    world = clip.world_rotations()
    foot = rot.multiply(rot.exp(turn), world[:, ankle])
    laid = rot.multiply(rot.inverse(foot), rot.multiply(rot.exp(toe_turn), world[:, toes]))
    at = np.arange(len(clip))
    on = np.flatnonzero(planted)
    after = on[np.minimum(np.searchsorted(on, at), on.size - 1)]
    before = on[np.maximum(np.searchsorted(on, at, side="right") - 1, 0)]
    step = max(1, round(_TOE_SPEED_S * clip.fps))
    leaving, landing = (
        _go_on(laid, planted, edge, at, way, clip.fps) for edge, way in ((before, -step), (after, step))
    )
    passed = _ease((at - before) / np.maximum(after - before, 1))
    bent = rot.slerp(leaving, landing, np.where(before > at, 1.0, np.where(after < at, 0.0, passed)))
    rotations = rot.normalize(rot.slerp(clip.rotations[:, toes], bent, weight))
    return rotations, rot.log(rot.multiply(rot.multiply(foot, rotations), rot.inverse(world[:, toes])))


def _go_on(laid: Floats, planted: Bools, edge: NDArray[np.intp], at: NDArray[np.intp], way: int, fps: float) -> Floats:
    """Rotations (frames, 4) that go on from those at the edge of a stance with their speed, and soon come to rest.

    way : how many frames into the stance to look for the speed: negative before the edge, positive after it.
    """
    inside = np.clip(edge + way, 0, len(laid) - 1)
    inside = np.where(planted[inside], inside, edge)
    seconds = (edge - inside) / fps
    speed = (
        rot.log(rot.multiply(rot.inverse(laid[inside]), laid[edge])) / np.where(seconds != 0.0, seconds, 1.0)[:, None]
    )
    since = (at - edge) / fps
    run = np.sign(since) * _TOE_REST_S * -np.expm1(-np.abs(since) / _TOE_REST_S)
    return rot.multiply(laid[edge], rot.exp(speed * run[:, None]))


# --- where it goes


def _hover(parts: Sequence[slice], leg: float, clip: Clip) -> tuple[Floats, float]:
    """How far a foot may be above the floor: (frames,) where it lands and leaves, and with its heel up, in metres."""
    edges = np.zeros(len(clip))
    reach = max(1.0, _EDGE_S * clip.fps)
    for part in parts:
        at = np.arange(part.start, part.stop)
        since = np.full(len(at), np.inf) if part.start == 0 else at - part.start
        until = np.full(len(at), np.inf) if part.stop == len(clip) else part.stop - 1 - at
        edges[part] = _EDGE_HOVER * leg * _ease(1.0 - np.minimum(since, until) / reach)
    return edges, _HOVER * leg


def _rise(
    rolled: Rocker,
    height: Floats,
    flat: Floats,
    planted: Bools,
    near: Bools,
    hover: tuple[Floats, float],
    fps: float,
) -> Floats:
    """How far the ankle rises, (frames,): onto the floor while it stands, as smoothly as possible otherwise."""
    edges, with_heel_up = hover
    heel_up = planted & (rolled.pitch < -_HEEL_UP)
    room = edges + np.where(heel_up, rolled.tip_toe_room(_MOST_TOE_PITCH) + with_heel_up, 0.0)
    least = np.where(planted, flat, np.where(near, np.minimum(-height, 0.0), 0.0))
    most = np.where(planted, flat + room, np.where(near, np.inf, 0.0))
    return smoothest_between(least, most, fps, _RISE_S)


def _rolling_steps(clip: Clip, sole: Rocker, ground: Ground, tip: Floats) -> Floats:
    """How the ankle moves from each frame to the next while the rocker stands still, (frames - 1, 3) metres.

    tip : (frames,) how much of the forefoot's rocker the tip of the toes is, in [0, 1].
    """
    share = _between(_forefoot_share(clip, sole, ground))
    heel, forefoot, toe = (np.diff(point - sole.ankle, axis=0) for point in (sole.heel, sole.forefoot, sole.tip))
    front = forefoot + _between(tip) * (toe - forefoot)
    drift = np.array([ground.drift[0], 0.0, ground.drift[1]]) / clip.fps
    return np.asarray(drift - (heel + share * (front - heel)))


def _between(values: Floats) -> Floats:
    return (0.5 * (values[1:] + values[:-1]))[:, None]


def _forefoot_share(clip: Clip, sole: Rocker, ground: Ground) -> Floats:
    """How much of the rocker the forefoot is, in [0, 1]: all of it when the heel is up, nothing when the toes are."""
    pitch = sole.pitch / _HAND_OVER
    heel_up, toes_up = _ease(-pitch), _ease(pitch)
    if len(clip) < 2:
        return np.asarray(0.5 * (1.0 + heel_up - toes_up))
    heel, front = (
        np.gradient(ground.still_positions(clip, point)[:, [0, 2]], 1.0 / clip.fps, axis=0)
        for point in (sole.heel, sole.forefoot)
    )
    apart = heel - front
    reach = max(1, round(_PIVOT_S * clip.fps))
    doubt = (_SURE_TURN * ground.leg) ** 2
    along, square = (_average(np.pad(np.sum(a * apart, axis=-1), reach, mode="edge"), reach) for a in (heel, apart))
    slowest = np.clip((along + 0.5 * doubt) / (square + doubt), 0.0, 1.0)
    return np.asarray(heel_up + (1.0 - heel_up - toes_up) * slowest)


def _roll(sole: Rocker, steps: Floats, parts: Sequence[slice], blend: float) -> Floats:
    """The shift of the ankle (frames, 3) that makes it follow the steps in each part, near its own path on average."""
    shift = np.zeros_like(sole.ankle)
    for part in parts:
        path = np.concatenate([np.zeros((1, 3)), np.cumsum(steps[part.start : part.stop - 1], axis=0)])
        weight = np.ones(len(path))
        weight[[0, -1]] += 0.25 * blend  # the ends last on into the blends
        apart = path - sole.ankle[part]
        shift[part] = apart - np.average(apart, axis=0, weights=weight)
    return shift


def _clearance(before: Rocker, after: Rocker, weight: Floats, planted: Bools) -> Floats:
    """What must be added to the rise so that no blend pushes a foot through the floor, or deeper than it is."""
    allowed = np.minimum(before.height(), 0.0) * (1.0 - weight)
    blending = ~planted & (weight > 0.0)
    return np.where(blending, np.maximum(allowed - after.height(), 0.0), 0.0)


@dataclass(frozen=True)
class Rocker:
    """The parts of a sole, each (frames, 3) in metres.

    ankle : the joint about which the foot rotates.
    heel, ball : points of the sole that move with the foot.
    toe_joint : where the toes bend; None for a foot whose toes do not.
    tip : the point of the sole below the tip of the toes; the ball where nothing is known of toes.
    lift : how high the toe joint is above the floor while the toes are flat, in metres.
    """

    floor: Floor
    ankle: Floats
    heel: Floats
    ball: Floats
    toe_joint: Floats | None
    tip: Floats
    lift: float = 0.0

    @property
    def pitch(self) -> Floats:
        """How steeply the foot rises from heel to ball against the floor, (frames,) radians; 0 is flat."""
        return self._rise(self.heel, self.ball)

    @property
    def toe_pitch(self) -> Floats:
        """How steeply the toes rise; 0 while they are flat, and for toes that do not bend."""
        if self.toe_joint is None:
            return np.zeros(len(self.heel))
        return self._rise(self.toe_joint, self.tip) + self._flat_toes

    @property
    def _flat_toes(self) -> Floats:
        """The angle at which flat toes fall from their joint to the floor."""
        return np.asarray(np.arcsin(np.clip(self.lift / self.toe_length, 0.0, 1.0)))

    @property
    def toes(self) -> Floats:
        """From the toe joint, or the ball, to the tip, (frames, 3) metres."""
        return self.tip - (self.ball if self.toe_joint is None else self.toe_joint)

    @property
    def toe_length(self) -> Floats:
        """How long the toes are, (frames,) metres."""
        return np.asarray(np.maximum(np.linalg.norm(self.toes, axis=-1), 1e-9))

    def _rise(self, start: Floats, end: Floats) -> Floats:
        length = np.maximum(np.linalg.norm(end - start, axis=-1), 1e-9)
        return np.asarray(np.arcsin(np.clip((self.floor.above(end) - self.floor.above(start)) / length, -1.0, 1.0)))

    @property
    def forefoot(self) -> Floats:
        """The point of the sole on which a foot stands with its heel up: below the toe joint, turning with the toes."""
        if self.toe_joint is None:
            return self.ball
        pitch = self.toe_pitch[:, None]
        ahead = level_direction(self.toes)
        return np.asarray(self.toe_joint - self.lift * (np.cos(pitch) * UP - np.sin(pitch) * ahead))

    def turned(self, turn: Floats, toe_turn: Floats) -> Rocker:
        """The sole after rotations (frames, 3) of the foot and of the toes, rotation vectors in world axes."""
        foot = rot.exp(turn)

        def carried(points: Floats) -> Floats:
            return self.ankle + rot.rotate(foot, points - self.ankle)

        heel, ball = carried(self.heel), carried(self.ball)
        if self.toe_joint is None:
            return replace(self, heel=heel, ball=ball, tip=carried(self.tip))
        joint = carried(self.toe_joint)
        tip = joint + rot.rotate(rot.exp(toe_turn), self.toes)
        return replace(self, heel=heel, ball=ball, toe_joint=joint, tip=tip)

    def moved(self, shift: Floats) -> Rocker:
        """The sole somewhere else."""
        joint = None if self.toe_joint is None else self.toe_joint + shift
        parts = {name: getattr(self, name) + shift for name in ("ankle", "heel", "ball", "tip")}
        return replace(self, toe_joint=joint, **parts)

    def height(self) -> Floats:
        """How far the lowest part that may carry the foot is above the floor, (frames,) metres.

        The tip of toes that do not bend does not carry: captured feet of that kind dip it below the floor.
        """
        return np.asarray(np.min([self.floor.above(point) - lift for point, lift in self._supports()], axis=0))

    def _supports(self) -> list[tuple[Floats, float]]:
        if self.toe_joint is None:
            return [(self.heel, 0.0), (self.ball, 0.0)]
        return [(self.heel, 0.0), (self.toe_joint, self.lift), (self.tip, 0.0)]

    def tip_toe_room(self, most_pitch: float) -> Floats:
        """How far a foot on flat toes may rise until only their tip touches the floor, (frames,) metres.

        most_pitch : how steep the toes may become, in radians.
        """
        if self.toe_joint is None:
            return np.maximum(self.floor.above(self.ball) - self.floor.above(self.tip), 0.0)
        flat = self._flat_toes
        return np.asarray(
            self.toe_length * np.maximum(np.sin(np.minimum(flat + most_pitch, 0.5 * np.pi)) - np.sin(flat), 0.0)
        )

    def tip_toe_pitch(self, risen: Floats) -> Floats:
        """How steep toes are, tip on the floor, when their joint has risen by some metres, (frames,) radians >= 0."""
        flat = self._flat_toes
        return np.arcsin(np.clip(np.sin(flat) + np.maximum(risen, 0.0) / self.toe_length, 0.0, 1.0)) - flat


def find_rocker(clip: Clip, foot: Foot, ground: Ground) -> tuple[Rocker, int | None]:
    """The sole of a foot in a clip, and the joint about which its toes bend, or None."""
    points = foot.positions(clip)
    named = {point.name: points[:, index] for index, point in enumerate(foot.points)}
    ankle = clip.positions()[:, foot.joint]
    heel = named.get("heel", ankle)
    ball = named.get("ball", heel)
    tip = named.get("toe", ball)
    toes = next((f.toes for f in find_foot_joints(clip) if f.ankle == foot.joint), None)
    carrier = next((point.joint for point in foot.points if point.name == "toe"), foot.joint)
    if toes is None or carrier == foot.joint:
        return Rocker(ground.floor, ankle, heel, ball, None, tip), None
    joint = clip.positions()[:, toes[0]]
    lift = float(np.median(np.linalg.norm(joint - ball, axis=-1)))
    return Rocker(ground.floor, ankle, heel, ball, joint, tip, lift), toes[0]


def raise_by(along: Floats, radians: ArrayLike) -> Floats:
    """Rotation vectors (frames, 3) that raise directions (frames, 3) by angles, about level axes."""
    return np.asarray(np.cross(level_direction(along), UP) * np.broadcast_to(radians, len(along))[:, None])


def level_direction(along: Floats) -> Floats:
    """Unit vectors (frames, 3): directions without their rise; 0 for one that is upright."""
    level = along * np.array([1.0, 0.0, 1.0])
    return np.asarray(level / np.maximum(np.linalg.norm(level, axis=-1, keepdims=True), 1e-9))
